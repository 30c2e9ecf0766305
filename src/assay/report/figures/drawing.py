"""How every figure is drawn: SVG text by matplotlib, which is imported only when something is drawn.

A figure is laid out at once and written when a page asks for it (``svg_later``): a terminal shows no picture, and
writing takes most of the time.

Axes and text are ``currentColor``, so a picture takes the ink of the page it stands on, light or dark. The same
figure is the same bytes every time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from assay.report.text import label

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "BLUE",
    "GREEN",
    "INK",
    "MARKERS",
    "ORANGE",
    "PALETTE",
    "PAPER",
    "SKY",
    "WIDTH",
    "Box",
    "draw_blocks",
    "draw_legend",
    "drawing",
    "name_rows",
    "new_figure",
    "panel_grid",
    "svg_later",
]

Box = tuple[float, float, float, float]  # x, y, width, height

# Okabe and Ito (2008), "Color Universal Design": distinct with every common kind of colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
BLUE, ORANGE, GREEN, SKY = PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[4]
MARKERS = "osD^vPX"
INK = "#0b0d0f"  # drawn with this, written as currentColor
PAPER = "#fdfefb"  # drawn with this, written as the colour of the page
WIDTH = 9.6  # inches, of every figure: the page gives them all the same room
LEGEND = 120  # characters in a line of a legend

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


def panel_grid(figure: Figure, count: int, most: int = 3, *, sharey: bool = True) -> list[Axes]:
    """As many axes as asked for, in lines of a few."""
    lines, columns = -(-count // most), min(count, most)
    grid = list(figure.subplots(lines, columns, sharey=sharey, squeeze=False).flat)
    for axes in grid[count:]:
        axes.set_visible(False)
    return grid[:count]


def draw_legend(figure: Figure, axes: Axes | Sequence[Axes], columns: int) -> None:
    """One legend above the whole figure, from what its axes show; each name once."""
    found: dict[str, Any] = {}
    for one in axes if isinstance(axes, Sequence) else [axes]:
        for handle, name in zip(*one.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    if found:
        columns = min(columns, max(1, LEGEND // (6 + max(map(len, found)))))
        figure.legend(
            [*found.values()],
            [*found],
            loc="outside upper left",
            ncols=columns,
            handlelength=1.2,
            columnspacing=1.6,
        )


def svg_later(figure: Figure) -> Callable[[], str]:
    """Writes the figure when it is called, and once."""

    @cache
    def written() -> str:
        with drawing():
            return _svg_text(figure)

    return written


def _svg_text(figure: Figure) -> str:
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
    return svg.replace(INK, "currentColor").replace(PAPER, "var(--paper, #fff)").strip() + "\n"


def _font(shorthand: re.Match[str]) -> str:
    weight, size = shorthand.groups()
    return f"font-weight: bold; font-size: {size}" if weight else f"font-size: {size}"
