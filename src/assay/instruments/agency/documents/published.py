"""The Technical Report and the Agency Card of every reading as plain data: the one content of all forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from assay.evidence.records import Evidence
from assay.instruments.agency.episodes.finished import SubjectEpisodes
from assay.instruments.agency.figures.agency_card import card_of, governance_of
from assay.instruments.agency.rubric.analysis import AgencyReading

__all__ = ["PublishedReading", "published_of_rows", "published_of_run"]

Pointer = dict[str, Any]
WHERE = ("instance", "family", "level", "regime", "artifact")


class PublishedReading(NamedTuple):
    reading: AgencyReading
    report: dict[str, Any]
    card: dict[str, Any]


def published_of_run(
    episodes: Sequence[SubjectEpisodes], readings: Sequence[AgencyReading], evidence: Evidence
) -> Iterator[PublishedReading]:
    """Of a run: a credited outcome is found in the ledger, by trial, segment and line."""
    by_subject = {mine.spec.title: mine for mine in episodes}
    for reading in readings:
        mine = by_subject[reading.tally.subject]
        yield _published(reading, mine, _credited_trials(mine, evidence))


def published_of_rows(
    readings: Sequence[AgencyReading], records: Iterable[dict[str, Any]]
) -> Iterator[PublishedReading]:
    """Of plain rows: a credited outcome is found by the number of its row. ``records`` are those of all readings."""
    credited: dict[tuple[str, str], list[Pointer]] = {}
    for record in records:
        if record["dimension"] == "E" and record["counted"] == "success":
            whose = (record["subject"], record["boundary"])
            credited.setdefault(whose, []).append(
                {"row": record["row"], **{name: record[name] for name in WHERE}}
            )
    for reading in readings:
        own = credited.get((reading.tally.subject, reading.tally.boundary), [])
        yield _published(reading, None, own)


def _published(
    reading: AgencyReading, mine: SubjectEpisodes | None, credited: Sequence[Pointer]
) -> PublishedReading:
    report = {**reading.report(credited), "governance flag": governance_of(reading, mine)}
    return PublishedReading(reading, report, card_of(reading, mine))


def _credited_trials(mine: SubjectEpisodes, evidence: Evidence) -> list[Pointer]:
    """Successes of E with an artifact (10.2.3), in the order of the ledger's trials."""
    won = [one for one in mine.reports if one.success and one.report.dimension == "E" and one.report.artifact]
    lines = evidence.outcome_lines(one.id for one in won)
    return [
        {
            "trial": one.id,
            "segment": lines[one.id].segment,
            "line": lines[one.id].line,
            "family": one.report.family,
            "level": one.report.level,
            "regime": one.regime,
            "artifact": one.report.artifact,
        }
        for one in won
    ]
