"""Replies by authors who had not seen the rules: no wrong letter, and nearly all are read."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from assay.measuring.answers import WrittenReply, read_choice, written_replies
from assay.measuring.answers.detector import AnswerDetector

REPLIES = written_replies()
ANSWERED = [reply for reply in REPLIES if reply.answer is not None]
UNANSWERED = [reply for reply in REPLIES if reply.answer is None]


@cache
def value(reply: WrittenReply) -> object:
    return read_choice(reply.text, reply.options).value


def test_there_are_many_of_every_kind() -> None:
    assert len(REPLIES) >= 1050
    assert sum(reply.hard for reply in REPLIES) >= 260
    assert len(UNANSWERED) >= 190
    assert {reply.set for reply in REPLIES} == {"one", "two", "three", "four", "five", "six"}


def test_no_letter_is_wrong() -> None:
    wrong = [(reply.text, reply.answer) for reply in ANSWERED if value(reply) not in (reply.answer, None)]
    assert wrong == []


def test_none_is_read_where_there_is_none() -> None:
    assert [reply.text for reply in UNANSWERED if value(reply) is not None] == []


def test_nearly_all_easy_ones_are_read() -> None:
    easy = [value(reply) == reply.answer for reply in ANSWERED if not reply.hard]
    assert sum(easy) >= 0.995 * len(easy)


@pytest.mark.parametrize("name", ["one", "two", "three", "four", "five", "six"])
def test_nearly_all_of_each_set_are_read(name: str) -> None:
    read = [value(reply) == reply.answer for reply in ANSWERED if reply.set == name]
    assert sum(read) >= 0.95 * len(read)


def test_nearly_all_are_read() -> None:
    read = [value(reply) == reply.answer for reply in ANSWERED]
    assert sum(read) >= 0.98 * len(read)


def test_a_reply_that_does_not_name_its_letter_is_never_read_wrongly() -> None:
    replies = written_replies(inexplicit=True)
    assert replies
    assert not [reply.text for reply in replies if value(reply) not in (reply.answer, None)]


@pytest.mark.slow
def test_the_check_counts_them() -> None:
    document = AnswerDetector().check().document
    counts = Counter(document["easy"]) + Counter(document["hard"])
    assert counts.total() == len(REPLIES)
    assert counts["wrong"] == counts["read though there is none"] == 0


def test_a_span_is_the_label_as_it_stands() -> None:
    for reply in ANSWERED:
        found = read_choice(reply.text, reply.options)
        if found.span is not None:
            said = reply.text[slice(*found.span)]
            assert len(said) <= 2  # a letter, and a sign that is not seen
