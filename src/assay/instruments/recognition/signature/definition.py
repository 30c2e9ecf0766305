"""What the versions count, and what is usual: the files ``data/signature_N.json`` and ``data/reference.json``."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

import msgspec

__all__ = ["DIMENSIONS", "VERSIONS", "Norms", "Version", "data_file", "definition", "norms", "tercile"]

Version = Literal[1, 2]
VERSIONS: tuple[Version, ...] = get_args(Version)
DIMENSIONS = ("A_pole", "B_zero", "C_meta", "D_identity", "E_hedging")
Five = tuple[float, float, float, float, float]


def data_file(name: str) -> Any:
    """A file of this instrument's data."""
    return json.loads(files("assay.instruments.recognition").joinpath("data", name).read_text("utf-8"))


@cache
def definition(version: Version) -> dict[str, Any]:
    """A version's word lists and rules. Version 1 is the public definition, unaltered."""
    found: dict[str, Any] = data_file(f"signature_{version}.json")
    return found


class Norms(msgspec.Struct, frozen=True, kw_only=True):
    """One version's numbers in the reference corpus, by dimension.

    ``spread`` is what a dimension is divided by: 1 in version 1. ``mean``, ``sd`` and the ends of the lower and middle
    thirds are of the vectors as they are given out. ``horizon`` is the drift that counts as far.
    """

    texts: int
    spread: Five
    mean: Five
    sd: Five
    lower: Five
    upper: Five
    horizon: float


@cache
def norms(version: Version) -> Norms:
    """The shipped numbers of a version."""
    return msgspec.convert(data_file("reference.json")["versions"][str(version)], Norms)


def tercile(version: Version, dimension: str, value: float) -> Literal["low", "middle", "high"]:
    """The third of the reference corpus in which a value lies. Where a third of the texts have 0, 0 is low."""
    known, place = norms(version), DIMENSIONS.index(dimension)
    return "low" if value <= known.lower[place] else "middle" if value <= known.upper[place] else "high"
