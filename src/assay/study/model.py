"""The study: what is declared before the first call.

Every field has a default except the subjects; unknown fields are errors. A study is a frozen value: it
survives JSON both ways, and its resolved form is what the lock signs.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field

from assay.vocabulary import Message, Sampling, Seeding

__all__ = ["Budget", "Limits", "LlamaCpp", "Price", "SamplingDefaults", "Study", "SubjectSpec"]

Positive = Annotated[int, Meta(ge=1)]
PositiveReal = Annotated[float, Meta(gt=0)]
PLANNED_TOKENS = 1024  # of a reply without a limit
Share = Annotated[float, Meta(ge=0, le=1)]


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """Money per million tokens, in whatever currency the study uses throughout."""

    input: Annotated[float, Meta(ge=0)] = 0.0
    output: Annotated[float, Meta(ge=0)] = 0.0


class LlamaCpp(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How llama.cpp serves a ``local:`` model. What is not said is filled in when the study is locked."""

    context: Annotated[int, Meta(ge=256, le=1 << 20, multiple_of=256)] | None = None  # tokens, reply included
    cache: Literal["none", "conversation"] | None = None  # of a conversation's earlier turns
    batch: Annotated[int, Meta(ge=32, le=4096)] | None = None  # tokens of a prompt that are read at once
    kv: Literal["f16", "bf16", "f32", "q8_0"] | None = None  # the type of what is kept of each token
    threads: Annotated[int, Meta(ge=1, le=512)] | None = None  # None: one for each core of the machine
    repack: bool | None = None  # None: llama.cpp rearranges weights for the processor where it can


class SubjectSpec(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The system measured. ``subject`` is ``KIND:NAME``; the rest has defaults for its kind.

    A recipe's values are filled into these fields when the study is locked: what is sent follows from the lock alone.
    """

    subject: str
    label: str | None = None
    base_url: str | None = None
    key_env: str | None = None
    boundary: Literal["core", "extended"] = "core"
    includes: tuple[str, ...] = ()  # what an extended boundary takes in
    connections: Annotated[int, Meta(ge=1, le=4096)] | None = None
    stateful: bool | None = None
    price: Price | None = None
    options: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, str | None] = field(
        default_factory=dict
    )  # of the sampling: its name there, null: not sent
    key_header: str | None = None  # None: Authorization, as a bearer token
    headers: dict[str, str] = field(default_factory=dict)  # a value, or env:VARIABLE
    query: dict[str, str] = field(default_factory=dict)  # of the URL: a value, or env:VARIABLE
    ca_file: str | None = None  # authorities to trust beside the system's
    reasoning_tag: str | None = None  # of reasoning that stands at the head of a reply: <think>…</think>
    recipe: str | None = None  # NAME/VERSION, where one was filled in
    llama_cpp: LlamaCpp | None = None  # of local: subjects
    system: str | None = None  # said to it before every conversation
    maker: str | None = None  # who made it, and which models it is kin to: subjects are told apart by these
    family: str | None = None

    @property
    def kind(self) -> str:
        return self.subject.partition(":")[0]

    @property
    def name(self) -> str:
        return self.subject.partition(":")[2]

    @property
    def title(self) -> str:
        """How it is called in tables and in trial ids."""
        return self.label or self.subject

    def addressed(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """A conversation with the system prompt of the subject before it, and before that of the instrument."""
        if not self.system:
            return messages
        if messages and messages[0].role == "system":
            return (Message("system", f"{self.system}\n\n{messages[0].content}"), *messages[1:])
        return (Message("system", self.system), *messages)

    def leaves_out(self, parameter: str) -> bool:
        """Whether a parameter of the sampling is never sent to it."""
        return self.parameters.get(parameter, parameter) is None

    def sampled(self, sampling: Sampling) -> Sampling:
        """The sampling that reaches it. A trial does not say of itself what was never sent."""
        changes: dict[str, Any] = {
            name: None for name in ("temperature", "top_p", "max_tokens") if self.leaves_out(name)
        }
        if self.leaves_out("seed"):
            changes["seeding"] = "none"
        return msgspec.structs.replace(sampling, **changes) if changes else sampling


class SamplingDefaults(Struct, frozen=True, forbid_unknown_fields=True):
    """Sampling where the instrument does not vary it itself. What is null is not sent."""

    top_p: Annotated[float, Meta(gt=0, le=1)] | None = 1.0
    max_tokens: Positive | None = 1024
    seed: Literal["derived", "none", "same"] | None = "derived"

    def __post_init__(self) -> None:
        if self.seed is None:
            msgspec.structs.force_setattr(self, "seed", "none")

    @property
    def seeding(self) -> Seeding:
        return self.seed or "none"

    @property
    def planned_tokens(self) -> int:
        """The length of a reply that a plan counts with."""
        return self.max_tokens or PLANNED_TOKENS


class Budget(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Where the run stops cleanly and can be resumed. ``None`` is no limit."""

    calls: Positive | None = None
    tokens: Positive | None = None
    cost: PositiveReal | None = None
    seconds: PositiveReal | None = None


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits imposed from outside each trial."""

    call_seconds: PositiveReal = 180.0
    trial_seconds: PositiveReal = 3600.0
    tries: Positive = 6
    excluded_share: Share = 0.1  # more exclusions than this make a reading Invalid
    give_up_after: Positive = 25  # trials in a row lost to infrastructure
    wait_seconds: PositiveReal = 300.0  # at most so long for an endpoint that asks to wait
    reply_characters: Positive | None = None  # of a reply; longer ones are cut. None: by max_tokens


class Study(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A declaration. ``docs/study.md`` explains each field."""

    study: Literal[1] = 1
    name: str = "study"
    description: str = ""
    contact: str = ""
    seed: int = 1
    subjects: tuple[str | SubjectSpec, ...] = ()
    instruments: dict[str, Any] | tuple[str, ...] = ()
    sampling: SamplingDefaults = SamplingDefaults()
    stopping: Literal["fixed"] = "fixed"
    budget: Budget = Budget()
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if isinstance(self.instruments, tuple):
            for name in self.instruments:
                if self.instruments.count(name) > 1:
                    raise ValueError(f"the instrument {name!r} is named twice")

    @property
    def specs(self) -> tuple[SubjectSpec, ...]:
        return tuple(s if isinstance(s, SubjectSpec) else SubjectSpec(s) for s in self.subjects)

    @property
    def options(self) -> dict[str, dict[str, Any]]:
        """Instrument → its options as declared."""
        if isinstance(self.instruments, dict):
            return {name: {} if options is None else options for name, options in self.instruments.items()}
        return {name: {} for name in self.instruments}
