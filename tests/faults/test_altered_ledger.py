"""Whatever is done to a closed run is found, and the place is named."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.evidence import Event, manifest_paths, verify_closed, write_manifest
from assay.evidence.manifest import PREDICATE
from assay.signing import open_envelope, sign_statement
from tests.evidence.ledgers import LOCK, closed_run, new_signer, rechain, sealed_events, write_segment


@pytest.fixture(scope="module")
def signer() -> Any:
    return new_signer()


@pytest.fixture
def run(tmp_path: Path, signer: Any) -> Path:
    closed_run(tmp_path, signer)
    assert faults(tmp_path) == []
    return tmp_path


def faults(run: Path, trusted: str | None = None) -> list[str]:
    return verify_closed(run / "ledger", LOCK, run, signers=() if trusted is None else (trusted,))[0]


def alterations(byte: int) -> Iterator[int]:
    yield from {byte ^ 1, byte ^ 0x20, ord("\n")} - {byte}


# All bytes, and for the quick run every so many: a prime, so that all columns of a line get their turn.
EVERY = [pytest.param(1, marks=pytest.mark.slow), 13]


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("segment", ["0001.jsonl", "0002.jsonl"])
def test_any_changed_byte_of_a_segment_is_found_in_its_line(run: Path, segment: str, every: int) -> None:
    path = run / "ledger" / segment
    sound = path.read_bytes()
    for place, byte in list(enumerate(sound))[::every]:
        line = sound.count(b"\n", 0, place) + 1
        for changed in alterations(byte):
            path.write_bytes(sound[:place] + bytes([changed]) + sound[place + 1 :])
            found = faults(run)
            assert len(found) == 1, (place, changed, found)
            assert found[0].startswith(f"{segment} line {line}: "), (place, changed, found)


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("name", ["ledger/manifest-0001.json", "lock.json"])
def test_any_changed_byte_of_a_signed_file_is_found(run: Path, name: str, every: int) -> None:
    path = run / name
    sound = path.read_bytes()
    for place, byte in list(enumerate(sound))[::every]:
        for changed in alterations(byte):
            path.write_bytes(sound[:place] + bytes([changed]) + sound[place + 1 :])
            found = faults(run)
            assert len(found) == 1, (place, changed, found)
            assert found[0].startswith(f"{path.name}: "), (place, changed, found)


@pytest.mark.parametrize("every", EVERY)
def test_a_segment_cut_at_any_length_is_found_and_the_line_named(run: Path, every: int) -> None:
    path = run / "ledger" / "0001.jsonl"
    sound = path.read_bytes()
    for length in range(0, len(sound), every):
        path.write_bytes(sound[:length])
        line = sound.count(b"\n", 0, length) + 1
        [fault] = faults(run)
        whole = length == 0 or sound[length - 1 : length] == b"\n"
        what = "is missing; 7 events were signed" if whole else "not a ledger line"
        assert fault == f"0001.jsonl line {line}: {what}"


@pytest.mark.parametrize("every", EVERY)
def test_a_manifest_cut_at_any_length_is_found(run: Path, every: int) -> None:
    [path] = manifest_paths(run / "ledger")
    sound = path.read_bytes()
    for length in range(0, len(sound), every):
        path.write_bytes(sound[:length])
        [fault] = faults(run)
        assert fault.startswith("manifest-0001.json: ")


def test_dropped_doubled_and_swapped_lines_are_found_where_they_are(run: Path) -> None:
    path = run / "ledger" / "0001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for n in range(len(lines)):
        path.write_bytes(b"".join(lines[:n] + lines[n + 1 :]))
        what = (
            "its hash does not follow from the line before it"
            if n < 6
            else "is missing; 7 events were signed"
        )
        assert faults(run) == [f"0001.jsonl line {n + 1}: {what}"]
        path.write_bytes(b"".join([*lines[: n + 1], *lines[n:]]))
        assert faults(run) == [f"0001.jsonl line {n + 2}: its hash does not follow from the line before it"]
    for n in range(len(lines) - 1):
        path.write_bytes(b"".join([*lines[:n], lines[n + 1], lines[n], *lines[n + 2 :]]))
        assert faults(run) == [f"0001.jsonl line {n + 1}: its hash does not follow from the line before it"]


def test_a_well_chained_line_that_was_added_is_found(run: Path) -> None:
    path = run / "ledger" / "0001.jsonl"
    rechain(path, [*sealed_events(path), b'{"kind":"note"}'])
    assert faults(run) == ["0001.jsonl line 8: was added; 7 events were signed"]


def test_a_segment_removed_added_or_put_under_another_name_is_found(run: Path) -> None:
    first, second = run / "ledger" / "0001.jsonl", run / "ledger" / "0002.jsonl"
    kept = second.read_bytes()
    second.unlink()
    assert faults(run) == ["0002.jsonl: a segment of the ledger is missing"]
    second.write_bytes(first.read_bytes())
    assert faults(run) == ["0002.jsonl line 1: its hash does not follow from the line before it"]
    second.write_bytes(kept)
    write_segment(run / "ledger", [Event("note")])
    assert faults(run) == ["0003.jsonl: a segment that no manifest names"]


def test_a_run_without_manifest_was_never_closed(run: Path) -> None:
    manifest_paths(run / "ledger")[0].unlink()
    assert faults(run) == ["the run was never closed: it has no manifest"]


def test_the_lock_of_another_run_is_told(run: Path) -> None:
    found, _ = verify_closed(run / "ledger", "6" * 64, run)
    assert "manifest-0001.json: was made for another lock" in found


# Hashed anew.


def test_a_chain_hashed_anew_is_found_against_the_manifest_and_the_stretch_named(
    tmp_path: Path, signer: Any
) -> None:
    events = [Event("received", float(n), data={"reply": {"text": f"answer {n}"}}) for n in range(2345)]
    path = write_segment(tmp_path / "ledger", events)
    write_manifest(tmp_path / "ledger", LOCK, {}, signer)
    assert faults(tmp_path) == []
    honest = sealed_events(path)
    for line, stretch in (
        (1, "1 to 1000"),
        (1000, "1 to 1000"),
        (1700, "1001 to 2000"),
        (2345, "2001 to 2345"),
    ):
        forged = list(honest)
        forged[line - 1] = forged[line - 1].replace(b"answer", b"ANSWER")
        rechain(path, forged)
        assert faults(tmp_path) == [f"0001.jsonl lines {stretch}: not the events that were signed"]


def test_a_forgery_signed_with_another_key_is_told_only_by_the_key(run: Path, signer: Any) -> None:
    path = run / "ledger" / "0001.jsonl"
    forged = sealed_events(path)
    forged[2] = forged[2].replace(b"2", b"3", 1)
    rechain(path, forged)
    manifest_paths(run / "ledger")[0].unlink()
    other = new_signer()
    write_manifest(run / "ledger", LOCK, {"lock.json": run / "lock.json"}, other)
    trusted = signer.public_key.keyid
    assert faults(run) == []
    assert faults(run, other.public_key.keyid) == []
    assert faults(run, trusted) == [
        f"manifest-0001.json: signed by key {other.public_key.keyid[:16]}, not by {trusted[:16]}"
    ]


def test_a_key_is_trusted_by_a_prefix_of_its_id_that_is_long_enough(run: Path, signer: Any) -> None:
    keyid = signer.public_key.keyid
    assert faults(run, keyid[:16]) == []
    for short in ("", keyid[:4], keyid[:15]):
        with pytest.raises(InputError, match="at least its first 16 characters"):
            faults(run, short)


# Later evidence.


def test_later_evidence_is_a_new_segment_and_a_manifest_that_names_the_one_before(
    run: Path, signer: Any
) -> None:
    folder = run / "ledger"
    write_segment(folder, [Event("rating", data={"label": "good"})])
    second = write_manifest(folder, LOCK, {"lock.json": run / "lock.json"}, signer)
    assert second.name == "manifest-0002.json"
    found, signed = verify_closed(folder, LOCK, run)
    assert found == []
    assert [s.keyid for s in signed] == [signer.public_key.keyid] * 2
    first = manifest_paths(folder)[0]
    kept = first.read_bytes()
    first.unlink()
    assert faults(run) == ["manifest-0002.json: does not follow from the manifest before it"]
    assert write_manifest(folder, LOCK, {}, signer).name == "manifest-0003.json", "none is ever overwritten"
    manifest_paths(folder)[-1].unlink()
    first.write_bytes(kept)
    (folder / "0003.jsonl").unlink()
    assert faults(run) == ["0003.jsonl: a segment of the ledger is missing"]


def test_an_alteration_of_what_both_manifests_seal_is_found(run: Path, signer: Any) -> None:
    folder = run / "ledger"
    path = folder / "0001.jsonl"
    forged = sealed_events(path)
    forged[0] = forged[0].replace(b"0", b"5", 1)
    rechain(path, forged)
    write_manifest(folder, LOCK, {"lock.json": run / "lock.json"}, signer)  # even the right key is no help
    assert faults(run) == ["0001.jsonl lines 1 to 7: not the events that were signed"]


# Attachments.


def test_an_attachment_changed_or_missing_is_named(run: Path) -> None:
    (run / "lock.json").write_text("another")
    assert faults(run) == ["lock.json: not the file that was signed"]
    (run / "lock.json").unlink()
    assert faults(run) == ["lock.json: the file is missing"]
    (run / "lock.json").mkdir()
    assert faults(run) == ["lock.json: the file is missing"]


TRICKS = [
    "../x",
    "/etc/hostname",
    "a/../../x",
    "a/../b",
    "./x",
    "a//b",
    "",
    ".",
    "..",
    "a\\..\\b",
    "a/",
    "x\0y",
]


@pytest.mark.parametrize("name", TRICKS)
def test_an_attachment_outside_the_folder_is_neither_written_nor_read(
    run: Path, signer: Any, name: str
) -> None:
    folder = run / "ledger"
    with pytest.raises(InputError, match="path below the run's folder"):
        write_manifest(folder, LOCK, {name: run / "lock.json"}, signer)
    [path] = manifest_paths(folder)
    honest = open_envelope(path.read_bytes(), path.name)
    predicate = {**honest.predicate, "attachments": {name: "0" * 64}}
    path.write_bytes(sign_statement(signer, honest.subjects, PREDICATE, predicate))
    assert faults(run) == [f"{name!r}: an attachment outside the run's folder"]


def test_an_attachment_that_is_a_link_out_of_the_folder_is_refused(run: Path, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    shutil.copy(run / "lock.json", outside)
    (run / "lock.json").unlink()
    (run / "lock.json").symlink_to(outside)
    assert faults(run) == ["lock.json: a link to outside the run's folder"]


# Signed, but not a manifest.


def test_a_signed_file_that_is_no_manifest_is_named(run: Path, signer: Any) -> None:
    [path] = manifest_paths(run / "ledger")
    honest = open_envelope(path.read_bytes(), path.name)
    for predicate_type, predicate, subjects, what in (
        ("urn:assay:lock:1", honest.predicate, honest.subjects, "a signed file, but not a manifest"),
        (PREDICATE, {"lock": LOCK}, honest.subjects, "not a manifest of this version"),
        (PREDICATE, honest.predicate, {"0001.jsonl": "0" * 64}, "names other segments than it seals"),
    ):
        path.write_bytes(sign_statement(signer, subjects, predicate_type, predicate))
        [fault] = faults(run)
        assert re.match(rf"manifest-0001\.json: {what}", fault)
