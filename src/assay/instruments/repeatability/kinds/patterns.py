"""Regular expressions on text that nobody trusts, in time that grows with its length only.

Python's ``re`` goes back and tries again, and a text can be made for which that takes for ever. The expressions of a
contract are therefore those of Rust's ``regex`` (as polars has it): no look-around, no references back, linear time.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["LONGEST_PATTERN", "find_group", "matches", "pattern_fault"]

LONGEST_PATTERN = 1_000


def pattern_fault(pattern: str) -> str:
    """What is wrong with an expression, or nothing."""
    if len(pattern) > LONGEST_PATTERN:
        return f"an expression has at most {LONGEST_PATTERN:,} characters"
    from polars.exceptions import ComputeError

    try:
        matches(pattern, "")
    except ComputeError as error:
        lines = [
            line.removeprefix("error: ") for line in str(error).splitlines() if line.startswith("error: ")
        ]
        return f"not an expression of linear time: {'; '.join(lines) or 'it cannot be read'}"
    return ""


@lru_cache(maxsize=4096)
def matches(pattern: str, text: str) -> bool:
    """Whether an expression is found anywhere in a text."""
    import polars

    return bool(polars.Series([text]).str.contains(pattern)[0])


@lru_cache(maxsize=4096)
def find_group(pattern: str, text: str) -> str | None:
    """What the first group matches, or all of it where there is none. Nothing, and different matches, are None."""
    import polars

    series = polars.Series([text])
    found = set(series.str.extract_all(pattern)[0])
    if len(found) != 1:
        return None
    groups: dict[str, str | None] = series.str.extract_groups(pattern)[0]
    return next(iter(groups.values())) if groups else found.pop()
