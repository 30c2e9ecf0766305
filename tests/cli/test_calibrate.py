"""``assay calibrate``: what it prints, what it writes, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.instruments.repeatability import calibration_cells
from assay.instruments.repeatability.calibration_grid import GRID
from assay.stats import wilson_array

from .conftest import Assay

FEW = ("calibrate", "repeatability", "--quick", "--runs", "20", "--workers", "1")


@pytest.fixture
def small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = tuple(d for d in GRID if d.name in ("never twice", "two equal", "never passes"))
    monkeypatch.setattr("assay.instruments.repeatability.calibration.GRID", chosen)


@pytest.mark.usefixtures("small_grid")
def test_the_truth_stands_beside_the_reading_and_the_lowest_coverage_is_named(
    assay: Assay, tmp_path: Path
) -> None:
    ended = assay(*FEW, "--out", "points.json")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert "two equal: two programs, half and half" in lines
    assert lines[2].split() == ["measure", "n", "truth", "reading", "bias", "coverage", "width"]
    assert any(line.split()[:6] == ["R_raw", "5", ".000", ".200", "+.200", "1.000"] for line in lines)
    assert any(line.split() == ["R_anchor", "text", "5", "in", "none", "of", "20", "cells"] for line in lines)
    assert any(line.split()[:4] == ["entropy", "bytes", "5", "∞"] for line in lines)
    (lowest,) = [line for line in lines if line.startswith("lowest coverage ")]
    written = json.loads((tmp_path / "points.json").read_bytes())
    assert written["holds"] is True
    assert f"n = {written['lowest']['n']}, {written['lowest']['distribution']})" in lowest
    assert len(written["points"]) == 3 * 2 * 50
    assert lines[-3] == "No proof, either way: from 20 runs a coverage is known to ± .096; take 1000."
    assert lines[-1] == "Every point is in points.json."
    assert ended.err.splitlines()[0] == "working out what the subjects give: 0/6"
    assert ended.err.splitlines()[-1] == "points scored: 6/6"


@pytest.mark.usefixtures("small_grid")
def test_all_points_are_printed_when_asked_for(assay: Assay) -> None:
    shown = assay(*FEW, "--all").out.splitlines()
    assert len([line for line in shown if line.startswith("  ") and "measure" not in line]) == 3 * 2 * 50


@pytest.mark.usefixtures("small_grid")
def test_json_is_one_document(assay: Assay) -> None:
    ended = assay(*FEW, "--json")
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    told = json.loads(ended.out)
    assert (told["instrument"], told["runs"], told["required"]) == ("repeatability", 20, 0.935)
    point = told["points"][0]
    assert set(point) >= {"truth", "reading", "bias", "coverage", "width", "cells", "absent"}


@pytest.mark.usefixtures("small_grid")
def test_an_interval_that_does_not_hold_ends_with_code_1_and_is_named(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration_cells, "modal_share_array", wilson_array)
    ended = assay(*FEW)
    assert ended.code == 1
    assert "lowest coverage .000 (R_raw, n = 5, never twice)" in ended.out.splitlines()
    assert "  .000  R_raw, n = 5, never twice: 1.000 too high, .000 too low" in ended.out.splitlines()


def test_an_instrument_without_calibration_is_told_so(assay: Assay) -> None:
    ended = assay("calibrate", "ping")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "assay: ping has no calibration\n"


def test_wrong_input_is_told_before_anything_is_worked_out(assay: Assay) -> None:
    assert assay("calibrate", "repeatabilty").err.startswith(
        "assay: unknown instrument 'repeatabilty'; did you mean 'repeatability'?"
    )
    ended = assay("calibrate", "repeatability", "--out", "nowhere/points.json")
    assert (ended.code, ended.err) == (2, "assay: there is no folder nowhere to write points.json to\n")
    assert assay("calibrate", "repeatability", "--runs", "0").code == 2


@pytest.mark.slow
def test_the_quick_calibration_of_the_whole_grid_holds(assay: Assay) -> None:
    ended = assay("calibrate", "repeatability", "--quick", "--workers", "2")
    assert ended.code == 0, ended.out[-2000:]
    assert "1200: --all" in ended.out
    assert "No proof" in ended.out
