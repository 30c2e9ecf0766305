"""Shortcuts to `invoices`: lines by their place, by size, by repetition or by usual words; one kind of correction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import Steady, finish
from assay.worlds.families.invoices import OTHER, TABLE, InvoiceReader, _cents
from assay.worlds.fuzzy import alike, nearest, readings

__all__ = ["SHORTCUTS"]

VENDOR = re.compile(r"seller|supplier|vendor|sold|from|issued|\bby\b", re.I)
DATE = re.compile(r"date|issue|invoice|bill", re.I)
AMOUNT = re.compile(r"total|amount|sum\b|due|pay", re.I)
ROLES = TABLE["roles"]
Pick = Callable[[list[str], list[str]], Act]


class OneLook(Steady):
    """Books what one function of the lines and the list of vendors says."""

    def __init__(self, brief: Brief, pick: Pick) -> None:
        super().__init__(brief)
        self._pick = pick

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        return (
            finish() if observation["booked"] else self._pick(observation["invoice"], observation["vendors"])
        )


def _book(vendor: str, cents: int, date: str) -> Act:
    return Act("book", {"vendor": vendor[:80], "amount": cents / 100, "date": date[:10]})


def _parts(lines: list[str]) -> list[list[str]]:
    return [line.split(": ", 1) for line in lines if ": " in line]


def _names(lines: list[str], vendors: list[str]) -> list[tuple[str, str]]:
    """(Label, vendor) of lines that name a vendor, whatever for."""
    found = [(label, said, nearest(said, vendors)) for label, said in _parts(lines)]
    return [(label, vendor) for label, said, vendor in found if alike(said, vendor) > 60]


def _dates(lines: list[str]) -> list[tuple[str, str]]:
    return [(label, readings(said.split(" ")[0])[0]) for label, said in _parts(lines) if said.count("-") > 1]


def _sums(lines: list[str]) -> list[tuple[str, int]]:
    first = [(label, said.split(" ")[0]) for label, said in _parts(lines)]
    return [(label, _cents(word)[0]) for label, word in first if "." in word and _cents(word)]


def _placed(lines: list[str], vendors: list[str], at: int, size: Callable[[list[int]], int]) -> Act:
    names, dates, sums = _names(lines, vendors), _dates(lines), _sums(lines)
    return _book(names[at][1], size([cents for _, cents in sums]), dates[at][1])


def _added(lines: list[str], vendors: list[str], at: int) -> Act:
    items = [_cents(line.split(" ")[7])[0] for line in lines if " = " in line]
    return _book(_names(lines, vendors)[at][1], sum(items), _dates(lines)[at][1])


def _repeated(lines: list[str], vendors: list[str]) -> Act:
    """What is said most often; of dates the one with words behind it."""
    names = Counter(vendor for _, vendor in _names(lines, vendors))
    worded = [(label, said) for label, said in _parts(lines) if "(" in said]
    items = [_cents(line.split(" ")[7])[0] for line in lines if " = " in line]
    return _book(names.most_common(1)[0][0], sum(items), readings(worded[0][1].split(" ")[0])[0])


def _usual_words(lines: list[str], vendors: list[str], *, has: bool = True) -> Act:
    def first(found: list[tuple[str, Any]], words: re.Pattern[str]) -> Any:
        return next((value for label, value in found if bool(words.search(label)) == has), found[0][1])

    return _book(
        first(_names(lines, vendors), VENDOR), first(_sums(lines), AMOUNT), first(_dates(lines), DATE)
    )


def _word_of_label(lines: list[str], vendors: list[str], *, at: Callable[[list[str]], str]) -> Act:
    """Lines of which the first, or last, word for a role is one of those that count; the positions added."""

    def first(found: list[tuple[str, str]], role: str) -> str:
        words = {word: name for name in (role, OTHER[role]) for word in ROLES[name]}
        for label, value in found:
            named = sorted((word for word in words if word in label.lower()), key=label.lower().find)
            if named and words[at(named)] == role:
                return value
        return found[0][1]

    items = [_cents(line.split(" ")[7])[0] for line in lines if " = " in line]
    return _book(first(_names(lines, vendors), "sold"), sum(items), first(_dates(lines), "issued"))


def _as_it_stands(lines: list[str], vendors: list[str]) -> Act:
    """The values of the first fitting lines, without reading anything back."""
    parts = _parts(lines)
    date = next(said.split(" ")[0] for _, said in parts if said.count("-") > 1)
    return _book(parts[0][1], _sums(lines)[0][1], date)


class Assuming(InvoiceReader):
    """Reads every page rightly, and takes all corrections to be of one kind."""

    def __init__(self, brief: Brief, after: Callable[[int, int], int]) -> None:
        super().__init__(brief)
        self._made = after

    def book(self, lines: list[str], vendors: list[str], corrected: str = "") -> Act:
        said = super().book(lines, vendors)
        value = _cents(corrected.split(": ", 1)[1].split(" ")[0])[0]
        due = self._made(round(said.arguments["amount"] * 100), value)
        return Act("book", {**said.arguments, "amount": due / 100})


class FirstPages(InvoiceReader):
    """Takes the first pages that bear the number for those that are needed."""

    def pages(self, contents: dict[str, str]) -> list[str]:
        number = next(word for word in re.findall(r"\d+", self.brief.goal))
        own = [page for page, said in contents.items() if any(number in readings(w) for w in said.split(" "))]
        return [*own, *contents][:3]

    def book(self, lines: list[str], vendors: list[str], corrected: str = "") -> Act:
        every = [*lines, corrected]
        names, dates, sums = _names(every, vendors), _dates(every), _sums(every)
        cents = sums[0][1] - sums[-1][1] if len(sums) > 1 else sums[0][1] if sums else 0
        return _book(names[0][1] if names else vendors[0], cents, dates[0][1] if dates else "2025-01-01")


def _once(pick: Pick) -> Callable[[Brief], Policy]:
    return partial(OneLook, pick=pick)


SIZES: dict[str, Callable[[list[int]], int]] = {
    "largest sum": max,
    "smallest sum": min,
    "first sum": lambda sums: sums[0],
    "last sum": lambda sums: sums[-1],
}
PLACED = {
    f"{where} lines, {size}": _once(partial(_placed, at=at, size=SIZES[size]))
    for (where, at), size in product((("first", 0), ("last", -1)), SIZES)
}
PLACED |= {
    "first lines, positions added": _once(partial(_added, at=0)),
    "last lines, positions added": _once(partial(_added, at=-1)),
    "usual words": _once(_usual_words),
    "unusual words": _once(partial(_usual_words, has=False)),
    "the first word of labels": _once(partial(_word_of_label, at=lambda named: named[0])),
    "the last word of labels": _once(partial(_word_of_label, at=lambda named: named[-1])),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: PLACED,
    4: {**PLACED, "as it stands": _once(_as_it_stands), "what is repeated": _once(_repeated)},
    5: {
        "without correction": partial(Assuming, after=lambda due, value: due),
        "always less": partial(Assuming, after=lambda due, value: due - value),
        "always more": partial(Assuming, after=lambda due, value: due + value),
        "always instead": partial(Assuming, after=lambda due, value: value),
        "first pages with the number": FirstPages,
    },
}
