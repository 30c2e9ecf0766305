"""Requirements: what a release must reach, declared in the study and judged by the measures.

::

    require:
      pass_rate: 0.9                   # the side that is better: at least
      mu_pre text: {at_most: 0.2}      # a measure with labels: its name, then their values
      M2: {at_least: 0.9, by: value}   # by the value instead of the whole interval

An instrument says what can be required (`Target`); names are checked when the study is locked. In every cell a
requirement holds when the whole interval keeps the bound, fails when none of it does, and is not established
between, nor where the measure is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, field

from assay.errors import InputError, UnknownName
from assay.stats import clopper_pearson
from assay.vocabulary import Measure, Verdict

from .measures import Labels
from .verdicts import By, Side, against, rule_of

__all__ = [
    "Bound",
    "Target",
    "check_requirements",
    "flawless",
    "least_n",
    "requirement_verdicts",
    "warnings_of",
]

MOST_N = 1_000_000


class Bound(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One side, and by what it is judged; by default what the instrument says of the measure."""

    at_least: float | None = None
    at_most: float | None = None
    by: By | None = None


class Target(Struct, frozen=True, kw_only=True):
    """A measure that can be required. ``labels`` say which of the measures of that name is meant."""

    measure: str
    labels: dict[str, str] = field(default_factory=dict)
    side: Side = "at least"
    by: By = "interval"
    lowest: float = 0.0
    highest: float = 1.0


class _Asked(Struct, frozen=True):
    name: str
    target: Target
    side: Side
    bound: float
    by: By

    @property
    def claim(self) -> str:
        return f"{self.name} is {self.side} {self.bound:g}"


def check_requirements(required: Mapping[str, float | Bound], targets: Mapping[str, Target]) -> None:
    """Refuse what is not measured, and bounds outside a measure's range."""
    for name, bound in required.items():
        asked = _asked(name, bound, targets)
        low, high = asked.target.lowest, asked.target.highest
        if not low <= asked.bound <= high:
            raise InputError(
                f"{name}: {asked.bound:g} is asked for, but it lies between {low:g} and {high:g}"
            )


def _asked(name: str, bound: float | Bound, targets: Mapping[str, Target]) -> _Asked:
    if name not in targets:
        raise UnknownName("measure", name, targets)
    target = targets[name]
    if not isinstance(bound, Bound):
        return _Asked(name, target, target.side, bound, target.by)
    if bound.by == "interval" and target.by == "value":
        raise InputError(f"{name}: has no interval and goes by its value; leave by out")
    if (bound.at_least is None) == (bound.at_most is None):
        raise InputError(f"{name}: give one of at_least and at_most")
    by = bound.by or target.by
    if bound.at_least is not None:
        return _Asked(name, target, "at least", bound.at_least, by)
    assert bound.at_most is not None
    return _Asked(name, target, "at most", bound.at_most, by)


def requirement_verdicts(
    measures: Sequence[Measure],
    required: Mapping[str, float | Bound],
    targets: Mapping[str, Target],
    cells: Sequence[Labels],
) -> list[Verdict]:
    """One verdict a requirement and cell. A cell is what is judged alone, such as one subject: by its labels."""
    found = []
    for name, bound in required.items():
        asked = _asked(name, bound, targets)
        wanted = asked.target.labels.items()
        mine = [m for m in measures if m.name == asked.target.measure and wanted <= m.labels.items()]
        for cell in cells or [{}]:
            where = ", ".join(f"{key} {value}" for key, value in cell.items())
            claim = f"{asked.claim} ({where})" if where else asked.claim
            measure = _of_cell(mine, cell)
            if measure is None:
                because = "it is not measured in this cell"
                found.append(
                    Verdict(
                        name=name,
                        kind="requirement",
                        labels=dict(cell),
                        claim=claim,
                        rule=rule_of(asked.by),
                        holds=None,
                        because=because,
                    )
                )
                continue
            found.append(
                against(
                    measure,
                    asked.side,
                    asked.bound,
                    name=name,
                    kind="requirement",
                    claim=claim,
                    by=asked.by,
                    labels=cell,
                )
            )
    return found


def _of_cell(measures: Sequence[Measure], cell: Labels) -> Measure | None:
    """The measure of a cell: of several, the one with the fewest further labels, the whole before a part.

    Where only parts are there, none of them speaks for the cell.
    """
    mine = [measure for measure in measures if cell.items() <= measure.labels.items()]
    least = min((len(measure.labels) for measure in mine), default=0)
    nearest = [measure for measure in mine if len(measure.labels) == least]
    return nearest[0] if len(nearest) == 1 else None


def least_n(bound: float, at: Callable[[int], float], most: int = MOST_N) -> int | None:
    """The least n whose flawless interval reaches the bound; ``at(n)`` is that interval's lower end."""
    if at(most) < bound:
        return None
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if at(middle) >= bound else (middle, high)
    return high


def flawless(confidence: float) -> Callable[[int], float]:
    """The lower end of the interval of n successes of n."""
    return lambda n: clopper_pearson(n, n, confidence).low


def warnings_of(
    required: Mapping[str, float | Bound],
    targets: Mapping[str, Target],
    n_of: Callable[[Target], tuple[int, Callable[[int], float]] | None],
) -> list[str]:
    """Requirements that the declared n can never satisfy, each with the n that could.

    ``n_of`` gives the n of a target and the lower end of a flawless interval by n; None where that is not known
    beforehand. Only shares that must be at least something are looked at: a flawless sample is their best case.
    """
    said = []
    for name, bound in required.items():
        asked = _asked(name, bound, targets)
        if asked.by != "interval" or (asked.side == "at least") != (asked.target.side == "at least"):
            continue
        found = n_of(asked.target)
        if found is None:
            continue
        n, at = found
        best = asked.bound if asked.side == "at least" else asked.target.highest - asked.bound
        if not n or at(n) < best:
            enough = least_n(best, at)
            could = "no n does" if enough is None else f"it takes at least {enough}"
            said.append(f"{asked.claim} can never hold with n = {n}, however good the subject is; {could}")
    return said
