"""Regimes: the published ones, and the claimed level against the definition (section 8.2)."""

from __future__ import annotations

import msgspec
import pytest

from assay.errors import InputError
from assay.worlds.regimes import (
    Actions,
    Compute,
    Information,
    Regime,
    Stability,
    check_regime,
    shipped_regimes,
)


def regime(level: str, **axes: object) -> Regime:
    return msgspec.convert({"id": "mine", "level": level, **msgspec.to_builtins(axes)}, Regime)


def test_the_published_regimes_keep_the_definition_and_survive_json() -> None:
    found = shipped_regimes()
    assert list(found) == ["Baseline", "Moderate-Standard", "Severe-Standard", "Severe-Adversarial"]
    for one in found.values():
        check_regime(one)
        assert msgspec.json.decode(msgspec.json.encode(one), type=Regime) == one


def test_severe_is_nowhere_easier_than_moderate() -> None:
    moderate, severe = shipped_regimes()["Moderate-Standard"], shipped_regimes()["Severe-Standard"]
    assert severe.information.noise_rate > moderate.information.noise_rate
    assert (
        severe.stability.timeouts + severe.stability.lost >= 0.3
    )  # section 8.2: failures on 30 % and more of calls
    assert (
        0.1 <= moderate.stability.timeouts + moderate.stability.lost <= 0.2
    )  # timeouts on 10 to 20 % of calls
    assert moderate.information.noise_rate == 0.2
    assert severe.information.noise_rate == 0.4


def test_adversarial_is_severe_and_differs_in_the_injections_alone() -> None:
    severe, hostile = shipped_regimes()["Severe-Standard"], shipped_regimes()["Severe-Adversarial"]
    assert not severe.adversarial
    assert hostile.adversarial
    plain, more = severe.parameters(), hostile.parameters()
    assert more["stability"].pop("injections") == 0.3
    assert plain == more


NOISE = Information(noise="words", noise_rate=0.2)
SHAKY = Stability(timeouts=0.2)
CAPPED = Actions(cap_factor=1.5)


@pytest.mark.parametrize(
    ("level", "axes", "right"),
    [
        ("baseline", {}, True),
        ("baseline", {"information": NOISE}, False),
        ("moderate", {}, False),
        ("moderate", {"information": NOISE}, True),
        ("moderate", {"information": NOISE, "stability": SHAKY}, True),
        ("moderate", {"information": NOISE, "stability": SHAKY, "action": CAPPED}, False),
        ("severe", {"information": NOISE}, False),
        ("severe", {"information": NOISE, "stability": SHAKY}, True),
        (
            "severe",
            {"information": NOISE, "stability": SHAKY, "action": CAPPED, "compute": Compute(tokens=9)},
            True,
        ),
        ("baseline", {"stability": Stability(in_a_row=1)}, True),  # constrains nothing by itself
    ],
)
def test_a_claimed_level_is_checked(level: str, axes: dict[str, object], right: bool) -> None:
    if right:
        check_regime(regime(level, **axes))
    else:
        with pytest.raises(InputError, match=r"section 8\.2"):
            check_regime(regime(level, **axes))


@pytest.mark.parametrize(
    "axes",
    [
        {"information": Information(noise="words")},
        {"information": Information(noise_rate=0.3)},
        {"stability": Stability(timeouts=0.7, lost=0.4)},
    ],
)
def test_parameters_that_contradict_each_other_are_refused(axes: dict[str, object]) -> None:
    with pytest.raises(InputError, match="mine"):
        check_regime(regime("moderate", **axes))


def test_a_regime_says_its_parameters_in_a_line() -> None:
    assert shipped_regimes()["Baseline"].text() == "no constraint"
    assert "noise_rate=0.2" in shipped_regimes()["Moderate-Standard"].text()


@pytest.mark.parametrize(
    "axes",
    [
        {"action": {"every": 101}},
        {"action": {"cap_factor": float("inf")}},
        {"compute": {"seconds": float("inf")}},
        {"information": {"context_share": float("nan")}},
    ],
)
def test_constraints_without_measure_are_refused(axes: dict[str, dict[str, float]]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"id": "mine", "level": "moderate", **axes}, Regime)


@pytest.mark.parametrize("id_", ["", " x", "<b>x</b>", "a\nb", "\x1b[31m", "x" * 65])
def test_an_id_is_a_plain_name(id_: str) -> None:
    with pytest.raises(InputError, match="letter or digit first"):
        check_regime(Regime(id=id_, level="baseline"))
