"""Trials in the order of the ledger: texts in their places, attempts, several segments, and the same as by index."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.errors import InputError, IntegrityError
from assay.evidence import Event, LedgerIndex
from assay.evidence.trial_reader import TrialReader
from assay.evidence.trials import StoredTrial
from assay.vocabulary import Trial

from .ledgers import LOCK, end_event, make_trial, rechain, sealed_events, text_digest, write_segment

LONG = "a question of many words " * 20
ONE, TWO = make_trial("one"), make_trial("two")


def text(content: str) -> Event:
    return Event("text", 1.0, data={"sha256": text_digest(content), "text": content})


def sent(trial: str, content: Any, *, attempt: int = 0, ordinal: int = 0) -> Event:
    wire = {"messages": [{"role": "user", "content": content}]}
    return Event("sent", 1.0, trial, attempt, ordinal, {"wire": wire})


def received(trial: str, said: str, *, attempt: int = 0, ordinal: int = 0) -> Event:
    data = {"tries": [], "seconds": 1.0, "reply": {"text": said}}
    return Event("received", 1.0, trial, attempt, ordinal, data)


def reference(content: str) -> dict[str, str]:
    return {"sha256": text_digest(content)}


def conversation(folder: Path) -> None:
    """Two trials interleaved over two segments; one is attempted twice and refers to its own long reply."""
    write_segment(
        folder,
        [
            Event("run", 1.0, data={}),
            text(LONG),
            sent(ONE.id, reference(LONG)),
            sent(TWO.id, reference(LONG)),
            received(ONE.id, LONG.upper()),
            sent(ONE.id, reference(LONG.upper()), ordinal=1),
            Event("abandoned", 1.0, TWO.id, 0, 1, {"reason": "stateful"}),
        ],
    )
    write_segment(
        folder,
        [
            received(ONE.id, "good", ordinal=1),
            end_event(ONE, 2),
            sent(TWO.id, "again", attempt=1),
            received(TWO.id, "bad", attempt=1),
            end_event(TWO, 1, attempt=1, outcome="failure"),
        ],
    )


def test_trials_come_as_they_ended_and_are_what_the_index_finds(tmp_path: Path) -> None:
    conversation(tmp_path)
    index = LedgerIndex(tmp_path, LOCK)
    index.refresh()
    reader = TrialReader(tmp_path, LOCK)
    logs = [trial.read() for trial in reader]
    assert [log.id for log in logs] == [ONE.id, TWO.id]
    assert [log.counting for log in logs] == [0, 1]
    for log in logs:
        assert log.attempts == index.attempts(log.id)
        assert reader.find(log.id) == log
    index.close()
    first, second = logs[0].asks(0)
    assert first.wire["messages"][0]["content"] == LONG
    assert second.wire["messages"][0]["content"] == LONG.upper()
    assert [ask.reply.text for ask in logs[1].asks(1) if ask.reply] == ["bad"]


def test_a_text_that_was_forgotten_is_searched_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.evidence.trial_reader.REMEMBERED_TEXTS", 0)
    conversation(tmp_path)
    one, _ = (trial.read() for trial in TrialReader(tmp_path, LOCK))
    assert one.asks(0)[0].wire["messages"][0]["content"] == LONG


def test_a_text_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_segment(tmp_path, [sent(ONE.id, reference(LONG)), received(ONE.id, "x"), end_event(ONE, 1)])
    with pytest.raises(IntegrityError, match=text_digest(LONG)[:12]):
        next(iter(TrialReader(tmp_path, LOCK))).read()


def test_trials_without_an_outcome_come_last(tmp_path: Path) -> None:
    write_segment(tmp_path, [sent(TWO.id, "?"), sent(ONE.id, "?"), received(ONE.id, "x"), end_event(ONE, 1)])
    first, second = TrialReader(tmp_path, LOCK)
    assert (first.id, first.number, second.id, second.number) == (ONE.id, 1, TWO.id, 2)
    assert second.end is None
    assert second.read().latest == 0


def lost(trial: Trial, attempt: int = 0) -> list[Event]:
    data = {"tries": [{"fault": "http_500"}], "fault": "http_500", "detail": "no"}
    end = end_event(trial, 1, attempt=attempt, outcome="excluded")
    return [
        sent(trial.id, "?", attempt=attempt),
        Event("received", 1.0, trial.id, attempt, 0, data),
        msgspec.structs.replace(end, data={**end.data, "reason": "http_500"}),
    ]


def wave(kind: str) -> Event:
    opened = {"instrument": "drill", "stratum": "s", "number": 0, "trials": 2, "digest": "", "closed": False}
    return Event(kind, 1.0, data={**opened, "closed": kind == "closed"})


def retry(*trials: Trial, attempt: int = 0) -> list[Event]:
    again = [Event("retried", 1.0, trial.id, attempt, 2, {"after": "http_500"}) for trial in trials]
    return [Event("run", 1.0, data={"retry": {"faults": [], "trials": len(again)}}), *again]


def test_a_lost_trial_that_was_asked_again_comes_once_and_counts_as_it_ended_then(tmp_path: Path) -> None:
    write_segment(tmp_path, [wave("wave"), *lost(ONE), *lost(TWO), wave("closed")])
    write_segment(tmp_path, [*retry(ONE, TWO), *lost(TWO, 1), sent(ONE.id, "?", attempt=1)])
    write_segment(
        tmp_path,
        [*retry(TWO, attempt=1), received(ONE.id, "good", attempt=1), end_event(ONE, 1, attempt=1)],
    )
    index = LedgerIndex(tmp_path, LOCK)
    index.refresh()
    reader = TrialReader(tmp_path, LOCK)
    logs = {log.id: log for log in (trial.read() for trial in reader)}
    assert [trial.id for trial in reader] == [ONE.id, TWO.id]
    assert {trial: log.counting for trial, log in logs.items()} == {ONE.id: 1, TWO.id: None}
    for trial, log in logs.items():
        assert log.counting == index.counted(trial)
        assert log.attempts == index.attempts(trial)
        assert reader.find(trial) == log
    index.close()
    assert logs[TWO.id].end is None
    assert logs[TWO.id].of is not None  # what it is of is known from its loss


def computed(trial: Trial, attempt: int = 0, *, outcome: str = "success") -> list[Event]:
    """A trial of the second wave, which asks nothing."""
    end = end_event(trial, 1, attempt=attempt, wave=1, outcome=outcome)
    if outcome == "excluded":
        end = msgspec.structs.replace(end, data={**end.data, "reason": "sandbox_lost"})
    return [Event("computed", 1.0, trial.id, attempt, data={"name": "x"}), end]


def second(kind: str, trials: int) -> Event:
    event = wave(kind)
    return msgspec.structs.replace(event, data={**event.data, "number": 1, "trials": trials})


def withdrawn(*unfinished: Trial) -> Event:
    data = {"instrument": "drill", "stratum": "s", "number": 1, "because": "trials are asked again"}
    return Event("withdrawn", 1.0, data={**data, "unfinished": [trial.id for trial in unfinished]})


REPAIRS = [make_trial(f"repair {n}") for n in range(40)]


def test_trials_of_a_withdrawn_wave_come_only_if_they_are_drawn_up_again(tmp_path: Path) -> None:
    """Whether they had an outcome, had been lost and asked again, or had only begun."""
    kept, asked_again, begun, gone = REPAIRS[:4]
    write_segment(tmp_path, [wave("wave"), *lost(ONE), wave("closed"), second("wave", 4), *computed(kept)])
    write_segment(tmp_path, [*computed(asked_again, outcome="excluded"), *computed(gone), computed(begun)[0]])
    retried = Event("retried", 1.0, asked_again.id, 0, 2, {"after": "sandbox_lost"})
    again = Event("run", 1.0, data={"retry": {"faults": [], "trials": 1}})
    write_segment(tmp_path, [again, retried, *computed(asked_again, 1)])
    _, marked = retry(ONE)
    write_segment(tmp_path, [again, withdrawn(begun), marked, sent(ONE.id, "?", attempt=1)])
    write_segment(tmp_path, [received(ONE.id, "good", attempt=1), end_event(ONE, 1, attempt=1)])
    drawn_again = [*computed(asked_again, 2, outcome="excluded"), *computed(kept, 1)]
    write_segment(tmp_path, [wave("closed"), second("wave", 2), *drawn_again])
    once_more = msgspec.structs.replace(retried, attempt=2)
    write_segment(tmp_path, [again, once_more, *computed(asked_again, 3), second("closed", 2)])
    reader, index = TrialReader(tmp_path, LOCK), LedgerIndex(tmp_path, LOCK)
    index.refresh()
    counting = {trial.id: trial.counting for trial in reader}
    assert counting == {ONE.id: 1, kept.id: 1, asked_again.id: 3}
    assert counting == {trial: index.counted(trial) for trial in counting}
    assert sorted(counting) == index.ended("drill", "s")
    assert reader.planned() == 2 + 2
    for trial in (begun, gone):
        assert (reader.find(trial.id).counting, reader.find(trial.id).withdrawn) == (None, True)
        assert index.counted(trial.id) is None
    assert set(reader.find(asked_again.id).attempts) == {0, 1, 2, 3}
    assert reader.find(asked_again.id).counting == 3
    index.close()


def test_trials_of_a_withdrawn_wave_are_not_kept_until_the_withdrawal(tmp_path: Path) -> None:
    opened = [wave("wave"), *lost(ONE), wave("closed"), second("wave", len(REPAIRS))]
    write_segment(tmp_path, [*opened, *(event for trial in REPAIRS for event in computed(trial))])
    again, marked = retry(ONE)
    write_segment(tmp_path, [again, withdrawn(), marked, *lost(ONE, 1), end_event(TWO, 1, attempt=1)])
    others = stored_trials()
    for trial in TrialReader(tmp_path, LOCK):
        assert trial.id in (ONE.id, TWO.id)
        assert stored_trials() <= others + 2


def stored_trials() -> int:
    return sum(isinstance(thing, StoredTrial) for thing in gc.get_objects())


def test_a_trial_that_is_asked_again_and_was_not_lost_is_refused(tmp_path: Path) -> None:
    write_segment(tmp_path, retry(ONE))
    with pytest.raises(IntegrityError, match="line 2"):
        list(TrialReader(tmp_path, LOCK))


def test_what_a_model_says_is_not_taken_for_an_event(tmp_path: Path) -> None:
    forged = f'"}},"kind":"end","ordinal":1,"trial":"{TWO.id}"}}'
    write_segment(tmp_path, [sent(ONE.id, forged), received(ONE.id, forged), end_event(ONE, 1)])
    reader = TrialReader(tmp_path, LOCK)
    assert [trial.id for trial in reader] == [ONE.id]
    with pytest.raises(InputError):
        reader.find(TWO.id)


def test_an_altered_line_is_refused_also_where_it_is_searched_for(tmp_path: Path) -> None:
    path = write_segment(tmp_path, [sent(ONE.id, "?"), received(ONE.id, "x"), end_event(ONE, 1), text(LONG)])
    path.write_bytes(path.read_bytes().replace(b'"text":"x"', b'"text":"y"'))
    reader = TrialReader(tmp_path, LOCK)
    with pytest.raises(IntegrityError, match="line 2"):
        list(reader)
    with pytest.raises(IntegrityError):
        reader.find(ONE.id)


def test_an_outcome_and_a_kind_that_cannot_be_read_are_named_by_line(tmp_path: Path) -> None:
    path = write_segment(tmp_path, [sent(ONE.id, "?"), end_event(ONE, 1)])
    good = sealed_events(path)
    rechain(path, [good[0], good[1].replace(b'"outcome":"success"', b'"outcome":"perhaps"')])
    with pytest.raises(IntegrityError, match="line 2"):
        list(TrialReader(tmp_path, LOCK))
    rechain(path, [b'{"kind":"strange"}'])
    with pytest.raises(IntegrityError, match="line 1"):
        list(TrialReader(tmp_path, LOCK))
