"""The ledger takes anything JSON can hold, gives it back, and outlives crashes and full disks."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError, IntegrityError, StorageFull
from assay.evidence import Event, Ledger, find_tail, genesis, read_lines, recover, segment_paths
from assay.evidence.events import decode_event, decode_head

from .ledgers import LOCK, write_segment

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def notes(count: int) -> list[Event]:
    return [Event("note", float(n + 1), data={"text": f"Zeile {n} – ünïcödé"}) for n in range(count)]


def contents(path: Path) -> list[Event]:
    return [decode_event(line.event) for line in read_lines(path, genesis(LOCK, path.name))]


@settings(max_examples=80, deadline=None)
@given(st.lists(plain, min_size=1, max_size=6))
def test_what_is_appended_is_read_back(values: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        events = [
            Event("note", float(n), f"t{n}", n, n, {"value": value}) for n, value in enumerate(values, 1)
        ]
        path = write_segment(Path(folder), events)
        assert contents(path) == events
        assert path.read_bytes().count(b"\n") == len(events)


def test_an_event_is_in_the_file_before_append_returns(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, LOCK)
    for number, event in enumerate(notes(3), 1):
        ledger.append(event)
        assert len(contents(ledger.path)) == number
    ledger.close()


def test_each_writer_begins_a_segment_of_its_own(tmp_path: Path) -> None:
    writers = [Ledger(tmp_path, LOCK) for _ in range(3)]
    for writer in writers:
        writer.append(Event("note"))
        writer.close()
    assert [path.name for path in segment_paths(tmp_path)] == ["0001.jsonl", "0002.jsonl", "0003.jsonl"]


def test_a_writer_that_loses_the_race_for_a_number_takes_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_segment(tmp_path, notes(1))
    monkeypatch.setattr("assay.evidence.ledger.segment_paths", lambda folder: [])  # it saw none yet
    assert write_segment(tmp_path, notes(1)).name == "0002.jsonl"


def test_a_ledger_that_has_no_number_left_says_so(tmp_path: Path) -> None:
    (tmp_path / "9999.jsonl").touch()
    with pytest.raises(InputError, match="9,999 segments"):
        Ledger(tmp_path, LOCK)


def test_only_regular_files_are_segments(tmp_path: Path) -> None:
    (tmp_path / "0001.jsonl").mkdir()
    os.mkfifo(tmp_path / "0002.jsonl")
    assert segment_paths(tmp_path) == []


def test_a_value_that_cannot_be_recorded_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, LOCK)
    for bad in (float("nan"), "\ud800", {1: 2}, object()):
        with pytest.raises(InputError):
            ledger.append(Event("note", data={"value": bad}))
    ledger.append(Event("note", data="good"))
    ledger.close()
    assert [event.data for event in contents(ledger.path)] == ["good"]


def test_the_hash_of_another_lock_or_another_name_does_not_fit(tmp_path: Path) -> None:
    path = write_segment(tmp_path, notes(1))
    for first in (genesis("6" * 64, path.name), genesis(LOCK, "0002.jsonl")):
        with pytest.raises(IntegrityError, match=r"0001\.jsonl line 1: its hash does not follow"):
            list(read_lines(path, first))


def test_bytes_that_are_no_event_are_refused_in_words() -> None:
    for data in (
        b"",
        b"[]",
        b"{",
        b'{"kind":1}',
        b'{"kind":"\xff"}',
        b'{"kind":"x","data":' + b"[" * 100_000,
    ):
        with pytest.raises(IntegrityError, match="not an event"):
            decode_event(data)
        with pytest.raises(IntegrityError, match="not an event"):
            decode_head(data)


# Torn tails.


def test_a_last_line_cut_at_any_byte_is_cut_off_and_kept_beside(tmp_path: Path) -> None:
    whole = write_segment(tmp_path, notes(3)).read_bytes()
    path = tmp_path / "0001.jsonl"
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start + 1, len(whole)):
        path.write_bytes(whole[:end])
        tail = recover(path, LOCK)
        beside = tmp_path / f"0001.jsonl.torn-{start}"
        assert (tail.end, tail.lines, tail.torn) == (start, 2, end - start)
        assert path.read_bytes() == whole[:start]
        assert beside.read_bytes() == whole[start:end]
        beside.unlink()


@pytest.mark.parametrize("end", ["nothing", "whole"])
def test_a_sound_segment_is_left_alone(tmp_path: Path, end: str) -> None:
    path = write_segment(tmp_path, notes(3) if end == "whole" else [])
    before = path.read_bytes()
    tail = recover(path, LOCK)
    assert tail.torn == 0
    assert tail.end == len(before) == path.stat().st_size
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "rubbish",
    [
        b"rubbish",
        b"\n",
        b"\n\n\nmore\nrubbish\n",
        bytes(4096),
        bytes(10) + b"\n" + bytes(10),
        b'{"event":{"kind":"note"},"hash":"',
        b'{"event":',
        b'"}\n',
        b"\xff\xfe",
    ],
)
def test_rubbish_behind_the_last_line_is_a_torn_tail(tmp_path: Path, rubbish: bytes) -> None:
    path = write_segment(tmp_path, notes(4))
    sound = path.read_bytes()
    path.write_bytes(sound + rubbish)
    tail = recover(path, LOCK)
    assert (tail.lines, tail.torn) == (4, len(rubbish))
    assert path.read_bytes() == sound
    assert (tmp_path / f"0001.jsonl.torn-{len(sound)}").read_bytes() == rubbish


def test_a_broken_line_before_a_well_formed_one_is_refused_and_named(tmp_path: Path) -> None:
    path = write_segment(tmp_path, notes(4))
    lines = path.read_bytes().splitlines(keepends=True)
    for broken in (b"rubbish\n", lines[1][:30] + b"\n", lines[1].replace(b"Zeile", b"Reihe")):
        altered = b"".join([lines[0], broken, *lines[2:]])
        path.write_bytes(altered)
        with pytest.raises(IntegrityError, match=r"^0001\.jsonl line 2: "):
            recover(path, LOCK)
        assert path.read_bytes() == altered, "an altered ledger is never repaired"


def test_an_altered_last_line_is_not_taken_for_a_torn_one(tmp_path: Path) -> None:
    path = write_segment(tmp_path, notes(2))
    path.write_bytes(path.read_bytes().replace(b"Zeile 1", b"Zeile 7"))
    with pytest.raises(IntegrityError, match="line 2: its hash does not follow"):
        find_tail(path, genesis(LOCK, path.name))


# A full disk.

_FULL_DISK = """
import resource, sys
from pathlib import Path
from assay.errors import StorageFull
from assay.evidence import Event, Ledger
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
ledger = Ledger(folder, "5" * 64)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
done = 0
try:
    while True:
        ledger.append(Event("note", float(done), data={"text": "x" * 100}))
        done += 1
except StorageFull as full:
    print(done, full, sep="|")
for event in (Event("note"), Event("note", data="y")):
    try:
        ledger.append(event)
    except StorageFull:
        print("refused")
ledger.close()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
again = Ledger(folder, "5" * 64)
again.append(Event("note", data="room"))
again.close()
"""


@pytest.mark.parametrize("limit", [2000, 2001, 4096, 50])
def test_a_full_disk_leaves_whole_lines_and_a_clear_message(tmp_path: Path, limit: int) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    first, *rest = run.stdout.splitlines()
    done, message = first.split("|")
    path = tmp_path / "0001.jsonl"
    assert message == (
        f"the ledger {path} could not be written: File too large. "
        "Everything recorded so far is safe; make room and resume the run."
    )
    assert rest == ["refused", "refused"]
    assert len(contents(path)) == int(done)
    assert find_tail(path, genesis(LOCK, path.name)).torn == 0
    assert [event.data for event in contents(tmp_path / "0002.jsonl")] == ["room"]


def test_a_failed_sync_is_not_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = Ledger(tmp_path, LOCK)
    ledger.append(Event("note"))

    def fail(fd: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StorageFull, match="could not be synced: Input/output error"):
            ledger.sync()
    for again in (ledger.sync, lambda: ledger.append(Event("note")), ledger.close):
        with pytest.raises(StorageFull, match="could not be synced"):
            again()


def test_a_folder_that_cannot_be_written_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageFull, match="no segment could be begun"):
        Ledger(tmp_path / "file" / "ledger", LOCK)
