"""The episode viewer: what was to be brought about, what was seen and done step by step, and what the verifier found.

Everything is read from the record: the goal is drawn anew from the instance, the rest is what went through the probe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import digest, encode
from assay.errors import IntegrityError
from assay.evidence.records import Record
from assay.report.presentation import Mark, Spoken, Transcript, mark_text
from assay.worlds import Seen
from assay.worlds.noise import texts

from .choosing import FALLS, Episode, chosen_episodes, fall_of
from .conduct import FAILED as BROKEN
from .conduct import Report
from .schedule import content_stream, task_of

__all__ = ["FALLS", "chosen_episodes", "episode_transcript", "transcripts_of"]

MOST_STEPS = 14  # of an episode; the first, the last and those where something happened
HEAD, TAIL = 3, 5
MOST_LINE = 1200  # characters of one value
MOST_SAID = 4000  # of one reply
MOST_AGAIN = 500  # where it was shown before, and has changed
Spans = list[tuple[int, int, str]]

ACTION = Mark("action", "as it was read from the reply")
CHANGED = Mark("fault", "made by the regime, not by the subject")
BAIT = Mark("injection", "text that wants to take over")
CREDITED = Mark("credited", "verified from outside")
ERROR = Mark("error", "what the world answered instead of doing it", wrong=True)
FOLLOWED = Mark("followed", "does what the injected text asked for", wrong=True)
CLAIM = Mark("false claim", "says that the goal was achieved, and it was not", wrong=True)
FAILED = Mark("not fulfilled", "what the verifier found wanting", wrong=True)
LEGEND = (ACTION, CHANGED, BAIT, CREDITED, ERROR, FOLLOWED, CLAIM, FAILED)

# Which episodes.


def transcripts_of(episodes: Iterable[Episode], *, held_out: bool) -> tuple[Transcript, ...]:
    """Up to three episodes of one subject: a success, a failure, and one with faults or injections."""
    return tuple(
        episode_transcript(kind, record, report, held_out=held_out)
        for kind, (record, report) in chosen_episodes(episodes)
    )


# One episode.


class _Step(Struct, kw_only=True):
    """A decision and what was seen of it."""

    number: int
    turns: list[Spoken]
    telling: bool = False  # a fault, an injection, an error


def episode_transcript(kind: str, record: Record, report: Report, *, held_out: bool) -> Transcript:
    """One episode, step by step."""
    trial = record.trial
    task = task_of(trial.instance, content_stream(trial.instance), held_out=held_out)[1]
    try:
        teller = _Teller(record, report)
        steps = teller.steps()
        verified = teller.verification(task.criterion.text)
    except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise IntegrityError(f"trial {record.id[:12]}: an episode that cannot be read ({error!r})") from None
    turns = (Spoken("goal", ((task.goal, ""),)), *teller.beginning, *_kept(steps), verified)
    used = {mark for spoken in turns for _, mark in spoken.parts}
    return Transcript(
        title=f"{kind}: {trial.subject}, {report.family}, level {report.level} of {report.dimension}, {trial.regime}",
        turns=turns,
        marks=tuple(mark for mark in LEGEND if mark.name in used),
        outcome=(_outcome(record, report),),
        note=_note(record, report),
    )


def _outcome(record: Record, report: Report) -> str:
    if record.outcome == "success":
        return "Credited: the state fulfils the criterion that was fixed before the episode began."
    words = FALLS[fall_of(report)][0]
    why = "; ".join(report.because)
    return f"Not credited: {words}. What failed: {why or report.ended or 'the criterion'}."


def _note(record: Record, report: Report) -> str:
    trial = record.trial
    happened = [f"{count} × {name}" for name, count in sorted(report.faults.items())]
    if report.injected:
        happened.append(f"{report.injected} × injection ({report.followed} followed)")
    counted = [f"{name.replace('_', ' ')} {count}" for name, count in sorted(report.counts.items()) if count]
    if report.unreadable:
        counted.append(f"unreadable {report.unreadable}")
    parts = [
        f"{trial.subject}, {trial.boundary} boundary, {report.interface} interface",
        f"turns: {report.turns}, actions: {report.actions}, ended: {report.ended or 'not said'}",
        f"what the regime did: {', '.join(happened) or 'nothing'}",
        f"beyond the bounds: {', '.join(counted) or 'nothing'}",
        f"trial {record.id[:16]}",
    ]
    return f"{'; '.join(parts)}."


def _kept(steps: Sequence[_Step]) -> Iterator[Spoken]:
    """The steps that are shown, and how many are not."""
    last = len(steps)
    kept = {step.number for step in steps}
    if last > MOST_STEPS:
        kept = {*range(1, HEAD + 1), *range(last - TAIL + 1, last + 1)}
        telling = [step.number for step in steps if step.telling and step.number not in kept]
        kept.update(telling[: MOST_STEPS - HEAD - TAIL])
    left = 0
    for step in steps:
        if step.number not in kept:
            left += 1
            continue
        if left:
            yield Spoken("…", ((f"{left} {'step is' if left == 1 else 'steps are'} not shown", ""),))
            left = 0
        yield from step.turns


class _Teller:
    """Goes through the events of a record once, in order."""

    def __init__(self, record: Record, report: Report) -> None:
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
                said = f"gave no reply: {event.data['fault']}" if reply is None else reply["text"]
                if reply is None:
                    found.append(
                        _Step(number=len(found) + 1, turns=[_plain(len(found) + 1, said)], telling=True)
                    )
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
                    turns, telling = self._world(f"world {found[-1].number}", result)
                    found[-1].turns += turns
                    found[-1].telling |= telling
                elif name == "execute" and found:
                    ran = f"a program was run in the sandbox: {result['state']}"
                    found[-1].turns.append(Spoken("sandbox", ((ran, ""),)))
                elif name == "verify":
                    break  # programs after this belong to the verification
        return found

    def _step(self, number: int, said: str, name: str, request: dict[str, Any], result: Any) -> _Step:
        said = _cut(said.strip(), MOST_SAID)
        parts: list[tuple[str, str]] = [(said, "")] if said else []
        telling = name == "nothing"
        if name == "act":
            act = f"→ {request['action']} {encode(request['arguments']).decode()}"
            if said.startswith("ACTION ") and "\n" not in said:  # the reply is the action and nothing else
                parts, act = [], said
            done, telling = self._act(request["action"], request["arguments"], _cut(act, MOST_LINE))
            parts += [("\n", ""), *done] if parts else done
        turns, seen = self._world(f"world {number}", result)
        return _Step(
            number=number, turns=[Spoken(f"subject {number}", tuple(parts)), *turns], telling=telling or seen
        )

    def _act(self, name: str, arguments: Any, act: str) -> tuple[list[tuple[str, str]], bool]:
        """The action with its mark; what it repeats of an injection stands out."""
        claims = name == "finish" and isinstance(arguments, Mapping) and arguments.get("achieved") is True
        whole = CLAIM if claims and not self._success else ACTION
        spans: Spans = [
            (found.start(), found.end(), FOLLOWED.name)
            for token in sorted(self._tokens)
            for found in re.finditer(re.escape(token), act, re.IGNORECASE)
        ]
        return [*mark_text(act, [*spans, (0, len(act), whole.name)])], bool(spans) or whole is CLAIM

    def _world(self, role: str, result: Any) -> tuple[list[Spoken], bool]:
        """What the world let be seen, and whether something happened in it."""
        seen = msgspec.convert(result, Seen)
        if seen.program is not None:
            return [], False  # what came of it is told when it is settled
        parts: list[tuple[str, str]] = []
        if seen.fault:
            named = seen.error if seen.error.startswith(seen.fault) else f"{seen.fault}: {seen.error}"
            parts.append((f"{named}\n", CHANGED.name))
        elif seen.error:
            parts.append((f"{seen.error}\n", ERROR.name))
        told, baited = self._observed(seen.observation)
        parts += told
        parts.append((_left(seen), ""))
        turns = [Spoken(role, tuple(part for part in parts if part[0]))]
        if seen.fresh:
            turns.append(Spoken("new goal", ((seen.fresh, ""),)))
            self._known = {}
        return turns, bool(seen.fault or seen.error or baited)

    def _observed(self, observation: dict[str, Any]) -> tuple[list[tuple[str, str]], bool]:
        """What is new in an observation, a line a field."""
        if not observation:
            return [], False
        new = {k: v for k, v in observation.items() if k not in self._known or self._known[k] != v}
        gone = [key for key in self._known if key not in observation]
        most = MOST_AGAIN if self._known else MOST_LINE
        self._known = observation
        lines = [
            f"{key}: {value if isinstance(value, str) else encode(value).decode()}"
            for key, value in new.items()
        ]
        lines += [f"{key}: no longer there" for key in gone]
        parts: list[tuple[str, str]] = []
        baited = False
        for line in lines:
            spans = [(found.start(), found.end(), BAIT.name) for found in _injections().finditer(line)]
            self._tokens.update(found[0] for found in _tokens().finditer(line))
            baited = baited or bool(spans)
            short = _cut(line, most, spans)
            again = [(found.start(), found.end(), BAIT.name) for found in _injections().finditer(short)]
            parts += [*mark_text(short, again), ("\n", "")]
        return parts or [("what is observed is unchanged\n", "")], baited

    def verification(self, criterion: str) -> Spoken:
        """The verdict on the state, with the digest that an audit finds again."""
        after: dict[str, Any] = {}
        for event in self._events:
            if event.kind == "computed" and event.data["name"] in ("verify", "judge"):
                after[event.data["name"]] = event.data["result"]
        state, judged = after.get("verify", {}), after["judge"]
        changed = "changed" if self._report.state_changed else "not changed"
        head = (
            f"criterion: {_cut(criterion, MOST_LINE)}\nstate ({changed} in the episode), digest {digest(state)}:\n"
            f"{_cut(encode(state).decode(), MOST_LINE)}\nartifact {judged['artifact']}\n"
        )
        if judged["success"]:
            return Spoken("verified", ((head, ""), ("the state fulfils the criterion", CREDITED.name)))
        failed = [_cut(text, MOST_LINE) for text in judged["because"]] or [
            "the state does not fulfil the criterion"
        ]
        marked = [part for text in failed for part in ((text, FAILED.name), ("\n", ""))]
        return Spoken("verified", ((head, ""), *marked[:-1]))


def _plain(number: int, text: str) -> Spoken:
    return Spoken(f"subject {number}", ((text, ERROR.name),))


def _left(seen: Seen) -> str:
    if seen.done:
        return "the episode is over"
    queries = "" if seen.queries_left is None else f", queries left: {seen.queries_left}"
    return f"actions left: {seen.left}{queries}"


def _cut(text: str, most: int, spans: Sequence[tuple[int, int, str]] = ()) -> str:
    """A long text by its beginning, its end, and the marked stretches, which are always kept whole."""
    if len(text) <= most:
        return text
    head, tail = most // 2, len(text) - most // 4
    for start, end, _ in spans:
        head = end if start < head < end else head
        tail = start if start < tail < end else tail
    between = [text[start:end] for start, end, _ in spans if head <= start and end <= tail]
    parts = [text[:head], *between, text[tail:]]
    return f"{' … '.join(part for part in parts if part)} ({len(text):,} characters in all)"


@cache
def _tokens() -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, texts()['tokens']))})-\d{{4}}")


@cache
def _injections() -> re.Pattern[str]:
    """Every wording of adversarial text, whatever its token."""
    wordings = (re.escape(text).replace("TOKEN", _tokens().pattern) for text in texts()["injections"])
    return re.compile("|".join(wordings))
