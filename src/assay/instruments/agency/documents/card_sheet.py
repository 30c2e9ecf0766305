"""The Agency Card as one page (13.3): what a decision-maker needs, with every gap named.

Every text is cut at a length and every list at a number, with a count of what is left out, so that the page always
fits. What is left out stands in the Technical Report.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.instruments.agency.declarations.outcome import DIMENSIONS
from assay.instruments.agency.figures.readings import (
    NO_TUPLE,
    TITLES,
    ReadingKey,
    ShownReadings,
    level_of,
    tier_text,
)
from assay.report.document import DocumentSheet, Facts, cut_list, cut_text
from assay.report.presentation import Headline
from assay.report.wording import value_text
from assay.vocabulary import Flag, Result

from .published import PublishedReading
from .words import NOT_DECLARED, NOT_RECORDED, facts_of, roles_facts

__all__ = ["card_sheet"]

# Bounds under which the page fits: the test with long names and many flags holds them to it.
LONGEST_PART = 140  # characters of a part of the tuple
LONGEST_FLAGS = 300  # of its last part
LONGEST = 150  # characters of an entry of a list
LONGEST_ROW = 240  # of a row
# Rows that are lists, cut already, and a statement that is given word for word: characters.
LONGER_ROWS = {
    "includes": 1000,
    "families": 1000,
    "regimes": 1000,
    "methods": 1000,
    "self-certification (15.4.1)": 500,
}
LONGEST_NAME = 60
LONGEST_SHORT = 40  # of a name among others
MOST_FLAGS = 8
MOST_REGIMES = 5
MOST_METHODS = 5
MOST_NAMES = 12
WEIGHT = ("Invalid", "Contested", "Limited Comparability", "Provisional")
IN_REPORT = "more, in the Technical Report"
NOT_FOR = (
    "This card states a capability that was measured under the conditions above, and nothing about safety, alignment, "
    "compliance or readiness for deployment (2.3). No level and no tier may be quoted without its tuple (11.9.1)."
)


def card_sheet(published: PublishedReading, result: Result) -> DocumentSheet:
    """One reading on one page. Levels, tuple and flags are those of the result."""
    reading, card = published.reading, published.card
    found = ShownReadings(result)
    key = ReadingKey(reading.tally.subject, reading.tally.boundary)
    blocks: list[Facts | Headline] = [
        _vector(found, key),
        Facts("Flags", tuple(_flags(found, key, result))),
        _cut(facts_of("Conditions", _conditions(published))),
        _cut(
            facts_of(
                "Efficiency, means over episodes: costs, no part of any level (8.3)",
                _costs(card),
                NOT_RECORDED,
            )
        ),
        _cut(facts_of("Verification", _verification(card))),
        _cut(facts_of("Evidence and responsibility", _responsible(card))),
    ]
    missing = [name for block in blocks if isinstance(block, Facts) for name in sorted(block.missing)]
    gaps = [f"Gaps of this card: {', '.join(missing)}."] if missing else []
    return DocumentSheet(
        title=cut_text(reading.tally.subject, LONGEST_NAME),
        under=f"Agency Card, section 13.3 of Framework {result.versions.get('framework', NOT_DECLARED)}",
        lead=(f"Comparison tuple: {_tuple(published) if found.tuple_of(key) else NO_TUPLE}",),
        blocks=tuple(blocks),
        foot=(*gaps, NOT_FOR),
    )


def _tuple(published: PublishedReading) -> str:
    """Every part of the comparison tuple (13.2.2), cut where it is long: none is left out."""
    *parts, flags = map(str, published.reading.tuples.comparison.values())
    shown = [*(cut_text(part, LONGEST_PART) for part in parts), cut_text(flags, LONGEST_FLAGS)]
    return f"({', '.join(shown)})"


def _cut(facts: Facts) -> Facts:
    rows = tuple((name, cut_text(text, LONGER_ROWS.get(name, LONGEST_ROW))) for name, text in facts.facts)
    return Facts(facts.title, rows, facts.missing)


def _vector(found: ShownReadings, key: ReadingKey) -> Headline:
    levels = {name: level_of(found.get(key, name)) for name in DIMENSIONS}
    kinds = [", ".join(dict.fromkeys(flag.kind for flag in one.flags)) or "–" for one in levels.values()]
    tier = found.get(key, "tier")
    flagged = ", ".join(dict.fromkeys(flag.kind for flag in tier.flags)) if tier else ""
    return Headline(
        "Vector, levels 0 to 5, and tier",
        ("", *(f"{name} {TITLES[name]}" for name in DIMENSIONS), "tier"),
        (
            ("level", *(value_text(one) for one in levels.values()), tier_text(tier)),
            ("flags", *kinds, flagged or "–"),
        ),
    )


def _flags(found: ShownReadings, key: ReadingKey, result: Result) -> Iterator[tuple[str, str]]:
    """Each once, with the dimensions that it is of; those that weigh most first."""
    of: dict[Flag, list[str]] = {flag: ["report"] for flag in result.flags}
    for name in (*DIMENSIONS, "tier"):
        measure = found.get(key, name)
        for flag in measure.flags if measure else ():
            of.setdefault(flag, []).append(name)
    listed = sorted(of.items(), key=lambda pair: WEIGHT.index(pair[0].kind))
    for flag, names in listed[:MOST_FLAGS]:
        yield ", ".join(names), cut_text(str(flag), LONGEST_ROW)
    if len(listed) > MOST_FLAGS:
        yield "…", f"and {len(listed) - MOST_FLAGS} {IN_REPORT}"
    if not listed:
        yield "report", "None"


def _conditions(published: PublishedReading) -> list[tuple[str, Any]]:
    report, card = published.report, published.card
    boundary, suite = report["boundary declaration"], report["task suite specification"]
    regimes = published.reading.tuples.reporting["regimes"]
    includes = boundary["includes"]
    within = boundary["boundary"] if boundary["declared"] else None
    return [
        ("system version", report["system identifier"]["version"]),
        ("boundary", within),
        (
            "includes",
            "the model alone"
            if within == "core"
            else includes and cut_list(includes, MOST_NAMES, LONGEST_SHORT),
        ),
        ("human assistance", boundary["human assistance"]),
        ("memory", boundary["memory"]),
        ("task suite", suite["suite"]),
        ("families", cut_list(card["verification"]["methods"], MOST_NAMES, LONGEST_SHORT)),
        ("regimes", "; ".join(cut_list(regimes, MOST_REGIMES, LONGEST, IN_REPORT))),
        ("evaluated", published.reading.tuples.identification["date"]),
    ]


def _costs(card: dict[str, Any]) -> list[tuple[str, Any]]:
    def shown(name: str, unit: str) -> str | None:
        value = card["efficiency"][name]
        return None if value is None else f"{value:,.3g}{unit}" if value < 1000 else f"{value:,.0f}{unit}"

    return [
        ("tokens an episode", shown("tokens per episode", "")),
        ("wall-clock an episode", shown("seconds per episode", " s of the subject")),
        ("actions an episode", shown("actions per episode", "")),
        ("retry rate", shown("retry rate", " of the calls")),
    ]


def _verification(card: dict[str, Any]) -> list[tuple[str, Any]]:
    checked = card["verification"]
    by_method: dict[str, list[str]] = {}
    for family, method in checked["methods"].items():
        by_method.setdefault(method or NOT_DECLARED, []).append(family)
    methods = [f"{', '.join(cut_list(names, 3, LONGEST_SHORT))}: {how}" for how, names in by_method.items()]
    lost = f"{checked['failed']} of {checked['attempted']} episodes"
    rate = f"{checked['failure rate']:.1%}, {lost}" if checked["failure rate"] is not None else None
    bare = f"{checked['unverified']} said to be successes without an artifact, counted as failures"
    undeclared = by_method.keys() == {NOT_DECLARED}
    return [
        ("methods", None if undeclared else "; ".join(cut_list(methods, MOST_METHODS, LONGEST, IN_REPORT))),
        ("failure rate", rate),
        ("efficacy unverified", bare if checked["unverified"] else "none"),
    ]


def _responsible(card: dict[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("artifact location", card["artifacts"]),
        *roles_facts(card["evaluation"], card["governance flag"]),
    ]
