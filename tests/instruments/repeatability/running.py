"""What the tests of the protocol need: small studies, their trials, and what a finished run reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.instruments.repeatability import Repeatability
from assay.study import Lock, Study
from assay.study.model import SamplingDefaults
from assay.vocabulary import Measure, Reading, Result, Trial
from tests.support import begin, go

__all__ = ["Fresh", "conducted", "locked", "measures", "result", "study", "trials", "values"]

QUICK: dict[str, Any] = {"contracts": ["add"], "temperatures": [0.0, 0.7], "repetitions": 4}


def study(*subjects: str, sampling: SamplingDefaults | None = None, **options: Any) -> Study:
    return Study(
        name="r",
        subjects=subjects or ("reference:mixed",),
        instruments={"repeatability": {**QUICK, **options}},
        sampling=sampling or SamplingDefaults(),
    )


def locked(folder: Path, *subjects: str, **options: Any) -> Lock:
    return prepare(study(*subjects, **options), folder)


class Fresh:
    """The evidence of a stratum in which nothing has happened yet."""

    waves = 0

    def __init__(self, stratum: str) -> None:
        self.stratum = stratum


def trials(lock: Lock) -> list[Trial]:
    instrument = Repeatability()
    fresh: Any = Fresh
    return [t for stratum in instrument.strata(lock) for t in instrument.trials(lock, fresh(stratum))]


def result(folder: RunFolder) -> Result:
    return msgspec.json.decode(folder.reading_path("repeatability").read_bytes(), type=Reading).result


def measures(folder: RunFolder, name: str, level: str | None = None) -> Iterator[Measure]:
    return (m for m in result(folder).measures if m.name == name and m.labels.get("level") == level)


def values(folder: RunFolder, name: str, level: str | None = None) -> set[float | None]:
    return {m.value for m in measures(folder, name, level)}


def conducted(root: Path, subject: str, **options: Any) -> RunFolder:
    folder, lock = begin(root, study(f"reference:{subject}", **options), subject)
    assert go(folder, lock)
    return folder
