"""The headline in the terminal, and names for files."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.presentation import Headline, Number, Presentation
from assay.report.tables import headline_text, interval_text, plain_text, safe_name, value_text
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


def test_nothing_is_a_dash_and_zero_is_zero() -> None:
    assert value_text(Number(None, 0.0, 1.0)) == "—"
    assert interval_text(Number(None, 0.0, 1.0)) == ""
    assert value_text(Number(0.0)) == "0.000"


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
