"""The nouns of Assay, on one page.

A **study** is declared and **locked**; an **instrument** turns it into **trials**; a **probe** conducts a
trial with a **subject**; what happened is in the **ledger** as events; an instrument reads the evidence and
reports a **reading** of **measures** and **verdicts**. Everything here is a frozen value that survives
JSON both ways and holds no callables.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from .canonical import encode

__all__ = [
    "Exclusion",
    "Flag",
    "Instance",
    "Measure",
    "Message",
    "Outcome",
    "Reading",
    "Reply",
    "Request",
    "Result",
    "Sampling",
    "ToolCall",
    "Trial",
    "Usage",
    "Verdict",
    "VerdictKind",
]

Outcome = Literal["success", "failure", "unknown", "excluded"]
Seeding = Literal["derived", "none", "same"]
Role = Literal["system", "user", "assistant", "tool"]


# What is said between a probe and a subject.


class ToolCall(Struct, frozen=True):
    id: str
    name: str
    arguments: str  # as the subject wrote them: perhaps not JSON


class Message(Struct, frozen=True, omit_defaults=True):
    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class Sampling(Struct, frozen=True, omit_defaults=True):
    """How the subject is to draw its answer. ``None`` leaves the endpoint's own default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seeding: Seeding = "derived"

    def __post_init__(self) -> None:
        # 1, 1.0 and what JSON gives back are one number and must make one trial id
        if self.temperature is not None:
            msgspec.structs.force_setattr(self, "temperature", self.temperature + 0.0)
        if self.top_p is not None:
            msgspec.structs.force_setattr(self, "top_p", self.top_p + 0.0)


class Request(Struct, frozen=True, omit_defaults=True):
    messages: tuple[Message, ...]
    sampling: Sampling = Sampling()
    seed: int | None = None
    tools: tuple[dict[str, Any], ...] = ()


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens as counted by the endpoint; ``None`` where it does not say. ``reasoning`` is a part of ``output``."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None


class Reply(Struct, frozen=True, omit_defaults=True):
    """What came back. ``rest`` keeps everything the endpoint sent that has no field here.

    ``reasoning`` is what the subject wrote before it, where the endpoint tells the two apart. It is never scored.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish: str | None = None
    usage: Usage = Usage()
    model: str | None = None
    fingerprint: str | None = None
    notes: tuple[str, ...] = ()
    rest: Any = None
    reasoning: str = ""


# What is put to a subject.


class Instance(Struct, frozen=True):
    """What is put to subjects; its digest seeds the content, so that two subjects meet the same."""

    instrument: str
    item: str
    repetition: int
    seed: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(encode(self)).hexdigest()


class Trial(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The unit of execution: one conversation or one episode.

    What tells trials of one instance apart is data: ``stage`` and ``factors``, never text that somebody parses.
    """

    instance: Instance
    version: str  # of the instrument
    subject: str
    boundary: str = "core"
    stage: str = ""  # what is done in it, where an instrument's trials are of several kinds
    factors: dict[str, str | float] = field(default_factory=dict)  # what was varied, flat
    regime: str = "baseline"
    sampling: Sampling = Sampling()
    inputs: tuple[str, ...] = ()  # digests of earlier evidence it was built from

    def __post_init__(self) -> None:
        if self.factors:  # 1, True and 1.0 are one number and must make one trial id
            plain = {k: v if isinstance(v, str) else v + 0.0 for k, v in self.factors.items()}
            msgspec.structs.force_setattr(self, "factors", plain)

    @property
    def id(self) -> str:
        """The same on every machine; two different trials never share it."""
        return hashlib.sha256(encode(self)).hexdigest()


# What an instrument reports.


class Flag(Struct, frozen=True):
    """Only from the taxonomy; anything else worth saying is a note."""

    kind: Literal["Provisional", "Contested", "Limited Comparability", "Invalid"]
    cause: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.cause})"


class Measure(Struct, frozen=True, kw_only=True):
    """One number with its error. No data is ``None`` with a reason, never zero.

    ``k`` is the count where the value is the share ``k / n``. ``bound_low`` and ``bound_high`` are the values if
    all unknown outcomes had gone one way or the other. ``spec_value`` is what the specification says instead.
    """

    name: str
    value: float | None
    k: int | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    bound_low: float | None = None
    bound_high: float | None = None
    spec_value: float | None = None
    n: int
    units: str = ""
    method: str = ""
    labels: dict[str, str | float] = field(default_factory=dict)
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()


VerdictKind = Literal["requirement", "comparison", "threshold", "prediction"]


class Verdict(Struct, frozen=True, kw_only=True):
    """A claim, the rule it is judged by, and whether it holds; ``holds`` is None where that is not established.

    ``requirement``: the study declared it, and `assay check` judges by it. ``comparison``: two things that were
    measured. ``threshold``: a value that the instrument's specification names. ``prediction``: what was foretold.
    ``name`` and ``labels`` say which verdict it is; ``claim``, ``rule`` and ``because`` are for people.
    """

    name: str
    kind: VerdictKind
    labels: dict[str, str | float] = field(default_factory=dict)
    claim: str
    rule: str
    holds: bool | None
    because: str


class Exclusion(Struct, frozen=True):
    """Trials that infrastructure kept from happening, counted under the fault's own name."""

    reason: str
    count: int
    labels: dict[str, str | float] = field(default_factory=dict)


class Result(Struct, frozen=True, kw_only=True):
    """Identical for identical evidence, byte for byte."""

    instrument: str
    version: str
    source: Literal["ledger", "rows"]
    measures: tuple[Measure, ...]
    verdicts: tuple[Verdict, ...] = ()
    excluded: tuple[Exclusion, ...] = ()
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)


class Reading(Struct, frozen=True, kw_only=True):
    """``result`` is the measurement; ``envelope`` says where, when and at what expense."""

    schema: Literal["assay/reading/2"] = "assay/reading/2"
    result: Result
    envelope: dict[str, Any] = msgspec.field(default_factory=dict)
