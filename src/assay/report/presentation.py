"""What people are given to look at: a headline table, pictures, comparisons, transcripts, words.

Plain frozen values, so that a page, a terminal and a test see the same thing. Pictures are SVG text drawn by
matplotlib, imported only when something is drawn. Axes and text are ``currentColor``, so a picture takes the
ink of the page it stands on, light or dark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import Struct

from assay.vocabulary import Flag, Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "INK",
    "MOST_CHARACTERS",
    "MOST_LINES",
    "PALETTE",
    "Box",
    "Cellish",
    "Comparison",
    "Headline",
    "Mark",
    "Number",
    "Picture",
    "Presentation",
    "Shortened",
    "Spoken",
    "Taken",
    "Transcript",
    "draw_blocks",
    "draw_legend",
    "drawing",
    "label",
    "mark_text",
    "name_rows",
    "new_figure",
    "number_of",
    "shorten",
    "svg_text",
    "visible",
]

MOST_LINES = 200
MOST_CHARACTERS = 400  # in a line

# Okabe and Ito (2008), "Color Universal Design": told apart with every common kind of colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
INK = "#0b0d0f"  # drawn with this, written as currentColor

_RC: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "assay",
    "text.parse_math": False,  # a label is never markup
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "grid.color": INK,
    "grid.alpha": 0.15,
    "grid.linewidth": 0.6,
}


class Number(Struct, frozen=True):
    """One number with its error. ``value`` is None where there is none, and ``note`` says why."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    flags: tuple[Flag, ...] = ()
    note: str = ""
    units: str = ""


def number_of(measure: Measure | None, missing: str = "not measured") -> Number:
    """A measure as it stands in a table: its reason where it is null, its notes otherwise."""
    if measure is None:
        return Number(None, note=missing)
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note, measure.units)


Cellish = str | Number
Box = tuple[float, float, float, float]  # x, y, width, height


class Headline(Struct, frozen=True):
    """A table, such as the one that is read first. ``names`` are the columns' names for experts, as far as given."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cellish, ...], ...]
    caption: str = ""
    names: tuple[str, ...] = ()


class Picture(Struct, frozen=True):
    """An SVG drawing; ``alt`` says in words what it shows."""

    title: str
    svg: str
    caption: str
    alt: str


class Taken(Struct, frozen=True):
    """A step that was taken, once or several times, and what it does."""

    name: str
    about: str
    times: int = 1


class Comparison(Struct, frozen=True):
    """Two texts to be shown as a difference; where the right one was brought nearer, how, and what is left."""

    title: str
    left_label: str
    right_label: str
    left: str
    right: str
    note: str = ""
    steps: tuple[Taken, ...] = ()
    outcome: str = ""
    rest: str | None = None  # the right text after the steps, where it still differs
    rest_note: str = ""


class Mark(Struct, frozen=True):
    """A kind of marked stretch. ``wrong`` is for what speaks against the reply."""

    name: str
    meaning: str
    wrong: bool = False


class Spoken(Struct, frozen=True):
    """One turn: ``parts`` are its stretches in order, each with the name of its mark, or none."""

    role: str
    parts: tuple[tuple[str, str], ...]


class Transcript(Struct, frozen=True, kw_only=True):
    """A conversation with the evidence marked. ``outcome`` says in words what it came to."""

    title: str
    turns: tuple[Spoken, ...]
    marks: tuple[Mark, ...] = ()  # the legend
    outcome: tuple[str, ...] = ()
    note: str = ""


class Presentation(Struct, frozen=True, kw_only=True):
    """Everything an instrument shows of one result. ``summary`` is for someone who reads nothing else.

    A verdict whose claim begins a row of ``tables`` is told there.
    """

    headline: Headline
    summary: tuple[str, ...] = ()
    tables: tuple[Headline, ...] = ()
    pictures: tuple[Picture, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    transcripts: tuple[Transcript, ...] = ()
    explain: tuple[tuple[str, str], ...] = ()


class Shortened(NamedTuple):
    """``said`` names what was left out; empty when nothing was."""

    text: str
    said: str


def shorten(text: str, lines: int = MOST_LINES, characters: int = MOST_CHARACTERS) -> Shortened:
    """A text fit to be shown. Doing it twice changes nothing more."""
    found = text.splitlines()
    kept = found[:lines]
    wide = sum(len(line) > characters for line in kept)
    said = []
    if len(found) > lines:
        said.append(f"the first {lines} of {len(found)} lines are shown")
    if wide:
        kept = [line if len(line) <= characters else line[: characters - 1] + "…" for line in kept]
        longer = "1 line is" if wide == 1 else f"{wide} lines are"
        said.append(f"{longer} cut at {characters} characters")
    if not said:
        return Shortened(text, "")
    return Shortened("\n".join(kept), "; ".join(said))


def mark_text(text: str, spans: Sequence[tuple[int, int, str]]) -> tuple[tuple[str, str], ...]:
    """Cut a text into stretches by marked spans (start, end, mark), less the white space at their ends.

    Where spans overlap, the shorter one shows, and of two that are as long the one given first.
    """
    inside = [(*_trimmed(text, max(start, 0), min(end, len(text))), mark) for start, end, mark in spans]
    ranked = sorted((end - start, place) for place, (start, end, _) in enumerate(inside) if start < end)
    cuts = sorted({0, len(text), *(at for _, place in ranked for at in inside[place][:2])})
    parts: list[tuple[str, str]] = []
    for start, end in pairwise(cuts):
        covering = (inside[place] for _, place in ranked)
        mark = next((mark for low, high, mark in covering if low <= start and end <= high), "")
        if parts and parts[-1][1] == mark:
            parts[-1] = (parts[-1][0] + text[start:end], mark)
        else:
            parts.append((text[start:end], mark))
    return tuple(parts)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


_JOINERS = "\u200c\u200d"  # in ordinary use in several scripts and in emoji


def visible(text: str) -> str:
    """Characters that steer a display instead of showing (controls, bidi, zero width, tags) made visible.

    Lone surrogates and noncharacters become U+FFFD, so that the text can be written as UTF-8 and as XML.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(char: str) -> str:
    if char in "\n\t" or char.isprintable() or char in _JOINERS:
        return char
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)  # ␀ and its kin
    kind = unicodedata.category(char)
    if kind == "Cs" or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩" if kind in ("Cc", "Cf", "Zl", "Zp") else char


@contextmanager
def drawing() -> Iterator[None]:
    """Draw within this: the same settings whatever the user's own are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(cast(Any, _RC))
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches. Labels find their room by themselves."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def draw_blocks(axes: Axes, boxes: Sequence[Box], name: str, **style: Any) -> None:
    """Many rectangles (x, y, width, height) as one path: a page with a hundred cells stays small."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    if boxes:
        corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)] for x, y, w, h in boxes]
        codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(boxes)
        path = Path([corner for box in corners for corner in box], codes)
        axes.add_patch(PathPatch(path, linewidth=0, label=name, **style))


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Rows from the top, named at the left."""
    axes.set_yticks(range(len(names)), [label(name, 44) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def label(text: str, longest: int = 34) -> str:
    """A name as it stands in a picture: one line; too long a one is cut in the middle, for its end often tells."""
    text = visible(text).replace("\n", " ").replace("\t", " ")
    tail = longest // 3
    return text if len(text) <= longest else f"{text[: longest - tail - 1]}…{text[-tail:]}"


def draw_legend(figure: Figure, axes: Axes, columns: int) -> None:
    """One legend above the whole figure, from what one of its axes shows."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(
            handles, labels, loc="outside upper left", ncols=columns, handlelength=1.2, columnspacing=1.6
        )


def svg_text(figure: Figure) -> str:
    """The figure as one ``<svg>`` element: no date, comments or style sheet, the same bytes every time."""
    import io
    import warnings

    from matplotlib.backends.backend_svg import FigureCanvasSVG

    buffer = io.StringIO()
    FigureCanvasSVG(figure)
    with warnings.catch_warnings():
        # Text is written as text: a glyph that matplotlib's own font lacks is found by the browser.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", category=UserWarning)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    for pattern in (r"<!--.*?-->", r"<metadata>.*?</metadata>", r"<style\b.*?</style>"):
        svg = re.sub(pattern, "", svg, flags=re.DOTALL)
    # The page's own typeface: matplotlib's names differ between its versions and may not be installed.
    svg = re.sub(r"font: (?:(bold|700) )?([\d.]+px)[^;\"]*", _font, svg)
    svg = re.sub(r"font-family: [^;\"]*; ?", "", svg)
    svg = re.sub(r"\n\s*\n+", "\n", svg)
    return svg.replace(INK, "currentColor").strip() + "\n"


def _font(shorthand: re.Match[str]) -> str:
    weight, size = shorthand.groups()
    return f"font-weight: bold; font-size: {size}" if weight else f"font-size: {size}"
