"""Normalised Levenshtein distance: edit distance over the longer length, on code points.

Version ``levenshtein/1``. d(a, a) = 0, d("", s) = 1 for a non-empty s, d("", "") = 0. The cost is the product of
the lengths, what the texts have in common at either end set aside. Beyond that of two texts of 100,000 characters
the same distance is taken over larger units (lines, or blocks of equal size where there are too many lines), so
that the cost stays bounded; it keeps d(a, a) = 0, symmetry, the bounds, and d > 0 for different texts.
"""

from __future__ import annotations

from fractions import Fraction

from rapidfuzz.distance import Levenshtein, Postfix, Prefix

__all__ = ["DISTANCE", "LONGEST", "distance", "distance_within"]

DISTANCE = "levenshtein/1"
LONGEST = 100_000


def distance(a: str, b: str) -> Fraction:
    """Exact, so that thresholds are decided exactly; ``float`` it for display and means."""
    if a == b:
        return Fraction(0)
    inner, other = _inner(a, b)
    if len(inner) * len(other) <= LONGEST**2:
        return Fraction(Levenshtein.distance(inner, other), max(len(a), len(b)))
    x, y = _units(a, b)
    return Fraction(Levenshtein.distance(x, y), max(len(x), len(y)))


def distance_within(a: str, b: str, limit: Fraction) -> Fraction | None:
    """None for a distance beyond the limit, which need not be worked out."""
    inner, other = _inner(a, b)
    if len(inner) * len(other) > LONGEST**2:
        found = distance(a, b)
        return found if found <= limit else None
    longer = max(len(a), len(b), 1)
    most = longer * limit.numerator // limit.denominator
    edits = Levenshtein.distance(inner, other, score_cutoff=most)
    return Fraction(edits, longer) if edits <= most else None


def _inner(a: str, b: str) -> tuple[str, str]:
    """Without the beginning and the end that both share; the edit distance is that of what is left."""
    head = Prefix.similarity(a, b)
    a, b = a[head:], b[head:]
    tail = Postfix.similarity(a, b)
    return a[: len(a) - tail], b[: len(b) - tail]


def _units(a: str, b: str) -> tuple[list[int], list[int]]:
    x, y = a.splitlines(keepends=True), b.splitlines(keepends=True)
    if max(len(x), len(y)) <= LONGEST:
        return _numbered(x, y)
    size = -(-max(len(a), len(b)) // LONGEST)
    return _numbered(_blocks(a, size), _blocks(b, size))


def _blocks(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def _numbered(x: list[str], y: list[str]) -> tuple[list[int], list[int]]:
    """Equal units get equal numbers: nothing rests on the hash of a string."""
    numbers: dict[str, int] = {}
    for unit in (*x, *y):
        numbers.setdefault(unit, len(numbers))
    return [numbers[unit] for unit in x], [numbers[unit] for unit in y]
