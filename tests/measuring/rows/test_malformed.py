"""Malformed files: each is refused with its line or row and its field."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.bench import load_instrument
from assay.errors import InputError
from assay.measuring.rows import open_rows
from tests.cli.conftest import Assay, assay

from .malformed import MALFORMED

__all__ = ["assay"]

BY_COMMAND = (
    "json: no json",
    "csv: too short",
    "parquet: bytes",
    "file: excel",
    "consistency: csv, id twice",
)


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    bad = MALFORMED[name]
    path = tmp_path / bad.name
    path.write_bytes(bad.content)
    instrument = load_instrument(bad.instrument)
    assert instrument.row_option_type is not None
    with pytest.raises(InputError) as caught:
        instrument.score_rows(open_rows(path), instrument.row_option_type())
    told = str(caught.value)
    assert told.startswith(str(path))
    said = told.removeprefix(str(path))
    assert said.startswith(bad.place) if bad.place.startswith(":") else bad.place in said
    assert bad.field in said
    assert bad.word in said
    assert len(said) < 600
    assert "\n" not in said


@pytest.mark.parametrize("name", BY_COMMAND)
def test_the_command_says_it_in_a_line_and_ends_with_2(name: str, assay: Assay, tmp_path: Path) -> None:
    bad = MALFORMED[name]
    (tmp_path / bad.name).write_bytes(bad.content)
    ended = assay("score", bad.instrument, bad.name)
    assert (ended.code, ended.out) == (2, "")
    assert bad.place in ended.err
    assert bad.word in ended.err
    assert "Traceback" not in ended.err
