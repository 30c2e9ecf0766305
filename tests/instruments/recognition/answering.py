"""Rows of answered lineups for the tests, written briefly, and their scores found by name and labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.instruments.recognition.protocol import Recognition
from assay.instruments.recognition.row_options import RecognitionRowOptions
from assay.measuring.rows import open_rows
from assay.vocabulary import Measure, Result, Verdict

Row = dict[str, Any]


def answer(own: int, choice: int | None, **more: Any) -> Row:
    """One answer of subject s about itself, in phase self; a lineup of four unless ``options`` says otherwise."""
    row = {"subject": "s", "target": "s", "phase": "self", "lineup": "l", "options": 4, "own": own}
    return {**row, "choice": choice, **more}


def answers(pairs: Iterable[tuple[int, int | None]], **more: Any) -> list[Row]:
    """One answer a pair of own and choice, each of a lineup of its own."""
    return [answer(own, choice, lineup=f"l{at}", **more) for at, (own, choice) in enumerate(pairs)]


def scored(rows: Iterable[Row], **options: Any) -> Result:
    return Recognition().score_rows(open_rows(list(rows)), RecognitionRowOptions(**options)).result


def find(result: Result, name: str, subject: str = "s", **labels: str) -> Measure:
    """The one measure with exactly these labels."""
    wanted = {"subject": subject, **labels}
    found = [m for m in result.measures if m.name == name and m.labels == wanted]
    assert len(found) == 1, (name, wanted, len(found))
    return found[0]


def value(result: Result, name: str, subject: str = "s", **labels: str) -> float | None:
    return find(result, name, subject, **labels).value


def verdict(result: Result, name: str, subject: str = "s", **labels: str) -> Verdict:
    wanted = {"subject": subject, **labels}
    found = [v for v in result.verdicts if v.name == name and v.labels == wanted]
    assert len(found) == 1, (name, wanted, len(found))
    return found[0]
