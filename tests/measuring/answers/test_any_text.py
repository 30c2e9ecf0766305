"""On any text at all: an option or none, always the same, however long."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.measuring.answers import Answer, read_choice, read_confidence, read_number, read_share, read_yes_no

LETTERS = tuple("ABCD")
WORDS = """
the answer is not B A C D (B) **B** $B$ option correct best I would choose go with therefore so scratch that if none of
options wait B. A) : , . ? ! " ' ( ) [ ] * ` ~~ <think> </think> \\boxed{ } <answer> { 1 2.5 % 3/4 a about confidence
sure Question: Alice: Bob: ``` ✓ ✗ yes no between and or
"""
anything = st.text(st.characters(), max_size=200)
worded = st.lists(st.sampled_from([*WORDS.split(), "\n", "\n\n", "\u200b"]), max_size=40).map(" ".join)
texts = st.one_of(anything, worded)


@given(texts)
def test_a_choice_is_an_option_or_none(text: str) -> None:
    found = read_choice(text, LETTERS)
    assert found == read_choice(text, LETTERS)
    assert found.value is None or found.value in LETTERS
    assert (found.span is None) == (found.value is None or found.path == "json")
    if found.span is not None:
        start, end = found.span
        assert 0 <= start < end <= len(text)


@given(texts)
def test_yes_or_no_is_one_or_none(text: str) -> None:
    assert read_yes_no(text).value in ("yes", "no", None)


@given(texts)
def test_a_quantity_is_a_number_or_none(text: str) -> None:
    for reader in (read_number, read_share, read_confidence):
        found = reader(text)
        assert found.value is None or isinstance(found.value, float)
        if found.span is not None:
            assert any(sign.isalnum() for sign in text[slice(*found.span)])
    assert 0 <= float(read_share(text).value or 0) <= 1


@given(texts, st.sampled_from([" ", "\n", " \n \n", "\t"]))
def test_blanks_at_the_end_change_nothing(text: str, blanks: str) -> None:
    assert read_choice(text + blanks, LETTERS).value == read_choice(text, LETTERS).value


@given(
    st.sampled_from(["Answer: B", "The answer is B.", "I choose B", "(B)", "So B.", "B) Ice", "A or B"]),
    texts,
)
def test_bold_changes_nothing(line: str, before: str) -> None:
    plain, bold = f"{before}\n\n{line}", f"{before}\n\n**{line}**"
    assert read_choice(bold, LETTERS).value == read_choice(plain, LETTERS).value


HOSTILE = [
    "answer ", "the answer is ", "The answer is B. ", "if the answer is B ", "**", "<think>", "<think>B</think>", "(",
    "A,", "A, B and ", "B) no\n", '"', '"The answer is B ', " ", "\n", "1", "1 ", "1,", "[", "\\boxed{", "\\boxed{B} ",
    "Question: a?\n", "Alice: hi\nBob: ho\n", "Alice: the answer is B\nBob: the answer is C\n", "scratch that ",
    "option B is the best choice ", "```python\n", "~~", "_", "\u200b",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_is_read(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    assert read_choice(text, LETTERS).value in (*LETTERS, None)
    readers: tuple[Callable[[str], Answer], ...] = (read_number, read_share, read_confidence)
    assert all(reader(text) is not None for reader in readers)


@pytest.mark.slow
def test_readings_do_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from assay.measuring.answers import read_choice, written_replies\n"
        "print([read_choice(r.text, r.options) for r in written_replies()[::4]])"
    )

    def out(seed: str) -> bytes:
        variables = {**os.environ, "PYTHONHASHSEED": seed}
        return subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env=variables
        ).stdout

    assert out("1") == out("2")
