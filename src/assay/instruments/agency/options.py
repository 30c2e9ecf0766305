"""The instrument's part of a study: its options, checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from assay.errors import InputError, UnknownName
from assay.measuring import Options as BaseOptions
from assay.measuring import option_error
from assay.study import Source, convert
from assay.worlds import Regime, check_regime, family_named, shipped_regimes

from .rubric import rubric

__all__ = ["Options", "RowOptions", "Sequential", "Threshold", "read_options", "regimes_of"]

Share = Annotated[float, Meta(gt=0, lt=1)]
Tested = Literal["S", "M", "D", "E", "R"]
Level = Annotated[int, Meta(ge=1, le=5)]


class Threshold(Struct, frozen=True, forbid_unknown_fields=True):
    """Another success rate than 70 % for a family, with its reason (section 10.3.3)."""

    threshold: Share
    reason: Annotated[str, Meta(min_length=10)]


class Sequential(Struct, frozen=True, forbid_unknown_fields=True):
    """Sampling until it is decided (section 11.5.1): at most ``most`` instances a level, ``batch`` at a time."""

    alternative: Share = 0.85
    alpha: Annotated[float, Meta(gt=0, le=0.05)] = 0.05
    beta: Annotated[float, Meta(gt=0, le=0.25)] = 0.05
    batch: Annotated[int, Meta(ge=1, le=1000)] = 10
    most: Annotated[int, Meta(ge=10, le=100_000)] = 120


class RowOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of ``assay score``."""

    declaration: Annotated[
        str | None, Meta(description="YAML or JSON: system, boundary, regimes, families, criteria.")
    ] = None


class Options(BaseOptions, frozen=True, kw_only=True):
    dimensions: tuple[Tested, ...] = ("S", "M", "D", "E", "R")
    levels: tuple[Level, ...] = (1, 2, 3, 4, 5)
    families: tuple[str, ...] = ()  # none: all that are installed
    instances: Annotated[int, Meta(ge=1, le=100_000)] = 50  # a level, spread over its families
    robustness_families: tuple[str, ...] = ()  # none: of each dimension the family with the lowest level
    robustness_instances: Annotated[int, Meta(ge=1, le=100_000)] = 50  # a family and regime
    regimes: tuple[str | dict[str, Any], ...] = (
        "Baseline",
        "Moderate-Standard",
        "Severe-Standard",
        "Severe-Adversarial",
    )
    interface: Literal["auto", "tools", "text"] = "auto"
    held_out: bool = False  # draw the situations that are held out
    sequential: Sequential | None = None
    thresholds: dict[str, Threshold] = msgspec.field(default_factory=dict)
    rule: Literal["strict", "point"] = "strict"
    interval: Literal["wilson", "agresti_coull", "exact"] = "wilson"
    confidence: Share = 0.95
    post_hoc_share: Annotated[float, Meta(ge=0.15, le=0.25)] = 0.2
    infrastructure_share: Annotated[float, Meta(ge=0.25, le=0.35)] = 0.3
    disagreement_share: Annotated[float, Meta(ge=0.15, le=0.25)] = 0.2
    temperature: Annotated[float, Meta(ge=0, le=2)] = 0.0
    max_tokens: Annotated[int, Meta(ge=8, le=1_000_000)] | None = (
        None  # of a decision; None is the study's own
    )
    human_assistance: str = "none"
    memory: str = "the conversation of one episode"
    purpose: Literal["exploratory", "benchmark", "research", "procurement"] = "benchmark"
    inclusion: str = "every installed family of the dimensions tested"
    exclusion: str = "none"


def read_options(given: dict[str, Any], source: Source | None, at: tuple[str | int, ...]) -> Options:
    """The options with every default filled in; what is wrong is told with its line."""
    options = convert(given, Options, source, at)
    for field in ("dimensions", "levels", "families", "regimes"):
        values = getattr(options, field)
        if any(values.count(value) > 1 for value in values):
            raise option_error(source, (*at, field), "names something twice")
    if not options.dimensions or not options.levels:
        raise option_error(source, (*at, "dimensions"), "name at least one dimension and one level")
    for field in ("families", "robustness_families", "thresholds"):
        for name in getattr(options, field):
            try:
                family_named(name)
            except InputError as error:
                raise option_error(source, (*at, field), str(error)) from None
    for name in options.robustness_families if "R" in options.dimensions else ():
        own = sorted(family_named(name).levels)
        if not set(own) & set(options.levels):
            told = f"{name!r} has no level that is asked for; it has {', '.join(map(str, own))}"
            raise option_error(source, (*at, "robustness_families"), told)
    if options.sequential is not None and options.sequential.alternative <= rubric().threshold:
        told = f"must be more than the threshold, {rubric().threshold:g}: the test is between the two"
        raise option_error(source, (*at, "sequential", "alternative"), told)
    regimes = regimes_of(options, source, at)
    if not any(regime.level == "baseline" for regime in regimes.values()):
        raise option_error(source, (*at, "regimes"), "one of them must be a baseline (section 8.2)")
    return options


def regimes_of(
    options: Options, source: Source | None = None, at: tuple[str | int, ...] = ()
) -> dict[str, Regime]:
    """The declared regimes by id, in their order."""
    shipped = shipped_regimes()
    found: dict[str, Regime] = {}
    for place, given in enumerate(options.regimes):
        where = (*at, "regimes", place)
        if isinstance(given, str):
            if given not in shipped:
                raise option_error(source, where, str(UnknownName("regime", given, shipped)))
            found[given] = shipped[given]
            continue
        regime = convert(given, Regime, source, where)
        try:
            check_regime(regime)
        except InputError as error:
            raise option_error(source, where, str(error)) from None
        published = shipped.get(regime.id)
        if published is not None and (published.level, published.parameters()) != (
            regime.level,
            regime.parameters(),
        ):
            told = f"{regime.id!r} is the id of a published regime with other parameters (section 13.2.2)"
            raise option_error(source, where, told)
        if regime.id in found:
            raise option_error(source, where, f"{regime.id!r} is declared twice")
        found[regime.id] = regime
    return found
