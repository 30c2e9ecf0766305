"""Small studies of an instrument, from the lock to the audit, each run in a folder of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from assay.bench import Instrument, Meter, Prepared, RunFolder, Runner, named_instrument
from assay.bench.determination import AuditReport
from assay.bench.instrument import score, strata_of, wave_of
from assay.canonical import digest
from assay.errors import ExtensionFailed
from assay.evidence import Evidence, LedgerIndex
from assay.evidence.ledger import segment_paths
from assay.registry import file_of
from assay.report.audit import audit
from assay.report.publish import publish
from assay.study import Budget, Limits, Lock, Study, SubjectSpec, make_lock, read_lock, write_lock
from assay.subjects import Subject, make_subject
from assay.vocabulary import Result, Trial

from .answering import Answer, AnsweringSubject, hostile_answer, lost_answer

__all__ = ["Rehearsal", "Rehearsals", "rescore"]

PATIENT = Limits(give_up_after=1_000_000)  # a study of which every call is lost is carried through as well

# An instrument may make the adapter of a spec, to see its caveats; this one's is never opened.
FUNCTION = SubjectSpec("openai:function", label="function", base_url="http://127.0.0.1/v1")


class Rehearsals:
    """An instrument with the studies it is tried out in: an ordinary, a hostile and a lost one."""

    def __init__(
        self, root: Path, instrument: Instrument, subject: str | SubjectSpec | Answer, options: dict[str, Any]
    ) -> None:
        self._root, self.instrument, self.options = root, instrument, options
        self.estimated: frozenset[str] = frozenset()  # what of its plan is not exact
        self._answer = subject if callable(subject) else None
        named = FUNCTION if callable(subject) else subject
        self._spec = SubjectSpec(named) if isinstance(named, str) else named
        self.runs: list[Rehearsal] = []

    def lock(self, *labels: str, options: dict[str, Any] | None = None) -> Lock:
        """The unsigned lock of a study; with labels, of one in which the subject has so many names.

        The instrument need not be installed.
        """
        instrument, given = self.instrument, self.options if options is None else options
        specs = tuple(msgspec.structs.replace(self._spec, label=label) for label in labels) or (self._spec,)
        study = Study(name="rehearsal", subjects=specs, instruments={instrument.name: given}, limits=PATIENT)
        prepared = instrument.prepare(study, given, self._root, None)
        if not isinstance(prepared, Prepared):
            raise TypeError(f"prepare gives {type(prepared).__name__}, not Prepared")
        study = msgspec.structs.replace(study, instruments={instrument.name: prepared.options})
        return make_lock(study, {instrument.name: prepared.materials}, {instrument.name: instrument.version})

    def first_waves(self, lock: Lock) -> Iterator[Trial]:
        """The trials that are planned before anything has happened."""
        nothing = LedgerIndex(self._root / "nothing", lock.digest)
        for stratum in strata_of(self.instrument, lock):
            evidence = Evidence(nothing, self.instrument.name, stratum, lock=lock, upto=0)
            yield from wave_of(self.instrument, lock, evidence)

    def run(self) -> None:
        """Carry out and score all studies, as far as they go."""
        lock = self.lock()
        answers = {"ordinary": self._answer, "hostile": hostile_answer, "lost": lost_answer}
        for name, answer in answers.items():
            run = Rehearsal(self._root, name, self.instrument, lock, self._maker(answer))
            self.runs.append(run)
            try:
                run.scored = run.go() and run.result is not None
            except Exception as error:  # anybody's code: it may fail in any way
                run.failure = f"{type(error).__name__}: {error}"

    def _maker(self, answer: Answer | None) -> Callable[[], Subject]:
        spec = self._spec
        return (lambda: make_subject(spec)) if answer is None else (lambda: AnsweringSubject(answer, spec))

    @property
    def ordinary(self) -> Rehearsal | None:
        """The ordinary run, if it came to a result."""
        return self.runs[0] if self.runs[0].scored else None


class Rehearsal:
    """A run of one instrument on one subject; ``subject`` makes the adapter, anew for every session."""

    def __init__(
        self, root: Path, name: str, instrument: Instrument, lock: Lock, subject: Callable[[], Subject]
    ) -> None:
        self._root, self._key = root, _key_in(root)
        self.name, self.instrument, self._subject = name, instrument, subject
        self.folder = RunFolder.create(root, name)
        write_lock(lock, self.folder.lock_path, self._key)
        self.lock = read_lock(self.folder.lock_path)
        self.calls, self.scored, self.failure = 0, False, ""

    def go(self, budget: Budget | None = None) -> bool:
        """One session. Tells whether the run is finished."""

        async def session() -> bool:
            meter = Meter(budget or Budget())
            runner = Runner(self.lock, self.folder, [self.instrument], [self._subject()], meter=meter)
            finished = await runner.run()
            self.calls = meter.calls
            return finished

        return asyncio.run(session())

    def killed(self, share: float) -> Rehearsal:
        """A copy whose ledger ends after a share of its bytes, as a killed process may leave it."""
        copy = Rehearsal(self._root, f"{self.name}-killed", self.instrument, self.lock, self._subject)
        copy.folder.ledger.mkdir()
        for path in segment_paths(self.folder.ledger):
            shutil.copy(path, copy.folder.ledger)
        last = segment_paths(copy.folder.ledger)[-1]
        os.truncate(last, int(last.stat().st_size * share))
        return copy

    @contextlib.contextmanager
    def evidence(self) -> Iterator[Evidence]:
        index = LedgerIndex(self.folder.ledger, self.lock.digest)
        try:
            yield Evidence(index, self.instrument.name, lock=self.lock)
        finally:
            index.close()

    def score(self) -> Result:
        with self.evidence() as evidence:
            return score(self.instrument, evidence)

    @cached_property
    def result(self) -> Result:
        return self.score()

    def publish(self) -> None:
        """Readings, records, attachments and the signed manifest."""
        publish(self.folder, self.lock, [self.instrument], self._key)

    def audit(self) -> AuditReport:
        return asyncio.run(audit(self.folder, self.lock, [self.instrument], [self._subject()]))

    def rescored(self) -> str:
        """The digest of the result as another process finds it, with other hash values."""
        kind = type(self.instrument)
        own = file_of(self.instrument.name)
        where = str(own.path.resolve()) if own else f"{kind.__module__}:{kind.__qualname__}"
        program = f"from {__name__} import rescore; import sys; rescore(*sys.argv[1:])"
        seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", program, str(self.folder.path), where]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
        if ran.returncode:
            raise ExtensionFailed(f"another process could not score the run: {ran.stderr.strip()[-300:]}")
        return ran.stdout.strip()


def rescore(folder: str, where: str) -> None:
    """Print the digest of an instrument's result on a run: what ``Rehearsal.rescored`` starts."""
    module, colon, name = where.partition(":")
    instrument: Instrument = attrgetter(name)(import_module(module))() if colon else named_instrument(where)
    run = RunFolder(Path(folder))
    lock = run.read_lock()
    index = LedgerIndex(run.ledger, lock.digest)
    print(digest(score(instrument, Evidence(index, instrument.name, lock=lock))))
    index.close()


def _key_in(root: Path) -> Path:
    """A key for this rehearsal alone: the user's own is not used, nor made."""
    from securesystemslib.signer import CryptoSigner

    path = root / "key.pem"
    if not path.exists():
        path.touch(0o600)
        path.write_bytes(CryptoSigner.generate_ed25519().private_bytes)
    return path
