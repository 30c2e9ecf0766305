"""What must hold whatever the outcomes are."""

from __future__ import annotations

import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.scoring import score_outcomes
from assay.vocabulary import Result
from tests.instruments.agency.made_outcomes import declared, level, made

CHECKED = settings(max_examples=40, deadline=None)
REGIMES = ("Baseline", "Moderate", "Severe")


@st.composite
def designs(draw: st.DrawFn) -> list[OutcomeRow]:
    """A few cells of every dimension, with as many successes as may be."""
    rows: list[OutcomeRow] = []
    for dimension in draw(st.lists(st.sampled_from("SMDE"), min_size=1, max_size=3, unique=True)):
        for of_level in draw(st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True)):
            n = draw(st.sampled_from([3, 9, 12, 21, 30, 60]))
            for regime in draw(st.lists(st.sampled_from(REGIMES), min_size=1, max_size=3, unique=True)):
                k = draw(st.integers(n // 2, n))
                families = draw(st.sampled_from([1, 3]))
                attack = draw(st.sampled_from(["", "", "resisted", "followed"]))
                rows += made(dimension, of_level, k, n, regime=regime, families=families, adversarial=attack)
    return rows


def scored(rows: list[OutcomeRow], declaration: Declaration) -> Result:
    return score_outcomes(rows, declaration, source="rows", version="1")


def value(result: Result, name: str) -> float:
    found = level(result, name).value
    return -1.0 if found is None else found


@CHECKED
@given(designs(), st.data(), st.sampled_from(["strict", "point"]))
def test_one_more_success_never_lowers_a_level(
    rows: list[OutcomeRow], data: st.DataObject, rule: str
) -> None:
    failed = [i for i, row in enumerate(rows) if row.outcome == "failure"]
    if not failed:
        return
    at = data.draw(st.sampled_from(failed))
    better = list(rows)
    better[at] = msgspec.structs.replace(rows[at], outcome="success")
    declaration = declared(rows, rule=rule)
    before, after = scored(rows, declaration), scored(better, declaration)
    # Degradation is measured from baseline: a success there raises the drop of M4 and of R, as the spec has it.
    names = "SDE" if rows[at].regime == "Baseline" else "SMDER"
    for name in names:
        assert value(after, name) >= value(before, name), name


@CHECKED
@given(designs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[OutcomeRow], shuffle: random.Random) -> None:
    mixed = list(rows)
    shuffle.shuffle(mixed)
    declaration = declared(rows)
    assert msgspec.json.encode(scored(mixed, declaration)) == msgspec.json.encode(scored(rows, declaration))


@CHECKED
@given(designs(), st.data())
def test_another_rater_who_agrees_changes_nothing(rows: list[OutcomeRow], data: st.DataObject) -> None:
    named = [msgspec.structs.replace(row, rater="ann") for row in rows]
    some = data.draw(st.lists(st.sampled_from(named), min_size=1, unique_by=id))
    again = [*named, *(msgspec.structs.replace(row, rater="bob") for row in some)]
    declaration = declared(rows)
    before, after = scored(named, declaration), scored(again, declaration)
    kept = tuple(measure for measure in after.measures if measure.name != "agreement")
    assert kept == before.measures
    assert (after.verdicts, after.flags, after.excluded) == (before.verdicts, before.flags, before.excluded)


@CHECKED
@given(designs())
def test_the_strict_rule_never_reads_more_than_the_point(rows: list[OutcomeRow]) -> None:
    strict, point = scored(rows, declared(rows)), scored(rows, declared(rows, rule="point"))
    for name in "SMDER":
        assert value(strict, name) <= value(point, name), name


@CHECKED
@given(designs())
def test_levels_lie_between_0_and_5_and_every_one_has_its_tuple(rows: list[OutcomeRow]) -> None:
    result = scored(rows, declared(rows))
    for name in "SMDELRG":
        found = level(result, name)
        assert found.value is None or 0 <= found.value <= 5
        assert found.value is not None or found.flags
        assert found.notes[0].startswith("(Framework v.10, Core Boundary, suite-1, ")
