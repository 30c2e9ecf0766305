"""A run as a value: what is in its frames, what is refused, and that nothing a model said is markup."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.api.load import LoadedRun
from assay.bench import RunFolder
from assay.errors import InputError, IntegrityError, UnknownName
from assay.report.frames import frame_of
from assay.vocabulary import Reading

from .conftest import LABEL


def test_a_run_is_loaded_as_it_was_returned(finished: LoadedRun) -> None:
    again = assay.load(finished.path)
    assert again.readings == finished.readings
    assert set(again.readings) == {"ping", "drill"}
    assert all(isinstance(reading, Reading) for reading in again.readings.values())
    assert (again.lock.digest, again.path, again.finished) == (finished.lock.digest, finished.path, True)


def test_the_frame_has_a_row_a_measure_and_a_column_a_label(finished: LoadedRun) -> None:
    frame = finished.frame()
    measures = [m for reading in finished.readings.values() for m in reading.result.measures]
    assert frame.height == len(measures)
    assert frame["value"].to_list() == [m.value for m in measures]
    assert frame["subject"].to_list() == [m.labels.get("subject") for m in measures]
    assert {"instrument", "name", "low", "high", "bound_low", "bound_high", "units"} <= set(frame.columns)
    assert frame.schema["value"] == pl.Float64
    assert frame.schema["n"] == pl.Int64


def test_verdicts_have_a_column_of_their_own_for_what_is_not_established(finished: LoadedRun) -> None:
    found = finished.verdicts().filter(kind="requirement")
    assert found["holds"].to_list() == [True, True]
    assert found.schema["holds"] == pl.Boolean


def test_the_records_are_those_of_the_file_with_the_types_of_their_values(finished: LoadedRun) -> None:
    records = finished.records("ping")
    lines = (finished.path / "records-ping.csv").read_text("utf-8").splitlines()
    assert records.columns == lines[0].split(",")
    assert records.height == 10
    assert records.schema["repetition"] == pl.Int64
    assert records.schema["reply"] == pl.String
    with pytest.raises(UnknownName):
        finished.records()


def test_replies_are_what_was_said_in_every_trial(finished: LoadedRun) -> None:
    replies = finished.replies()
    pings = replies.filter(instrument="ping")
    assert pings.height == 10
    assert pings["prompt"].unique().to_list() == ["Is anybody there? Answer in one word."]
    assert set(pings["subject"]) == {"reference:mumbler", LABEL}
    assert pings["text"].to_list() == finished.records("ping").sort("trial")["reply"].to_list()
    assert replies["counts"].all()
    assert replies.schema["output_tokens"] == pl.Int64


def test_nothing_that_was_named_or_said_is_markup(finished: LoadedRun) -> None:
    page = finished._repr_html_()
    assert "<b>" not in page
    assert LABEL in str(finished)
    assert "&lt;b&gt;" in page
    assert "Requirements" in page


@pytest.mark.parametrize("what", ["reading", "ledger", "records"])
def test_a_run_that_was_altered_is_refused(finished: LoadedRun, tmp_path: Path, what: str) -> None:
    folder = RunFolder(Path(shutil.copytree(finished.path, tmp_path / "altered")))
    if what == "reading":
        reading = json.loads(folder.reading_path("ping").read_text())
        reading["result"]["measures"][0]["value"] = 0.5
        folder.reading_path("ping").write_text(json.dumps(reading))
    else:
        path = folder.ledger / "0001.jsonl" if what == "ledger" else folder.records_path("ping")
        path.write_bytes(path.read_bytes().replace(b"after 1", b"after 2", 1))
    with pytest.raises(IntegrityError, match="not what was signed"):
        assay.load(folder.path)
    assert not assay.audit(folder.path).holds


def test_what_is_no_run_is_said(here: Path) -> None:
    with pytest.raises(InputError, match="there is no run at nowhere"):
        assay.load("nowhere")


def test_an_audit_is_a_value(finished: LoadedRun) -> None:
    found = assay.audit(finished.path)
    assert (found.holds, found.faults) == (True, [])
    assert found.trials > 10
    by_another = assay.audit(finished.path, signed_by="0" * 16)
    assert (by_another.determination, by_another.trials) == ("Invalid (Non-Compliance)", 0)


def test_columns_have_the_types_of_their_values_and_never_of_how_they_read() -> None:
    rows: list[dict[str, Any]] = [
        {"whole": 1, "real": 1, "yes": True, "text": "1", "mixed": 1, "none": None, "large": 2**70},
        {
            "whole": 2,
            "real": 0.5,
            "yes": None,
            "text": "\ud800",
            "mixed": "a",
            "none": None,
            "large": 1,
            "late": 3,
        },
    ]
    frame = frame_of(rows)
    assert frame.schema == {
        "whole": pl.Int64, "real": pl.Float64, "yes": pl.Boolean, "text": pl.String, "mixed": pl.String,
        "none": pl.String, "large": pl.String, "late": pl.Int64,
    }  # fmt: skip
    assert frame["late"].to_list() == [None, 3]
    assert frame["text"].to_list() == ["1", "?"]
    assert frame_of([]).height == 0
