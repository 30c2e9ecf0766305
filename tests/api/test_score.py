"""`assay.score` and `assay.plan`: rows of any kind, options by their names, and inside a running loop."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import assay
from assay.api.score import RowScore
from assay.errors import ExtensionFailed, InputError

ROWS = [
    {"contract": "is_even", "subject": f"<i>{name}", "temperature": 0.5, "output": text}
    for name, text in [
        ("a", "def is_even(n):\n    return n % 2 == 0\n"),
        ("a", "def is_even(n):\n    return n % 2 == 0\n"),
        ("b", "def is_even(n): return True"),
    ]
]


@pytest.fixture(scope="module")
def scored() -> RowScore:
    return assay.score("repeatability", ROWS)


def test_a_list_a_frame_and_a_file_are_scored_alike(scored: RowScore, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for rows in (pl.DataFrame(ROWS), path, str(path)):
        assert assay.score("repeatability", rows).result == scored.result
    assert [str(flag) for flag in scored.result.flags] == ["Limited Comparability (not declared first)"]


def test_the_frame_has_a_row_a_measure(scored: RowScore) -> None:
    passed = scored.frame().filter(name="pass_rate").sort("subject")
    assert passed["value"].to_list() == [1.0, 0.0]
    assert passed["n"].to_list() == [2, 1]
    assert scored.frame().height == len(scored.result.measures)


def test_what_is_shown_is_escaped(scored: RowScore) -> None:
    page = scored._repr_html_()
    assert "<i>" not in page
    assert "&lt;i&gt;a" in page
    assert "Limited Comparability" in page
    assert "<i>a" in str(scored)
    assert str(scored).endswith("\nLimited Comparability (not declared first)")
    assert repr(scored) == f"<score of repeatability: {len(scored.result.measures)} measures>"


def test_options_have_the_names_of_the_command_line() -> None:
    whole = assay.score("repeatability", ROWS, confidence=0.5)
    assert {m.confidence for m in whole.result.measures if m.low is not None} == {0.5}
    with pytest.raises(InputError, match="did you mean 'confidence'"):
        assay.score("repeatability", ROWS, confidnce=0.5)
    with pytest.raises(InputError, match="confidence"):
        assay.score("repeatability", ROWS, confidence="much")


def test_what_is_not_rows_of_the_instrument_is_said() -> None:
    rows: Any
    for rows in (3, {"contract": "is_even"}, "nowhere.jsonl", []):
        with pytest.raises(InputError, match=r"rows|nowhere"):
            assay.score("repeatability", rows)
    with pytest.raises(InputError, match="row 1, outcome: is missing"):
        assay.score("ping", ROWS)


def test_an_instrument_that_fails_is_named(tmp_path: Path) -> None:
    path = tmp_path / "weak.py"
    path.write_text(
        "from assay.measuring import InstrumentBase\n\n\n"
        "class Weak(InstrumentBase):\n    name = 'weak'\n\n"
        "    def trials(self, lock, evidence):\n        return iter(())\n\n"
        "    async def conduct(self, trial, probe):\n        pass\n\n"
        "    def score_rows(self, rows, options):\n        raise ZeroDivisionError\n"
    )
    with pytest.raises(
        ExtensionFailed, match=r"the instrument weak failed in score_rows \(ZeroDivisionError"
    ):
        assay.score(path, ROWS)


def test_rows_are_scored_and_a_study_is_planned_inside_a_running_loop(scored: RowScore) -> None:
    async def cell() -> None:
        assert assay.score("repeatability", ROWS).result == scored.result
        planned = assay.plan(["ping", "drill"], subject="reference:mumbler", quick=True, call_seconds=2)
        assert planned.calls == sum(one.calls for one in planned.instruments.values())
        assert planned.seconds == planned.calls * 2 / planned.connections

    asyncio.run(cell())


def test_a_plan_says_what_it_would_ask_and_asks_nothing(here: Path) -> None:
    planned = assay.plan("ping", subject="openai:nobody", trials=7, require={"success": 0.9})
    assert (planned.calls, planned.instruments["ping"].trials) == (7, 7)
    assert "ping: 7 trials, 7 calls" in str(planned)
    assert "<table" in planned._repr_html_()
    assert not (here / "runs").exists()
    for seconds in (0, "5"):
        with pytest.raises(InputError, match=f"call_seconds {seconds}"):
            assay.plan("ping", subject="openai:nobody", call_seconds=seconds)  # type: ignore[arg-type]


def test_a_plan_takes_what_a_run_takes(here: Path) -> None:
    bare = assay.plan("ping", subject="reference:mumbler", trials=7)
    assert bare == assay.plan("ping", subject="reference:mumbler", trials=7, name="x", out="y", report=False)
