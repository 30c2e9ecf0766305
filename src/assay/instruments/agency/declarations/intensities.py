"""Whether a regime's constraints are as strong as the intensity it claims: ``data/intensities.yaml`` (8.2)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from assay.study.source import convert, parse_source

from .outcome import Intensity

__all__ = ["IntensityRange", "intensity_ranges", "strengths", "unchecked", "wrong_strength"]

Ends = tuple[float, float]  # the weakest value first


class IntensityRange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values of one parameter that count as moderate, and as severe."""

    axis: str
    name: str
    section: str
    moderate: Ends
    severe: Ends | None = None

    def strengths(self, value: float) -> set[Intensity]:
        found: set[Intensity] = set()
        if min(self.moderate) <= value <= max(self.moderate):
            found.add("moderate")
        if self.severe is not None and min(self.severe) <= value <= max(self.severe):
            found.add("severe")
        return found

    def text(self, level: Intensity) -> str:
        ends = self.severe if level == "severe" else self.moderate
        return f"{self.name} {ends[0]:g} to {ends[1]:g}" if ends else ""


class _Together(Struct, frozen=True, forbid_unknown_fields=True):
    axis: str
    parts: dict[str, float]
    needs: str = ""


class _Table(Struct, frozen=True, forbid_unknown_fields=True):
    ranges: tuple[IntensityRange, ...]
    together: dict[str, _Together]
    silent: tuple[str, ...]


@cache
def _table() -> _Table:
    text = (files("assay.instruments.agency") / "data" / "intensities.yaml").read_text("utf-8")
    source = parse_source(text, "intensities.yaml")
    return convert(source.value, _Table, source)


def intensity_ranges() -> tuple[IntensityRange, ...]:
    """The published table."""
    return _table().ranges


def _known(axis: str, parameters: Mapping[str, Any]) -> Iterator[tuple[IntensityRange, float]]:
    """The parameters of an axis that have a range, with their values."""
    for row in _table().ranges:
        if row.axis != axis:
            continue
        joint = _table().together.get(row.name)
        if joint is None:
            if _number(parameters.get(row.name)):
                yield row, float(parameters[row.name])
        elif not joint.needs or joint.needs in parameters:
            given = [(n, part) for n, part in joint.parts.items() if _number(parameters.get(n))]
            if given:
                yield row, math.fsum(part * parameters[name] for name, part in given)


def _number(value: Any) -> bool:
    return isinstance(value, bool | int | float) and math.isfinite(value)


def unchecked(axis: str, parameters: Mapping[str, Any]) -> list[str]:
    """The parameters of an axis that have no published range, or no number."""
    parts = {name for one in _table().together.values() if one.axis == axis for name in one.parts}
    named = {row.name for row in _table().ranges if row.axis == axis} - set(_table().together)
    silent = set(_table().silent)
    return [
        name
        for name, value in parameters.items()
        if name not in silent and not (name in parts | named and _number(value))
    ]


def strengths(axis: str, parameters: Mapping[str, Any]) -> set[Intensity] | None:
    """The intensities that an axis reaches; None where it has a parameter that is not checked."""
    found: set[Intensity] = set()
    for row, value in _known(axis, parameters):
        found |= row.strengths(value)
    if unchecked(axis, parameters) and "severe" not in found:
        return None
    return found


def wrong_strength(level: Intensity, axes: Mapping[str, Mapping[str, Any]]) -> str:
    """What keeps a regime from its claimed intensity; empty where nothing does, as far as it can be checked."""
    scarce = {axis: parameters for axis, parameters in axes.items() if parameters}
    if level == "baseline":
        return ""
    for axis, parameters in scarce.items():
        found = strengths(axis, parameters)
        if found is not None and not found:
            return f"{axis} {_said(parameters)} is too weak to count as scarce; {_wanted(axis, parameters, level)}"
        if level == "moderate":
            strong = [row for row, value in _known(axis, parameters) if row.strengths(value) == {"severe"}]
            if strong:
                return f"{axis} {_said(parameters)} is severe; {_wanted(axis, parameters, level)}"
    if level == "severe":
        hard = [a for a, p in scarce.items() if (s := strengths(a, p)) is None or "severe" in s]
        if len(hard) < 2:
            soft = next(axis for axis in scarce if axis not in hard)
            wanted = _wanted(soft, scarce[soft], level)
            return f"{soft} {_said(scarce[soft])} is moderate, and two axes must be severe; {wanted}"
    return ""


def _said(parameters: Mapping[str, Any]) -> str:
    return f"({', '.join(f'{name}: {value}' for name, value in parameters.items())})"


def _wanted(axis: str, parameters: Mapping[str, Any], level: Intensity) -> str:
    ranges = [text for row, _ in _known(axis, parameters) if (text := row.text(level))]
    if not ranges:
        ranges = [text for row in _table().ranges if row.axis == axis and (text := row.text(level))]
    return f"{level} is {', or '.join(ranges)} (8.2)"
