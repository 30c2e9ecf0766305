"""What went wrong on the way, in sentences: how often, what it cost, and the first of each kind in its own words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from assay.errors import OWN_FAULTS, quote
from assay.evidence.faults import FaultSummary

from .presentation import Headline

__all__ = ["SaidFault", "beside_rows", "fault_text", "said_faults"]

MOST = 12  # kinds that are listed


class SaidFault(NamedTuple):
    """A fault for a page: whether it cost anything, what is said of it, and the end of a traceback."""

    costly: bool
    text: str
    trace: str


def fault_text(fault: FaultSummary, things: str = "trials") -> str:
    """One kind of fault in one paragraph, with an endpoint's words between quotation marks."""
    first = fault.first
    said = f" The first (trial {first.trial[:12]}): {quote(first.said)}" if first.said else ""
    return f"{fault.subject or 'unfinished'}: {_what(fault, things)}.{said}"


def _what(fault: FaultSummary, things: str) -> str:
    if fault.fault in OWN_FAULTS and fault.trials:
        ended = "raised" if fault.fault == "subject_raised" else "ended its process"
        scored = f", {fault.lost} of them excluded" if fault.lost else ""
        return f"the subject itself {ended} in {fault.trials} of {fault.of} {things} ({fault.fault}){scored}"
    times = "once" if fault.count == 1 else f"{fault.count:,} times"
    parts = [f"{fault.fault} {times}"]
    if fault.cured:
        cured = "" if fault.cured == fault.count else f"{fault.cured:,} of them "
        parts.append(f"{cured}answered when asked again")
    if fault.lost:
        parts.append(f"{fault.lost:,} of {fault.of:,} {things} lost to it")
    return ", ".join(parts)


def beside_rows(headline: Headline, faults: Iterable[FaultSummary]) -> Headline:
    """The table with how often the subject's own code failed, in every row of such a subject.

    A subject that crashes must not look merely incapable.
    """
    raised: dict[str, tuple[int, int]] = {}
    for one in faults:
        if one.fault in OWN_FAULTS and one.trials:
            raised[one.subject] = (raised.get(one.subject, (0, 0))[0] + one.trials, one.of)
    places = {row.index(subject) for row in headline.rows for subject in raised if subject in row}
    if len(places) != 1:  # its rows are not of subjects
        return headline
    (place,) = places
    told = {subject: f"{min(trials, of)} of {of}" for subject, (trials, of) in raised.items()}

    def widened(row: tuple[Any, ...], cell: Any) -> tuple[Any, ...]:
        return (*row[: place + 1], cell, *row[place + 1 :])

    return msgspec.structs.replace(
        headline,
        columns=widened(headline.columns, "raised"),
        rows=tuple(widened(row, told.get(str(row[place]), "0")) for row in headline.rows),
        names=widened(headline.names, "") if len(headline.names) > place else headline.names,
    )


def said_faults(faults: Iterable[FaultSummary], things: str = "trials") -> list[SaidFault]:
    """What is listed: those that cost trials first."""
    found = [
        SaidFault(bool(one.lost or one.fault in OWN_FAULTS), fault_text(one, things), one.first.trace)
        for one in faults
    ]
    found.sort(key=lambda one: not one.costly)
    more = len(found) - MOST
    return found[:MOST] + ([SaidFault(False, f"{more} more kinds of faults", "")] if more > 0 else [])
