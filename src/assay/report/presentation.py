"""What people are given to look at: a headline table, pictures, comparisons, transcripts, words.

Plain frozen values, so that a page, a terminal and a test see the same thing. How they are made of measures and
verdicts is in ``tables``, ``figures`` and ``transcripts``.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from assay.vocabulary import Flag, Measure, Verdict

from .text import MOST_CHARACTERS, MOST_LINES, Shortened, label, mark_text, shorten, visible

__all__ = [
    "MOST_CHARACTERS",
    "MOST_LINES",
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
    "label",
    "mark_text",
    "number_of",
    "shorten",
    "visible",
]


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


class Headline(Struct, frozen=True):
    """A table, such as the one that is read first. ``names`` are the columns' names for experts, as far as given.

    ``verdicts`` are those that its rows show: the page does not list them a second time.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cellish, ...], ...]
    caption: str = ""
    names: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()


class Picture(Struct, frozen=True):
    """An SVG drawing, or what writes it when a page is made; ``alt`` says in words what it shows."""

    title: str
    drawing: str | Callable[[], str]
    caption: str
    alt: str

    @property
    def svg(self) -> str:
        return self.drawing if isinstance(self.drawing, str) else self.drawing()


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
    """Everything an instrument shows of one result. ``summary`` is for a reader who reads nothing else."""

    headline: Headline
    summary: tuple[str, ...] = ()
    tables: tuple[Headline, ...] = ()
    pictures: tuple[Picture, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    transcripts: tuple[Transcript, ...] = ()
    explain: tuple[tuple[str, str], ...] = ()
    trial_noun: str = "trials"  # what the instrument calls them

    def drawn(self) -> Presentation:
        """The same with every picture written out: plain values, to be compared and stored."""
        pictures = tuple(structs.replace(picture, drawing=picture.svg) for picture in self.pictures)
        return structs.replace(self, pictures=pictures)
