"""What several tests need: the command line in a process of its own, and studies with the drill instrument."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from assay.bench import Meter, RunFolder, Runner
from assay.bench.determination import AuditReport
from assay.bench.prepare import instruments_of, prepare, subjects_of
from assay.canonical import encode
from assay.evidence import Event, Ledger
from assay.evidence.records import End
from assay.report.audit import audit
from assay.report.publish import publish
from assay.study import Budget, Lock, Study, SubjectSpec, read_lock, write_lock
from assay.vocabulary import Instance, Outcome, Reading, Reply, Trial

__all__ = [
    "ASSAY",
    "SHARED",
    "audit_run",
    "begin",
    "command",
    "environment",
    "go",
    "ledger_events",
    "record_trials",
    "result_bytes",
    "stub_spec",
    "study_file",
]

ASSAY = [sys.executable, "-m", "assay"]
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean one, with configuration and cache of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HOME", "PYTHONPATH") if name in os.environ}
    return {**kept, "XDG_CONFIG_HOME": str(home / "config"), **more}


def command(
    *arguments: str | Path, cwd: Path, env: dict[str, str] | None = None, timeout: float = 600
) -> subprocess.CompletedProcess[str]:
    """Run ``assay`` as a user would."""
    return subprocess.run(
        [*ASSAY, *map(str, arguments)],
        cwd=cwd,
        env=env or environment(cwd),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def study_file(folder: Path, url: str, *, trials: int, connections: int = 4, **more: Any) -> Path:
    """A study of the drill on two subjects at one endpoint, one of them declared stateful."""
    spec = {"subject": "openai:stub", "base_url": url, "connections": connections}
    study = {
        "name": "drill",
        "subjects": [{**spec, "label": "free"}, {**spec, "label": "remembering", "stateful": True}],
        "instruments": {"drill": {"trials": trials}},
        **more,
    }
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump(study))
    return path


def begin(root: Path, study: Study, name: str = "run") -> tuple[RunFolder, Lock]:
    """A locked run folder in which nothing has happened yet."""
    folder = RunFolder.create(root, name)
    write_lock(prepare(study, root), folder.lock_path, None)
    return folder, read_lock(folder.lock_path)


def go(folder: RunFolder, lock: Lock, *, budget: Budget | None = None) -> bool:
    """One session; a finished run is closed. Tells whether it finished."""

    async def session() -> bool:
        subjects, instruments = subjects_of(lock), instruments_of(lock)
        meter = Meter(budget or lock.study.budget)
        return await Runner(lock, folder, instruments, subjects, meter=meter).run()

    finished = asyncio.run(session())
    if finished:
        publish(folder, lock, instruments_of(lock))
    return finished


def audit_run(folder: RunFolder, lock: Lock, signers: Sequence[str] = ()) -> AuditReport:
    return asyncio.run(audit(folder, lock, instruments_of(lock), subjects_of(lock), signers=signers))


def result_bytes(folder: RunFolder, instrument: str = "drill") -> bytes:
    """The ``result`` of a reading, as bytes to be compared."""
    reading = json.loads(folder.reading_path(instrument).read_bytes())
    assert set(reading) == set(Reading.__struct_fields__)
    return encode(reading["result"])


def ledger_events(folder: RunFolder) -> list[dict[str, Any]]:
    """Every event in order of writing."""
    events = []
    for path in sorted(folder.ledger.glob("*.jsonl")):
        events += [json.loads(line)["event"] for line in path.read_bytes().split(b"\n") if line]
    return events


def stub_spec(url: str, **more: Any) -> SubjectSpec:
    return SubjectSpec("openai:stub", base_url=url, **more)


def record_trials(
    folder: RunFolder,
    lock: Lock,
    replies: Iterable[str | Reply | None],
    *,
    outcomes: Sequence[Outcome] = ("success",),
    messages: Sequence[dict[str, Any]] = ({"role": "user", "content": "Are you there?"},),
    finished: bool = True,
) -> list[str]:
    """A ledger by the real writer: a trial a reply (None: lost), outcomes in turn. Gives the ids of the trials."""
    (instrument,), titles = lock.study.options, [spec.title for spec in lock.study.specs]
    given = [Reply(one) if isinstance(one, str) else one for one in replies]
    trials = [
        Trial(
            instance=Instance(instrument, f"item-{n % 3}", n, 1), version="1", subject=titles[n % len(titles)]
        )
        for n in range(len(given))
    ]
    ledger = Ledger(folder.ledger, lock.digest)
    ledger.append(Event("run", 1.0, data={"lock": lock.digest, "after": {}}))
    digest = hashlib.sha256(b"".join(bytes.fromhex(trial.id) for trial in trials)).hexdigest()
    wave = {"instrument": instrument, "stratum": "all", "number": 0, "trials": len(trials), "digest": digest}
    ledger.append(Event("wave", 2.0, data=wave))
    for n, (trial, reply) in enumerate(zip(trials, given, strict=True)):
        ledger.append(
            Event("sent", 3.0 + n, trial.id, data={"wire": {"messages": list(messages), "seed": n}})
        )
        received: dict[str, Any] = {"tries": [], "seconds": 0.5, "reply": reply, "cost": 0.25}
        outcome, reason = outcomes[n % len(outcomes)], ""
        if reply is None:
            outcome, reason = "excluded", "http_500"
            received = {
                "tries": [{"fault": reason, "seconds": 0.1}],
                "fault": reason,
                "detail": "<h1>no</h1>",
            }
        ledger.append(Event("received", 3.1 + n, trial.id, data=received))
        end = End(outcome, trial, instrument, "all", 0, reason)
        ledger.append(Event("end", 3.2 + n, trial.id, ordinal=1, data=end))
    if finished:
        ledger.append(Event("closed", 9.0, data={**wave, "closed": True}))
        ledger.append(Event("finished", 10.0))
    ledger.close()
    return [trial.id for trial in trials]
