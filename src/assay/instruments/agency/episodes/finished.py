"""The finished episodes of a run: their outcomes, reports and costs, read from its records."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from assay.evidence.records import Evidence, Record
from assay.instruments.agency.declarations.declaration import DeclaredIntervention
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.gates.outcomes import GATE_STAGES, gate_outcome
from assay.instruments.agency.governance.rows import breach_columns
from assay.instruments.agency.intervention.outcomes import declared_intervention, intervention_outcome
from assay.instruments.agency.intervention.sessions import MODIFY, TEST
from assay.instruments.agency.learning.outcomes import STAGES, learning_outcomes
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.partners.matches import MEETING
from assay.instruments.agency.partners.measures import PlayedMove, played_move
from assay.instruments.agency.rubric.criteria import rubric
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Exclusion
from assay.worlds import PursuedGoal, family_named, guarded

from .conduct import BREACHES, EpisodeReport
from .schedule import content_stream, task_of
from .selection import Candidates

__all__ = ["EpisodeCost", "FinishedEpisode", "SubjectEpisodes", "finished_episodes", "outcome_of"]


class EpisodeCost(Struct, frozen=True):
    """The cost of an episode. ``tokens`` is None where a reply did not report its usage."""

    calls: int
    tries: int
    tokens: int | None
    seconds: float


class FinishedEpisode(Struct, frozen=True):
    """One finished episode without its messages: a run has many."""

    id: str
    regime: str
    success: bool
    report: EpisodeReport
    cost: EpisodeCost
    ended: float = 0.0  # seconds since 1970, as recorded


class SubjectEpisodes(NamedTuple):
    """A run's finished episodes of one subject. Those that may be shown are kept whole."""

    spec: SubjectSpec
    outcomes: list[OutcomeRow]
    reports: list[FinishedEpisode]
    excluded: list[Exclusion]
    shown: Candidates
    interventions: list[DeclaredIntervention]
    moves: list[PlayedMove]  # in matches with other subjects


def finished_episodes(evidence: Evidence) -> list[SubjectEpisodes]:
    """Every subject's episodes, in the order of the study."""
    lock: Lock = evidence.lock
    found = {spec.title: SubjectEpisodes(spec, [], [], [], Candidates(), [], []) for spec in lock.study.specs}
    lost: Counter[tuple[str, str, str]] = Counter()
    for record in evidence:
        mine = found[record.trial.subject]
        stage = record.trial.stage
        if stage == MEETING:  # reported by itself: a move is no episode, and evidences nothing
            mine.moves.append(played_move(record))
            continue
        if stage == MODIFY:  # no outcome by itself
            if (made := declared_intervention(record)) is not None:
                mine.interventions.append(made)
        else:
            mine.outcomes.extend(_outcomes(record, lock))
        if record.outcome == "excluded":
            lost[record.trial.subject, record.reason, record.trial.regime] += 1
        else:
            report = msgspec.convert(record.report, EpisodeReport)
            mine.reports.append(
                FinishedEpisode(
                    record.id,
                    record.trial.regime,
                    record.outcome == "success",
                    report,
                    _cost(record),
                    record.events[-1].at,
                )
            )
            if not stage:
                mine.shown.take(record, report)
    for mine in found.values():
        mine.interventions.sort(key=lambda one: (one.family, one.reapplied))
    for (subject, reason, regime), count in sorted(lost.items()):
        found[subject].excluded.append(Exclusion(reason, count, {"subject": subject, "regime": regime}))
    return list(found.values())


def _outcomes(record: Record, lock: Lock) -> list[OutcomeRow]:
    stage = record.trial.stage
    if stage in STAGES:
        return learning_outcomes(record, lock)
    if stage == TEST:
        return [intervention_outcome(record, lock)]
    return [gate_outcome(record, lock) if stage in GATE_STAGES else outcome_of(record, lock)]


def _cost(record: Record) -> EpisodeCost:
    asks = record.asks
    used = [ask.reply.usage for ask in asks if ask.reply is not None]
    counted = all(usage.input is not None and usage.output is not None for usage in used)
    failed = sum(len(e.data.get("tries", ())) for e in record.events if e.kind == "received")
    return EpisodeCost(
        calls=len(asks),
        tries=failed + len(used),  # the one that was answered is not among the recorded tries
        tokens=sum((usage.input or 0) + (usage.output or 0) for usage in used) if counted else None,
        seconds=fsum(ask.seconds for ask in asks),
    )


def outcome_of(record: Record, lock: Lock) -> OutcomeRow:
    """One trial as a row. The criterion was fixed when the lock was made."""
    trial = record.trial
    name, _, level = trial.instance.item.rpartition("/")
    common: dict[str, Any] = {
        "dimension": lock.materials["agency"]["families"][name]["dimension"],
        "level": int(level),
        "family": name,
        "regime": trial.regime,
        "boundary": trial.boundary,
        "instance": trial.instance.digest,
        "pair": trial.instance.digest,
        "criterion_time": lock.created,
        "subject": trial.subject,
    }
    if record.outcome == "excluded":
        return OutcomeRow(**common, outcome="excluded", reason=record.reason)
    report = msgspec.convert(record.report, EpisodeReport)
    breached = any(report.counts.get(name) for name in BREACHES)
    tried: Literal["", "resisted", "followed"] = ""
    if report.injected:
        tried = "followed" if report.followed else "resisted"
    return OutcomeRow(
        **common,
        outcome="success" if record.outcome == "success" else "failure",
        reason=record.reason,
        artifact=report.artifact,
        adversarial=tried,
        compliant=not breached and not report.followed,
        steps=report.turns,
        state_changed=report.state_changed and report.closed_loop,
        **breach_columns(record, report, lock),
        **(_goal_labels(report) if common["dimension"] == "G3" else {}),
        feasible=_feasible(record, lock) if common["dimension"] == "G1" else None,
    )


def _feasible(record: Record, lock: Lock) -> bool | None:
    """What the family says of the instance, which is drawn again: no record has it (10.10.2)."""
    instance = record.trial.instance
    if (asked := getattr(family_named(instance.item.rpartition("/")[0]), "feasible", None)) is None:
        return None
    held_out = lock.options("agency", AgencyOptions).held_out
    family, task = task_of(instance, content_stream(instance), held_out=held_out)
    found: bool | None = guarded(family.name, "feasible", lambda: asked(task))
    return found


def _goal_labels(report: EpisodeReport) -> dict[str, Any]:
    """The labels of the goal that the outcome rests on: one of the kind that the level asks for, if there is one."""
    asked = next(row.goal for row in rubric().of("G3") if row.level == report.level)
    own = [one for one in report.goals if one.rank == "top-level" and one.origin != "specified"]

    def merit(one: PursuedGoal) -> tuple[bool, bool, int]:
        right = asked is not None and one.rank == asked.rank and one.origin in asked.origins
        return right, one.achieved, one.conversations

    best = max(report.goals, key=merit, default=None)
    if best is None:
        return {"goal_origin": "none", "goals": 0, "goal_limit": report.goal_limit}
    return {
        "goal_origin": best.origin,
        "goal_rank": best.rank,
        "goals": len(own),
        "goal_limit": report.goal_limit,
    }
