"""Drift against somebody else's folder that may lie: what does not hold together is refused by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.canonical import decode, encode
from assay.errors import AssayError, InputError, IntegrityError
from assay.instruments.repeatability.cells.canons import canon_bytes
from assay.instruments.repeatability.cells.cell import Canon
from assay.instruments.repeatability.cells.records import rule_versions
from assay.instruments.repeatability.measures.drift import earlier_cells
from assay.instruments.repeatability.programs.contracts import Contract
from tests.instruments.repeatability.drifting import CONTRACTS, cell, run_of
from tests.instruments.repeatability.making import contract


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "reading-repeatability.json"
    value = decode(path.read_bytes())
    change(value["result"])
    path.write_bytes(encode(value))


def named(result: dict[str, Any], name: str, level: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = next(
        m for m in result["measures"] if m["name"] == name and m["labels"].get("level") == level
    )
    return found


def share(result: dict[str, Any]) -> dict[str, Any]:
    return named(result, "R_anchor_pre", "ast")


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], type[AssayError], str]] = {
    "another instrument": (
        lambda r: r.update(instrument="bias"),
        InputError,
        "a reading of bias from ledger",
    ),
    "from rows": (
        lambda r: r.update(source="rows"),
        InputError,
        "from rows; one of repeatability from a ledger",
    ),
    "unfinished": (
        lambda r: r.update(flags=[{"kind": "Provisional", "cause": "not finished: c"}]),
        InputError,
        "the run is Provisional .not finished: c.; a finished one is needed",
    ),
    "another Python": (
        lambda r: r["versions"].update({"normalisation.ast": "ast/1+py2.7"}),
        InputError,
        "was scored with ast/1.py2.7, here it is ast/",
    ),
    "no versions": (lambda r: r.update(versions={}), InputError, "was scored with None"),
    "no cell": (
        lambda r: named(r, "canon_index")["labels"].pop("subject"),
        InputError,
        "its labels name no cell",
    ),
    "half a wording": (
        lambda r: named(r, "canon_index")["labels"].update(wording=0.5),
        InputError,
        "its labels name no cell",
    ),
    "a hot temperature": (
        lambda r: named(r, "canon_index")["labels"].update(temperature="hot"),
        InputError,
        "its labels name no cell",
    ),
    "twice": (
        lambda r: r["measures"].append(named(r, "canon_index")),
        IntegrityError,
        "two measures canon_index of contract c, subject m",
    ),
    "a way out": (
        lambda r: named(r, "canon_index")["labels"].update(canon="../../lock"),
        InputError,
        "'../../lock' is not the digest of a canon",
    ),
    "a number for a canon": (
        lambda r: named(r, "canon_index")["labels"].update(canon=7),
        InputError,
        "7.0 is not the digest of a canon",
    ),
    "a canon that is not there": (
        lambda r: named(r, "canon_index")["labels"].update(canon="0" * 64),
        InputError,
        "there is no file .*canons/0{64}.json",
    ),
    "no share": (
        lambda r: r.update(measures=[m for m in r["measures"] if m["name"] != "R_anchor_pre"]),
        IntegrityError,
        "a canon but no R_anchor_pre",
    ),
    "a null share": (lambda r: share(r).update(value=None), IntegrityError, "a canon but no R_anchor_pre"),
    "another n": (lambda r: share(r).update(n=7), IntegrityError, "is of 4 outputs, R_anchor_pre of 7"),
    "no outputs": (
        lambda r: (share(r).update(n=0), named(r, "canon_index").update(n=0)),
        IntegrityError,
        "is of 0 outputs",
    ),
    "more than can be asked": (
        lambda r: (share(r).update(n=10**12), named(r, "canon_index").update(n=10**12)),
        IntegrityError,
        "is of 1000000000000 outputs",
    ),
    "no share of four": (
        lambda r: share(r).update(value=0.7),
        IntegrityError,
        "0.7 is no share of 4 outputs",
    ),
    "more than all": (lambda r: share(r).update(value=1.25), IntegrityError, "1.25 is no share of 4"),
    "less than none": (lambda r: share(r).update(value=-0.25), IntegrityError, "-0.25 is no share of 4"),
    "beyond the end": (
        lambda r: named(r, "canon_index").update(value=4),
        IntegrityError,
        "is no place among 4",
    ),
    "between two": (
        lambda r: named(r, "canon_index").update(value=0.5),
        IntegrityError,
        "is no place among 4",
    ),
    "not even the canon": (lambda r: share(r).update(value=0.0), IntegrityError, "contradict each other"),
    "a count that its interval denies": (
        lambda r: share(r).update(value=1.0),
        IntegrityError,
        "R_anchor_pre and its interval contradict each other",
    ),
    "no interval": (lambda r: share(r).update(low=None), IntegrityError, "contradict each other"),
    "half an interval": (lambda r: share(r).update(high=None), IntegrityError, "contradict each other"),
    "no confidence": (lambda r: share(r).update(confidence=1.0), IntegrityError, "contradict each other"),
}


@pytest.mark.parametrize(("change", "kind", "message"), CHANGES.values(), ids=list(CHANGES))
def test_a_reading_that_does_not_hold_together_is_refused_by_name(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], kind: type[AssayError], message: str
) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    changed(folder, change)
    with pytest.raises(kind, match=message) as caught:
        earlier_cells(folder, CONTRACTS)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"result": {}}', b"[" * 100_000, b'{"schema": "assay/reading/9"}'],
)
def test_a_file_that_is_no_reading_is_refused(tmp_path: Path, data: bytes) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    (folder / "reading-repeatability.json").write_bytes(data)
    with pytest.raises(InputError, match=r"reading-repeatability\.json: not a reading"):
        earlier_cells(folder, CONTRACTS)


def test_a_folder_without_a_reading_and_one_that_is_a_pipe_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*reading-repeatability\.json"):
        earlier_cells(tmp_path, CONTRACTS)
    os.mkfifo(tmp_path / "reading-repeatability.json")
    with pytest.raises(InputError, match=r"there is no file"):
        earlier_cells(tmp_path, CONTRACTS)


def test_a_reading_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    monkeypatch.setattr("assay.instruments.repeatability.measures.drift.MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"reading-repeatability\.json: has more than 1,000 bytes"):
        earlier_cells(folder, CONTRACTS)


def test_a_run_with_no_canon_for_the_study_is_refused(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("aaa"), cell("AB", "d"))
    with pytest.raises(InputError, match="no cell has a canon for a contract of the study"):
        earlier_cells(folder, {"c": CONTRACTS["c"]})


def canon_file(folder: Path) -> Path:
    (file,) = (folder / "canons").iterdir()
    return file


def test_a_canon_that_was_changed_or_answers_something_else_is_refused(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    file = canon_file(folder)
    good = decode(file.read_bytes())
    file.write_bytes(encode({**good, "code": "x = 'b'\n"}))
    with pytest.raises(IntegrityError, match="is not the canon that its name says"):
        earlier_cells(folder, CONTRACTS)
    file.write_bytes(b"{}")
    with pytest.raises(InputError, match=r"\.json:1: 'contract' is missing"):
        earlier_cells(folder, CONTRACTS)


@pytest.mark.parametrize(
    ("new", "kind", "message"),
    [
        ({"contract": "d", "snapshot": CONTRACTS["d"].snapshot}, IntegrityError, "answers 'd'"),
        ({"contract": "e"}, IntegrityError, "a canon of another contract than"),
        ({"snapshot": "0" * 64}, InputError, "was made for another version of the contract 'c'"),
        (
            {"versions": {**rule_versions(), "oracle": "oracle/0"}},
            InputError,
            "was made with oracle oracle/0",
        ),
        ({"versions": {}}, InputError, "was made with agreement.ast unknown, here it is astdump/1"),
    ],
)
def test_a_canon_of_something_else_under_its_right_name_is_refused(
    tmp_path: Path, new: dict[str, Any], kind: type[AssayError], message: str
) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    canon = msgspec.structs.replace(msgspec.json.decode(canon_file(folder).read_bytes(), type=Canon), **new)
    (folder / "canons" / f"{canon.digest}.json").write_bytes(canon_bytes(canon))
    changed(folder, lambda r: named(r, "canon_index")["labels"].update(canon=canon.digest))
    with pytest.raises(kind, match=message):
        earlier_cells(folder, CONTRACTS)


def test_a_changed_contract_has_no_earlier_canon(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    others: dict[str, Contract] = {"c": contract(id="c", version=2)}
    with pytest.raises(InputError, match="was made for another version of the contract 'c'"):
        earlier_cells(folder, others)
