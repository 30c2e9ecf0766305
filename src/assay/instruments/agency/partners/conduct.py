"""How one move of a match is made: an episode of a single meeting, from the side of who is asked."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.bench import Probe
from assay.instruments.agency.episodes.conduct import EpisodeReport, play_episode
from assay.instruments.agency.episodes.interface import Interface
from assay.instruments.agency.episodes.replay import TOUCHED
from assay.instruments.agency.gates.trials import gate_task
from assay.instruments.agency.options import AgencyOptions, regimes_of
from assay.vocabulary import Outcome, Trial
from assay.worlds import FamilyFault, guarded
from assay.worlds.tiers import PastMeeting, SeatedFamily

from .matches import PARTNER

__all__ = ["MeetingReport", "conduct_meeting"]


class MeetingReport(EpisodeReport, frozen=True, kw_only=True, omit_defaults=True):
    """``past``: the meetings that are over. ``theirs``: the partner's move where it is known and the subject's is not;
    ``silent``: it made none, and the declared one stands for it.
    """

    past: tuple[PastMeeting, ...] = ()
    theirs: dict[str, Any] | None = None
    silent: bool = False


async def conduct_meeting(trial: Trial, probe: Probe, options: AgencyOptions, interface: Interface) -> None:
    """One trial. What a partner does not decide in a way that can be read is its behaviour, not a fault."""
    role, regime = str(trial.factors["role"]), regimes_of(options)[trial.regime]
    past: tuple[PastMeeting, ...] = ()
    theirs: dict[str, Any] | None = None
    for reference in trial.inputs:
        before = msgspec.convert(probe.earlier(reference).report, MeetingReport)
        past, theirs = before.past, before.theirs
    try:
        family, task = gate_task(trial.instance, probe.random("task"))
        assert isinstance(family, SeatedFamily)

        def own() -> Any:
            if role == PARTNER:
                return family.seat_task(task, past)
            assert theirs is not None
            return family.meeting_task(task, past, theirs)

        mine = guarded(family.name, "seat", own)
        stream = f"meeting {len(past) + 1}, {role}"
        end = await play_episode(probe, family, mine, regime, interface, stream=stream)
        if end.excluded:
            probe.conclude("excluded", TOUCHED, {"detail": end.excluded})
            return
        move = guarded(family.name, "moved", lambda: family.moved(mine, end.state))
        told: dict[str, Any] = {"past": past}
        if role == PARTNER:
            silent = guarded(family.name, "silent_move", lambda: family.silent_move(task, past))
            told |= {"theirs": silent if move is None else move, "silent": move is None}
        else:
            assert theirs is not None
            told["past"] = (*past, PastMeeting(move, theirs))
    except FamilyFault as fault:  # infrastructure, neither side's
        probe.conclude("excluded", fault.reason, {"detail": fault.detail})
        return
    outcome: Outcome = "success" if end.judgement.success else "failure"
    report = MeetingReport(**msgspec.structs.asdict(end.report), **told)
    probe.conclude(outcome, end.reason, msgspec.to_builtins(report))
