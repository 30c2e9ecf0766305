"""A run as a value: readings, frames, records, replies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.bench import Instrument, RunFolder, load_instrument
from assay.bench.prepare import instruments_of, take_files
from assay.errors import AssayError, RequirementFailed, UnknownName, blaming
from assay.evidence.faults import FaultSummary, read_faults
from assay.evidence.records import Evidence, LedgerIndex
from assay.evidence.trial_reader import TrialReader
from assay.report.faults import beside_rows
from assay.report.presentation import Headline
from assay.report.tables import headline_table
from assay.report.text import safe_terminal
from assay.study import Lock
from assay.vocabulary import Reading, Result

from .arguments import Paths, paths_of, signers_of
from .declaration import warnings_of
from .gate import CheckReport, accompanying_of, judge
from .option_values import Given, plain_value
from .worker_thread import call_apart

if TYPE_CHECKING:
    import polars as pl

__all__ = ["LoadedRun", "load", "load_folder"]


class LoadedRun:
    """A run that was read and found to be what was recorded and signed.

    ``finished`` is False where it was stopped: its readings are then of the waves that are closed, and Provisional.
    """

    def __init__(
        self, folder: RunFolder, lock: Lock, readings: Mapping[str, Reading], finished: bool
    ) -> None:
        self._folder, self.lock, self.finished = folder, lock, finished
        self.readings: dict[str, Reading] = dict(readings)

    @property
    def path(self) -> Path:
        return self._folder.path

    @property
    def results(self) -> list[Result]:
        return [reading.result for reading in self.readings.values()]

    @property
    def usable(self) -> bool:
        """False where nothing can be built on the run: exit code 4 of `assay run`. ``unusable`` says why."""
        return not self.unusable

    @property
    def unusable(self) -> list[str]:
        """Why nothing is usable: all trials of a subject were lost, or a reading is Invalid."""
        from assay.report.usable import unusable_in

        share = self.lock.study.limits.excluded_share
        found = (text for reading in self.readings.values() for text in unusable_in(reading, share))
        return [safe_terminal(text) for text in found]

    @property
    def faults(self) -> list[FaultSummary]:
        """What went wrong on the way, by subject and kind, each with the words of the first."""
        return [fault for reading in self.readings.values() for fault in read_faults(reading.envelope)]

    def frame(self) -> pl.DataFrame:
        """One row a measure: instrument, name, the labels, value, low, high, bounds, n, units, flags."""
        from .frames import measure_frame

        return measure_frame(self.results)

    def verdicts(self) -> pl.DataFrame:
        """One row a verdict: name, kind, labels, whether it holds (null: not established), and why."""
        from .frames import verdict_frame

        return verdict_frame(self.results)

    def records(self, name: str | None = None) -> pl.DataFrame:
        """What the records file of an instrument has, with the types of its values. One instrument needs no name."""
        from assay.report.frames import frame_of

        instrument = self._instrument(name)
        with self.evidence(instrument.name) as evidence, blaming(f"the instrument {instrument.name}", "rows"):
            return frame_of(call_apart(lambda: [*instrument.rows(evidence)]))

    def replies(self) -> pl.DataFrame:
        """One row an exchange with a subject, from the ledger, of finished and unfinished trials."""
        from .frames import reply_frame

        return reply_frame(self._reader())

    def trials(self) -> pl.DataFrame:
        """One row a trial: what it is of, outcome, messages, last reply, and what its calls took."""
        from .frames import trial_frame

        return trial_frame(self._reader())

    def export(
        self,
        path: str | os.PathLike[str],
        what: Literal["trials", "calls", "records", "rows"] = "trials",
        *,
        format: Literal["jsonl", "csv", "parquet"] | None = None,
        instrument: str | None = None,
    ) -> int:
        """Write rows to a file, as ``assay export`` does, and say how many there were."""
        from .export import export_run, format_of

        out = Path(path)
        chosen = format_of(out, format)
        return call_apart(
            lambda: export_run(self._folder, self.lock, out, what=what, format=chosen, only=instrument).rows
        )

    def _reader(self) -> TrialReader:
        return TrialReader(self._folder.ledger, self.lock.digest)

    def score(self, **options: Any) -> dict[str, Reading]:
        """The readings with other options than were declared: those that only the analysis depends on.

        ``run.score(tau=0.2)``, or ``run.score(repeatability={"tau": 0.2})`` where several instruments have it. They are
        flagged as after the fact, and the run stays as it is.
        """
        from .rescore import rescore

        given = []
        for name, value in options.items():
            if name in self.readings and isinstance(value, Mapping):
                given += [Given(f"{name}.{field}", name, str(field), one) for field, one in value.items()]
            else:
                given.append(Given(name, "", name, value))
        found = call_apart(lambda: rescore(self._folder, self.lock, given, plain_value))
        return {reading.result.instrument: reading for reading in found}

    def check(self, *, strict: bool = True) -> CheckReport:
        """Raise `RequirementFailed` unless every requirement of the study holds; else say what was judged.

        Judged as by ``assay check --strict``: what is not established fails, and so does a study that requires
        nothing. Without ``strict`` only what fails does.
        """
        __tracebackhide__ = True  # in a test the message says it all
        beside = [text for result in self.results for text in accompanying_of(result)]
        gate = judge(self.results, strict=strict, accompanying=beside)
        if not gate.holds:
            raise RequirementFailed(gate.text(self._warnings(), str(self.path)))
        return gate

    def _warnings(self) -> list[str]:
        """What could never hold, where the instruments can be asked."""
        try:
            return warnings_of(self.lock)
        except AssayError:
            return []

    def _shown(self) -> list[tuple[Result, Headline]]:
        """What is read first of every reading."""
        return [
            (reading.result, beside_rows(_headline(reading.result), read_faults(reading.envelope)))
            for reading in self.readings.values()
        ]

    def _instrument(self, name: str | None) -> Instrument:
        if name is None and len(self.readings) == 1:
            (name,) = self.readings
        if name not in self.readings:
            raise UnknownName("instrument of this run", str(name or ""), self.readings)
        return next(one for one in instruments_of(self.lock) if one.name == name)

    @contextmanager
    def evidence(self, name: str) -> Iterator[Evidence]:
        """What an instrument has of the ledger, as its ``score`` is given it."""
        index = LedgerIndex(self._folder.ledger, self.lock.digest)
        try:
            yield Evidence(index, name, lock=self.lock)
        finally:
            index.close()

    def __repr__(self) -> str:
        state = "" if self.finished else ", not finished"
        return f"<run {str(self.path)!r}: {', '.join(self.readings)}{state}>"

    def __str__(self) -> str:
        from assay.report.terminal import summary_text

        parts = [summary_text(result, headline) for result, headline in self._shown()]
        return "\n".join([*parts, *(f"Nothing usable: {text}" for text in self.unusable)])

    def _repr_html_(self) -> str:
        from assay.report.html import render_summary

        shown = self._shown()
        under = str(self.path) if self.finished else f"{self.path}, not finished"
        return render_summary(self.lock.study.name, shown, under=under)


def _headline(result: Result) -> Headline:
    """The table that is read first: the instrument's own where it can be loaded, else one of its measures."""
    try:
        found: Headline = load_instrument(result.instrument).headline(result)
        return found
    except AssayError:
        return headline_table(result.measures, title=result.instrument.capitalize())


def load(
    run: str | os.PathLike[str],
    *,
    instrument: Paths = (),
    signed_by: str | Sequence[str] | None = None,
) -> LoadedRun:
    """Read a run: a folder, or a name below ``runs``. One that is not what was recorded and signed is refused.

    ``instrument`` names the files of instruments that the lock knows by their digest; ``signed_by`` the key id, or
    ids, of who must have signed.
    """
    folder = RunFolder.find(Path(run))
    return load_folder(folder, paths_of(instrument), signers_of(signed_by, folder))


def load_folder(folder: RunFolder, files: Sequence[Path] = (), signers: Sequence[str] = ()) -> LoadedRun:
    if folder.closed:
        sealed = folder.read_sealed(signers)
        take_files(sealed.lock, files)
        return LoadedRun(folder, sealed.lock, sealed.readings, finished=True)
    from assay.report.publish import score_run

    lock = folder.read_lock(signers)
    take_files(lock, files)
    scored = call_apart(lambda: score_run(folder, lock, instruments_of(lock)))
    readings = {one.reading.result.instrument: one.reading for one in scored}
    return LoadedRun(folder, lock, readings, finished=False)
