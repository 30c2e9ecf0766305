"""A regime's constraints are as strong as the intensity that it claims (8.2)."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.contradictions import check_declaration
from assay.instruments.agency.declarations.declaration import DeclaredRegime
from assay.instruments.agency.declarations.intensities import intensity_ranges, wrong_strength
from assay.instruments.agency.options import read_options
from assay.worlds import shipped_regimes
from tests.instruments.agency.made_outcomes import REGIMES, declared, made, score, verdict

WEAK: list[tuple[str, dict[str, dict[str, Any]], str]] = [
    ("moderate", {"information": {"noise_rate": 0.0001}}, "too weak to count as scarce; moderate is noise_rate 0.1"),
    ("moderate", {"information": {"noise_rate": 0.9}}, "is severe; moderate is noise_rate 0.1 to 0.3"),
    ("moderate", {"stability": {"timeouts": 0.02, "lost": 0.03}}, "moderate is failing 0.1 to 0.3"),
    ("moderate", {"action": {"cap_factor": 1.2, "cap_extra": 100}}, "moderate is cap 3 to 1.8"),
    ("severe", {"stability": {"timeouts": 0.3}, "action": {"every": 2}}, "is moderate, and two axes must be severe"),
]  # fmt: skip


@pytest.mark.parametrize(("level", "axes", "told"), WEAK)
def test_a_strength_out_of_its_range_is_refused_with_the_range(
    level: Any, axes: dict[str, Any], told: str
) -> None:
    assert told in wrong_strength(level, axes)
    with pytest.raises(InputError, match=r"regimes\.Own: it claims to be .* \(8\.2\)"):
        check_declaration(declared([], regimes={**REGIMES, "Own": DeclaredRegime(level=level, **axes)}))


def test_a_run_refuses_it_before_anything_is_asked() -> None:
    weak = {"id": "Own", "level": "moderate", "information": {"noise": "words", "noise_rate": 0.0001}}
    with pytest.raises(InputError, match=r"'Own' claims to be moderate, and information .* is too weak"):
        read_options({"regimes": ["Baseline", weak]}, None, ())


def test_the_published_regimes_are_what_they_claim() -> None:
    for regime in shipped_regimes().values():
        assert wrong_strength(regime.level, regime.parameters()) == ""


def test_the_examples_of_8_2_lie_in_their_ranges() -> None:
    by = {(row.axis, row.name): row for row in intensity_ranges()}
    for axis, name, moderate, severe in (
        ("information", "context_share", 0.5, 0.25),
        ("information", "noise_rate", 0.2, 0.4),
        ("stability", "failing", 0.15, 0.3),
    ):
        assert "moderate" in by[axis, name].strengths(moderate)
        assert "severe" in by[axis, name].strengths(severe)
    assert "moderate" in by["action", "every"].strengths(3)


def test_parameters_of_another_harness_are_said_to_be_unchecked() -> None:
    free = {**REGIMES, "Moderate": DeclaredRegime(level="moderate", action={"retries": 2})}
    result = score(made("S", 1, 20, 20, regime="Moderate") + made("S", 1, 20, 20), regimes=free)
    told = verdict(result, "ruled out: regime ambiguity")
    assert told.holds is True
    assert "no published range (8.2): Moderate action.retries" in told.because


@pytest.mark.parametrize("value", ["0.5", None, float("nan"), [0.2], {"at": 0.2}])
def test_a_value_that_is_no_number_is_unchecked_and_not_trusted(value: Any) -> None:
    assert wrong_strength("moderate", {"information": {"noise_rate": value}}) == ""
