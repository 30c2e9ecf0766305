"""What is known of people: published rates of biased answers (unmatched points), and shifts with their counts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from assay.errors import nearest
from assay.study.source import convert, read_source

from .items.bank import DATA, taxonomy

__all__ = ["BIASES", "HumanRate", "HumanShift", "human_rates", "human_shifts", "read_baselines"]


class HumanRate(Struct, frozen=True):
    """A rate of biased answers among people. ``uncertain``: the source itself calls its support limited."""

    rate: float | None
    cited: str | None = None
    uncertain: bool = False
    published: bool = False  # shipped, and not brought by whoever scores


class HumanShift(Struct, frozen=True):
    """How far people moved between two conditions; ``binary``: a difference of rates, else a standardised one."""

    bias: str
    paradigm: str
    kind: str
    match: str
    shift: float
    low: float
    high: float
    se_site: float
    source: str
    control: dict[str, float]
    treatment: dict[str, float]

    @property
    def comparable(self) -> bool:
        """Whether a shift of rates can be set against it: the same procedure, and a difference of rates."""
        return self.kind == "binary" and self.match == "close"

    @property
    def n(self) -> int:
        return int(self.control["n"] + self.treatment["n"])

    @property
    def error(self) -> float:
        """The larger of two standard errors: of people drawn at random, and of laboratories drawn at random."""
        return max((self.high - self.low) / (2 * 1.959963984540054), self.se_site)


@cache
def human_rates() -> Mapping[str, HumanRate]:
    """By bias, in the order of the taxonomy."""
    return {
        bias: HumanRate(one.human_baseline, one.cited, one.baseline_uncertain, published=True)
        for bias, one in taxonomy().items()
    }


@cache
def human_shifts() -> Mapping[str, tuple[HumanShift, ...]]:
    listed = json.loads((DATA / "human_shifts.json").read_bytes())["shifts"]
    shifts = msgspec.convert(listed, tuple[HumanShift, ...])
    return {bias: tuple(one for one in shifts if one.bias == bias) for bias in {s.bias for s in shifts}}


BIASES = tuple(taxonomy())


def read_baselines(path: Path) -> dict[str, float | None]:
    """Rates of a user's own, YAML or JSON: bias → rate from 0 to 1, or nothing where none is known."""
    source = read_source(path)
    given = convert(source.value, dict[str, Annotated[float, Meta(ge=0, le=1)] | None], source)
    for bias in given:
        if bias not in BIASES:
            raise source.error((bias,), f"unknown bias{nearest(bias, BIASES)}")
    return given
