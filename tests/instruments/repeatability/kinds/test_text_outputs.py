"""Texts: which are the same at which rung, which answer is read, what the oracle says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import TextOutputs, examined_from, kind_of
from assay.instruments.repeatability.kinds.patterns import find_group, matches, pattern_fault
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.programs.oracle import OracleJudgement

CHOICE = {"answer": {"kind": "choice", "options": ["red", "blue"]}, "expected": "red"}


def contract(**more: Any) -> Contract:
    return msgspec.convert({"id": "c", "prompt": "Say it.", "kind": "text", **more}, Contract)


def judged(asked: Contract, output: str) -> OracleJudgement:
    return examined_from(kind_of(asked).examine(output, asked, ()), ()).judgement


def same_from(kind: TextOutputs, one: str, other: str) -> str | None:
    outputs = [Output(i, text, "pass", 1, 1) for i, text in enumerate((one, other))]
    ladder = Cell(CellKey("c", "m"), outputs, kind=kind).ladder
    return next((rung for rung, classes in ladder.items() if len(set(classes)) == 1), None)


@pytest.mark.parametrize(
    ("one", "other", "rung"),
    [
        ("Red", "Red", "bytes"),
        ("Red", "Red \r\n\n", "text"),
        ("It is\nred", "It  is red", "space"),
        ("It is\u00a0red", "It is red", "space"),
        ("Straße", "STRASSE", "case"),
        ("caf\u00e9", "cafe\u0301", "case"),
        ("Red", "The answer is red.", "answer"),
        ("Red", "Blue", None),
        ("Red or blue?", "Blue or red?", None),
        ("I cannot say.", "Who knows.", None),
    ],
)
def test_outputs_are_the_same_from_one_rung_on(one: str, other: str, rung: str | None) -> None:
    kind = kind_of(contract(**CHOICE))
    assert isinstance(kind, TextOutputs)
    assert same_from(kind, one, other) == rung


def test_without_an_answer_there_is_no_such_rung() -> None:
    assert kind_of(contract(length={"words": 3})).rungs == ("bytes", "text", "space", "case")


@pytest.mark.parametrize(
    ("answer", "expected", "right", "wrong", "unread"),
    [
        (CHOICE["answer"], "red", "**Red**", "blue", "red or blue"),
        ({"kind": "yes_no"}, "no", "No.", "Yes", "It depends."),
        ({"kind": "number"}, 1234.5, "The result is 1,234.5.", "1234", "between 1 and 2"),
        ({"kind": "number", "tolerance": 0.5}, 8, "8.4", "8.6", "some"),
        ({"kind": "share"}, 0.35, "35 %", "0.3", "a third or half"),
        ({"kind": "regex", "pattern": r"id-(\d+)"}, "42", "It is id-42.", "id-43", "id-42 or id-43"),
        ({"kind": "regex", "pattern": r"\d{4}"}, "2024", "In 2024.", "In 2023.", "long ago"),
    ],
)
def test_the_answer_is_read_and_compared(
    answer: Any, expected: Any, right: str, wrong: str, unread: str
) -> None:
    asked = contract(answer=answer, expected=expected)
    assert judged(asked, right).state == "pass"
    assert judged(asked, wrong).state == "wrong"
    found = judged(asked, unread)
    assert (found.state, found.failing, found.passed) == ("unread", 0, 0)


@pytest.mark.parametrize(
    ("checks", "passes", "fails"),
    [
        ({"must_contain": ["town hall", ["1 July", "July 1"]]}, "July  1: TOWN HALL.", "July 2: town hall."),
        ({"must_match": [r"^[A-Z ]+$"]}, "A TALE", "A Tale"),
        ({"length": {"words": 3}}, " one two three \n", "one two three four"),
        ({"length": {"lines": 1}}, "one line\n", "one\nmore"),
        ({"length": {"characters": 4}}, "four\n", "fives"),
    ],
)
def test_words_and_lengths_are_checked(checks: dict[str, Any], passes: str, fails: str) -> None:
    asked = contract(**checks)
    found = judged(asked, passes)
    assert (found.state, found.passed, found.tests) == ("pass", asked.tests, asked.tests)
    assert judged(asked, fails).state == "wrong"


def test_expressions_take_linear_time_and_others_are_refused() -> None:
    assert not matches("^(a+)+$", "a" * 1_000_000 + "!")
    assert find_group("(x+x+)+y", "x" * 100_000) is None
    for pattern in (r"(a)\1", "(?=a)b", "(?<!a)b", "(", "a" * 1_001, "(?:a{1000}){1000}"):
        assert pattern_fault(pattern)
    assert not pattern_fault(r"\b\d{4}\b")
