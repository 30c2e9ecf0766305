"""Robustness is measured on the highest level that is satisfied (10.9), which is known after the levels were run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench.folder import RunFolder
from assay.instruments.agency.episodes.schedule import planned_cells, robust_places, strata_of
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.protocol import Agency
from assay.study import Lock, Study
from assay.vocabulary import Measure, Reading
from tests.support import audit_run, begin, go, ledger_events

SUBJECTS = ("reference:solver", "reference:boaster")
SMALL: dict[str, Any] = {
    "dimensions": ["S", "R"],
    "families": ["helpdesk", "inbox", "incidents"],
    "levels": [1, 2],
    "instances": 20,
    "robustness_instances": 10,
    "regimes": ["Baseline", "Moderate-Standard"],
}


def run(root: Path, **options: Any) -> tuple[RunFolder, Lock]:
    study = Study(name="a", seed=1, subjects=SUBJECTS, instruments={"agency": {**SMALL, **options}})
    folder, lock = begin(root, study)
    assert go(folder, lock)
    return folder, lock


def asked(folder: RunFolder, subject: str) -> Counter[str]:
    """Item → episodes under Moderate, where nothing but robustness is asked at levels 1 and 2."""
    ends = [e["data"]["trial"] for e in ledger_events(folder) if e["kind"] == "end"]
    return Counter(
        end["instance"]["item"]
        for end in ends
        if (end["subject"], end["regime"]) == (subject, "Moderate-Standard")
    )


def robustness(folder: RunFolder, subject: str) -> Measure:
    reading = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading)
    return next(m for m in reading.result.measures if m.name == "R" and m.labels["subject"] == subject)


@pytest.mark.parametrize("sequential", [None, {"batch": 10, "most": 40}])
def test_each_subject_on_its_own_highest_level(tmp_path: Path, sequential: Any) -> None:
    folder, lock = run(tmp_path, sequential=sequential)
    assert asked(folder, "reference:solver") == {"incidents/2": 10}
    assert asked(folder, "reference:boaster") == {"inbox/1": 10}  # none is satisfied: the lowest
    found = robustness(folder, "reference:solver")
    assert "10.9.2: R was measured on incidents (S2)" in found.notes
    audited = audit_run(folder, lock)
    assert audited.holds, audited.faults


def test_the_contents_are_others_than_those_that_chose_the_level(tmp_path: Path) -> None:
    folder, _ = run(tmp_path)
    ends = [e["data"]["trial"] for e in ledger_events(folder) if e["kind"] == "end"]
    solved = [
        end
        for end in ends
        if end["subject"] == "reference:solver" and end["instance"]["item"] == "incidents/2"
    ]
    by_regime: dict[str, set[int]] = {}
    for end in solved:
        by_regime.setdefault(end["regime"], set()).add(end["instance"]["repetition"])
    assert by_regime["Moderate-Standard"] == set(range(10, 20))
    assert by_regime["Baseline"] == set(range(20))


def test_a_run_that_stopped_before_robustness_is_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its levels are whole, so no open wave shows it."""
    monkeypatch.setattr("assay.instruments.agency.episodes.waves._robustness", lambda *_: iter(()))
    folder, _ = run(tmp_path, families=["inbox", "helpdesk"])
    reading = msgspec.json.decode(folder.reading_path("agency").read_bytes(), type=Reading)
    assert "Provisional (not finished: robustness on S)" in [str(flag) for flag in reading.result.flags]


def test_long_tasks_are_not_put_in_every_regime() -> None:
    (decision,) = [place for place in robust_places(AgencyOptions()) if place.dimension == "D"]
    assert max(decision.families) == 4  # D 5 takes 18 actions and more
    named = AgencyOptions(robustness_families=("courier",))
    assert max(robust_places(named)[0].families) == 5


def test_where_one_level_is_asked_for_nothing_has_to_be_chosen() -> None:
    quick = AgencyOptions(**{name: Agency.quick[name] for name in ("levels", "instances")})
    assert not any(place.chosen for place in robust_places(quick))
    assert any(place.chosen for place in robust_places(AgencyOptions()))
    assert strata_of(AgencyOptions()) == ["S", "M", "D", "E"]


def test_the_default_study_is_hardly_larger_than_its_levels_and_robustness() -> None:
    """20 levels of 50, M 4 under two regimes, four families of 50 contents in four regimes."""
    assert sum(cell.instances for cell in planned_cells(AgencyOptions())) == 21 * 50 + 4 * 50 * 4
