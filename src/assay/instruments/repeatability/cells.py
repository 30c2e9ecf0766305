"""A cell: the outputs of one subject for one contract under one condition, in the order of repetition.

Everything the measures need is worked out here once per distinct text, exactly: counts are integers, distances
are fractions. Rounding is for display.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct

from assay.canonical import digest

from .distance import DISTANCE, distance
from .extraction import EXTRACTION
from .normalisation import VERSIONS, Normal, ast_key, normalise, signature

__all__ = [
    "ORACLE",
    "Anchor",
    "Canon",
    "Cell",
    "CellKey",
    "Output",
    "Row",
    "record_rows",
    "sorted_cells",
    "versions",
]

ORACLE = "oracle/1"


def versions(*, extracted: bool) -> dict[str, str]:
    """Recorded with every result: signatures and canons hold within these versions only (spec, Versions)."""
    found = {
        "normalisation.text": VERSIONS["text"],
        "normalisation.ast": VERSIONS["ast"],
        "agreement.ast": VERSIONS["astdump"],
        "oracle": ORACLE,
        "distance": DISTANCE,
    }
    return {**found, "extraction": EXTRACTION} if extracted else found


class CellKey(Struct, frozen=True, order=True):
    contract: str
    model: str
    temperature: float | None = None

    @property
    def labels(self) -> dict[str, str | float]:
        labels: dict[str, str | float] = {"contract": self.contract, "model": self.model}
        if self.temperature is not None:
            labels["temperature"] = self.temperature
        return labels


class Output(Struct, frozen=True):
    """One program, and what the oracle said of it."""

    repetition: int
    code: str
    state: str  # pass, wrong, exception, timeout, memory, killed, protocol_error
    tests_passed: int
    tests: int
    reply: str | None = None  # the whole reply where it was more than the program
    trial: str = ""

    @property
    def passed(self) -> bool:
        return self.state == "pass"


class Canon(Struct, frozen=True, kw_only=True):
    """The reference point of a cell: fixed by the first output that passes, never rewritten."""

    contract: str
    snapshot: str  # digest of the contract it answers
    code: str
    oracle: str = ORACLE
    normalisation: str = VERSIONS["text"]

    @property
    def digest(self) -> str:
        return digest(self)


class Anchor(Struct, frozen=True):
    """A cell's canon. ``index`` is where in the cell it stands; None when it comes from elsewhere."""

    canon: Canon | None
    index: int | None
    source: str  # this cell, another cell, declared, none


class Row(Struct, frozen=True):
    """One output against the canon: a line of the CSV."""

    output: Output
    signatures: dict[str, str]
    distances: dict[str, Fraction]  # by level; empty without a canon
    fallback: bool  # does not parse: level ast fell back to text


class Cell:
    """Outputs of one cell, with their normal forms."""

    def __init__(self, key: CellKey, outputs: list[Output], *, planned: int | None = None) -> None:
        self.key = key
        self.outputs = sorted(outputs, key=lambda output: output.repetition)
        self.planned = len(outputs) if planned is None else planned
        self._normal: dict[tuple[str, str], Normal] = {}
        self._distance: dict[tuple[str, str, str], Fraction] = {}

    @property
    def n(self) -> int:
        return len(self.outputs)

    def normal(self, code: str, level: str) -> Normal:
        key = (level, code)
        if key not in self._normal:
            self._normal[key] = normalise(code, level)
        return self._normal[key]

    def raw_counts(self) -> list[int]:
        """How often each distinct program occurs, byte for byte, most frequent first."""
        return sorted(Counter(output.code for output in self.outputs).values(), reverse=True)

    def reply_counts(self) -> list[int]:
        return sorted(
            Counter(o.code if o.reply is None else o.reply for o in self.outputs).values(), reverse=True
        )

    def ast_counts(self) -> list[int]:
        seen: dict[str, tuple[str, str]] = {}
        for output in self.outputs:
            if output.code not in seen:
                seen[output.code] = ast_key(output.code)
        return sorted(Counter(seen[output.code] for output in self.outputs).values(), reverse=True)

    def first_passing(self) -> int | None:
        """The position of the first output, by repetition number, that passes the oracle."""
        return next((i for i, output in enumerate(self.outputs) if output.passed), None)

    def distance(self, code: str, canon: str, level: str) -> Fraction:
        key = (level, code, canon)
        if key not in self._distance:
            self._distance[key] = distance(self.normal(code, level).text, self.normal(canon, level).text)
        return self._distance[key]

    def rows(self, canon: str | None) -> list[Row]:
        return [
            Row(
                output,
                {level: signature(self.normal(output.code, level).text) for level in ("text", "ast")},
                {}
                if canon is None
                else {level: self.distance(output.code, canon, level) for level in ("text", "ast")},
                self.normal(output.code, "ast").fallback,
            )
            for output in self.outputs
        ]


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    """In the order of contract, model and temperature: never that of arrival."""

    def place(cell: Cell) -> tuple[str, str, bool, float]:
        key = cell.key
        return key.contract, key.model, key.temperature is not None, key.temperature or 0.0

    return sorted(cells, key=place)


def record_rows(cells: Sequence[Cell], anchors: Sequence[Anchor]) -> Iterator[dict[str, Any]]:
    """One flat row an output, at full precision, with the versions that define its numbers."""
    for cell, anchor in zip(cells, anchors, strict=True):
        canon = anchor.canon
        for row in cell.rows(canon.code if canon else None):
            output = row.output
            yield {
                "contract": cell.key.contract,
                "model": cell.key.model,
                "temperature": cell.key.temperature,
                "repetition": output.repetition,
                "trial": output.trial,
                "state": output.state,
                "tests_passed": output.tests_passed,
                "tests": output.tests,
                "signature_text": row.signatures["text"],
                "signature_ast": row.signatures["ast"],
                "distance_text": float(row.distances["text"]) if canon else None,
                "distance_ast": float(row.distances["ast"]) if canon else None,
                "canon": canon.digest if canon else None,
                "unparseable": row.fallback,
                "normalisation_text": VERSIONS["text"],
                "normalisation_ast": VERSIONS["ast"],
                "oracle": ORACLE,
                "distance": DISTANCE,
            }
