"""The page on rows: its examples are what the instruments take."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.bench import load_instrument
from assay.canonical import encode
from assay.measuring.rows import open_rows

from .making import SAMPLES

PAGE = (Path(__file__).parents[3] / "docs" / "rows.md").read_text("utf-8")
_, *SECTIONS = re.split(r"^### ", PAGE.partition("\n## In Python")[0], flags=re.M)
EXAMPLES = {
    section.split("\n", 1)[0]: re.findall(r"^```(jsonl|csv)\n(.*?)^```", section, re.M | re.S)
    for section in SECTIONS
}


def test_every_instrument_has_an_example() -> None:
    assert set(EXAMPLES) == set(SAMPLES)
    assert all(EXAMPLES.values())


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_an_instrument_are_scored_alike(name: str, tmp_path: Path) -> None:
    instrument = load_instrument(name)
    assert instrument.row_option_type is not None
    results = set()
    for ending, text in EXAMPLES[name]:
        (tmp_path / f"rows.{ending}").write_text(text)
        rows = open_rows(tmp_path / f"rows.{ending}")
        results.add(encode(instrument.score_rows(rows, instrument.row_option_type()).result))
    assert len(results) == 1
