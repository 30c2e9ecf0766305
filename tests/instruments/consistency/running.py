"""What the tests of the protocol need: small studies, their trials, and what a finished run holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.evidence import Evidence, LedgerIndex
from assay.instruments.consistency.protocol import Consistency
from assay.study import Lock, Study, SubjectSpec
from assay.vocabulary import Reading, Result, Trial

__all__ = ["KEEPER", "SMALL", "Fresh", "evidence", "locked", "result", "study", "trials", "value"]

SMALL: dict[str, Any] = {
    "returns": 8,
    "refusals": 6,
    "near_misses": 3,
    "repairs": 8,
    "artifacts": 4,
    "exchanges": 4,
    "promises": 12,
}
KEEPER = SubjectSpec("reference:keeper", boundary="extended", includes=("memory", "sha256"))


def study(*subjects: str | SubjectSpec, seed: int = 1, **options: Any) -> Study:
    chosen = {**SMALL, **options}
    return Study(
        name="c", seed=seed, subjects=subjects or ("reference:same",), instruments={"consistency": chosen}
    )


def locked(folder: Path, *subjects: str | SubjectSpec, seed: int = 1, **options: Any) -> Lock:
    return prepare(study(*subjects, seed=seed, **options), folder)


class Fresh:
    waves = 0

    def __init__(self, stratum: str) -> None:
        self.stratum = stratum


def trials(lock: Lock) -> list[Trial]:
    instrument, fresh = Consistency(), Fresh
    return [t for stratum in instrument.strata(lock) for t in instrument.trials(lock, fresh(stratum))]  # type: ignore[arg-type]


def evidence(folder: RunFolder, lock: Lock) -> Evidence:
    return Evidence(LedgerIndex(folder.ledger, lock.digest), "consistency", lock=lock)


def result(folder: RunFolder) -> Result:
    return msgspec.json.decode(folder.reading_path("consistency").read_bytes(), type=Reading).result


def value(found: Result, name: str, subject: str) -> float | None:
    return next(m.value for m in found.measures if m.name == name and m.labels == {"subject": subject})
