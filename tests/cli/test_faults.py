"""What went wrong on the way is said in the endpoint's own words: at the end of a run, in status, report, reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.testing.stub import Faults, stub_process

from .conftest import Assay, Ended


def _run(assay: Assay, url: str, *more: str) -> Ended:
    spec = ("-s", "openai:stub", "--base-url", url, "--connections", "1")
    return assay("run", "ping", *spec, "--set", "trials=4", "--name", "r", *more)


def _listed(tmp_path: Path) -> list[dict[str, Any]]:
    envelope = json.loads((tmp_path / "runs/r/reading-ping.json").read_bytes())["envelope"]
    found: list[dict[str, Any]] = envelope.get("faults", [])
    return found


def test_the_first_fault_of_a_kind_stands_everywhere_in_the_endpoints_own_words(
    assay: Assay, tmp_path: Path
) -> None:
    with stub_process(faults=Faults.of(http_400=1.0)) as stub:
        ended = _run(assay, stub.url)
    [fault] = _listed(tmp_path)
    said = fault["first"]["said"]
    assert said == "The request was not understood."
    counts = {name: fault[name] for name in ("subject", "fault", "count", "trials", "of", "lost", "cured")}
    assert counts == {
        "subject": "openai:stub", "fault": "http_400", "count": 4, "trials": 4, "of": 4, "lost": 4, "cured": 0,
    }  # fmt: skip
    assert len(fault["first"]["trial"]) == 64
    assert said in ended.out
    assert said in assay("status", "r").out
    assert json.loads(assay("status", "r", "--json").out)["first_faults"] == [fault]
    assert said in (tmp_path / "runs/r/report.html").read_text("utf-8")
    assert assay("audit", "r").code == 0


def test_faults_that_another_try_cured_are_said_to_be(assay: Assay, tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(http_500=1.0, until=2)) as stub:
        ended = _run(assay, stub.url)
    assert ended.code == 0
    [fault] = _listed(tmp_path)
    assert (fault["fault"], fault["count"], fault["cured"], fault["lost"]) == ("http_500", 2, 2, 0)
    assert fault["first"]["said"]
    assert fault["first"]["said"] in ended.out


def test_a_run_without_faults_lists_none(assay: Assay, tmp_path: Path) -> None:
    assert assay("run", "ping", "-s", "reference:mumbler", "--quick", "--name", "r").code == 0
    assert "faults" not in json.loads((tmp_path / "runs/r/reading-ping.json").read_bytes())["envelope"]


def test_words_that_steer_a_terminal_or_a_page_do_nothing(assay: Assay, tmp_path: Path) -> None:
    words = "<script>alert(1)</script>\\x1b[2J\\u202e"
    (tmp_path / "weak.py").write_text(f'def answer(messages):\n    raise ValueError("{words}")\n')
    ended = assay("run", "ping", "-s", "python:weak:answer", "--set", "trials=2", "--name", "r")
    assert "<script>alert(1)</script>" in ended.out
    assert not {"\x1b", "\u202e"} & set(ended.out)
    page = (tmp_path / "runs/r/report.html").read_text("utf-8")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page
    assert not {"\x1b", "\u202e"} & set(page)


def test_a_page_in_place_of_a_reply_is_quoted(assay: Assay, tmp_path: Path) -> None:
    with stub_process(faults=Faults.of(wrong_content_type=1.0, until=1)) as stub:
        ended = _run(assay, stub.url)
    [fault] = _listed(tmp_path)
    assert "<html" in fault["first"]["said"].lower()
    assert fault["first"]["said"] in ended.out


def test_a_reading_that_was_made_before_readings_listed_faults_still_holds(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, stub_process(faults=Faults.of(http_500=1.0, until=1)) as stub:
        patched.setattr("assay.evidence.faults.FaultCounts.listed", lambda *_, **__: [])
        _run(assay, stub.url)
    assert not _listed(tmp_path)
    audited = assay("audit", "r")
    assert audited.code == 0
    assert "lists no faults" in audited.out
