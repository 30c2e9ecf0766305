"""Outputs that are no programs: they behave in no way, and whole replies among them are noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.rows import scored_cells
from assay.instruments.repeatability.scoring import Settings
from assay.vocabulary import Result
from tests.support import command, environment

from .making import measure, score

ADD = "def add(a, b):\n    return a + b\n"
FENCED = f"```python\n{ADD}```\n"
TALK = f"Here it is:\n\n{FENCED}"
CUT = "def add(a, b"
OF_BEHAVIOUR = ("R", "pairwise_agreement", "entropy", "distinct", "unseen", "novelty")


def scored(folder: Path, *rows: tuple[str, list[str]], extract: bool = False) -> Result:
    path = folder / "rows.jsonl"
    lines = [{"contract": "add", "subject": subject, "outputs": outputs} for subject, outputs in rows]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return scored_cells(path, None, settings=Settings(), extract=extract).result


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    rows = [("talks", [FENCED, TALK, FENCED]), ("same", [TALK] * 3), ("mixed", [ADD, ADD, CUT, FENCED])]
    return scored(tmp_path_factory.mktemp("rows"), *rows)


@pytest.mark.parametrize("subject", ["talks", "same"])
def test_where_nothing_loads_no_behaviour_is_the_same(result: Result, subject: str) -> None:
    assert measure(result, "pass_rate", subject=subject).value == 0
    for name in OF_BEHAVIOUR:
        found = measure(result, name, subject=subject, rung="behaviour")
        assert (found.value, found.low, found.high, found.bound_low, found.n) == (None,) * 4 + (3,)
        assert found.notes
    assert measure(result, "R", subject=subject, rung="text").value is not None


def test_what_does_not_load_joins_nothing_and_leaves_no_bounds(result: Result) -> None:
    """It is not unknown how it behaves: it does not."""
    found = measure(result, "R", subject="mixed", rung="behaviour")
    assert (found.value, found.bound_high) == (0.5, None)
    assert measure(result, "distinct", subject="mixed", rung="behaviour").value == 3


def test_bounds_of_what_was_not_seen_leave_out_what_was_not_loaded() -> None:
    outputs = [
        Output(0, "x = 1", "pass", 1, 1, behaviour="a"),
        Output(1, "x = 2", "timeout", 0, 1),
        *(Output(number, f"x = ({number}", "exception", 0, 1, loaded=False) for number in (2, 3)),
    ]
    found = score(Cell(CellKey("c", "m", 0.0), outputs))
    share = measure(found, "R", rung="behaviour")
    assert (share.value, share.bound_low, share.bound_high) == (0.25, 0.25, 0.5)
    assert "the behaviour of 1 of 4 outputs is unknown" in share.notes
    assert measure(found, "distinct", rung="behaviour").bound_low == 3
    assert measure(found, "novelty", rung="behaviour").bound_low == 0.5  # the two that were not loaded


def test_fenced_replies_are_noticed_with_the_option_and_the_rows(result: Result) -> None:
    (note,) = result.notes
    assert "8 of 10 outputs" in note
    assert "3 rows" in note
    assert "--extract" in note


def test_with_extraction_there_is_nothing_to_notice(tmp_path: Path) -> None:
    result = scored(tmp_path, ("talks", [FENCED, TALK]), extract=True)
    assert result.notes == ()
    assert measure(result, "R", rung="behaviour").value == 1


def test_syntax_errors_without_a_fence_are_counted_but_no_option_helps(tmp_path: Path) -> None:
    (note,) = scored(tmp_path, ("m", [CUT, ADD])).notes
    assert "1 of 2 outputs" in note
    assert "--extract" not in note


@pytest.mark.parametrize("more", [(), ("--all",)])
def test_the_screen_says_so(tmp_path: Path, more: tuple[str, ...]) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"contract": "add", "subject": "m", "outputs": [TALK]}))
    done = command("score", "repeatability", rows, *more, cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "1 row has fenced blocks: --extract" in done.stdout
