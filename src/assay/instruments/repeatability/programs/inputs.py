"""Inputs beyond the tests: what programs are compared on when their behaviour is.

Version ``inputs/1``. Each input is one of the contract's test inputs with its values drawn anew, within what the
tests show of the values in that place: numbers between the least and the greatest, texts and lists of lengths
that occur, made of what occurs in them; lists that are always sorted, or never hold a value twice, or are always
as long as each other, stay so. Test cases that expect an exception are no model for it. A contract that declares
``inputs`` is compared on those instead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from assay.canonical import encode
from assay.streams import Stream

from .contracts import Case, Contract

__all__ = ["INPUTS", "generated_inputs", "plain_case"]

INPUTS = "inputs/1"
MOST = 24
TRIES = 8  # at finding an input that is not there yet, for each of them
LONGEST = 200  # no list or text drawn is longer, whatever the tests hold


def generated_inputs(contract: Contract, seed: int) -> tuple[dict[str, Any], ...]:
    """Cases for the sandbox, without expectations: the same for every program that answers the contract."""
    cases = [plain_case(contract, case) for case in contract.test_cases]
    seen = {encode(case) for case in cases}
    if contract.inputs:
        return tuple(plain_case(contract, case) for case in contract.inputs)
    models = [
        plain for plain, case in zip(cases, contract.test_cases, strict=True) if not _expects_exception(case)
    ]
    stream = Stream("inputs", contract.snapshot, seed)
    found: list[dict[str, Any]] = []
    for _ in range(MOST * TRIES if models else 0):
        case = _varied_case(stream.choice(models), models, stream)
        key = encode(case)
        if key not in seen:
            seen.add(key)
            found.append(case)
            if len(found) == MOST:
                break
    return tuple(found)


def plain_case(contract: Contract, case: Case) -> dict[str, Any]:
    """A test as it enters the sandbox: the call alone."""
    if contract.kind == "class":
        calls = [{"method": s.method, "args": list(s.args), "kwargs": s.kwargs} for s in case.calls]
        return {"init": list(case.init), "calls": calls}
    return {"args": list(case.args or ()), "kwargs": case.kwargs}


def _expects_exception(case: Case) -> bool:
    return case.raises is not None or any(step.raises is not None for step in case.calls)


def _varied_case(base: dict[str, Any], models: Sequence[dict[str, Any]], stream: Stream) -> dict[str, Any]:
    if "args" in base:
        return _varied_call(base, models, stream)
    alike = [m["init"] for m in models if len(m["init"]) == len(base["init"])]
    init = [_varied(value, [m[i] for m in alike], stream) for i, value in enumerate(base["init"])]
    every = [call for model in models for call in model["calls"]]
    calls = []
    for call in base["calls"]:
        same = [other for other in every if other["method"] == call["method"]]
        calls.append({"method": call["method"], **_varied_call(call, same, stream)})
    return {"init": init, "calls": calls}


def _varied_call(base: dict[str, Any], models: Sequence[dict[str, Any]], stream: Stream) -> dict[str, Any]:
    alike = [m["args"] for m in models if len(m["args"]) == len(base["args"])]
    args = [_varied(value, [m[i] for m in alike], stream) for i, value in enumerate(base["args"])]
    kwargs = {
        name: _varied(value, [m["kwargs"][name] for m in models if name in m["kwargs"]], stream)
        for name, value in base["kwargs"].items()
    }
    return {"args": args, "kwargs": kwargs}


def _varied(value: Any, pool: Sequence[Any], stream: Stream) -> Any:
    """A value of the same type, within what the values of that type in this place show."""
    alike = [other for other in pool if type(other) is type(value)]
    if isinstance(value, bool):
        return stream.choice(alike)
    if isinstance(value, int):
        return _whole(alike, stream)
    if isinstance(value, float):
        return _real(alike, stream)
    if isinstance(value, str):
        return _text(value, alike, stream)
    if isinstance(value, list):
        return _list(value, alike, stream)
    if isinstance(value, dict):
        return {
            key: _varied(item, [o[key] for o in alike if key in o], stream) for key, item in value.items()
        }
    return value


def _whole(pool: Sequence[int], stream: Stream) -> int:
    """Near one that occurs, or anywhere between the least and the greatest."""
    low, high = min(pool), max(pool)
    if stream.below(2) or high - low >= 1 << 63:
        return min(max(stream.choice(pool) + stream.integer(-3, 3), low), high)
    return stream.integer(low, high)


def _real(pool: Sequence[float], stream: Stream) -> float:
    """Between the least and the greatest, with three digits of what lies between them."""
    low, high = min(pool), max(pool)
    if math.isinf(high - low):
        share = stream.random()
        return low * (1 - share) + high * share
    digits = max(3, 2 - int(f"{high - low:e}".partition("e")[2])) if high > low else 3
    return min(max(round(low + (high - low) * stream.random(), digits), low), high)


def _text(value: str, pool: Sequence[str], stream: Stream) -> str:
    """The beginning of one that occurs and the end of another, or characters that occur."""
    if stream.below(2):
        other = stream.choice(pool)
        found = value[: stream.below(len(value) + 1)] + other[stream.below(len(other) + 1) :]
    else:
        letters = sorted(set("".join(pool)))
        length = min(stream.choice([len(text) for text in pool]), LONGEST)
        found = "".join(stream.choice(letters) for _ in range(length)) if letters else ""
    shortest, longest = min(map(len, pool)), min(max(map(len, pool)), LONGEST)
    return found[:longest] if shortest <= len(found) else value


def _list(value: list[Any], pool: Sequence[list[Any]], stream: Stream) -> list[Any]:
    every = [item for other in pool for item in other]
    if not every:
        return value
    length = min(stream.choice([len(other) for other in pool]), LONGEST)
    items = [_varied(item, every, stream) for item in (stream.choice(every) for _ in range(length))]
    if all(_unique(other) for other in pool):
        items = [item for place, item in enumerate(items) if item not in items[:place]]
    if all(_square(other) for other in pool):
        items = _squared(items, every, stream)
    if all(_sorted(other) for other in pool) and _comparable(every):
        items.sort()
    return items


def _unique(items: list[Any]) -> bool:
    return len({encode(item) for item in items}) == len(items)


def _comparable(items: Sequence[Any]) -> bool:
    """Whether any of them can stand in one sorted list: numbers with numbers, texts with texts."""
    return all(isinstance(item, int | float) for item in items) or all(isinstance(i, str) for i in items)


def _sorted(items: list[Any]) -> bool:
    if any(isinstance(item, dict | list) for item in items):
        return False
    try:
        return all(a <= b for a, b in pairwise(items))
    except TypeError:
        return False


def _square(items: list[Any]) -> bool:
    """Rows of equal length."""
    return all(isinstance(item, list) for item in items) and len({len(item) for item in items}) <= 1


def _squared(rows: list[Any], every: Sequence[list[Any]], stream: Stream) -> list[Any]:
    cells = [cell for row in every for cell in row]
    width = len(rows[0]) if rows else 0
    return [
        (row + [stream.choice(cells) for _ in range(max(0, width - len(row)))])[:width] if cells else row
        for row in rows
    ]
