"""A bundle is the run, signed once more: it holds all of the run and nothing else, and audits like the run."""

from __future__ import annotations

import base64
import datetime
import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest

import assay
from assay.bench import RunFolder
from assay.errors import InputError, IntegrityError
from assay.evidence.archive import unpack_archive
from assay.evidence.bundle import read_bundle
from assay.report.crate import CRATE_NAME
from assay.signing import load_key

from .packages import Made, Package, digests

EVERYTHING = {
    "bundle.json",
    "ledger/0001.jsonl",
    "ledger/manifest-0001.json",
    "lock.json",
    "reading-drill.json",
    "records-drill.csv",
    "report.html",
    "ro-crate-metadata.json",
}


def test_a_bundle_holds_the_run_and_audits_as_the_run_does(made: Made, package: Package) -> None:
    root = package.folder.path
    assert {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()} == EVERYTHING
    of_run, of_bundle = assay.audit(made.run.path), assay.audit(made.bundle)
    assert of_bundle.holds
    assert [(s.what, s.keyid) for s in of_bundle.signatures] == [
        (what, package.keyid) for what in ("lock.json", "manifest-0001.json", "bundle.json")
    ]
    shown = [{**msgspec.to_builtins(one), "signatures": 0, "notes": 0} for one in (of_run, of_bundle)]
    assert shown[0] == shown[1]
    assert package.audit().holds, "packed again by the same rules it is the same"


def test_the_same_run_gives_the_same_bytes(made: Made, package: Package, tmp_path: Path) -> None:
    copied = shutil.copytree(made.run.path, tmp_path / "elsewhere" / "another name")
    done = assay.bundle(copied, out=tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == made.bundle.read_bytes()
    assert (done.files, done.keyid, done.packed) == (8, package.keyid, made.bundle.stat().st_size)


def test_the_description_is_an_ro_crate(package: Package) -> None:
    """RO-Crate 1.2: "RO-Crate Structure", "Root Data Entity", "Data Entities"; every MUST of them."""
    crate = json.loads((package.folder.path / CRATE_NAME).read_bytes())
    assert crate.keys() == {"@context", "@graph"}
    assert crate["@context"] == "https://w3id.org/ro/crate/1.2/context"
    graph = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(graph) == len(crate["@graph"]), "flattened: one entity an id"
    assert all(entity["@type"] and entity.get("name", "descriptor") for entity in graph.values())
    descriptor = graph["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    root = graph[descriptor["about"]["@id"]]
    assert (root["@id"], root["@type"]) == ("./", "Dataset")
    assert all(isinstance(root[field], str) and root[field] for field in ("name", "description", "license"))
    assert datetime.datetime.fromisoformat(root["datePublished"]).tzinfo
    assert {unquote(part["@id"]) for part in root["hasPart"]} == EVERYTHING - {CRATE_NAME}
    for part in root["hasPart"]:
        entity = graph[part["@id"]]
        assert entity["@type"] == "File"
        if part["@id"] != "bundle.json":
            content = (package.folder.path / unquote(part["@id"])).read_bytes()
            assert (entity["contentSize"], entity["sha256"]) == (
                str(len(content)),
                digests({"": content})[""],
            )
    for entity in graph.values():  # what is referred to is there, and nothing is nested
        for value in entity.values():
            for one in value if isinstance(value, list) else [value]:
                assert not isinstance(one, dict) or one["@id"] in {*graph, "https://w3id.org/ro/crate/1.2"}


def test_nothing_else_of_the_machine_goes_in(made: Made, package: Package, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(made.run.path, tmp_path / "copied"))
    (copied / "notes.txt").write_text("mine")
    (copied / "ledger/0001.jsonl.torn-7").write_text("half a line")
    (copied / "report.html").unlink()
    (copied / "report.html").symlink_to("/etc/passwd")
    assay.bundle(copied, out=tmp_path / "b.zip")
    (tmp_path / "out").mkdir()
    unpack_archive(tmp_path / "b.zip", tmp_path / "out")
    there = {p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*") if p.is_file()}
    assert there == EVERYTHING - {"report.html"}
    whole = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    private = [str(tmp_path), made.config, os.environ["PATH"], platform.node(), str(made.run.path.parent)]
    assert [word for word in private if len(word) > 5 and word.encode() in whole] == []
    assert assay.audit(tmp_path / "b.zip").holds


def test_what_the_lock_tells_of_the_machine_is_said(here: Path) -> None:
    (here / "run").mkdir()
    run = assay.run("drill", subject="reference:mumbler", drill={"trials": 1}, name="r", out=here / "run")
    assert assay.bundle(run.path, out=here / "a.zip").notes == ()
    package = Package(RunFolder(run.path), load_key())
    package.change("records-drill.csv", b"", str(Path.home()).encode() + b"/secret")
    package.seal()
    if len(str(Path.home())) >= 6:
        [note] = assay.bundle(run.path, out=here / "b.zip").notes
        assert "your home folder" in note
    lock = run.lock
    [found] = _notes_of(
        msgspec.structs.replace(lock, study=msgspec.structs.replace(lock.study, contact="/home/ann/x"))
    )
    assert found == "the lock names a path of a machine, study.contact: /home/ann/x"


def _notes_of(lock: Any) -> list[str]:
    from assay.api.bundle import _notes

    return list(_notes(lock, {}, {}, lock.keyid))


def test_only_a_closed_run_that_is_what_was_signed_is_packed(
    made: Made, package: Package, tmp_path: Path
) -> None:
    copied = Path(shutil.copytree(made.run.path, tmp_path / "copied"))
    with pytest.raises(InputError, match="exists already"):
        assay.bundle(copied, out=made.bundle)
    path = copied / "reading-drill.json"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(IntegrityError, match="not what was signed"):
        assay.bundle(copied, out=tmp_path / "b.zip")
    (copied / "ledger/manifest-0001.json").unlink()
    with pytest.raises(InputError, match="is not closed yet"):
        assay.bundle(copied, out=tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_what_is_no_bundle_is_wrong_input(tmp_path: Path) -> None:
    for content in (b"", b"PK", b"\x1f\x8b\x08\0", b"{}"):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(InputError, match="neither a run's folder nor a bundle"):
            assay.audit(tmp_path / "file")


def test_a_bundle_is_unpacked_for_nobody_else_and_leaves_nothing(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    modes = []

    def watched(path: Path, into: Path) -> None:
        modes.append(into.stat().st_mode & 0o777)
        unpack_archive(path, into)

    monkeypatch.setattr("assay.api.audit.unpack_archive", watched)
    assert assay.audit(made.bundle).holds
    assert modes == [0o700]
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_of_a_bundle_can_be_read_by_hand(package: Package) -> None:
    envelope = json.loads((package.folder.path / "bundle.json").read_bytes())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["predicateType"] == "urn:assay:bundle:1"
    assert {one["name"] for one in statement["subject"]} == EVERYTHING - {"bundle.json"}
    assert read_bundle(package.folder.path).keyid == package.keyid
