"""Records of a run as outcomes, and its lock as the declaration they are scored by."""

from __future__ import annotations

from collections import Counter
from math import fsum
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from assay.canonical import digest
from assay.evidence.records import Evidence, Record
from assay.instruments.agency.declarations.declaration import Declaration, Family, Protocol, System
from assay.instruments.agency.declarations.declaration import Regime as DeclaredRegime
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Exclusion
from assay.worlds import Regime, all_families

from .conduct import BREACHES, Report
from .options import Options, regimes_of
from .schedule import schedule
from .selection import Candidates

__all__ = ["Cost", "Episodes", "Finished", "declaration_of", "gather", "outcome_of"]


class Cost(Struct, frozen=True):
    """What an episode took. ``tokens`` is None where a reply did not say how many it took."""

    calls: int
    tries: int
    tokens: int | None
    seconds: float


class Finished(Struct, frozen=True):
    """One finished episode, without what was said in it: a run has many."""

    id: str
    success: bool
    report: Report
    cost: Cost


class Episodes(NamedTuple):
    """A run's finished episodes of one subject. Those that may be shown are kept whole."""

    spec: SubjectSpec
    outcomes: list[OutcomeRow]
    reports: list[Finished]
    excluded: list[Exclusion]
    shown: Candidates


def gather(evidence: Evidence) -> list[Episodes]:
    """Every subject's episodes, in the order of the study."""
    lock: Lock = evidence.lock
    found = {spec.title: Episodes(spec, [], [], [], Candidates()) for spec in lock.study.specs}
    lost: Counter[tuple[str, str, str]] = Counter()
    for record in evidence:
        mine = found[record.trial.subject]
        mine.outcomes.append(outcome_of(record, lock))
        if record.outcome == "excluded":
            lost[record.trial.subject, record.reason, record.trial.regime] += 1
        else:
            report = msgspec.convert(record.report, Report)
            mine.reports.append(Finished(record.id, record.outcome == "success", report, _cost(record)))
            mine.shown.take(record, report)
    for (subject, reason, regime), count in sorted(lost.items()):
        found[subject].excluded.append(Exclusion(reason, count, {"subject": subject, "regime": regime}))
    return list(found.values())


def _cost(record: Record) -> Cost:
    asks = record.asks
    used = [ask.reply.usage for ask in asks if ask.reply is not None]
    counted = all(usage.input is not None and usage.output is not None for usage in used)
    failed = sum(len(e.data.get("tries", ())) for e in record.events if e.kind == "received")
    return Cost(
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
    report = msgspec.convert(record.report, Report)
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
    )


def declaration_of(lock: Lock, options: Options, spec: SubjectSpec, began: str = "") -> Declaration:
    """What the lock declares, for one subject, in the form in which anyone declares."""
    materials = lock.materials["agency"]
    attempted = sorted({cell.family for cells in schedule(options).values() for cell in cells})
    return Declaration(
        system=System(
            name=spec.title, version=digest(msgspec.to_builtins(spec))[:16], architecture=spec.kind
        ),
        boundary=spec.boundary,
        includes=spec.includes if spec.boundary == "extended" else None,
        tools=spec.includes if spec.boundary == "extended" else (),
        human_assistance=options.human_assistance,
        memory=options.memory,
        began=began or lock.created,
        protocol=Protocol(
            approach="benchmark",
            sampling=_sampling(options),
            scoring=f"rule {options.rule}, {options.interval} interval at {options.confidence:g}",
            held_out="situations held out are drawn"
            if options.held_out
            else "instances drawn by the study's seed",
            guidance="none; every reply counts as an action",
        ),
        purpose=options.purpose,
        regimes={id_: _regime(regime) for id_, regime in regimes_of(options).items()},
        families={name: _family(name, materials["families"][name], lock, options) for name in attempted},
        inclusion=options.inclusion,
        exclusion=options.exclusion,
        rule=options.rule,
        interval=options.interval,
        confidence=options.confidence,
        post_hoc_share=options.post_hoc_share,
        infrastructure_share=options.infrastructure_share,
        disagreement_share=options.disagreement_share,
        contact=lock.study.contact,
        suite=f"assay-agency-{lock.versions['agency']}",
        artifacts=f"ledger of the run with lock {lock.digest[:16]}",
        date=lock.created,
    )


def _sampling(options: Options) -> str:
    if options.sequential is None:
        return f"fixed: {options.instances} instances a level, spread over its families"
    plan = options.sequential
    return (
        f"sequential: {plan.batch} at a time to at most {plan.most} a level; one-sided test of the threshold against "
        f"{plan.alternative:g}, valid at any time, error {plan.alpha:g}"
    )


def _regime(regime: Regime) -> DeclaredRegime:
    return DeclaredRegime(level=regime.level, adversarial=regime.adversarial, **regime.parameters())


def _family(name: str, material: dict[str, Any], lock: Lock, options: Options) -> Family:
    own = options.thresholds.get(name)
    return Family(
        dimension=material["dimension"],
        version=material["version"],
        levels=tuple(int(level) for level in material["levels"]),
        environment=material["environment"],
        criterion=material["criterion"],
        criterion_time=lock.created,
        verification=material["verification"],
        observation_schema=material["observation_schema"],
        action_schema=material["action_schema"],
        threshold=own.threshold if own else None,
        threshold_reason=own.reason if own else "",
    )


def materials_of(options: Options, seed: int) -> dict[str, Any]:
    """What the lock fixes of the families: versions, schemas, criteria."""
    from assay.streams import Stream
    from assay.worlds import drawn_task

    names = sorted({cell.family for cells in schedule(options).values() for cell in cells})
    found: dict[str, Any] = {}
    for name in names:
        family = all_families()[name]
        tasks = {level: drawn_task(family, level, Stream("schema", name)) for level in family.levels}
        found[name] = {
            "version": family.version,
            "dimension": family.dimension,
            "levels": {str(level): about for level, about in family.levels.items()},
            "environment": family.environment,
            "verification": family.verification,
            "criterion": {str(level): task.criterion.text for level, task in tasks.items()},
            "observation_schema": digest({str(level): task.observation for level, task in tasks.items()}),
            "action_schema": digest(
                {str(level): [msgspec.to_builtins(a) for a in task.actions] for level, task in tasks.items()}
            ),
        }
    return found
