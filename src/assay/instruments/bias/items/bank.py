"""The shipped item models, their taxonomy and words, and item files of a user's own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

from assay.errors import InputError, UnknownName
from assay.study.source import convert, parse_source, read_source

from .instance import ItemError
from .model import ItemModel
from .validity import usable_item

__all__ = [
    "DATA",
    "BiasEntry",
    "chosen_biases",
    "pools",
    "read_item",
    "shipped_item",
    "shipped_items",
    "taxonomy",
]

DATA = files("assay.instruments.bias") / "data"


class BiasEntry(Struct, frozen=True):
    """A bias as the taxonomy lists it, with the published rate of people."""

    id: str
    name: str
    category: str
    core: bool
    human_baseline: float | None
    baseline_uncertain: bool
    cited: str | None


@cache
def taxonomy() -> dict[str, BiasEntry]:
    """69 biases in 16 categories; `data/human_rates.json` says where they come from."""
    listed = json.loads((DATA / "human_rates.json").read_bytes())["biases"]
    return {entry["id"]: BiasEntry(**entry) for entry in listed}


@cache
def pools() -> dict[str, tuple[str, ...]]:
    """Words that scenarios draw from: people, towns, firms."""
    source = parse_source((DATA / "words.yaml").read_text("utf-8"), "words.yaml")
    return convert(source.value, dict[str, tuple[str, ...]], source)


def read_item(path: Path) -> ItemModel:
    """An item model from its file; what is wrong with it is said with file, line and field."""
    source = read_source(path)
    model = convert(source.value, ItemModel, source)
    try:
        return usable_item(model, pools()).model
    except ItemError as error:
        raise source.error(error.at, error.message) from None


@cache
def shipped_item(bias: str) -> ItemModel:
    file = DATA / "items" / f"{bias}.yaml"
    source = parse_source(file.read_text("utf-8"), f"{bias}.yaml")
    return convert(source.value, ItemModel, source)


@cache
def shipped_items() -> tuple[str, ...]:
    """The biases that have an item model, in the order of the taxonomy."""
    there = {entry.name.removesuffix(".yaml") for entry in (DATA / "items").iterdir()}
    return tuple(bias for bias in taxonomy() if bias in there)


def chosen_biases(wanted: str | Sequence[str], own: Mapping[str, ItemModel]) -> list[str]:
    """``core``, ``extended`` (all), a category, or names; in the order of the taxonomy, a user's own last.

    ``loss_aversion`` is a bias and a category: the bias is meant, ``category:loss_aversion`` is the category.
    """
    names = [part.strip() for part in wanted.split(",")] if isinstance(wanted, str) else list(wanted)
    entries = taxonomy()
    groups: dict[str, list[str]] = {"core": [], "extended": list(entries), "own": list(own)}
    for entry in entries.values():
        groups.setdefault(f"category:{entry.category}", []).append(entry.id)
        groups["core"] += [entry.id] if entry.core else []
    groups |= {name.removeprefix("category:"): members for name, members in groups.items()}
    there = [*shipped_items(), *(bias for bias in own if bias not in shipped_items())]
    members = {**groups, **{bias: [bias] for bias in there}}
    if unknown := [name for name in names if name not in members]:
        raise UnknownName("bias", unknown[0], [*there, *groups])
    found = {bias for name in names for bias in members[name]}
    if found.isdisjoint(there):
        raise InputError(f"no bias is chosen by {', '.join(names)!r}")
    return [bias for bias in there if bias in found]
