"""What the measures of behaviour could be where programs were not seen to their end.

Such a program ran out of time or memory, or returned what is no plain data. It stays in the class it had one rung
below, as though nothing else behaved like it; it might behave like any other. Seen classes stay apart, and outputs
that are the same program stay together. So all extremes are reached by joining whole classes:

=======================  ==================================================================================
``apart``                no unseen class behaves like another: the value that is reported
``joined``               all of them behave like the largest seen class. Its sizes majorise those of any other
                         way to join them, so that agreement is largest there and entropy least
=======================  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.instruments.repeatability.cells.cell import Cell

__all__ = ["BEHAVIOUR", "UNSEEN_BOUNDS", "UnseenBehaviour", "unseen_behaviour"]

BEHAVIOUR = "behaviour"
UNSEEN_BOUNDS = "no bounds: an estimate from single and double classes does not follow their joining"


class UnseenBehaviour(NamedTuple):
    """Sizes of classes at the rung of behaviour: those that were seen, and those of which no output was."""

    seen: tuple[int, ...]
    unseen: tuple[int, ...]

    @property
    def note(self) -> str:
        return (
            f"the behaviour of {sum(self.unseen)} of {sum(self.seen) + sum(self.unseen)} outputs is unknown"
        )

    @property
    def apart(self) -> list[int]:
        return sorted((*self.seen, *self.unseen), reverse=True)

    @property
    def joined(self) -> list[int]:
        first, *rest = sorted(self.seen, reverse=True) or [0]
        return [first + sum(self.unseen), *rest]

    @property
    def fewest_single(self) -> int:
        """The fewest outputs that can be unlike all others: each unseen class joins a seen single, as far as there are.

        Where none was seen, unseen classes join each other; one alone stays what it is.
        """
        if not self.seen:
            return int(tuple(self.unseen) == (1,))
        return max(0, self.seen.count(1) - len(self.unseen))


def unseen_behaviour(cell: Cell, rung: str = BEHAVIOUR) -> UnseenBehaviour | None:
    """None where every program was seen to its end, and at every other rung."""
    if rung != BEHAVIOUR or all(output.behaviour is not None for output in cell.outputs):
        return None
    return _classes(cell.ladder[rung], [output.behaviour is not None for output in cell.outputs])


def _classes(classes: Sequence[int], shown: Sequence[bool]) -> UnseenBehaviour | None:
    sizes: dict[int, int] = {}
    known: set[int] = set()
    for number, there in zip(classes, shown, strict=True):
        sizes[number] = sizes.get(number, 0) + 1
        if there:
            known.add(number)
    unseen = tuple(size for number, size in sizes.items() if number not in known)
    return UnseenBehaviour(tuple(sizes[n] for n in sizes if n in known), unseen) if unseen else None
