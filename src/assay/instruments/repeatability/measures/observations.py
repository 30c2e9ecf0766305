"""What two runs are compared by: passes, and pairs of outputs that agree.

Whether two outputs agree is known of pairs only, and pairs that share an output hang together. So outputs are taken
two by two in the order of repetition, each in one pair: the share of such pairs that agree has the expectation of
``pairwise_agreement``. ``R`` has no such form (it is larger in a smaller cell), nor has ``R_anchor``: it goes by the
one output that became the canon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.instruments.repeatability.cells.cell import Cell
from assay.measuring.comparison import Observation
from assay.vocabulary import Instance

from .comparisons import RUNGS
from .unseen_behaviour import BEHAVIOUR

__all__ = ["cell_observations"]


def cell_observations(cells: Sequence[Cell], instrument: str, seed: int) -> Iterator[Observation]:
    """Every output and every pair of outputs; the mean over contracts is compared."""
    for cell in cells:
        key = cell.key
        contract, subject = key.contract, key.subject
        where = {name: value for name, value in key.labels.items() if name not in ("contract", "subject")}
        units = [Instance(instrument, contract, one.repetition, seed).digest for one in cell.outputs]
        for unit, output in zip(units, cell.outputs, strict=True):
            passed = float(output.passed)
            yield Observation("pass_rate", subject, passed, unit, contract, where, contract)
        for rung in (one for one in RUNGS if one in cell.rungs):
            if rung == BEHAVIOUR and not cell.loaded:
                continue
            classes = cell.ladder[rung]
            for first in range(0, cell.n - 1, 2):
                same = float(classes[first] == classes[first + 1])
                pair = f"{units[first]}+{units[first + 1]}"
                at = {**where, "rung": rung}
                yield Observation("pair_agreement", subject, same, pair, contract, at, contract)
