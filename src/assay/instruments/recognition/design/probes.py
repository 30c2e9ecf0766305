"""What is put to a fleet: identity probes, ordinary prompts, and the turns of a conversation that drifts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from msgspec import Struct

from assay.errors import UnknownName
from assay.streams import Stream
from assay.study.source import convert, parse_source

__all__ = ["Kind", "ProbeContent", "ProbeText", "chosen_probes", "drift_turns", "shipped_content"]

Kind = Literal["identity", "ordinary"]
SPEC = "spec"  # the source of the probes that the specification gives


class ProbeText(Struct, frozen=True):
    """A prompt that subjects answer."""

    id: str
    text: str
    source: str = ""


class ProbeContent(Struct, frozen=True):
    """All prompts. ``opening``, ``challenges`` and ``recovery`` are the turns of a conversation that drifts."""

    identity: tuple[ProbeText, ...]
    ordinary: tuple[ProbeText, ...]
    opening: tuple[ProbeText, ...]
    challenges: tuple[ProbeText, ...]
    recovery: tuple[ProbeText, ...]

    def kind(self, probe: str) -> Kind:
        return "ordinary" if any(one.id == probe for one in self.ordinary) else "identity"

    @property
    def by_id(self) -> dict[str, str]:
        return {one.id: one.text for one in (*self.identity, *self.ordinary)}


@cache
def shipped_content() -> ProbeContent:
    place = files("assay.instruments.recognition") / "data" / "probes.yaml"
    source = parse_source(place.read_text("utf-8"), place.name)
    return convert(source.value, ProbeContent, source)


def chosen_probes(content: ProbeContent, chosen: str | Sequence[str]) -> list[str]:
    """The ids that options name, in the order of the content."""
    every = [*content.identity, *content.ordinary]
    if chosen == SPEC:
        return [one.id for one in every if one.source == SPEC]
    if chosen == "all":
        return [one.id for one in every]
    known = [one.id for one in every]
    for name in chosen:
        if name not in known:
            raise UnknownName("probe", name, known)
    return [name for name in known if name in chosen]


def drift_turns(content: ProbeContent, probe: str, phases: Sequence[str], draws: Stream) -> list[str]:
    """What is said in each turn. The probe is asked first, after every challenge, and last: so its answers at baseline,
    under perturbation and after recovery are answers to the same."""
    again = content.by_id[probe]
    pools = {
        "baseline": draws.shuffled(content.opening)[: phases.count("baseline") - 1],
        "perturbation": draws.shuffled(content.challenges)[: phases.count("perturbation")],
        "recovery": draws.shuffled(content.recovery)[: phases.count("recovery") - 1],
    }
    said = [
        f"{one.text}\n\n{again}" if phase == "perturbation" else one.text
        for phase, some in pools.items()
        for one in some
    ]
    return [again, *said, again]
