"""Inbox: what counts as registered, and what the noisy level adds."""

from __future__ import annotations

from typing import Any

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.inbox import FIELDS, NOTES, Inbox
from assay.worlds.standing import read_standing

from .sensing import acted, begun, instances, lost, tried

FAMILY = Inbox()


def entry(task: Task, **other: str) -> Act:
    return Act("register", {**task.criterion.expected[0], **other})


def mail(task: Task) -> dict[str, Any]:
    return next(mail for mail in task.setup["mails"] if str(mail["number"]) in task.goal)


@pytest.mark.parametrize("level", [1, 4])
def test_the_message_that_the_goal_names_is_the_one_that_counts(level: int) -> None:
    for task in instances(FAMILY, level, 20):
        assert tried(FAMILY, task, entry(task)) == (True, ())
        if level == 1:
            assert task.criterion.expected == [{field: mail(task)[field] for field in FIELDS}]


def test_each_wrong_field_is_named() -> None:
    task = next(instances(FAMILY, 1))
    wrong = {"sender": "Nobody", "subject": "Nothing", "received": "1999-12-31"}
    for field, value in wrong.items():
        assert tried(FAMILY, task, entry(task, **{field: value})) == (False, (f"{field} is wrong",))


def test_nothing_or_too_much_is_no_success() -> None:
    task = next(instances(FAMILY, 1))
    assert tried(FAMILY, task) == (False, ("nothing was registered",))
    assert tried(FAMILY, task, entry(task), entry(task)) == (False, ("more than one entry was made",))


def test_another_message_is_the_wrong_one() -> None:
    task = next(instances(FAMILY, 1))
    other = next(m for m in task.setup["mails"] if m is not mail(task))
    assert not tried(FAMILY, task, Act("register", {field: other[field] for field in FIELDS}))[0]


def test_at_level_4_notes_put_some_fields_right_and_never_all() -> None:
    for task in instances(FAMILY, 4, 20):
        found, right = mail(task), task.criterion.expected[0]
        changed = [field for field in FIELDS if found[field] != right[field]]
        assert 1 <= len(changed) <= 3
        counting = [about for note in found["notes"] for about, counts in read_standing(note) if counts]
        assert len(found["notes"]) == 4
        assert len(counting) == len(changed)
        assert all(any(right[field] in about for about in counting) for field in changed)


def test_notes_that_count_and_those_that_do_not_are_about_the_same_things() -> None:
    assert all(len(set(NOTES[field])) >= 6 for field in FIELDS)


def test_what_can_be_misread_can_be_checked() -> None:
    for task in (*instances(FAMILY, 1, 10), *instances(FAMILY, 4, 10)):
        right = task.criterion.expected[0]
        seen = begun(FAMILY, task, "Severe-Standard").act("look", {}).observation
        assert right["sender"] in seen["directory"]
        assert right["subject"] in seen["subjects"]


def test_an_entry_with_a_misread_name_fails() -> None:
    task = next(instances(FAMILY, 4))
    played = acted(FAMILY, task, entry(task, sender="Ado Braudt"))
    assert played.judgement.because == ("sender is wrong",)
    assert played.state_changed


@pytest.mark.parametrize("regime", list(shipped_regimes()))
def test_situations_that_are_held_out_can_be_solved_too(regime: str) -> None:
    assert not lost(FAMILY, 4, regime, 60, held_out=True)


def test_text_put_behind_a_name_does_not_change_the_name() -> None:
    assert not lost(FAMILY, 4, "Severe-Adversarial", 300, held_out=False)
