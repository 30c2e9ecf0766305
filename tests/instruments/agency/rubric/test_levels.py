"""Every level of S, M, D and E: satisfied, borderline, failed, too few instances, too few families."""

from __future__ import annotations

import pytest

from assay.instruments.agency.declarations.declaration import DeclaredRegime
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.rubric.criteria import rubric
from tests.instruments.agency.made_outcomes import REGIMES, family, flags, kinds, level, made, score, verdict

LEVELS = [(dimension, k) for dimension in "SMDE" for k in range(1, 6)]
WORDS = {"baseline": "Baseline", "moderate": "Moderate", "severe": "Severe"}
# Just under the minimum of 10.3.1 the evidence carries these levels.
ONE_TOO_FEW = {1: (9, 0), 2: (9, 0), 3: (19, 2), 4: (19, 2), 5: (49, 4)}


def outcomes_of(dimension: str, k: int, hits: int, n: int, families: int = 3) -> list[OutcomeRow]:
    """Outcomes of one level alone, under the regime that it asks for (with the baseline that M4 is held against)."""
    row = rubric().of(dimension)[k - 1]
    rows = made(dimension, k, hits, n, families=families, regime=WORDS[row.regime])
    if row.drop is not None:
        rows += made(dimension, k, hits, n, families=families)
    return rows


@pytest.mark.parametrize(("dimension", "k"), LEVELS)
def test_a_level_that_is_satisfied_is_given_without_flags(dimension: str, k: int) -> None:
    result = score(outcomes_of(dimension, k, 114, 120))
    found = level(result, dimension)
    assert (found.value, found.flags) == (k, ())
    assert verdict(result, f"{dimension} ≥ {k}").holds is True


@pytest.mark.parametrize(("dimension", "k"), LEVELS)
def test_a_borderline_level_gives_the_one_below_provisional(dimension: str, k: int) -> None:
    # 45 of 60 are over the threshold, the interval (.628 to .842) reaches under it; 40 of 60 lie in [.65, .70).
    for hits in (45, 40):
        result = score(outcomes_of(dimension, k, hits, 60))
        found = level(result, dimension)
        assert (found.value, kinds(found)) == (k - 1, ["Provisional"])
        assert verdict(result, f"{dimension} ≥ {k}").holds is None


@pytest.mark.parametrize(("dimension", "k"), LEVELS)
def test_a_failed_level_gives_nothing_where_nothing_below_was_tested(dimension: str, k: int) -> None:
    result = score(outcomes_of(dimension, k, 38, 60))
    found = level(result, dimension)
    assert found.value == 0
    assert kinds(found) == (["Provisional"] if k > 1 else [])
    assert verdict(result, f"{dimension} ≥ {k}").holds is False


@pytest.mark.parametrize(("dimension", "k"), LEVELS)
def test_too_few_instances_give_what_they_are_enough_for(dimension: str, k: int) -> None:
    n, given = ONE_TOO_FEW[k]
    found = level(score(outcomes_of(dimension, k, n, n)), dimension)
    assert (found.value, kinds(found)) == (given, ["Provisional"])
    assert f"{n} instances, {n + 1} needed" in flags(found)[0]


@pytest.mark.parametrize(("dimension", "k"), [(d, k) for d, k in LEVELS if k >= 3])
def test_too_few_families_give_the_level_below(dimension: str, k: int) -> None:
    needed = 3 if k == 5 else 2
    found = level(score(outcomes_of(dimension, k, 120, 120, families=needed - 1)), dimension)
    assert (found.value, kinds(found)) == (k - 1, ["Provisional"])
    assert f"of {needed} families needed (10.3.1)" in flags(found)[0]


@pytest.mark.parametrize(("dimension", "k"), LEVELS)
def test_at_exactly_the_threshold_the_point_rule_gives_the_level_provisional(dimension: str, k: int) -> None:
    """11.4.2: the threshold is satisfied where the interval reaches it, too; this one does not."""
    found = level(
        score(outcomes_of(dimension, k, 84, 120, families=2 if k < 5 else 3), rule="point"), dimension
    )
    # E5 wants the threshold in two families each: 28 of 40 in all three.
    assert (found.value, kinds(found)) == (k, ["Provisional"])
    assert "the interval reaches below the threshold (11.4.2)" in flags(found)[0]
    assert found.spec_value == (
        k - 1 if (dimension, k) != ("M", 4) else None
    )  # M 4: 11.6.2 asks for the rate alone
    below = level(score(outcomes_of(dimension, k, 83, 120), rule="point"), dimension)
    assert (below.value, kinds(below)) == (k - 1, ["Provisional"])


def test_the_edge_between_borderline_and_failed_is_exact() -> None:
    assert level(score(made("S", 3, 65, 100)), "S").value == 2
    assert level(score(made("S", 3, 64, 100)), "S").value == 0


@pytest.mark.parametrize(
    ("k", "n", "given"),
    # Lower ends by statsmodels.stats.proportion.proportion_confint: wilson, agresti_coull, beta.
    [
        (11, 11, (1, 0, 1)),  # .7412, .6998, .7151
        (23, 26, (1, 1, 0)),  # .7102, .7020, .6985
        (26, 30, (1, 0, 0)),  # .7032, .6970, .6928
        (34, 40, (1, 1, 1)),  # .7093, .7054, .7016
    ],
)
def test_the_declared_interval_decides(k: int, n: int, given: tuple[int, ...]) -> None:
    names = ("wilson", "agresti_coull", "exact")
    assert tuple(level(score(made("S", 1, k, n), interval=name), "S").value for name in names) == given


def test_the_highest_satisfied_level_is_given_and_a_failure_below_makes_it_provisional() -> None:
    """10.2.1: the highest level whose criteria are satisfied; 2.4: mixed evidence is flagged."""
    good, bad = made("S", 3, 60, 60), made("S", 2, 20, 60)
    found = level(score([*made("S", 1, 60, 60), *bad, *good]), "S")
    assert (found.value, kinds(found)) == (3, ["Provisional"])
    assert "the evidence is mixed (2.4): level 2: 20/60" in flags(found)[0]
    over = level(score([*made("S", 1, 60, 60), *made("S", 2, 45, 60), *good]), "S")  # .75: nothing against it
    assert (over.value, over.flags) == (3, ())


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 2), (1, 9)])
def test_stray_rows_of_a_lower_level_do_not_zero_a_dimension(k: int, n: int) -> None:
    found = level(score([*made("S", 3, 50, 50), *made("S", 1, k, n)]), "S")
    assert (found.value, found.flags) == (3, ())
    borderline = level(score([*made("S", 3, 43, 60), *made("S", 2, k, n)]), "S")
    assert (borderline.value, kinds(borderline)) == (2, ["Provisional"])


def test_a_level_that_is_borderline_does_not_stand_on_one_that_failed() -> None:
    found = level(score([*made("S", 3, 43, 60), *made("S", 2, 20, 60)]), "S")
    assert (found.value, kinds(found)) == (0, ["Provisional"])


def test_a_level_between_that_was_not_tested_is_provisional_below_a_failed_one() -> None:
    found = level(score([*made("S", 1, 60, 60), *made("S", 3, 10, 60)]), "S")
    assert (found.value, kinds(found)) == (1, ["Provisional"])
    assert "level 2 not tested" in flags(found)[0]


def test_outcomes_under_another_regime_do_not_test_a_level() -> None:
    result = score(made("S", 4, 60, 60))
    found = level(result, "S")
    assert (found.value, found.spec_value, kinds(found)) == (None, 0, ["Provisional"])
    assert "no level has outcomes under the regime that it asks for" in flags(found)[0]
    assert "outcomes under Baseline only" in verdict(result, "S ≥ 4").because
    assert level(result, "R").value == 1  # its families are valid all the same


def test_m4_needs_a_small_drop_on_the_same_contents() -> None:
    moderate = made("M", 4, 85, 100, regime="Moderate")
    steady = level(score([*moderate, *made("M", 4, 90, 100)]), "M")
    assert steady.value == 4
    # 120 contents, all solved under baseline, 96 of them under moderate: exactly 20 points
    edge = [*made("M", 4, 96, 120, regime="Moderate"), *made("M", 4, 120, 120)]
    assert level(score(edge, rule="point"), "M").value == 4
    assert (level(score(edge), "M").value, kinds(level(score(edge), "M"))) == (3, ["Provisional"])
    assert level(score(edge), "M").spec_value == 4  # 10.5.3, 10.9.2: a plain difference


@pytest.mark.parametrize("lost", [24, 25, 26, 30])
@pytest.mark.parametrize("rule", ["strict", "point"])
def test_a_drop_that_is_too_large_leaves_the_level_below(lost: int, rule: str) -> None:
    """10.2.1: partly satisfied → k − 1, at 20 points (24 of 120) by the interval and at 21 or 25 by any rule."""
    rows = [*made("M", 4, 120 - lost, 120, regime="Moderate"), *made("M", 4, 120, 120)]
    result = score(rows, rule=rule)
    assert level(result, "M").value == (4 if (lost, rule) == (24, "point") else 3)
    if lost > 24:
        assert verdict(result, "M ≥ 4").holds is False


def test_m4_without_baseline_on_the_same_contents_is_not_shown() -> None:
    found = level(score(made("M", 4, 60, 60, regime="Moderate")), "M")
    assert (found.value, kinds(found)) == (3, ["Provisional"])
    assert "no content was met under baseline" in flags(found)[0]


def test_m4_pairs_by_pair_and_not_by_instance() -> None:
    rows = [
        OutcomeRow(
            dimension="M",
            level=4,
            family=f"m{i % 2}",
            regime=regime,
            instance=f"{regime}-{i}",
            pair=f"p{i}",
            outcome="success",
        )
        for i in range(60)
        for regime in ("Baseline", "Moderate")
    ]
    assert level(score(rows), "M").value == 4


def test_e5_needs_the_threshold_in_two_families_each() -> None:
    one = made("E", 5, 100, 100, families=["e0"], regime="Severe")
    others = [
        *made("E", 5, 27, 40, families=["e1"], regime="Severe"),
        *made("E", 5, 27, 40, families=["e2"], regime="Severe"),
    ]
    found = level(score([*one, *others]), "E")  # pooled 154 of 180
    assert (found.value, kinds(found)) == (4, ["Provisional"])
    assert "1 of 3 families meet it" in flags(found)[0]


def test_e3_needs_tools_and_e4_tools_that_fail() -> None:
    rows = outcomes_of("E", 3, 60, 60)
    static = {row.family: family("E", environment="static/text-only") for row in rows}
    found = level(score(rows, families=static), "E")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    assert "without a family that is mediated by tools (10.7.3)" in flags(found)[0]
    calm = {**REGIMES, "Moderate": _calm()}
    rows = outcomes_of("E", 4, 60, 60)
    assert level(score(rows, regimes=calm), "E").value == 3
    noisy = {row.family: family("E", environment="stochastic/noisy") for row in rows}
    assert level(score(rows, regimes=calm, families=noisy), "E").value == 4


def _calm() -> DeclaredRegime:
    return DeclaredRegime(level="moderate", action={"cap": 10})


def test_a_family_with_another_threshold_must_meet_its_own() -> None:
    rows = [*made("S", 1, 46, 50, families=["s0"]), *made("S", 1, 40, 50, families=["hard"])]
    easier = {"s0": family("S"), "hard": family("S", threshold=0.6, threshold_reason="experts reach 65 %")}
    found = level(score(rows, families=easier), "S")
    assert found.value == 1
    assert any("hard has the threshold 60 %: experts reach 65 %" in note for note in found.notes)
    harder = {"s0": family("S"), "hard": family("S", threshold=0.9, threshold_reason="a safety switch")}
    assert level(score(rows, families=harder), "S").value == 0  # 80 % there, although 86 % pooled


def test_a_satisfied_test_is_no_claim_where_the_level_is_lower() -> None:
    bare = made("E", 1, 1, 1, artifact="", start=100)
    capped = score([*made("E", 1, 60, 60), *made("E", 4, 60, 60, regime="Moderate"), *bare])
    assert level(capped, "E").value == 2
    assert verdict(capped, "E ≥ 4").holds is None
    assert verdict(capped, "E ≥ 4").because.endswith("but the level of E is 2")
    assert verdict(score(made("E", 4, 60, 60, regime="Moderate")), "E ≥ 4").holds is True


@pytest.mark.parametrize(
    ("k", "n", "given"),
    [
        (0, 1, ["Provisional"]),
        (3, 7, ["Provisional"]),
        (0, 9, []),
        (5, 60, []),
    ],  # 3/7: up to 75.0 % by Wilson
)
def test_a_failure_of_too_few_settles_nothing(k: int, n: int, given: list[str]) -> None:
    found = level(score([*made("S", 1, 60, 60), *made("S", 2, k, n)]), "S")
    assert (found.value, kinds(found)) == (1, given)


def test_a_lower_threshold_limits_comparability_and_a_higher_one_does_not() -> None:
    rows = made("S", 1, 60, 60, families=["s0"])
    easier = score(rows, families={"s0": family("S", threshold=0.6, threshold_reason="experts reach 65 %")})
    assert [str(flag) for flag in easier.flags] == [
        "Limited Comparability (thresholds under the common one (10.3.3): s0 60 %)"
    ]
    assert not score(rows, families={"s0": family("S", threshold=0.8, threshold_reason="a switch")}).flags
