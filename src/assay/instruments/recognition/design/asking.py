"""How one trial is conducted: what is shown, what is asked, and what the reply is read as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from assay.bench import Probe
from assay.bench.worker_thread import read_text
from assay.instruments.recognition.options import RecognitionOptions
from assay.instruments.recognition.signature import sign
from assay.measuring.blinding import blind, match_lengths
from assay.measuring.layouts import layout_of
from assay.vocabulary import Message, Outcome, Trial

from .fleet import Origin
from .probes import ProbeContent, drift_turns
from .prompts import (
    QUESTIONS,
    UNKNOWN,
    characteristics_prompt,
    collection_prompt,
    forge_prompt,
    forward_prompt,
    inverse_prompt,
    lineup_prompt,
)
from .replies import (
    ChoiceReply,
    characteristics_of,
    read_characteristics,
    read_estimates,
    read_lineup_reply,
    read_source_reply,
    terciles_of,
)
from .schedule import sources_of
from .texts import FLEET

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
        await getattr(self, f"_{trial.stage}")(trial, probe)  # every stage has its method

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
        return shown_text(text, tuple(self.names), self.options.most_characters, redacted=self.options.redact)

    async def _lineup(self, trial: Trial, probe: Probe) -> None:
        whole = [self._ready(one.text) for one in self._shown(trial, probe)]
        texts = match_lengths(whole, self.options.length_tolerance)
        k = len(texts)
        layout = layout_of([str(place) for place in range(k)], int(trial.factors["rotation"]))
        shown = [texts[int(place)] for place in layout.options]
        question = next(one for one in QUESTIONS if one == trial.factors["question"])
        prompt = lineup_prompt(
            question, self.content.by_id[_named(trial)], shown, redacted=self.options.redact
        )
        reply = await probe.ask([Message("user", prompt)])
        found = await read_text(reply.text, lambda text: read_lineup_reply(text, k))
        own = layout.options.index("0") + 1
        cut = sum(map(len, whole)) - sum(map(len, texts))
        can_fail = question != "best" and trial.factors["target"] == trial.subject
        lengths = [len(text) for text in shown]
        _conclude_choice(probe, found, k, own, can_fail=can_fail, lengths=lengths, cut=cut)

    async def _inverse(self, trial: Trial, probe: Probe) -> None:
        shown = self._shown(trial, probe)[0]
        source = self.origins[shown.author].maker
        sources = sources_of(self.origins, trial.instance.repetition, source, trial.instance.seed)
        reply = await probe.ask([Message("user", inverse_prompt(self._signed(shown.text), sources))])
        found = await read_text(reply.text, lambda text: read_source_reply(text, [*sources, UNKNOWN]))
        own = sources.index(source) + 1
        _conclude_choice(probe, found, len(sources) + 1, own, sources=sources)

    async def _forward(self, trial: Trial, probe: Probe) -> None:
        """The estimate is held against the signature of what was shown."""
        text, version = self._ready(self._shown(trial, probe)[0].text), self.options.signature
        reply = await probe.ask([Message("user", forward_prompt(text, version))])
        estimates = await read_text(reply.text, lambda said: read_estimates(said, version))
        vector = self._signed(text)
        found, true = (terciles_of(one, version) for one in (estimates, vector))
        _conclude_several(probe, found, true, estimates=estimates, vector=vector)

    async def _characteristics(self, trial: Trial, probe: Probe) -> None:
        text, words = self._shown(trial, probe)[0].text, int(trial.factors["words"])
        reply = await probe.ask([Message("user", characteristics_prompt(self._signed(text), words))])
        found = await read_text(reply.text, read_characteristics)
        _conclude_several(probe, found, characteristics_of(text, words))

    def _signed(self, text: str) -> list[float]:
        return [float(one) for one in sign([text], self.options.signature)[0]]


@lru_cache(maxsize=512)
def shown_text(text: str, names: tuple[str, ...], most: int, *, redacted: bool) -> str:
    """A text as it is shown: without names, and no longer than declared. What is far beyond is not looked at."""
    begin = text.strip()[: 2 * most]
    return (blind(begin, names).text if redacted else begin).strip()[:most].rstrip()


def _named(trial: Trial) -> str:
    """The probe that a trial is about."""
    return trial.instance.item.partition("/")[2]


def _conclude(probe: Probe, right: bool | None, path: str, report: dict[str, Any]) -> None:
    outcome: Outcome = "unknown" if right is None else "success" if right else "failure"
    probe.conclude(outcome, path if right is None else "", report)


def _conclude_choice(
    probe: Probe, found: ChoiceReply, options: int, own: int, *, can_fail: bool = True, **more: Any
) -> None:
    """Which text is best, and what others take for the target's, has no right answer: to be read is all there is."""
    right = None if found.choice is None else found.choice == own or not can_fail
    read = {"options": options, "own": own, "choice": found.choice, "confidence": found.confidence}
    _conclude(probe, right, found.path, read | more)


def _conclude_several(
    probe: Probe, found: Sequence[int | None], true: Sequence[int | None], **more: Sequence[float | None]
) -> None:
    """One trial, several answers: unknown where none could be read, a success where all are right."""
    right = list(found) == list(true) if any(one is not None for one in found) else None
    _conclude(probe, right, "unread", {"choices": found, "own": true, **more})
