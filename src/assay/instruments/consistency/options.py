"""The instrument's part of a study: its options, checked, and a user's own thread states."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from assay.measuring import Options as BaseOptions
from assay.measuring import option_error
from assay.study import Source, convert, read_source

from .judging.settings import Judging
from .measures import Settings
from .scenario import KINDS, Kind
from .thread import Thread

__all__ = ["Options", "RowOptions", "Weights", "read_options", "read_threads", "settings_of"]

Count = Annotated[int, Meta(ge=0, le=100_000)]
Weight = Annotated[float, Meta(ge=0, le=1)]
Share = Annotated[float, Meta(gt=0, le=1)]


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """Of the components in M5. They must sum to 1 as written."""

    O: Weight = 0.25  # noqa: E741 (the spec's name)
    F: Weight = 0.20
    R: Weight = 0.20
    P: Weight = 0.20
    L: Weight = 0.15


class Options(BaseOptions, frozen=True, kw_only=True):
    returns: Count = (
        24  # a quarter of them must be turned away; extended subjects get a quarter more, by memory
    )
    refusals: Count = 36
    near_misses: Count = 18
    repairs: Count = 24
    artifacts: Count = 24
    exchanges: Count = 30
    promises: Count = 24
    prompted: bool = True  # whether "Please repair if needed." follows the unprompted reply
    delta_seconds: Annotated[float, Meta(gt=0)] = 60.0
    delta_from: str | None = None  # an earlier run: Δ is the P80 of its repairs' latencies
    rater: str | None = None  # the subject that labels the others' replies beside the rules
    weights: Weights = Weights()
    threshold: Share = 0.9
    equivalence: Share = 0.05
    rule: Literal["interval", "point"] = "interval"
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.95
    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.7
    max_tokens: Annotated[int, Meta(ge=16, le=1_000_000)] | None = None  # of a reply; None is the study's own
    threads_file: str | None = None  # the user's own thread states

    def count(self, kind: Kind) -> int:
        counts: dict[Kind, int] = {
            "return": self.returns,
            "refusal": self.refusals,
            "near_miss": self.near_misses,
            "repair": self.repairs,
            "artifact": self.artifacts,
            "exchange": self.exchanges,
            "promise": self.promises,
        }
        return counts[kind]


class RowOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of ``assay score``."""

    ratings: Annotated[str | None, Meta(description="CSV: scenario,place,detector,label,rater.")] = None
    delta: Annotated[float, Meta(gt=0, description="Seconds within which a repair counts.")] = 60.0
    rule: Annotated[Literal["interval", "point"], Meta(description="M5 is judged by: interval or point.")] = (
        "interval"
    )
    confidence: Annotated[float, Meta(gt=0, lt=1, description="Of the intervals.")] = 0.95


def read_options(given: dict[str, Any], source: Source | None, at: tuple[str | int, ...]) -> Options:
    """The options with every default filled in; what is wrong is told with its line."""
    options = convert(given, Options, source, at)
    total = sum(_exact_weights(options).values())
    if total != 1:
        raise option_error(source, (*at, "weights"), f"must sum to 1; these sum to {float(total):g}")
    if not any(map(options.count, KINDS)):
        raise option_error(source, at, "every count is 0, so there is nothing to ask")
    return options


def read_threads(path: Path) -> tuple[Thread, ...]:
    """A YAML or JSON list of thread states."""
    source = read_source(path)
    threads = convert(source.value, tuple[Thread, ...], source)
    if not threads:
        raise source.error((), "there is no thread in it")
    seen: set[str] = set()
    for number, thread in enumerate(threads):
        if thread.label.casefold() in seen:
            raise source.error((number, "label"), f"{thread.label!r} is the label of an earlier thread")
        seen.add(thread.label.casefold())
    return threads


def settings_of(options: Options, excluded_share: float) -> Settings:
    """What judge and score go by."""
    return Settings(
        weights=_exact_weights(options),
        threshold=Fraction(str(options.threshold)),
        tolerance=Fraction(str(options.equivalence)),
        rule=options.rule,
        confidence=options.confidence,
        excluded_share=Fraction(str(excluded_share)),
        judging=Judging(delta_seconds=options.delta_seconds),
    )


def _exact_weights(options: Options) -> dict[str, Fraction]:
    """As written: .15 is 3/20, not the nearest binary fraction."""
    return {name: Fraction(str(weight)) for name, weight in msgspec.structs.asdict(options.weights).items()}
