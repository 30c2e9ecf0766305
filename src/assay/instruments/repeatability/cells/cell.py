"""A cell: the outputs of one subject for one contract under one condition, in the order of repetition.

Everything the measures need is worked out here once per distinct text, exactly: counts are integers, distances
are fractions. Rounding is for display.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import msgspec
from msgspec import Struct

from assay.canonical import digest
from assay.instruments.repeatability.kinds import NormalForms, OutputKind, PythonPrograms
from assay.instruments.repeatability.programs.ladder import class_sizes, climb
from assay.instruments.repeatability.programs.repair import Repair
from assay.vocabulary import Measure

__all__ = ["PYTHON", "Anchor", "Canon", "Cell", "CellKey", "Due", "Output", "due", "key_of", "sorted_cells"]


PYTHON = PythonPrograms()


class CellKey(Struct, frozen=True, order=True):
    """What a cell is of. ``top_p`` and ``wording`` (0 is the prompt itself) only where a study varies them."""

    contract: str
    subject: str
    temperature: float | None = None
    top_p: float | None = None
    wording: int | None = None

    @property
    def labels(self) -> dict[str, str | float]:
        labels: dict[str, str | float] = {"contract": self.contract, "subject": self.subject}
        for name in ("temperature", "top_p", "wording"):
            if getattr(self, name) is not None:
                labels[name] = getattr(self, name)
        return labels

    @property
    def condition(self) -> tuple[float, ...]:
        """Everything but contract and subject, in an order: what was not varied comes first."""
        return tuple(-1.0 if v is None else v for v in (self.temperature, self.top_p, self.wording))


def key_of(measure: Measure) -> CellKey:
    """The cell a measure is of. In a file every number is a real; a wording is a whole one."""
    found = {k: v for k, v in measure.labels.items() if k in CellKey.__struct_fields__}
    wording = found.get("wording")
    if isinstance(wording, float) and wording.is_integer():
        found["wording"] = int(wording)
    return msgspec.convert(found, CellKey)


class Output(Struct, frozen=True):
    """One output, and what the oracle said of it."""

    repetition: int
    code: str
    state: str  # pass, or how it fails: wrong, and what its kind says
    tests_passed: int
    tests: int
    reply: str | None = None  # the whole reply where it was more than the output
    trial: str = ""
    behaviour: str | None = None  # digest of its results; None where they were not seen to the end
    start: int = 0  # where in the reply the output begins
    failing: int | None = None  # the first test that did not pass
    detail: str = ""  # why it did not, in the oracle's words
    loaded: bool = True  # False: there was nothing to call

    @property
    def passed(self) -> bool:
        return self.state == "pass"


class Canon(Struct, frozen=True, kw_only=True):
    """The reference point of a cell: fixed by the first output that passes, never rewritten.

    It holds what the definitions ask for (spec, Canon Establishment). Nothing in it depends on the machine.
    """

    contract: str
    snapshot: str  # digest of the contract it answers
    code: str  # as it came
    normalised: str  # at level text
    signature: str  # of the normalised code
    versions: dict[str, str]  # of all rules

    @property
    def digest(self) -> str:
        return digest(self)


class Anchor(Struct, frozen=True):
    """A cell's canon. ``index`` is where in the cell it stands; None when it comes from elsewhere."""

    canon: Canon | None
    index: int | None
    source: str  # this cell, another cell, declared, none


class Cell:
    """Outputs of one cell, with their normal forms, their ladder, and what repair made of them."""

    def __init__(
        self,
        key: CellKey,
        outputs: list[Output],
        *,
        planned: int | None = None,
        kind: OutputKind = PYTHON,
    ) -> None:
        self.key, self.kind = key, kind
        self.outputs = sorted(outputs, key=lambda output: output.repetition)
        self.planned = len(outputs) if planned is None else planned
        self.repairs: dict[str, Repair] = {}  # by the program that was repaired
        self._forms: dict[str, NormalForms] = {}
        self._distance: dict[tuple[str, str, str], Fraction] = {}

    @property
    def n(self) -> int:
        return len(self.outputs)

    @property
    def loaded(self) -> bool:
        """Whether there was a program to call in any output: without one nothing behaves."""
        return any(output.loaded for output in self.outputs)

    @property
    def rungs(self) -> tuple[str, ...]:
        return self.kind.rungs

    @property
    def levels(self) -> tuple[str, ...]:
        """At which distances to the canon are measured."""
        return self.kind.levels

    def forms(self, code: str) -> NormalForms:
        if code not in self._forms:
            self._forms[code] = self.kind.forms(code)
        return self._forms[code]

    def form(self, code: str, level: str) -> str:
        """The normal form at a level."""
        found: str = getattr(self.forms(code), level)
        return found

    def raw_counts(self) -> list[int]:
        """How often each distinct output occurs, byte for byte, most frequent first."""
        return sorted(Counter(output.code for output in self.outputs).values(), reverse=True)

    def reply_counts(self) -> list[int]:
        return sorted(
            Counter(o.code if o.reply is None else o.reply for o in self.outputs).values(), reverse=True
        )

    def same_counts(self) -> list[int]:
        """As pictures count distinct outputs; of programs those with the same syntax tree."""
        found = Counter(self.kind.same(self.forms(output.code)) for output in self.outputs)
        return sorted(found.values(), reverse=True)

    def field_classes(self, field: str) -> list[Hashable]:
        """For each output what stands in a field. What cannot be read is like nothing but its own text."""
        parts = (self.kind.field(output.code, field) for output in self.outputs)
        return [
            (number,) if part is None else part
            for number, part in zip(self.ladder["text"], parts, strict=True)
        ]

    def field_counts(self, field: str) -> list[int]:
        return sorted(Counter(self.field_classes(field)).values(), reverse=True)

    @cached_property
    def ladder(self) -> dict[str, list[int]]:
        """For each rung the class of each output."""
        codes = [output.code for output in self.outputs]
        return climb(codes, [output.behaviour for output in self.outputs], self.forms, self.rungs)

    def rung_counts(self, rung: str) -> list[int]:
        return class_sizes(self.ladder[rung])

    def first_passing(self) -> int | None:
        """The position of the first output, by repetition number, that passes the oracle."""
        return next((i for i, output in enumerate(self.outputs) if output.passed), None)

    def distance(self, code: str, canon: str, level: str) -> Fraction:
        key = (level, code, canon)
        if key not in self._distance:
            self._distance[key] = self.kind.distance(self.forms(code), self.forms(canon), level)
        return self._distance[key]

    def repaired(self, output: Output) -> str:
        """The output's program after repair; the program itself where there was none."""
        found = self.repairs.get(output.code)
        return output.code if found is None or not output.passed else found.source


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    """In the order of contract, subject and condition: never that of arrival."""
    return sorted(cells, key=lambda cell: (cell.key.contract, cell.key.subject, cell.key.condition))


class Due(NamedTuple):
    """An output that passes and differs from its cell's canon; the first of those with the same program."""

    cell: Cell
    anchor: Anchor
    output: Output


def due(cells: Sequence[Cell], anchors: Sequence[Anchor]) -> list[Due]:
    """What there is to repair, in the order of cells and repetitions."""
    found = []
    for cell, anchor in zip(cells, anchors, strict=True):
        if anchor.canon is None or not cell.kind.repairs:
            continue
        first = {output.code: output for output in reversed(cell.outputs) if output.passed}
        found += [
            Due(cell, anchor, output)
            for output in sorted(first.values(), key=lambda output: output.repetition)
            if any(cell.distance(output.code, anchor.canon.code, level) for level in cell.levels)
        ]
    return found
