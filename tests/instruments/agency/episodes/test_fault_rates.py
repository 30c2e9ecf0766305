"""The share of calls that failed stands beside the declared one, and is flagged where it cannot be that."""

from __future__ import annotations

import pytest

from assay.instruments.agency.episodes.conduct import EpisodeReport
from assay.instruments.agency.episodes.fault_rates import fault_rates
from assay.instruments.agency.episodes.finished import EpisodeCost, FinishedEpisode, SubjectEpisodes
from assay.instruments.agency.episodes.selection import Candidates
from assay.study import SubjectSpec
from assay.vocabulary import Measure
from assay.worlds import shipped_regimes

REGIMES = shipped_regimes()


def measured(calls: list[int], failed: list[int], regime: str = "Severe-Standard") -> list[Measure]:
    reports = [
        FinishedEpisode(
            str(number),
            regime,
            True,
            EpisodeReport(
                dimension="S", family="inbox", level=1, situation="x", criterion="", interface="text",
                calls=n, faults={"timeout": k - k // 4, "lost": k // 4, "rate": 3},
            ),
            EpisodeCost(calls=n, tries=n, tokens=None, seconds=0.0),
        )
        for number, (n, k) in enumerate(zip(calls, failed, strict=True))
    ]  # fmt: skip
    mine = SubjectEpisodes(SubjectSpec("reference:able"), [], reports, [], Candidates(), [], [])
    return list(fault_rates(mine, REGIMES, 0.95))


def test_the_share_is_of_calls_and_other_faults_do_not_count() -> None:
    [measure] = measured([10, 20, 30], [3, 6, 9])
    assert (measure.value, measure.k, measure.n) == (0.3, 18, 60)
    assert measure.labels["regime"] == "Severe-Standard"
    assert measure.flags == ()


@pytest.mark.parametrize("failed", [0, 12])
def test_a_share_that_cannot_be_the_declared_one_is_flagged(failed: int) -> None:
    [measure] = measured([20] * 40, [failed] * 40)
    assert [flag.kind for flag in measure.flags] == ["Limited Comparability"]


def test_a_few_calls_are_not_flagged() -> None:
    [measure] = measured([2, 3], [0, 0])
    assert measure.flags == ()


def test_regimes_without_faults_and_episodes_without_calls_have_no_share() -> None:
    assert measured([10], [0], "Baseline") == []
    assert measured([0], [0]) == []
