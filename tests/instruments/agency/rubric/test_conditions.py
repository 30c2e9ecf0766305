"""A level is not credited where a condition that its text asks for was not present (10.4.3, 10.5.2, 10.7.3)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.agency.declarations.declaration import DeclaredRegime
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.episodes.locked import family_material
from assay.worlds import all_families
from tests.instruments.agency.made_outcomes import REGIMES, family, flags, kinds, level, made, score, verdict

RATE_LIMITED = {**REGIMES, "Moderate": DeclaredRegime(level="moderate", action={"every": 3})}
UNRELIABLE = {**REGIMES, "Moderate": DeclaredRegime(level="moderate", stability={"timeouts": 0.15})}
HASTY = {
    **REGIMES,
    "Severe": DeclaredRegime(level="severe", action={"cap_factor": 1.2}, compute={"seconds": 10}),
}
STARVED = {
    **REGIMES,
    "Severe": DeclaredRegime(level="severe", information={"share": 0.25}, stability={"failures": 0.3}),
}


def both(dimension: str, k: int, regime: str) -> list[OutcomeRow]:
    return [*made(dimension, k, 60, 60, regime=regime), *made(dimension, k, 60, 60)]


@pytest.mark.parametrize(
    ("rows", "regimes", "given", "told"),
    [
        (both("M", 4, "Moderate"), RATE_LIMITED, 3, "non-stationarity (10.5.3)"),
        (both("S", 4, "Moderate"), RATE_LIMITED, 3, "noise or distractors in the observations (10.4.3)"),
        (both("S", 5, "Severe"), HASTY, 4, "scarce information (10.4.3)"),  # 10.2.1: k − 1
        (both("M", 5, "Severe"), HASTY, 3, "non-stationarity (10.5.3)"),
        (both("D", 5, "Severe"), STARVED, 4, "scarce actions and scarce compute or time (10.6.3)"),
        (both("E", 3, "Moderate"), UNRELIABLE, 2, "scarce actions (10.7.3)"),
        (both("E", 4, "Moderate"), RATE_LIMITED, 3, "tools that fail (10.7.3)"),
    ],
)
def test_a_level_without_its_condition_has_too_little_evidence(
    rows: list[OutcomeRow], regimes: dict[str, DeclaredRegime], given: int, told: str
) -> None:
    result = score(rows, regimes=regimes)
    dimension = rows[0].dimension
    found = level(result, dimension)
    assert (found.value, kinds(found)) == (given, ["Provisional"])
    assert f"without {told}" in flags(found)[0]
    (test,) = [
        v for v in result.verdicts if v.labels.get("level") == str(rows[0].level) and dimension in v.claim
    ]
    assert test.holds is None
    assert test.because.startswith("short")


@pytest.mark.parametrize(
    "declared",
    [
        {"families": {f"m{i}": family("M", conditions=("drift",)) for i in range(3)}},
        {"families": {f"m{i}": family("M", conditions={4: ("drift",)}) for i in range(3)}},
        {
            "regimes": {
                **REGIMES,
                "Moderate": DeclaredRegime(level="moderate", action={"every": 3}, conditions=("drift",)),
            }
        },
    ],
)
def test_a_family_or_a_regime_may_declare_the_condition(declared: dict[str, Any]) -> None:
    found = level(score(both("M", 4, "Moderate"), **{"regimes": RATE_LIMITED, **declared}), "M")
    assert (found.value, found.flags) == (4, ())


def test_what_a_regime_has_does_not_count_where_it_does_not_reach_the_family() -> None:
    rows = both("M", 4, "Moderate")
    fixed = {f"m{i}": family("M", untouched={4: ("drift",)}) for i in range(3)}
    assert level(score(rows, families=fixed), "M").value == 3
    assert level(score(rows), "M").value == 4


def test_instances_without_the_condition_do_not_count_for_the_level() -> None:
    """One static family with perfect outcomes does not lift two that fail under drift."""
    moving = [
        *made("M", 4, 30, 60, families=["a", "b"], regime="Moderate"),
        *made("M", 4, 60, 60, families=["a", "b"]),
    ]
    still = both("M", 4, "Moderate")
    families = {
        "a": family("M"),
        "b": family("M"),
        **{f"m{i}": family("M", untouched=("drift",)) for i in range(3)},
    }
    rows = [*moving, *still]
    result = score([own_content(row) for row in rows], families=families)
    assert verdict(result, "M ≥ 4").holds is False
    assert "30/60" in verdict(result, "M ≥ 4").because
    assert any("60 instances do not count for level 4" in note for note in level(result, "M").notes)


def own_content(row: OutcomeRow) -> OutcomeRow:
    return msgspec.structs.replace(
        row, instance=f"{row.family}-{row.instance}", pair=f"{row.family}-{row.instance}"
    )


def test_five_needs_drift_somewhere_from_four_on() -> None:
    """10.5.2: for M ≥ 4 non-stationarity is included; it need not be in every family of level 5."""
    still = {f"m{i}": family("M", untouched={5: ("drift",)}) for i in range(3)}
    five = made("M", 5, 60, 60, regime="Severe")
    assert level(score(five, families=still), "M").value == 3
    assert level(score([*both("M", 4, "Moderate"), *five], families=still), "M").value == 5


@pytest.mark.parametrize(("of_level", "regime"), [(3, "Baseline"), (4, "Moderate"), (5, "Severe")])
def test_sensing_needs_partial_observability_from_three_on(of_level: int, regime: str) -> None:
    """10.4.2. Undeclared, S is at most 2."""
    shown = {f"s{i}": family("S", conditions=()) for i in range(3)}
    rows = made("S", of_level, 60, 60, regime=regime)
    found = level(score(rows, families=shown), "S")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    assert "variables that only permitted observation actions acquire (10.4.3)" in flags(found)[0]
    assert level(score(rows), "S").value == of_level


@pytest.mark.parametrize(("n", "given"), [(19, 2), (20, 4)])
def test_what_level_three_includes_counts_for_the_levels_above(n: int, given: int) -> None:
    rows = [
        *made("S", 4, 60, 60, regime="Moderate"),
        *made("S", 3, n, n, families=["a", "b"]),
    ]
    shown = {f"s{i}": family("S", conditions=()) for i in range(3)}
    found = level(score(rows, families={**shown, "a": family("S"), "b": family("S")}), "S")
    assert found.value == given


@pytest.mark.parametrize(("of_level", "regime"), [(4, "Moderate"), (5, "Severe")])
def test_decision_needs_stability_checks_from_four_on(of_level: int, regime: str) -> None:
    """10.6.2. Undeclared, D is at most 3; where level 4 has enough checks, level 5 need not have any."""
    shown = {f"d{i}": family("D", conditions=()) for i in range(3)}
    rows = made("D", of_level, 60, 60, regime=regime)
    found = level(score(rows, families=shown), "D")
    assert (found.value, kinds(found)) == (3, ["Provisional"])
    assert "stability checks of equivalent states in another order (10.6.3)" in flags(found)[0]
    checked = made("D", 4, 20, 20, families=["a", "b"], regime="Moderate", start=100)
    declared = {**shown, "a": family("D"), "b": family("D")}
    assert level(score([*rows, *checked], families=declared), "D").value == of_level


def test_shipped_families_include_what_the_text_asks_for() -> None:
    """A default study has enough of them: families of S 3 and D 4 all declare it."""
    for name, of_level, condition in (("S", 3, "partial_observability"), ("D", 4, "stability_checks")):
        own = [one for one in all_families().values() if one.dimension == name and of_level in one.levels]
        assert len(own) >= 2
        assert all(condition in family_material(one.name)["conditions"][str(of_level)] for one in own)


def test_severe_information_scarcity_is_severe() -> None:
    """S 5 under a severe regime whose information axis is moderate only."""
    mild = DeclaredRegime(
        level="severe", information={"noise_rate": 0.2}, action={"cap_factor": 1.2}, compute={"seconds": 10}
    )
    rows = both("S", 5, "Severe")
    assert level(score(rows, regimes={**REGIMES, "Severe": mild}), "S").value == 4
    assert level(score(rows), "S").value == 5
