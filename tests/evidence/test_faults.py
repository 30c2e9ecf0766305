"""Faults as they are counted from the events of a ledger."""

from __future__ import annotations

from typing import Any

import pytest

from assay.canonical import encode
from assay.errors import IntegrityError
from assay.evidence.events import Event
from assay.evidence.faults import FailedTries, FaultCounts, read_faults

ODD = 'a "subject":"b\\ \u202e'
TRY = {"fault": "http_500", "seconds": 0.1}


def _end(trial: str, subject: str, outcome: str = "success", **more: Any) -> bytes:
    of = {"instance": {"instrument": "ping"}, "subject": subject, "version": "1"}
    data = {"instrument": "ping", "outcome": outcome, "stratum": "", "trial": of, "wave": 0, **more}
    return encode(Event("end", 1.0, trial, 0, 1, data))


def test_the_first_words_of_a_kind_are_kept_whichever_try_had_them() -> None:
    counts = FaultCounts()
    counts.received("t1", FailedTries((TRY, {**TRY, "detail": "second"})), answered=True)
    counts.received("t2", FailedTries((TRY,), "http_500", "third"), answered=False)
    counts.ended("t2", _end("t2", "x", "excluded", reason="http_500"))
    counts.ended("t1", _end("t1", "x"))
    [fault] = counts.listed("ping")
    assert (fault.count, fault.cured, fault.trials, fault.lost, fault.of) == (3, 2, 2, 1, 2)
    assert (fault.first.trial, fault.first.said) == ("t1", "second")
    assert counts.listed("another") == []


@pytest.mark.parametrize("subject", [ODD, "\\", '"', "x"])
def test_trials_are_counted_under_whatever_a_subject_is_called(subject: str) -> None:
    counts = FaultCounts()
    counts.received("t1", FailedTries((TRY,)), answered=True)
    counts.ended("t1", _end("t1", subject, report={"subject": "another", "text": '"subject":"third"'}))
    [fault] = counts.listed()
    assert (fault.subject, fault.of) == (subject, 1)


def test_a_loss_without_a_failed_try_is_a_fault_and_its_detail_what_is_said() -> None:
    counts = FaultCounts()
    counts.ended("t1", _end("t1", "x", "excluded", reason="touched", report={"detail": "a file"}))
    [fault] = counts.listed()
    assert (fault.fault, fault.count, fault.lost, fault.first.said) == ("touched", 1, 1, "a file")


def test_what_is_asked_again_is_not_lost_any_more_and_only_what_was_lost_can_be() -> None:
    counts = FaultCounts()
    counts.ended("t1", _end("t1", ODD, "excluded", reason="timeout"))
    assert counts.retried("t1").reason == "timeout"
    [fault] = counts.listed()
    assert (fault.count, fault.lost, fault.trials, fault.of) == (1, 0, 0, 0)
    with pytest.raises(IntegrityError, match="was not lost"):
        counts.retried("t1")


def test_an_outcome_without_its_trial_and_faults_of_another_shape_are_refused() -> None:
    with pytest.raises(IntegrityError):
        FaultCounts().ended("t1", encode(Event("end", 1.0, "t1", data={"outcome": "success"})))
    with pytest.raises(IntegrityError):
        read_faults({"faults": [{"subject": 3}]})
