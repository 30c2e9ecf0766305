"""The drawings: levels with their tuple and flags, success with intervals, and gaps that stay gaps."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from assay.instruments.agency.declarations.outcome import DIMENSIONS
from assay.instruments.agency.figures.rates import draw_degradation, draw_families
from assay.instruments.agency.figures.vector import MOST_VECTORS, Standing, Vector, draw_vectors
from assay.report.presentation import Picture
from assay.report.svg import inline_svg
from assay.vocabulary import Flag, Measure
from tests.instruments.agency.made_outcomes import declared

TUPLE = (
    "(Framework v.10, Core Boundary, suite-1, Baseline, Tier None, A = [3, 2, 4, 0, 0, 5, 0], [Flags: None])"
)
UNTESTED = Flag("Provisional", "not tested")
REGIMES = {
    "Baseline": "baseline",
    "Severe-Adversarial": "adversarial",
    "Severe-Standard": "severe",
    "Moderate-Standard": "moderate",
}
DECLARED = declared([])


def vector(name: str = "a, core", comparison: str = TUPLE, **levels: int | None) -> Vector:
    given = {name: levels.get(name, 1) for name in DIMENSIONS}
    standings = (Standing(n, value, () if value is not None else (UNTESTED,)) for n, value in given.items())
    return Vector(name=name, comparison=comparison, standings=tuple(standings))


def rate(
    family: str = "inbox",
    regime: str = "Baseline",
    value: float = 0.8,
    *,
    dimension: str = "S",
    level: int = 1,
) -> Measure:
    labels: dict[str, str | float] = {
        "dimension": dimension,
        "level": str(level),
        "family": family,
        "regime": regime,
    }
    return Measure(
        name="rate", value=value, low=value - 0.1, high=value + 0.1, confidence=0.95, n=20, labels=labels
    )


def words(picture: Picture | None) -> list[str]:
    assert picture is not None
    nodes = ElementTree.fromstring(picture.svg).iter()
    return ["".join(node.itertext()).strip() for node in nodes if node.tag.endswith("}text")]


def said(picture: Picture | None) -> str:
    """Every word, whatever the lines."""
    return re.sub(r"\s+", " ", " ".join(words(picture)))


def test_the_tuple_is_part_of_the_drawing_the_caption_and_the_words() -> None:
    picture = draw_vectors([vector()])
    assert picture is not None
    assert TUPLE in said(picture)
    assert TUPLE in picture.caption
    assert TUPLE in picture.alt


def test_there_is_no_vector_without_a_tuple() -> None:
    with pytest.raises(TypeError, match="comparison"):
        Vector(name="a", standings=())  # type: ignore[call-arg]


def test_flags_stand_beside_their_bars_and_gaps_say_why() -> None:
    flagged = Standing("E", 3, (Flag("Contested", "two raters"), Flag("Provisional", "few")))
    gap = Standing("D", None, (Flag("Invalid", "Schema"),))
    picture = draw_vectors([Vector(name="a, core", comparison=TUPLE, standings=(flagged, gap))])
    assert "3  Contested, Provisional" in words(picture)
    assert "Invalid (Schema)" in words(picture)
    assert picture is not None
    assert "E 3 (Contested, Provisional), D none (Invalid)" in picture.alt


def test_level_zero_is_drawn_and_no_level_is_not() -> None:
    zero, none = draw_vectors([vector(L=0)]), draw_vectors([vector(L=None)])
    assert zero is not None
    assert none is not None
    assert "0" in words(zero)
    assert "L 0" in zero.alt
    assert "L none" in none.alt
    assert "Provisional (not tested)" in words(none)
    assert zero.svg.count("<path") > none.svg.count("<path")  # no spoke, no mark, no line across the gap


@pytest.mark.parametrize(
    ("gaps", "edges"), [((), 7), (("M",), 5), (("L", "G"), 3), (("S", "D", "L", "G"), 0)]
)
def test_lines_of_the_radar_join_neighbours_that_both_have_a_level(gaps: tuple[str, ...], edges: int) -> None:
    missing: dict[str, Any] = dict.fromkeys(gaps)
    picture = draw_vectors([vector(**missing)])
    assert picture is not None
    assert picture.svg.count("stroke-width: 1.8") == edges


def test_more_readings_than_fit_are_told() -> None:
    picture = draw_vectors([vector(f"s{number}, core") for number in range(MOST_VECTORS + 2)])
    assert picture is not None
    assert f"The first {MOST_VECTORS} of {MOST_VECTORS + 2} readings are shown" in picture.caption
    assert f"s{MOST_VECTORS}, core" not in said(picture)


def test_nothing_to_draw_is_no_picture() -> None:
    assert draw_vectors([]) is None
    assert draw_families("a", [], REGIMES, DECLARED) is None
    assert draw_degradation("a", [], REGIMES) is None


def test_families_stand_by_dimension_and_level_with_every_regime_once_in_the_legend() -> None:
    rates = [
        rate("e", "Moderate-Standard", dimension="E"),
        rate("a", level=2),
        rate("b", "Moderate-Standard", 0.5),
        rate("b"),
    ]
    shown = words(draw_families("x, core", rates, REGIMES, DECLARED))
    assert shown.count("Baseline") == shown.count("Moderate-Standard") == shown.count("threshold") == 1
    assert "Severe-Standard" not in shown  # nothing was met there
    assert [word for word in shown if " · " in word] == ["b · 1", "a · 2", "e · 1"]


def test_degradation_goes_from_the_easiest_to_the_hardest_regime() -> None:
    rates = [rate(regime=regime, value=0.9 - 0.2 * at) for at, regime in enumerate(REGIMES)]
    picture = draw_degradation("x, core", rates, REGIMES)
    assert picture is not None
    order = ["Baseline", "Moderate-Standard", "Severe-Standard", "Severe-Adversarial"]
    assert re.findall(r"\b(?:Baseline|Moderate-\w+|Severe-\w+)", picture.alt) == order


def test_a_family_without_a_baseline_or_without_anything_harder_has_no_curve() -> None:
    alone = [rate("calm"), rate("hard", "Severe-Standard"), rate("hard", "Severe-Adversarial")]
    assert draw_degradation("x, core", alone, REGIMES) is None
    picture = draw_degradation("x, core", [*alone, rate("both"), rate("both", "Severe-Standard")], REGIMES)
    assert picture is not None
    assert "both · 1" in picture.alt
    assert "calm" not in picture.alt
    assert "hard" not in picture.alt


def test_an_own_regime_says_how_hard_it_is() -> None:
    regimes = {"Baseline": "baseline", "Night": "moderate"}
    picture = draw_degradation("x", [rate(), rate(regime="Night")], regimes)
    assert "Night (moderate)" in words(picture)


HOSTILE = "<script>alert(1)</script> $\\frac{1}{2}$ \u202eevil\x07"


def test_names_are_text_and_never_markup() -> None:
    hostile = [rate(HOSTILE), rate(HOSTILE, HOSTILE)]
    regimes = {"Baseline": "baseline", HOSTILE: "severe"}
    pictures = [
        draw_vectors([vector(HOSTILE, TUPLE.replace("suite-1", HOSTILE))]),
        draw_families(HOSTILE, hostile, regimes, DECLARED),
        draw_degradation(HOSTILE, hostile, regimes),
    ]
    for picture in pictures:
        assert picture is not None
        shown = inline_svg(picture.svg, "p-", picture.alt)
        assert "<script" not in shown
        assert "\u202e" not in shown
        assert "\x07" not in shown


def test_the_same_values_give_the_same_bytes() -> None:
    first, second = draw_vectors([vector()]), draw_vectors([vector()])
    assert first is not None
    assert second is not None
    assert first.svg == second.svg
