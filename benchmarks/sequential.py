"""The sequential test of a share beside a test with fixed n, beside peeking at Wilson's interval, beside mixtures.

Nothing is simulated: every number is a sum over all paths, by a dynamic program over (n, successes).
``python benchmarks/sequential.py [--threshold P] [--alpha A] [--beta B] [--least N] [--most N]``
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from scipy import special

from assay.stats import fixed_share_size, sequential_properties, wilson_array
from assay.stats._core import FloatArray
from assay.stats.sequential import crossing

ALTERNATIVES = (0.80, 0.85, 0.90, 0.95)
SHARES = (0.50, 0.60, 0.65, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 1.00)
Evidence = Callable[[FloatArray, int], FloatArray]


class Design(msgspec.Struct, frozen=True, kw_only=True):
    threshold: float
    alpha: float
    beta: float
    least: int
    most: int


def against_fixed(design: Design) -> None:
    """Fixed n: the smallest with the same exact error at the threshold and power at the alternative."""
    declared = msgspec.structs.asdict(design)
    print(f"threshold {design.threshold}, alpha {design.alpha}, beta {design.beta}, "
          f"n from {design.least} to {design.most}")  # fmt: skip
    head = ("alternative", "share", "satisfied", "not", "undecided", "expected n", "fixed n", "saving")
    print("".join(f"{name:>12}" for name in head))
    for alternative in ALTERNATIVES:
        at = {p: sequential_properties(p, alternative=alternative, **declared) for p in SHARES}
        error = sequential_properties(design.threshold, alternative=alternative, **declared).satisfied
        power = sequential_properties(alternative, alternative=alternative, **declared).satisfied
        fixed = fixed_share_size(design.threshold, alternative, error, power).n
        for p, found in at.items():
            saving = f"{1 - found.expected_n / fixed:12.0%}" if fixed else f"{'-':>12}"
            print(f"{alternative:12.2f}{p:12.2f}{found.satisfied:12.4f}{found.not_satisfied:12.4f}"
                  f"{found.undecided:12.4f}{found.expected_n:12.1f}{fixed or '-':>12}{saving}")  # fmt: skip
        plain = fixed_share_size(design.threshold, alternative, design.alpha, 1 - design.beta).n
        print(f"{'':12}error {error:.4f} at {design.threshold}, power {power:.4f} at {alternative}: the fixed n has no "
              f"more error and no less power.\n{'':12}For alpha and 1 - beta as declared it is {plain}.")  # fmt: skip


def against_peeking(design: Design) -> None:
    """How often a share exactly at the threshold is called satisfied."""
    n = np.arange(design.most + 1)
    clear = [design.most + 1] * (design.most + 1)
    for m in range(design.least, design.most + 1):
        low = wilson_array(np.arange(m + 1), np.full(m + 1, m)).low
        clear[m] = int(np.argmax(low > design.threshold)) if (low > design.threshold).any() else m + 1
    never = [-1] * (design.most + 1)
    print(f"\na share of exactly {design.threshold}, called satisfied")
    for at in sorted({design.least, design.most}):
        once = [int(m) + 1 if m != at else clear[at] for m in n[: at + 1]]
        chance = crossing(once, never[: at + 1], design.threshold)[0]
        print(f"  Wilson's 95 % interval, once, at n = {at:<4}{chance:28.4f}")
    peek = crossing(clear, never, design.threshold)[0]
    print(f"  the same after every outcome from {design.least} to {design.most}{peek:25.4f}")
    for alpha in (0.025, 0.05):
        declared = msgspec.structs.asdict(msgspec.structs.replace(design, alpha=alpha))
        found = sequential_properties(design.threshold, **declared).satisfied
        print(f"  sequential_share, alpha = {alpha:<5}, after every outcome{found:13.4f}")


def ratio(points: Sequence[float], against: float) -> Evidence:
    """Log evidence of an even mixture of points against a share."""

    def evidence(k: FloatArray, n: int) -> FloatArray:
        each = [k * math.log(q / against) + (n - k) * math.log((1 - q) / (1 - against)) for q in points]
        return np.asarray(special.logsumexp(each, axis=0) - math.log(len(points)), np.float64)

    return evidence


def uniform(against: float, above: bool) -> Evidence:
    """Log evidence of the even mixture of all shares above (or below) one."""

    def evidence(k: FloatArray, n: int) -> FloatArray:
        tail = special.betaincc if above else special.betainc
        weight = special.betaln(k + 1, n - k + 1) + np.log(
            np.maximum(tail(k + 1, n - k + 1, against), 1e-300)
        )
        width = math.log(1 - against if above else against)
        return np.asarray(
            weight - width - k * math.log(against) - (n - k) * math.log(1 - against), np.float64
        )

    return evidence


def lines(above: Evidence, below: Evidence, design: Design) -> tuple[list[int], list[int]]:
    up, down = [n + 1 for n in range(design.most + 1)], [-1] * (design.most + 1)
    for n in range(design.least, design.most + 1):
        k = np.arange(n + 1, dtype=np.float64)
        over = np.flatnonzero((above(k, n) >= -math.log(design.alpha)) & (k > n * design.threshold))
        up[n] = int(over[0]) if over.size else n + 1
        under = np.flatnonzero((below(k, n) >= -math.log(design.beta)) & (k < up[n]))
        down[n] = int(under[-1]) if under.size else -1
    return up, down


def against_mixtures(design: Design, alternative: float) -> None:
    p0, p1 = design.threshold, alternative
    one, two, three = [p1], [p1, (1 + p1) / 2], [(p0 + p1) / 2, p1, (1 + p1) / 2]
    mirror = ratio([p0], p1)
    kinds: dict[str, tuple[Evidence, Evidence]] = {
        "one alternative (kept)": (ratio(one, p0), mirror),
        "two, even": (ratio(two, p0), mirror),
        "three, even": (ratio(three, p0), mirror),
        "all above, even": (uniform(p0, True), mirror),
        "all, mirror too": (uniform(p0, True), uniform(p1, False)),
    }
    print(
        f"\nmixtures, alternative {p1}, n from {design.least}: expected n / chance of satisfied, by true share"
    )
    print(f"{'':24}" + "".join(f"{p:>12.2f}" for p in SHARES) + f"{'mean n':>9}")
    for name, (above, below) in kinds.items():
        found = [crossing(*lines(above, below, design), p) for p in SHARES]
        cells = "".join(f"{x[3]:7.1f}/{x[0]:.2f}" for x in found)
        print(f"{name:24}{cells}{math.fsum(x[3] for x in found) / len(found):9.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threshold", type=float, default=0.70)
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--beta", type=float, default=0.05)
    parser.add_argument("--least", type=int, default=20)
    parser.add_argument("--most", type=int, default=200)
    design = Design(**vars(parser.parse_args()))
    against_fixed(design)
    against_peeking(design)
    for alternative in (0.80, 0.85, 0.90):
        against_mixtures(design, alternative)
    against_mixtures(msgspec.structs.replace(design, least=1), 0.85)


if __name__ == "__main__":
    main()
