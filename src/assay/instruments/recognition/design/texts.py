"""What subjects wrote: collected in a run, or in an earlier one and stored as rows (``--fleet FILE``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from assay.canonical import digest
from assay.evidence.records import Record
from assay.measuring.rows import open_rows
from assay.measuring.rows.base import refuse_duplicates

from .probes import Kind, ProbeContent, ProbeText

__all__ = ["COLLECT", "DRIFT", "FLEET", "FORGE", "CollectedText", "FleetRow", "collected_texts", "read_fleet"]

COLLECT, DRIFT, FORGE = "collect", "drift", "forge"  # stages in which a subject writes
SHORTEST = 40  # characters of a text that can be recognised
FLEET = "fleet:"  # how a trial names a stored text among its inputs
Name = Annotated[str, Meta(min_length=1)]


class FleetRow(Struct, frozen=True):
    """A stored answer. ``phase`` and ``turn`` are those of a conversation that drifts; ``prompt`` and ``kind`` are of a
    probe that is not shipped."""

    subject: Name
    probe: Name
    response: str
    sample: Annotated[int, Meta(ge=0)] = 0
    phase: Literal["", "baseline", "perturbation", "recovery"] = ""
    turn: Annotated[int, Meta(ge=0)] = 0
    maker: str = ""
    family: str = ""
    prompt: str = ""
    kind: Kind = "identity"


class CollectedText(NamedTuple):
    """``reference`` is how a trial names where the text is from: of a conversation it is the reply of a ``turn``."""

    subject: str
    probe: str
    sample: int
    stage: str
    phase: str
    turn: int
    text: str
    reference: str
    author: str  # who wrote it: of a forgery another one than the subject

    @property
    def usable(self) -> bool:
        """All texts of a lineup are cut to the length of the shortest: one of a word would leave a word of each."""
        return len(self.text.strip()) >= SHORTEST


def read_fleet(path: Path, content: ProbeContent) -> tuple[list[dict[str, Any]], ProbeContent]:
    """The rows of a stored fleet, and the content with the prompts that it brings."""
    rows = open_rows(path)
    found = rows.typed(FleetRow)
    refuse_duplicates(rows, found, lambda row: (row.subject, row.probe, row.sample, row.phase, row.turn))
    known, own = content.by_id, dict[str, ProbeText]()
    kinds: dict[Kind, list[ProbeText]] = {"identity": [], "ordinary": []}
    said: dict[tuple[str, str], str] = {}
    for number, row in found:
        for name, value in (("maker", row.maker), ("family", row.family)):
            if value and said.setdefault((row.subject, name), value) != value:
                raise rows.error(number, name, f"{value!r} here, and another one before for the same subject")
        if row.turn and not row.phase:
            raise rows.error(number, "turn", "is of a conversation that drifts, and this row has no phase")
        if row.phase and row.sample:
            raise rows.error(number, "sample", "a conversation is stored once for a subject and a probe")
        if row.probe in own and row.kind != said.setdefault((row.probe, "kind of"), row.kind):
            raise rows.error(number, "kind", f"{row.kind!r} here, and another one before for the same probe")
        if row.probe in known:
            if row.prompt and row.prompt != known[row.probe]:
                raise rows.error(number, "prompt", f"{row.probe} is another prompt's id")
            continue
        if not row.prompt:
            raise rows.error(number, "prompt", f"is missing, and {row.probe!r} is none of the shipped probes")
        known = {**known, row.probe: row.prompt}
        said[row.probe, "kind of"] = row.kind
        own[row.probe] = ProbeText(row.probe, row.prompt, "fleet")
        kinds[row.kind].append(own[row.probe])
    more = msgspec.structs.replace(
        content,
        identity=(*content.identity, *kinds["identity"]),
        ordinary=(*content.ordinary, *kinds["ordinary"]),
    )
    return [msgspec.to_builtins(row) for _, row in found], more


def stored_texts(rows: Iterable[Mapping[str, Any]]) -> Iterator[CollectedText]:
    for one in rows:
        row = msgspec.convert(one, FleetRow)
        stage = DRIFT if row.phase else COLLECT
        at = (row.subject, row.probe, row.sample, stage, row.phase, row.turn, row.response)
        yield CollectedText(*at, f"{FLEET}{digest(msgspec.to_builtins(row))}", row.subject)


def collected_texts(
    records: Iterable[Record], stored: Iterable[Mapping[str, Any]], phases: tuple[str, ...]
) -> list[CollectedText]:
    """Every text of a run and of its stored fleet, in an order of their own."""
    found = list(stored_texts(stored))
    for record in records:
        trial = record.trial
        if trial.stage not in (COLLECT, DRIFT, FORGE) or record.outcome == "excluded":
            continue
        reference = record.said
        probe, whose = trial.instance.item.partition("/")[2], str(trial.factors.get("target", trial.subject))
        for turn, reply in enumerate(record.replies):
            phase = phases[turn] if trial.stage == DRIFT else ""
            at = (whose, probe, trial.instance.repetition, trial.stage, phase, turn, reply.text)
            found.append(CollectedText(*at, reference, trial.subject))
    return sorted(found)
