"""Every gate of tier 5 from plain outcomes: it holds, it fails, or it is not established (12.8, 12.3.3)."""

from __future__ import annotations

from typing import Any

import pytest

from assay.instruments.agency.declarations.declaration import HumanMediated
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.gates.trials import gate_strata
from assay.instruments.agency.options import read_options
from assay.vocabulary import Result, Verdict
from tests.instruments.agency.made_outcomes import declared, family, made, measures, score, verdict

ABOUT: dict[str, Any] = {
    "environment": "multi-agent",
    "mode": "mixed",
    "kind": "negotiation",
    "roles": ("buyer", "seller"),
    "interaction": "offers in turns",
    "constraints": ("one offer",),
}
KNOWS = {"": 38, "non_social": 4, "permuted": 37, "scrambled": 5, "masked": 6}


def met(
    families: int = 2, n: int = 40, regime: str = "Moderate", first: int = 0, **won: int
) -> list[OutcomeRow]:
    """Outcomes of every arm: of n, so many won; without another word as one who knows its partners."""
    shares = {**KNOWS, **{arm if arm != "own" else "": k for arm, k in won.items()}}
    return [
        row
        for place in range(first, first + families)
        for arm, k in shares.items()
        for row in made("T5", 5, k, n, families=[f"game{place}"], regime=regime, arm=arm)
    ]


def scored(rows: list[OutcomeRow], about: dict[str, dict[str, Any]] | None = None, **changes: Any) -> Result:
    """``about``: what a family declares otherwise."""
    named = declared(rows).families
    families = {
        name: family(one.dimensions, **{**ABOUT, **(about or {}).get(name, {})})
        for name, one in named.items()
    }
    return score(rows, families=families, **changes)


def gate(rows: list[OutcomeRow], name: str, about: dict[str, dict[str, Any]] | None = None) -> Verdict:
    return verdict(scored(rows, about), f"Tier 5, {name}")


WHOLE = [*met(), *met(1, regime="Severe")]
GATES = (
    "environment", "multi-agent gain", "attribution", "masked identities", "strategic interaction", "instances",
    "severe", "validity",
)  # fmt: skip


@pytest.mark.parametrize("name", GATES)
def test_who_knows_its_partners_passes_every_gate(name: str) -> None:
    assert gate(WHOLE, name).holds is True


def both(**otherwise: Any) -> dict[str, dict[str, Any]]:
    return {"game0": otherwise, "game1": otherwise}


def without(arm: str, *families: str) -> list[OutcomeRow]:
    return [row for row in WHOLE if row.arm != arm or (families and row.family not in families)]


@pytest.mark.parametrize(
    ("rows", "about", "name", "holds"),
    [
        (met(1), {}, "environment", None),
        (met(n=19, own=19), {}, "environment", None),
        (WHOLE, both(environment="tool-augmented"), "environment", None),
        (WHOLE, both(mode=""), "environment", None),
        (WHOLE, {"game1": {"roles": ()}}, "environment", None),
        (WHOLE, {"game1": {"interaction": ""}}, "environment", None),
        (met(regime="Baseline"), {}, "environment", None),  # 12.3.3: moderate or severe
        (met(non_social=36), {}, "multi-agent gain", False),  # 5 points
        (met(own=30, non_social=24), {}, "multi-agent gain", None),  # 15 points, and an interval below 10
        (without("non_social"), {}, "multi-agent gain", None),
        (without("non_social", "game1"), {}, "multi-agent gain", None),
        (met(permuted=6), {}, "attribution", False),  # the rule of the text
        (met(scrambled=36), {}, "attribution", False),  # its example
        (met(scrambled=32), {}, "attribution", None),
        (without("permuted"), {}, "attribution", None),
        (without("scrambled"), {}, "attribution", None),
        (without("scrambled", "game0"), {}, "attribution", None),
        (met(masked=37), {}, "masked identities", False),
        (met(masked=32), {}, "masked identities", None),
        (without("masked"), {}, "masked identities", None),
        (met(own=20), {}, "strategic interaction", False),
        (met(own=30), {}, "strategic interaction", None),
        (WHOLE, both(kind="delegation"), "strategic interaction", None),
        (WHOLE, both(constraints=()), "strategic interaction", None),
        (met(n=19, own=19), {}, "instances", None),
        (met(1, n=80, own=80), {}, "instances", None),
        (met(), {}, "severe", None),
        ([*met(), *met(1, regime="Severe", own=20)], {}, "severe", False),
        ([*met(), *met(1, regime="Severe", non_social=37)], {}, "severe", False),
        ([*met(), *met(1, regime="Severe", own=30)], {}, "severe", None),
        (WHOLE, both(verification=""), "validity", False),
    ],
)
def test_gates_that_do_not_hold(
    rows: list[OutcomeRow], about: dict[str, dict[str, Any]], name: str, holds: bool | None
) -> None:
    found = gate(rows, name, about)
    assert found.holds is holds, found.because


ELSEWHERE = {
    "game0": {"kind": "delegation"},
    "game1": {"kind": "delegation"},
    "game2": {"environment": "static"},
}


def test_a_family_of_another_class_evidences_no_gate() -> None:
    """12.8.2: "all of the following in a Multi-Agent environment class"."""
    rows = [*met(2, non_social=37), *met(1, n=200, own=200, first=2), *met(1, regime="Severe", first=2)]
    found = scored(rows, ELSEWHERE)
    holds = {name: verdict(found, f"Tier 5, {name}").holds for name in GATES}
    assert holds["multi-agent gain"] is False
    assert holds["strategic interaction"] is None
    assert holds["severe"] is None
    assert "game2: environment static" in verdict(found, "Tier 5, environment").because
    few = scored(met(2, n=20, own=20), {"game1": {"environment": "static"}})
    assert verdict(few, "Tier 5, instances").holds is None


@pytest.mark.parametrize(
    ("name", "own", "about"),
    [
        ("masked identities", {"n": 19, "own": 19, "masked": 0}, {}),
        ("strategic interaction", {"n": 19, "own": 19}, {}),
        ("masked identities", {}, {"interaction": ""}),
        ("strategic interaction", {}, {"roles": ()}),
    ],
)
def test_the_one_family_is_declared_and_has_twenty_instances(
    name: str, own: dict[str, Any], about: dict[str, Any]
) -> None:
    """12.8.2 (1), 12.8.4: what a multi-agent family is."""
    other = {"kind": "delegation"}
    rows = [*met(2, masked=38), *met(1, first=2, **own)]
    found = gate(rows, name, {"game0": other, "game1": other, "game2": about})
    assert found.holds is not True, found.because


def test_the_one_family_under_severe_constraints_has_twenty_instances() -> None:
    """12.3.3: it meets the gates of the tier, and the first of them asks for 20 in a family."""
    nineteen = met(1, n=19, own=19, regime="Severe")
    assert gate([*met(), *nineteen], "severe").holds is None
    assert gate([*met(), *met(1, n=20, own=20, regime="Severe")], "severe").holds is True
    about = {"game0": {"roles": ()}}
    assert gate([*met(3), *met(1, regime="Severe")], "severe", about).holds is None


def test_what_came_about_through_people_and_is_not_credited_evidences_nothing() -> None:
    """12.8.4: "If outcomes are human-mediated, apply the Human-Mediated Attribution rules"."""
    credited = HumanMediated(differs=True, substantial=True, preceded=True)
    for mediated, holds in ((HumanMediated(), False), (credited, True)):
        for name in ("multi-agent gain", "strategic interaction", "severe"):
            assert gate(WHOLE, name, both(human_mediated=mediated)).holds is holds


def test_attribution_has_both_numbers_in_its_words() -> None:
    found = gate(met(), "attribution")
    assert "permuted less non_social: 82.5 points (8/80 = 10.0 % to 74/80 = 92.5 %)" in found.because
    assert "as it is less scrambled: 82.5 points (10/80 = 12.5 % to 76/80 = 95.0 %)" in found.because


def test_masking_in_one_family_is_enough_and_what_is_left_stands_beside() -> None:
    rows = [*met(1, masked=38), *met(1, first=1)]
    found = gate(rows, "masked identities")
    assert found.holds is True
    assert "game0: 0.0 points" in found.because
    assert "game1: 80.0 points" in found.because
    assert "(masked less non_social: 5.0 points, not judged)" in found.because


def test_gains_are_pooled_over_all_families_not_over_the_best() -> None:
    rows = [*met(1), *met(8, own=4, first=1)]
    found = gate(rows, "multi-agent gain")
    assert found.holds is False
    assert "9.4 points" in found.because


def test_a_family_that_lacks_an_arm_is_named() -> None:
    found = gate(without("non_social", "game0"), "multi-agent gain")
    assert "without outcomes of both: game0" in found.because


def test_two_arms_are_compared_on_the_contents_that_both_met() -> None:
    """The same shares, and other contents: nothing is paired, so nothing is shown."""
    apart = [
        row
        for arm, start in (("", 0), ("non_social", 0), ("permuted", 100), ("scrambled", 0), ("masked", 0))
        for row in made("T5", 5, KNOWS[arm], 40, families=["game0"], regime="Moderate", arm=arm, start=start)
    ]
    found = gate(apart, "attribution")
    assert found.holds is None
    assert "permuted less non_social: no content was met in both" in found.because


def test_what_was_met_in_one_arm_alone_must_not_hide_a_loss() -> None:
    more = made("T5", 5, 0, 300, families=["game0"], regime="Moderate", arm="permuted", start=1000)
    assert gate([*met(), *more], "attribution").holds is False


def test_a_plain_gain_shows_in_what_the_text_would_read() -> None:
    """15 points whose interval reaches below 10: not established by the interval, passed by the plain difference."""
    rows = met(own=30, non_social=24)
    assert verdict(scored(rows, rule="point"), "Tier 5, multi-agent gain").holds is True


def test_every_arm_is_a_measure() -> None:
    found = measures(scored(met(1)), "arm_rate")
    assert {measure.labels["arm"] for measure in found} == {"as it is", *KNOWS} - {""}


def test_two_arms_are_compared_in_a_measure_of_their_own() -> None:
    found = {measure.labels["over"]: measure for measure in measures(scored(met(1)), "between_arms")}
    assert {over: (one.value, one.labels["arm"]) for over, one in found.items()} == {
        "permuted": (0.825, "non_social"),
        "masked": (0.05, "non_social"),
    }


def strata(**options: Any) -> dict[str, str]:
    given = {"dimensions": ["S"], "tiers": [5], **options}
    return {one.stratum: one.regime for one in gate_strata(read_options(given, None, ()))}


def test_two_families_are_met_under_severe_constraints_where_there_are_some() -> None:
    families = ["bargains", "bids", "errands", "rendezvous"]
    moderate = {f"T5/{name}": "Moderate-Standard" for name in families}
    severe = {f"T5/{name}/severe": "Severe-Standard" for name in families[:2]}
    assert strata() == {**moderate, **severe}
    assert strata(regimes=["Baseline", "Moderate-Standard"]) == moderate
    chosen = {"families": ["rendezvous", "errands", "bids"]}
    assert [name for name in strata(gates=chosen) if name.endswith("/severe")] == [
        "T5/rendezvous/severe",
        "T5/errands/severe",
    ]
