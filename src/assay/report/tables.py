"""The headline in a terminal, and text nobody trusts made safe for terminals, spreadsheets and file names."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from assay.instruments.presentation import Cellish, Headline, Number, Presentation, visible
from assay.vocabulary import Measure

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

__all__ = [
    "NOTHING",
    "headline_text",
    "interval_text",
    "plain_text",
    "safe_cell",
    "safe_name",
    "safe_terminal",
    "value_text",
]

NOTHING = "—"

# Escape sequences of ECMA-48: CSI, the string controls (OSC, DCS, SOS, PM, APC) where they are terminated, two-byte
# ones. A string that is not terminated loses its introducer only, so that nothing can hide behind it.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_FORMULA = tuple("=+-@\t\n␍＝＋－＠")  # ␍ is what ``visible`` makes of a carriage return
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")


def safe_terminal(text: str) -> str:
    """Text without anything that steers a terminal: escapes, controls, bidi marks. Lines and tabs stay."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    )


def safe_cell(text: str) -> str:
    """Text for a spreadsheet: never a formula (a quote before it), never a control. Numbers stay numbers."""
    text = visible(text)
    if text.lstrip(" \u00a0\u3000").startswith(_FORMULA) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def safe_name(text: str) -> str:
    """A file name from any text. A text that had to be changed keeps a few digits of its digest, against clashes."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "_", text).lstrip("._-")[:80].rstrip(".")
    reserved = _RESERVED.fullmatch(name) is not None
    if name == text and name and not reserved:
        return name
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{'file-' if reserved else ''}{name or 'unnamed'}-{mark}"


def value_text(number: Number | Measure) -> str:
    """Three decimals (spec, Precision Requirements); the dash is 'not established', never zero."""
    if number.value is None:
        return NOTHING
    whole = isinstance(number, Measure) and number.units in ("position", "count")
    return f"{number.value:.0f}" if whole else f"{number.value:.3f}"


def interval_text(number: Number | Measure) -> str:
    if number.value is None or number.low is None or number.high is None:
        return ""
    return f"{number.low:.3f}–{number.high:.3f}"


def _cell(cell: Cellish) -> str:
    if isinstance(cell, str):
        return safe_terminal(cell).replace("\n", " ").replace("\t", " ")
    return f"{value_text(cell)} {interval_text(cell)}".rstrip() + ("*" if cell.flags else "")


def _numeric(headline: Headline, column: int) -> bool:
    cells = [row[column] for row in headline.rows]
    return bool(cells) and all(isinstance(c, Number) or _NUMBER.fullmatch(c) for c in cells)


def _footnotes(headline: Headline) -> list[str]:
    """What the stars stand for, then what is missing and why."""
    numbers = [cell for row in headline.rows for cell in row if isinstance(cell, Number)]
    flags = [f"* {flag}" for number in numbers for flag in number.flags]
    missing = [f"{NOTHING} {number.note}" for number in numbers if number.value is None and number.note]
    return [safe_terminal(line).replace("\n", " ") for line in dict.fromkeys(flags + missing)]


def headline_text(presentation: Presentation) -> Table:
    """The headline as a table of rich. Cells are plain text: nothing in them is markup."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    headline = presentation.headline
    foot = "\n".join([*filter(None, [safe_terminal(headline.caption)]), *_footnotes(headline)])
    table = Table(
        title=Text(_cell(headline.title)),
        title_justify="left",
        caption=Text(foot) if foot else None,
        caption_justify="left",
        box=SIMPLE,
        padding=(0, 1, 0, 0),
    )
    for place, column in enumerate(headline.columns):
        numeric = _numeric(headline, place)
        table.add_column(Text(_cell(column)), justify="right" if numeric else "left", overflow="fold")
    for row in headline.rows:
        table.add_row(*(_rich(cell) for cell in row))
    return table


def _rich(cell: Cellish) -> Text:
    from rich.text import Text

    if isinstance(cell, str):
        return Text(_cell(cell))
    text = Text(value_text(cell), style="bold" if cell.value is not None else "dim", no_wrap=False)
    if interval := interval_text(cell):
        text.append(f" {interval}", style="dim")
    if cell.flags:
        text.append("*", style="yellow")
    return text


def plain_text(presentation: Presentation) -> str:
    """The same without colour or frame, for pipes and logs."""
    headline = presentation.headline
    grid = [[_cell(c) for c in headline.columns], *([_cell(c) for c in row] for row in headline.rows)]
    widths = [max(len(row[i]) for row in grid) for i in range(len(headline.columns))]
    right = [_numeric(headline, i) for i in range(len(headline.columns))]
    lines = [_cell(headline.title), ""]
    for number, row in enumerate(grid):
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        lines.append("  ".join(padded).rstrip())
        if number == 0:
            lines.append("  ".join("-" * w for w in widths))
    foot = [safe_terminal(headline.caption)] if headline.caption else []
    return "\n".join([*lines, "", *foot, *_footnotes(headline)]).rstrip() + "\n"
