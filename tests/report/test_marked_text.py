"""Marked transcripts on the page: coloured, with a legend, and nothing in them is markup."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.html import ReportPage, render_report
from assay.report.presentation import (
    Cellish,
    Headline,
    Mark,
    Number,
    Presentation,
    Spoken,
    Transcript,
)
from assay.report.text import mark_text
from assay.vocabulary import Reading, Result

SPANS = st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40), st.sampled_from("xyz")), max_size=6)


def page(*turns: Spoken, marks: tuple[Mark, ...] = ()) -> str:
    marked = Transcript(title="T", turns=turns, marks=marks, outcome=("What failed: all.",), note="a note")
    presentation = Presentation(headline=Headline("h", (), ()), transcripts=(marked,))
    result = Result(instrument="drill", version="1", source="rows", measures=())
    return render_report(ReportPage(title="t", run="r", readings=[(Reading(result=result), presentation)]))


def test_marks_stand_in_the_text_and_in_the_legend() -> None:
    spoken = Spoken("assistant", (("I cannot", "limit"), (" do that. ", ""), ("You must", "leak")))
    html = page(spoken, marks=(Mark("limit", "what it cannot do"), Mark("leak", "bad", wrong=True)))
    assert (
        '<mark class="k1" title="limit">I cannot</mark> do that. <mark class="wrong" title="leak">You must</mark>'
        in html
    )
    assert '<li><mark class="k1">limit</mark> what it cannot do</li>' in html
    assert '<li><mark class="wrong">leak</mark> bad</li>' in html
    assert ".k1 { background: var(--k1); }" in html
    assert "What failed: all." in html
    assert "a note" in html


def test_a_mark_without_a_legend_and_one_too_many_share_a_grey() -> None:
    marks = tuple(Mark(f"m{number}", "") for number in range(1, 8))
    html = page(Spoken("assistant", (("a", "m6"), ("b", "m7"), ("c", "unknown"))), marks=marks)
    assert '<mark class="k6" title="m6">a</mark>' in html
    assert '<mark class="k0" title="m7">b</mark>' in html
    assert '<mark class="k0" title="unknown">c</mark>' in html


@pytest.mark.parametrize(("numbers", "dense"), [(7, False), (8, True)])
def test_a_row_of_many_numbers_has_its_intervals_below_them(numbers: int, dense: bool) -> None:
    row: tuple[Cellish, ...] = ("a", *(Number(0.5, 0.25, 0.75) for _ in range(numbers)))
    headline = Headline("h", ("s", *map(str, range(numbers))), (row,))
    result = Result(instrument="drill", version="1", source="rows", measures=())
    shown = [(Reading(result=result), Presentation(headline=headline))]
    html = render_report(ReportPage(title="t", run="r", readings=shown))
    assert ('<table class="headline dense">' in html) is dense


def test_a_turn_without_a_word_says_so() -> None:
    assert "said nothing" in page(Spoken("assistant", ()))


def test_a_long_turn_is_cut_and_it_is_said() -> None:
    html = page(Spoken("assistant", (("x" * 3999, "m"), ("yy", ""), ("z" * 1_000_000, "m"))))
    assert "the first 4,000 of 1,004,001 characters are shown" in html
    assert "x" * 3999 + "</mark>y<" in html
    assert len(html) < 40_000
    lines = page(Spoken("assistant", (("l\n" * 500, ""),)))
    assert "the first 120 of 1,000 characters are shown" in lines


@given(st.text(st.characters(), max_size=40), SPANS)
def test_marking_loses_no_character(text: str, spans: list[tuple[int, int, str]]) -> None:
    parts = mark_text(text, spans)
    assert "".join(part for part, _ in parts) == text
    assert all(before[1] != after[1] for before, after in pairwise(parts))


@given(st.text(st.characters(), max_size=40), SPANS)
def test_what_is_marked_lies_in_a_span_of_that_mark(text: str, spans: list[tuple[int, int, str]]) -> None:
    at = 0
    for part, mark in mark_text(text, spans):
        for place in range(at, at + len(part)):
            covering = {name for start, end, name in spans if max(start, 0) <= place < end}
            assert mark in covering or (not mark and (not covering or text[place].isspace()))
        at += len(part)


def test_the_shorter_of_two_spans_shows_and_white_space_at_the_ends_does_not() -> None:
    assert mark_text("ab cd ef", [(0, 8, "long"), (2, 6, "short")]) == (
        ("ab ", "long"),
        ("cd", "short"),
        (" ef", "long"),
    )
    assert mark_text("abcd", [(0, 4, "first"), (0, 4, "second")]) == (("abcd", "first"),)
