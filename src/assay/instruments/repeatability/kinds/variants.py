"""Variants of the shipped solutions of JSON and texts, made by rule: what they are equal in is known beforehand.

==============  =============================================  ================================================
variant         of JSON                                        of a text
==============  =============================================  ================================================
``formatted``   laid out otherwise: the same from layout on    white space around it: the same from space on
``documented``  in a fence with a line before it: the same     in capitals: the same from case on
                bytes, another reply
``renamed``     numbers otherwise written: the same from       in capitals: the same from case on
                value on
``reordered``   keys in the opposite order: the same from      said in another way, the last correct solution:
                keys on                                        the same answer, where one is read
``modular``     plain                                          plain
``marked``      plain with white space that never repeats      plain with a remark that never repeats
==============  =============================================  ================================================
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .json_values import Json, SpeltNumber, read_json

if TYPE_CHECKING:
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = ["derived_output", "marked"]


def derived_output(contract: Contract, variant: str) -> str:
    plain = _plain(contract)
    if variant == "modular":
        return plain
    return _json(plain, variant) if contract.kind == "json" else _text(contract, plain, variant)


def marked(contract: Contract, mark: str) -> str:
    """Never twice the same bytes, and never another answer. ``mark`` is hexadecimal."""
    plain = _plain(contract)
    if contract.kind == "json":  # a bit is a blank or a tab, behind the value
        return plain.rstrip() + "".join(" \t"[int(bit)] for bit in f"{int(mark, 16):064b}") + "\n"
    letters = "".join(chr(ord("a") + int(digit, 16)) for digit in mark)  # no digit that could be an answer
    return f"{plain.rstrip()} (note {letters})\n"


def _plain(contract: Contract) -> str:
    return next(solution.code for solution in contract.solutions if solution.name == "plain")


def _json(plain: str, variant: str) -> str:
    if variant == "documented":
        return f"Here it is:\n\n```json\n{plain}```\n"
    value = read_json(plain)
    if variant == "formatted":
        return f"{_laid_out(value, '  ')}\n"
    return f"{_laid_out(_reversed(value) if variant == 'reordered' else _respelt(value), None)}\n"


def _reversed(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _reversed(item) for key, item in reversed(value.items())}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


def _respelt(value: Json) -> Json:
    """Every number with an exponent of 0 behind it."""
    if isinstance(value, SpeltNumber):
        return SpeltNumber(f"{value}e0")
    if isinstance(value, dict):
        return {key: _respelt(item) for key, item in value.items()}
    return [_respelt(item) for item in value] if isinstance(value, list) else value


def _laid_out(value: Json, indent: str | None, at: str = "") -> str:
    """Numbers as they are spelt, which the encoder of the standard library does not keep."""
    if isinstance(value, SpeltNumber):
        return value
    if not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    deeper = at + (indent or "")
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(key, ensure_ascii=False)}: {_laid_out(item, indent, deeper)}"
            for key, item in value.items()
        ]
        first, last = "{", "}"
    else:
        parts = [_laid_out(item, indent, deeper) for item in value]
        first, last = "[", "]"
    if indent is None:
        return first + ", ".join(parts) + last
    return f"{first}\n{deeper}" + f",\n{deeper}".join(parts) + f"\n{at}{last}"


def _text(contract: Contract, plain: str, variant: str) -> str:
    if variant == "formatted":
        return f"\n  {plain.strip()}\n\n"
    if variant == "reordered":
        return [solution.code for solution in contract.solutions if solution.kind == "correct"][-1]
    return plain.upper()
