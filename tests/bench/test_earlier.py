"""A trial built from earlier ones: it sees the evidence it names and no other, and only as it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from assay.bench import RunFolder
from assay.bench.probe import Probe
from assay.canonical import encode
from assay.errors import IntegrityError
from assay.evidence import Evidence, LedgerIndex, segment_paths
from assay.evidence.chain import genesis, seal
from assay.evidence.records import Record
from assay.study import Lock, Study
from assay.vocabulary import Trial
from tests.support import begin, go

OPTIONS = {"contracts": ["add"], "repetitions": 6, "temperatures": [0.7]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    study = Study(subjects=("reference:mixed",), instruments={"repeatability": OPTIONS})
    folder, lock = begin(tmp_path_factory.mktemp("finished"), study)
    assert go(folder, lock)
    return folder


@pytest.fixture
def run(finished: RunFolder, tmp_path: Path) -> tuple[RunFolder, Lock]:
    """A finished run that may be altered."""
    folder = RunFolder(Path(shutil.copytree(finished.path, tmp_path / "run")))
    return folder, folder.read_lock()


@pytest.fixture
def index(run: tuple[RunFolder, Lock]) -> Iterator[LedgerIndex]:
    found = LedgerIndex(run[0].ledger, run[1].digest)
    found.refresh()
    yield found
    found.close()


def records(index: LedgerIndex, lock: Lock) -> list[Record]:
    return list(Evidence(index, "repeatability", lock=lock))


def probe_of(trial: Trial, index: LedgerIndex) -> Probe:
    nothing = cast("Any", None)
    return Probe(trial, trial.id, nothing, nothing, cast("Any", index))


def test_a_later_trial_names_its_inputs_and_gets_them(
    run: tuple[RunFolder, Lock], index: LedgerIndex
) -> None:
    found = {record.id: record for record in records(index, run[1])}
    later = [record for record in found.values() if record.trial.inputs]
    assert later
    for record in later:
        for reference in record.trial.inputs:
            seen = probe_of(record.trial, index).earlier(reference)
            assert seen == found[reference.partition(":")[0]]
            assert seen.reference == reference


def test_what_a_trial_does_not_name_it_does_not_get(run: tuple[RunFolder, Lock], index: LedgerIndex) -> None:
    later = next(record for record in records(index, run[1]) if record.trial.inputs)
    other = next(r for r in records(index, run[1]) if r.reference not in later.trial.inputs)
    with pytest.raises(AssertionError, match="a trial sees the evidence it names, and no other"):
        probe_of(later.trial, index).earlier(other.reference)


def test_a_reference_to_nothing_is_told(index: LedgerIndex) -> None:
    with pytest.raises(IntegrityError, match="the ledger holds no finished trial 000000000000"):
        index.earlier(f"{'0' * 64}:{'0' * 64}")


def test_a_reference_to_the_same_trial_as_it_never_was_is_told(
    run: tuple[RunFolder, Lock], index: LedgerIndex
) -> None:
    record = records(index, run[1])[0]
    with pytest.raises(
        IntegrityError, match=f"trial {record.id[:12]} is not what a later one was built from"
    ):
        index.earlier(f"{record.id}:{'0' * 64}")


def test_a_record_that_was_changed_and_hashed_anew_is_not_taken_for_the_one_referred_to(
    run: tuple[RunFolder, Lock], index: LedgerIndex
) -> None:
    folder, lock = run
    later = next(record for record in records(index, lock) if record.trial.inputs)
    reference = later.trial.inputs[0]
    wanted = reference.partition(":")[0]
    for path in segment_paths(folder.ledger):
        head, lines = genesis(lock.digest, path.name), []
        for line in path.read_bytes().splitlines():
            event = json.loads(line)["event"]
            if event.get("trial") == wanted and event["kind"] == "received":
                event["data"]["reply"]["text"] += "# changed\n"
            sealed, head = seal(head, encode(event))
            lines.append(sealed)
        path.write_bytes(b"".join(lines))
    changed = LedgerIndex(folder.ledger, lock.digest)
    try:
        changed.refresh()
        with pytest.raises(
            IntegrityError, match=f"trial {wanted[:12]} is not what a later one was built from"
        ):
            probe_of(later.trial, changed).earlier(reference)
    finally:
        changed.close()
