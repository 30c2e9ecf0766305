"""The instrument's part of a study: which biases, how many instances, and what is varied."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from assay.errors import InputError
from assay.measuring import ANALYSIS
from assay.measuring import Options as BaseOptions

from .items.bank import chosen_biases, read_item, shipped_item
from .items.model import DOMAINS, INTENSITIES, KINDS, Debiasing, Domain, Intensity, ItemModel

__all__ = ["BiasOptions", "chosen_items"]


class BiasOptions(BaseOptions, frozen=True, kw_only=True):
    """Every bias gets ``instances`` in every domain; each is asked ``trials`` times in every condition."""

    biases: Annotated[
        str | tuple[str, ...], Meta(description="core (15), extended (all), a category, or ids of biases.")
    ] = "core"
    domains: Annotated[tuple[Domain, ...], Meta(min_length=1, description="Kinds of situations.")] = DOMAINS
    intensities: Annotated[
        tuple[Intensity, ...], Meta(min_length=1, description="How strongly the treatment pulls.")
    ] = INTENSITIES
    instances: Annotated[int, Meta(ge=1, le=10_000, description="Of a bias, in each domain.")] = 6
    trials: Annotated[int, Meta(ge=1, le=10_000, description="Of an instance, in each condition.")] = 2
    debias: Annotated[
        Literal["all", "none"] | tuple[Debiasing, ...],
        Meta(description="Debiasing texts: all, none, or kinds."),
    ] = ("warning", "step_by_step")
    debias_intensities: Annotated[
        tuple[Intensity, ...], Meta(description="Treatments that are asked with debiasing texts too.")
    ] = ("strong",)
    unscored: Annotated[
        bool, Meta(description="Ask biases too that no text can show, where a group is chosen.")
    ] = False
    ask_confidence: Annotated[bool, Meta(description="Ask for a confidence beside the answer.")] = True
    items_files: Annotated[
        tuple[str, ...], Meta(description="Item models of your own, a YAML file each.")
    ] = ()
    baselines_file: Annotated[
        str | None,
        Meta(description="Rates of people by bias, YAML or JSON, in the place of the published ones."),
    ] = None
    confidence: Annotated[float, Meta(gt=0, lt=1, description="Of the intervals."), ANALYSIS] = 0.95
    temperature: Annotated[float, Meta(ge=0, le=2, description="Of the sampling.")] = 0.7
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="The longest reply; without it, the study's own."),
    ] = None

    @property
    def methods(self) -> tuple[Debiasing, ...]:
        return () if self.debias == "none" else KINDS if self.debias == "all" else self.debias


def chosen_items(options: BiasOptions, base: Path) -> dict[str, ItemModel]:
    """The item models that the options name, a user's own before the shipped one of the same name."""
    own: dict[str, ItemModel] = {}
    for name in options.items_files:
        model = read_item(base / name)
        if model.bias in own:
            raise InputError(f"{name}: another file has the bias {model.bias} already")
        own[model.bias] = model
    named = {options.biases} if isinstance(options.biases, str) else set(options.biases)
    found = {bias: own.get(bias) or shipped_item(bias) for bias in chosen_biases(options.biases, own)}
    asked = {
        bias: model
        for bias, model in found.items()
        if not model.unscored or options.unscored or bias in named
    }
    if not asked:
        raise InputError("none of these biases can be shown by texts; name them one by one, or set unscored")
    for bias, model in asked.items():
        if lacking := [domain for domain in options.domains if domain not in model.domains]:
            raise InputError(f"the item model of {bias} has none of {lacking[0]}")
    return asked
