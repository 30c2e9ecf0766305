"""How far a subject's conversations move under perturbation and whether they come back: means over conversations.

A reply without text has no drift. By the formula of version 1 it would be 0, as if the subject had stayed where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from assay.instruments.recognition.drift import DriftReading, drifts_of, phase_nulls, read_drift
from assay.instruments.recognition.signature import Version, sign
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterTerm, cluster_contrast, half_life
from assay.vocabulary import Measure

__all__ = ["DriftConversation", "drift_measures"]

NO_DRIFT = "no conversation has it: replies without text, or no baseline to measure from"
NO_DECAY = "no conversation has two recovery turns with a drift"


class DriftConversation(NamedTuple):
    """One conversation: the phase of every turn, and what the subject wrote in it."""

    subject: str
    probe: str
    phases: tuple[str, ...]
    texts: tuple[str, ...]


def drift_measures(
    conversations: Sequence[DriftConversation], version: Version, confidence: float, key: str
) -> Iterator[Measure]:
    """Of every subject. ``key`` seeds the shuffles of the phases."""
    for subject in sorted({one.subject for one in conversations}):
        say, found, phased = MeasureBuilder({"subject": subject}, confidence, "conversations"), [], []
        for one in sorted(one for one in conversations if one.subject == subject):
            vectors = sign(one.texts, version)
            vectors[[not text.strip() for text in one.texts]] = np.nan
            found.append(read_drift(drifts_of(vectors, one.phases, version), one.phases, version))
            phased.append((vectors, one.phases))
        yield from _means(found, f"drift version {version}", say)
        yield from _horizon(found, say)
        for statistic, null in phase_nulls(phased, version, key=f"{key}/{subject}").items():
            notes = [f"{null.value:.3g}; shuffled {null.null_low:.3g} to {null.null_high:.3g}"]
            method, at = f"{null.shuffles} shuffles within conversations", {"statistic": statistic}
            p, n = null.p_value, len(found)
            yield say("phase_null_p", p, at, n=n, units="p-value", method=method, notes=notes)


def _means(found: Sequence[DriftReading], units: str, say: MeasureBuilder) -> Iterator[Measure]:
    turns: dict[tuple[int, str], list[float | None]] = {}
    for one in found:
        for turn, (phase, drift) in enumerate(zip(one.phases, one.drifts, strict=True), 1):
            turns.setdefault((turn, phase), []).append(drift)

    def mean(name: str, values: Sequence[float | None], units: str, why: str, **at: str | float) -> Measure:
        known = [[value] for value in values if value is not None]
        lost = len(values) - len(known)
        notes = [f"{lost} of {len(values)} conversations have none"] if lost else []
        return say.student(name, known, notes, at=at, units=units, why=why)

    for (turn, phase), drifts in sorted(turns.items()):
        yield mean("drift", drifts, units, NO_DRIFT, turn=float(turn), phase=phase)
    yield mean("peak_drift", [one.peak for one in found], units, NO_DRIFT)
    yield mean("final_drift", [one.final for one in found], units, NO_DRIFT)
    yield mean("baseline_drift", [one.baseline for one in found], units, NO_DRIFT)
    yield mean("recovery_ratio", [one.recovery_ratio for one in found], "ratio", NO_DRIFT)
    crossings = [None if one.peak is None else float(one.crossings) for one in found]
    yield mean("crossings", crossings, "crossings a conversation", NO_DRIFT)
    decay = mean("decay", [one.decay.value for one in found], "per turn", NO_DECAY)
    yield decay
    yield _half_life(decay, say)


def _half_life(decay: Measure, say: MeasureBuilder) -> Measure:
    """Of the mean λ and of the ends of its interval: without an upper end where λ may be 0, so without an interval."""
    value, least, most = (half_life(one) for one in (decay.value, decay.high, decay.low))
    ends, notes = (least, most) if least and most else None, list[str]()
    if value and least and not most:
        notes = [f"at least {least:.3g}; no upper end, for the decay may be 0"]
    why = NO_DECAY if decay.value is None else f"the mean decay is {decay.value:.3g}: nothing halves"
    method = "ln 2 / decay"
    return say("half_life", value, ends=ends, n=decay.n, units="turns", method=method, why=why, notes=notes)


def _horizon(found: Sequence[DriftReading], say: MeasureBuilder) -> Iterator[Measure]:
    """The share of turns above the horizon, of all and of each phase; a share has limits, so the kit's interval."""
    for phase in ("", *sorted({phase for one in found for phase in one.phases})):
        n, k = np.zeros((2, len(found)))
        for place, one in enumerate(found):
            for drift, at in zip(one.drifts, one.phases, strict=True):
                n[place] += drift is not None and phase in ("", at)
                k[place] += drift is not None and phase in ("", at) and drift > one.horizon
        share, notes = cluster_contrast(ClusterTerm(n, k)), [f"the horizon is {found[0].horizon:g}"]
        yield say("horizon_share", share, {"phase": phase}, k=int(k.sum()), why=NO_DRIFT, notes=notes)
