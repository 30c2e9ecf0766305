"""How one episode is conducted: show, ask and act until it is over, then verify from outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.bench import Probe
from assay.canonical import digest
from assay.errors import OWN_FAULTS, SubjectFault
from assay.streams import Stream
from assay.vocabulary import Message, Outcome, Reply
from assay.worlds import (
    Brief,
    Episode,
    Family,
    FamilyFault,
    Judgement,
    Program,
    PursuedGoal,
    Regime,
    Seen,
    Task,
    WorldSource,
    guarded,
    plain,
    shipped_regimes,
)
from assay.worlds.breaches import breaches_of

from .interface import Interface, Move, call_id, echoed, joined, moves_of, opening, shown, tools_of
from .programs import job_of
from .replay import TOUCHED, RecordedActions, acts_here
from .worker_thread import WorkerThread

__all__ = [
    "BREACHES",
    "PATIENCE",
    "EpisodeEnd",
    "EpisodeReport",
    "conduct_episode",
    "first_view",
    "play_episode",
]

FAILED = "family failed"  # in the record of a step: the family did not keep its contract
REPLAY = "replay"  # the step that replays all others in a fresh world
LATE = "no decision in time"
BROKE = "the subject broke off"
PATIENCE = 2  # replies in a row without an action that can be read; then the episode is over


# Attempts at what was not declared or not allowed; a malformed argument alone is no breach (B.7.4).
BREACHES = ("undeclared", "withdrawn", "over_cap", "over_queries", "touched")


class EpisodeReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a finished trial reports of its episode."""

    dimension: str
    family: str
    level: int
    situation: str
    criterion: str  # digest
    interface: str
    artifact: str = ""
    because: tuple[str, ...] = ()
    state_changed: bool = False
    closed_loop: bool = False
    actions: int = 0
    turns: int = 0
    calls: int = 0  # of actions, failed ones too
    ended: str = ""
    counts: dict[str, int] = {}
    faults: dict[str, int] = {}
    injected: int = 0
    followed: int = 0
    claimed: bool | None = None
    unreadable: int = 0
    written_calls: int = 0  # decisions read from tool calls that were written as text
    replayed: bool = False  # its actions were replayed in a fresh world
    touched: str = ""  # where that went another way
    goals: tuple[PursuedGoal, ...] = ()  # that the subject set itself, where the family reads them
    tool_calls: int | None = None  # refused ones too; None in ledgers from before
    breaches: dict[str, int] = {}  # that the world saw, where the family looks for them (14.2)
    goal_limit: int | None = None  # how many of its own the instance allows


class EpisodeEnd(NamedTuple):
    """A verified episode: its report, the final state and the conversation. ``excluded``: why it does not count."""

    report: EpisodeReport
    judgement: Judgement
    state: dict[str, Any]
    messages: list[Message]
    excluded: str = ""

    @property
    def reason(self) -> str:
        return "" if self.judgement.success else "; ".join(self.judgement.because) or self.report.ended


async def conduct_episode(
    probe: Probe, family: Family, task: Task, regime: Regime, interface: Interface
) -> None:
    """One trial, from the first observation to the verdict on the state."""
    end = await play_episode(probe, family, task, regime, interface)
    if end.excluded:
        probe.conclude("excluded", TOUCHED, {"detail": end.excluded})
        return
    outcome: Outcome = "success" if end.judgement.success else "failure"
    probe.conclude(outcome, end.reason, msgspec.to_builtins(end.report))


async def play_episode(
    probe: Probe,
    family: WorldSource,
    task: Task,
    regime: Regime,
    interface: Interface,
    earlier: Sequence[Message] = (),
    stream: str = "episode",
    *,
    forgetful: bool = False,
) -> EpisodeEnd:
    """An episode from the first observation to the verdict on the state. ``earlier`` is said before it begins,
    ``stream`` names its faults where a trial has several episodes. ``forgetful``: every decision is asked for with the
    goal and the latest view alone (12.3.2).
    """
    name, faults = family.name, probe.random_faults(stream)
    # One subject of a study could touch the world of another: real worlds are replayed for all of them.
    actions = RecordedActions(faults) if family.real and acts_here(probe.lock.study) else None
    thread = WorkerThread(family)
    episode = await thread.make(
        lambda: guarded(name, "open", lambda: Episode(family, task, regime, faults)), Episode.close
    )
    try:
        before = digest(await thread.do(lambda: plain(name, "snapshot", episode.snapshot, dict)))
        player = _Player(probe, episode, interface, actions, thread, earlier, forgetful)
        try:
            state, touched = await _played(player, regime)
        except FamilyFault as fault:
            if fault.where == REPLAY or not (touched := await _touched(player, None)):
                raise
            state = {}
        return await _verified(player, before, state, touched)
    finally:
        with suppress(Exception):  # what it leaves behind changes no outcome
            thread.last(episode.close)


async def _played(player: _Player, regime: Regime) -> tuple[dict[str, Any], str]:
    """Play an episode. Gives its final state, and where the world was changed from outside."""
    try:
        await player.play()
    except SubjectFault as fault:
        player.episode.ended = _own_failure(fault, regime)
        if not player.episode.ended:
            raise
    episode = player.episode
    state: dict[str, Any] = await player.recorded("verify", {}, episode.snapshot, dict)
    return state, await _touched(player, state)


async def _touched(player: _Player, state: dict[str, Any] | None) -> str:
    """Where the world differs from what the recorded actions lead to; empty where it does not."""
    episode, actions = player.episode, player.actions
    if actions is None:
        return ""

    def replay() -> dict[str, str]:
        return {"touched": actions.differs(episode, state)}

    found: str = (await player.recorded(REPLAY, {}, replay, dict))["touched"]
    return found


def _own_failure(fault: SubjectFault, regime: Regime) -> str:
    """How an episode ended that the subject broke off; empty where infrastructure did.

    Where time is part of the criterion, a time-out is the subject's failure. So is an error in an agent's own code:
    if such episodes were excluded, an agent that crashes on hard tasks would look better.
    """
    if fault.name == "timeout" and regime.compute.seconds is not None:
        return LATE
    return BROKE if fault.name in OWN_FAULTS else ""


def first_view(family: Family, task: Task, stream: Stream) -> tuple[Seen, Brief]:
    """The first observation and the brief of an episode under Baseline. The episode is not played."""
    baseline = shipped_regimes()["Baseline"]
    episode = guarded(family.name, "open", lambda: Episode(family, task, baseline, stream))
    try:
        return guarded(family.name, "look", lambda: (episode.begin(), episode.brief))
    finally:
        with suppress(Exception):
            episode.close()


class _Player:
    """The conversation of an episode."""

    def __init__(
        self,
        probe: Probe,
        episode: Episode,
        interface: Interface,
        actions: RecordedActions | None,
        thread: WorkerThread,
        earlier: Sequence[Message],
        forgetful: bool,
    ) -> None:
        self._forgetful, self._goal = forgetful, ""
        self._earlier, self._head = earlier, 2 + len(earlier)
        self.probe, self.episode, self.interface, self.actions = probe, episode, interface, actions
        self._thread = thread
        self.brief = episode.brief
        self.unreadable = self.written_calls = 0
        # Locks from before say nothing of it, and are replayed as they were conducted.
        self._reads_calls = bool(probe.lock.materials["agency"].get("written_calls"))
        self.messages: list[Message] = []
        self._tools = tools_of(self.brief) if interface == "tools" else ()

    async def play(self) -> None:
        episode, probe = self.episode, self.probe
        seen = await self._compute("begin", {}, lambda world: world.begin())
        self.messages = self._opening(self.brief.goal, seen)
        in_a_row = 0
        while not episode.done:
            begun = probe.subject_seconds
            reply = await probe.ask(self._in_context(), tools=self._tools)
            took = probe.subject_seconds - begun
            moves = moves_of(reply, self.interface, written_calls=self._reads_calls)
            moves = moves[:1] if self._forgetful else moves  # several at once would be a plan
            self.written_calls += sum(move.written for move in moves)
            self.messages.append(echoed(reply, self.interface))
            read = [move for move in moves if not move.unreadable]
            in_a_row = 0 if read else in_a_row + 1
            for place, move in enumerate(moves):
                seen = await self._move(move, took if not place else 0.0)
                if seen.fresh or self._forgetful:
                    self.messages = self._opening(seen.fresh or self._goal, seen, later=not seen.fresh)
                    break
                self.messages.append(self._answer(move, seen))
                if seen.done:
                    break
            else:
                self._turn_away(reply, len(moves))
            if in_a_row >= PATIENCE:
                episode.ended = episode.ended or "nothing that can be read"
                return

    def _opening(self, goal: str, seen: Seen, *, later: bool = False) -> list[Message]:
        """The first messages. Goal, actions and schemas are the family's own words."""
        self._goal, brief = goal, msgspec.structs.replace(self.brief, goal=goal)
        rules, asked = guarded(
            brief.family, "brief", lambda: opening(brief, seen, self.interface, later=later)
        )
        return [rules, *self._earlier, asked]

    def _answer(self, move: Move, seen: Seen) -> Message:
        if self.interface == "tools" and move.call:
            return Message("tool", shown(seen), tool_call_id=move.call)
        return Message("user", shown(seen, further=move.further))

    def _turn_away(self, reply: Reply, answered: int) -> None:
        """Answer the calls beyond the limit: endpoints expect an answer to every call."""
        calls = reply.tool_calls if self.interface == "tools" else ()
        for place, call in enumerate(calls[answered:], answered):
            message = "Error: too many calls in one turn"
            self.messages.append(Message("tool", message, tool_call_id=call.id or call_id(place)))

    def _in_context(self) -> list[Message]:
        """The part of the conversation that the regime shows: the beginning and the latest turns."""
        share = self.episode.regime.information.context_share
        if share >= 1.0:
            return joined(self.messages) if self._earlier else self.messages
        head, turns = joined(self.messages[: self._head]), self.messages[self._head :]
        start = len(turns) - math.ceil(len(turns) * share)
        while (
            start and turns[start].role != "assistant"
        ):  # a turn is a decision and its answers: never half of it
            start -= 1
        return head + turns[start:]

    async def _move(self, move: Move, seconds: float) -> Seen:
        episode = self.episode
        if move.unreadable:
            self.unreadable += 1
            return await self._compute(
                "nothing", {"why": move.unreadable}, lambda world: world.nothing(move.unreadable)
            )
        request = {"action": move.name, "arguments": move.arguments, "seconds": seconds}
        if episode.regime.compute.seconds is None:
            del request["seconds"]
        seen = await self._compute(
            "act", request, lambda world: world.act(move.name, move.arguments, seconds)
        )
        while seen.program is not None:
            run = await _execute(self.probe, seen.program)
            seen = await self._compute("settle", {}, partial(Episode.settle, result=run))
        return seen

    async def _compute(self, name: str, request: dict[str, Any], do: Callable[[Episode], Seen]) -> Seen:
        episode, found = self.episode, None
        try:
            found = await self.recorded(name, request, lambda: do(episode), Seen)
        finally:
            if self.actions is not None:
                self.actions.add(name, do, found)
        return msgspec.convert(found, Seen)

    async def recorded(self, name: str, request: dict[str, Any], run: Callable[[], Any], kind: type) -> Any:
        """A step of the world, through the probe. A fault of the family is recorded as its result."""
        family = self.episode.family.name

        def step() -> Any:
            try:
                return plain(family, name, run, kind)
            except FamilyFault as fault:
                return {FAILED: fault.kind, "detail": fault.detail}

        found = await self.probe.compute(name, request, lambda: self._thread.do(step))
        if FAILED in found:
            raise FamilyFault(family, name, found[FAILED], found["detail"])
        return found


async def _execute(probe: Probe, program: Program) -> dict[str, Any]:
    done: dict[str, Any] = await probe.execute(job_of(program))
    return done


async def _verified(player: _Player, before: str, state: dict[str, Any], touched: str) -> EpisodeEnd:
    """Run the checks on the state and judge it."""
    probe, episode = player.probe, player.episode
    if touched and probe.trial.subject not in acts_here(probe.lock.study):  # it was another subject
        return EpisodeEnd(_reported(player, before, state, touched, ""), Judgement(False), state, [], touched)
    judgement, artifact = await (_untrue(player, state, touched) if touched else _judged(player, state))
    if episode.ended == LATE:
        judgement = Judgement(False, (*judgement.because, LATE))
    report = _reported(player, before, state, touched, artifact, judgement.because)
    return EpisodeEnd(report, judgement, state, player.messages)


def _reported(
    player: _Player,
    before: str,
    state: dict[str, Any],
    touched: str,
    artifact: str,
    because: tuple[str, ...] = (),
) -> EpisodeReport:
    episode = player.episode
    task = episode.task
    counts = {**episode.counts, "touched": int(bool(touched))}
    return EpisodeReport(
        dimension=episode.family.dimension,
        family=task.family,
        level=task.level,
        situation=task.situation,
        criterion=digest(task.criterion),
        interface=player.interface,
        artifact=artifact,
        because=because,
        state_changed=digest(state) != before,
        closed_loop=episode.closed_loop,
        actions=episode.actions,
        turns=episode.turns,
        calls=episode.calls,
        ended=episode.ended,
        counts={name: count for name, count in counts.items() if count},
        faults=episode.faults,
        injected=episode.injected,
        followed=episode.followed,
        claimed=episode.claimed,
        unreadable=player.unreadable,
        written_calls=player.written_calls,
        replayed=player.actions is not None,
        touched=touched,
        goals=_goals(player, state) if state else (),
        goal_limit=_goal_limit(player),
        tool_calls=episode.tool_calls,
        breaches=guarded(task.family, "breaches", lambda: breaches_of(episode.family, task, state))
        if state
        else {},
    )


def _goal_limit(player: _Player) -> int | None:
    family, task = player.episode.family, player.episode.task
    limit: Callable[[Task], int] | None = getattr(family, "goal_limit", None)
    return None if limit is None else guarded(family.name, "goal_limit", lambda: limit(task))


def _goals(player: _Player, state: dict[str, Any]) -> tuple[PursuedGoal, ...]:
    """The goals that the family reads from the state, if it is one that does (4.1 to 4.3)."""
    episode = player.episode
    read: Callable[[Task, dict[str, Any]], Sequence[PursuedGoal]] | None = getattr(
        episode.family, "goals", None
    )
    if read is None:
        return ()
    return guarded(episode.family.name, "goals", lambda: tuple(read(episode.task, state)))


async def _judged(player: _Player, state: dict[str, Any]) -> tuple[Judgement, str]:
    """The judgement of a state, and the digest of its artifact."""
    episode = player.episode
    checks = guarded(episode.family.name, "checks", lambda: tuple(episode.checks(state)))
    runs = tuple([await _execute(player.probe, program) for program in checks])

    def judge() -> dict[str, Any]:
        judged = msgspec.convert(msgspec.to_builtins(episode.judge(state, runs)), Judgement)
        artifact = episode.artifact(state, runs)
        return {"success": judged.success, "because": list(judged.because), "artifact": artifact}

    found = await player.recorded("judge", {}, judge, dict)
    return Judgement(found["success"], tuple(found["because"])), found["artifact"]


async def _untrue(player: _Player, state: dict[str, Any], touched: str) -> tuple[Judgement, str]:
    """A state that was changed from outside, or cannot be read any more, is a failure."""
    because = f"{TOUCHED}: {touched}"
    artifact = player.episode.artifact(state) if state else ""

    def judge() -> dict[str, Any]:
        return {"success": False, "because": [because], "artifact": artifact}

    await player.recorded("judge", {}, judge, dict)
    return Judgement(False, (because,)), artifact
