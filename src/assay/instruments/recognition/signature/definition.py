"""What the versions count: word lists, weights and thresholds, as they stand in ``data/signature_N.json``."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Literal, get_args

__all__ = ["DIMENSIONS", "VERSIONS", "Version", "data_file", "definition"]

Version = Literal[1, 2]
VERSIONS: tuple[Version, ...] = get_args(Version)
DIMENSIONS = ("A_pole", "B_zero", "C_meta", "D_identity", "E_hedging")


def data_file(name: str) -> Any:
    """A file of this instrument's data."""
    return json.loads(files("assay.instruments.recognition").joinpath("data", name).read_text("utf-8"))


@cache
def definition(version: Version) -> dict[str, Any]:
    """A version's word lists and rules. Version 1 is the public definition, unaltered."""
    found: dict[str, Any] = data_file(f"signature_{version}.json")
    return found
