"""What can be required of repeatability: every target is taken, in every cell, and judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.bench.prepare import prepare
from assay.errors import InputError
from assay.instruments.repeatability.cells.cell import Cell
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.measures.targets import TARGETS
from assay.instruments.repeatability.scoring import Settings
from assay.measuring import find_measure
from assay.study import Study

from .making import cell_of, measure, score

A, B = "def f(x):\n    return x\n", "def f(y):\n    return y\n"


def test_every_cell_is_judged_in_order() -> None:
    cells = [cell_of(*[A] * 9, temperature=t) for t in (0.0, 1.0)]
    result = score(*cells, settings=Settings(require={"R behaviour": 0.5, "R_raw": 0.9}))
    mine = [v for v in result.verdicts if v.kind == "requirement"]
    assert [(v.name, v.labels["temperature"], v.holds) for v in mine] == [
        ("R behaviour", 0.0, True), ("R behaviour", 1.0, True), ("R_raw", 0.0, None), ("R_raw", 1.0, None),
    ]  # fmt: skip


OTHER = {"keys", "value", "space", "case", "answer"}


@pytest.mark.parametrize("name", TARGETS)
def test_every_measure_that_can_be_required_is_taken_and_judged(name: str) -> None:
    """What is not measured is not established: R_reply of rows, rungs of JSON and texts. Without a place: ast."""
    result = score(cell_of(*[A] * 6, B), settings=Settings(repair=True, require={name: 0.5}))
    (verdict,) = result.verdicts
    found = find_measure(result, TARGETS[name].measure, **TARGETS[name].labels)
    if name == "R_reply" or OTHER & set(TARGETS[name].labels.values()):
        assert (verdict.holds, verdict.because, found) == (None, "it is not measured in this cell", None)
    else:
        assert found is not None
        assert verdict.because.startswith(f"{found.value:.3f}, interval ")
        assert found.labels.get("rung", found.labels.get("level", "ast")) == (name.partition(" ")[2] or "ast")


def test_what_is_required_and_not_measured_is_said_and_not_passed_over() -> None:
    """A gate must not open because nobody looked."""
    unrepaired = score(cell_of(A, B), settings=Settings(require={"R_anchor": 0.1}))
    made = cell_of(A, B)
    foreign = score(
        Cell(made.key, made.outputs, kind=programs_in("awk")),
        settings=Settings(repair=True, require={"R": 0.1}),
    )
    for result in (unrepaired, foreign):
        (verdict,) = result.verdicts
        assert (verdict.holds, verdict.because) == (None, "it is not measured in this cell")


def test_without_a_canon_what_is_required_against_it_is_not_established() -> None:
    result = score(cell_of((A, "wrong")), settings=Settings(repair=True, require={"R_anchor": 0.0}))
    (verdict,) = result.verdicts
    assert (verdict.holds, verdict.because) == (None, "; ".join(measure(result, "R_anchor", "ast").notes))


@pytest.mark.parametrize(
    ("name", "bound", "message"),
    [
        ("R behavior", 0.5, "unknown measure 'R behavior'; did you mean 'R behaviour'?"),
        ("R_anchor names", 0.5, "unknown measure 'R_anchor names'; did you mean 'R_anchor ast'?"),
        ("mu_pre", -0.1, "mu_pre: -0.1 is asked for, but it lies between 0 and 1"),
    ],
)
def test_what_cannot_be_required_is_refused_before_anything_is_asked(
    tmp_path: Path, name: str, bound: float, message: str
) -> None:
    study = Study(subjects=("reference:steady",), instruments={"repeatability": {"require": {name: bound}}})
    with pytest.raises(InputError) as caught:
        prepare(study, tmp_path)
    assert str(caught.value).startswith(f"instruments.repeatability.require: {message}")
