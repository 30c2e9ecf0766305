"""Transcripts: what of a run is one, and what each kind of scenario holds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from assay.bench import RunFolder
from assay.errors import IntegrityError
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.instruments.consistency.scenarios.transcripts import gather, scenario_of, scenarios_of
from assay.study import Lock
from assay.vocabulary import Exclusion
from tests.instruments.consistency.running import SMALL, evidence, study
from tests.support import begin, go


def chosen(transcripts: tuple[Scenario, ...], subject: str, kind: str, variant: str) -> list[Scenario]:
    found = [s for s in transcripts if (s.subject, s.kind, s.variant) == (subject, kind, variant)]
    assert found
    return found


def parts(scenario: Scenario) -> list[str]:
    return [f"{turn.role}:{turn.part}" if turn.part else turn.role for turn in scenario.turns]


def test_returns_are_asked_within_and_in_fresh_conversations(transcripts: tuple[Scenario, ...]) -> None:
    small, back = ["user", "assistant"], ["user", "assistant:return"]
    again = ["user", "assistant:again"]
    within = chosen(transcripts, "reference:same", "return", "within")[0]
    assert parts(within) == ["system", *small, *small, *back, *again]
    fresh = chosen(transcripts, "reference:same", "return", "fresh")[0]
    assert parts(fresh) == ["system", *small, "system", *back, *again]
    assert fresh.turns[0] == fresh.turns[3]
    several = chosen(transcripts, "reference:same", "return", "several")[0]
    assert parts(several) == ["system", *small, *back, *again]
    assert len(several.others) == 2
    for variant in ("wrong_digest", "unknown_label"):
        assert parts(chosen(transcripts, "reference:same", "return", variant)[0]) == ["system", *back]


def test_a_return_by_memory_has_the_state_from_the_memory_alone(transcripts: tuple[Scenario, ...]) -> None:
    memory = chosen(transcripts, "reference:keeper", "return", "memory")[0]
    assert parts(memory) == [
        *("system", "user", "tool", "assistant"),
        *("system", "user", "tool", "assistant:return", "user", "assistant:again"),
    ]  # fmt: skip
    assert memory.thread.boundaries[0] in memory.turns[0].content
    assert memory.thread.boundaries[0] not in memory.turns[4].content
    assert memory.turns[6].content.startswith("memory_read(")
    assert memory.boundary == "extended"


def test_errors_are_planted_in_the_user_s_turn_and_in_the_subject_s_own(
    transcripts: tuple[Scenario, ...],
) -> None:
    repairs = [s for s in transcripts if s.kind == "repair" and s.subject == "reference:same"]
    assert Counter((s.variant, s.expected.where) for s in repairs) == {
        (slip, place): 1 for slip in ("digest", "label", "boundary", "fact") for place in ("user", "own")
    }
    for scenario in repairs:
        planted = [turn for turn in scenario.turns if turn.part == "planted"]
        ends = ["user", "assistant:reply", "user", "assistant:prompted"]
        assert parts(scenario)[-4:] == ends
        if scenario.expected.where == "own":
            assert [scenario.expected.wrong in turn.content for turn in planted] == [True]
            assert planted[0].seconds is None
        else:
            assert planted == []
            assert scenario.expected.wrong in scenario.turns[-4].content


def test_unprompted_repair_can_be_all_that_is_asked(tmp_path: Path) -> None:
    only = dict.fromkeys(SMALL, 0) | {"repairs": 2, "prompted": False}
    folder, lock = begin(tmp_path, study(**only))
    assert go(folder, lock)
    assert all(not s.replies("prompted") for s in scenarios_of(evidence(folder, lock)))


def test_go_on_is_said_where_nothing_was_delivered_and_only_there(transcripts: tuple[Scenario, ...]) -> None:
    promises = [s for s in transcripts if s.kind == "promise"]
    assert {bool(s.replies("go_on")) for s in promises} == {True, False}
    for scenario in promises:
        reply = scenario.replies("reply")[0][1].content
        delivered = all(mark in reply for mark in scenario.expected.delivers)
        assert bool(scenario.replies("go_on")) != delivered


def test_a_reply_carries_the_subject_s_time_and_a_planted_turn_none(
    transcripts: tuple[Scenario, ...],
) -> None:
    for scenario in transcripts:
        for turn in scenario.turns:
            own = turn.role == "assistant" and turn.part != "planted"
            assert (turn.seconds is not None) == own


def test_the_time_of_a_reply_is_that_of_all_its_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    for record, scenario in zip(evidence(folder, lock), scenarios_of(evidence(folder, lock)), strict=True):
        told = sum(turn.seconds or 0.0 for turn in scenario.turns)
        assert told == pytest.approx(sum(ask.seconds for ask in record.asks))


def test_two_subjects_meet_the_same_words_until_they_answer(transcripts: tuple[Scenario, ...]) -> None:
    def first(subject: str) -> set[tuple[str, str]]:
        found = [s for s in transcripts if s.subject == subject]
        return {(s.turns[0].content, s.turns[1].content) for s in found}

    assert first("reference:same") == first("reference:drifting")


def test_a_report_that_does_not_fit_its_replies_is_refused(finished: tuple[RunFolder, Lock]) -> None:
    record = next(iter(evidence(*finished)))
    rules = shipped_content().rules
    for changed in (None, {**record.report, "turns": []}, {**record.report, "thread": {}}):
        with pytest.raises(IntegrityError, match=f"trial {record.id[:12]}: "):
            scenario_of(msgspec.structs.replace(record, report=changed), rules)


def test_what_infrastructure_lost_is_counted_and_no_transcript(finished: tuple[RunFolder, Lock]) -> None:
    rules = shipped_content().rules
    kept, *others = list(evidence(*finished))[:4]
    lost = [
        msgspec.structs.replace(
            one,
            outcome="excluded",
            reason="timeout",
            report=None,
            trial=msgspec.structs.replace(one.trial, subject=subject),
        )
        for one, subject in zip(others, ("b", "a", "a"), strict=True)
    ]
    found = gather([kept, *lost], rules)
    assert found.excluded == [
        Exclusion("timeout", 2, {"subject": "a"}),
        Exclusion("timeout", 1, {"subject": "b"}),
    ]
    assert [scenario.id for scenario in found.scenarios] == [kept.id]
    assert found.notes == []


def test_replies_that_were_cut_are_scored_and_said_to_be_so(finished: tuple[RunFolder, Lock]) -> None:
    record = next(iter(evidence(*finished)))
    for event in record.events:
        if event.kind == "received":
            event.data["reply"]["finish"] = "length"
    found = gather([record], shipped_content().rules)
    assert len(found.scenarios) == 1
    assert found.notes == [
        f"{len(record.asks)} replies were cut by their length limit; they are scored as they came"
    ]
