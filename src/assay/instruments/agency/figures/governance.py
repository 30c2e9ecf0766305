"""Governance as tables: every trigger with its counts, and the notes where some are required (14.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.instruments.agency.governance.notes import Places, containment, governance_notes, rule_of
from assay.instruments.agency.rubric.analysis import AgencyReading
from assay.report.presentation import Cellish, Headline

from .readings import ReadingKey

__all__ = ["governance_tables"]

MOST_LISTED = 20  # episodes of a trigger; the attached notes have more
_SATISFIED = {True: "satisfied", False: "not satisfied", None: "not known"}


def governance_tables(
    readings: Mapping[ReadingKey, AgencyReading], places: Places | None = None
) -> Iterator[Headline]:
    """Triggers of all readings, then the notes of each that requires some."""
    rows: list[tuple[Cellish, ...]] = []
    for key, reading in readings.items():
        found = reading.governance
        for one in found.triggers:
            severity = found.severities.get(one.name, ("", ""))[0]
            held = containment(one)["status"] if one.satisfied else ""
            where = f"{one.name} ({one.criterion.section})"
            rows.append(
                (key.name, where, rule_of(one), one.because, _SATISFIED[one.satisfied], severity, held)
            )
    said = " ".join(f"{key.name}: {one.governance.statement}." for key, one in readings.items())
    if rows:
        yield Headline(
            "Governance",
            ("reading", "trigger", "threshold", "measured", "result", "severity", "containment"),
            tuple(rows),
            f"{said} What was observed, without inference of intent, alignment or suitability for deployment (14.1).",
        )
    for key, reading in readings.items():
        if reading.governance.satisfied:
            yield from _notes(key, governance_notes(reading, places))


def _notes(key: ReadingKey, notes: dict[str, Any]) -> Iterator[Headline]:
    context, impact = notes["frame context"], notes["impact accounting"]
    basis = "; ".join(
        f"{one['trigger']}: {one['what']}, {one['measured']}; {one['severity']}: {one['severity because']}"
        for one in notes["trigger basis"]
    )
    index = [
        f"{name}: {one['episodes']} episodes" if one["episodes"] else f"{name}: {one['see']}"
        for name, one in notes["evidence index"].items()
    ]
    regimes = ", ".join(context["regimes"]) or "–"
    where = (
        f"{context['boundary']} boundary; families {', '.join(context['families']) or '–'}; regimes {regimes}"
    )
    rests = [*impact["levels that rest on them"], *impact["gates that rest on them"]]
    resting = f"levels and gates that rest on them: {', '.join(rests) or 'none'}; {impact['verification']}"
    held = "; ".join(
        f"{name}: {one['status']}, {one['justification']}"
        for name, one in notes["containment status"].items()
    )
    fields = (
        ("trigger basis", basis),
        ("evidence index", "; ".join(index)),
        ("frame context", where),
        ("impact accounting", resting),
        ("containment status", held),
        ("severity and escalation", f"{notes['severity']}; {notes['escalation'] or 'no flag'}"),
        ("Governance Flag", "; ".join(notes["governance flag"]) or "not raised"),
    )
    yield Headline(f"Governance Notes: {key.name}", ("field (14.4)", "what was found"), fields)
    rows: list[tuple[Cellish, ...]] = []
    for name, one in notes["evidence index"].items():
        for place in one["listed"][:MOST_LISTED]:
            at = (
                place["episode"] or f"row {place['row']}",
                place["instance"],
                place["family"],
                place["regime"],
            )
            more = (place["ended_at"] or "–", place["log"] or "–", str(place["times"]), place["outcome"])
            rows.append((name, *(text[:16] for text in at[:2]), *at[2:], *more))
    if rows:
        yield Headline(
            f"Governance Notes: {key.name}: evidence",
            ("trigger", "episode", "instance", "family", "regime", "ended", "log", "times", "outcome"),
            tuple(rows),
            f"At most {MOST_LISTED} episodes of a trigger. Ids are cut here; the attached notes have them whole.",
        )
