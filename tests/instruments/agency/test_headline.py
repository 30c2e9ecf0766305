"""The table that is read first: a vector a row, and never a level without its tuple."""

from __future__ import annotations

import re

import msgspec
import pytest

from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredFamily,
    DeclaredProtocol,
    DeclaredRegime,
    System,
)
from assay.instruments.agency.declarations.outcome import DIMENSIONS, OutcomeRow
from assay.instruments.agency.figures.readings import NO_TUPLE, TITLES, ReadingKey, ShownReadings
from assay.instruments.agency.present import explained, headline_of
from assay.instruments.agency.scoring import score_outcomes
from assay.report.presentation import Headline, Number
from assay.vocabulary import Measure, Result

FAMILY = DeclaredFamily(
    dimension="S",
    version="1",
    environment="static",
    criterion="the register holds the entry",
    criterion_time="2026-01-01T00:00:00Z",
    verification="the register is read",
    observation_schema="o1",
    action_schema="a1",
)
DECLARED = Declaration(
    system=System(name="a", version="1", architecture="policy"),
    boundary="extended",
    includes=("tools",),
    tools=("search",),
    human_assistance="none",
    began="2026-01-02T00:00:00Z",
    protocol=DeclaredProtocol(
        approach="benchmark", sampling="fixed", scoring="strict", held_out="drawn", guidance="none"
    ),
    regimes={"Baseline": DeclaredRegime(level="baseline")},
    families={"inbox": FAMILY},
    inclusion="all",
    exclusion="none",
    suite="suite-1",
    artifacts="here",
    date="2026-01-02",
)


def outcomes(won: int, played: int, *, subject: str = "a", boundary: str = "core") -> list[OutcomeRow]:
    return [
        OutcomeRow(
            dimension="S",
            level=1,
            family="inbox",
            regime="Baseline",
            instance=f"i{number}",
            outcome="success" if number < won else "failure",
            boundary=boundary,  # type: ignore[arg-type]
            subject=subject,
            artifact="d",
            state_changed=True,
            steps=2,
            compliant=True,
        )
        for number in range(played)
    ]


def scored(*rows: list[OutcomeRow]) -> Result:
    every = [one for own in rows for one in own]
    return score_outcomes(every, DECLARED, source="rows", version="1")


def without_notes(result: Result) -> Result:
    """As if somebody had taken the tuples off."""
    bare = [msgspec.structs.replace(measure, notes=()) for measure in result.measures]
    return msgspec.structs.replace(result, measures=tuple(bare))


def levels(headline: Headline, row: int = 0) -> dict[str, Number]:
    cells = headline.rows[row][2 : 2 + len(DIMENSIONS)]
    assert all(isinstance(cell, Number) for cell in cells)
    return dict(zip(DIMENSIONS, cells, strict=True))  # type: ignore[arg-type]


def comparison(result: Result, subject: str, boundary: str) -> str:
    return next(
        m.notes[0]
        for m in result.measures
        if m.name == "S" and (m.labels["subject"], m.labels["boundary"]) == (subject, boundary)
    )


def test_a_row_is_a_subject_within_a_boundary() -> None:
    both = scored(outcomes(20, 20), outcomes(9, 20, boundary="extended"), outcomes(1, 20, subject="b"))
    headline = headline_of(both)
    assert [row[:2] for row in headline.rows] == [("a", "core"), ("a", "extended"), ("b", "core")]
    assert headline.columns == ("subject", "boundary", *(TITLES[name] for name in DIMENSIONS), "tier")
    assert headline.names[2:-1] == DIMENSIONS


def test_levels_stand_with_their_flags_and_what_is_not_tested_has_none() -> None:
    shown = levels(headline_of(scored(outcomes(20, 20))))
    assert (shown["S"].value, shown["S"].flags, shown["S"].n) == (1, (), 20)
    for name in "MDELG":
        assert shown[name].value is None, name
        assert shown[name].note == f"{name}: not tested"
        assert [flag.kind for flag in shown[name].flags] == ["Provisional"]


def test_the_caption_has_the_whole_tuple_of_every_row() -> None:
    result = scored(outcomes(20, 20), outcomes(20, 20, boundary="extended"), outcomes(3, 20, subject="b"))
    caption = headline_of(result).caption
    for subject, boundary in (("a", "core"), ("a", "extended"), ("b", "core")):
        told = comparison(result, subject, boundary)
        assert told.startswith(f"(Framework v.10, {boundary.capitalize()} Boundary, suite-1, Baseline, Tier ")
        assert f"{subject}, {boundary}: {told}" in caption


def test_no_level_and_no_tier_is_shown_without_its_tuple() -> None:
    result = scored(outcomes(20, 20))
    assert levels(headline_of(result))["S"].value == 1
    headline = headline_of(without_notes(result))
    assert all(number.value is None for number in levels(headline).values())
    assert levels(headline)["S"].note == NO_TUPLE
    assert headline.rows[0][-1] == "not shown"
    assert not re.search(r"A = \[", headline.caption)


@pytest.mark.parametrize("note", ["10.3.3: another note", "(Framework v.9, Core Boundary)", ""])
def test_a_note_that_is_no_tuple_of_this_framework_does_not_stand_for_one(note: str) -> None:
    level = Measure(name="S", value=4, n=9, labels={"subject": "a", "boundary": "core"}, notes=(note,))
    result = Result(instrument="agency", version="1", source="rows", measures=(level,))
    assert levels(headline_of(result))["S"].value is None


def test_tier_none_is_a_result_and_not_a_gap() -> None:
    assert headline_of(scored(outcomes(20, 20))).rows[0][-1] == "None"


def test_a_verdict_is_found_by_reading_whether_there_is_one_or_several() -> None:
    one, two = scored(outcomes(20, 20)), scored(outcomes(20, 20), outcomes(3, 20, subject="b"))
    for result in (one, two):
        verdict = ShownReadings(result).verdict(ReadingKey("a", "core"), "threat", threat="regime ambiguity")
        assert verdict is not None
        assert verdict.holds is True
    assert ShownReadings(two).verdict(ReadingKey("c", "core"), "threat") is None


def test_every_column_is_explained() -> None:
    terms = " ".join(term for term, _ in explained())
    for word in ("subject", "boundary", "tier", "flags", *TITLES.values()):
        assert word in terms


def test_a_result_without_levels_has_no_rows() -> None:
    empty = Result(instrument="agency", version="1", source="rows", measures=())
    assert headline_of(empty).rows == ()


def test_a_flag_below_the_table_says_of_which_levels_it_is() -> None:
    one = levels(headline_of(scored(outcomes(14, 20))))
    assert one["S"].flags[0].cause.startswith("sensing (S): level 1: 14/20")
    (flag,) = one["L"].flags
    assert str(flag) == (
        "Provisional (modelling (M), decision (D), efficacy (E), learning (L), goals (G): not tested)"
    )
    two = headline_of(scored(outcomes(14, 20), outcomes(20, 20, subject="b")))
    assert levels(two)["S"].flags[0].cause.startswith("a, core, sensing (S): level 1: 14/20")
