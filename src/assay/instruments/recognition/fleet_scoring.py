"""What a fleet's texts show by themselves: names that leak, signatures, drift, and what a machine tells apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from assay.measuring import Labelled
from assay.measuring.blinding import blind
from assay.measuring.building import MeasureBuilder
from assay.stats import ClusterTerm, cluster_contrast
from assay.vocabulary import Measure, Verdict

from .design.asking import Conductor
from .design.texts import COLLECT, DRIFT, CollectedText
from .measures.drifting import DriftConversation, drift_measures
from .measures.identification import machine_measures
from .measures.signatures import FleetText, signature_measures
from .measures.stability import stability

__all__ = ["FleetScores", "fleet_scores"]


class FleetScores(NamedTuple):
    measures: tuple[Measure, ...]
    verdicts: tuple[Verdict, ...]


def fleet_scores(
    texts: Sequence[CollectedText],
    answered: Sequence[Measure],
    rows: Sequence[Mapping[str, Any]],
    conductor: Conductor,
    key: str,
) -> FleetScores:
    """``answered`` are the measures of answered lineups, ``rows`` the answers; ``key`` seeds shuffles."""
    options, origins, content = conductor.options, conductor.origins, conductor.content
    fleet = [
        FleetText(t.subject, origins[t.subject].maker, t.probe, content.kind(t.probe), t.sample, t.text)
        for t in texts
        if t.stage == COLLECT and t.usable
    ]
    measures = [*_text_measures(texts, rows, conductor), *_errors(rows)]
    measures += signature_measures(fleet, options.signature, options.confidence)
    measures += machine_measures(fleet, options.confidence)
    drifting = [*drift_measures(_conversations(texts), options.drift_signature, options.confidence, key)]
    measures += drifting
    found, verdicts = Labelled(answered), []
    accuracy = {
        str(m.labels["subject"]): m.value
        for m in found.all("accuracy")
        if m.labels.keys() == {"subject", "phase"} and m.labels["phase"] == "self" and m.value is not None
    }
    peak = {
        str(m.labels["subject"]): m.value for m in drifting if m.name == "peak_drift" and m.value is not None
    }
    if accuracy and peak:
        measure, verdict = stability(accuracy, peak, options.confidence)
        measures.append(measure)
        verdicts.append(verdict)
    return FleetScores(tuple(measures), tuple(verdicts))


def _conversations(texts: Sequence[CollectedText]) -> list[DriftConversation]:
    each: dict[tuple[str, str], list[CollectedText]] = {}
    for one in texts:
        if one.stage == DRIFT:
            each.setdefault((one.subject, one.probe), []).append(one)
    return [
        DriftConversation(subject, probe, tuple(t.phase for t in turns), tuple(t.text for t in turns))
        for (subject, probe), turns in each.items()
    ]


def _text_measures(
    texts: Sequence[CollectedText], rows: Sequence[Mapping[str, Any]], conductor: Conductor
) -> Iterator[Measure]:
    """Shares of texts: with names, before and after redaction; empty ones; ones that were cut in lineups."""
    mine: dict[str, list[CollectedText]] = {}
    for one in texts:
        if one.stage == COLLECT:
            mine.setdefault(one.subject, []).append(one)
    for subject, own in sorted(mine.items()):
        say = MeasureBuilder({"subject": subject}, conductor.options.confidence)
        clean = [blind(one.text, conductor.names) for one in own]
        leaks = [bool(one.found) for one in clean]
        yield _share(say, "leak_rate", own, leaks, {"redaction": "before"})
        if conductor.options.redact:
            left = [bool(blind(one.text, conductor.names).found) for one in clean]
            yield _share(say, "leak_rate", own, left, {"redaction": "after"})
        yield _share(say, "unusable_rate", own, [not one.usable for one in own], {})
    cut: dict[str, list[int]] = {}
    for row in rows:
        if row.get("cut") is not None and row["target"] == row["subject"]:
            count = cut.setdefault(str(row["subject"]), [0, 0])
            count[0] += int(row["cut"])
            count[1] += int(row["cut"]) + sum(row["lengths"])
    for subject, (k, n) in sorted(cut.items()):
        say = MeasureBuilder({"subject": subject}, None)
        yield say(
            "cut_rate", k / n, n=n, k=k, method="characters of its lineups that were cut to match lengths"
        )


def _errors(rows: Sequence[Mapping[str, Any]]) -> Iterator[Measure]:
    """How far estimated signatures are from those of the texts, in the signature's own units."""
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.get("error") is not None:
            found.setdefault((str(row["subject"]), str(row["dimension"])), []).append(float(row["error"]))
    for (subject, dimension), some in sorted(found.items()):
        say, at = MeasureBuilder({"subject": subject}, None), {"dimension": dimension}
        method = "mean of |estimate - true|"
        yield say("forward_error", fmean(some), at, n=len(some), units="signature", method=method)


def _share(
    say: MeasureBuilder, name: str, texts: Sequence[CollectedText], hit: Sequence[bool], at: dict[str, str]
) -> Measure:
    """The share of texts, with an interval by probes."""
    import numpy as np

    codes = np.unique([one.probe for one in texts], return_inverse=True)[1]
    n, k = np.bincount(codes).astype(float), np.bincount(codes, hit).astype(float)
    return say(name, cluster_contrast(ClusterTerm(n, k)), at, k=int(sum(hit)))
