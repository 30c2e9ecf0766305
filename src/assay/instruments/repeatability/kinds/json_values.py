"""JSON as RFC 8259 has it: read exactly, written in one way, taken apart into leaves.

Not JSON are: NaN and infinities, a key given twice in an object, halves of surrogate pairs, more than 100 levels of
nesting, and numbers of more than 1,000 characters or with an exponent of more than six digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Any, NoReturn, TypeAlias

__all__ = [
    "ABSENT",
    "Json",
    "NotJson",
    "SpeltNumber",
    "at_pointer",
    "balanced",
    "exact",
    "leaves",
    "near",
    "plain",
    "pointer_parts",
    "read_json",
    "without_layout",
    "written",
]

DEEPEST = 100
LONGEST_NUMBER = 1_000
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.S)
_BLANK = re.compile(rf"({_STRING.pattern})|[ \t\n\r]+", re.S)
_MARK = re.compile(r'["\[\]{}]')
_NUMBER = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,6}))?")
_PARTNER = {"{": "}", "[": "]"}
_STEP = {"{": 1, "[": 1, "}": -1, "]": -1}


class NotJson(ValueError):
    """What is wrong with a text that is no JSON."""


class SpeltNumber(str):
    """A number as it was spelt."""

    __slots__ = ()


Json: TypeAlias = "dict[str, Json] | list[Json] | str | SpeltNumber | bool | None"
ABSENT = object()  # nothing stands at a pointer


def read_json(text: str) -> Json:
    """The value, its numbers as they were spelt."""
    if max(accumulate(_STEP[mark] for mark, _ in _brackets(text)), default=0) > DEEPEST:
        raise NotJson(f"nested more than {DEEPEST} levels deep")
    try:
        value: Json = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_number,
            parse_float=_number,
            parse_constant=_refuse,
        )
        written(value).encode()
    except NotJson:
        raise
    except UnicodeEncodeError:
        raise NotJson("half of a surrogate pair") from None
    except ValueError as error:
        raise NotJson(str(error)) from None
    return value


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise NotJson(f"the key {twice[:80]!r} is given twice")
    return found


def _number(spelt: str) -> SpeltNumber:
    if len(spelt) > LONGEST_NUMBER or not _NUMBER.fullmatch(spelt):
        raise NotJson("a number beyond all measure")
    return SpeltNumber(spelt)


def _refuse(constant: str) -> NoReturn:
    raise NotJson(f"{constant} is no number of JSON")


def without_layout(text: str) -> str:
    """JSON without the white space between its tokens."""
    return _BLANK.sub(lambda found: found[1] or "", text)


def written(value: Json, *, numbers: bool = False) -> str:
    """In one way: no white space, keys sorted, characters as they are; with ``numbers`` in one format each."""
    if isinstance(value, SpeltNumber):
        return exact(value) if numbers else value
    if isinstance(value, dict):
        inner = (f"{_quoted(key)}:{written(value[key], numbers=numbers)}" for key in sorted(value))
        return "{" + ",".join(inner) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(item, numbers=numbers) for item in value) + "]"
    return _quoted(value) if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def exact(number: SpeltNumber) -> str:
    """The same for numbers of the same value: 1, 1.0 and 10e-1 are 1; 0 and -0 are 0. No digit is lost."""
    sign, digits, exponent = _parts(number)
    if not digits:
        return "0"
    if 0 <= exponent <= 20:
        return f"{sign}{digits}{'0' * exponent}"
    if -20 <= exponent < 0:
        padded = digits.zfill(1 - exponent)
        return f"{sign}{padded[:exponent]}.{padded[exponent:]}"
    return f"{sign}{digits}e{exponent}"


def _parts(number: SpeltNumber) -> tuple[str, str, int]:
    """Sign, digits without zeros at either end, and the power of ten of the last one."""
    found = _NUMBER.fullmatch(number)
    assert found is not None, "a number was read by this pattern"
    sign, whole, part, power = found.groups(default="")
    digits = (whole + part).lstrip("0")
    kept = digits.rstrip("0")
    return sign, kept, int(power or 0) - len(part) + len(digits) - len(kept)


def near(one: SpeltNumber, other: SpeltNumber, tolerance: float) -> bool:
    """Within a tolerance, exactly. Numbers that no real comes near are near to nothing but themselves."""
    if exact(one) == exact(other):
        return True
    if any(abs(Decimal(number).adjusted()) > 400 for number in (one, other)):
        return False
    return abs(Fraction(one) - Fraction(other)) <= Fraction(str(tolerance))


def plain(value: Json) -> Any:
    """As a validator takes it: whole numbers are whole, others decimal."""
    if isinstance(value, SpeltNumber):
        return int(value) if value.lstrip("-").isdigit() else Decimal(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def leaves(value: Json) -> dict[str, str]:
    """By JSON Pointer (RFC 6901) everything that holds nothing else, an empty object or list too."""
    return dict(_leaves(value, ""))


def _leaves(value: Json, at: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, f"{at}/{key.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            yield from _leaves(item, f"{at}/{place}")
    else:
        yield at, written(value, numbers=True)


def pointer_parts(pointer: str) -> Sequence[str] | None:
    """The parts of a JSON Pointer; None for what is none."""
    if pointer and not pointer.startswith("/"):
        return None
    if re.search(r"~(?![01])", pointer):
        return None
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def at_pointer(value: Json, pointer: str) -> Any:
    """What stands at a pointer, or ABSENT."""
    here: Any = value
    for part in pointer_parts(pointer) or ():
        if isinstance(here, dict) and part in here:
            here = here[part]
        elif isinstance(here, list) and re.fullmatch("0|[1-9][0-9]{0,8}", part) and int(part) < len(here):
            here = here[int(part)]
        else:
            return ABSENT
    return here


def balanced(text: str) -> list[tuple[int, int]]:
    """Where objects and lists may stand in prose: outermost brackets with their partners, in one pass."""
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for mark, place in _brackets(text, prose=True):
        if mark in _PARTNER:
            opened.append((_PARTNER[mark], place))
            continue
        while opened and opened[-1][0] != mark:  # opened in the prose, and never closed
            opened.pop()
        if opened:
            start = opened.pop()[1]
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, place + 1))
    return found


def _brackets(text: str, *, prose: bool = False) -> Iterator[tuple[str, int]]:
    """Brackets that are in no string. In prose a quotation mark opens a string only within brackets."""
    place, depth, strings = 0, 0, True
    while found := _MARK.search(text, place):
        mark, place = found[0], found.end()
        if mark != '"':
            depth = max(0, depth + _STEP[mark])
            yield mark, found.start()
        elif strings and (depth or not prose):
            string = _STRING.match(text, found.start())
            strings = string is not None  # one that does not end is the last: each is looked at once
            place = string.end() if string else place
