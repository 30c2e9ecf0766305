"""Small ledgers for the tests: written by the real writer, signed with throw-away keys."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner

from assay.evidence import Event, Ledger, Redactor, write_manifest
from assay.evidence.chain import genesis, seal
from assay.vocabulary import Instance, Trial

__all__ = [
    "LOCK",
    "closed_run",
    "end_event",
    "make_trial",
    "new_signer",
    "rechain",
    "sealed_events",
    "text_digest",
    "write_segment",
]

LOCK = "5" * 64


def new_signer() -> Any:
    return CryptoSigner.generate_ed25519()


def write_segment(folder: Path, events: Iterable[Event], redactor: Redactor | None = None) -> Path:
    ledger = Ledger(folder, LOCK, redactor)
    for event in events:
        ledger.append(event)
    ledger.close()
    return ledger.path


def closed_run(root: Path, signer: Any) -> Path:
    """A run with twelve events in two segments, a lock beside the ledger, and a signed manifest."""
    folder = root / "ledger"
    write_segment(folder, [Event("note", float(n), data={"text": f"événement {n}"}) for n in range(7)])
    write_segment(folder, [Event("note", float(n), data={"n": n}) for n in range(7, 12)])
    (root / "lock.json").write_bytes(b'{"a":"file beside the ledger"}\n')
    write_manifest(folder, LOCK, {"lock.json": root / "lock.json"}, signer)
    return folder


def sealed_events(path: Path) -> list[bytes]:
    """The events of a segment, as bytes."""
    return [line[9:-76] for line in path.read_bytes().splitlines(keepends=True)]


def rechain(path: Path, events: list[bytes]) -> None:
    """Write a segment anew with a chain that holds: what a careful forger does."""
    head, lines = genesis(LOCK, path.name), []
    for event in events:
        line, head = seal(head, event)
        lines.append(line)
    path.write_bytes(b"".join(lines))


def make_trial(item: str, *, repetition: int = 0, subject: str = "reference:x") -> Trial:
    return Trial(instance=Instance("drill", item, repetition, 1), version="1", subject=subject)


def end_event(
    trial: Trial,
    ordinal: int,
    *,
    attempt: int = 0,
    wave: int = 0,
    stratum: str = "s",
    outcome: str = "success",
) -> Event:
    data = {"outcome": outcome, "trial": trial, "instrument": "drill", "stratum": stratum, "wave": wave}
    return Event("end", 1.0, trial.id, attempt, ordinal, data)


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
