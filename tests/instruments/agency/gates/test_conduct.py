"""Arms and confidence as they are conducted: what a subject is shown, what it is asked, what is recorded of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.evidence.records import Evidence, LedgerIndex, Record
from assay.instruments.agency.episodes.interface import CONFIDENCE_ASKED
from assay.instruments.agency.gates.conduct import read_confidence
from assay.instruments.agency.protocol import Agency
from assay.study import Lock, Study
from tests.support import audit_run, begin, go

PLAN = {
    "instances": 3,
    "confidence": 20,
    "families": ["cultivation", "sources"],
    "confidence_families": ["inbox"],
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    study = Study(
        name="a",
        seed=3,
        subjects=("reference:judge",),
        instruments={
            "agency": {"dimensions": ["G"], "levels": [1], "families": ["deadline"], "instances": 1, "tiers": [3, 4],
                       "regimes": ["Baseline", "Moderate-Standard"], "gates": PLAN}
        },
    )  # fmt: skip
    folder, lock = begin(tmp_path_factory.mktemp("gates"), study)
    assert go(folder, lock)
    return folder, lock


def records(finished: tuple[RunFolder, Lock]) -> list[Record]:
    folder, lock = finished
    return list(Evidence(LedgerIndex(folder.ledger, lock.digest), "agency", lock=lock))


def test_every_instance_is_met_as_the_subject_is_and_in_each_arm(finished: tuple[RunFolder, Lock]) -> None:
    met: dict[str, Counter[str]] = {}
    for record in records(finished):
        if record.trial.stage == "gate":
            met.setdefault(record.trial.instance.item, Counter())[str(record.trial.factors["arm"])] += 1
    assert met["cultivation/3"] == {"": 3, "model_free": 3}
    assert met["sources/4"] == dict.fromkeys(["", *(f"fixed:{name}" for name in _strategies())], 3)


def _strategies() -> list[str]:
    from assay.worlds.families.metacontrol.sources import Sources

    return list(Sources.strategies)


def test_without_memory_every_decision_sees_the_goal_and_the_latest_view_alone(
    finished: tuple[RunFolder, Lock],
) -> None:
    lengths: dict[str, set[int]] = {"": set(), "model_free": set()}
    for record in records(finished):
        if record.trial.instance.item == "cultivation/3":
            lengths[str(record.trial.factors["arm"])] |= {len(ask.wire["messages"]) for ask in record.asks}
    assert lengths["model_free"] == {2}
    assert max(lengths[""]) > 6


def test_confidence_is_asked_after_the_episode_and_recorded(finished: tuple[RunFolder, Lock]) -> None:
    found = [record for record in records(finished) if record.trial.stage == "confidence"]
    assert len(found) == 20
    for record in found:
        assert record.report["confidence"] == (0.95 if record.outcome == "success" else 0.05)
        assert record.asks[-1].wire["messages"][-1]["content"].endswith(CONFIDENCE_ASKED)


def test_a_plan_counts_every_arm(finished: tuple[RunFolder, Lock]) -> None:
    assert Agency().plan(finished[1]).trials == len(records(finished))


def test_an_audit_does_everything_again(finished: tuple[RunFolder, Lock]) -> None:
    assert audit_run(*finished).faults == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("CONFIDENCE 0.7", 0.7),
        ("I think so.\n**Confidence:** .25", 0.25),
        ("confidence: 80 %", 0.8),
        ("CONFIDENCE 0.2\nOn reflection:\nCONFIDENCE 0.9", 0.9),
        ("CONFIDENCE 7", None),
        ("My confidence is high", None),
        ("0.8", None),
        ("", None),
        ("CONFIDENCE 1", 1.0),
    ],
)
def test_a_confidence_is_read_from_a_line_of_its_own(text: str, found: float | None) -> None:
    assert read_confidence(text) == found


def test_the_question_names_no_single_number_to_copy() -> None:
    assert "0.15 or CONFIDENCE 0.85" in CONFIDENCE_ASKED


def test_a_name_that_is_no_tier_family_is_refused(tmp_path: Path) -> None:
    study = Study(
        name="a", seed=1, subjects=("reference:judge",),
        instruments={"agency": {"tiers": [3], "dimensions": ["G"], "gates": {"families": ["inbox"]}}},
    )  # fmt: skip
    with pytest.raises(Exception, match="does not evidence the gates of a tier"):
        begin(tmp_path, study)
