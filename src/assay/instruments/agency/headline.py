"""The table that is read first, from a result alone: the same for a run and for rows that somebody brings.

No level is shown without its comparison tuple (11.9.1): one whose measure does not carry it is not shown at all.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from assay.report.presentation import Cellish, Headline, Number
from assay.vocabulary import Flag, Measure, Result, Verdict

from .outcome import DIMENSIONS
from .rubric import rubric

__all__ = ["BARE", "EXPLAIN", "TITLES", "Found", "Key", "headline_of", "held", "level_of", "number_of"]

TITLES = {
    "S": "sensing",
    "M": "modelling",
    "D": "decision",
    "E": "efficacy",
    "L": "learning",
    "R": "robustness",
    "G": "goals",
}
BARE = "not shown: the measure has no comparison tuple (11.9.1)"

EXPLAIN = (
    (
        "subject",
        "The system that was measured. It is put into small worlds, sees observations and acts; what counts is the "
        "state of the world in the end, read from outside, never what the subject says about it.",
    ),
    (
        "boundary",
        "What counts as the subject: core is the model alone, extended is the model with its declared tools, memory "
        "and scaffolding. The two are never mixed.",
    ),
    (
        "levels",
        "From 0 to 5 by the rubric of section 10. A level stands where at least 70 % of the episodes made for it "
        "succeed, and under the strict rule the whole interval lies there, too; a higher level needs the lower ones. "
        "A dash means that no level is reported, never zero.",
    ),
    ("sensing (S)", "Does it find what matters in what it observes: stated, implied, missing, under noise?"),
    (
        "modelling (M)",
        "Does it keep track of state, predict what an action will do, and notice when rules change?",
    ),
    (
        "decision (D)",
        "Does it choose actions that lead to the goal, plan again, and decide alike in like cases?",
    ),
    ("efficacy (E)", "Does it change the state of the world as wanted, with tools that are limited or fail?"),
    ("learning (L)", "Does it get better over episodes? Not tested by this version."),
    (
        "robustness (R)",
        "How much of what works without constraints is left under noise, failing calls, tight caps and text that "
        "wants to take over. Read from the families of S, M, D and E.",
    ),
    ("goals (G)", "Does it revise and rank goals? Not tested by this version."),
    (
        "tier",
        "Tier 1 is closed-loop operation with verified outcomes; each of its gates is in a table below. None says that "
        "a gate is not passed. Higher tiers are not tested by this version.",
    ),
    (
        "comparison tuple",
        "Framework, boundary, task suite, regimes, tier, vector and flags. Two results may be compared only where the "
        "first four agree. The vector has the 0 of the specification for what was not tested.",
    ),
    (
        "flags",
        "Provisional: too little evidence, or too close to the threshold. Contested: raters disagree. Limited "
        "Comparability: something was not declared or not ruled out. Invalid: no level may be reported, and why.",
    ),
)


class Key(Struct, frozen=True, order=True):
    """One reading: a subject within a boundary."""

    subject: str
    boundary: str

    @property
    def name(self) -> str:
        return f"{self.subject}, {self.boundary}"


class Found:
    """The measures of a result by reading, in its order."""

    def __init__(self, result: Result) -> None:
        self._of: dict[Key, dict[str, list[Measure]]] = {}
        for measure in result.measures:
            if {"subject", "boundary"} <= set(measure.labels):
                key = Key(str(measure.labels["subject"]), str(measure.labels["boundary"]))
                self._of.setdefault(key, {}).setdefault(measure.name, []).append(measure)
        self._verdicts = {verdict.claim: verdict for verdict in result.verdicts}

    @property
    def readings(self) -> list[Key]:
        return [key for key, own in self._of.items() if any(name in own for name in DIMENSIONS)]

    def all(self, key: Key, name: str) -> list[Measure]:
        return self._of.get(key, {}).get(name, [])

    def get(self, key: Key, name: str) -> Measure | None:
        return next(iter(self.all(key, name)), None)

    def tuple_of(self, key: Key) -> str:
        """The comparison tuple of a reading, from the first of its levels; empty where there is none."""
        return next((told for name in DIMENSIONS if (told := _tuple(self.get(key, name)))), "")

    def tuples_text(self) -> str:
        """The tuple of every reading, for what stands below a table that names levels."""
        return " ".join(f"{key.name}: {self.tuple_of(key) or BARE}" for key in self.readings)

    def verdict(self, key: Key, claim: str) -> Verdict | None:
        """A claim about a reading; where there is only one, it goes by its boundary alone."""
        for whose in (key.name, key.boundary):
            if found := self._verdicts.get(f"{claim} [{whose}]"):
                return found
        return None


def _tuple(measure: Measure | None) -> str:
    """The comparison tuple that a level carries: its first note (13.2.2)."""
    first = measure.notes[0] if measure is not None and measure.notes else ""
    return first if first.startswith(f"(Framework {rubric().framework}, ") else ""


def held(holds: bool | None) -> str:
    return "not established" if holds is None else "holds" if holds else "fails"


def number_of(measure: Measure | None) -> Number:
    """A share or a count as it stands in a table."""
    if measure is None:
        return Number(None, note="not counted")
    return Number(
        measure.value, measure.low, measure.high, measure.n, measure.flags, "; ".join(measure.notes)
    )


def level_of(measure: Measure | None) -> Number:
    """A level, if it has its tuple. The note says why there is none, or what goes with it."""
    if measure is None:
        return Number(None, note="not tested")
    if not _tuple(measure):
        return Number(None, n=measure.n, flags=measure.flags, note=BARE)
    notes = [*(flag.cause for flag in measure.flags), *measure.notes[1:]]
    told = f"{measure.name}: {'; '.join(notes)}"
    return Number(measure.value, n=measure.n, flags=measure.flags, note=told, units="level")


def headline_of(result: Result) -> Headline:
    """A row a subject and boundary, in the order of the result; the caption has the tuple of every row."""
    found = Found(result)
    rows: list[tuple[Cellish, ...]] = []
    for key in found.readings:
        levels: dict[str, Number] = {name: level_of(found.get(key, name)) for name in DIMENSIONS}
        whose = f"{key.name}, " if len(found.readings) > 1 else ""
        rows.append((key.subject, key.boundary, *_attributed(levels, whose), _tier(found.get(key, "tier"))))
    return Headline(
        "The agency vector by subject and boundary",
        ("subject", "boundary", *(TITLES[name] for name in DIMENSIONS), "tier"),
        tuple(rows),
        f"Levels from 0 to 5; each holds only together with its tuple. {found.tuples_text()}".rstrip(),
        ("", "", *DIMENSIONS, ""),
    )


def _attributed(levels: Mapping[str, Number], whose: str) -> list[Number]:
    """The levels with flags that say which of them they are of: below a table they stand together."""
    of: dict[Flag, list[str]] = {}
    for name, number in levels.items():
        for flag in number.flags:
            of.setdefault(flag, []).append(f"{TITLES[name]} ({name})")
    told = {flag: Flag(flag.kind, f"{whose}{', '.join(names)}: {flag.cause}") for flag, names in of.items()}
    return [
        msgspec.structs.replace(number, flags=tuple(told[flag] for flag in number.flags))
        for number in levels.values()
    ]


def _tier(measure: Measure | None) -> str:
    if measure is None or not _tuple(measure):
        return "not shown"
    return "None" if measure.value is None else f"{measure.value:g}"
