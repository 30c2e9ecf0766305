"""Documents: what an instrument publishes of a run for people who do not have the page, as HTML and as PDF.

A document is plain values, laid out here and by no instrument. It holds no time of its own: the same evidence gives
the same bytes. Texts are escaped in HTML; typst is given them as data, so nothing in them is markup there either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from assay.canonical import encode
from assay.errors import InputError, UnknownName

from .html import template_named
from .presentation import Cellish, Headline
from .text import visible
from .wording import interval_text, value_text

__all__ = [
    "Document",
    "DocumentFormat",
    "DocumentSheet",
    "Facts",
    "cut_list",
    "cut_text",
    "document_named",
    "is_document",
    "render_document",
]

DocumentFormat = Literal["html", "pdf"]
MISSING_PDF = "a PDF needs the package typst: pip install 'assay-bench[pdf]'; --format html needs nothing"


class Facts(Struct, frozen=True):
    """Named texts under a title. A fact that is ``missing`` says so in words, and is marked."""

    title: str
    facts: tuple[tuple[str, str], ...]
    missing: frozenset[str] = frozenset()  # names of facts


class DocumentSheet(Struct, frozen=True):
    """One part of a document, on a page of its own. ``lead`` is read first."""

    title: str
    under: str
    lead: tuple[str, ...]
    blocks: tuple[Facts | Headline, ...]
    foot: tuple[str, ...] = ()


class Document(Struct, frozen=True):
    """``name`` is the name of its file. Of ``one_page`` documents every sheet has to fit on one page."""

    name: str
    title: str
    sheets: tuple[DocumentSheet, ...]
    one_page: bool = False


def cut_text(text: str, most: int) -> str:
    """A text that is cut says how much is left out."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most].rstrip()} … ({len(text) - most} more characters)"


def cut_list(texts: Iterable[str], most: int, longest: int, more: str = "more") -> list[str]:
    """The first texts, each cut, and how many are left out."""
    every = list(texts)
    shown = [cut_text(text, longest) for text in islice(every, most)]
    return [*shown, f"and {len(every) - most} {more}"] if len(every) > most else shown


def document_named(documents: Sequence[Document], name: str) -> Document:
    for one in documents:
        if one.name == name:
            return one
    if not documents:
        raise InputError(f"there is no document {name!r}: no instrument here makes documents")
    raise UnknownName("document", name, [one.name for one in documents])


def is_document(name: str) -> bool:
    """Whether a file of a run is a drawn document, by its path below the run's folder."""
    folder, _, file = name.partition("/")
    return folder == "documents" and "/" not in file and file.endswith((".html", ".pdf"))


def render_document(document: Document, format: DocumentFormat) -> bytes:
    """The document as a file. The same document gives the same bytes."""
    return _pdf(document) if format == "pdf" else _html(document)


def _plain(cell: Cellish) -> str:
    if isinstance(cell, str):
        return visible(cell)
    flags = "*" if cell.flags else ""
    return f"{value_text(cell)}{flags} {interval_text(cell)}".rstrip()


class _Row(Struct, frozen=True):
    cells: tuple[str, ...]
    missing: bool = False


class _Block(Struct, frozen=True):
    """Facts and tables alike, as the templates lay them out."""

    kind: Literal["facts", "table"]
    title: str
    columns: tuple[str, ...]
    rows: tuple[_Row, ...]
    caption: str


class _Laid(Struct, frozen=True):
    title: str
    under: str
    lead: tuple[str, ...]
    blocks: tuple[_Block, ...]
    foot: tuple[str, ...]


class _LaidDocument(Struct, frozen=True):
    title: str
    one_page: bool
    sheets: tuple[_Laid, ...]


def _block(block: Facts | Headline) -> _Block:
    if isinstance(block, Facts):
        rows = tuple(
            _Row((visible(name), visible(text)), name in block.missing) for name, text in block.facts
        )
        return _Block("facts", visible(block.title), (), rows, "")
    rows = tuple(_Row(tuple(map(_plain, row))) for row in block.rows)
    columns = tuple(map(visible, block.columns))
    return _Block("table", visible(block.title), columns, rows, visible(block.caption))


def _laid(document: Document) -> _LaidDocument:
    sheets = (
        _Laid(
            visible(sheet.title),
            visible(sheet.under),
            tuple(map(visible, sheet.lead)),
            tuple(map(_block, sheet.blocks)),
            tuple(map(visible, sheet.foot)),
        )
        for sheet in document.sheets
    )
    return _LaidDocument(visible(document.title), document.one_page, tuple(sheets))


def _html(document: Document) -> bytes:
    return template_named("document.html").render(document=_laid(document)).encode("utf-8", "replace")


def _pdf(document: Document) -> bytes:
    try:
        import typst
    except ImportError:
        raise InputError(MISSING_PDF) from None
    import matplotlib

    template = (files("assay.report") / "templates" / "document.typ").read_bytes()
    compile_: Any = typst.compile  # its types want all files of one kind
    try:
        found: bytes = compile_(
            template,
            format="pdf",
            font_paths=[Path(matplotlib.get_data_path(), "fonts", "ttf")],
            ignore_system_fonts=True,  # else the same document looks different elsewhere
            sys_inputs={"document": encode(_laid(document)).decode()},
        )
    except typst.TypstError as error:
        raise InputError(f"{document.name}: cannot be made a PDF ({error})") from None
    return found
