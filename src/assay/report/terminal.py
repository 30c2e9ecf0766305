"""The headline in a terminal, as wide as that is, and without colour for pipes and logs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from .presentation import Cellish, Headline, Number, Presentation
from .text import NUMERAL, label, safe_terminal
from .wording import NOTHING, between, interval_text, value_text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.table import Table
    from rich.text import Text

    from assay.vocabulary import Result

__all__ = ["HeadlineTable", "headline_text", "plain_text", "summary_text"]

NARROWEST = 8  # a column in a terminal


def _cell(cell: Cellish) -> str:
    if isinstance(cell, str):
        return safe_terminal(cell).replace("\n", " ").replace("\t", " ")
    return f"{value_text(cell)} {interval_text(cell)}".rstrip() + ("*" if cell.flags else "")


def _numeric(headline: Headline, column: int) -> bool:
    cells = [row[column] for row in headline.rows]
    return bool(cells) and all(isinstance(c, Number) or NUMERAL.fullmatch(c) for c in cells)


def _footnotes(headline: Headline) -> list[str]:
    """What the stars stand for, then what is missing and why."""
    numbers = [cell for row in headline.rows for cell in row if isinstance(cell, Number)]
    flags = [f"* {flag}" for number in numbers for flag in number.flags]
    missing = [f"{NOTHING} {number.note}" for number in numbers if number.value is None and number.note]
    return [safe_terminal(line).replace("\n", " ") for line in dict.fromkeys(flags + missing)]


def headline_text(presentation: Presentation) -> HeadlineTable:
    """The headline for a terminal, as wide as that is. Cells are plain text: nothing in them is markup."""
    return HeadlineTable(presentation.headline)


class HeadlineTable:
    """A table of rich that chooses its layout by the width it gets.

    Where there is no room for intervals beside their values they stand below them, with two digits. Then names are
    cut in the middle, the longest first. Then columns are left out from the right, and it is said.
    """

    def __init__(self, headline: Headline) -> None:
        self._headline = headline

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        wide = self._widths(_cell)
        if _fits(wide, options.max_width):
            yield self._table(wide, below=False)
            return
        narrow = self._widths(_short)
        names = [i for i in range(len(narrow)) if not _numeric(self._headline, i)]
        while not _fits(narrow, options.max_width):
            longest = max(names, key=narrow.__getitem__, default=None)
            if longest is not None and narrow[longest] > NARROWEST:
                narrow[longest] -= 1
            elif len(narrow) > 1:
                narrow.pop()
                names = [i for i in names if i < len(narrow)]
            else:
                break
        yield self._table(narrow, below=True)

    def _widths(self, shown: Callable[[Cellish], str]) -> list[int]:
        headline = self._headline
        found = []
        for place, title in enumerate(headline.columns):
            cells = [line for row in headline.rows for line in shown(row[place]).split("\n")]
            words = [title] if shown is _cell else title.split()
            found.append(max(_size(text) for text in [*cells, *words, ""]))
        return found

    def _table(self, widths: list[int], *, below: bool) -> Table:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        headline = self._headline
        left_out = [_cell(column) for column in headline.columns[len(widths) :]]
        said = [f"No room for: {', '.join(left_out)}."] if left_out else []
        caption = [safe_terminal(headline.caption)] if headline.caption else []
        foot = "\n".join([*caption, *said, *_footnotes(headline)])
        table = Table(
            title=Text(_cell(headline.title)),
            title_justify="left",
            caption=Text(foot) if foot else None,
            caption_justify="left",
            box=SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=0,
        )
        for place, (column, width) in enumerate(zip(headline.columns, widths, strict=False)):
            justify: Literal["left", "right"] = "right" if _numeric(headline, place) else "left"
            table.add_column(Text(_cell(column)), justify=justify, width=width, overflow="fold")
        for row in headline.rows:
            table.add_row(
                *(_rich(cell, width, below=below) for cell, width in zip(row, widths, strict=False))
            )
        return table


def _fits(widths: list[int], room: int) -> bool:
    return sum(widths) + len(widths) - 1 <= room  # a blank between columns


def _size(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _short(cell: Cellish) -> str:
    """As narrow as it gets: the interval below the value."""
    if isinstance(cell, str):
        return _cell(cell)
    return f"{value_text(cell)}{'*' if cell.flags else ''}\n{_brief_interval(cell)}".rstrip()


def _brief_interval(number: Number) -> str:
    """Two digits, rounded outwards, so that the interval still holds."""
    if number.value is None or number.low is None or number.high is None:
        return ""
    ends = (math.floor(number.low * 100 + 1e-9) / 100, math.ceil(number.high * 100 - 1e-9) / 100)
    return between(ends[0]).join(
        "1" if end == 1 else "0" if end == 0 else f"{end:.2f}".replace("0.", ".") for end in ends
    )


def _rich(cell: Cellish, width: int, *, below: bool) -> Text:
    from rich.text import Text

    if isinstance(cell, str):
        text = _cell(cell)
        return Text(text if _size(text) <= width else label(text, width))
    value = Text(value_text(cell), style="bold" if cell.value is not None else "dim")
    interval = f"\n{_brief_interval(cell)}" if below else f" {interval_text(cell)}"
    star = Text("*", style="yellow") if cell.flags else Text()
    dim = Text(interval.rstrip(), style="dim")
    return Text.assemble(value, star, dim) if below else Text.assemble(value, dim, star)


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


def summary_text(result: Result, headline: Headline) -> str:
    """The table that is read first, and the flags of the whole result."""
    flags = [_cell(str(flag)) for flag in result.flags]
    return plain_text(Presentation(headline=headline)) + "".join(f"\n{flag}" for flag in flags)
