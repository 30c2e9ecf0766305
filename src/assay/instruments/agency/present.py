"""What people see of agency: headline, summary, tables and figures of any result; of a run its episodes, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

import msgspec

from assay.report.presentation import Cellish, Headline, Number, Picture, Presentation
from assay.study.source import parse_source
from assay.vocabulary import Flag, Result

from .declarations.declaration import Declaration
from .declarations.outcome import DIMENSIONS
from .figures.agency_card import efficiency_of
from .figures.governance import governance_tables
from .figures.rates import draw_degradation, draw_families
from .figures.readings import TITLES, ReadingKey, ShownReadings, level_of, tier_text
from .figures.summary import standings_of, summary_of
from .figures.tables import efficiency_table, tables_of
from .figures.transcripts import transcripts_of
from .figures.vector import Standing, Vector, draw_vectors
from .governance.notes import Places
from .options import AgencyOptions, regimes_of
from .rubric.analysis import AgencyReading
from .scoring import RunReadings

__all__ = ["explained", "headline_of", "present", "present_rows"]

MOST_DRAWN = 3  # readings with figures of their own
MOST_SHOWN = 4  # subjects with transcripts


def headline_of(result: Result) -> Headline:
    """One row for each subject and boundary; the caption has the tuple of every row."""
    shown = ShownReadings(result)
    rows: list[tuple[Cellish, ...]] = []
    for key in shown.keys:
        levels: dict[str, Number] = {name: level_of(shown.get(key, name)) for name in DIMENSIONS}
        whose = f"{key.name}, " if len(shown.keys) > 1 else ""
        tier = tier_text(shown.get(key, "tier"))
        rows.append((key.subject, key.boundary, *_attributed(levels, whose), tier))
    return Headline(
        "The agency vector by subject and boundary",
        ("subject", "boundary", *(TITLES[name] for name in DIMENSIONS), "tier"),
        tuple(rows),
        f"Levels from 0 to 5; each holds only together with its tuple. {_rules(shown)}{shown.tuples_text()} "
        f"{shown.governance_text()}".rstrip(),
        ("", "", *DIMENSIONS, ""),
    )


def _rules(shown: ShownReadings) -> str:
    """The rule that the levels follow, and what they are by the text's own where that differs."""
    methods = {m.method for key in shown.keys for name in DIMENSIONS if (m := shown.get(key, name))}
    rules = sorted({method.partition(", ")[2] for method in methods} - {""})
    apart = [
        f"{key.name}: {name} = {m.spec_value:g}"
        for key in shown.keys
        for name in DIMENSIONS
        if (m := shown.get(key, name)) and m.value is not None and m.spec_value is not None
    ]
    said = "".join(f"They go by the {rule}. " for rule in rules)
    return said + (f"By the specification's own rules {', '.join(apart)}. " if apart else "")


def _attributed(levels: Mapping[str, Number], whose: str) -> list[Number]:
    """The levels with flags that name their dimensions, because a table lists all flags below it."""
    of: dict[Flag, list[str]] = {}
    for name, number in levels.items():
        for flag in number.flags:
            of.setdefault(flag, []).append(f"{TITLES[name]} ({name})")
    named = {flag: Flag(flag.kind, f"{whose}{', '.join(names)}: {flag.cause}") for flag, names in of.items()}
    return [
        msgspec.structs.replace(number, flags=tuple(named[flag] for flag in number.flags))
        for number in levels.values()
    ]


def explained() -> tuple[tuple[str, str], ...]:
    """The words of the report, with their explanations."""
    text = (files("assay.instruments.agency") / "data" / "explain.yaml").read_text("utf-8")
    return tuple(parse_source(text, "explain.yaml").value.items())


def present(run: RunReadings, result: Result, options: AgencyOptions) -> Presentation:
    """The presentation of a run. Levels and tuples come from the result, the rest from the same outcomes."""
    regimes = {
        id_: "adversarial" if regime.adversarial else regime.level
        for id_, regime in regimes_of(options).items()
    }
    shown = _presented(run.readings, result, regimes, summary_of, run.places)
    played = [mine for mine in run.episodes if mine.reports]
    profiles = {f"{mine.spec.title}, {mine.spec.boundary}": efficiency_of(mine) for mine in played}
    return msgspec.structs.replace(
        shown,
        tables=(*shown.tables, *([efficiency_table(profiles)] if profiles else [])),
        transcripts=tuple(
            transcript
            for mine in played[:MOST_SHOWN]
            for transcript in transcripts_of(mine.shown, held_out=options.held_out)
        ),
    )


def present_rows(readings: Sequence[AgencyReading], result: Result, declaration: Declaration) -> Presentation:
    """The presentation of plain outcomes: they have no transcripts, and nobody knows what they took."""
    names = dict.fromkeys(
        (*declaration.regimes, *(key.regime for one in readings for key in one.tally.cells))
    )
    regimes: dict[str, str] = {
        name: "adversarial"
        if name in declaration.regimes and declaration.regimes[name].adversarial
        else declaration.level(name)
        for name in names
    }
    return _presented(readings, result, regimes, standings_of)


Summary = Callable[[ShownReadings, Mapping[ReadingKey, AgencyReading]], Iterable[str]]


def _presented(
    readings: Sequence[AgencyReading],
    result: Result,
    regimes: Mapping[str, str],
    summary: Summary,
    places: Places | None = None,
) -> Presentation:
    """What is shown of readings wherever they come from. ``regimes`` are the declared ones, each with its hardness."""
    shown = ShownReadings(result)
    of = {ReadingKey(one.tally.subject, one.tally.boundary): one for one in readings}
    return Presentation(
        headline=headline_of(result),
        summary=(*summary(shown, of), *filter(None, [shown.governance_text()])),
        tables=(*tables_of(shown, of), *governance_tables(of, places)),
        pictures=tuple(figure for figure in _figures(shown, of, regimes) if figure is not None),
        explain=explained(),
        trial_noun="episodes",
    )


def _figures(
    shown: ShownReadings, readings: Mapping[ReadingKey, AgencyReading], regimes: Mapping[str, str]
) -> Iterator[Picture | None]:
    yield draw_vectors([vector for key in shown.keys if (vector := _vector(shown, key)) is not None])
    for key in shown.keys[:MOST_DRAWN]:
        if key in readings:
            rates = shown.all(key, "rate")
            yield draw_families(key.name, rates, regimes, readings[key].declaration)
            yield draw_degradation(key.name, rates, regimes)


def _vector(shown: ShownReadings, key: ReadingKey) -> Vector | None:
    """The levels of a reading with their tuple; without one there is nothing to draw."""
    if not (comparison := shown.tuple_of(key)):
        return None
    standings = []
    for name in DIMENSIONS:
        level = level_of(shown.get(key, name))
        standings.append(Standing(name, None if level.value is None else int(level.value), level.flags))
    return Vector(name=key.name, comparison=comparison, standings=tuple(standings))
