"""``assay calibrate``: what it prints, what it writes, and how it ends, on a grid as small as one can be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assay_drill import Drill
from assay_drill.calibration import DrillGrid, Lucky
from numpy.typing import NDArray

from assay.measuring.calibration import Key, Readings

from .conftest import Assay

FEW = ("calibrate", "drill", "--quick", "--runs", "20", "--workers", "1")
Floats = NDArray[np.float64]


class OddGrid(DrillGrid):
    """The drill's, with a measure that no cell has and one whose truth is infinite."""

    def truth(self, member: Lucky, n: int, drawn: Any) -> Mapping[Key, Floats]:
        odd = {Key("absent"): np.zeros(len(drawn)), Key("endless"): np.full(len(drawn), np.inf)}
        return {**super().truth(member, n, drawn), **odd}

    def read(self, member: Lucky, n: int, drawn: Any) -> Mapping[Key, Readings]:
        none, some = np.full(len(drawn), np.nan), np.ones(len(drawn))
        odd = {
            Key("absent"): Readings(none, none, none),
            Key("endless"): Readings(some, some, np.full(len(drawn), np.inf)),
        }
        return {**super().read(member, n, drawn), **odd}


class LevelGrid(DrillGrid):
    """Of readings that are levels."""

    required_right = 0.9

    def truth(self, member: Lucky, n: int, drawn: Any) -> Mapping[Key, Floats]:
        return {Key("level"): np.full(len(drawn), 2.0)}

    def read(self, member: Lucky, n: int, drawn: Any) -> Mapping[Key, Readings]:
        return {Key("level"): Readings(np.full(len(drawn), 2.0))}


class NarrowGrid(DrillGrid):
    """Its intervals hold nothing but the value."""

    def sizes(self, quick: bool) -> Sequence[int]:
        return (5,)

    def read(self, member: Lucky, n: int, drawn: Any) -> Mapping[Key, Readings]:
        return {Key("reached"): Readings(*[np.full(len(drawn), 0.9)] * 3)}


def test_the_truth_stands_beside_the_reading_and_the_lowest_coverage_is_named(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Drill, "grid", lambda self: OddGrid())
    ended = assay(*FEW, "--out", "points.json")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert "lucky_0.5: reaches its target with probability 0.5" in lines
    assert lines[2].split() == ["measure", "n", "truth", "reading", "bias", "coverage", "width"]
    assert any(line.split()[:3] == ["reached", "10", ".500"] for line in lines)
    assert any(line.split() == ["absent", "10", "in", "none", "of", "20", "cells"] for line in lines)
    assert any(line.split()[:3] == ["endless", "10", "∞"] for line in lines)
    (lowest,) = [line for line in lines if line.startswith("lowest coverage ")]
    written = json.loads((tmp_path / "points.json").read_bytes())
    assert written["holds"] is True
    assert f"n = {written['lowest']['n']}, {written['lowest']['distribution']})" in lowest
    assert len(written["points"]) == 2 * 3
    assert lines[-3] == "No proof, either way: from 20 runs a coverage is known to ± .096; take 1000."
    assert lines[-1] == "Every point is in points.json."
    assert ended.err.splitlines()[0] == "working out what the subjects give: 0/2"
    assert ended.err.splitlines()[-1] == "points scored: 2/2"


def test_of_each_measure_the_lowest_is_shown_and_all_when_asked_for(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DrillGrid, "sizes", lambda self, quick: (5, 10, 20))

    def shown(*more: str) -> int:
        lines = assay(*FEW, *more).out.splitlines()
        return len([line for line in lines if line.startswith("  ") and "measure" not in line])

    assert (shown(), shown("--all")) == (2, 2 * 3)


def test_levels_are_shown_by_how_often_they_are_read_right(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Drill, "grid", lambda self: LevelGrid())
    lines = assay(*FEW).out.splitlines()
    assert lines[2].split() == ["level", "n", "truth", "reading", "right", "too", "high"]
    assert "2 levels of 20 runs each; too high in at most .065, right in at least .900: all keep it" in lines


def test_json_is_one_document(assay: Assay) -> None:
    ended = assay(*FEW, "--json")
    assert (ended.code, ended.err, ended.out.count("\n")) == (0, "", 1)
    told = json.loads(ended.out)
    assert (told["instrument"], told["runs"], told["required"]) == ("drill", 20, 0.935)
    point = told["points"][0]
    assert set(point) >= {"truth", "reading", "bias", "coverage", "width", "cells", "absent"}


def test_an_interval_that_does_not_hold_ends_with_code_1_and_is_named(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Drill, "grid", lambda self: NarrowGrid())
    ended = assay(*FEW)
    assert ended.code == 1
    assert "lowest coverage .000 (reached, n = 5, lucky_0.1)" in ended.out.splitlines()
    assert "  .000  reached, n = 5, lucky_0.1: 1.000 too high, .000 too low" in ended.out.splitlines()


def test_several_processes_give_the_same_numbers(assay: Assay) -> None:
    assert assay(*FEW[:-1], "2", "--json").out == assay(*FEW, "--json").out


def test_an_instrument_without_calibration_is_told_so(assay: Assay) -> None:
    ended = assay("calibrate", "ping")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "assay: ping has no calibration\n"


def test_wrong_input_is_told_before_anything_is_worked_out(assay: Assay) -> None:
    assert assay("calibrate", "dril").err.startswith(
        "assay: unknown instrument 'dril'; did you mean 'drill'?"
    )
    ended = assay("calibrate", "drill", "--out", "nowhere/points.json")
    assert (ended.code, ended.err) == (2, "assay: there is no folder nowhere to write points.json to\n")
    assert assay("calibrate", "drill", "--runs", "0").code == 2


@pytest.mark.slow
def test_the_quick_calibration_of_a_whole_grid_holds(assay: Assay) -> None:
    ended = assay("calibrate", "repeatability", "--quick", "--workers", "2")
    assert ended.code == 0, ended.out[-2000:]
    assert "No proof" in ended.out
