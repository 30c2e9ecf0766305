"""How one trial is conducted: what is shown, what is asked, and what the reply is read as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.bench import Probe
from assay.bench.worker_thread import read_text
from assay.instruments.recognition.options import RecognitionOptions
from assay.instruments.recognition.signature import sign
from assay.measuring.blinding import match_lengths, redact
from assay.measuring.layouts import layout_of
from assay.vocabulary import Message, Outcome, Trial

from .fleet import Origin
from .probes import ProbeContent, drift_turns
from .prompts import (
    QUESTIONS,
    characteristics_prompt,
    collection_prompt,
    forge_prompt,
    forward_prompt,
    inverse_prompt,
    lineup_prompt,
)
from .replies import (
    characteristics_of,
    read_characteristics,
    read_lineup_reply,
    read_terciles,
    true_terciles,
)
from .schedule import CHARACTERISTICS, FORWARD, INVERSE, LINEUP, sources_of
from .texts import COLLECT, DRIFT, FLEET, FORGE

__all__ = ["Conductor"]


class ShownText(NamedTuple):
    probe: str
    author: str
    text: str


class Conductor(NamedTuple):
    """What every trial of a lock needs alike. ``stored`` are texts of the stored fleet by their references."""

    options: RecognitionOptions
    content: ProbeContent
    names: Sequence[str]
    stored: Mapping[str, Mapping[str, Any]]
    origins: Mapping[str, Origin]

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        stages = {
            COLLECT: self._collect,
            DRIFT: self._drift,
            FORGE: self._forge,
            LINEUP: self._lineup,
            INVERSE: self._inverse,
            FORWARD: self._forward,
            CHARACTERISTICS: self._characteristics,
        }
        await stages[trial.stage](trial, probe)

    # Writing.

    async def _collect(self, trial: Trial, probe: Probe) -> None:
        asked = self.content.by_id[_named(trial)]
        await probe.ask([Message("user", collection_prompt(asked, self.options.words))])
        probe.conclude("success")

    async def _drift(self, trial: Trial, probe: Probe) -> None:
        """One conversation; what is said does not depend on the replies."""
        said: list[Message] = []
        for text in drift_turns(self.content, _named(trial), self.options.turns, probe.random("turns")):
            said.append(Message("user", collection_prompt(text, self.options.words)))
            reply = await probe.ask(said)
            said.append(Message("assistant", reply.text))
        probe.conclude("success")

    async def _forge(self, trial: Trial, probe: Probe) -> None:
        shown = [(self.content.by_id[one.probe], self._ready(one.text)) for one in self._shown(trial, probe)]
        prompt = forge_prompt(shown, self.content.by_id[_named(trial)])
        await probe.ask([Message("user", prompt)])
        probe.conclude("success")

    # Judging.

    def _shown(self, trial: Trial, probe: Probe) -> list[ShownText]:
        """The texts that a trial names among its inputs."""
        found = []
        for place, reference in enumerate(trial.inputs):
            if reference.startswith(FLEET):
                row = self.stored[reference]
                found.append(ShownText(row["probe"], row["subject"], row["response"]))
                continue
            record = probe.earlier(reference)
            reply = record.replies[int(trial.factors.get(f"turn_{place}", 0))]
            found.append(ShownText(_named(record.trial), record.trial.subject, reply.text))
        return found

    def _ready(self, text: str) -> str:
        """A text as it is shown: without names, and no longer than declared."""
        shown = redact(text, self.names).text if self.options.redact else text
        return shown.strip()[: self.options.most_characters].rstrip()

    async def _lineup(self, trial: Trial, probe: Probe) -> None:
        whole = [self._ready(one.text) for one in self._shown(trial, probe)]
        texts = match_lengths(whole, self.options.length_tolerance)
        k = len(texts)
        layout = layout_of([str(place) for place in range(k)], int(trial.factors["rotation"]))
        shown = [texts[int(place)] for place in layout.options]
        question = next(one for one in QUESTIONS if one == trial.factors["question"])
        prompt = lineup_prompt(question, self.content.by_id[_named(trial)], shown)
        reply = await probe.ask([Message("user", prompt)])
        found = await read_text(reply.text, lambda text: read_lineup_reply(text, k))
        own = layout.options.index("0") + 1
        _conclude(
            probe,
            None if found.choice is None else found.choice == own,
            found.path,
            {
                "options": k,
                "own": own,
                "choice": found.choice,
                "confidence": found.confidence,
                "lengths": [len(text) for text in shown],
                "cut": sum(map(len, whole)) - sum(map(len, texts)),
            },
        )

    def _signed(self, trial: Trial, probe: Probe) -> tuple[ShownText, list[float]]:
        """The text that a trial is about, and its vector."""
        shown = self._shown(trial, probe)[0]
        return shown, [float(one) for one in sign([shown.text], self.options.signature)[0]]

    async def _inverse(self, trial: Trial, probe: Probe) -> None:
        shown, vector = self._signed(trial, probe)
        sources, source = (
            sources_of(self.origins, trial.instance.repetition),
            self.origins[shown.author].maker,
        )
        reply = await probe.ask([Message("user", inverse_prompt(vector, sources))])
        found = await read_text(reply.text, lambda text: read_lineup_reply(text, len(sources) + 1))
        report = {
            "options": len(sources) + 1,
            "own": sources.index(source) + 1,
            "choice": found.choice,
            "confidence": found.confidence,
            "sources": sources,
        }
        _conclude(probe, None if found.choice is None else found.choice == report["own"], found.path, report)

    async def _forward(self, trial: Trial, probe: Probe) -> None:
        shown, vector = self._signed(trial, probe)
        version = self.options.signature
        reply = await probe.ask([Message("user", forward_prompt(self._ready(shown.text), version))])
        found = await read_text(reply.text, lambda said: read_terciles(said, version))
        _conclude_several(probe, found, true_terciles(vector, version))

    async def _characteristics(self, trial: Trial, probe: Probe) -> None:
        shown, vector = self._signed(trial, probe)
        words = int(trial.factors["words"])
        reply = await probe.ask([Message("user", characteristics_prompt(vector, words))])
        found = await read_text(reply.text, read_characteristics)
        _conclude_several(probe, found, characteristics_of(shown.text, words))


def _named(trial: Trial) -> str:
    """The probe that a trial is about."""
    return trial.instance.item.partition("/")[2]


def _conclude(probe: Probe, right: bool | None, path: str, report: dict[str, Any]) -> None:
    outcome: Outcome = "unknown" if right is None else "success" if right else "failure"
    probe.conclude(outcome, path if right is None else "", report)


def _conclude_several(probe: Probe, found: Sequence[int | None], true: Sequence[int]) -> None:
    """One trial, several answers: unknown where none could be read, a success where all are right."""
    read = any(one is not None for one in found)
    _conclude(probe, list(found) == list(true) if read else None, "unread", {"choices": found, "own": true})
