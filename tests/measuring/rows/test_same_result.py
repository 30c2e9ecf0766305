"""Every instrument gives the same result for the same rows, whatever they are written as."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

from assay.bench import load_instrument
from assay.canonical import encode
from assay.measuring.rows import open_rows
from assay.registry import names

from .making import FORMATS, SAMPLES, TRIALS, written

SCORING = [name for name in names("assay.instruments") if load_instrument(name).row_option_type]


def result_of(instrument: str, data: Any) -> bytes:
    made = load_instrument(instrument)
    assert made.row_option_type is not None
    return encode(made.score_rows(open_rows(data), made.row_option_type()).result)


def samples(instrument: str) -> list[list[dict[str, Any]]]:
    return SAMPLES.get(instrument, [TRIALS])


@cache
def expected(instrument: str) -> bytes:
    return result_of(instrument, samples(instrument)[0])


def test_the_instruments_of_the_samples_are_installed() -> None:
    assert set(SAMPLES) <= set(SCORING)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("instrument", SCORING)
def test_a_file_gives_the_same_result_in_every_format(instrument: str, ending: str, tmp_path: Path) -> None:
    for rows in samples(instrument):
        assert result_of(instrument, written(tmp_path, rows, ending)) == expected(instrument)


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame], ids=["polars", "pandas"])
@pytest.mark.parametrize("instrument", SCORING)
def test_a_frame_gives_the_result_of_its_rows(instrument: str, frame: Any) -> None:
    for rows in samples(instrument):
        assert result_of(instrument, frame(rows)) == expected(instrument)


@pytest.mark.parametrize("instrument", SCORING)
def test_a_record_has_the_number_that_a_message_would_name(instrument: str, tmp_path: Path) -> None:
    made = load_instrument(instrument)
    rows = open_rows(written(tmp_path, samples(instrument)[-1], "csv"))
    records = [*made.score_rows(rows, made.row_option_type()).records()]
    assert {record["row"] for record in records} == {number for number, _ in rows}
