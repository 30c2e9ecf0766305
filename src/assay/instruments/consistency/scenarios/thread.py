"""A thread state τ: what a subject returns to.

τ = (label, last artifact digest, boundaries, lexicon, cadence). It is a validated value with a JSON form; the text of
its last artifact goes along where it is known, so that a reference by content can be distinguished from an invention.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from assay.canonical import sha256_hex

__all__ = ["CADENCES", "Thread", "thread_schema"]

Cadence = Literal["slow", "steady", "brisk"]
CADENCES: tuple[Cadence, ...] = ("slow", "steady", "brisk")

Label = Annotated[str, Meta(min_length=3, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$")]
Line = Annotated[str, Meta(min_length=3, max_length=200, pattern=r"^[^\n]*$")]


class Thread(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The state of one thread. ``synonyms`` are the declared near-matches of its lexicon."""

    label: Label
    last_artifact_digest: Digest
    boundaries: Annotated[tuple[Line, ...], Meta(min_length=1)]
    lexicon: Annotated[tuple[Line, ...], Meta(min_length=1)]
    cadence: Cadence = "steady"
    synonyms: dict[str, tuple[Line, ...]] = field(default_factory=dict)
    artifact: str = ""  # the text whose digest it is, where it is known

    def __post_init__(self) -> None:
        if self.artifact and sha256_hex(self.artifact.encode()) != self.last_artifact_digest:
            raise ValueError("last_artifact_digest is not the SHA-256 of the artifact")
        for name, entries in (("boundaries", self.boundaries), ("lexicon", self.lexicon)):
            if len(set(entries)) < len(entries):
                raise ValueError(f"{name} names something twice")
        for word in self.synonyms:
            if word not in self.lexicon:
                raise ValueError(f"synonyms are given for {word!r}, which is not in the lexicon")

    def state(self) -> dict[str, Any]:
        """τ as a subject is given it: without the artifact's text and the synonyms, which only the scorer has."""
        return {
            "label": self.label,
            "last_artifact_digest": self.last_artifact_digest,
            "boundaries": list(self.boundaries),
            "lexicon": list(self.lexicon),
            "cadence": self.cadence,
        }


def thread_schema() -> dict[str, Any]:
    """The JSON Schema of a thread state."""
    return msgspec.json.schema(Thread)
