"""What a model wrote is shown, never obeyed: in the page, the terminal, the spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.report.figures import Reference, forest_plot, matrix, panels
from assay.report.html import render_report
from assay.report.records import write_records
from assay.report.terminal import headline_text, plain_text
from assay.report.text import safe_cell, safe_terminal, visible

from .samples import Page, evil_everywhere, page, reading, share

ELEMENTS = set(
    re.findall(
        r"\S+",
        "html head meta title style body main header section h1 h2 h3 h4 p code span ul li strong table thead tbody "
        "tr th td div details summary dl dt dd figure figcaption pre mark ol "
        "svg g defs path text clippath rect use",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"\S+",
        "lang charset name content http-equiv class id title scope colspan role aria-label "
        "viewbox d style x y width height transform clip-path href",
    )
)
EVIL = {
    "a script": "<script>alert(1)</script>",
    "the end of a script": "</script><img src=x onerror=alert(1)>",
    "the end of the style sheet": "</style><script>alert(1)</script>",
    "the end of an attribute": '" onmouseover="alert(1)" x=\'',
    "a link": '<a href="javascript:alert(1)">javascript:alert(1)</a>',
    "a comment": "<!-- --><iframe srcdoc='<b>'>",
    "character references": "&lt;script&gt;&#60;script&#62;",
    "a template": "{{ 7 * 7 }}{% raw %}{# x #}",
    "colours": "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07",
    "controls": "a\x00b\x07c\x08d\x7fe\x9b31mf",
    "reordering": "a\u202eb\u2066c\u2069\u200fd\u061c",
    "hidden text": "a\u200bb\ufeff\U000e0041",
    "lone surrogates": "a\ud800b",
    "noncharacters": "a\ufffe\uffffb",
    "formulas": '=HYPERLINK("http://evil.example")',
    "rich markup": "[red]x[/red] [link=http://evil.example]y[/link] :smile:",
    "mathematics": "$\\frac{1}{0}$ $unclosed",
    "cdata": "]]><![CDATA[<script>]]>",
}
CONTROLS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def check(html: str) -> Page:
    """No element, attribute, comment or style that our own templates do not put there."""
    page = Page(html)
    assert page.odd == []
    assert page.open == []
    assert {name for name, _ in page.elements} <= ELEMENTS
    assert {key for _, attributes in page.elements for key in attributes} <= ATTRIBUTES
    for name, attributes in page.elements:
        if "href" in attributes:
            assert name == "use"
            assert (attributes["href"] or "").startswith("#")
        assert "url(" not in re.sub(r"url\(#[\w.-]+\)", "", attributes.get("clip-path") or "")
        assert "url(" not in (attributes.get("style") or "")
    assert "url(" not in page.style
    assert "@import" not in page.style
    assert not CONTROLS.search(html)
    html.encode("utf-8")
    return page


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL.keys())
def test_is_inert_in_every_field_of_the_page(evil: str) -> None:
    html = render_report(evil_everywhere(evil))
    harmless = render_report(evil_everywhere("harmless"))
    found = check(html)
    assert [name for name, _ in found.elements] == [name for name, _ in Page(harmless).elements]
    assert found.text.count(visible(evil)) >= 50


def test_is_inert_as_a_name_in_every_figure() -> None:
    measures = [
        share(None if at % 3 else 0.5, evil, who=f"{evil}b", item=evil)
        for at, evil in enumerate(EVIL.values())
    ]
    words = "".join(EVIL.values())
    figures = (
        forest_plot(
            measures, title=words, caption=words, rows="who", groups="item", axis=words,
            references=[Reference(words, 0.5)],
        ),
        panels(
            measures, title=words, caption=words, panel=lambda m: words, x="item", line="who", axis=words, x_axis=words
        ),
        matrix(
            measures, title=words, caption=words, rows="item", columns=lambda m: words, row_axis=words,
            column_axis=words,
        ),
    )  # fmt: skip
    own, presentation = reading(measures[0])
    shown = msgspec.structs.replace(presentation, pictures=tuple(one for one in figures if one is not None))
    found = check(page((own, shown)))
    assert [name for name, _ in found.elements].count("svg") == 3
    assert "cannot be shown" not in found.text


@pytest.mark.parametrize("evil", EVIL.values(), ids=EVIL.keys())
def test_is_inert_in_the_terminal(evil: str) -> None:
    from rich.console import Console

    presentation = evil_everywhere(evil).readings[0][1]
    out = io.StringIO()
    Console(file=out, width=200, force_terminal=False).print(headline_text(presentation))
    for text in (out.getvalue(), plain_text(presentation), safe_terminal(evil)):
        assert not CONTROLS.search(text)
    if evil.startswith("[red]"):
        assert "[red]" in out.getvalue()


@given(st.text(st.characters()))
def test_whatever_the_text_nothing_steers_the_terminal(text: str) -> None:
    assert not CONTROLS.search(safe_terminal(text))


@given(st.text(st.characters()))
def test_whatever_the_text_the_page_can_be_written(text: str) -> None:
    shown = visible(text)
    assert not CONTROLS.search(shown)
    shown.encode("utf-8")
    assert visible(shown) == shown


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=40))
def test_whatever_the_text_the_page_keeps_its_shape(text: str) -> None:
    check(render_report(evil_everywhere(text)))


def test_terminal_escapes_vanish_and_words_stay() -> None:
    assert safe_terminal("\x1b[1;31mred\x1b[0m") == "red"
    assert safe_terminal("\x9b31mred") == "red"
    assert safe_terminal("\x1b]0;title\x07after") == "after"
    assert safe_terminal("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\") == "link"
    assert safe_terminal("one\r\ntwo\tthree") == "one\ntwo\tthree"


def test_nothing_hides_behind_an_escape_that_never_ends() -> None:
    assert "rm -rf" in safe_terminal("\x1b]0;rm -rf")
    assert "rm -rf" in safe_terminal("\x1bPrm -rf\nnext")


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "＝1"]
)
def test_a_formula_is_quoted(text: str) -> None:
    assert safe_cell(text).startswith("'")


@pytest.mark.parametrize("text", ["-1", "+1.5", "-1e-9", ".5", "0", "", "a=b", "text"])
def test_a_number_or_a_word_is_not_quoted(text: str) -> None:
    assert safe_cell(text) == text


def test_formulas_and_controls_are_inert_in_the_records(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    write_records(path, [{"model": evil, "n": 1} for evil in EVIL.values()])
    text = path.read_bytes().decode("utf-8")
    assert not CONTROLS.search(text.replace("\r\n", "\n"))
    rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    assert [row[0] for row in rows] == [safe_cell(evil) for evil in EVIL.values()]
    assert not any(row[0].startswith(("=", "+", "-", "@")) for row in rows)


def test_a_megabyte_of_open_escapes_is_read_once() -> None:
    for piece in ("\x1b]", "\x9d", "\x1b[", "\x1b[0", "\x1bP;"):
        text = piece * 200_000
        assert not CONTROLS.search(safe_terminal(text))
