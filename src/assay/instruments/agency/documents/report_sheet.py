"""The Technical Report as a document (13.4): its twelve fields, gates for every tier, and where the evidence lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.instruments.agency.figures.readings import NO_TUPLE, ReadingKey, ShownReadings
from assay.instruments.agency.rubric.technical_report import (
    CONFIGURATION,
    FIELDS,
    PRE_REGISTRATION,
    PROMPTS,
    registration_needed,
)
from assay.report.document import DocumentSheet, Facts
from assay.report.presentation import Cellish, Headline, Number
from assay.vocabulary import Result

from .published import PublishedReading
from .words import NOT_DECLARED, facts_of, gate_word, roles_facts, said

__all__ = ["report_sheet"]

Block = Facts | Headline


def report_sheet(published: PublishedReading, result: Result) -> DocumentSheet:
    """The whole report of one reading. Tuple and flags are those of the result."""
    reading, report = published.reading, published.report
    key = ReadingKey(reading.tally.subject, reading.tally.boundary)
    comparison = ShownReadings(result).tuple_of(key) or NO_TUPLE
    claims = ", ".join(reading.claims.values())
    missing = ", ".join(report["missing"])
    need = f"Mandatory here for: {claims}." if claims else "No claim here makes it mandatory."
    lack = (
        f" Missing: {missing}. Without it such claims are exploratory."
        if missing
        else " No mandatory field is missing."
    )
    framework = result.versions.get("framework", NOT_DECLARED)
    return DocumentSheet(
        title=key.name,
        under=f"Technical Report, section 13.4 of Framework {framework}. {need}{lack}",
        lead=(
            f"Identification tuple: {reading.tuples.identification_text}",
            f"Comparison tuple: {comparison}",
            f"Reporting tuple: {reading.tuples.reporting_text}",
        ),
        blocks=(
            facts_of("Evaluation (13.3, 15.2)", roles_facts(report["evaluation"], report["governance flag"])),
            Facts("Flags of the report", tuple(_report_flags(result))),
            *_numbered(published, comparison),
        ),
    )


def _report_flags(result: Result) -> list[tuple[str, str]]:
    return [(flag.kind, flag.cause) for flag in result.flags] or [("flags", "None")]


def _numbered(published: PublishedReading, comparison: str) -> Iterator[Block]:
    """(1) to (12), in the order of the specification."""
    report, reading = published.report, published.reading
    for number, name in enumerate(FIELDS, 1):
        title = f"{number}. {name[0].upper()}{name[1:]}"
        if name in report["missing"]:
            title += " (incomplete)"
        yield from _FIELDS[name](title, report[name], comparison)
    yield facts_of("10. Prompts and policies", (report[PROMPTS] or {PROMPTS: None}).items())
    yield facts_of("11. Configuration details", report[CONFIGURATION].items())
    needed = registration_needed(reading.declaration, reading.tier.tier)
    why = "mandatory here: Tier 5 or higher, or procurement" if needed else "recommended here"
    yield facts_of("12. Pre-registration", [(f"reference ({why})", report[PRE_REGISTRATION])])


def _pairs(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    yield facts_of(title, field.items())


def _boundary(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    core = field["boundary"] == "core"
    listed = {"includes": "the model alone", "tools": "none"} if core and field["declared"] else {}
    yield facts_of(title, [(name, listed.get(name, value)) for name, value in field.items()])


def _by_family(title: str, field: Mapping[str, Mapping[str, Any]], comparison: str) -> Iterator[Block]:
    yield _table(title, ("family", *_heads(field)), [(name, *one.values()) for name, one in field.items()])


def _heads(field: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(next(iter(field.values()), {}))


def _suite(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    yield facts_of(title, [(name, value) for name, value in field.items() if name != "families"])
    families = {
        name: {**one, "exclusion reason": one["exclusion reason"] or ("–" if one["included"] else None)}
        for name, one in field["families"].items()
    }
    yield from _by_family("", families, comparison)


def _criteria(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    """Another threshold than the common one is refused without its reason (10.3.3)."""
    given = {name: {**one, "threshold reason": one["threshold reason"] or "–"} for name, one in field.items()}
    yield from _by_family(title, given, comparison)


def _sampling(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    yield facts_of(title, [("plan", field["plan"])])
    yield _records("Instances by family and regime", field["counts"])
    yield _records("Exclusions, with reasons", field["excluded"])


def _results(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    """Every table here names levels, so each has the tuple (11.9.1)."""
    tier = "None" if field["tier"] is None else str(field["tier"])
    yield facts_of(title, [*field["vector"].items(), ("tier", tier), ("these hold only for", comparison)])
    flags = [(name, flag) for name, own in field["flags"].items() for flag in own]
    yield _table("Flags of dimensions, with causes", ("dimension", "flag"), flags)
    gates = [
        (str(one["tier"]), one["gate"], gate_word(one["passed"]), one["rule"], one["because"])
        for one in field["gates"]
    ]
    notes = "; ".join(field["tier notes"])
    caption = (
        f"{comparison}. A tier needs all of its gates and those of the tiers below (12.2). {notes}".rstrip()
    )
    yield _table("Gates", ("tier", "gate", "outcome", "rule", "because"), gates, caption)
    rates: list[tuple[Cellish, ...]] = [
        (
            one["dimension"],
            "–" if one["level"] is None else str(one["level"]),
            one["family"],
            one["regime"],
            one.get("part", "all"),
            Number(one["rate"], one["low"], one["high"], one["n"]),
            f"{one['k']} of {one['n']}",
        )
        for one in field["rates"]
    ]
    columns = ("dimension", "level", "family", "regime", "part", "success", "instances")
    made = "The level is the one that the instances are made for, not one that was reached."
    yield Headline("Success rates by regime", columns, tuple(rates), made)


def _evidence(title: str, field: Mapping[str, Any], comparison: str) -> Iterator[Block]:
    yield facts_of(title, [("location", field["location"])])
    shown = "the artifact's digest, and where the outcome is recorded"
    yield _records("Credited outcomes of E", field["credited"] or [], f"One row each: {shown}.")


def _records(title: str, records: Sequence[Mapping[str, Any]], caption: str = "") -> Block:
    """One row a record, in columns by the names of its values; without any it is said."""
    if not records:
        return Facts(title, (("number", "none"),))
    return _table(title, tuple(records[0]), [tuple(one.values()) for one in records], caption)


def _table(
    title: str, columns: tuple[str, ...], rows: Sequence[Sequence[Any]], caption: str = ""
) -> Headline:
    return Headline(title, columns, tuple(tuple(map(said, row)) for row in rows), caption)


_FIELDS = dict(
    zip(
        FIELDS,
        (_pairs, _boundary, _by_family, _suite, _criteria, _sampling, _pairs, _results, _evidence),
        strict=True,
    )
)
