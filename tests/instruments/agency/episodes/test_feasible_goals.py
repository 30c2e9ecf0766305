"""Which goals of G1 can be met as they were given (10.10.2): worked out when a run is read, recorded nowhere."""

from __future__ import annotations

from pathlib import Path

from assay.evidence import Evidence, LedgerIndex
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.protocol import Agency
from assay.instruments.agency.scoring import read_run
from assay.study import Study
from tests.support import begin, go

OPTIONS = {
    "dimensions": ["G"],
    "families": ["deadline", "purchase"],
    "levels": [2],
    "instances": 30,
    "regimes": ["Baseline"],
}


def test_who_never_revises_succeeds_where_the_goal_is_feasible_and_nowhere_else(tmp_path: Path) -> None:
    """The novice takes every goal of level 2 as it stands; the rate of all instances says that it revises some."""
    study = Study(name="a", seed=3, subjects=("reference:novice",), instruments={"agency": OPTIONS})
    folder, lock = begin(tmp_path, study)
    assert go(folder, lock)

    def evidence() -> Evidence:
        return Evidence(LedgerIndex(folder.ledger, lock.digest), "agency", lock=lock)

    (mine,) = read_run(evidence(), lock.options("agency", AgencyOptions)).episodes
    assert {row.feasible for row in mine.outcomes} == {True, False}
    assert not any(row.outcome == "success" for row in mine.outcomes if not row.feasible)
    assert any(row.outcome == "success" for row in mine.outcomes if row.feasible)
    rates = [one for one in Agency().score(evidence()).measures if one.name == "infeasible_rate"]
    assert [(one.labels["level"], one.value) for one in rates] == [("2", 0.0)]
    assert sum(one.n for one in rates) == sum(not row.feasible for row in mine.outcomes)
