"""`assay.run`: from a study to a run that is read, in a script, a notebook or a test."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.bench import RunFolder
from assay.bench.prepare import take_files
from assay.errors import AssayError, InputError, RunStopped
from assay.evidence.redaction import Redactor
from assay.report.publish import write_report
from assay.report.text import safe_terminal

from .arguments import Paths, Subjects, lock_from, paths_of
from .declaration import Target, budget_of, lock_file, warnings_of
from .load import LoadedRun, load_folder
from .progress import Show, Watched, notebook_display
from .session import Session, Stop, Stopped, begun, close_run, create_run
from .worker_thread import call_apart, run_apart

__all__ = ["run"]


def run(
    study: Target,
    *,
    subject: Subjects | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    quick: bool = False,
    budget: str | Mapping[str, Any] | None = None,
    seed: int | None = None,
    connections: int | None = None,
    max_tokens: int | None = None,
    boundary: str | None = None,
    includes: str | Sequence[str] | None = None,
    price: str | Mapping[str, Any] | None = None,
    instrument: Paths = (),
    name: str | None = None,
    out: str | os.PathLike[str] = "runs",
    key: str | os.PathLike[str] | None = None,
    allow_unconfined_code: bool = False,
    report: bool = True,
    progress: bool | Show | None = None,
    retry_lost: bool | str | Sequence[str] = False,
    **options: Any,
) -> LoadedRun:
    """Run a study to its end and read it. Takes what ``assay run`` takes, under the same names.

    ``study`` is a study's file, a lock, a mapping, one or several instruments by name, or the folder of a run that
    was stopped, which goes on. ``options`` are the instruments' own, as they would stand in a study; where several
    instruments have one, ``INSTRUMENT={...}`` says whose. Where ``name`` is taken by a run of the same declaration,
    that run goes on, or is read if it is finished.

    ``retry_lost`` asks the lost trials of a run once more, all or those that were lost to the named faults.
    ``progress`` is called with a `RunProgress` now and then. In a notebook a line is shown unless it is False. An
    interrupt, a budget or a full disk leave a run that can go on.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError(f"progress: True, False or a function, not {type(progress).__name__}")
    files, keyfile = paths_of(instrument), None if key is None else Path(key)
    show = notebook_display() if progress is None or progress is True else progress or None
    faults = (retry_lost,) if isinstance(retry_lost, str) else () if retry_lost is True else retry_lost
    retry = frozenset(faults) if faults is not False else None
    manner = _Manner(keyfile, allow_unconfined_code, report, show, retry)
    declared = {
        "subject": subject,
        "base_url": base_url,
        "key_env": key_env,
        "quick": quick or None,
        "seed": seed,
        "connections": connections,
        "max_tokens": max_tokens,
        "boundary": boundary,
        "includes": includes,
        "price": price,
        **options,
    }
    given = {word: value for word, value in declared.items() if value is not None}
    if (stopped := _run_folder(study)) is not None:
        if given:
            raise InputError(
                f"{stopped.path} is a run and goes on as it was declared; of options it takes a budget"
            )
        return _go_on(stopped, files, budget, manner)
    lock = lock_from(study, budget=budget, instrument=files, **given)
    if name is not None and (folder := RunFolder(Path(out) / name)).lock_path.is_file():
        if (found := folder.read_lock()).digest != lock.digest:
            raise InputError(
                f"{folder.path} is a run of another study ({found.digest[:16]}, not {lock.digest[:16]}); "
                "give another name, or none"
            )
        return _go_on(folder, (), None, manner)
    if retry is not None:
        raise InputError("retry_lost goes with a run: give its folder in place of a study")
    for text in warnings_of(lock):
        warnings.warn(text, stacklevel=2)
    folder, lock = create_run(lock, Path(out), name, key=keyfile, source=lock_file(study))
    with begun(folder):
        return _session(Session(folder, lock, allow_unconfined_code=allow_unconfined_code), manner)


class _Manner:
    """How a run is conducted, whatever is run."""

    def __init__(
        self,
        key: Path | None,
        unconfined: bool,
        report: bool,
        show: Show | None,
        retry: frozenset[str] | None,
    ) -> None:
        self.key, self.unconfined, self.report, self.show, self.retry = key, unconfined, report, show, retry


def _run_folder(study: Target) -> RunFolder | None:
    """The run that is named by its folder."""
    if isinstance(study, str | os.PathLike) and (Path(study) / "lock.json").is_file():
        return RunFolder(Path(study))
    return None


def _go_on(
    folder: RunFolder, files: Sequence[Path], budget: str | Mapping[str, Any] | None, manner: _Manner
) -> LoadedRun:
    drawn = folder.report_path.is_file() or not manner.report
    if folder.closed and drawn and manner.retry is None:
        return load_folder(folder, files)
    lock = folder.read_lock()
    take_files(lock, files)
    chosen = budget_of(budget, lock.study) if budget is not None else None
    with folder:
        session = Session(folder, lock, allow_unconfined_code=manner.unconfined, budget=chosen)
        return _session(session, manner)


def _session(session: Session, manner: _Manner) -> LoadedRun:
    folder = session.folder
    again = f"assay.run({str(folder.path)!r})"
    try:
        session.check_sandbox()
        stopped = _measure(session, manner.show, manner.retry)
        if stopped is not None:
            raise stopped.cause or RunStopped(
                f"{stopped.reason.rstrip('.')}; what is recorded is safe, go on with: {again}"
            )
        call_apart(lambda: _close(session, manner, again))
        return load_folder(folder)
    except AssayError as error:
        _clean(error, session)
        raise
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(f"What is recorded is safe. Go on with: {again}")
        raise


def _close(session: Session, manner: _Manner, again: str) -> None:
    """The readings, and the page for people."""
    folder, lock, instruments = session.folder, session.lock, session.instruments
    found = close_run(folder, lock, instruments, key=manner.key, again=again)
    if not manner.report:
        return
    try:
        write_report(folder, lock, instruments, found)
    except AssayError:
        raise
    except Exception as error:  # the measurement is closed and safe; only its picture failed
        warnings.warn(f"the report could not be drawn ({type(error).__name__}: {error})", stacklevel=2)


def _clean(error: BaseException | None, session: Session) -> None:
    """No message of an error, nor of one behind it, holds a subject's credential or steers a terminal."""
    redactor = Redactor(secret for subject in session.subjects for secret in subject.secrets())
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.args = tuple(
            safe_terminal(redactor.clean_text(one)) if isinstance(one, str) else one for one in error.args
        )
        error = error.__cause__ or error.__context__


def _measure(session: Session, show: Show | None, retry: frozenset[str] | None) -> Stopped | None:
    watched = Watched()
    stops: list[Stop] = []

    def tick() -> None:
        if show is not None and watched.latest is not None:
            show(watched.latest)

    def stop() -> None:
        for one in stops:
            one("interrupted")

    stopped = run_apart(lambda: session.measure(watched.watch, stops.append, retry), tick=tick, stop=stop)
    tick()
    return stopped
