"""What is asked of rows for tiers 3 and 4, and seen to by the bench in a run (12.6.2, 12.7.2)."""

from __future__ import annotations

import msgspec
import pytest

from assay.instruments.agency.declarations.declaration import Declaration, LockedDeclaration
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.rubric.analysis import analyse
from assay.vocabulary import Verdict
from tests.instruments.agency.made_outcomes import declared, family, made, score, verdict

from .test_judging import gate, met, planned, sure, tiers


def drifting() -> list[OutcomeRow]:
    """M = 4, and nothing at level 3."""
    return [row for regime in ("Baseline", "Moderate") for row in made("M", 4, 60, 60, regime=regime)]


def test_what_was_solved_in_fewer_steps_required_fewer() -> None:
    """12.6.2: "multi-step tasks requiring 5+ steps". The family's word is held against the rows."""

    def taken(quick: int, steps: int | None) -> Verdict:
        """In each of two families so many of 38 successes took these steps."""
        rows = [
            msgspec.structs.replace(row, steps=steps if int(row.instance.split("-")[1]) < quick else 6)
            for row in planned()
        ]
        return gate(rows, "Tier 3, planning depth")

    assert taken(10, 4).holds is True
    assert "28/30 = 93.3 %" in taken(10, 4).because
    assert "10 successes took fewer than 5 steps and are left out" in taken(10, 4).because
    assert (taken(10, 5).holds, "left out" in taken(10, 5).because) == (True, False)
    assert taken(38, 4).holds is None  # two failures are left, and show nothing
    assert taken(38, None).holds is True  # nobody knows


def test_a_success_of_the_arm_in_fewer_steps_is_not_the_subjects() -> None:
    rows = [msgspec.structs.replace(row, steps=1) if row.arm else row for row in planned()]
    assert "left out" not in gate(rows, "Tier 3, planning depth").because


@pytest.mark.parametrize(
    ("rows", "holds"),
    [
        (made("M", 3, 60, 60), True),
        ([*made("M", 3, 60, 60), *drifting()], True),
        (drifting(), None),
        ([*drifting(), *made("M", 3, 42, 60)], None),  # 70 %, and an interval below
        ([*drifting(), *made("M", 3, 2, 10)], None),  # too few to speak against it
        ([*drifting(), *made("M", 3, 20, 60)], False),
        (made("M", 2, 60, 60), False),
        ([], None),
    ],
)
def test_a_model_shows_in_prediction_gated_choices_themselves(
    rows: list[OutcomeRow], holds: bool | None
) -> None:
    """12.6.2: "M ≥ 3 on prediction-gated choice tasks". M 4 implies level 3, and has no such choice."""
    result = tiers([*rows, *planned()])
    assert verdict(result, "Tier 3, modelling").holds is holds


def test_confidence_counts_on_instances_that_are_declared_as_held_out() -> None:
    """12.7.2: "on held-out task instances"."""
    rows = [*sure(), *met("T4", "others", 10, 40, regime="Moderate", confidence=0.9)]

    def calibrated(*names: str) -> Verdict:
        families = {name: family("T4", held_out=name in names) for name in ("items", "others")}
        return verdict(score(rows, families=families), "Tier 4, calibration")

    found = calibrated("items")
    assert (found.holds, found.because.endswith("; not declared as held out (`held_out`): others")) == (
        True,
        True,
    )
    assert calibrated("items", "others").holds is False  # sure of what fails
    found = calibrated()
    assert (found.holds, found.because) == (None, "not declared as held out (`held_out`): items, others")


def test_what_is_asked_of_rows_the_bench_sees_to_in_a_run() -> None:
    """12.6.2, 12.7.2: M 4 alone, successes in few steps, families that declare nothing of held-out instances."""
    quick = [msgspec.structs.replace(row, steps=1) for row in planned()]
    rows = [*drifting(), *quick, *sure()]
    whole = declared(rows)
    late = family("T3", steps=6, delay=3, reward="weighed in the end")
    families = {name: late if name.startswith("p") else one for name, one in whole.families.items()}
    families["items"] = family("T4", held_out=False)
    given = {name: getattr(whole, name) for name in whole.__struct_fields__} | {"families": families}
    for kind, holds in ((Declaration, None), (LockedDeclaration, True)):
        [reading] = analyse(rows, kind(**given))
        found = {gate.name: gate.holds for gate in reading.tier.gates}
        assert [found[name] for name in ("modelling", "planning depth", "calibration")] == [holds] * 3
