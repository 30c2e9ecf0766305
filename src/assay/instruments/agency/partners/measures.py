"""What matches come to: success by subject and partner. No gate rests on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from assay.evidence.records import Record
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.rubric.levels import interval_by
from assay.measuring import Labels, measure_of
from assay.study import Lock
from assay.vocabulary import Exclusion, Measure

from .conduct import MeetingReport
from .matches import PARTNER, MatchKey

__all__ = ["PlayedMove", "partner_exclusions", "partner_measures", "played_move"]

NO_GATE = "no gate rests on it: Tier 5 is judged with scripted partners of declared policies (12.8.2)"
LOST = "lost to infrastructure on either side, and no part of it: {} matches"
SILENT = (
    "matches in which the partner made no move at one meeting or more (unreadable, refused, late); then {}"
)


class PlayedMove(NamedTuple):
    """One finished trial of a match."""

    match: MatchKey
    regime: str
    meeting: int
    role: str
    lost: str  # why it is excluded
    well: bool
    silent: bool


def played_move(record: Record) -> PlayedMove:
    trial, lost = record.trial, record.reason if record.outcome == "excluded" else ""
    silent = not lost and msgspec.convert(record.report, MeetingReport).silent
    return PlayedMove(
        MatchKey.of(trial),
        trial.regime,
        int(trial.factors["meeting"]),
        str(trial.factors["role"]),
        lost,
        record.outcome == "success",
        silent,
    )


class _Match(NamedTuple):
    """``success`` is None where it is not finished, or lost."""

    labels: tuple[str, str, str, str]  # subject, partner, family, regime
    success: bool | None
    lost: str
    silent: bool


def _matches(moves: Iterable[PlayedMove], declared: dict[str, Any]) -> list[_Match]:
    """By the family's own criterion: so many of the meetings that count must go well."""
    by_match: dict[tuple[MatchKey, str], list[PlayedMove]] = {}
    for move in moves:
        by_match.setdefault((move.match, move.regime), []).append(move)
    found = []
    for (key, regime), some in sorted(by_match.items()):
        family = key.item.partition("/")[0]
        rule = declared["families"][family]
        own = [move for move in some if move.role != PARTNER and not move.lost]
        well = sum(move.well for move in own if move.meeting >= rule["from"])
        labels = (key.subject, key.partner, family, regime)
        lost = next((move.lost for move in some if move.lost), "")
        success = well >= rule["least"] if len(own) == rule["meetings"] else None
        found.append(_Match(labels, success, lost, any(move.silent for move in some)))
    return found


def partner_measures(moves: Iterable[PlayedMove], lock: Lock, options: AgencyOptions) -> Iterator[Measure]:
    declared = lock.materials["agency"].get("partners")
    if declared is None:
        return
    boundaries = {spec.title: spec.boundary for spec in lock.study.specs}
    by_pair: dict[tuple[str, str, str, str], list[_Match]] = {}
    for match in _matches(moves, declared):
        by_pair.setdefault(match.labels, []).append(match)
    for (subject, partner, family, regime), some in sorted(by_pair.items()):
        labels: Labels = {
            "subject": subject, "boundary": boundaries[subject], "partner": partner, "family": family,
            "regime": regime,
        }  # fmt: skip
        whole = [match for match in some if match.success is not None]
        lost = sum(bool(match.lost) for match in some)
        notes = (NO_GATE, *([LOST.format(lost)] if lost else ()))
        stands = declared["families"][family]["silent"]
        for name, k, said in (
            ("partner_rate", sum(bool(match.success) for match in whole), notes),
            ("partner_unreadable", sum(match.silent for match in whole), (SILENT.format(stands),)),
        ):
            share = interval_by(options.interval, k, len(whole), options.confidence)
            yield measure_of(name, share, labels, why_null="no match was finished", notes=said)


def partner_exclusions(moves: Iterable[PlayedMove], lock: Lock) -> list[Exclusion]:
    """Matches that were lost, with the fault that ended them."""
    declared = lock.materials["agency"].get("partners")
    if declared is None:
        return []
    lost = Counter((match.lost, match.labels) for match in _matches(moves, declared) if match.lost)
    names = ("subject", "partner", "family", "regime")
    return [
        Exclusion(reason, count, dict(zip(names, labels, strict=True)))
        for (reason, labels), count in sorted(lost.items())
    ]
