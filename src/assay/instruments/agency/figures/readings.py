"""The levels of a result as they are shown: by reading, and never without their comparison tuple (11.9.1)."""

from __future__ import annotations

from msgspec import Struct

from assay.instruments.agency.declarations.outcome import DIMENSIONS
from assay.instruments.agency.rubric.criteria import rubric
from assay.measuring import Labelled, Labels
from assay.report.presentation import Number
from assay.vocabulary import Measure, Result, Verdict

__all__ = ["NO_TUPLE", "TITLES", "ReadingKey", "ShownReadings", "level_of", "tier_text"]

TITLES = {
    "S": "sensing",
    "M": "modelling",
    "D": "decision",
    "E": "efficacy",
    "L": "learning",
    "R": "robustness",
    "G": "goals",
    "G1": "goal revision",
    "G2": "goal prioritisation",
    "G3": "goal autonomy",
}
GOVERNANCE = "Governance Notes: "
NO_TUPLE = "not shown: the measure has no comparison tuple (11.9.1)"


class ReadingKey(Struct, frozen=True, order=True):
    """One reading: a subject within a boundary."""

    subject: str
    boundary: str

    @property
    def name(self) -> str:
        return f"{self.subject}, {self.boundary}"

    @property
    def labels(self) -> Labels:
        return {"subject": self.subject, "boundary": self.boundary}


class ShownReadings:
    """The measures and verdicts of a result by reading. ``keys`` are in the order of the result."""

    def __init__(self, result: Result) -> None:
        self._measures, self._verdicts = Labelled(result.measures), Labelled(result.verdicts)
        labels = [m.labels for m in result.measures if m.name in DIMENSIONS]
        found = [ReadingKey(str(at.get("subject", "")), str(at.get("boundary", ""))) for at in labels]
        self.keys = list(dict.fromkeys(found))

    def all(self, key: ReadingKey, name: str) -> list[Measure]:
        return self._measures.all(name, key.labels)

    def get(self, key: ReadingKey, name: str) -> Measure | None:
        return self._measures.get(name, key.labels)

    def verdict(self, key: ReadingKey, name: str, **labels: str) -> Verdict | None:
        return self._verdicts.get(name, {**key.labels, **labels})

    def verdicts(self, key: ReadingKey, name: str) -> list[Verdict]:
        return self._verdicts.all(name, key.labels)

    def tuple_of(self, key: ReadingKey) -> str:
        """The comparison tuple of a reading, from the first of its levels; empty where there is none."""
        return next((text for name in DIMENSIONS if (text := _tuple(self.get(key, name)))), "")

    def governance_of(self, key: ReadingKey) -> str:
        """The statement of a reading on Governance Notes (14.2): a note of its tier; empty where there is none."""
        tier = self.get(key, "tier")
        return next((note for note in (tier.notes if tier else ()) if note.startswith(GOVERNANCE)), "")

    def governance_text(self) -> str:
        said = ((key, self.governance_of(key)) for key in self.keys)
        return " ".join(f"{key.name}: {text}." for key, text in said if text)

    def tuples_text(self) -> str:
        """The tuple of every reading, for the caption of a table that names levels."""
        return " ".join(f"{key.name}: {self.tuple_of(key) or NO_TUPLE}" for key in self.keys)


def _tuple(measure: Measure | None) -> str:
    """The comparison tuple of a level: its first note (13.2.2)."""
    first = measure.notes[0] if measure is not None and measure.notes else ""
    return first if first.startswith(f"(Framework {rubric().framework}, ") else ""


def level_of(measure: Measure | None) -> Number:
    """A level, if it has its tuple. The note says why there is none, or what goes with it."""
    if measure is None:
        return Number(None, note="not tested")
    if not _tuple(measure):
        return Number(None, n=measure.n, flags=measure.flags, note=NO_TUPLE)
    notes = [*(flag.cause for flag in measure.flags), *measure.notes[1:]]
    note = f"{measure.name}: {'; '.join(notes)}"
    return Number(measure.value, n=measure.n, flags=measure.flags, note=note, units="level")


def tier_text(measure: Measure | None) -> str:
    if not _tuple(measure):
        return "not shown"
    return "None" if measure is None or measure.value is None else f"{measure.value:g}"
