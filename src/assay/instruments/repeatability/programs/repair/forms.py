"""Equivalent forms: steps that write a part of the program in another way that means the same for every input.

Each rule stands with its condition, and with what the condition keeps out, in the table of its module:
``forms_expressions`` (literals, ranges, tests), ``forms_lists`` (loops that build lists), ``forms_statements``
(branches, returns, passes), ``forms_assignments``. What must be known of a program is in ``forms_facts``, how its
text is changed in ``forms_edit``.

Some pairs that look the same are not, and have no rule: ``len(x) == 0`` and ``not x``, ``x == None`` and
``x is None``, ``for k in d.keys()`` and ``for k in d``, ``a != b`` and ``not a == b``: what they do is up to the
objects.

The canon only chooses. A rewrite is proposed when it brings the nodes of its function, counted by kind, nearer to
those of the canon's function of that name: all such rewrites at once first, then each alone, the best first.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from functools import lru_cache

from .forms_assignments import ASSIGNMENTS
from .forms_edit import Rewrite
from .forms_expressions import LITERALS, RANGES, TESTS
from .forms_facts import Facts, facts_of, label
from .forms_lists import LISTS
from .forms_statements import PASSES, RETURNS, SWAPS
from .model import Program, Propose, Step

__all__ = ["FORMS", "MOST_PROPOSALS"]

MOST_PROPOSALS = 12
_MOST_BARREN = 1_024

Rules = Sequence[Callable[[Facts, Facts], Iterator[Rewrite]]]


class _Barren:
    """Units in which rules that look at nothing outside a unit had nothing to gain. The oldest are forgotten.

    The outputs of a cell, and a program on its way, have most units in common.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, None] = {}

    def __contains__(self, unit: Hashable) -> bool:
        return unit in self._known

    def add(self, unit: Hashable) -> None:
        if len(self._known) >= _MOST_BARREN:
            del self._known[next(iter(self._known))]
        self._known[unit] = None


def _proposer(rules: Rules, *, local: bool = True) -> Propose:
    barren = _Barren() if local else None

    def propose(program: Program, canon: Program) -> Iterator[str]:
        if program.source == canon.source:
            return
        facts, target = facts_of(program), facts_of(canon)
        if facts is not None and target is not None:
            yield from _proposals(facts, _ranked(facts, target, rules, barren))

    return propose


def _ranked(facts: Facts, target: Facts, rules: Rules, barren: _Barren | None) -> list[Rewrite]:
    """The rewrites that gain anything, by what they gain; among equals in the order of the rules."""
    bags, unlike = _counterparts(facts, target)
    units = [unit for unit, known in unlike.items() if barren is None or known is None or known not in barren]
    if not units:
        return []
    within = facts.within(frozenset(units))
    found = [(_gain(one, facts, *bags[one.unit]), one) for rule in rules for one in rule(within, target)]
    ranked = [one for gain, one in sorted(found, key=lambda pair: -pair[0]) if gain > 0]
    if barren is not None:
        gaining = {one.unit for one in ranked}
        for unit in units:
            if unit not in gaining and unlike[unit] is not None:
                barren.add(unlike[unit])
    return ranked


Bags = list[tuple[Counter[str], Counter[str]]]


@lru_cache(maxsize=4)  # every step asks for those of the same two programs
def _counterparts(facts: Facts, target: Facts) -> tuple[Bags, dict[int, Hashable]]:
    """By unit, its nodes and those of the canon that they are compared with; the units that differ.

    The canon's unit of that name; failing that, the one in that place when there are as many; else all of it.
    A unit that differs comes with all that is looked at in it; None where that is more than a unit.
    """
    pairs: Bags = []
    unlike: dict[int, Hashable] = {}
    for unit, (name, (part, number)) in enumerate(zip(facts.units, facts.origins, strict=True)):
        other: int | None = None
        if name in target.units:
            other = target.units.index(name)
        elif len(facts.units) == len(target.units):
            other = unit
        pairs.append((facts.whole, target.whole) if other is None else (facts.bags[unit], target.bags[other]))
        if pairs[-1][0] != pairs[-1][1]:
            alone = part is not None and other is not None
            unlike[unit] = (part, number, facts.around, other, target.sheet.source) if alone else None
    return pairs, unlike


def _gain(rewrite: Rewrite, facts: Facts, here: Counter[str], there: Counter[str]) -> int:
    """By how many nodes the difference between the two bags shrinks; none for an expression not wanted there."""
    if isinstance(rewrite.old[0], ast.expr):
        before, after = label(rewrite.old[0]), label(rewrite.new[0])
        if before != after and here[after] >= there[after]:
            return 0
    gain = 0
    for kind, more in _change(rewrite, facts.sheet.known).items():
        gain += abs(here[kind] - there[kind]) - abs(here[kind] + more - there[kind])
    return gain


def _change(rewrite: Rewrite, known: Set[int]) -> Counter[str]:
    """How many nodes of each kind there are more; what the new nodes take over from the old ones is not counted."""
    change: Counter[str] = Counter()
    kept: set[int] = set()
    for nodes, stop, sign in ((rewrite.new, known, 1), (rewrite.old, kept, -1)):
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if id(node) in stop and isinstance(node, ast.stmt | ast.expr):
                kept.add(id(node))
            elif not isinstance(node, ast.expr_context):
                change[label(node)] += sign
                stack += ast.iter_child_nodes(node)
    return change


def _proposals(facts: Facts, rewrites: Sequence[Rewrite]) -> Iterator[str]:
    together = _disjoint(facts, rewrites)
    groups = [together] if len(together) > 1 else []
    groups += [[one] for one in rewrites]
    seen: set[str] = set()
    for group in groups[:MOST_PROPOSALS]:
        source = facts.sheet.apply(group)
        if source is not None and source not in seen:
            seen.add(source)
            yield source


def _disjoint(facts: Facts, rewrites: Sequence[Rewrite]) -> list[Rewrite]:
    """Those that do not touch one another, the best first."""
    taken: list[tuple[int, int]] = []
    chosen = []
    for one in rewrites:
        start, end = facts.sheet.extent(one)
        if all(end <= low or high <= start for low, high in taken):
            taken.append((start, end))
            chosen.append(one)
    return chosen


def _step(name: str, about: str, rules: Rules, *, local: bool = True) -> Step:
    return Step(name, about, _proposer(rules, local=local))


FORMS: tuple[Step, ...] = (
    _step(
        "literals", "empty literals, sets and dictionaries or calls of the builtins that make them", LITERALS
    ),
    _step(
        "loops",
        "ranges from 0, endless loops, loops that build a list or comprehensions",
        (*RANGES, *LISTS),
        local=False,  # whether a function can reach itself is seen all over the program
    ),
    _step(
        "tests", "negations inside or outside a comparison, branches the other way round", (*TESTS, *SWAPS)
    ),
    _step("returns", "branches that leave, values named before they are returned, last returns", RETURNS),
    _step("passes", "statements that do nothing", PASSES),
    _step("assignments", "names assigned at once or one by one, in place or anew", ASSIGNMENTS),
)
