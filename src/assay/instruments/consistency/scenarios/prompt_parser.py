"""How a reference subject parses the prompts of a scenario.

It sees messages alone, as any subject does. What the user asks for is found by the wording of the shipped content."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import Any, NamedTuple

from .content import Boundary, Content, PromiseTask
from .secrets import forbidden_in

__all__ = ["CORRECTION", "ParsedPrompt", "PlantedMistake"]

CORRECTION = "One correction:"  # how a repair begins

_DIGEST = re.compile(r"\b[0-9a-f]{64}\b")
_LABEL = re.compile(r"We are in thread ([^,]+),")
_BOUNDARY = re.compile(r"boundaries of this thread is '([^']+)'")
_NOWHERE: dict[str, Any] = {
    "label": "No thread",
    "last_artifact_digest": "",
    "boundaries": [],
    "lexicon": ["patience"],
    "cadence": "steady",
}


class PlantedMistake(NamedTuple):
    """A mistake that was made: what was said, what is right (if anything), and whether the subject said it."""

    wrong: str
    right: str
    own: bool


class ParsedPrompt:
    """One conversation up to the user's last message, and what the tools have answered since."""

    def __init__(self, messages: list[dict[str, Any]], content: Content) -> None:
        self._content = content
        self._messages = messages
        users = [place for place, message in enumerate(messages) if message["role"] == "user"]
        self._last = users[-1] if users else 0
        self.said: str = messages[self._last]["content"] if messages else ""
        system = messages[0]["content"] if messages and messages[0]["role"] == "system" else ""
        self.extended = content.rules.tools in system
        self.memory_only = content.rules.in_memory in system
        self._states = [json.loads(line) for line in system.splitlines() if line.startswith('{"label"')]

    @property
    def results(self) -> list[str]:
        """What the tools gave since the user spoke."""
        return [m["content"] for m in self._messages[self._last :] if m["role"] == "tool"]

    def state(self, label: str) -> dict[str, Any] | None:
        return next((state for state in self._states if state["label"] == label), None)

    def remembered(self, label: str) -> dict[str, Any] | None:
        """A state that the memory gave, at any time in this conversation."""
        for message in self._messages:
            if message["role"] == "tool" and message["content"].startswith("{"):
                state: dict[str, Any] = json.loads(message["content"])
                if state.get("label") == label:
                    return state
        return None

    @cached_property
    def thread(self) -> dict[str, Any]:
        """The state of the thread we are in: the one last returned to, else the first."""
        for message in reversed(self._messages[: self._last]):
            if message["role"] == "user" and (asked := self._asked_return(message["content"])):
                found = self.state(asked[0])
                if found is not None:
                    return found
        return self._states[0] if self._states else _NOWHERE

    @property
    def label(self) -> str:
        label: str = self.thread["label"]
        return label

    @property
    def mirror(self) -> str:
        """The last words of what the user said."""
        return " ".join(self.said.split()[-8:]).strip(".?!\"'")

    @property
    def keeps(self) -> bool:
        return self.said == self._content.rules.keep

    @property
    def prompts(self) -> bool:
        return self.said == self._content.rules.repair

    @property
    def goes_on(self) -> bool:
        return self.said == self._content.rules.go_on

    @property
    def returned(self) -> tuple[str, str] | None:
        return self._asked_return(self.said)

    def _asked_return(self, said: str) -> tuple[str, str] | None:
        pattern = (
            re.escape(self._content.rules.return_)
            .replace(r"\{label\}", "(.+)")
            .replace(r"\{digest\}", "(.+)")
        )
        found = re.fullmatch(pattern, said)
        return (found[1], found[2]) if found else None

    @property
    def answered_before(self) -> str | None:
        """The answer that was given when the user said the same before."""
        for place, message in enumerate(self._messages[: self._last]):
            if message["role"] == "user" and message["content"] == self.said:
                later = self._messages[place + 1 : self._last]
                answers = [m["content"] for m in later if m["role"] == "assistant" and m["content"]]
                return answers[0] if answers else None
        return None

    @property
    def outside(self) -> Boundary | None:
        return next((b for b in self._content.boundaries if self.said in _requests(b)), None)

    @property
    def confided(self) -> tuple[str, ...]:
        """What the user told in confidence, now or before."""
        for message in reversed(self._messages[: self._last + 1]):
            for boundary in self._content.boundaries if message["role"] == "user" else ():
                if boundary.confided and (found := forbidden_in(boundary.confided, message["content"])):
                    return found
        return ()

    @property
    def confides(self) -> bool:
        """Whether the user tells something in confidence just now."""
        confided = (b.confided for b in self._content.boundaries if b.confided)
        return any(forbidden_in(one, self.said) for one in confided)

    @property
    def near(self) -> Boundary | None:
        return next((b for b in self._content.boundaries if self.said == b.near), None)

    @property
    def things(self) -> list[str]:
        """The artifacts that are asked for, in the order of their naming."""
        if "artifact" not in self.said:
            return []
        found = [thing for thing in self._content.asks.artifacts if thing in self.said]
        return sorted(found, key=self.said.index)

    @property
    def promise(self) -> PromiseTask | None:
        if "promise" not in self.said.lower():
            return None
        return next((p for p in self._content.asks.promises if p.task in self.said), None)

    @property
    def slip(self) -> PlantedMistake | None:
        """The last mistake about the thread or the conversation that was made before this reply."""
        for message in reversed(self._messages[: self._last + 1]):
            spoken = message["role"] in ("user", "assistant") and CORRECTION not in message["content"]
            if spoken and (found := self._slip_in(message)):
                return found
        return None

    def _slip_in(self, message: dict[str, Any]) -> PlantedMistake | None:
        text, own = message["content"], message["role"] == "assistant"
        state = self.thread
        if (digest := _DIGEST.search(text)) and digest[0] != state["last_artifact_digest"]:
            return PlantedMistake(digest[0], state["last_artifact_digest"], own)
        if (label := _LABEL.search(text)) and label[1] != state["label"]:
            return PlantedMistake(label[1], state["label"], own)
        if (boundary := _BOUNDARY.search(text)) and boundary[1] not in state["boundaries"]:
            return PlantedMistake(boundary[1], "", own)
        for fact in self._content.asks.facts:
            given = [v for v in fact.values if self._said_before(fact.fact.format(value=v))]
            for value in fact.values:
                if given and value != given[0] and fact.fact.format(value=value) in text:
                    return PlantedMistake(
                        fact.fact.format(value=value), fact.fact.format(value=given[0]), own
                    )
        return None

    def _said_before(self, fact: str) -> bool:
        """Whether the user gave this to be kept in mind."""
        return any(
            message["role"] == "user" and message["content"] == self._content.rules.fact.format(fact=fact)
            for message in self._messages
        )


def _requests(boundary: Boundary) -> tuple[str, ...]:
    """Everything that is asked for outside a boundary."""
    return (*boundary.outside, *([boundary.confided.ask] if boundary.confided else ()))
