"""The report: one self-contained page. No script, no request to anywhere, nothing a model wrote is markup.

Three walls, one behind the other: every text is escaped and its controls made visible, pictures are written
anew from a list of what may draw, and the page's own content policy forbids whatever might come through.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from assay.errors import OWN_FAULTS, InputError
from assay.evidence.faults import read_faults
from assay.vocabulary import Flag, Measure, Reading, Result, Verdict, VerdictKind

from .differences import Beside, beside, diff_rows
from .faults import said_faults
from .presentation import Cellish, Comparison, Headline, Number, Picture, Presentation, Spoken, Transcript
from .svg import inline_svg
from .tables import verdict_table
from .text import shorten, visible
from .wording import exact_text, interval_text, labels_text, value_text, verdict_counts, word

if TYPE_CHECKING:
    from jinja2 import Environment, Template

__all__ = ["ReportPage", "RowsFile", "render_page", "render_report", "render_summary", "template_named"]

MOST_PLACES = 6  # named beside a flag
MOST_MEASURES = 3
MOST_OPEN = 12  # verdicts of one kind that are not folded
MOST_SPOKEN = 4000  # characters of a turn
MOST_SPOKEN_LINES = 60
DENSE = 8  # numbers in a row, from which there is no room for intervals beside them
OUTCOMES = frozenset(word(holds) for holds in (True, False, None))
HUES = 6  # colours of marks; further ones share a grey


class RowsFile(Struct, frozen=True):
    """The plain rows that a page is made from, and the command that scored them."""

    name: str
    sha256: str
    command: str


class ReportPage(Struct, frozen=True, kw_only=True):
    """What goes onto the page. Where nothing was declared first ``lock`` is empty, and ``rows`` says what is."""

    title: str
    run: str = ""
    rows: RowsFile | None = None
    readings: Sequence[tuple[Reading, Presentation]]
    lock: dict[str, Any] = field(default_factory=dict)
    challenges: Headline | None = None  # what was said against the run since it was closed
    environment: dict[str, Any] = field(default_factory=dict)
    created: str = ""


def render_report(page: ReportPage) -> str:
    """The whole page as text."""
    template = _environment().get_template("report.html")
    sections = [_section(number, *pair) for number, pair in enumerate(page.readings, 1)]
    study = page.lock.get("study")
    return template.render(
        page=page,
        sections=sections,
        study=_listing(study) if study else "",
        challenges=_table(page.challenges) if page.challenges else None,
        versions=page.lock.get("versions") or {},
        environment=_flat(page.environment),
        commands=_commands(page),
        own_faults=OWN_FAULTS,
    )


def render_summary(
    title: str,
    results: Sequence[tuple[Result, Headline]] = (),
    *,
    under: str = "",
    tables: Sequence[Headline] = (),
) -> str:
    """What is read first, as a fragment for a notebook: flags, headline and requirements of every result."""
    sections = [
        {
            "badges": _badges(result),
            "headline": _table(headline),
            "verdicts": _verdicts(result, Presentation(headline=headline), kinds=("requirement",)),
        }
        for result, headline in results
    ]
    template = _environment().get_template("summary.html")
    shown = [_table(table) for table in tables]
    return template.render(title=title, under=under, sections=sections, tables=shown)


def render_page(title: str, parts: Sequence[tuple[str, Presentation]], *, under: str = "") -> str:
    """A page of presentations that are of no single run, each with its title."""
    sections = [
        {"title": name, **_shown_parts(number, shown)} for number, (name, shown) in enumerate(parts, 1)
    ]
    return _environment().get_template("page.html").render(title=title, under=under, sections=sections)


def template_named(name: str) -> Template:
    """A template of this room, in which every text is escaped and its controls made visible."""
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """Made once a process: reading the templates takes longer than filling them in."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("assay.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters.update(value=value_text, interval=interval_text, exact=exact_text, labels=labels_text)
    environment.tests.update(number=lambda cell: isinstance(cell, Number), outcome=OUTCOMES.__contains__)
    return environment


def _shown(value: Any) -> Any:
    """Every expression of the templates passes here; only what is markup already is left alone."""
    return value if hasattr(value, "__html__") else visible(str(value))


class _Badge(Struct, frozen=True):
    flag: Flag
    measures: tuple[str, ...]  # whose it is, unless it is many measures'
    places: tuple[str, ...]


class _Table(Struct, frozen=True):
    headline: Headline
    columns: list[tuple[str, str]]  # with the name for experts
    numeric: list[bool]
    rows: list[tuple[tuple[Cellish, ...], list[Flag]]]
    dense: bool  # intervals stand below their values


class _Difference(Struct, frozen=True):
    comparison: Comparison
    rows: list[Beside]
    notes: tuple[str, ...]
    rest: list[Beside] | None  # what is left after the steps


class _Turn(Struct, frozen=True):
    role: str
    parts: list[tuple[str, str, str]]  # text, mark, class
    left_out: str


class _ShownTranscript(Struct, frozen=True):
    transcript: Transcript
    legend: list[tuple[str, str, str]]  # name, meaning, class
    turns: list[_Turn]


class _Verdicts(Struct, frozen=True):
    title: str
    counts: str  # how many hold, fail, are not established
    table: _Table
    folded: bool


def _section(number: int, reading: Reading, presentation: Presentation) -> dict[str, Any]:
    result = reading.result
    return {
        "id": f"r{number}",
        "reading": reading,
        "result": result,
        "badges": _badges(result),
        "verdicts": _verdicts(result, presentation),
        **_shown_parts(number, presentation),
        "differences": [_difference(comparison) for comparison in presentation.comparisons],
        "transcripts": [_shown_transcript(transcript) for transcript in presentation.transcripts],
        "faults": said_faults(read_faults(reading.envelope), presentation.trial_noun),
        "efficiency": _flat(reading.envelope.get("efficiency", {})),
        "envelope": _flat(
            {k: v for k, v in reading.envelope.items() if k not in ("efficiency", "environment", "faults")}
        ),
    }


def _shown_parts(number: int, presentation: Presentation) -> dict[str, Any]:
    """Words, tables and pictures."""
    return {
        "presentation": presentation,
        "headline": _table(presentation.headline),
        "tables": [_table(table) for table in presentation.tables],
        "pictures": [
            (picture, _drawing(picture, f"r{number}p{i}-")) for i, picture in enumerate(presentation.pictures)
        ],
    }


# In the order of the page; of requirements what fails is shown first, of comparisons what holds.
_KINDS: tuple[tuple[VerdictKind, str, bool | None], ...] = (
    ("requirement", "Requirements", False),
    ("threshold", "Thresholds", None),
    ("prediction", "Predictions", None),
    ("comparison", "Comparisons", True),
)


def _verdicts(
    result: Result, presentation: Presentation, kinds: Sequence[VerdictKind] | None = None
) -> list[_Verdicts]:
    """The verdicts by kind, but for those that a table of the instrument shows. Requirements are never folded."""
    tables = (presentation.headline, *presentation.tables)
    shown = {_which(verdict) for table in tables for verdict in table.verdicts}
    found = []
    for kind, title, first in _KINDS:
        if kinds is not None and kind not in kinds:
            continue
        own = [verdict for verdict in result.verdicts if verdict.kind == kind]
        own = [verdict for verdict in own if kind == "requirement" or _which(verdict) not in shown]
        if own:
            folded = kind == "comparison" or (kind != "requirement" and len(own) > MOST_OPEN)
            table = _table(verdict_table(own, title=title, first=first))
            found.append(_Verdicts(title, verdict_counts(own), table, folded))
    return found


def _which(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.kind, verdict.name, frozenset(verdict.labels.items())


def _table(headline: Headline) -> _Table:
    names = [*headline.names, *[""] * len(headline.columns)]
    return _Table(
        headline,
        list(zip(headline.columns, names, strict=False)),
        [_numeric([row[i] for row in headline.rows]) for i in range(len(headline.columns))],
        [(row, _row_flags(row)) for row in headline.rows],
        any(sum(isinstance(cell, Number) for cell in row) >= DENSE for row in headline.rows),
    )


def _drawing(picture: Picture, prefix: str) -> str:
    """Markup, or in plain words why there is none: a fault in a picture costs a picture, not the page."""
    from markupsafe import Markup

    try:
        return Markup(inline_svg(picture.svg, prefix, picture.alt))  # noqa: S704 - written anew from a list
    except InputError as error:
        return f"This picture cannot be shown: {error}."


def _numeric(cells: Sequence[Cellish]) -> bool:
    return all(isinstance(cell, Number) or cell.replace(".", "", 1).isdigit() for cell in cells)


def _row_flags(row: Sequence[Cellish]) -> list[Flag]:
    return list(dict.fromkeys(flag for cell in row if isinstance(cell, Number) for flag in cell.flags))


def _badges(result: Result) -> list[_Badge]:
    """Every flag once, with the places it applies to; flags of the whole result come first."""
    flagged: dict[Flag, list[Measure]] = {flag: [] for flag in result.flags}
    for measure in result.measures:
        for flag in measure.flags:
            if flag not in result.flags:
                flagged.setdefault(flag, []).append(measure)
    badges = []
    for flag, found in flagged.items():
        # Labels that all of them have say where it is; a rung or a level only says which measure.
        common = set.intersection(*(set(m.labels) for m in found)) if found else set()
        named = tuple(
            dict.fromkeys(labels_text({k: v for k, v in m.labels.items() if k in common}) for m in found)
        )
        more = (f"and {len(named) - MOST_PLACES} more",) if len(named) > MOST_PLACES else ()
        whose = tuple(dict.fromkeys(m.name for m in found))
        badges.append(_Badge(flag, whose if len(whose) <= MOST_MEASURES else (), named[:MOST_PLACES] + more))
    return badges


def _difference(comparison: Comparison) -> _Difference:
    left, right = shorten(comparison.left), shorten(comparison.right)
    said = [
        f"{label}: {s}"
        for label, s in ((comparison.left_label, left.said), (comparison.right_label, right.said))
        if s
    ]
    return _Difference(
        comparison,
        beside(diff_rows(left.text, right.text)),
        tuple(filter(None, [comparison.note, *said])),
        None if comparison.rest is None else beside(diff_rows(left.text, shorten(comparison.rest).text)),
    )


def _shown_transcript(transcript: Transcript) -> _ShownTranscript:
    right = [mark.name for mark in transcript.marks if not mark.wrong]
    hues = {name: f"k{place if place <= HUES else 0}" for place, name in enumerate(right, 1)}
    hues.update((mark.name, "wrong") for mark in transcript.marks if mark.wrong)
    legend = [(mark.name, mark.meaning, hues[mark.name]) for mark in transcript.marks]
    return _ShownTranscript(transcript, legend, [_turn(spoken, hues) for spoken in transcript.turns])


def _turn(spoken: Spoken, hues: dict[str, str]) -> _Turn:
    whole = "".join(text for text, _ in spoken.parts)
    room = min(MOST_SPOKEN, len("".join(whole.splitlines(keepends=True)[:MOST_SPOKEN_LINES])))
    left_out = f"the first {room:,} of {len(whole):,} characters are shown" if room < len(whole) else ""
    parts = []
    for text, mark in spoken.parts:
        if room > 0 and text:
            parts.append((text[:room], mark, hues.get(mark, "k0") if mark else ""))
        room -= len(text)
    return _Turn(spoken.role, parts, left_out)


def _flat(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Nested plain data as name and value, in the order given."""
    if isinstance(value, dict):
        return [pair for key, v in value.items() for pair in _flat(v, f"{name}.{key}" if name else str(key))]
    if isinstance(value, list | tuple) and value and any(isinstance(v, dict | list | tuple) for v in value):
        return [pair for i, v in enumerate(value) for pair in _flat(v, f"{name}.{i}")]
    if isinstance(value, list | tuple):
        return [(name, ", ".join(map(_plain, value)) or "none")]
    return [(name, _plain(value))]


def _plain(value: Any) -> str:
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _listing(study: Any) -> str:
    import yaml

    plain = msgspec.to_builtins(study)
    return yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100, default_flow_style=False)


def _commands(page: ReportPage) -> list[tuple[str, str]]:
    """The exact commands, and what each does."""
    files = [f"--instrument {shlex.quote(visible(f['file']))}" for f in page.lock.get("files", {}).values()]
    run = " ".join([shlex.quote(visible(page.run)), *files])
    instruments = list(dict.fromkeys(reading.result.instrument for reading, _ in page.readings))
    again = [
        (f"assay score {shlex.quote(name)} FILE", "scores outputs you already have, by the same code")
        for name in instruments
        if name not in page.lock.get("files", {})
    ]
    if page.rows is not None:
        return [
            (visible(page.rows.command), "scores the same file again: the same bytes give the same numbers")
        ]
    if not page.lock:
        return again
    return [
        (
            f"assay audit {run}",
            "re-derives every number from the ledger, without the model, and names any divergence",
        ),
        (
            f"assay resume {run}",
            "goes on where the run stopped; a call whose reply is recorded is not sent again",
        ),
        (f"assay report {run}", "writes this page again from the evidence"),
        *again,
    ]
