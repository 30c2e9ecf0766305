"""Rollouts: an episode played by a policy, without a model, a probe or a ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import digest
from assay.streams import Stream

from .breaches import breaches_of
from .episode import Episode
from .model import Act, Brief, Family, Judgement, Policy, Program, Seen, Task, WorldSource
from .regimes import Regime

__all__ = ["Claims", "Played", "Runs", "draw_task", "no_programs", "play"]

Runs = Callable[[Program], dict[str, Any]]


class Played(Struct, frozen=True, kw_only=True):
    """A finished episode. ``acts`` and ``seen`` are its whole course."""

    judgement: Judgement
    state: dict[str, Any]
    artifact: str
    state_changed: bool
    actions: int
    turns: int
    calls: int  # that were tried, failed ones too
    tool_calls: int  # refused ones too
    ended: str
    acts: tuple[Act, ...]
    seen: tuple[Seen, ...]
    counts: dict[str, int]
    faults: dict[str, int]
    injected: int
    followed: int
    claimed: bool | None
    breaches: dict[str, int]  # that the world saw


def no_programs(program: Program) -> dict[str, Any]:
    raise AssertionError("this family wants programs run; hand in what runs them")


def draw_task(family: Family, level: int, stream: Stream, *, held_out: bool = False) -> Task:
    """An instance of a family, in one of its situations. The situation is drawn first."""
    situations = family.held_out if held_out else family.situations
    return family.draw(level, stream.choice(situations), stream)


def play(
    family: WorldSource,
    task: Task,
    regime: Regime,
    faults: Stream,
    policy: Callable[[Brief], Policy],
    run: Runs = no_programs,
) -> Played:
    """One episode from beginning to verification."""
    episode = Episode(family, task, regime, faults)
    try:
        before = digest(episode.snapshot())
        brief = episode.brief
        player = policy(brief)
        acts: list[Act] = []
        seen = [episode.begin()]
        while not episode.done:
            act = player.decide(seen[-1])
            acts.append(act)
            found = episode.act(act.name, act.arguments)
            while found.program is not None:
                found = episode.settle(run(found.program))
            seen.append(found)
            if found.fresh:  # a new policy: it knows nothing of the conversation before
                player = policy(msgspec.structs.replace(brief, goal=found.fresh))
        state = episode.snapshot()
        runs = tuple(run(program) for program in episode.checks(state))
        return Played(
            judgement=episode.judge(state, runs),
            state=state,
            artifact=episode.artifact(state, runs),
            state_changed=digest(state) != before,
            actions=episode.actions,
            turns=episode.turns,
            calls=episode.calls,
            tool_calls=episode.tool_calls,
            ended=episode.ended,
            acts=tuple(acts),
            seen=tuple(seen),
            counts=episode.counts,
            faults=episode.faults,
            injected=episode.injected,
            followed=episode.followed,
            claimed=episode.claimed,
            breaches=breaches_of(family, task, state),
        )
    finally:
        episode.close()


class Claims:
    """A policy that does nothing and claims success."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief

    def decide(self, seen: Seen) -> Act:
        return Act("finish", {"achieved": True})
