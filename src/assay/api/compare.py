"""`assay.compare`: finished runs, or readings of plain rows, set side by side; no model is asked."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from assay.bench import Instrument, RunFolder, load_instrument
from assay.bench.prepare import instruments_of
from assay.errors import AssayError, InputError, UnknownName, blaming
from assay.evidence.files import read_whole
from assay.measuring import caveats_of
from assay.measuring.comparison.alignment import Frame, frame_of
from assay.measuring.comparison.comparing import (
    ComparedSide,
    Measured,
    SideComparison,
    compare_measured,
    correct_all,
    nothing_shared,
)
from assay.measuring.comparison.difference import ALPHA, MeasureDifference
from assay.measuring.comparison.present import present_comparisons
from assay.report.presentation import Presentation
from assay.report.text import safe_terminal
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Flag, Reading, Result

from .arguments import Paths, paths_of, signers_of
from .load import LoadedRun, load_folder
from .score import RowScore
from .worker_thread import call_apart

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Comparable", "ComparedRuns", "ComparedSource", "compare", "measured_sides", "open_source"]

Comparable = str | os.PathLike[str] | LoadedRun | RowScore
LONGEST_READING = 1 << 28  # bytes


class ComparedRuns(Struct, frozen=True, kw_only=True):
    """All comparisons with the first run. ``alpha`` is the error of all printed differences together."""

    comparisons: tuple[SideComparison, ...]
    notes: tuple[str, ...] = ()
    margin: float | None = None
    alpha: float = ALPHA

    @property
    def usable(self) -> bool:
        """False where everything is Non-Comparable."""
        return any(one.label != "Non-Comparable" for one in self.comparisons)

    @property
    def labels(self) -> tuple[str, ...]:
        """Exactly one for every comparison."""
        return tuple(one.label for one in self.comparisons)

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    def frame(self, *, further: bool = False) -> pl.DataFrame:
        """One row a difference; with ``further`` those from published intervals as well."""
        from assay.report.frames import frame_of as make

        return make([*self._rows(further)])

    def _rows(self, further: bool) -> Iterator[dict[str, Any]]:
        for one in self.comparisons:
            for found in (*one.differences, *(one.further if further else ())):
                row = {
                    "instrument": one.instrument,
                    "label": one.label,
                    "first_run": one.first.run,
                    "first_subject": one.first.subject,
                    "second_run": one.second.run,
                    "second_subject": one.second.subject,
                }
                if one.accompanying:
                    row["accompanying"] = "; ".join(one.accompanying)
                plain = {name: getattr(found, name) for name in MeasureDifference.__struct_fields__}
                plain["flags"], plain["notes"] = "; ".join(map(str, found.flags)), "; ".join(found.notes)
                labels = plain.pop("labels")
                yield (
                    row
                    | plain
                    | {f"label_{name}" if name in plain | row else name: v for name, v in labels.items()}
                )

    def presentations(self, *, everything: bool = False) -> list[tuple[str, Presentation]]:
        """What people see of every instrument: its table, picture and words."""
        return present_comparisons(self.comparisons, self.margin, everything=everything)

    def page(self) -> str:
        """All of it as one self-contained page."""
        from assay.report.html import render_page

        first = self.comparisons[0].first
        return render_page("Comparison", self.presentations(everything=True), under=f"with {first.run}")

    def __str__(self) -> str:
        from assay.report.terminal import plain_text

        parts = []
        for _, shown in self.presentations():
            table = [plain_text(shown)] if shown.headline.rows else []
            parts.append("\n".join([*map(safe_terminal, shown.summary), "", *table]))
        return "\n".join([*parts, *map(safe_terminal, self.notes)])

    def _repr_html_(self) -> str:
        from assay.report.html import render_summary

        shown = [one.headline for _, one in self.presentations()]
        said = "; ".join(f"{one.label} ({one.instrument})" for one in self.comparisons)
        return render_summary("Comparison", tables=shown, under=said)


class ComparedSource(NamedTuple):
    """A run with its lock, or readings without one."""

    name: str
    readings: dict[str, Reading]
    run: LoadedRun | None = None

    def subjects(self, instrument: str) -> list[str]:
        """In the order of the study; of plain rows in the order of the measures."""
        result = self.readings[instrument].result
        met = dict.fromkeys(str(m.labels["subject"]) for m in result.measures if "subject" in m.labels)
        if self.run is None:
            return list(met)
        return [spec.title for spec in self.run.lock.study.specs]


def compare(
    *runs: Comparable,
    subject: str | Sequence[str] | None = None,
    margin: float | None = None,
    instrument: Paths = (),
    signed_by: str | Sequence[str] | None = None,
) -> ComparedRuns:
    """Compare runs with the first one: folders, names below ``runs``, loaded runs, or readings of plain rows.

    A subject is compared with the one of the same name in the first run, else with the only one there. Within one run
    all subjects are compared with its first. ``subject`` names those that are wanted, in this order. With ``margin``
    every difference is also tested for being no larger than that.
    """
    if not runs:
        raise InputError("name at least one run")
    if margin is not None and not (isinstance(margin, int | float) and 0 < margin < 1):
        raise InputError(f"margin {margin}: a difference between 0 and 1")
    wanted = [subject] if isinstance(subject, str) else [*(subject or ())]
    files = paths_of(instrument)
    sources = [open_source(run, files, signed_by) for run in runs]
    if files and not any(one.run is not None and one.run.lock.files for one in sources):
        raise InputError(f"{files[0]} is not wanted: all instruments of these runs are installed ones")
    notes: list[str] = []
    found = call_apart(lambda: [*_compared(sources, wanted, margin, notes)])
    return ComparedRuns(comparisons=tuple(correct_all(found)), notes=tuple(notes), margin=margin)


def open_source(
    run: Comparable, files: Sequence[Path] = (), signed_by: str | Sequence[str] | None = None
) -> ComparedSource:
    """What is compared: a run, or readings."""
    if isinstance(run, RowScore):
        return ComparedSource("rows", {run.result.instrument: Reading(result=run.result)})
    if isinstance(run, LoadedRun):
        return ComparedSource(str(run.path), run.readings, run)
    path = Path(run)
    if path.is_file():
        return ComparedSource(str(run), _read_readings(path))
    folder = RunFolder.find(path)
    loaded = load_folder(folder, files if folder.read_lock().files else (), signers_of(signed_by, folder))
    return ComparedSource(str(loaded.path), loaded.readings, loaded)


def _read_readings(path: Path) -> dict[str, Reading]:
    """A file of ``assay score … --out``: one reading, or a list of several."""
    if path.stat().st_size > LONGEST_READING:
        raise InputError(f"{path}: too long for a reading")
    data = read_whole(path)
    try:
        found = msgspec.json.decode(data, type=Reading | list[Reading])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: neither a run's folder nor a reading ({error})") from None
    several = found if isinstance(found, list) else [found]
    return {one.result.instrument: one for one in several}


def _compared(
    sources: Sequence[ComparedSource], wanted: Sequence[str], margin: float | None, notes: list[str]
) -> Iterator[SideComparison]:
    _check_wanted(sources, wanted)
    first, *others = sources
    for name in first.readings:
        sides = {id(one): measured_sides(one, name) for one in sources if name in one.readings}
        for one, two in _pairs(first, others, name, sides, wanted, notes):
            yield compare_measured(load_instrument(name), one, two, margin)
    for other in others:
        if not first.readings.keys() & other.readings.keys():
            yield nothing_shared(
                ComparedSide(first.name, ""),
                ComparedSide(other.name, ""),
                ", ".join(first.readings),
                ", ".join(other.readings),
            )


def _check_wanted(sources: Sequence[ComparedSource], wanted: Sequence[str]) -> None:
    known = {subject for one in sources for name in one.readings for subject in one.subjects(name)}
    for subject in wanted:
        if subject not in known:
            raise UnknownName("subject of these runs", subject, known)


def _pairs(
    first: ComparedSource,
    others: Sequence[ComparedSource],
    name: str,
    sides: dict[int, dict[str, Measured]],
    wanted: Sequence[str],
    notes: list[str],
) -> Iterator[tuple[Measured, Measured]]:
    def chosen(source: ComparedSource) -> dict[str, Measured]:
        own = sides.get(id(source), {})
        return {subject: own[subject] for subject in wanted if subject in own} if wanted else own

    own = chosen(first)
    if not own:
        raise InputError(
            f"{first.name}: no such subject was measured by {name} there: {', '.join(wanted) or 'none at all'}"
        )
    base = next(iter(own.values()))
    if not others:
        if len(own) < 2:
            raise InputError(f"{first.name}: one subject alone; name another run to compare it with")
        yield from ((base, one) for one in [*own.values()][1:])
    for other in others:
        for subject, one in chosen(other).items():
            if subject in own:
                yield own[subject], one
            elif len(own) == 1:
                yield base, one
            elif not own.keys() & chosen(other).keys():
                raise InputError(
                    f"{other.name} has no subject of {first.name} ({', '.join(own)}): say which to compare with, "
                    f"--subject {base.side.subject} --subject {subject}"
                )
            else:
                notes.append(
                    f"{subject} in {other.name} is compared with nothing: {first.name} has no subject of that name; "
                    f"name both: --subject {base.side.subject} --subject {subject}"
                )


def measured_sides(source: ComparedSource, name: str) -> dict[str, Measured]:
    """Every subject of one instrument of one source."""
    result = source.readings[name].result
    run = source.run
    usable = run is not None and _instrument(run.lock, name)
    if run is None or not usable:
        frame = Frame(
            instrument=name,
            version=result.version,
            source=result.source,
            rules=result.versions,
            flags=result.flags,
        )
        return {
            subject: Measured(
                ComparedSide(source.name, subject, run.lock.digest if run else ""), frame, result
            )
            for subject in source.subjects(name)
        }
    return _from_evidence(source.name, run, usable, result)


def _instrument(lock: Lock, name: str) -> Instrument | None:
    """The instrument in the version of the lock; None where another one is installed."""
    if name not in lock.files and load_instrument(name).version != lock.versions.get(name):
        return None
    return next(one for one in instruments_of(lock) if one.name == name)


def _from_evidence(
    source: str, run: LoadedRun, instrument: Instrument, result: Result
) -> dict[str, Measured]:
    lock = run.lock
    with (
        run.evidence(instrument.name) as evidence,
        blaming(f"the instrument {instrument.name}", "observations"),
    ):
        observations = [*instrument.observations(evidence)]
        trials = [record.trial for record in evidence]
        contents = instrument.contents(lock)
    caveats = {spec.title: _caveats(spec) for spec in lock.study.specs}
    found = {}
    for spec in lock.study.specs:
        own = [trial for trial in trials if trial.subject == spec.title]
        frame = frame_of(result, spec, lock, contents, own, instrument.option_type)
        # What limits another subject of the run alone is no condition of this one.
        others = {flag for flags in caveats.values() for flag in flags} - caveats[spec.title]
        frame = replace(frame, flags=tuple(flag for flag in frame.flags if flag not in others))
        seen = [one for one in observations if one.subject == spec.title]
        found[spec.title] = Measured(ComparedSide(source, spec.title, lock.digest), frame, result, seen)
    return found


def _caveats(spec: SubjectSpec) -> set[Flag]:
    """The flags that a run has for one subject; none are known where its adapter is not installed."""
    try:
        return {*caveats_of(spec)}
    except AssayError:
        return set()
