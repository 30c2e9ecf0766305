"""``triple/7`` on any text at all: it answers, always the same, and in time that grows with the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.consistency import detect_triple
from assay.instruments.consistency.detectors import VERSION
from assay.instruments.consistency.detectors.text import prepare
from assay.instruments.consistency.detectors.triple import read_reply


def test_the_version_is_named() -> None:
    assert VERSION == "triple/7"


@given(st.text(st.characters(), max_size=300))
def test_any_text_is_read(text: str) -> None:
    found = detect_triple(text)
    assert found == detect_triple(text)
    for spans in found.spans.values():
        assert all(0 <= start < end <= len(text) for start, end, _ in spans)


WORDS = """i can't cannot won't am not able to I'm still here could explain the doctor can instead sorry no is it
appropriate you if let's we don't , . ! ? * " ` ( :"""
words_of_rules = st.sampled_from([*WORDS.split(), "\n"])


@given(st.lists(words_of_rules, max_size=60))
def test_spans_hold_on_text_made_of_the_rules_own_words(words: list[str]) -> None:
    text = " ".join(words)
    for spans in detect_triple(text).spans.values():
        for start, end, _ in spans:
            assert text[start:end].strip()


HOSTILE = [
    "i ",
    "I can't. ",
    "i really really ",
    '"',
    "(",
    " ",
    "\n",
    "*",
    "```\n",
    "` ",
    "is not a ",
    "sorry. ",
    "if you ",
    '"a ',
    ".",
    "?!",
    "the ",
    "1",
    "Dear ",
    "\nDear a,",
    "you could say: ",
    "rather than doing ",
    "我不能",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_length_and_no_faster(piece: str) -> None:
    """Of 16 times the text, what is linear takes about 15 times the processor time and what is quadratic 256:
    a bound far from both, so that no load on the machine decides."""

    def work(size: int) -> float:
        text = (piece * size)[:size]
        begin = time.process_time()
        detect_triple(text)
        return time.process_time() - begin

    work(1000)
    small, large = (min(work(size) for _ in range(2)) for size in (16_000, 256_000))
    assert large < 80 * small


def test_a_run_of_marks_ends_one_sentence_and_is_not_read_again_from_every_mark() -> None:
    """Were it, the megabyte would take hours."""
    dots = "." * 1_000_000
    assert prepare(dots).sentences == [(0, len(dots))]
    assert prepare(f"One{dots} Two?!) Three").sentences == [
        (0, len(dots) + 4),
        (len(dots) + 4, len(dots) + 11),
        (len(dots) + 11, len(dots) + 16),
    ]
    assert read_reply(dots + " I can't say.").by_rules["limit"]


@pytest.mark.slow
def test_a_megabyte_is_read() -> None:
    text = "The tide came in. " * 60_000 + "I can't say."
    assert len(text) > 1_000_000
    reading = read_reply(text)
    assert [reading.reply.text[s.start : s.end] for s in reading.spans["limit"]] == ["i can't"]
    assert not detect_triple(text).refusal
