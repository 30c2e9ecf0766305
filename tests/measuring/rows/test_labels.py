"""Subjects of rows: what cannot be seen or told apart is refused, with its row, however rows are read."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from assay.errors import InputError
from assay.instruments.recognition.row_options import PHASES
from assay.measuring.lineups import read_lineups
from assay.measuring.outcomes import TrialRow
from assay.measuring.rows import open_rows
from assay.measuring.rows.columns import TEXT, typed_column
from assay.measuring.rows.tables import refusal_of

COMPOSED, SPLIT, HIDDEN = "caf\u00e9", "cafe\u0301", "a\u200bc"
ALIKE = "looks like an earlier one made of other characters"
LINEUP = {"phase": "self", "lineup": "l", "options": 2, "own": 1, "choice": 1}


def typed(*subjects: str) -> int:
    return len(open_rows([{"subject": one, "outcome": "success"} for one in subjects]).typed(TrialRow))


def column(*subjects: str) -> int:
    frame = pl.DataFrame({"subject": subjects})
    return frame.select(typed_column(frame, "subject", TEXT, refusal_of(open_rows(frame)))).height


def lineups(*subjects: str) -> int:
    rows: list[dict[str, Any]] = [{"subject": one, "target": one, **LINEUP} for one in subjects]
    return read_lineups(rows, (1, 5), PHASES).height


@pytest.mark.parametrize("read", [typed, column, lineups])
def test_subjects_that_look_alike_or_hide_something_are_refused(read: Any) -> None:
    assert read("b", COMPOSED, COMPOSED, "b") == 4
    with pytest.raises(InputError, match=f"row 3, subject: .*{ALIKE}"):
        read("b", COMPOSED, SPLIT)
    with pytest.raises(
        InputError, match=r"row 2, subject: character 2 of the label, U\+200B .ZERO WIDTH SPACE"
    ):
        read("b", HIDDEN)


def test_a_target_is_a_subject_too() -> None:
    row = {"subject": COMPOSED, "target": SPLIT, **LINEUP}
    with pytest.raises(InputError, match=f"row 1, target: .*{ALIKE}"):
        read_lineups([row], (1, 5), PHASES)


def test_the_place_of_the_earlier_one_is_named_where_rows_are_read_one_by_one() -> None:
    with pytest.raises(InputError, match=r"write both alike .Unicode NFC., after row 1"):
        typed(SPLIT, "b", COMPOSED)
