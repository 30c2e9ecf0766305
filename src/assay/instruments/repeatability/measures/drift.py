"""Drift: are the outputs as near to the canon of an earlier run as that run's own outputs were?

The earlier run's canon is fixed. Its outputs after the canon, and all outputs of the present run, are two independent
groups; in each the outputs that equal the canon are counted, at level ``ast``, or ``text`` where programs are in
another language than Python.

An earlier run's folder may be anybody's. Whatever in it does not hold together is refused, by the name of its file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import msgspec
from msgspec import Struct

from assay.bench.folder import RunFolder
from assay.canonical import real
from assay.errors import InputError, IntegrityError
from assay.instruments.repeatability.cells.canons import read_canon
from assay.instruments.repeatability.cells.cell import Canon, Cell, CellKey, key_of
from assay.instruments.repeatability.kinds import JsonOutputs, TextOutputs
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.normalisation import VERSIONS
from assay.measuring import measure_of, percent
from assay.measuring.verdicts import bounded
from assay.report.wording import labels_text
from assay.stats import clopper_pearson, fisher_exact, share_difference
from assay.vocabulary import Flag, Measure, Reading, Result, Verdict

from .comparisons import Compared, Finding, corrected
from .settings import Settings, cell_flags

__all__ = ["Earlier", "canon_for", "drift_measures", "earlier_cells", "never_judged", "read_earlier"]

INSTRUMENT = "repeatability"
MOST_BYTES = 1 << 28  # of a reading; 10,000 cells have some 200 MB
MOST_CANON_BYTES = 1 << 22
MOST_OUTPUTS = 1_000_000  # as many as a study can ask for
LEVELS = {  # with the version of their normal form, in a result and here; the widest first
    "ast": ("normalisation.ast", VERSIONS["ast"]),
    "value": ("json.value", JsonOutputs.versions["json.value"]),
    "case": ("text.case", TextOutputs.versions["text.case"]),
    "text": ("normalisation.text", VERSIONS["text"]),  # of a program that is not Python
}
DIGEST = re.compile(r"[0-9a-f]{64}")


class Earlier(Struct, frozen=True, kw_only=True):
    """A cell of an earlier run: its canon, and how many of its outputs equalled it."""

    key: CellKey
    canon: Canon
    equal: int  # of the outputs that were not looked at to find the canon
    outputs: int
    alone: bool  # the earlier run measured this subject only
    level: str = "ast"
    flags: tuple[Flag, ...] = ()


def read_earlier(folder: Path, contracts: dict[str, Contract]) -> list[Earlier]:
    """The cells of a closed run, after its files and evidence were found to be those that were signed."""
    run = RunFolder.find(folder)
    run.read_sealed()
    return earlier_cells(run.path, contracts)


def earlier_cells(folder: Path, contracts: dict[str, Contract]) -> list[Earlier]:
    """The cells of a finished run that have a canon for one of the contracts, in the order of its reading."""
    path = RunFolder(folder).reading_path(INSTRUMENT)
    result = _result(path)
    indices = _by_cell([m for m in result.measures if m.name == "canon_index"], path)
    shares = {
        level: _by_cell(
            [m for m in result.measures if m.name == "R_anchor_pre" and m.labels.get("level") == level], path
        )
        for level in LEVELS
    }
    alone = len({key.subject for key in indices}) == 1
    found = []
    for key, index in indices.items():
        if key.contract not in contracts or "canon" not in index.labels:
            continue
        canon = _canon(folder / "canons", index, contracts, path)
        if canon.contract != key.contract:
            raise IntegrityError(f"{path}: the canon of {_spell(key)} answers {canon.contract!r}")
        level = next((level for level in LEVELS if key in shares[level]), "text")  # the widest that there is
        _check_version(result, level, path)
        share = shares[level].get(key)
        if share is None or share.value is None:
            if share is not None and share.n == index.n == 0:  # nothing came back, so nothing was counted
                continue
            raise IntegrityError(f"{path}: {_spell(key)} has a canon but no R_anchor_pre")
        equal, outputs = _counts(index, share, f"{path}: {_spell(key)}")
        found.append(
            Earlier(
                key=key,
                canon=canon,
                equal=equal,
                outputs=outputs,
                alone=alone,
                level=level,
                flags=index.flags,
            )
        )
    if not found:
        raise InputError(f"{path}: no cell has a canon for a contract of the study")
    return found


def canon_for(key: CellKey, earlier: Sequence[Earlier]) -> Earlier | None:
    """The same cell then; else the same contract and condition of the only subject that was measured then."""
    alike = [e for e in earlier if e.key.contract == key.contract and _condition(e.key) == _condition(key)]
    same = [e for e in alike if e.key.subject == key.subject]
    return next(iter(same or [e for e in alike if e.alone]), None)


def never_judged(keys: Sequence[CellKey], earlier: Sequence[Earlier], limit: float | None) -> Iterator[str]:
    """Of which subjects the earlier run has no canon for some cells: there nothing is ever established of drift."""
    asked: dict[str, list[CellKey]] = {}
    for key in keys:
        asked.setdefault(key.subject, []).append(key)
    then = {one.key.subject for one in earlier}
    for subject, own in asked.items():
        if missing := [key for key in own if canon_for(key, earlier) is None]:
            apart = subject not in then and not earlier[0].alone
            why = "measured several subjects, and not this one" if apart else "has no such cell"
            labels = {name: value for name, value in missing[0].labels.items() if name != "subject"}
            yield (
                f"no drift {_within(limit)} can never hold of {subject} in {len(missing)} of {len(own)} cells "
                f"(the first: {labels_text(labels)}): the earlier run {why}"
            )


def _condition(key: CellKey) -> tuple[float | None, float | None, int]:
    return key.temperature, key.top_p, key.wording or 0  # a wording that is not varied is the prompt itself


# Reading somebody's folder.


def _result(path: Path) -> Result:
    try:
        data = _bytes(path, MOST_BYTES)
        result = msgspec.json.decode(data, type=Reading).result
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not a reading: {error}", file=str(path)) from None
    if result.instrument != INSTRUMENT or result.source != "ledger":
        raise InputError(
            f"a reading of {result.instrument} from {result.source}; one of {INSTRUMENT} from a ledger is needed",
            file=str(path),
        )
    for flag in result.flags:
        if flag.kind in ("Provisional", "Invalid"):
            raise InputError(f"the run is {flag}; a finished one is needed", file=str(path))
    return result


def _check_version(result: Result, level: str, path: Path) -> None:
    name, here = LEVELS[level]
    made_with = result.versions.get(name)
    if made_with != here:
        raise InputError(
            f"was scored with {made_with}, here it is {here}; numbers at level {level} hold within one version",
            file=str(path),
        )


def _bytes(path: Path, most: int) -> bytes:
    try:
        if not path.is_file():  # a pipe would never end, a device might not
            raise InputError(f"there is no file {path}")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > most:
        raise InputError(f"has more than {most:,} bytes", file=str(path))
    return data


def _by_cell(measures: Sequence[Measure], path: Path) -> dict[CellKey, Measure]:
    found: dict[CellKey, Measure] = {}
    for measure in measures:
        try:
            key = key_of(measure)
        except msgspec.ValidationError as error:
            raise InputError(f"{measure.name}: its labels name no cell: {error}", file=str(path)) from None
        if key in found:
            raise IntegrityError(f"{path}: two measures {measure.name} of {_spell(key)}")
        found[key] = measure
    return found


def _canon(folder: Path, index: Measure, contracts: dict[str, Contract], path: Path) -> Canon:
    name = index.labels["canon"]
    if not isinstance(name, str) or not DIGEST.fullmatch(name):  # it becomes part of a path
        raise InputError(f"canon_index: {name!r} is not the digest of a canon", file=str(path))
    file = folder / f"{name}.json"
    _bytes(file, MOST_CANON_BYTES)
    canon = read_canon(file, contracts)
    if canon is None:
        raise IntegrityError(f"{file}: a canon of another contract than {path} says")
    return canon


def _counts(index: Measure, share: Measure, where: str) -> tuple[int, int]:
    """How many outputs equalled the canon, of how many, leaving out those that were looked at to find it."""
    n, value = share.n, share.value
    if index.n != n or not 0 < n <= MOST_OUTPUTS:
        raise IntegrityError(f"{where}: canon_index is of {index.n} outputs, R_anchor_pre of {n}")
    total = round((value or 0.0) * n)
    if not 0 <= total <= n or real(total / n) != value:
        raise IntegrityError(f"{where}: R_anchor_pre = {value} is no share of {n} outputs")
    if index.value is None:  # the canon came from elsewhere: no output was looked at to find it
        return total, n
    position = int(index.value)
    if position != index.value or not 0 <= position < n:
        raise IntegrityError(f"{where}: canon_index = {index.value} is no place among {n} outputs")
    # R_anchor_pre counts the canon itself, so count = total − 1 of the n − position − 1 outputs after it, unless an
    # output before the canon had the same tree and did not pass (it timed out, or lives by its docstring). Its
    # interval is of the outputs after the canon alone and tells the count in every case: it grows with it.
    after = n - position - 1
    fewest, most = max(total - 1 - position, 0), min(total - 1, after)
    level = share.confidence
    if level is None or not 0 < level < 1 or share.low is None or fewest > most:
        raise IntegrityError(f"{where}: R_anchor_pre and canon_index contradict each other")
    counts = range(fewest, most + 1)
    # The least count whose lower end reaches the one given; last digits may differ between machines.
    found = bisect_left(counts, share.low - 1e-9, key=lambda k: clopper_pearson(k, after, level).low)
    fits = found < len(counts) and _fits(share, counts[found], after, level)
    if not fits:
        raise IntegrityError(f"{where}: R_anchor_pre and its interval contradict each other")
    return counts[found], after


def _fits(share: Measure, count: int, of: int, confidence: float) -> bool:
    interval = clopper_pearson(count, of, confidence)
    assert share.low is not None
    return share.high is not None and (
        abs(interval.low - share.low) < 1e-9 and abs(interval.high - share.high) < 1e-9
    )


def _spell(key: CellKey) -> str:
    return ", ".join(f"{name} {value}" for name, value in key.labels.items())


# Then and now.


def drift_measures(pairs: Sequence[tuple[Cell, Earlier | None]], settings: Settings) -> Compared:
    """For each cell the share that equals the earlier canon, now − then; Holm over the cells.

    Of a cell that the earlier run did not have nothing is established: a gate must not open because nobody looked.
    """
    found = [_drift(cell, earlier, settings) for cell, earlier in pairs if earlier is not None]
    findings = [finding for _, finding in found]
    shown = corrected(findings, settings.confidence, "cells")
    alpha = float(1 - Fraction(str(settings.confidence)))
    measures = [measure for measure, _ in found]
    verdicts = [
        _gate(verdict, measure, settings, possible=finding.floor * len(found) <= alpha)
        for verdict, measure, finding in zip(shown, measures, findings, strict=True)
    ]
    unknown = [_no_earlier(cell, settings) for cell, earlier in pairs if earlier is None]
    return Compared(measures, [*verdicts, *unknown])


def _no_earlier(cell: Cell, settings: Settings) -> Verdict:
    return Verdict(
        name="no_drift",
        kind="requirement",
        labels=cell.key.labels,
        claim=f"no drift {_within(settings.drift_at_most)}: {_claim(cell.key, None)}",
        rule="against the canon of the earlier run",
        holds=None,
        because="the earlier run has no such cell",
    )


def _within(limit: float | None) -> str:
    return "is shown" if limit is None else f"of more than {limit:g}"


def _gate(drifted: Verdict, measure: Measure, settings: Settings, *, possible: bool) -> Verdict:
    """The study declared what it is held against, so a drift is a failure.

    With a declared limit the whole interval must lie within it. Without one the claim is that the test shows no
    drift; where no table of these sizes could show one, nothing is established.
    """
    limit = settings.drift_at_most
    holds: bool | None = None
    rule, because = f"no drift is shown by {drifted.rule}", drifted.because
    if limit is not None:
        rule = f"the whole {percent(settings.confidence)} interval lies within ±{limit:g}"
        if measure.low is not None and measure.high is not None:
            inside = (
                bounded(measure.low, measure.high, "at most", limit),
                bounded(measure.low, measure.high, "at least", -limit),
            )
            holds = False if False in inside else None if None in inside else True
    elif drifted.holds:
        holds = False
    elif measure.value is not None and possible:
        holds = True
    if any(flag.kind == "Invalid" for flag in measure.flags):
        holds = None
    labels = {k: v for k, v in measure.labels.items() if k not in ("canon", "level")}
    return Verdict(
        name="no_drift",
        kind="requirement",
        labels=labels,
        claim=f"no drift {_within(settings.drift_at_most)}: {drifted.claim}",
        rule=rule,
        holds=holds,
        because=because,
    )


def _drift(cell: Cell, earlier: Earlier, settings: Settings) -> tuple[Measure, Finding]:
    assert cell.key.contract == earlier.key.contract
    equal = sum(cell.distance(output.code, earlier.canon.code, earlier.level) == 0 for output in cell.outputs)
    then, before = earlier.equal, earlier.outputs
    interval = share_difference(then, before, equal, cell.n, settings.confidence)
    empty = interval.value is None
    why = "no outputs" if not cell.n else "no outputs came after the canon then"
    counts = f"then {then} of {before} outputs equalled the canon, now {equal} of {cell.n}"
    renamed = earlier.key.subject != cell.key.subject
    measure = measure_of(
        "drift",
        interval,
        {
            **cell.key.labels,
            "level": earlier.level,
            "canon": earlier.canon.digest,
            **({"earlier_subject": earlier.key.subject} if renamed else {}),
        },
        units="difference",
        why_null=why,
        flags=(*cell_flags(cell, settings), *(Flag(f.kind, f"then: {f.cause}") for f in earlier.flags)),
        notes=() if empty else (counts,),
    )
    shown = why
    if not empty:
        shown = f"{counts}: {measure.value:+.3f} ({settings.confidence:.3g} interval "
        shown += f"{measure.low:+.3f} to {measure.high:+.3f})"
    test = fisher_exact(equal, cell.n - equal, then, before - then)
    finding = Finding(
        _claim(cell.key, earlier.key.subject if renamed else None),
        measure.labels,
        "Fisher's exact test of how many equal the earlier canon, then and now",
        shown,
        None if empty else test.p_value,
        fisher_exact(
            cell.n, 0, 0, before
        ).p_value,  # all against none: no table of these sizes is farther out
        f"{before} and {cell.n} outputs",
    )
    return measure, finding


def _claim(key: CellKey, other: str | None) -> str:
    at = [f"{name} {value:g}" for name, value in key.labels.items() if not isinstance(value, str)]
    canon = "its earlier canon" if other is None else f"the earlier canon of {other}"
    claim = f"{key.subject} on {key.contract} against {canon}"
    return claim + (f" at {', '.join(at)}" if at else "")
