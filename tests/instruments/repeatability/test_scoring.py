"""What the outputs amount to: thresholds decided exactly, intervals, scopes, flags, order."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest
from scipy import stats

from assay.canonical import encode
from assay.instruments.repeatability.cells.cell import Cell, sorted_cells
from assay.instruments.repeatability.cells.evidence import settings_of as settings
from assay.instruments.repeatability.options import RepeatabilityOptions
from assay.instruments.repeatability.programs.ladder import RUNGS
from assay.instruments.repeatability.scoring import Settings, score_cells
from assay.vocabulary import Measure, Result

from .making import anchors_of, cell_of, measure, score

CANON = "abcdefghijklmnopqrstuvwxyz0123"  # thirty characters


def edited(edits: int) -> str:
    """The canon with that many characters replaced."""
    return "#" * edits + CANON[edits:]


def within(tau: float, *texts: str) -> float | None:
    result = score(cell_of(*texts), settings=settings(RepeatabilityOptions(tau=tau), 0.1))
    return measure(result, "P_tau_pre", "text").value


# tau


@pytest.mark.parametrize(
    ("tau", "edits"), [(0.1, 3), (0.2, 6), (0.3, 9), (0.6, 18), (0.7, 21), (0.9, 27), (1.0, 30), (0.0, 0)]
)
def test_a_distance_of_exactly_tau_is_within_it(tau: float, edits: int) -> None:
    assert within(tau, CANON, edited(edits)) == 1.0
    if edits < 30:
        assert within(tau, CANON, edited(edits + 1)) == 0.5


def test_no_decimal_tau_is_missed_by_a_rounding_of_its_binary_form() -> None:
    """k/n equals the decimal, but (k - 1)/n + 1/n, 1 - (n - k)/n and the like would not in floats."""
    for k, n in itertools.product(range(1, 20), (20, 40)):
        text = "".join(chr(0x100 + i) for i in range(n))
        near = "#" * k + text[k:]
        assert within(float(f"{k / n:.4g}"), text, near) == 1.0, (k, n)


def test_tau_is_the_decimal_that_was_written() -> None:
    assert settings(RepeatabilityOptions(tau=0.1), 0.1).tau == Fraction(1, 10)
    assert settings(RepeatabilityOptions(tau=0.15), 0.3).excluded_share == Fraction(3, 10)
    assert Fraction(0.1) != Fraction(1, 10)  # which is what a float would have given


def test_tau_just_below_a_distance_leaves_it_out() -> None:
    assert within(0.0999999999, CANON, edited(3)) == 0.5


def test_the_label_says_which_tau() -> None:
    result = score(cell_of(CANON), settings=Settings(tau=Fraction(1, 4)))
    assert measure(result, "P_tau_pre", "ast").labels["tau"] == 0.25
    nothing = score(cell_of((CANON, "wrong")), settings=Settings(tau=Fraction(1, 4)))
    assert measure(nothing, "P_tau_pre", "ast").labels["tau"] == 0.25


# Intervals


def clopper_pearson(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    found = stats.binomtest(k, n).proportion_ci(confidence, method="exact")
    return float(found.low), float(found.high)


def test_the_share_counts_the_canon_and_the_interval_only_what_came_after_it() -> None:
    wrong = ("x", "wrong")
    cell = cell_of(wrong, wrong, CANON, CANON, edited(2), edited(9), CANON, CANON)
    result = score(cell)
    same, near = measure(result, "R_anchor_pre", "text"), measure(result, "P_tau_pre", "text")
    assert (same.value, same.n) == (0.5, 8)  # 4 of 8
    assert (same.low, same.high) == pytest.approx(clopper_pearson(3, 5), abs=1e-11)
    # by hand: P(Bin(5, low) >= 3) = .025 and P(Bin(5, high) <= 3) = .025
    assert same.low is not None
    assert same.high is not None
    p, q = same.low, 1 - same.high
    assert 10 * p**3 * (1 - p) ** 2 + 5 * p**4 * (1 - p) + p**5 == pytest.approx(0.025, abs=1e-9)
    assert 1 - (1 - q) ** 5 - 5 * q * (1 - q) ** 4 == pytest.approx(0.025, abs=1e-9)
    assert near.value == 0.625
    assert (near.low, near.high) == pytest.approx(clopper_pearson(4, 5), abs=1e-11)
    assert same.method == "clopper-pearson; interval from 5 outputs after the canon"
    assert (
        measure(result, "mu_pre", "text").method == "betting-hedged; interval from 5 outputs after the canon"
    )


def test_a_canon_that_comes_last_leaves_nothing_to_make_an_interval_of() -> None:
    found = measure(score(cell_of(("x", "wrong"), CANON)), "R_anchor_pre", "text")
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)
    assert found.method == "clopper-pearson; interval from 0 outputs after the canon"


def test_a_canon_from_elsewhere_leaves_all_outputs_for_the_interval() -> None:
    cells = [cell_of(CANON, temperature=0.0), cell_of(CANON, CANON, edited(30), temperature=1.0)]
    found = measure(
        score(*cells, settings=Settings(scope="subject")), "R_anchor_pre", "text", temperature=1.0
    )
    assert found.value == pytest.approx(2 / 3)
    assert (found.low, found.high) == pytest.approx(clopper_pearson(2, 3), abs=1e-11)
    assert found.method == "clopper-pearson; interval from all outputs; the canon is not one of them"


def test_the_pass_rate_is_clopper_pearson_over_all_outputs() -> None:
    cell = cell_of(CANON, ("x", "wrong"), ("y", "timeout"), CANON)
    found = measure(score(cell, settings=Settings(confidence=0.9)), "pass_rate")
    assert (found.value, found.confidence, found.method) == (0.5, 0.9, "clopper-pearson")
    assert (found.low, found.high) == pytest.approx(clopper_pearson(2, 4, 0.9), abs=1e-11)


def test_the_interval_of_a_modal_share_allows_for_the_mode_being_picked() -> None:
    found = measure(score(cell_of(*[CANON] * 20)), "R_raw")
    assert found.method == "modal"
    # k = n: (alpha/2) ** (1 / (n - 1)); the binomial interval would have the exponent 1/n
    assert found.low == pytest.approx(0.025 ** (1 / 19), abs=1e-11)


# Scopes


def _three() -> list[Cell]:
    return [
        cell_of(("x", "wrong"), CANON, subject="a", temperature=0.0),
        cell_of(edited(3), CANON, subject="a", temperature=1.0),
        cell_of(edited(6), subject="b", temperature=0.0),
    ]


def _indices(result: Result) -> list[float | None]:
    return [m.value for m in result.measures if m.name == "canon_index"]


def _anchored(result: Result) -> list[float | None]:
    return [m.value for m in result.measures if m.name == "R_anchor_pre" and m.labels["level"] == "text"]


def test_by_default_every_cell_has_its_own_canon() -> None:
    result = score(*_three())
    assert _indices(result) == [1, 0, 0]
    assert _anchored(result) == [0.5, 0.5, 1.0]
    assert len({m.labels["canon"] for m in result.measures if m.name == "canon_index"}) == 3


def test_scope_subject_shares_a_canon_between_the_conditions_of_one_subject() -> None:
    result = score(*_three(), settings=Settings(scope="subject"))
    assert _indices(result) == [1, None, 0]
    assert _anchored(result) == [0.5, 0.5, 1.0]
    assert measure(result, "canon_index", temperature=1.0).notes == ("the canon comes from another cell",)


def test_scope_contract_shares_a_canon_between_all_and_says_so() -> None:
    result = score(*_three(), settings=Settings(scope="contract"))
    assert _indices(result) == [1, None, None]
    assert _anchored(result) == [0.5, 0.5, 0.0]
    assert measure(result, "canon_index", subject="b").notes == ("the canon comes from another cell",)


def test_a_shared_canon_never_crosses_contracts() -> None:
    cells = [cell_of(CANON, contract="c"), cell_of(("x", "wrong"), contract="d")]
    assert _anchored(score(*cells, settings=Settings(scope="contract"))) == [1.0, None]


def test_an_empty_cell_with_a_canon_from_elsewhere_has_no_value() -> None:
    cells = [cell_of(CANON, temperature=0.0), cell_of(temperature=1.0)]
    found = measure(score(*cells, settings=Settings(scope="subject")), "mu_pre", "text", temperature=1.0)
    assert (found.value, found.spec_value, found.notes) == (None, 1.0, ("no outputs",))


# Order


def _many() -> list[Cell]:
    temperatures = (None, 0.0, 0.5)
    return [
        cell_of(CANON, edited(place), subject=model, temperature=temperature, contract=contract)
        for place, (contract, model, temperature) in enumerate(
            itertools.product(("c", "d"), ("m", "n"), temperatures)
        )
    ]


@pytest.mark.slow
def test_the_order_in_which_cells_arrive_changes_no_byte() -> None:
    """A missing temperature and a temperature of zero used to stand in the order of their arrival."""
    results = set()
    for seed in range(6):
        cells = _many()
        random.Random(seed).shuffle(cells)
        for scope in ("cell", "subject", "contract"):
            chosen, ordered = Settings(scope=scope), sorted_cells(cells)
            found = score_cells(ordered, anchors_of(ordered, chosen), chosen, source="rows", version="1")
            results.add((scope, encode(found)))
    assert len(results) == 3


def test_cells_stand_by_contract_model_and_temperature_the_unknown_one_first() -> None:
    keys = [cell.key for cell in sorted_cells(reversed(_many()))]
    assert [(k.contract, k.subject, k.temperature) for k in keys] == list(
        itertools.product(("c", "d"), ("m", "n"), (None, 0.0, 0.5))
    )


# Flags and schema


@pytest.mark.parametrize(
    ("n", "planned", "kind"),
    [
        (20, 20, None),
        (19, 20, "Provisional"),
        (18, 20, "Provisional"),
        (17, 20, "Invalid"),
        (0, 5, "Invalid"),
    ],
)
def test_exclusions_make_a_cell_provisional_and_beyond_the_declared_share_invalid(
    n: int, planned: int, kind: str | None
) -> None:
    result = score(cell_of(*[CANON] * n, planned=planned))
    kinds = {tuple(flag.kind for flag in m.flags) for m in result.measures}
    assert kinds == {() if kind is None else (kind,)}


def test_exactly_the_declared_share_is_still_within_it() -> None:
    """7 of 10 lost is .7, although 1 - .3 and 3/10 in floats are not."""
    for lost in range(1, 10):
        share = settings(RepeatabilityOptions(), lost / 10).excluded_share
        cell = cell_of(*[CANON] * (10 - lost), planned=10)
        found = measure(score(cell, settings=Settings(excluded_share=share)), "R_raw")
        assert [str(f) for f in found.flags] == [f"Provisional ({lost} of 10 outputs excluded)"]
        worse = cell_of(*[CANON] * (9 - lost), planned=10)
        found = measure(score(worse, settings=Settings(excluded_share=share)), "R_raw")
        assert [str(f) for f in found.flags] == [
            f"Invalid ({lost + 1} of 10 outputs excluded, more than the declared share)"
        ]


def _names(result: Result) -> list[tuple[str, str | float | None]]:
    return [(m.name, m.labels.get("level")) for m in result.measures]


def test_every_cell_reports_the_same_measures_whatever_it_holds() -> None:
    spread = ["R", "pairwise_agreement", "entropy", "distinct", "unseen", "novelty"]
    expected: list[tuple[str, str | float | None]] = [
        ("R_raw", None),
        ("R_ast", None),
        ("pass_rate", None),
        *((name, None) for _ in RUNGS for name in spread),
        ("pairwise_distance", "ast"),
        ("canon_index", None),
    ]
    before = ["R_anchor_pre", "mu_pre", "P_tau_pre"]
    after = ["R_anchor", "rescue_rate", "mu_post", "P_tau_post"]
    after += ["delta_R_anchor", "delta_R_anchor_observed", "delta_mu", "delta_P_tau"]
    bare = expected + [(name, level) for level in ("text", "ast") for name in before]
    full = expected + [(name, level) for level in ("text", "ast") for name in before + after]
    for cell in (cell_of(CANON), cell_of((CANON, "wrong")), cell_of()):
        assert _names(score(cell)) == bare
        assert _names(score(cell, settings=Settings(repair=True))) == full


def test_a_ledger_also_reports_how_often_the_whole_reply_repeats() -> None:
    cell = cell_of(CANON)
    found = score_cells([cell], anchors_of([cell]), Settings(), source="ledger", version="1")
    assert ("R_reply", None) in _names(found)
    assert found.versions["extraction"] == "extract/1"
    assert "extraction" not in score(cell).versions


@pytest.mark.parametrize("cell", [cell_of(CANON, edited(3)), cell_of((CANON, "wrong")), cell_of()])
def test_a_measure_has_units_labels_and_an_n_with_or_without_a_value(cell: Cell) -> None:
    units = {"canon_index": "position", "entropy": "bits", "distinct": "programs", "unseen": "programs"}
    units |= dict.fromkeys(["mu_pre", "mu_post", "delta_mu", "pairwise_distance"], "distance")
    for found in score(cell, settings=Settings(repair=True)).measures:
        assert isinstance(found, Measure)
        assert found.units == units.get(found.name, "share")
        assert found.n == cell.n
        assert {"contract": "c", "subject": "m", "temperature": 0.0}.items() <= found.labels.items()
        assert found.value is not None or found.notes


def test_a_cell_without_a_temperature_has_no_such_label() -> None:
    assert "temperature" not in measure(score(cell_of(CANON, temperature=None)), "R_raw").labels
