"""What families of goal revision share: sentences of a goal, lists of names in them, choices by declared criteria."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeVar

from assay.streams import Stream
from assay.worlds.model import Refused, Task
from assay.worlds.templates import read_first

__all__ = [
    "Refusals",
    "best_by",
    "decided_otherwise",
    "in_other_order",
    "met_as_given",
    "named_in",
    "orders_of",
    "put_together",
    "quantities",
    "single_best",
]

Option = TypeVar("Option")
Plans = Sequence[tuple[Option, Mapping[str, int]]]  # what could be done, and what each criterion says of it
FEWEST = 4  # plans that are allowed, so that there is something to choose from
OFTEN = 2  # so often a refused thing may be tried: once more than needed, as an answer can be lost


def met_as_given(task: Task, action: str) -> bool | None:
    """10.10.2: whether the goal of level 1 or 2 can be met as it was given, so ``action`` is right; None elsewhere."""
    return task.criterion.expected["action"] == action if task.level in (1, 2) else None


def put_together(stream: Stream, *slots: Sequence[str] | list[Sequence[str]]) -> list[str]:
    """Templates of a goal: one wording a slot. A list of slots is said in any order."""
    found: list[str] = []
    for slot in slots:
        if isinstance(slot[0], str):
            found.append(stream.choice([str(wording) for wording in slot]))
        else:
            found += [stream.choice(wordings) for wordings in stream.shuffled(slot)]
    return found


def quantities(goal: str, *slots: Sequence[str]) -> dict[str, int]:
    """The whole numbers that a goal states in these slots."""
    found: dict[str, str] = {}
    for wordings in slots:
        found |= read_first(wordings, goal, r"\d+")
    return {name: int(number) for name, number in found.items()}


def named_in(said: str, names: Sequence[str]) -> list[str]:
    """The names that stand in a text, as whole words."""
    words = set(re.findall(r"\w+", said))
    return [name for name in names if name in words]


def best_by(order: Sequence[str], plans: Plans[Option]) -> list[Option]:
    """The plans that are best when the first criterion decides, then the second, and so on; less is better."""
    least = min(tuple(value[name] for name in order) for _, value in plans)
    return [plan for plan, value in plans if tuple(value[name] for name in order) == least]


def single_best(
    order: Sequence[str], plans: Plans[Option], free: Plans[Option], *, deep: bool
) -> Option | None:
    """The best plan, if it can be told by nothing less than all that is declared.

    There is one such plan; any other criterion put first would lead elsewhere; without the limits another plan, of
    those in ``free``, would be best; and where the case is to be ``deep``, the first criterion alone does not decide.
    """
    if len(plans) < FEWEST:
        return None
    best = best_by(order, plans)
    others = [other for other in orders_of(order) if other[0] != order[0]]
    if len(best) > 1 or any(best[0] in best_by(other, plans) for other in others):
        return None
    if best_by(order, free) == best or (deep and len(best_by(order[:1], plans)) == 1):
        return None
    return best[0]


def orders_of(criteria: Sequence[str]) -> list[tuple[str, ...]]:
    return list(permutations(criteria))


class Refusals:
    """Counts what was refused, so that trying the same again and again shows in the state (level 0 of 10.10.2)."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def refuse(self, what: str, why: str) -> Refused:
        self.counts[what] = self.counts.get(what, 0) + 1
        return Refused(why)

    @staticmethod
    def failures(counts: Mapping[str, int]) -> Iterator[str]:
        for what, count in sorted(counts.items()):
            if count > OFTEN:
                yield f"{what} was tried {count} times, though it was refused"


def decided_otherwise(decided: Sequence[dict[str, Any]], right: dict[str, Any]) -> Iterator[str]:
    """The failures of a single decision that has to be exactly this one."""
    if not decided:
        yield "nothing was decided"
    elif decided[0]["action"] != right["action"]:
        yield f"the request was answered with {decided[0]['action']}, and calls for {right['action']}"
    else:
        said = decided[0]["arguments"]
        yield from (f"{name} is wrong" for name, value in right["arguments"].items() if said[name] != value)


def in_other_order(lists: Sequence[Sequence[Mapping[str, Any]]], key: str, names: Sequence[str]) -> bool:
    """Whether, of these names, another one comes first in the second list, and another one last."""
    first, second = ([str(row[key]) for row in rows if row[key] in names] for rows in lists)
    return first[0] != second[0] and first[-1] != second[-1]
