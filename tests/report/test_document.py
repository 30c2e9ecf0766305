"""Documents: hostile texts are inert, what is cut is counted, a sheet that must fit on a page does, or it is said."""

from __future__ import annotations

import re
import sys

import pytest

from assay.errors import InputError
from assay.report.document import (
    Document,
    DocumentFormat,
    DocumentSheet,
    Facts,
    cut_list,
    cut_text,
    document_named,
    render_document,
)
from assay.report.presentation import Headline, Number
from assay.vocabulary import Flag

HOSTILE = "<script>alert(1)</script> #panic() $x$ *b* @ref ](javascript:1) \x1b[2J\u202e"


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def document(*lead: str, one_page: bool = False, sheets: int = 1) -> Document:
    table = Headline(
        "A table", ("name", "value"), ((HOSTILE, Number(0.5, 0.4, 0.6, flags=(Flag("Invalid", "x"),))),)
    )
    facts = Facts("Facts", (("given", HOSTILE), ("lacking", "not declared")), frozenset({"lacking"}))
    sheet = DocumentSheet(HOSTILE, HOSTILE, lead, (facts, table), (HOSTILE,))
    return Document("card", HOSTILE, (sheet,) * sheets, one_page)


def test_no_text_is_markup_in_html() -> None:
    page = render_document(document(HOSTILE), "html").decode()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_what_is_missing_is_marked() -> None:
    page = render_document(document(), "html").decode()
    assert '<td class="missing">not declared</td>' in page


def test_no_text_is_markup_in_a_pdf_and_every_sheet_has_its_page() -> None:
    pytest.importorskip("typst")
    assert pages(render_document(document(HOSTILE, sheets=3, one_page=True), "pdf")) == 3


@pytest.mark.parametrize("format", ["html", "pdf"])
def test_the_same_document_gives_the_same_bytes(format: DocumentFormat) -> None:
    if format == "pdf":
        pytest.importorskip("typst")
    assert render_document(document(HOSTILE), format) == render_document(document(HOSTILE), format)


def test_a_sheet_that_does_not_fit_on_its_page_is_refused_and_not_cut_in_silence() -> None:
    pytest.importorskip("typst")
    long = ["a sentence of a sheet that is too long " * 20] * 40
    with pytest.raises(InputError, match="does not fit on one page"):
        render_document(document(*long, one_page=True), "pdf")
    assert pages(render_document(document(*long), "pdf")) > 1


def test_without_typst_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(InputError, match=r"pip install 'assay-bench\[pdf\]'"):
        render_document(document(), "pdf")


def test_what_is_cut_is_counted() -> None:
    assert cut_text("abcdef", 6) == "abcdef"
    assert cut_text("abcdefgh", 3) == "abc … (5 more characters)"
    assert cut_list(["a", "bb", "ccc"], 2, 1) == ["a", "b … (1 more characters)", "and 1 more"]
    assert cut_list(["a"], 1, 5) == ["a"]


def test_an_unknown_document_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean 'card'"):
        document_named([document()], "crad")
    with pytest.raises(InputError, match="no instrument here makes documents"):
        document_named([], "card")
