"""The runs of a folder, each in a few facts. A closed one is told from its readings, not from its whole ledger."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.bench import Meter, RunFolder
from assay.bench.history import History
from assay.errors import AssayError, InputError, IntegrityError
from assay.evidence.events import decode_event
from assay.evidence.files import read_whole
from assay.evidence.ledger import segment_paths
from assay.evidence.trial_reader import TrialReader
from assay.study import Budget, Lock

__all__ = ["RunSummary", "list_runs", "priced"]


class RunSummary(Struct, frozen=True, kw_only=True):
    """``state``: closed, finished (not closed yet), not finished, not begun, or damaged, with the ``problem``."""

    name: str
    path: str
    state: str
    begun: str | None = None
    instruments: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    trials: int | None = None  # with an outcome
    planned: int | None = None  # of the waves that were opened
    calls: int | None = None
    cost: float | None = None
    problem: str = ""


class _Efficiency(Struct):
    calls: int
    cost: float = 0.0


class _Envelope(Struct):
    efficiency: _Efficiency


class _Reading(Struct):
    """A reading without its result: that is skipped, not read."""

    envelope: _Envelope


def list_runs(root: Path) -> list[RunSummary]:
    """The runs in a folder, the newest first; those of which no time is known last."""
    if not root.exists():  # before the first run
        return []
    if not root.is_dir():
        raise InputError(f"{root} is no folder")
    folders = [path for path in root.iterdir() if not path.name.startswith(".") and _is_run(path)]
    found = [_summary(RunFolder(path)) for path in sorted(folders)]
    return sorted(found, key=lambda run: run.begun or "", reverse=True)


def _is_run(path: Path) -> bool:
    return (path / "lock.json").exists() or (path / "ledger").is_dir()


def _summary(folder: RunFolder) -> RunSummary:
    known: dict[str, Any] = {"name": folder.path.name, "path": str(folder.path)}
    try:
        lock = folder.read_lock()
        known |= {
            "begun": _begun(folder) or lock.created,
            "instruments": tuple(lock.study.options),
            "subjects": tuple(spec.title for spec in lock.study.specs),
        }
        folder.check_damage()
        facts = _closed(folder, lock) if folder.closed else _open(folder, lock)
        return RunSummary(**known, **facts)
    except (AssayError, OSError) as error:
        return RunSummary(**known, state="damaged", problem=str(error))


def priced(lock: Lock) -> bool:
    """Whether anything can be said of money."""
    return any(spec.price is not None for spec in lock.study.specs)


def _begun(folder: RunFolder) -> str | None:
    """The time of the first event."""
    for path in segment_paths(folder.ledger):
        with path.open("rb") as file:
            line = file.readline(1 << 20)
        if line.endswith(b'"}\n'):
            at = decode_event(line[9:-76]).at
            try:
                return datetime.datetime.fromtimestamp(at, datetime.UTC).isoformat(timespec="seconds")
            except (OverflowError, ValueError, OSError):
                raise IntegrityError(f"{path.name} line 1: a time that is none ({at:g})") from None
    return None


def _closed(folder: RunFolder, lock: Lock) -> dict[str, Any]:
    name = next(iter(lock.study.options))
    try:
        reading = msgspec.json.decode(read_whole(folder.reading_path(name)), type=_Reading)
    except (OSError, ValueError) as error:
        raise IntegrityError(f"{folder.reading_path(name).name}: cannot be read ({error})") from None
    used = reading.envelope.efficiency
    planned = TrialReader(folder.ledger, lock.digest).planned()
    return {
        "state": "closed",
        "trials": planned,
        "planned": planned,
        "calls": used.calls,
        "cost": used.cost if priced(lock) else None,
    }


def _open(folder: RunFolder, lock: Lock) -> dict[str, Any]:
    meter = Meter(Budget())
    history = History.read(folder.ledger, lock.digest, meter, repair=False)
    begun = bool(history.heads)
    return {
        "state": "finished" if history.ended else "not finished" if begun else "not begun",
        "trials": len(history.finished),
        "planned": sum(wave.trials for waves in history.waves.values() for wave in waves),
        "calls": meter.calls,
        "cost": meter.cost if priced(lock) else None,
    }
