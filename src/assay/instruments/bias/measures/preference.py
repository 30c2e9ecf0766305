"""Letter and position preference: how often a choice falls on the first position or letter, whatever stands there.

Over counterbalanced items a subject without a preference chooses each of k in 1/k of its answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from assay.instruments.bias.cells import Floats, Ints, sums_by
from assay.vocabulary import Measure

from .estimates import Term, contrast
from .settings import BiasSettings, reported

__all__ = ["preference_measures"]

LETTERS = "ABCDEFGHIJ"


def preference_measures(
    subjects: Sequence[str],
    subject: Ints,
    cluster: Ints,
    position: Ints,
    letter: npt.NDArray[np.object_],
    options: Ints,
    settings: BiasSettings,
) -> Iterator[Measure]:
    """``position`` is from 1, 0 where nothing was chosen; ``options`` is 0 where there was no choice."""
    chosen = (options > 1) & (position > 0)
    for code, name in enumerate(subjects):
        here = chosen & (subject == code)
        if not here.any():
            continue
        _, at = np.unique(cluster[here], return_inverse=True)
        k, places = options[here], position[here]
        letters = np.array([LETTERS.find(one) + 1 if one else 0 for one in letter[here]])
        for what, picked in (("position", places), ("letter", letters)):
            yield _first(name, what, at, picked, k, settings)
            for size in np.unique(k):
                for one in range(1, int(size) + 1):
                    yield _share(name, what, at[k == size], picked[k == size], one, int(size), settings)


def _first(name: str, what: str, at: Ints, picked: Ints, k: Ints, settings: BiasSettings) -> Measure:
    """The share of the first one less what chance gives it."""
    n = np.bincount(at).astype(np.float64)
    chance: Floats = 1.0 / k
    estimate = contrast(
        Term(n, sums_by(at, (picked == 1).astype(np.float64))), Term(n, sums_by(at, chance), -1.0)
    )
    return reported(
        f"{what}_preference",
        estimate.value,
        {"subject": name},
        settings,
        ends=settings.ends(estimate),
        n=int(n.sum()),
        units="difference of shares",
        method=f"share of the first less 1/k, {estimate.method}",
        notes=("0 is no preference, where every option stands equally often in every place",),
    )


def _share(
    name: str, what: str, at: Ints, picked: Ints, one: int, size: int, settings: BiasSettings
) -> Measure:
    n = np.bincount(at).astype(np.float64)
    estimate = contrast(Term(n, sums_by(at, (picked == one).astype(np.float64))))
    return reported(
        f"{what}_share",
        estimate.value,
        {"subject": name, "options": float(size), what: LETTERS[one - 1] if what == "letter" else str(one)},
        settings,
        ends=settings.ends(estimate),
        n=int(n.sum()),
        k=int((picked == one).sum()),
        method=estimate.method,
        notes=(f"chance is {1 / size:.3f}",),
    )
