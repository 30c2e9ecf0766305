"""Comparisons across a sweep: paired by contract, exact, corrected for each other, never more than is shown."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.cell import Canon, Cell, CellKey, Output
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.measures import comparisons
from assay.instruments.repeatability.measures.comparisons import Compared, compare_cells
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.scoring import find_anchors, score_cells
from assay.vocabulary import Measure, Verdict
from tests.instruments.repeatability.making import canon_of, contract, score

__all__: list[str] = []

REPAIRED = Settings(repair=True)


def cell(contract: str, programs: str, temperature: float | None = 0.0, **more: Any) -> Cell:
    """A letter an output: capitals pass, equal letters are equal programs."""
    planned, language = more.pop("planned", None), more.pop("language", "python")
    key = CellKey(**{"contract": contract, "subject": "m", "temperature": temperature, **more})
    outputs = [
        Output(i, f"x = {letter.lower()!r}\n", "pass" if letter.isupper() else "wrong", 0, 1)
        for i, letter in enumerate(programs)
    ]
    return Cell(key, outputs, planned=planned, kind=programs_in(language))


def compared(
    cells: Sequence[Cell],
    subjects: Sequence[str] = ("m",),
    settings: Settings | None = None,
    declared: dict[str, Canon] | None = None,
) -> Compared:
    """Measures are worked out where they matter: with settings, for what only they tell."""
    measures = score(*cells, settings=settings, declared=declared).measures if settings else ()
    return compare_cells(cells, measures, 0.95, subjects)


def one(found: Compared, of: str, **labels: Any) -> tuple[Measure, Verdict]:
    (pair,) = [
        (m, v)
        for m, v in zip(found.measures, found.verdicts, strict=True)
        if {"of": of, **labels}.items() <= m.labels.items()
    ]
    return pair


def swept(before: Sequence[str], after: Sequence[str], temperature: float = 0.7) -> list[Cell]:
    first = [cell(f"c{i:02}", programs) for i, programs in enumerate(before)]
    return first + [cell(f"c{i:02}", programs, temperature) for i, programs in enumerate(after)]


def test_a_difference_is_the_mean_over_contracts() -> None:
    found = compared(swept(["AAAA", "AAAa"], ["AAaa", "AAAA"]))
    measure, verdict = one(found, "pass_rate")
    # (2/4 - 4/4 + 4/4 - 3/4) / 2; every flip of -2 and +1 has a sum of 1 or 3, none nearer to 0 than -1
    assert (measure.value, measure.n, measure.units) == (-0.125, 2, "difference")
    assert measure.labels == {
        "of": "pass_rate",
        "axis": "temperature",
        "from": 0.0,
        "to": 0.7,
        "subject": "m",
    }
    assert measure.low is not None
    assert measure.high is not None
    assert -1 <= measure.low <= -0.125 <= measure.high <= 1
    assert verdict.claim == "pass_rate differs between temperature 0 and 0.7 for m"
    assert verdict.holds is None
    assert "p = 1, 1 after Holm; 2 contracts: too few, no p below 0.5 is possible" in verdict.because


def test_agreement_is_the_share_of_pairs_at_four_rungs() -> None:
    found = compared(swept(["AABB"], ["AAAA"]))
    # 2 of 6 pairs, then 6 of 6
    for rung in ("bytes", "ast", "names", "behaviour"):
        assert one(found, "pairwise_agreement", rung=rung)[0].value == pytest.approx(2 / 3, abs=1e-12)
    assert one(found, "pairwise_agreement", rung="ast")[1].claim == (
        "pairwise_agreement (ast) differs between temperature 0 and 0.7 for m"
    )
    assert len(found.measures) == 5


def test_the_size_of_a_cell_makes_no_difference_in_expectation() -> None:
    """Unlike the modal share: of all draws of 2 and of 4 from two equally likely programs the means are equal."""

    def mean(n: int) -> Fraction:
        draws = ["".join(letters) for letters in itertools.product("AB", repeat=n)]
        values = [comparisons._agreement(cell("c", draw), rung="ast") for draw in draws]
        return sum((Fraction(v) for v in values), Fraction(0)) / len(draws)

    assert mean(2) == mean(4) == Fraction(1, 2)


def listed(differences: Sequence[Fraction]) -> float:
    """The p-value by listing every flip."""
    flips = list(itertools.product((1, -1), repeat=len(differences)))
    sums = [abs(sum((s * d for s, d in zip(flip, differences, strict=True)), Fraction(0))) for flip in flips]
    hits = sum(far >= sums[0] for far in sums)  # the first flips nothing
    return hits / len(flips)


@given(st.lists(st.fractions(-1, 1, max_denominator=12), min_size=1, max_size=8))
def test_p_is_that_of_all_flips_listed_one_by_one(differences: list[Fraction]) -> None:
    assert comparisons._sign_flips(differences, "k").p == listed(differences)


def test_p_is_exact_for_many_contracts() -> None:
    # 30 equal differences: only all plus and all minus are as far out
    found = comparisons._sign_flips([Fraction(1, 380)] * 30, "k")
    assert found.p == found.floor == 2 / 2**30
    # 28 of 30 in one direction: the binomial tail
    mixed = [Fraction(1, 7)] * 28 + [Fraction(-1, 7)] * 2
    assert comparisons._sign_flips(mixed, "k").p == 2 * sum(math.comb(30, k) for k in range(3)) / 2**30


def test_beyond_the_sums_that_can_be_counted_flips_are_listed_or_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = [Fraction(k, 97) for k in (5, -3, 8, 13, -1, 21, 2, 7)]
    many = [Fraction((-1) ** (k % 4 == 0) * k, 97) for k in range(1, 25)]
    exact = comparisons._sign_flips(many, "k")
    assert exact.p is not None
    monkeypatch.setattr(comparisons, "MOST_SUMS", 0)
    assert comparisons._sign_flips(some, "k").p == listed(some)
    drawn = comparisons._sign_flips(many, "k")
    assert drawn.method == "sign-flip permutation over contracts (9,999 seeded flips)"
    assert drawn.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / 9999))
    assert drawn.floor == 1 / 10_000


def test_pairing_shows_what_two_separate_groups_hide() -> None:
    """Contracts differ by far more than the temperature does; each loses one output in ten."""
    before = ["A" * k + "a" * (10 - k) for k in range(2, 11)]
    after = ["A" * (k - 1) + "a" * (11 - k) for k in range(2, 11)]
    measure, verdict = one(compared(swept(before, after)), "pass_rate")
    assert measure.value == -0.1
    assert verdict.holds is True
    assert "p = 0.00391, 0.0195 after Holm" in verdict.because  # 2 / 2^9, five comparisons
    # the same numbers unpaired: how often a split of all 18 into two nines is as far apart
    values = np.array([*range(2, 11), *range(1, 10)])
    sums = np.array([values[list(half)].sum() for half in itertools.combinations(range(18), 9)])
    assert (np.abs(2 * sums - values.sum()) >= 9).mean() > 0.4


def test_holm_goes_over_every_comparison_of_the_call() -> None:
    before, after = ["AAAA"] * 8, ["aaaa"] * 8
    verdict = one(compared(swept(before, after)), "pass_rate")[1]
    assert verdict.rule == "exact sign-flip permutation over contracts, Holm over 5 comparisons at .05"
    assert verdict.holds is True  # 5 * 2 / 2^8 = .039
    more = compared([*swept(before, after), *swept([], before, 1.0)])
    pairs = [one(more, "pass_rate", to=to)[1] for to in (0.7, 1.0)]
    assert pairs[0].rule.endswith("Holm over 10 comparisons at .05")
    assert [v.holds for v in pairs] == [None, None]  # 10 * 2 / 2^8 = .078
    assert "8 contracts: no p below 0.00781 is possible, before Holm" in pairs[0].because


def test_with_five_contracts_no_difference_can_be_shown_and_it_says_so() -> None:
    verdict = one(compared(swept(["AAAA"] * 5, ["aaaa"] * 5)), "pass_rate")[1]
    assert verdict.holds is None
    assert verdict.because == (
        "mean difference -1.000 (0.95 interval -1.000 to "
        + verdict.because.split(" to ")[1].split(")")[0]
        + "), p = 0.0625, 0.312 after Holm; 5 contracts: too few, no p below 0.0625 is possible"
    )


def test_every_axis_is_compared_with_its_first_value_all_else_equal() -> None:
    cells = [
        cell("c", "AB", t, subject=model, top_p=p, wording=w)
        for model, t, p, w in itertools.product(("new", "old"), (0.0, 0.5, 1.0), (0.5, 0.9), (0, 1))
    ]
    found = compared(cells, subjects=("old", "new"))
    rates = [m.labels for m in found.measures if m.labels["of"] == "pass_rate"]
    axes = [labels["axis"] for labels in rates]
    assert [axes.count(a) for a in ("temperature", "top_p", "wording", "subject")] == [16, 12, 12, 12]
    assert {(r["from"], r["to"]) for r in rates if r["axis"] == "temperature"} == {(0.0, 0.5), (0.0, 1.0)}
    assert {(r["from"], r["to"]) for r in rates if r["axis"] == "subject"} == {("old", "new")}
    assert {(r["from"], r["to"]) for r in rates if r["axis"] == "wording"} == {(0, 1)}
    assert all(len({"subject", "temperature", "top_p", "wording"} & set(r)) == 3 for r in rates)
    assert len({v.claim for v in found.verdicts}) == len(found.verdicts)
    assert "pass_rate differs between subjects old and new at temperature 0, top_p 0.5, wording 1" in {
        v.claim for v in found.verdicts
    }


def test_the_order_in_which_cells_are_given_changes_nothing() -> None:
    cells = swept(["AAB", "ABa", "Aaa"], ["AAA", "aBB", "AbA"])
    shuffled = list(cells)
    random.Random(1).shuffle(shuffled)
    assert compared(cells) == compared(shuffled)


@pytest.mark.parametrize("cells", [[], [cell("c", "AB"), cell("d", "AB")]], ids=["none", "one value"])
def test_without_a_sweep_there_is_nothing_to_compare(cells: list[Cell]) -> None:
    assert compared(cells) == ([], [])


def test_a_temperature_that_nobody_stated_is_compared_with_none() -> None:
    assert compared([cell("c", "AB", None), cell("c", "AB", 0.7)]) == ([], [])


def test_contracts_without_a_value_on_both_sides_are_left_out_by_name() -> None:
    cells = [*swept(["AA", "AB", "AB", "A"], ["AB", "AB", "", "AB"]), cell("only", "AB")]
    found = compared(cells)
    assert one(found, "pass_rate")[0].notes == (
        "left out (no outputs): c02",
        "left out (not asked on both sides): only",
        "exact for equal numbers of outputs only; they differ in c03",
    )
    agreement = one(found, "pairwise_agreement", rung="ast")[0]
    assert agreement.n == 2
    assert "left out (a pair needs two outputs): c02, c03" in agreement.notes


def test_a_program_in_another_language_is_compared_where_it_can_be() -> None:
    other = [cell("js", "AABB", t, language="javascript") for t in (0.0, 0.7)]
    found = compared([*swept(["AABB"], ["AAAA"]), *other])
    assert one(found, "pairwise_agreement", rung="bytes")[0].n == 2
    ast = one(found, "pairwise_agreement", rung="ast")[0]
    assert (ast.n, ast.notes) == (1, ("left out (not in Python, so not read as a program): js",))


def test_where_no_contract_is_left_there_is_no_value_and_no_test() -> None:
    found = compared(swept(["A"], ["A"]))
    measure, verdict = one(found, "pairwise_agreement", rung="ast")
    assert (measure.value, measure.low, measure.high, measure.n) == (None, None, None, 0)
    assert (verdict.holds, verdict.because) == (None, "no contract has a value on both sides")
    assert verdict.rule.endswith("Holm over 1 comparisons at .05")  # the pass rate


def test_lost_outputs_flag_a_comparison_and_too_many_of_them_leave_a_contract_out() -> None:
    cells = [cell("a", "A" * 19, planned=20), cell("b", "A" * 10, planned=20)]
    found = compared([*cells, cell("a", "A" * 20, 0.7), cell("b", "A" * 20, 0.7)], settings=Settings())
    measure = one(found, "pass_rate")[0]
    assert [str(flag) for flag in measure.flags] == ["Provisional (1 of 2 cells are)"]
    assert measure.notes[0] == "left out (Invalid: too many outputs were excluded): b"


def test_r_anchor_is_compared_between_cells_with_canons_of_their_own() -> None:
    measure, verdict = one(compared(swept(["AAAB"], ["ABBB"]), settings=REPAIRED), "R_anchor", level="ast")
    assert (measure.value, measure.n) == (-0.5, 1)
    assert verdict.claim.startswith("R_anchor (ast) differs")


def test_r_anchor_is_not_compared_with_the_cell_that_gave_the_canon() -> None:
    """It is nearer to its own first program than its equal could be: .25 here, in expectation, for nothing."""
    shared = msgspec.structs.replace(REPAIRED, scope="subject")
    measure = one(compared(swept(["ABCD"], ["EFGH"]), settings=shared), "R_anchor")[0]
    assert (measure.value, measure.n) == (None, 0)
    assert measure.notes == (
        "no contract has a value on both sides",
        "left out (one of the two cells, or both, is held against a canon that another cell gave): c00",
    )


def test_r_anchor_against_a_declared_canon_is_compared() -> None:
    canon = canon_of("x = 'a'\n", contract(id="c00").snapshot, "c00")
    found = compared(swept(["AABB"], ["ABBB"]), settings=REPAIRED, declared={"c00": canon})
    assert one(found, "R_anchor")[0].value == -0.25


def test_r_anchor_is_not_compared_between_a_declared_canon_and_another_cells() -> None:
    """The warm cell has no declared canon, so it takes the cold one's first program: its distance is to that."""
    canon = canon_of("x = 'z'\n", contract(id="c00").snapshot, "c00")
    shared = msgspec.structs.replace(REPAIRED, scope="contract")
    cells = swept(["AAAA"], ["AAAA"])
    contracts = {"c00": contract(id="c00")}
    older = {cells[0].key: canon}
    anchors = find_anchors(cells, contracts, shared, older.get)
    assert [anchor.source for anchor in anchors] == ["declared", "another cell"]
    result = score_cells(cells, anchors, shared, source="rows", version="1")
    (difference,) = [m for m in result.measures if m.labels.get("of") == "R_anchor"]
    assert (difference.value, difference.n) == (None, 0)


def test_without_repair_there_is_no_r_anchor_to_compare() -> None:
    found = compared(swept(["AB"], ["AA"]), settings=Settings())
    assert not [m for m in found.measures if m.labels["of"] == "R_anchor"]


@given(st.lists(st.tuples(st.text("ABab", max_size=4), st.text("ABab", max_size=4)), min_size=1, max_size=8))
def test_a_difference_is_shown_or_not_established_and_lies_in_its_interval(
    pairs: list[tuple[str, str]],
) -> None:
    found = compared(swept([one for one, _ in pairs], [two for _, two in pairs]))
    assert all(verdict.holds in (True, None) for verdict in found.verdicts)
    for measure in found.measures:
        if measure.value is not None:
            assert measure.low is not None
            assert measure.high is not None
            assert measure.low <= measure.value <= measure.high


def false_alarms(runs: int, contracts: int, outputs: int) -> int:
    """Runs in which any of the five comparisons of two equal temperatures is said to differ."""
    rng = np.random.default_rng(20240229)
    alarms = 0
    for _ in range(runs):
        cells = []
        for number, weight in enumerate(rng.random(contracts)):
            for temperature in (0.0, 0.7):
                letters = rng.choice(list("ABab"), outputs, p=[weight, *[(1 - weight) / 3] * 3])
                cells.append(cell(f"c{number}", "".join(letters), temperature))
        alarms += any(verdict.holds for verdict in compare_cells(cells, (), 0.95, ("m",)).verdicts)
    return alarms


@pytest.mark.slow
def test_equal_settings_are_said_to_differ_no_oftener_than_declared() -> None:
    # 100 runs at .05: twelve or more would come once in 250 times
    assert false_alarms(100, 9, 4) < 12


@pytest.mark.proof
def test_equal_settings_are_said_to_differ_no_oftener_than_declared_at_length() -> None:
    runs = 1500
    assert false_alarms(runs, 25, 10) / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
