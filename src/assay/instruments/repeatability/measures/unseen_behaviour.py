"""What the measures of behaviour could be where programs were not seen to their end.

Such a program ran out of time or memory, or returned what is no plain data. It stays in the class it had one rung
below, as though nothing else behaved like it; it might behave like any other. Seen classes stay apart, and outputs
that are the same program stay together. What was not loaded behaves in no way: it is not unknown, and joins nothing.
So all extremes are reached by joining whole classes:

=======================  ==================================================================================
``apart``                no unseen class behaves like another: the value that is reported
``joined``               all of them behave like the largest seen class. Its sizes majorise those of any other
                         way to join them, so that agreement is largest there and entropy least
=======================  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assay.instruments.repeatability.cells.cell import Cell, Output

__all__ = ["BEHAVIOUR", "NOT_LOADED", "UNSEEN_BOUNDS", "UnseenBehaviour", "unseen_behaviour"]

BEHAVIOUR = "behaviour"
NOT_LOADED = "no output was loaded as a program, so none behaved in any way"
UNSEEN_BOUNDS = "no bounds: an estimate from single and double classes does not follow their joining"


class UnseenBehaviour(NamedTuple):
    """Sizes of classes at the rung of behaviour: seen, of which no output was, and that were not even loaded."""

    seen: tuple[int, ...]
    unseen: tuple[int, ...]
    not_loaded: tuple[int, ...] = ()

    @property
    def note(self) -> str:
        return f"the behaviour of {sum(self.unseen)} of {sum(self.apart)} outputs is unknown"

    @property
    def apart(self) -> list[int]:
        return sorted((*self.seen, *self.unseen, *self.not_loaded), reverse=True)

    @property
    def joined(self) -> list[int]:
        first, *rest = sorted(self.seen, reverse=True) or [0]
        return [first + sum(self.unseen), *rest, *self.not_loaded]

    @property
    def fewest_single(self) -> int:
        """The fewest outputs that can be unlike all others: each unseen class joins a seen single, as far as there are.

        Where none was seen, unseen classes join each other; one alone stays what it is.
        """
        alone = self.not_loaded.count(1)
        if not self.seen:
            return int(tuple(self.unseen) == (1,)) + alone
        return max(0, self.seen.count(1) - len(self.unseen)) + alone


def unseen_behaviour(cell: Cell, rung: str = BEHAVIOUR) -> UnseenBehaviour | None:
    """None where every program that was loaded was seen to its end, and at every other rung."""
    if rung != BEHAVIOUR or all(output.behaviour is not None for output in cell.outputs):
        return None
    return _classes(cell.ladder[rung], cell.outputs)


def _classes(classes: Sequence[int], outputs: Sequence[Output]) -> UnseenBehaviour | None:
    sizes: dict[int, int] = {}
    seen: set[int] = set()
    loaded: set[int] = set()
    for number, output in zip(classes, outputs, strict=True):
        sizes[number] = sizes.get(number, 0) + 1
        if output.behaviour is not None:
            seen.add(number)
        if output.loaded:
            loaded.add(number)
    unseen = tuple(size for number, size in sizes.items() if number in loaded - seen)
    not_loaded = tuple(size for number, size in sizes.items() if number not in loaded | seen)
    return (
        UnseenBehaviour(tuple(sizes[n] for n in sizes if n in seen), unseen, not_loaded) if unseen else None
    )
