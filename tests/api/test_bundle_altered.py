"""Whatever is done to a bundle has its fault, and what the evidence cannot show leaves a doubt."""

from __future__ import annotations

import datetime
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.bench.determination import COMPLIANT, CONTESTED, INVALID
from assay.errors import AssayError, InputError
from assay.evidence.archive import unpack_archive
from assay.report.crate import CRATE_NAME
from assay.signing import open_envelope, sign_statement
from assay.study.lock import PREDICATE as LOCK_PREDICATE
from tests.evidence.ledgers import new_signer

from .packages import Event, Made, Package

# Without the key.

Alter = Callable[[Package, Made], None]


def _drop(name: str) -> Alter:
    return lambda package, _: (package.folder.path / name).unlink()


def _change(name: str, old: bytes, new: bytes) -> Alter:
    return lambda package, _: package.change(name, old, new)


def _from_other(name: str) -> Alter:
    def alter(package: Package, made: Made) -> None:
        shutil.copy(made.other.path / name, package.folder.path / name)

    return alter


def _write(name: str, content: bytes) -> Alter:
    def alter(package: Package, _: Made) -> None:
        (package.folder.path / name).write_bytes(content)

    return alter


def _bundle_of_other(package: Package, made: Made) -> None:
    other = package.folder.path.parent / "other"
    other.mkdir()
    assay.bundle(made.other.path, out=other / "o.zip")
    (other / "out").mkdir()
    unpack_archive(other / "o.zip", other / "out")
    shutil.copy(other / "out/bundle.json", package.folder.path)


DEEP = b"[" * 100_000
WITHOUT_KEY: dict[str, tuple[Alter, str]] = {
    "a measure": (_change("reading-drill.json", b'"value":', b'"value":1'), "reading-drill.json: .* size"),
    "a digit": (_change("reading-drill.json", b'"n":', b'"m":'), "reading-drill.json: not the file .* bundle"),
    "a record": (_change("records-drill.csv", b"north", b"south"), "records-drill.csv: not the file"),
    "a reply": (_change("ledger/0001.jsonl", b" after ", b" AFTER "), r"0001.jsonl line \d+: its hash"),
    "the lock": (_change("lock.json", b'"payload":"', b'"payload":"A'), "lock.json: "),
    "the manifest": (_change("ledger/manifest-0001.json", b'"sig":"', b'"sig":"A'), "manifest-0001.json: "),
    "the page": (_change("report.html", b"<", b"< "), "report.html: does not have the size"),
    "the description": (_change(CRATE_NAME, b"Dataset", b"DataSet"), f"{CRATE_NAME}: not the file"),
    "the bundle's manifest": (_change("bundle.json", b'"sig":"', b'"sig":"A'), "bundle.json: "),
    "another signature": (_from_other("ledger/manifest-0001.json"), "made for another lock"),
    "another lock": (_from_other("lock.json"), "lock.json: not the file|another lock"),
    "another ledger": (_from_other("ledger/0001.jsonl"), "0001.jsonl line 1: its hash"),
    "another reading": (_from_other("reading-drill.json"), "reading-drill.json: not the file"),
    "another bundle": (_bundle_of_other, "bundle.json: was made for another run"),
    "no signature": (_drop("bundle.json"), "there is no bundle.json: nobody signed"),
    "no lock": (_drop("lock.json"), "has no lock.json"),
    "no segment": (_drop("ledger/0001.jsonl"), "0001.jsonl: is not in the bundle"),
    "no manifest": (_drop("ledger/manifest-0001.json"), "was never closed: it has no manifest"),
    "no reading": (_drop("reading-drill.json"), "reading-drill.json: is not in the bundle"),
    "no records": (_drop("records-drill.csv"), "records-drill.csv: is not in the bundle"),
    "no description": (_drop(CRATE_NAME), f"{CRATE_NAME}: is not in the bundle"),
    "one more": (_write("certificate.pdf", b"%PDF"), "certificate.pdf: bundle.json does not name it"),
    "one more segment": (_write("ledger/0002.jsonl", b""), "ledger/0002.jsonl: bundle.json does not name it"),
    "deep manifest": (_write("bundle.json", DEEP), "bundle.json: not a signed envelope"),
    "deep lock": (_write("lock.json", DEEP), "lock.json: not a signed envelope"),
    "deep reading": (_write("reading-drill.json", DEEP), "reading-drill.json: cannot be read"),
    "deep seal": (_write("ledger/manifest-0001.json", DEEP), "manifest-0001.json: not a signed envelope"),
}  # fmt: skip


@pytest.mark.parametrize("what", WITHOUT_KEY)
def test_a_bundle_that_was_altered_without_the_key_is_invalid(
    package: Package, made: Made, what: str
) -> None:
    alter, reason = WITHOUT_KEY[what]
    alter(package, made)
    report = package.audit()
    assert report.determination == INVALID
    assert [fault for fault in report.faults if re.search(reason, fault)], report.faults
    assert report.reasons == report.faults


# With a key: the run's own, or another.


def _at(change: Callable[[Event], float | None]) -> Callable[[Event], Event]:
    def changed(event: Event) -> Event:
        at = change(event)
        return event if at is None else {**event, "at": at}

    return changed


def _each(kind: str, **data: Any) -> Callable[[Event], Event]:
    return lambda event: {**event, "data": {**event["data"], **data}} if event["kind"] == kind else event


def _reply(event: Event) -> Event:
    if event["kind"] == "received":
        event["data"]["reply"]["text"] = "another reply"
    return event


def _swapped() -> Callable[[Event], Event | list[Event] | None]:
    held: list[Event] = []

    def change(event: Event) -> Event | list[Event] | None:
        if event["kind"] == "sent" and not held:
            held.append(event)
            return None
        if event["kind"] == "received" and len(held) == 1:
            held.append(event)
            return [event, held[0]]
        return event

    return change


def _deep(event: Event) -> Event:
    value: Any = 0
    for _ in range(900):
        value = [value]
    return {**event, "data": {**event["data"], "after": {"x": value}}} if event["kind"] == "run" else event


FORGED: dict[str, tuple[Callable[[Event], Event | list[Event] | None], str]] = {
    "replies": (_reply, "trial [0-9a-f]{12}"),
    "a dropped trial": (
        lambda e: None if e["kind"] == "end" and "north" in str(e["data"]) else e,
        "has no outcome",
    ),
    "a world's step": (_each("computed", result={"state": 9, "steps": 9}), "another result than was recorded"),
    "an outcome": (_each("end", outcome="success"), "recorded as success"),
    "another study's session": (_each("run", lock="0" * 64), "does not follow from the lock"),
    "a reply before its request": (_swapped(), "a reply without a request before it"),
    "a time that is none": (_at(lambda e: 1e300 if e["kind"] == "sent" else None), "a time that is none"),
    "deep data": (_deep, "0001.jsonl line 1"),
    "an unknown event": (
        lambda e: [e, {"kind": "rating", "at": e["at"]}] if e["kind"] == "run" else e,
        "an event of an unknown kind",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FORGED)
def test_who_holds_the_key_and_rewrites_the_evidence_is_contradicted_by_the_protocol(
    package: Package, what: str
) -> None:
    change, reason = FORGED[what]
    try:
        package.forge(change)
    except (AssayError, KeyError, OverflowError):
        package.seal()  # the forger's own Assay does not score it; the old reading is sealed instead
        package.sign()
    report = package.audit(package.keyid)
    assert report.determination == INVALID
    assert [fault for fault in report.faults if re.search(reason, fault)], report.faults


def test_who_rewrites_everything_with_another_key_is_a_second_signer(package: Package) -> None:
    other = new_signer()
    package.forge(lambda event: event, other)
    report = package.audit()
    assert report.determination == INVALID
    assert sum(other.public_key.keyid[:16] in fault for fault in report.faults) == 2, "of manifest and bundle"
    assert package.audit([package.keyid, other.public_key.keyid]).determination == COMPLIANT


def test_a_bundle_that_somebody_else_packed_needs_both_named(package: Package) -> None:
    other = new_signer()
    package.sign(other)
    keyid = other.public_key.keyid
    [fault] = package.audit().faults
    assert fault.startswith(f"{keyid[:16]} signed the bundle, {package.keyid[:16]} the lock")
    [fault] = package.audit(package.keyid).faults
    assert fault == f"bundle.json: signed by key {keyid[:16]}, not by {package.keyid[:16]}"
    assert package.audit([package.keyid, keyid]).determination == COMPLIANT


def test_a_signed_bundle_is_still_held_against_the_run(package: Package) -> None:
    """Whoever signs can sign anything. What is signed has to be a run, and to follow from its evidence."""
    page = package.folder.path / "certificate.pdf"
    page.write_bytes(b"%PDF")
    package.sign()
    assert package.audit().faults == ["certificate.pdf: is no part of the run"]
    page.unlink()
    package.change(CRATE_NAME, b"no licence", b"a licence")
    package.sign_files()
    assert package.audit().faults == [f"{CRATE_NAME}: is not what the files of the bundle give"]
    package.sign()
    package.change("records-drill.csv", b"north", b"south")
    package.seal()
    package.sign()
    assert [f for f in package.audit().faults if re.match(r"records-drill.csv row \d+: is not what", f)]
    package.folder.records_path("drill").unlink()
    package.seal()
    package.sign()
    assert package.audit().faults == ["records-drill.csv: the file is missing"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"lock": "0" * 64}, "was made for another run"),
        ({"sealed": "0" * 64}, "was made for another run"),
        ({"sizes": {"lock.json": 1}}, "has sizes of other files than it signs"),
        ({"sizes": 7}, "not the manifest of a bundle of this version"),
    ],
)
def test_a_manifest_that_contradicts_itself_is_refused(package: Package, other: Any, reason: str) -> None:
    package.sign_files(**other)
    assert any(reason in fault for fault in package.audit().faults)


def test_a_signed_file_of_another_kind_is_no_manifest(package: Package) -> None:
    shutil.copy(package.folder.lock_path, package.folder.path / "bundle.json")
    assert package.audit().faults == ["bundle.json: a signed file, but not the manifest of a bundle"]


def test_records_without_an_end_are_not_read(package: Package) -> None:
    path = package.folder.records_path("drill")
    path.write_bytes(path.read_bytes() + b"x" * 3_000_000)
    package.seal()
    package.sign()
    assert "records-drill.csv: is not what the evidence gives, but longer" in package.audit().faults


def test_a_ledger_of_one_endless_line_is_refused(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.evidence.chain.LONGEST", 1 << 16)
    (package.folder.ledger / "0001.jsonl").write_bytes(b'{"event":' + bytes(1 << 20))
    package.sign()
    assert "0001.jsonl line 1: not a ledger line" in package.audit().faults


# Times.


def _lock_again(package: Package, created: str) -> None:
    """The same study, signed with another time: its digest does not change."""
    signed = open_envelope(package.folder.lock_path.read_bytes(), "lock.json")
    predicate = {**signed.predicate, "created": created}
    data = sign_statement(package.signer, signed.subjects, LOCK_PREDICATE, predicate)
    package.folder.lock_path.write_bytes(data)
    package.seal()
    package.sign()


def test_a_study_that_was_locked_after_it_began_was_not_declared_first(package: Package) -> None:
    begun = datetime.datetime.fromisoformat(package.audit().begun)
    _lock_again(package, (begun + datetime.timedelta(hours=2)).isoformat())
    report = package.audit(package.keyid)
    assert report.determination == INVALID
    assert [
        f for f in report.faults if re.fullmatch(r"the run began 7,\d{3} s before its study was locked", f)
    ]
    _lock_again(package, (begun + datetime.timedelta(seconds=30)).isoformat())
    report = package.audit(package.keyid)
    assert report.determination == CONTESTED, "two machines' clocks differ by as much"
    assert [r for r in report.reasons if re.fullmatch(r"the run began \d+ s before its study was locked", r)]
    _lock_again(package, "yesterday")
    assert package.audit(package.keyid).faults == ["lock.json: does not say when it was made"]
    _lock_again(package, (begun - datetime.timedelta(days=400)).isoformat())
    assert package.audit(package.keyid).determination == COMPLIANT


DOUBTFUL: dict[str, tuple[Callable[[Event], Event], str]] = {
    "a reply that took longer than it could": (_each("received", seconds=3600.0), r"\d+ replies took longer"),
    "an end before the beginning": (
        _at(lambda e: e["at"] - 30 if e["kind"] == "finished" else None),
        "clock was set back by",
    ),
    "the future": (_at(lambda e: e["at"] + 1e6), "ahead of this machine's clock"),
    "after the seal": (_at(lambda e: e["at"] + 1e6), "later than the manifest that seals them"),
}


@pytest.mark.parametrize("what", DOUBTFUL)
def test_times_that_do_not_add_up_leave_a_run_contested(package: Package, what: str) -> None:
    change, reason = DOUBTFUL[what]
    package.forge(change)
    report = package.audit(package.keyid)
    assert (report.faults, report.determination) == ([], CONTESTED)
    assert [one for one in report.reasons if re.search(reason, one)], report.reasons


# Who signed.


def test_a_file_of_trusted_keys_vouches_for_the_one_that_signed(package: Package, tmp_path: Path) -> None:
    other = new_signer()
    trusted = tmp_path / "keys.txt"
    trusted.write_text(
        f"# whom we know\n{other.public_key.keyid} Bo\n\n{package.keyid.upper()}  Ann Example\n"
    )
    assert package.audit(str(trusted)).determination == COMPLIANT
    assert package.audit().determination == CONTESTED
    trusted.write_text(f"{other.public_key.keyid} Bo\n")
    [fault] = package.audit(str(trusted)).faults
    assert fault == f"lock.json: signed by key {package.keyid[:16]}, which {trusted} does not list"
    package.forge(lambda event: event, other)
    trusted.write_text(f"{other.public_key.keyid} Bo\n{package.keyid} Ann\n")
    report = package.audit(str(trusted))
    assert report.determination == INVALID, "that both are known does not say that both were to sign this run"


def test_a_public_key_is_a_file_of_one_trusted_key(package: Package, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

    private = load_pem_private_key(package.signer.private_bytes, None)
    pem = tmp_path / "ann.pem"
    pem.write_bytes(private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    assert package.audit(str(pem)).determination == COMPLIANT


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("Ann\n", r"keys.txt:1: a line begins with the id of a key"),
        ("# nobody\n", "lists no key"),
        ("-----BEGIN PUBLIC KEY-----\nx\n", "not a public key in PEM form"),
        (None, "neither the id of a key"),
    ],
)
def test_a_file_that_lists_no_keys_is_wrong_input(
    package: Package, tmp_path: Path, content: str | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "keys.txt").write_text(content)
    with pytest.raises(InputError, match=message):
        package.audit(str(tmp_path / "keys.txt"))
