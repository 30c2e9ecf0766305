"""A fleet: who there is, who can be asked, and what each of them wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.streams import Stream
from assay.study import SubjectSpec

from .probes import Kind, ProbeContent
from .texts import COLLECT, DRIFT, FORGE, CollectedText

__all__ = ["Origin", "SubjectFleet", "names_of", "origins_of", "probe_order"]

SHORTEST_NAME = 3


class Origin(NamedTuple):
    """Where a subject comes from. Without a declared maker it is its own maker."""

    maker: str
    family: str


def origins_of(specs: Iterable[SubjectSpec], stored: Iterable[Mapping[str, Any]]) -> dict[str, Origin]:
    """Every subject of a study and of its stored fleet, in the order of names; the study's word goes first."""
    found: dict[str, Origin] = {}
    for row in stored:
        name = str(row["subject"])
        known = found.get(name, Origin("", ""))
        found[name] = Origin(known.maker or row["maker"], known.family or row["family"])
    for spec in specs:
        known = found.get(spec.title, Origin("", ""))
        found[spec.title] = Origin(spec.maker or known.maker, spec.family or known.family)
    return {name: Origin(one.maker or name, one.family) for name, one in sorted(found.items())}


def names_of(specs: Iterable[SubjectSpec], origins: Mapping[str, Origin]) -> list[str]:
    """Names beside the listed ones that texts could leak: declared makers and families, and what models are called. A
    model does not know its label. One or two letters are words, and so may be a name in small letters."""
    declared = {part for name, origin in origins.items() for part in origin if part != name}
    live = {spec.title: spec for spec in specs}
    called = {name for name in origins if name not in live}
    called |= {one.name for one in live.values() if one.kind not in ("reference", "python")}
    called |= {name.rpartition("/")[2] for name in called}  # without who hosts it
    telling = {name for name in called if not (name.isalpha() and name.islower())}
    return sorted(name for name in declared | telling if len(name) >= SHORTEST_NAME)


def probe_order(content: ProbeContent, chosen: Sequence[str], kind: Kind, seed: int) -> list[str]:
    """The probes of a kind in the order in which they are used: drawn once, the same for every subject."""
    mine = [probe for probe in chosen if content.kind(probe) == kind]
    return Stream("recognition", "probes", kind, seed).shuffled(mine)


class SubjectFleet:
    """Texts that are empty were written, and cannot be recognised: they are left out here and counted elsewhere."""

    def __init__(
        self, origins: Mapping[str, Origin], live: Sequence[str], texts: Iterable[CollectedText]
    ) -> None:
        self.origins, self.live = origins, tuple(live)
        self._texts: dict[tuple[str, str, str], list[CollectedText]] = {}
        for one in sorted(texts):
            if one.usable or one.stage == DRIFT:
                self._texts.setdefault((one.stage, one.subject, one.probe), []).append(one)

    def collected(self, subject: str, probe: str) -> list[CollectedText]:
        return self._texts.get((COLLECT, subject, probe), [])

    def forged(self, subject: str, probe: str) -> list[CollectedText]:
        """What others wrote in the manner of a subject."""
        return self._texts.get((FORGE, subject, probe), [])

    def conversation(self, subject: str, probe: str) -> list[CollectedText]:
        """The turns of a conversation that drifts."""
        return self._texts.get((DRIFT, subject, probe), [])

    def others(self, subject: str, probe: str) -> list[str]:
        """Who else has a text on a probe."""
        return [one for one in self.origins if one != subject and self.collected(one, probe)]

    @property
    def makers(self) -> list[str]:
        return sorted({origin.maker for origin in self.origins.values()})
