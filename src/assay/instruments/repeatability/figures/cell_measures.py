"""The measures of a result, found by the cell they are of; cells and conditions in a few words."""

from __future__ import annotations

from collections.abc import Iterable

from assay.instruments.repeatability.cells.cell import Cell, CellKey, key_of
from assay.report.wording import listed
from assay.vocabulary import Measure, Result

__all__ = ["CellMeasures", "alike", "condition_text", "named", "noun_of"]

# Rungs and levels: of Python, of JSON, of a text, of a language whose grammar Assay does not read.
_FORM = ("names", "keys", "case", "text")
_RESULT = ("behaviour", "value", "answer")
_LEVELS = ("ast", "value", "case", "text")


class CellMeasures:
    """By name, cell, and rung or level."""

    def __init__(self, result: Result) -> None:
        self._of_cells = [m for m in result.measures if "contract" in m.labels]
        self._by = {
            (m.name, key_of(m), m.labels.get("rung"), m.labels.get("level")): m for m in self._of_cells
        }

    def get(
        self, name: str, key: CellKey, rung: str | None = None, level: str | None = None
    ) -> Measure | None:
        return self._by.get((name, key, rung, level))

    def named(self, name: str) -> list[Measure]:
        return [measure for measure in self._of_cells if measure.name == name]

    def cells(self) -> list[CellKey]:
        """The cells, in the order of the result."""
        return [key_of(measure) for measure in self.named("pass_rate")]

    @property
    def repaired(self) -> bool:
        return bool(self.named("R_anchor"))

    @property
    def tau(self) -> float | None:
        return next((float(m.labels["tau"]) for m in self._of_cells if "tau" in m.labels), None)

    @property
    def confidence(self) -> float | None:
        return next((m.confidence for m in self._of_cells if m.confidence is not None), None)

    @property
    def programs(self) -> bool:
        """Whether all outputs are programs."""
        return all(self.get("R", key, rung="behaviour") for key in self.cells())

    def raw(self, key: CellKey) -> Measure | None:
        """R byte for byte."""
        return self.get("R_raw", key)

    def form(self, key: CellKey) -> Measure | None:
        """R for what is the same but for its form: the same program, the same words."""
        return next(filter(None, (self.get("R", key, rung=rung) for rung in _FORM)), None)

    def result(self, key: CellKey) -> Measure | None:
        """R for what comes to the same: the behaviour of a program, a value, an answer."""
        return next(filter(None, (self.get("R", key, rung=rung) for rung in _RESULT)), None)

    def anchored(self, name: str, key: CellKey) -> Measure | None:
        """A measure against the canon at the level that counts the least as a difference."""
        return next(filter(None, (self.get(name, key, level=level) for level in _LEVELS)), None)


def condition_text(key: CellKey, *, brief: bool = False) -> str:
    """What was varied, in a few words."""
    parts = ["T default" if key.temperature is None else f"T {key.temperature:g}"]
    if key.top_p is not None:
        parts.append(f"{'p' if brief else 'top_p'} {key.top_p:g}")
    if key.wording is not None:
        parts.append(f"{'w' if brief else 'wording'} {key.wording}")
    return (" " if brief else ", ").join(parts)


def named(names: Iterable[str], many: str) -> str:
    """Up to four by name, more by number."""
    found = list(dict.fromkeys(names))
    if len(found) > 4:
        return f"{len(found)} {many}"
    return listed(found) if found else f"no {many}"


def noun_of(cells: Iterable[Cell]) -> str:
    """What their outputs are called: program where all of them are."""
    return "program" if {cell.kind.noun for cell in cells} <= {"program"} else "output"


def alike(cells: Iterable[Cell]) -> str:
    """What outputs have in common that count as one in a picture."""
    return "same syntax tree" if noun_of(cells) == "program" else "same syntax tree, JSON value or words"
