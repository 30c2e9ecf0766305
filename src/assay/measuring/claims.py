"""Claims about values judged by tests: each holds, fails or is not established, by Holm over a family of claims.

A value is a mean over readable answers, beside what the unreadable ones could make of it. A claim holds, or fails,
where the value differs from its bar by a test and unreadable answers could not turn it round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assay.stats import ClusterEstimate, holm
from assay.vocabulary import Measure, Verdict, VerdictKind

from .building import Ends, MeasureBuilder, exact

__all__ = ["UNREADABLE", "Bar", "Claim", "ReadableMean", "claim_verdicts"]

UNREADABLE = "no answer could be read"


class ReadableMean(NamedTuple):
    """A mean over readable answers, and what the others could make of it; without such there are no bounds."""

    estimate: ClusterEstimate
    bounds: Ends | None = None

    def measure(
        self, say: MeasureBuilder, name: str, at: Mapping[str, str], *, why: str = UNREADABLE, **more: Any
    ) -> Measure:
        return say(name, self.estimate, at, bounds=self.bounds, why=why, **more)


class Bar(NamedTuple):
    """What a claim is judged by: a mean, and the value that it has to reach or to pass."""

    mean: ReadableMean | None
    at: float
    reached: bool = False  # whether a value on the bar is enough
    name: str = ""
    why: str = "no answers"  # where there is no mean

    def side(self) -> int:
        """1 above, -1 below, 0 where unreadable answers could move the value over the bar."""
        if self.mean is None or self.mean.estimate.value is None:
            return 0
        ends, line = (self.mean.estimate.value, *(self.mean.bounds or ())), exact(self.at)
        low, high = exact(min(ends)) - line, exact(max(ends)) - line
        if low > 0 or (self.reached and low == 0):
            return 1
        return -1 if high < 0 or (not self.reached and high == 0) else 0

    def p_value(self) -> float | None:
        return None if self.mean is None else self.mean.estimate.p_value(self.at)

    def text(self, say: MeasureBuilder) -> str:
        if self.mean is None or self.mean.estimate.value is None:
            return f"{self.name}{UNREADABLE if self.mean else self.why}"
        low, high = say.ends(self.mean.estimate) or self.mean.estimate.limits
        shown = f"{self.name}{self.mean.estimate.value:.3f}, interval {low:.3f} to {high:.3f}"
        low, high = self.mean.bounds or (0.0, 0.0)
        return shown + (f", {low:.3f} to {high:.3f} with unreadable answers" if self.mean.bounds else "")


class Claim(NamedTuple):
    """On the subject among its labels: holds where all of its bars are passed, fails where one is not."""

    labels: Mapping[str, str]
    bars: Sequence[Bar]
    text: str  # to stand after the subject's name

    def decided(self) -> tuple[float | None, bool | None]:
        """p, and what would be established by it. All must hold together; one that fails is one of several."""
        found = [(bar.side(), bar.p_value()) for bar in self.bars]
        below = [p for side, p in found if side < 0 and p is not None]
        if below:
            return min(1.0, min(below) * len(found)), False
        values = [p for _, p in found if p is not None]
        if len(values) < len(found):
            return None, None
        return max(values), True if all(side > 0 for side, _ in found) else None


def claim_verdicts(
    name: str, kind: VerdictKind, claims: Sequence[Claim], say: MeasureBuilder, failure: str = ""
) -> Iterator[Verdict]:
    """The claims are a family: Holm is over its subjects. ``failure`` stands behind the reasons of one that fails."""
    decided = [claim.decided() for claim in claims]
    adjusted = holm([p for p, _ in decided], missing="drop")
    for claim, (_, way), p in zip(claims, decided, adjusted.adjusted, strict=True):
        holds = way if p is not None and p <= say.alpha else None
        because = "; ".join(bar.text(say) for bar in claim.bars)
        because += "" if p is None else f"; p = {p:.3g}"
        yield Verdict(
            name=name,
            kind=kind,
            labels=dict(claim.labels),
            claim=f"{claim.labels['subject']}: {claim.text}",
            rule=f"p at most {say.alpha:g}, by Holm over {adjusted.tests} subjects, whatever was unreadable",
            holds=holds,
            because=because + (failure if holds is False else ""),
        )
