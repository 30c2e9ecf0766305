"""The table that is read first, from a result alone: the same for a run and for rows that somebody brings."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from assay.report.presentation import Cellish, Headline, Number
from assay.vocabulary import Measure, Result

from .cells import CellKey
from .measures import percent

__all__ = ["EXPLAIN", "SWEPT", "Found", "comparisons_of", "condition_text", "headline_of", "means_of"]

_WHERE = ("contract", "subject", "temperature", "top_p", "wording")
_PROGRAM = (
    "names",
    "text",
)  # rungs and levels: of Python, and of a language whose grammar Assay does not read
_LEVELS = ("ast", "text")
SWEPT = ("difference", "drift")

EXPLAIN = (
    ("contract", "The program that was asked for, with the tests that decide whether an answer works."),
    ("T", "The sampling temperature. At 0 a model is asked for its single most likely answer."),
    (
        "condition",
        "Temperature (T), top_p (p), and which wording of the request was used (w; 0 is the first).",
    ),
    ("n", "How many times the same request was answered in this cell."),
    ("pass rate", "The share of answers that pass every test of the contract. 1 is best."),
    (
        "same bytes",
        "R_raw. The share of the most common answer, compared byte for byte. 1: always the same; 1/n: never twice.",
    ),
    (
        "same program",
        "R at rung names. As before, but layout, comments, docstrings and the names of variables do not count. "
        "(R_ast, among all measures, looks at syntax trees as they are.)",
    ),
    (
        "same behaviour",
        "R at rung behaviour. As before, but programs count as the same when they give the same results, on the "
        "contract's tests and on inputs generated from them.",
    ),
    (
        "equal to canon",
        "R_anchor_pre at level ast. The share of answers that equal the canon as they came. The canon is the "
        "first answer that passes every test, and counts as one of them. Layout, comments and docstrings do not "
        "count; names do. Where that first answer is a rare one, few others equal it.",
    ),
    (
        "after repair",
        "R_anchor at level ast. The same after repair: answers that pass are brought nearer to the canon by "
        "steps that keep their meaning, each tested again. An answer that does not pass is never repaired.",
    ),
    (
        "distance",
        "How much of the text of two programs would have to be changed to make one the other: 0 is the same, 1 "
        "nothing in common. Its mean to the canon is mu_pre, after repair mu_post; the share within tau is "
        "P_tau_pre and P_tau_post.",
    ),
    (
        "interval",
        "The range, beside each value, that the data leave open for the true value. Few answers, wide range. "
        "Intervals against the canon come from the answers after it only, so a value may lie near or past "
        "their end.",
    ),
    (
        "—",
        "Not established: where no answer passes there is no canon, and nothing can be measured against it.",
    ),
)


class Found:
    """The result's measures by name, cell, and rung or level."""

    def __init__(self, result: Result) -> None:
        self.measures = result.measures
        self._by = {(m.name, *map(m.labels.get, (*_WHERE, "rung", "level"))): m for m in result.measures}

    def get(
        self, name: str, key: CellKey, rung: str | None = None, level: str | None = None
    ) -> Measure | None:
        return self._by.get((name, *(getattr(key, label) for label in _WHERE), rung, level))

    def cells(self) -> list[CellKey]:
        """The cells, in the order of the result."""
        return [_key(m) for m in self.measures if m.name == "pass_rate" and "contract" in m.labels]

    @property
    def repaired(self) -> bool:
        return any(m.name == "R_anchor" for m in self.measures)

    @property
    def tau(self) -> float | None:
        return next((float(m.labels["tau"]) for m in self.measures if "tau" in m.labels), None)

    @property
    def confidence(self) -> float | None:
        return next((m.confidence for m in self.measures if m.confidence is not None), None)

    def program(self, key: CellKey) -> Measure | None:
        """R for the same program, in the widest sense short of behaviour that there is for the language."""
        return next(filter(None, (self.get("R", key, rung=rung) for rung in _PROGRAM)), None)

    def anchored(self, name: str, key: CellKey) -> Measure | None:
        """A measure against the canon at the level that looks through the most dress."""
        return next(filter(None, (self.get(name, key, level=level) for level in _LEVELS)), None)


def _key(measure: Measure) -> CellKey:
    contract, subject, *rest = map(measure.labels.get, _WHERE)
    temperature, top_p, wording = (None if value is None else float(value) for value in rest)
    return CellKey(str(contract), str(subject), temperature, top_p, None if wording is None else int(wording))


def condition_text(key: CellKey) -> str:
    """What was varied, in a few words."""
    parts = ["T default" if key.temperature is None else f"T {key.temperature:g}"]
    if key.top_p is not None:
        parts.append(f"top_p {key.top_p:g}")
    if key.wording is not None:
        parts.append(f"wording {key.wording}")
    return ", ".join(parts)


def _brief(key: CellKey, *, bare: bool) -> str:
    """The same for a column of a table; ``bare`` where that holds temperatures only."""
    degree = "default" if key.temperature is None else f"{key.temperature:g}"
    if bare:
        return degree
    parts = [f"T {degree}"]
    if key.top_p is not None:
        parts.append(f"p {key.top_p:g}")
    if key.wording is not None:
        parts.append(f"w {key.wording}")
    return " ".join(parts)


def headline_of(result: Result) -> Headline:
    """A row a cell, in the order of the result."""
    found = Found(result)
    keys = found.cells()
    bare = all(key.top_p is None and key.wording is None for key in keys)
    columns, names = zip(*_columns(found, bare=bare), strict=True)
    rows: list[tuple[Cellish, ...]] = []
    for key in keys:
        numbers = [_number(measure) for measure in _row(found, key)]
        rows.append((key.contract, key.subject, _brief(key, bare=bare), str(numbers[0].n), *numbers))
    title = f"Repeatability by contract, subject and {'temperature' if bare else 'condition'}"
    return Headline(title, columns, tuple(rows), _caption(found, keys), names)


def means_of(result: Result) -> Headline | None:
    """The means over contracts by subject and condition; None where there is but one contract."""
    found = Found(result)
    groups: dict[tuple[str, tuple[float, ...]], list[CellKey]] = {}
    for key in found.cells():
        groups.setdefault((key.subject, key.condition), []).append(key)
    if all(len(keys) < 2 for keys in groups.values()):
        return None
    bare = all(key.top_p is None and key.wording is None for keys in groups.values() for key in keys)
    columns, names = zip(*_columns(found, bare=bare), strict=True)
    rows: list[tuple[Cellish, ...]] = []
    for (subject, _), keys in sorted(groups.items()):
        cells = [[m.value if m else None for m in _row(found, key)] for key in keys]
        numbers = [
            _mean([value for value in column if value is not None]) for column in zip(*cells, strict=True)
        ]
        rows.append((subject, _brief(keys[0], bare=bare), str(len(keys)), *numbers))
    title = f"Means over contracts, by subject and {'temperature' if bare else 'condition'}"
    caption = (
        "Plain means of the contracts that have a value, without an interval: they describe these contracts."
    )
    return Headline(
        title, (*columns[1:3], "contracts", *columns[4:]), tuple(rows), caption, (*names[1:3], "", *names[4:])
    )


def _mean(values: Sequence[float]) -> Number:
    if not values:
        return Number(None, note="no contract has a value")
    return Number(statistics.fmean(values), n=len(values))


def _columns(found: Found, *, bare: bool) -> Iterator[tuple[str, str]]:
    yield from (("contract", ""), ("subject", ""), ("T" if bare else "condition", ""), ("n", ""))
    yield from (("pass rate", "pass_rate"), ("same bytes", "R_raw"), ("same program", "R names"))
    yield from (("same behaviour", "R behaviour"), ("equal to canon", "R_anchor_pre"))
    if found.repaired:
        yield "after repair", "R_anchor"


def _row(found: Found, key: CellKey) -> Iterator[Measure | None]:
    yield found.get("pass_rate", key)
    yield found.get("R_raw", key)
    yield found.program(key)
    yield found.get("R", key, rung="behaviour")
    yield found.anchored("R_anchor_pre", key)
    if found.repaired:
        yield found.anchored("R_anchor", key)


def _caption(found: Found, keys: list[CellKey]) -> str:
    parts = ["Shares, from 0 to 1. R is the share of the most common answer."]
    if found.confidence is not None:
        parts.append(f"Ranges are {percent(found.confidence)} intervals.")
    other = [key.contract for key in keys if found.get("R", key, rung="names") is None]
    if other and len(other) < len(keys):
        parts.append(
            f"{len(set(other))} contracts are not in Python: there programs are compared as text, and not repaired."
        )
    elif other:
        parts.append("The programs are not in Python: they are compared as text, and not repaired.")
    return " ".join(parts)


def _number(measure: Measure | None) -> Number:
    if measure is None:
        return Number(None, note="not measured")
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note)


def comparisons_of(result: Result) -> Headline | None:
    """What was compared with what: the claim, the difference, and whether it holds; what holds comes first.

    Each difference has its verdict, in the same order, before all other verdicts.
    """
    measures = [measure for measure in result.measures if measure.name in SWEPT]
    if not measures:
        return None
    pairs = list(zip(result.verdicts, measures, strict=False))
    pairs.sort(key=lambda pair: pair[0].holds is not True)
    rows: list[tuple[Cellish, ...]] = [
        (v.claim, _number(m), str(m.n), _held(v.holds), v.because) for v, m in pairs
    ]
    columns = ("claim", "mean difference", "n", "holds", "because")
    return Headline("Comparisons", columns, tuple(rows), "Ranges are intervals of the difference.")


def _held(holds: bool | None) -> str:
    return "not established" if holds is None else "holds" if holds else "fails"
