"""Runs of the instrument ``warmth`` with subjects made of functions."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

from assay.bench import Meter, RunFolder, Runner
from assay.bench.determination import AuditReport
from assay.bench.prepare import instruments_of, subjects_of
from assay.evidence import Evidence, LedgerIndex, Record
from assay.report.audit import audit
from assay.report.publish import publish
from assay.study import Budget, Lock, Study, SubjectSpec
from assay.subjects import Subject
from assay.testing.answering import Answer, AnsweringSubject
from tests.support import begin, result_bytes

__all__ = ["RATER", "WARMTH", "Run", "run"]

RATER = "rater"
WARMTH = Path(__file__).with_name("warmth.py")


class Run(NamedTuple):
    folder: RunFolder
    lock: Lock
    subjects: list[Subject]

    @property
    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(result_bytes(self.folder, "warmth"))
        return found

    def ratings(self) -> list[Record]:
        """The trials of the rater: of gold items first, then of greetings in their order."""
        index = LedgerIndex(self.folder.ledger, self.lock.digest)
        try:
            found = [r for r in Evidence(index, "warmth", lock=self.lock) if r.trial.subject == RATER]
        finally:
            index.close()
        return sorted(
            found, key=lambda r: (str(r.trial.factors.get("gold", "~")), r.trial.instance.repetition)
        )

    def audit(self) -> AuditReport:
        return asyncio.run(audit(self.folder, self.lock, instruments_of(self.lock), self.subjects))


def run(root: Path, rater: Answer, **talkers: Answer) -> Run:
    functions = {**talkers, RATER: rater}
    specs = tuple(_function(label) for label in functions)
    study = Study(subjects=specs, instruments={str(WARMTH): {"rater": RATER}})
    folder, lock = begin(root, study)
    subjects: list[Subject] = [
        AnsweringSubject(functions[one.spec.title], one.spec) for one in subjects_of(lock)
    ]
    runner = Runner(lock, folder, instruments_of(lock), subjects, meter=Meter(Budget()))
    assert asyncio.run(runner.run())
    publish(folder, lock, instruments_of(lock))
    return Run(folder, lock, subjects)


def _function(label: str) -> SubjectSpec:
    return SubjectSpec("openai:function", label=label, base_url="http://127.0.0.1/v1")
