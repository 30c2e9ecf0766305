"""Subjects of known truth for learning. Each really learns from what it was shown, or in a known way does not.

A learner reads its earlier episodes, or its notes, from the messages. It takes examples from them, as any subject
could, and plays by the family's own player with the declared probability; otherwise it guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import msgspec

from assay.canonical import sha256_hex
from assay.instruments.agency.episodes.players import read_actions, read_seen, unclaimed
from assay.streams import Stream
from assay.vocabulary import Reply, ToolCall
from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.learning import LEVEL_OF, learning_families, learning_family

from .conduct import KEPT, NOTES

__all__ = ["LEARNERS", "Learner", "is_learning"]

Manner = Literal["learns", "memorises", "within", "forgets", "never"]
_OPENING = re.compile(r"^Case: (\w+)\nGoal: (.*?)\nActions allowed: (\d+)", re.DOTALL | re.MULTILINE)
_QUERIES = re.compile(r"Queries allowed: (\d+)")
_ASKED = NOTES.partition("{")[0]
_NOTED = KEPT.partition("{")[0]


class _Told(NamedTuple):
    """An episode as a learner reads it from the conversation."""

    brief: Brief
    seen: list[Seen]
    feedback: list[str]

    @property
    def first(self) -> Any:
        return self.seen[0].observation if self.seen else None


class Learner:
    """``after`` is the probability with which it plays by its examples; ``manner`` is what it keeps of them."""

    def __init__(self, about: str, manner: Manner = "learns", *, after: float = 1.0) -> None:
        self.about, self.manner, self.after = about, manner, after

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str | Reply:
        return self.answer_with_tools(messages, (), stream)

    def answer_with_tools(
        self, messages: list[dict[str, Any]], tools: Sequence[dict[str, Any]], stream: Stream
    ) -> str | Reply:
        notes, episodes = _read(messages, tools)
        if not episodes:
            return "I learn in worlds, and this is none."
        now = episodes[-1]
        if messages[-1]["role"] == "user" and _ASKED in messages[-1]["content"]:
            return self._notes(notes, now)
        act = self._act(notes, episodes[:-1], now)
        arguments = msgspec.json.encode(act.arguments).decode()
        if "ACTION name" in messages[0]["content"]:
            return f"ACTION {act.name} {arguments}"
        return Reply("", (ToolCall(f"call{len(messages)}", act.name, arguments),))

    def _act(self, notes: list[dict[str, Any]], earlier: list[_Told], now: _Told) -> Act:
        draws = Stream("learner", self.about, sha256_hex(msgspec.json.encode([now.brief.goal, now.first])))
        known = [one for one in (*notes, *map(_kept, earlier)) if self._uses(one, now)]
        if self.manner == "forgets" and known:
            known = [one for one in known if one["family"] == known[-1]["family"]]
        mine = [one["example"] for one in known if one["family"] == now.brief.family]
        if draws.random() >= self.after:
            mine = []
        policy: Policy = learning_family(now.brief.family).player(now.brief, mine, draws)
        act = Act("look", {})
        for one in now.seen:
            act = policy.decide(one)
        return unclaimed(act)  # how well it has done only the feedback tells

    def _uses(self, one: dict[str, Any], now: _Told) -> bool:
        if self.manner in ("memorises", "within"):
            return bool(one["first"] == _digest(now.first))
        return self.manner != "never"

    def _notes(self, notes: list[dict[str, Any]], now: _Told) -> str:
        if self.manner in ("within", "never"):
            return "nothing"
        known = [*notes, _kept(now)]
        if self.manner == "forgets":
            known = [one for one in known if one["family"] == now.brief.family]
        return msgspec.json.encode(known).decode()


def _kept(told: _Told) -> dict[str, Any]:
    family = learning_family(told.brief.family)
    return {
        "family": told.brief.family,
        "first": _digest(told.first),
        "example": family.example(told.brief, told.seen, "\n".join(told.feedback)),
    }


def _digest(observation: Any) -> str:
    return sha256_hex(msgspec.json.encode(observation, order="sorted"))[:12]


def _read(
    messages: list[dict[str, Any]], tools: Sequence[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[_Told]]:
    """The notes that were shown, and the episodes of a conversation in their order, the present one last."""
    system = next((m["content"] for m in messages if m["role"] == "system"), "")
    actions = read_actions(system, tools)
    notes: list[dict[str, Any]] = []
    episodes: list[_Told] = []
    for message in messages:
        if message["role"] not in ("user", "tool"):
            continue
        before, opened = _parted(message["content"])
        if _NOTED in before:
            notes = _noted(before.partition(_NOTED)[2].strip())
        elif before and episodes:
            episodes[-1].feedback.append(before)
            episodes[-1].seen.append(read_seen(before, episodes[-1].brief.most))
        if opened:
            found = _OPENING.search(opened)
            assert found is not None
            queries = _QUERIES.search(opened)
            family, level = _case_of(found[1], found[2])
            brief = Brief(
                family=family,
                level=level,
                goal=found[2],
                observation={},
                actions=actions,
                most=int(found[3]),
                queries=int(queries[1]) if queries else None,
            )
            episodes.append(_Told(brief, [read_seen(opened, brief.most)], []))
    return notes, episodes


def _parted(content: str) -> tuple[str, str]:
    """What stands before an episode's opening, and from there on."""
    found = _OPENING.search(content)
    return (content[: found.start()], content[found.start() :]) if found else (content, "")


def _noted(text: str) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return []
    return found


def is_learning(messages: list[dict[str, Any]]) -> bool:
    """Whether these messages are of an episode in which something can be learnt."""
    found = (_OPENING.search(m["content"]) for m in messages if m["role"] == "user")
    opened = next((one for one in found if one), None)
    if opened is None:
        return any(_NOTED in m["content"] for m in messages)
    try:
        return bool(_case_of(opened[1], opened[2]))
    except LookupError:
        return False


@lru_cache(maxsize=4096)
def _case_of(code: str, goal: str) -> tuple[str, int]:
    """The family and level of a case, found by trying all there are."""
    for name in learning_families():
        for level in set(LEVEL_OF.values()):
            brief = Brief(
                family=name, level=level, goal=goal, observation={}, actions=(), most=0, queries=None
            )
            if brief.code == code:
                return name, level
    raise LookupError(f"case {code} is of no family that is installed")


LEARNERS: dict[str, Learner] = {
    "learner": Learner("learns all there is to learn from practice"),
    "learner_60": Learner("uses what it has learnt in 60 of 100 episodes", after=0.6),
    "memoriser": Learner("knows again what it has met word for word, and nothing else", "memorises"),
    "within": Learner("learns within an episode, and keeps nothing of it", "within"),
    "overwriting": Learner("learns, and forgets the old task over the new one", "forgets"),
    "unteachable": Learner("learns nothing", "never"),
}
