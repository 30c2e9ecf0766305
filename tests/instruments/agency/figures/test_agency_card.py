"""The Agency Card of a run (13.3): whose it is, and what an episode took."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.errors import SubjectFault
from assay.study import Study
from assay.subjects.reference import ReferenceSubject
from tests.support import begin, go

OPTIONS = {
    "families": ["inbox"], "levels": [1], "instances": 3, "regimes": ["Baseline"], "robustness_instances": 1,
}  # fmt: skip


def cards(root: Path, *subjects: str, contact: str = "", **more: Any) -> dict[str, Any]:
    options = {**OPTIONS, **more}
    folder, lock = begin(root, Study(subjects=subjects, contact=contact, instruments={"agency": options}))
    assert go(folder, lock)
    return {card["system"]: card for card in map(_read, sorted(_folder(folder).iterdir()))}


def _folder(folder: RunFolder) -> Path:
    return folder.path / "agency-card"


def _read(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_each_subject_has_a_card_that_says_whose_it_is(tmp_path: Path) -> None:
    assert sorted(cards(tmp_path, "reference:solver", "reference:novice")) == [
        "reference:novice",
        "reference:solver",
    ]


@pytest.mark.parametrize(("failing", "rate"), [(0, 0.0), (1, 0.5), (3, 0.75)])
def test_the_retry_rate_is_the_share_of_calls_that_were_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int, rate: float
) -> None:
    """Every call fails so many times before it is answered."""
    answer, tried = ReferenceSubject.call, dict[Any, int]()

    async def call(self: ReferenceSubject, wire: dict[str, Any], call: Any, seconds: float) -> Any:
        tried[call] = tried.get(call, 0) + 1
        if tried[call] <= failing:
            raise SubjectFault("reset")
        return await answer(self, wire, call, seconds)

    monkeypatch.setattr(ReferenceSubject, "call", call)
    monkeypatch.setattr("assay.bench.caller.FIRST_WAIT", 0.0)
    [card] = cards(tmp_path, "reference:solver").values()
    assert card["efficiency"]["retry rate"] == rate
    assert card["efficiency"]["episodes"] == 3


@pytest.mark.parametrize(
    ("contact", "organisation", "missing"),
    [
        ("", "B", ["evaluation contact"]),
        ("a@b.org", "", ["organisation"]),
        ("", "", ["evaluation contact", "organisation"]),
        ("a@b.org", "B", []),
    ],
)
def test_a_card_without_an_address_or_an_organisation_is_flagged(
    tmp_path: Path, contact: str, organisation: str, missing: list[str]
) -> None:
    party = {"organisation": organisation}
    [card] = cards(tmp_path, "reference:solver", contact=contact, evaluated_by=party).values()
    assert card["missing"] == missing
    told = f"Limited Comparability ({', '.join(missing)} missing: 13.3)"
    assert card["flags"] == ([told] if missing else [])
