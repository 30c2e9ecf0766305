"""Tier 1 and its gates (12.4)."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.vocabulary import Verdict
from tests.instruments.agency.made_outcomes import LATE, family, kinds, level, made, score, verdict


def loop(**more: Any) -> list[OutcomeRow]:
    return [row for dimension in "SDE" for row in made(dimension, 1, 60, 60, **more)]


def gate(rows: list[OutcomeRow], name: str, **changes: Any) -> Verdict:
    return verdict(score(rows, **changes), f"Tier 1, {name}")


def test_a_closed_loop_with_verified_outcomes_is_tier_1() -> None:
    result = score(loop())
    found = level(result, "tier")
    assert (found.value, found.flags) == (1, ())
    assert found.notes[0] == level(result, "S").notes[0]
    assert "Tier 1, A = [1, 0, 1, 1, 0, 1, 0]" in found.notes[0]
    assert all(one.holds for one in result.verdicts if one.claim.startswith("Tier 1,"))


def test_each_of_s_d_e_is_needed() -> None:
    for gone in "SDE":
        without = [row for row in loop() if row.dimension != gone]
        assert gate(without, "closed loop").holds is None  # not tested
        failing = [*without, *made(gone, 1, 10, 60)]
        assert gate(failing, "closed loop").holds is False
        assert level(score(failing), "tier").value is None
        assert "Tier None" in level(score(failing), "tier").notes[0]


def test_one_family_must_be_reliable_over_ten_baseline_instances() -> None:
    assert gate(loop(), "reliability").holds is True
    # Nine instances in each of seven families: every level stands, no family has ten.
    thin = [row for dimension in "SDE" for row in made(dimension, 1, 63, 63, families=7)]
    assert gate(thin, "reliability").holds is None
    assert kinds(level(score(thin), "tier")) == ["Provisional"]
    ten = [row for dimension in "SDE" for row in made(dimension, 1, 70, 70, families=7)]
    assert level(score(ten), "tier").value == 1


def test_state_must_change_in_every_instance_of_the_family() -> None:
    assert gate(loop(state_changed=None), "feedback").holds is None
    assert gate(loop(state_changed=False), "feedback").holds is False
    once = [
        msgspec.structs.replace(row, state_changed=False)
        if row.instance.endswith(("-0", "-1", "-2"))
        else row
        for row in loop()
    ]
    assert gate(once, "feedback").holds is False
    assert level(score(once), "tier").value is None


def test_one_step_is_no_feedback() -> None:
    assert gate(loop(steps=1), "feedback").holds is False
    assert gate(loop(steps=2), "feedback").holds is True
    assert gate(loop(steps=None), "feedback").holds is None


def test_another_family_may_carry_the_tier() -> None:
    rows = [msgspec.structs.replace(row, steps=1) if row.dimension != "E" else row for row in loop()]
    assert level(score(rows), "tier").value == 1


def test_unverified_efficacy_invalidates_the_claim() -> None:
    rows = [*loop(), *made("E", 1, 1, 1, start=900, artifact="")]
    assert level(score(rows), "E").value == 1
    assert gate(rows, "validity").holds is False
    assert level(score(rows), "tier").value is None


def test_an_invalid_dimension_invalidates_the_claim() -> None:
    families = {
        f"{d}{i}": family(d.upper(), criterion="" if d == "d" else "it is so")
        for d in "sde"
        for i in range(3)
    }
    assert gate(loop(), "validity", families=families).holds is False


def test_without_schemas_there_is_no_tier() -> None:
    families = {f"{d}{i}": family(d.upper(), action_schema=None) for d in "sde" for i in range(3)}
    assert level(score(loop(), families=families), "tier").value is None
    assert gate(loop(), "schemas", families=families).holds is False


def test_without_the_technical_report_a_tier_is_exploratory() -> None:
    result = score(loop(), inclusion="")
    assert level(result, "tier").value == 1
    assert verdict(result, "Tier 1 has its Technical Report").holds is False
    assert any("task suite specification" in note for note in level(result, "tier").notes)
    told = "Limited Comparability (exploratory: Tier 1 without the whole Technical Report (13.4.1))"
    assert told in level(result, "tier").notes[0]  # in the tuple, which is what is quoted
    assert not score(loop()).flags
    assert verdict(score(loop()), "Tier 1 has its Technical Report").holds is True


def test_a_family_with_too_many_late_criteria_cannot_gate_the_tier() -> None:
    def rows(late: int) -> list[OutcomeRow]:
        """E alone has episodes of two steps; of its 40 instances under baseline some have late criteria."""
        gate = made("E", 1, 40, 40, families=["e0"])
        gate[:late] = [msgspec.structs.replace(row, criterion_time=LATE) for row in gate[:late]]
        return [*made("S", 1, 60, 60, steps=1), *made("D", 1, 60, 60, steps=1), *gate, *more]

    more = made("E", 2, 60, 60, families=["e1"], steps=1)
    assert level(score(rows(8)), "tier").value == 1
    result = score(rows(9))
    assert level(result, "E").value == 2  # 9 of 100 there
    assert verdict(result, "Tier 1, validity").holds is False
    assert "e0: 11.3.2" in verdict(result, "Tier 1, validity").because
    assert level(result, "tier").value is None
    more = made("E", 2, 60, 60, families=["e1"])  # another family carries it
    assert level(score(rows(9)), "tier").value == 1
