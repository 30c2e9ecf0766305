"""One session of a run: make its folder, measure until the end or a clean stop, close it.

Nothing here speaks to a terminal; the command line and `assay.run` show each in its own way what it returns.
"""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from assay.bench import Instrument, Meter, Progress, RunFolder, Runner
from assay.bench.environment import environment
from assay.bench.instrument import runs_code
from assay.bench.live import SandboxService
from assay.bench.prepare import instruments_of, subjects_of
from assay.errors import AssayError, StorageFull, SubjectRefused
from assay.evidence.ledger import segment_paths
from assay.report.publish import Scored, publish, score_run
from assay.report.text import safe_name
from assay.study import Budget, Lock, read_lock, write_lock

__all__ = ["Session", "Stopped", "begun", "close_run", "create_run", "default_name"]

Watch = Callable[[Progress], AbstractAsyncContextManager[None]]
Stop = Callable[[str], None]


class Stopped(NamedTuple):
    """Why a session ended before the study did; ``cause`` is the error behind it, where there is one."""

    reason: str
    cause: AssayError | None = None


def default_name(lock: Lock) -> str:
    return safe_name(f"{time.strftime('%Y%m%d-%H%M%S')}-{lock.study.name}")


def create_run(
    lock: Lock, root: Path, name: str | None, *, key: Path | None = None, source: Path | None = None
) -> tuple[RunFolder, Lock]:
    """A run's folder with its signed lock. A lock that is signed already is copied from ``source``."""

    def fill(folder: RunFolder) -> None:
        """A folder without a lock is no run: it could be neither resumed nor made again."""
        if lock.keyid and source is not None:
            folder.lock_path.write_bytes(source.read_bytes())
        else:
            write_lock(lock, folder.lock_path, key)

    taken = default_name(lock) if name is None else name
    folder = RunFolder.create(root, taken, numbered=name is None, fill=fill)
    return folder, read_lock(folder.lock_path)


@contextmanager
def begun(folder: RunFolder) -> Iterator[None]:
    """A new run's folder, held; where nothing could be begun it is taken away, so that its name can be used."""
    with folder:  # held while it may be taken away again: nobody else can have begun in it
        try:
            yield
        except BaseException:
            if not segment_paths(folder.ledger):
                shutil.rmtree(folder.path, ignore_errors=True)
            raise


class Session:
    """The instruments and subjects of a lock, ready to measure into a run's folder."""

    def __init__(
        self,
        folder: RunFolder,
        lock: Lock,
        *,
        allow_unconfined_code: bool = False,
        budget: Budget | None = None,
    ) -> None:
        self.folder, self.lock = folder, lock
        self.instruments, self.subjects = instruments_of(lock), subjects_of(lock)
        self._unconfined, self._budget = allow_unconfined_code, budget or lock.study.budget

    def check_sandbox(self) -> None:
        """Refuse before anything is asked and paid for."""
        from assay.sandbox import sandbox_report

        if any(runs_code(instrument, self.lock) for instrument in self.instruments):
            sandbox_report(allow_unconfined_code=self._unconfined)

    async def measure(
        self, watch: Watch, ready: Callable[[Stop], None], retry: Collection[str] | None = None
    ) -> Stopped | None:
        """None when the study is finished. ``ready`` is given what stops the run cleanly.

        A closed run is only verified: one that was altered must not be asked for again, nor written to. With
        ``retry`` its lost trials are asked again: those lost to the named faults, or all.
        """
        if self.folder.closed:
            self.folder.read_sealed()
            if retry is None:
                return None
        elif self.folder.reopened:
            self.folder.check_sealed_part(self.lock)
        else:
            self.folder.check_damage()
        runner = Runner(
            self.lock,
            self.folder,
            self.instruments,
            self.subjects,
            meter=Meter(self._budget),
            sandbox=SandboxService(allow_unconfined_code=self._unconfined),
            environment=lambda: environment(allow_unconfined_code=self._unconfined),
            retry=retry,
        )
        ready(runner.stop)
        async with watch(runner.progress):
            try:
                finished = await runner.run()
            except SubjectRefused as refused:  # what was recorded before stands; put right, the run can go on
                return Stopped(runner.stop_reason or str(refused), refused)
            finally:
                runner.progress.ended = True
        if retry is not None and not runner.retried:
            warnings.warn("no trial of this run is lost: none was asked again", stacklevel=2)
        return None if finished else Stopped(runner.stop_reason)


def close_run(
    folder: RunFolder, lock: Lock, instruments: list[Instrument], *, key: Path | None, again: str
) -> list[Scored]:
    """Readings, records and manifest. A run that is closed already is only scored. ``again`` says how to try again."""
    try:
        if folder.closed:
            return score_run(folder, lock, instruments)
        return publish(folder, lock, instruments, key)
    except (OSError, AssayError) as error:
        if isinstance(error, AssayError) and not isinstance(error.__context__, OSError):
            raise
        what = (
            str(error)
            if isinstance(error, AssayError)
            else f"{error.filename or folder.path}: {error.strerror}"
        )
        raise StorageFull(
            f"everything is measured, but the run could not be closed ({what}); "
            f"make room and close it with: {again}"
        ) from error
