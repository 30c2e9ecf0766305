"""Evidence is what the ledger holds of closed waves, in one order, whatever the order of arrival."""

from __future__ import annotations

import tempfile
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.errors import IntegrityError
from assay.evidence import Event, Evidence, Ledger, LedgerIndex, Wave, scan
from assay.vocabulary import Trial

from .ledgers import LOCK, end_event, make_trial, rechain, sealed_events, text_digest, write_segment

LONG = "a long prompt " * 40
TRIALS = [make_trial(item) for item in ("one", "two", "three", "four")]


def wave(number: int = 0, stratum: str = "s", *, closed: bool = False, digest: str = "d") -> Event:
    return Event("closed" if closed else "wave", data=Wave("drill", stratum, number, 4, digest, closed))


def ask(trial: Trial, ordinal: int, content: Any, reply: str, *, attempt: int = 0) -> list[Event]:
    wire = {"messages": [{"role": "user", "content": content}]}
    received = {"tries": [], "seconds": 0.5, "reply": {"text": reply}}
    return [
        Event("sent", 1.0, trial.id, attempt, ordinal, {"wire": wire}),
        Event("received", 2.0, trial.id, attempt, ordinal, received),
    ]


def conducted(trial: Trial) -> list[Event]:
    """Two turns: the prompt is referred to by digest, and so is the trial's own first reply."""
    first = f"reply to {trial.instance.item} " * 40
    return [
        *ask(trial, 0, {"sha256": text_digest(LONG)}, first),
        Event(
            "computed", 2.5, trial.id, 0, 1, {"name": "oracle", "request": {}, "result": trial.instance.item}
        ),
        *ask(trial, 2, {"sha256": text_digest(first)}, "second reply"),
        end_event(trial, 3),
    ]


TEXT = Event("text", data={"sha256": text_digest(LONG), "text": LONG})
BODY = [event for trial in TRIALS for event in conducted(trial)]


def everything(evidence: Evidence) -> bytes:
    return encode([msgspec.to_builtins(record) for record in evidence])


def write(folder: Path, *segments: Sequence[Event]) -> None:
    for events in segments:
        write_segment(folder, events)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def indexes() -> Iterator[list[LedgerIndex]]:
    made: list[LedgerIndex] = []
    yield made
    for index in made:
        index.close()


def look(folder: Path, indexes: list[LedgerIndex], **options: Any) -> Evidence:
    index = LedgerIndex(folder, LOCK)
    indexes.append(index)
    return Evidence(index, "drill", **options)


@settings(max_examples=40, deadline=None)
@given(st.permutations(BODY), st.integers(0, len(BODY)))
def test_any_order_of_arrival_in_any_segments_gives_the_same_evidence(order: list[Event], cut: int) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        write(Path(one), [wave(), TEXT, *BODY, wave(closed=True)])
        write(Path(other), [wave(), *order[:cut], TEXT], [*order[cut:], wave(closed=True)])
        found = []
        for place in (one, other):
            index = LedgerIndex(Path(place), LOCK)
            found.append(everything(Evidence(index, "drill", "s")))
            index.close()
        assert found[0] == found[1]
        assert found[0] != b"[]"


def test_records_come_in_the_order_of_trial_ids(folder: Path, indexes: list[LedgerIndex]) -> None:
    write(folder, [wave(), TEXT, *BODY, wave(closed=True)])
    records = list(look(folder, indexes))
    assert [record.id for record in records] == sorted(trial.id for trial in TRIALS)
    assert {record.trial.id for record in records} == {trial.id for trial in TRIALS}


def test_texts_that_were_referred_to_are_back_in_their_places(
    folder: Path, indexes: list[LedgerIndex]
) -> None:
    write(folder, [wave(), TEXT, *BODY, wave(closed=True)])
    for record in look(folder, indexes):
        first, second = record.asks
        assert first.wire["messages"][0]["content"] == LONG
        assert second.wire["messages"][0]["content"] == f"reply to {record.trial.instance.item} " * 40
        assert [reply.text for reply in record.replies] == [
            second.wire["messages"][0]["content"],
            "second reply",
        ]
        assert record.computed("oracle") == [record.trial.instance.item]
        assert record.computed("other") == []
        assert second.seconds == 0.5


def test_a_text_that_the_ledger_does_not_hold_is_told(folder: Path, indexes: list[LedgerIndex]) -> None:
    write(folder, [wave(), *BODY, wave(closed=True)])
    evidence = look(folder, indexes)
    with pytest.raises(IntegrityError, match=f"a text {text_digest(LONG)[:12]} that it does not hold"):
        list(evidence)
    write(folder, [TEXT])
    assert len(list(evidence)) == 4, "a text may come in a later segment"
    assert evidence.text(text_digest(LONG)) == LONG


def test_only_closed_waves_are_seen(folder: Path, indexes: list[LedgerIndex]) -> None:
    first, second = TRIALS[:2]
    ledger = Ledger(folder, LOCK)
    evidence = look(folder, indexes, stratum="s")

    def append(*events: Event) -> tuple[int, int, list[str]]:
        for event in events:
            ledger.append(event)
        return len(evidence), evidence.waves, evidence.unfinished(["s"])

    assert append() == (0, 0, ["s"])
    assert append(wave(0), end_event(first, 0)) == (0, 0, ["s"])
    assert append(wave(0, closed=True)) == (1, 1, [])
    assert append(wave(1), end_event(second, 0, wave=1)) == (1, 1, ["s"])
    assert append(wave(1, closed=True)) == (2, 2, [])
    ledger.close()
    for upto, ids in ((0, []), (1, [first.id]), (2, sorted([first.id, second.id]))):
        seen = look(folder, indexes, stratum="s", upto=upto)
        assert [record.id for record in seen] == ids
        assert seen.waves == upto
    assert len(look(folder, indexes, stratum="other")) == 0
    assert look(folder, indexes).waves == 2, "without a stratum all are counted"


def test_a_wave_that_claims_to_be_born_closed_is_open(folder: Path, indexes: list[LedgerIndex]) -> None:
    born = Event("wave", data=Wave("drill", "s", 0, 1, "d", closed=True))
    write(folder, [born, end_event(TRIALS[0], 0)])
    assert len(look(folder, indexes)) == 0


@pytest.mark.parametrize(
    "events",
    [[wave(1)], [wave(0, closed=True)], [wave(0), wave(0, closed=True, digest="e")], [wave(0), wave(2)]],
)
def test_waves_that_do_not_follow_are_refused_and_the_line_named(
    folder: Path, indexes: list[LedgerIndex], events: list[Event]
) -> None:
    write(folder, events)
    with pytest.raises(
        IntegrityError, match=rf"^0001\.jsonl line {len(events)}: wave . of 's' does not follow"
    ):
        len(look(folder, indexes))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_lowest_complete_attempt_counts(
    folder: Path, indexes: list[LedgerIndex], order: tuple[int, ...]
) -> None:
    trial = TRIALS[0]
    attempts = [
        [*ask(trial, 0, "q", "abandoned"), Event("abandoned", 1.0, trial.id, 0, 1, {"because": "x"})],
        [*ask(trial, 0, "q", "counts", attempt=1), end_event(trial, 1, attempt=1, outcome="failure")],
        [*ask(trial, 0, "q", "too late", attempt=2), end_event(trial, 1, attempt=2)],
    ]
    write(folder, [wave(), *(event for n in order for event in attempts[n]), wave(closed=True)])
    evidence = look(folder, indexes)
    [record] = evidence
    assert (record.attempt, record.outcome, record.replies[0].text) == (1, "failure", "counts")
    assert sorted(indexes[0].attempts(trial.id)) == [0, 1, 2], "the others stay in the ledger"
    assert indexes[0].trials() == [trial.id]


def test_reading_as_it_grows_equals_reading_it_whole(folder: Path, indexes: list[LedgerIndex]) -> None:
    growing = look(folder, indexes)
    for events in ([wave(), TEXT, *BODY[:7]], [*BODY[7:], wave(closed=True)]):
        ledger = Ledger(folder, LOCK)
        for event in events:
            ledger.append(event)
            len(growing)
        ledger.close()
        assert everything(growing) == everything(look(folder, indexes))
    assert len(growing) == 4


def test_an_index_remembers_places_not_contents(folder: Path, indexes: list[LedgerIndex]) -> None:
    count, size = 50, 100_000
    trials = [make_trial(str(n)) for n in range(count)]
    events = [event for t in trials for event in (*ask(t, 0, "q", "x" * size), end_event(t, 1))]
    write(folder, [wave(), *events, wave(closed=True)])
    evidence = look(folder, indexes)
    tracemalloc.start()
    try:
        assert sum(len(record.replies[0].text) for record in evidence) == count * size
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < size, "nothing of five million characters is kept"
    assert peak < 40 * size, "and they are read one record at a time"


def test_a_scan_gives_every_event_of_every_segment(folder: Path) -> None:
    write(folder, [wave(), TEXT], BODY)
    seen = [(path.name, line.number, head.kind) for path, line, head in scan(folder, LOCK)]
    assert seen[:3] == [("0001.jsonl", 1, "wave"), ("0001.jsonl", 2, "text"), ("0002.jsonl", 1, "sent")]
    assert len(seen) == 2 + len(BODY)


# A ledger of someone else's making: well chained, but not of the shape the bench writes.

TRIAL = TRIALS[0]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([wave(), Event("end", 1.0, TRIAL.id, 0, 0, {"outcome": "success"})], id="half an end"),
        pytest.param([wave(), Event("end", 1.0, TRIAL.id, 0, 0)], id="an empty end"),
        pytest.param([Event("text", data={"text": "x"})], id="a text without digest"),
        pytest.param([Event("wave", data=[1])], id="a wave that is a list"),
        pytest.param(
            [wave(), Event("sent", 1.0, TRIAL.id, 0, 0, {}), end_event(TRIAL, 1), wave(closed=True)],
            id="sent nothing",
        ),
        pytest.param(
            [wave(), ask(TRIAL, 0, "q", "a")[1], end_event(TRIAL, 1), wave(closed=True)], id="never sent"
        ),
        pytest.param(
            [wave(), end_event(TRIAL, 0), *ask(TRIAL, 1, "q", "a"), wave(closed=True)], id="after the end"
        ),
        pytest.param([wave(), end_event(TRIAL, 0), end_event(TRIAL, 1), wave(closed=True)], id="two ends"),
    ],
)
def test_a_strange_record_is_refused_in_words(
    folder: Path, indexes: list[LedgerIndex], events: list[Event]
) -> None:
    write(folder, events)
    evidence = look(folder, indexes)
    with pytest.raises(IntegrityError):
        [record.asks for record in evidence]


def test_a_line_that_is_chained_but_no_event_is_named(folder: Path, indexes: list[LedgerIndex]) -> None:
    write(folder, [wave(), TEXT])
    path = folder / "0001.jsonl"
    rechain(path, [*sealed_events(path), b"not json"])
    with pytest.raises(IntegrityError, match=r"^0001\.jsonl line 3: not an event"):
        len(look(folder, indexes))
