"""The ladder of sameness: in which sense are two programs the same?

==============  ==========================================================================================
rung            the same are programs with equal
==============  ==========================================================================================
``bytes``       bytes
``text``        text but for line ends and trailing white space (``text/2``)
``layout``      tokens: comments, blank lines, spacing and width of indentation aside (``layout/1``)
``ast``         syntax tree, docstrings aside (``ast/1``)
``names``       syntax tree after consistent renaming of what may be renamed (``names/1``)
``behaviour``   results, on the contract's tests and on inputs generated from them (``behaviour/2``)
==============  ==========================================================================================

Each rung joins what the rung below it has joined: programs that are the same in a narrow sense are the same in
every wider one. Where a program cannot be put on a rung (it does not parse; it was not seen to its end) it stays
in the class it had below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence

__all__ = ["PYTHON_RUNGS", "RUNGS", "TEXT_RUNGS", "class_sizes", "climb", "contradictions"]

RUNGS = ("bytes", "text", "layout", "ast", "names", "behaviour")
PYTHON_RUNGS = RUNGS
TEXT_RUNGS = ("bytes", "text", "behaviour")  # of a program in another language: Assay reads no other grammar


def climb(
    programs: Sequence[str],
    behaviours: Sequence[str | None],
    forms: Callable[[str], object],
    rungs: Sequence[str] = RUNGS,
) -> dict[str, list[int]]:
    """For each rung the class of each program, numbered in order of first appearance."""
    classes = _numbered(programs)
    found = {"bytes": classes}
    for rung in rungs[1:]:
        keys: dict[int, Hashable] = {}  # of a class, by the first of it that can be put on this rung
        for place, number in enumerate(classes):
            if keys.get(number) is None:
                keys[number] = (
                    behaviours[place] if rung == "behaviour" else getattr(forms(programs[place]), rung)
                )
        classes = _numbered([(number,) if keys[number] is None else keys[number] for number in classes])
        found[rung] = classes
    return found


def class_sizes(classes: Sequence[int]) -> list[int]:
    """How many programs each class has, largest first."""
    return sorted(Counter(classes).values(), reverse=True)


def contradictions(behaviours: Sequence[str | None], classes: Sequence[int]) -> int:
    """How many classes hold programs that were seen to behave differently.

    At ``names`` there should be none: programs that differ in nothing but names do the same. Where there are some,
    the programs most likely do not do the same twice. Rungs only join, so such a class stays one.
    """
    seen: dict[int, set[str]] = {}
    for behaviour, number in zip(behaviours, classes, strict=True):
        if behaviour is not None:
            seen.setdefault(number, set()).add(behaviour)
    return sum(len(kinds) > 1 for kinds in seen.values())


def _numbered(keys: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]
