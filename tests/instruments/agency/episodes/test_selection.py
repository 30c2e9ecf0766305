"""Which episodes are kept whole while a run is read: enough to choose as if all had been kept."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.records import Record
from assay.instruments.agency.episodes.conduct import EpisodeReport
from assay.instruments.agency.episodes.schedule import instance_of
from assay.instruments.agency.episodes.selection import Candidates, RecordedEpisode, chosen_episodes
from assay.vocabulary import Trial

SOME = st.integers(0, 2)
EPISODES = st.lists(
    st.fixed_dictionaries(
        {
            "won": st.booleans(),
            "regime": st.sampled_from(["Baseline", "Moderate-Standard", "Severe-Adversarial"]),
            "level": st.integers(1, 3),
            "turns": st.integers(1, 3),
            "injected": SOME,
            "followed": SOME,
            "lost": SOME,
            "claimed": st.booleans(),
        }
    ),
    max_size=30,
)


def episode(number: int, told: dict[str, Any]) -> RecordedEpisode:
    trial = Trial(
        instance=instance_of(("inbox", 1), number, 1), version="1", subject="a", regime=told["regime"]
    )
    outcome: Any = "success" if told["won"] else "failure"
    report = EpisodeReport(
        dimension="S", family="inbox", level=told["level"], situation="", criterion="", interface="text",
        turns=told["turns"], injected=told["injected"], followed=told["followed"], claimed=told["claimed"],
        faults={"lost": told["lost"]} if told["lost"] else {},
    )  # fmt: skip
    return Record(trial.id, trial, 0, outcome, "", None, ()), report


@settings(max_examples=150, deadline=None)
@given(EPISODES)
def test_the_choice_among_those_kept_is_the_choice_among_all(told: list[dict[str, Any]]) -> None:
    episodes = [episode(number, one) for number, one in enumerate(told)]
    kept = Candidates()
    for record, report in episodes:
        kept.take(record, report)
    assert chosen_episodes(kept) == chosen_episodes(episodes)
    assert len(list(kept)) <= 2 + 3 * Candidates.TRIED
