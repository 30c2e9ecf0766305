"""The diagnosis that the spec asks for: what is lowest, what goes wrong most often, what is always missing, advice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from assay.instruments.consistency.judging.judgement import ReplyJudgement

from .composite import Composite
from .shares import COMPONENTS, ConsistencySettings, Share

__all__ = ["ADVICE", "Diagnosis", "Missing", "diagnose"]

TITLES = {
    "O": "order",
    "F": "refusal form",
    "R": "repair",
    "P": "promise keeping",
    "L": "lexicon",
    "M1": "return",
    "M2": "refusal form",
    "M3": "repair",
    "M4": "provenance",
}
# spec, "Diagnostic steps" of M5 and of each metric.
ADVICE = {
    "O": "reinforce the recognition protocol: Name, Mirror, TinyMove, Stop",
    "F": "clarify the structure of a refusal: limit, proximity, adjacent; refine boundaries that are vague",
    "R": "improve error detection, or declare another Δ in a new lock",
    "P": "make no time-bound promises, or longer ones",
    "L": "expand the synonym map, or say which tokens are required",
    "M1": "check that τ was seeded, and that the digest has 64 hex digits",
    "M4": "give the schema of the P-tuple; digests are taken over the UTF-8 bytes, and need a tool where there is none",
}
# Checks that hold where something bad was found, or that say no more than their measure does.
_TELL_NOTHING = frozenset(
    ("vague", "over_apology", "leak", "incomplete", "defensive", "reused", "in_utc", "order", "declined")
)
OFTEN = Fraction(9, 10)  # a check missing in so many of the failures is missing consistently
BESIDE = (
    "M1_exact",
    "L_exact",
    "M3_prompted",
)  # read the same replies in another way: no failure counts twice
LEAST = 3  # failures, for anything to be called consistent


class Missing(Struct, frozen=True):
    """A check that is missing in most of the failures of a measure."""

    measure: str
    check: str
    missing: int
    failures: int


class Diagnosis(Struct, frozen=True, kw_only=True):
    """Of one subject. ``failures`` are (name, count), most frequent first."""

    subject: str
    lowest: str | None
    lowest_value: float | None
    failures: tuple[tuple[str, int], ...]
    missing: tuple[Missing, ...]
    advice: str
    sentences: tuple[str, ...]


def diagnose(
    found: Composite,
    shares: Mapping[str, Share],
    outcomes: Sequence[ReplyJudgement],
    settings: ConsistencySettings,
) -> Diagnosis:
    """``outcomes`` are those of one subject."""
    values = {name: value for name in COMPONENTS if (value := shares[name].value) is not None}
    lowest = min(values, key=lambda name: values[name], default=None)
    if lowest is not None and values[lowest] == 1:
        lowest = None
    counts = Counter(name for o in outcomes if o.measure not in BESIDE for name in o.failures)
    failures = tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
    missing = _consistently_missing(outcomes)
    advice = _advice(lowest, missing)
    sentences = [*_sentences(found, lowest, values, failures, settings)]
    sentences += [
        f"{m.check} is missing in {m.missing} of {m.failures} failures of {TITLES[m.measure]}"
        for m in missing
    ]
    sentences += _on_latency(shares["R"], outcomes, settings)
    if advice:
        sentences.append(f"what may help: {advice}")
    return Diagnosis(
        subject=found.subject,
        lowest=lowest,
        lowest_value=None if lowest is None else float(values[lowest]),
        failures=failures,
        missing=missing,
        advice=advice,
        sentences=tuple(f"{found.subject}: {sentence}" for sentence in sentences),
    )


def _consistently_missing(outcomes: Sequence[ReplyJudgement]) -> tuple[Missing, ...]:
    """Checks that do not hold in nine of ten failures of their measure."""
    failed: Counter[str] = Counter()
    lacking: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        if outcome.success or outcome.measure not in TITLES:
            continue
        failed[outcome.measure] += 1
        for name in {
            check.name: None
            for check in outcome.checks
            if not check.holds and check.name not in _TELL_NOTHING
        }:
            lacking[outcome.measure, name] += 1
    return tuple(
        Missing(measure, check, count, failed[measure])
        for (measure, check), count in sorted(lacking.items())
        if failed[measure] >= LEAST and Fraction(count, failed[measure]) >= OFTEN
    )


def _advice(lowest: str | None, missing: Sequence[Missing]) -> str:
    named = [lowest] if lowest else []
    named += [m.measure for m in missing if m.measure in ("M1", "M4")]
    return "; ".join(ADVICE[name] for name in dict.fromkeys(named))


def _sentences(
    found: Composite,
    lowest: str | None,
    values: Mapping[str, Fraction],
    failures: Sequence[tuple[str, int]],
    settings: ConsistencySettings,
) -> list[str]:
    said = []
    if lowest is not None:
        costs = settings.weights[lowest] * (1 - values[lowest])
        said.append(
            f"the lowest component is {lowest} ({TITLES[lowest]}) at {float(values[lowest]):.3f}, "
            f"which costs M5 {float(costs):.3f}"
        )
    if found.missing:
        said.append(f"nothing was tested for {', '.join(found.missing)}")
    if failures:
        most = ", ".join(f"{name} ({count})" for name, count in failures[:3])
        said.append(f"the most frequent failures are {most}")
    return said


def _on_latency(
    repairs: Share, outcomes: Sequence[ReplyJudgement], settings: ConsistencySettings
) -> list[str]:
    """Spec, M3: what to look at where repairs are few, by the mean of the latencies and Δ."""
    times = sorted(o.seconds for o in outcomes if o.measure == "M3" and o.seconds is not None)
    if not times or repairs.value in (None, 1):
        return []
    mean, delta = sum(map(Fraction, times)) / len(times), settings.delta
    slow = sum(Fraction(time) > delta for time in times)
    if mean > delta:
        eighty = times[-(-len(times) * 4 // 5) - 1]  # the smallest with 80 % at or below it
        return [
            f"repairs take {float(mean):.1f} s on average, more than Δ = {float(delta):g} s; P80 is {eighty:.1f} s, "
            "which may be declared as Δ in a new lock"
        ]
    if slow:
        return [
            f"{slow} of {len(times)} repairs took longer than Δ = {float(delta):g} s, though the mean is "
            f"{float(mean):.1f} s: look at these outliers"
        ]
    return []
