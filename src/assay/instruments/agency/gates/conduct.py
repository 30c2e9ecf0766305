"""How an episode of a gate is conducted: in its arm, and with the question how sure the subject is."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from assay.bench import Probe
from assay.instruments.agency.episodes.conduct import EpisodeReport, play_episode
from assay.instruments.agency.episodes.interface import CONFIDENCE_ASKED, Interface, joined
from assay.instruments.agency.episodes.replay import TOUCHED
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.vocabulary import Message, Outcome, Trial
from assay.worlds import FamilyFault, guarded
from assay.worlds.tiers import MODEL_FREE, StrategyFamily, TierFamily

from .trials import CONFIDENCE, gate_task

__all__ = ["DELIBERATION", "GateReport", "conduct_gate", "read_confidence"]

DELIBERATION = 100  # tokens of a decision in the model-free arm: an action, and no room to think
_SAID = re.compile(
    r"^[ \t*`>#-]{0,40}CONFIDENCE\b[ \t:*`=]{0,9}(\d{1,9}(?:\.\d{1,30})?|\.\d{1,30})[ \t]{0,3}(%?)",
    re.IGNORECASE | re.MULTILINE,
)


class GateReport(EpisodeReport, frozen=True, kw_only=True, omit_defaults=True):
    """What an episode of a gate reports besides. ``confidence`` is None where it was not asked for, or not readable."""

    arm: str = ""
    strategy: str = ""  # that the actions show
    confidence: float | None = None


async def conduct_gate(trial: Trial, probe: Probe, options: AgencyOptions, interface: Interface) -> None:
    """One trial: an episode in its arm."""
    arm, regime = str(trial.factors["arm"]), regimes_of(options)[trial.regime]
    try:
        family, task = gate_task(trial.instance, probe.random("task"))
        if arm:
            assert isinstance(family, TierFamily)
            task = guarded(family.name, "in_arm", lambda: family.in_arm(task, arm))
        end = await play_episode(probe, family, task, regime, interface, forgetful=arm == MODEL_FREE)
        strategy = ""
        if isinstance(family, StrategyFamily) and not end.excluded:
            strategy = guarded(family.name, "strategy", lambda: family.strategy(task, end.state))
    except FamilyFault as fault:  # infrastructure, not the subject
        probe.conclude("excluded", fault.reason, {"detail": fault.detail})
        return
    if end.excluded:
        probe.conclude("excluded", TOUCHED, {"detail": end.excluded})
        return
    told: dict[str, Any] = {"arm": arm, "strategy": strategy}
    if trial.stage == CONFIDENCE:
        reply = await probe.ask(joined([*end.messages, Message("user", CONFIDENCE_ASKED)]))
        told["confidence"] = read_confidence(reply.text)
    outcome: Outcome = "success" if end.judgement.success else "failure"
    report = GateReport(**msgspec.structs.asdict(end.report), **told)
    probe.conclude(outcome, end.reason, msgspec.to_builtins(report))


def read_confidence(text: str) -> float | None:
    """The last number behind the word on a line of its own; percentages are read; None outside 0 to 1."""
    said = _SAID.findall(text)
    if not said:
        return None
    number = float(said[-1][0]) / (100 if said[-1][1] else 1)
    return number if 0 <= number <= 1 else None
