"""What the report shows of agency: the vector with its tuple, a summary, tables, figures, episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assay.evidence.records import Evidence
from assay.report.presentation import Headline, Picture, Presentation, drawing
from assay.vocabulary import Result

from .declarations.outcome import DIMENSIONS
from .episodes.finished import SubjectEpisodes
from .episodes.options import AgencyOptions, regimes_of
from .figures.agency_card import efficiency_of
from .figures.headline import EXPLAIN, Found, Key, headline_of, level_of
from .figures.rates import Rate, RegimeStep, draw_degradation, draw_families
from .figures.summary import summary_of
from .figures.tables import efficiency_table, tables_of
from .figures.transcripts import transcripts_of
from .figures.vector import Standing, Vector, draw_vectors
from .reading import readings_of
from .rubric.analysis import AgencyReading

__all__ = ["present"]

MOST_DRAWN = 3  # readings with pictures of their own
MOST_SHOWN = 4  # subjects with episodes to look at


def present(
    evidence: Evidence, result: Result, episodes: Sequence[SubjectEpisodes], options: AgencyOptions
) -> Presentation:
    """The presentation of a run. Levels and tuples come from the result, the rest from the same outcomes."""
    found = Found(result)
    readings = {
        Key(one.tally.subject, one.tally.boundary): one
        for one in readings_of(evidence, options, list(episodes), [])
    }
    with drawing():
        pictures = [*_pictures(found, readings, _steps(options))]
    played = [mine for mine in episodes if mine.reports][:MOST_SHOWN]
    return Presentation(
        headline=headline_of(result),
        summary=tuple(summary_of(found, readings)),
        tables=(*tables_of(found, readings), *_efficiency(episodes)),
        pictures=tuple(picture for picture in pictures if picture is not None),
        transcripts=tuple(
            transcript
            for mine in played
            for transcript in transcripts_of(mine.shown, held_out=options.held_out)
        ),
        explain=EXPLAIN,
    )


def _efficiency(episodes: Sequence[SubjectEpisodes]) -> Iterator[Headline]:
    profiles = {
        f"{mine.spec.title}, {mine.spec.boundary}": efficiency_of(mine) for mine in episodes if mine.reports
    }
    if profiles:
        yield efficiency_table(profiles)


# Pictures.


def _steps(options: AgencyOptions) -> list[RegimeStep]:
    """The declared regimes with their intensity."""
    return [
        RegimeStep(id_, "adversarial" if regime.adversarial else regime.level)
        for id_, regime in regimes_of(options).items()
    ]


def _pictures(
    found: Found, readings: Mapping[Key, AgencyReading], steps: Sequence[RegimeStep]
) -> Iterator[Picture | None]:
    yield draw_vectors([vector for key in found.readings if (vector := _vector(found, key)) is not None])
    for key in found.readings[:MOST_DRAWN]:
        rates = [*_rates(found, key, readings.get(key))]
        yield draw_families(key.name, rates, steps)
        yield draw_degradation(key.name, rates, steps)


def _vector(found: Found, key: Key) -> Vector | None:
    """The levels of a reading with their tuple; without one there is nothing to draw."""
    if not (comparison := found.tuple_of(key)):
        return None
    standings = []
    for name in DIMENSIONS:
        level = level_of(found.get(key, name))
        standings.append(Standing(name, None if level.value is None else int(level.value), level.flags))
    return Vector(name=key.name, comparison=comparison, standings=tuple(standings))


def _rates(found: Found, key: Key, reading: AgencyReading | None) -> Iterator[Rate]:
    for one in found.all(key, "rate"):
        if one.value is None or one.low is None or one.high is None:
            continue
        family = str(one.labels["family"])
        yield Rate(
            dimension=str(one.labels["dimension"]),
            family=family,
            level=int(one.labels["level"]),
            regime=str(one.labels["regime"]),
            value=one.value,
            low=one.low,
            high=one.high,
            n=one.n,
            threshold=reading.declaration.threshold(family) if reading else None,
        )
