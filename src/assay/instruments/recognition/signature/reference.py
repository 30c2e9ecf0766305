"""What is usual: means, spreads and terciles of the signature in a reference corpus, shipped as numbers alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from .definition import DIMENSIONS, Version, data_file

__all__ = ["Norms", "Tercile", "norms", "norms_of", "tercile"]

Tercile = Literal["low", "middle", "high"]
Five = tuple[float, float, float, float, float]


class Norms(msgspec.Struct, frozen=True, kw_only=True):
    """One version's numbers in the reference corpus, by dimension.

    ``spread`` is what a dimension is divided by: 1 in version 1. ``mean``, ``sd`` and the ends of the lower and middle
    thirds are of the vectors as they are given out. ``horizon`` is the drift that counts as far.
    """

    texts: int
    spread: Five
    mean: Five
    sd: Five
    lower: Five
    upper: Five
    horizon: float


@cache
def norms(version: Version) -> Norms:
    """The shipped numbers of a version."""
    return msgspec.convert(data_file("reference.json")["versions"][str(version)], Norms)


def norms_of(vectors: npt.NDArray[np.float64], spread: Sequence[float], horizon: float) -> Norms:
    """The numbers of a corpus, from its vectors: how the shipped ones were made."""
    thirds = np.quantile(vectors, [1 / 3, 2 / 3], axis=0)
    rows = (spread, vectors.mean(0), vectors.std(0, ddof=1), *thirds)
    five = [msgspec.convert([float(f"{value:.6g}") for value in row], Five) for row in rows]
    return Norms(
        texts=len(vectors),
        spread=five[0],
        mean=five[1],
        sd=five[2],
        lower=five[3],
        upper=five[4],
        horizon=horizon,
    )


def tercile(version: Version, dimension: str, value: float) -> Tercile:
    """The third of the reference corpus in which a value lies. Where a third of the texts have 0, 0 is low."""
    known, place = norms(version), DIMENSIONS.index(dimension)
    return "low" if value <= known.lower[place] else "middle" if value <= known.upper[place] else "high"
