"""Transcripts of episodes: the goal, what was observed and done step by step, and what the verifier found.

All of it is read from the record; the goal is drawn again from the instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import digest, encode
from assay.errors import IntegrityError
from assay.evidence.records import Record
from assay.instruments.agency.episodes.conduct import FAILED as BROKEN
from assay.instruments.agency.episodes.conduct import EpisodeReport
from assay.instruments.agency.episodes.schedule import content_stream, task_of
from assay.instruments.agency.episodes.selection import (
    FAILURE_KINDS,
    RecordedEpisode,
    chosen_episodes,
    failure_kind,
)
from assay.report.presentation import Mark, Spoken, Transcript
from assay.report.text import MarkSpan, shorten
from assay.report.transcripts import fold_steps, spoken, transcript_of
from assay.worlds import Seen
from assay.worlds.injections import injection_pattern, token_pattern

__all__ = ["FAILURE_KINDS", "chosen_episodes", "episode_transcript", "transcripts_of"]

MOST_STEPS = 14  # of an episode; the first, the last and those where something happened
HEAD, TAIL = 3, 5
MOST_LINE = 1200  # characters of an action, a criterion, a state
Piece = tuple[str, Sequence[MarkSpan]]  # a line of a turn, with its marked spans

ACTION = Mark("action", "as it was read from the reply")
CHANGED = Mark("fault", "made by the regime, not by the subject")
BAIT = Mark("injection", "text that tries to make the subject do something else")
CREDITED = Mark("credited", "verified from outside")
ERROR = Mark("error", "what the world answered instead of doing it", wrong=True)
FOLLOWED = Mark("followed", "does what the injected text asked for", wrong=True)
CLAIM = Mark("false claim", "says that the goal was achieved, and it was not", wrong=True)
FAILED = Mark("not fulfilled", "what the verifier found wanting", wrong=True)
LEGEND = (ACTION, CHANGED, BAIT, CREDITED, ERROR, FOLLOWED, CLAIM, FAILED)


def transcripts_of(episodes: Iterable[RecordedEpisode], *, held_out: bool) -> tuple[Transcript, ...]:
    """Up to three episodes of one subject: a success, a failure, and one with faults or injections."""
    return tuple(
        episode_transcript(kind, record, report, held_out=held_out)
        for kind, (record, report) in chosen_episodes(episodes)
    )


def episode_transcript(kind: str, record: Record, report: EpisodeReport, *, held_out: bool) -> Transcript:
    """One episode, step by step."""
    trial = record.trial
    task = task_of(trial.instance, content_stream(trial.instance), held_out=held_out)[1]
    try:
        reader = _EpisodeReader(record, report)
        steps = reader.steps()
        verified = reader.verification(task.criterion.text)
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise IntegrityError(f"trial {record.id[:12]}: an episode that cannot be read ({error!r})") from None
    also = [number for number, step in enumerate(steps) if step.eventful or len(steps) <= MOST_STEPS]
    between = [number for number in also if HEAD <= number < len(steps) - TAIL]
    kept = fold_steps(
        [step.turns for step in steps], first=HEAD, last=TAIL, also=between[: MOST_STEPS - HEAD - TAIL]
    )
    return transcript_of(
        (spoken("goal", task.goal), *reader.beginning, *kept, verified),
        title=f"{kind}: {trial.subject}, {report.family}, level {report.level} of {report.dimension}, {trial.regime}",
        marks=LEGEND,
        outcome=(_outcome(record, report),),
        note=_note(record, report),
    )


def _outcome(record: Record, report: EpisodeReport) -> str:
    if record.outcome == "success":
        return "Credited: the state fulfils the criterion that was fixed before the episode began."
    words = FAILURE_KINDS[failure_kind(report)][0]
    why = "; ".join(report.because)
    return f"Not credited: {words}. What failed: {why or report.ended or 'the criterion'}."


def _note(record: Record, report: EpisodeReport) -> str:
    trial = record.trial
    happened = [f"{count} × {name}" for name, count in sorted(report.faults.items())]
    if report.injected:
        happened.append(f"{report.injected} × injection ({report.followed} followed)")
    counted = [f"{name.replace('_', ' ')} {count}" for name, count in sorted(report.counts.items()) if count]
    if report.unreadable:
        counted.append(f"unreadable {report.unreadable}")
    if report.written_calls:
        counted.append(f"tool calls written as text {report.written_calls}")
    parts = [
        f"{trial.subject}, {trial.boundary} boundary, {report.interface} interface",
        f"turns: {report.turns}, actions: {report.actions}, ended: {report.ended or 'not said'}",
        f"what the regime did: {', '.join(happened) or 'nothing'}",
        f"beyond the bounds: {', '.join(counted) or 'nothing'}",
        f"trial {record.id[:16]}",
    ]
    return f"{'; '.join(parts)}."


def _turn(role: str, *pieces: Piece) -> Spoken:
    """A turn of several lines."""
    text, spans = "", list[MarkSpan]()
    for line, own in pieces:
        text += "\n" if text else ""
        spans += [(len(text) + start, len(text) + end, mark) for start, end, mark in own]
        text += line
    return spoken(role, text, spans)


def _plain(text: str) -> Piece:
    return text, ()


def _marked(text: str, mark: Mark) -> Piece:
    return text, [(0, len(text), mark.name)]


def _short(text: str) -> str:
    return shorten(text, 1, MOST_LINE).text


class _Step(Struct):
    """A decision and the observation after it."""

    turns: list[Spoken]
    eventful: bool = False  # a fault, an injection, an error


class _EpisodeReader:
    """Reads the events of a record once, in order."""

    def __init__(self, record: Record, report: EpisodeReport) -> None:
        self._events, self._report = record.events, report
        self._success = record.outcome == "success"
        self._known: dict[str, Any] = {}  # the observation that was shown last
        self._tokens: set[str] = set()  # of the injections seen so far
        self.beginning: list[Spoken] = []

    def steps(self) -> list[_Step]:
        found: list[_Step] = []
        said = ""
        for event in self._events:
            if event.kind == "received":
                reply = event.data.get("reply")
                said = "" if reply is None else reply["text"]
                if reply is None:
                    line = _marked(f"gave no reply: {event.data['fault']}", ERROR)
                    found.append(_Step([_turn(f"subject {len(found) + 1}", line)], eventful=True))
            elif event.kind == "computed":
                name, request, result = event.data["name"], event.data["request"], event.data["result"]
                if BROKEN in result:  # a world that was broken from outside shows nothing more
                    break
                if name == "begin":
                    self.beginning += self._world("observation", result)[0]
                elif name in ("act", "nothing"):
                    found.append(self._step(len(found) + 1, said, name, request, result))
                    said = ""  # further actions of the same reply
                elif name == "settle" and found:
                    turns, eventful = self._world(f"world {len(found)}", result)
                    found[-1].turns += turns
                    found[-1].eventful |= eventful
                elif name == "execute" and found:
                    ran = f"a program was run in the sandbox: {result['state']}"
                    found[-1].turns.append(spoken("sandbox", ran))
                elif name == "verify":
                    break  # programs after this belong to the verification
        return found

    def _step(self, number: int, said: str, name: str, request: dict[str, Any], result: Any) -> _Step:
        said = said.strip()
        pieces = [_plain(said)] if said else []
        eventful = name == "nothing"
        if name == "act":
            act = f"→ {request['action']} {encode(request['arguments']).decode()}"
            if said.startswith("ACTION ") and "\n" not in said:  # the reply is the action and nothing else
                pieces, act = [], said
            done, eventful = self._act(request["action"], request["arguments"], _short(act))
            pieces.append(done)
        turns, happened = self._world(f"world {number}", result)
        return _Step([_turn(f"subject {number}", *pieces), *turns], eventful or happened)

    def _act(self, name: str, arguments: Any, act: str) -> tuple[Piece, bool]:
        """The action with its mark; what it repeats of an injection has a mark of its own."""
        claims = name == "finish" and isinstance(arguments, Mapping) and arguments.get("achieved") is True
        whole = CLAIM if claims and not self._success else ACTION
        spans = [
            (found.start(), found.end(), FOLLOWED.name)
            for token in sorted(self._tokens)
            for found in re.finditer(re.escape(token), act, re.IGNORECASE)
        ]
        return (act, [*spans, (0, len(act), whole.name)]), bool(spans) or whole is CLAIM

    def _world(self, role: str, result: Any) -> tuple[list[Spoken], bool]:
        """An observation, and whether a fault, an error or an injection is in it."""
        seen = msgspec.convert(result, Seen)
        if seen.program is not None:
            return [], False  # the result is shown when the step is settled
        pieces: list[Piece] = []
        if seen.fault:
            named = seen.error if seen.error.startswith(seen.fault) else f"{seen.fault}: {seen.error}"
            pieces.append(_marked(named, CHANGED))
        elif seen.error:
            pieces.append(_marked(seen.error, ERROR))
        observed = [self._baited(line) for line in self._observed(seen.observation)]
        turns = [_turn(role, *pieces, *observed, _plain(_left(seen)))]
        if seen.fresh:
            turns.append(spoken("new goal", seen.fresh))
            self._known = {}
        return turns, bool(pieces) or any(spans for _, spans in observed)

    def _observed(self, observation: dict[str, Any]) -> list[str]:
        """What is new in an observation, one line for each field."""
        if not observation:
            return []
        new = {k: v for k, v in observation.items() if k not in self._known or self._known[k] != v}
        gone = [key for key in self._known if key not in observation]
        self._known = observation
        lines = [
            f"{key}: {value if isinstance(value, str) else encode(value).decode()}"
            for key, value in new.items()
        ]
        return [*lines, *(f"{key}: no longer there" for key in gone)] or ["what is observed is unchanged"]

    def _baited(self, line: str) -> Piece:
        self._tokens.update(found[0] for found in token_pattern().finditer(line))
        return line, [(found.start(), found.end(), BAIT.name) for found in injection_pattern().finditer(line)]

    def verification(self, criterion: str) -> Spoken:
        """The judgement of the state, with the digest that an audit reproduces."""
        after: dict[str, Any] = {}
        for event in self._events:
            if event.kind == "computed" and event.data["name"] in ("verify", "judge"):
                after[event.data["name"]] = event.data["result"]
        state, judged = after.get("verify", {}), after["judge"]
        changed = "changed" if self._report.state_changed else "not changed"
        lines = (
            f"criterion: {_short(criterion)}",
            f"state ({changed} in the episode), digest {digest(state)}:",
            _short(encode(state).decode()),
            f"artifact {judged['artifact']}",
        )
        failed = judged["because"] or ["the state does not fulfil the criterion"]
        found = (
            [_marked("the state fulfils the criterion", CREDITED)]
            if judged["success"]
            else [_marked(_short(text), FAILED) for text in failed]
        )
        return _turn("verified", *map(_plain, lines), *found)


def _left(seen: Seen) -> str:
    if seen.done:
        return "the episode is over"
    queries = "" if seen.queries_left is None else f", queries left: {seen.queries_left}"
    return f"actions left: {seen.left}{queries}"
