"""The headline in the terminal, and names for files."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assay.report.presentation import Headline, Number, Presentation
from assay.report.terminal import headline_text, plain_text
from assay.report.text import safe_name
from assay.report.wording import interval_text, value_text
from assay.vocabulary import Flag

SHOWN = Presentation(
    headline=Headline(
        "Title",
        ("contract", "n", "R"),
        (
            ("add", "8", Number(0.5, 0.25, 0.75, 8)),
            ("is_even", "10", Number(None, note="no canon")),
            ("square", "8", Number(1.0, None, None, 8, (Flag("Provisional", "1 lost"),))),
        ),
        "Caption.",
    )
)


def test_plain_text_aligns_numbers_and_names_what_is_missing() -> None:
    assert plain_text(SHOWN) == (
        "Title\n"
        "\n"
        "contract   n                  R\n"
        "--------  --  -----------------\n"
        "add        8  0.500 0.250–0.750\n"
        "is_even   10                  —\n"
        "square     8             1.000*\n"
        "\n"
        "Caption.\n"
        "* Provisional (1 lost)\n"
        "— no canon\n"
    )


def test_the_rich_table_says_the_same() -> None:
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=100).print(headline_text(SHOWN))
    for words in ("Title", "0.500 0.250–0.750", "1.000*", "* Provisional (1 lost)", "— no canon", "Caption."):
        assert words in out.getvalue()


def printed(headline: Headline, width: int) -> list[str]:
    from rich.console import Console

    out = io.StringIO()
    Console(file=out, width=width).print(headline_text(Presentation(headline=headline)))
    return [line.rstrip() for line in out.getvalue().splitlines()]


WIDE = Headline(
    "Title",
    ("contract", "model", "n", "same bytes", "same behaviour"),
    (
        (
            "binary_search",
            "a-model-with-a-long-name-0929",
            "20",
            Number(0.9, 0.664, 0.988),
            Number(1.0, 0.824, 1.0),
        ),
    ),
)


def test_a_narrow_terminal_gets_intervals_below_and_names_cut_in_the_middle() -> None:
    assert printed(WIDE, 48)[-3:] == [
        "────────────────────────────────────────────────",
        "binary_search a-model-…0929 20   0.900     1.000",
        "                               .66–.99     .82–1",
    ]


def test_a_very_narrow_terminal_gets_fewer_columns_and_is_told_which() -> None:
    lines = printed(WIDE, 30)
    assert "No room for: same behaviour." in lines
    assert all(len(line) <= 30 for line in lines)
    assert any(line.endswith("20   0.900") for line in lines)


@given(st.integers(1, 200), st.text(max_size=60), st.floats(0, 1), st.floats(0, 1))
def test_no_line_is_wider_than_the_terminal(width: int, name: str, one: float, two: float) -> None:
    number = Number((one + two) / 2, min(one, two), max(one, two))
    headline = Headline("t", ("contract", "share"), ((name, number),))
    for line in printed(headline, width):
        assert cell_len(line) <= width


def test_nothing_is_a_dash_and_zero_is_zero() -> None:
    assert value_text(Number(None, 0.0, 1.0)) == "—"
    assert interval_text(Number(None, 0.0, 1.0)) == ""
    assert value_text(Number(0.0)) == "0.000"


def test_an_interval_with_a_negative_end_has_no_dash_between() -> None:
    assert interval_text(Number(0.1, 0.0, 0.5)) == "0.000–0.500"
    assert interval_text(Number(-0.1, -0.5, 0.2)) == "-0.500 to 0.200"


@pytest.mark.parametrize("name", ["run-1", "a.b_c", "UPPER"])
def test_a_good_name_stays(name: str) -> None:
    assert safe_name(name) == name


@pytest.mark.parametrize(
    "text",
    ["../../etc/passwd", ".hidden", "-rf", "a/b", "a\x00b", "CON", "nul.txt", "", "é", "x" * 300, "a."],
)
def test_a_bad_name_is_made_good(text: str) -> None:
    name = safe_name(text)
    assert name != text
    assert "/" not in name
    assert name[0] not in ".-"
    assert len(name) <= 100


@given(st.text(), st.text())
def test_two_texts_do_not_share_a_name(a: str, b: str) -> None:
    assert (safe_name(a) == safe_name(b)) == (a == b)
