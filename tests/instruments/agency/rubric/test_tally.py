"""From a table to counts."""

from __future__ import annotations

import polars as pl
import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.declarations.table import complete, frame_of, outcome_table
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.tally import PairKey, Pairs, RubricCell, SubjectTally, tallies
from tests.instruments.agency.made_outcomes import declared, made, stressed


def tally(rows: list[OutcomeRow]) -> SubjectTally:
    declaration = declared(rows)
    (found,) = tallies(complete(outcome_table(rows), declaration), declaration)
    return found


def test_cells_hold_the_counts() -> None:
    rows = [*made("S", 1, 7, 10, families=1), *made("S", 2, 3, 4, families=1, steps=None, compliant=None)]
    cells = tally(rows).cells
    first = cells[RubricCell("S", 1, "s0", "Baseline")]
    assert (first.attempted, first.n, first.k, first.compliant, first.changed, first.fewest_steps) == (
        10,
        10,
        7,
        10,
        10,
        3,
    )
    second = cells[RubricCell("S", 2, "s0", "Baseline")]
    assert (second.k, second.compliant, second.fewest_steps) == (3, 0, None)


def test_pairs_are_counted_by_what_came_of_them() -> None:
    found = tally(stressed(8, 5, None, 10, families=1))
    assert found.pairs == {
        PairKey("S", 1, "s0", "moderate"): (Pairs(0, 1, 0, 1, 2), Pairs(1, 1, 0, 1, 3), Pairs(1, 1, 1, 1, 5))
    }


def test_two_regimes_of_one_intensity_are_one_target() -> None:
    declaration = declared(rows := stressed(4, 4, None, 4, families=1))
    regimes = {**declaration.regimes, "Other": declaration.regimes["Moderate"]}
    more = [*rows, *made("S", 1, 0, 4, families=["s0"], regime="Other")]
    declaration = declared(more, regimes=regimes)
    (found,) = tallies(complete(outcome_table(more), declaration), declaration)
    assert found.pairs[PairKey("S", 1, "s0", "moderate")] == (Pairs(1, 1, 1, 2, 4),)


def test_a_table_may_leave_out_what_has_a_default() -> None:
    frame = pl.DataFrame(
        {
            "dimension": ["S"],
            "level": [1],
            "family": ["a"],
            "regime": ["Baseline"],
            "instance": ["1"],
            "outcome": ["success"],
        }
    )
    whole = complete(outcome_table(frame), declared([]))
    assert whole.row(0, named=True)["boundary"] == "core"
    assert whole.row(0, named=True)["pair"] == "1"
    assert whole.row(0, named=True)["subject"] == "subject"


def test_categories_and_small_numbers_are_taken_as_they_are() -> None:
    frame = frame_of(made("S", 1, 5, 9)).with_columns(
        pl.col("family").cast(pl.Categorical), pl.col("level").cast(pl.UInt8)
    )
    assert complete(outcome_table(frame), declared([])).schema["family"] == pl.String


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"outcome": pl.lit("won")},
            "outcome 1, outcome: must be one of success, failure, excluded, not 'won'",
        ),
        ({"steps": pl.lit(-1)}, "outcome 1, steps: must be a whole number, 0 to 1,000,000,000, not -1"),
        ({"boundary": pl.lit("inner")}, "outcome 1, boundary: must be one of core, extended, not 'inner'"),
        ({"colour": pl.lit("red")}, "unknown column 'colour'"),
    ],
)
def test_a_wrong_value_is_named(change: dict[str, pl.Expr], told: str) -> None:
    with pytest.raises(InputError) as error:
        outcome_table(frame_of(made("S", 1, 1, 1)).with_columns(**change))
    assert str(error.value).startswith(told)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(InputError, match="there are no outcomes"):
        outcome_table([])


def test_the_rubric_has_every_level_once_with_its_section() -> None:
    table = rubric()
    for dimension, section in zip("SMDER", ("10.4.3", "10.5.3", "10.6.3", "10.7.3", "10.9.3"), strict=True):
        rows = table.of(dimension)
        assert [row.level for row in rows] == [1, 2, 3, 4, 5]
        assert {row.section for row in rows} == {section}
    assert [(m.instances, m.families) for m in table.minimum] == [(10, 1), (10, 1), (20, 2), (20, 2), (50, 3)]
    assert [table.supported(5, n, 3) for n in (9, 10, 19, 20, 49)] == [0, 2, 2, 4, 4]
    assert [table.supported(5, 50, families) for families in (3, 2, 1)] == [
        4,
        4,
        3,
    ]  # each that lacks, a level
    assert [table.supported(4, 20, families) for families in (2, 1)] == [3, 3]
