"""The signature of each subject: means over the texts that answer identity probes, and their spread."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assay.instruments.recognition.signature import DIMENSIONS, Version, sign
from assay.measuring.building import MeasureBuilder
from assay.vocabulary import Measure

__all__ = ["FleetText", "signature_measures", "written"]

FEW = "fewer than two identity texts"


class FleetText(NamedTuple):
    """What a subject wrote in answer to a probe, whose ``kind`` is identity or ordinary."""

    subject: str
    maker: str
    probe: str
    kind: str
    sample: int
    text: str


def written(texts: Sequence[FleetText]) -> list[FleetText]:
    """In an order of their own. An empty text is no text: it has no signature, and nothing is fitted on it."""
    return sorted(one for one in texts if one.text.strip())


def signature_measures(texts: Sequence[FleetText], version: Version, confidence: float) -> Iterator[Measure]:
    """Of every subject and dimension; samples of one probe are one cluster."""
    units, why = f"signature version {version}", "no identity text"
    for subject in sorted({one.subject for one in texts}):
        say = MeasureBuilder({"subject": subject}, confidence, "probes")
        own = written([one for one in texts if (one.subject, one.kind) == (subject, "identity")])
        columns = sign([one.text for one in own], version).T.tolist()
        for dimension, values in zip(DIMENSIONS, columns, strict=True):
            at, probes = {"dimension": dimension}, dict[str, list[float]]()
            for one, value in zip(own, values, strict=True):
                probes.setdefault(one.probe, []).append(value)
            yield say.student("signature", [*probes.values()], at=at, units=units, why=why)
            spread = statistics.stdev(values) if len(values) > 1 else None
            yield say("signature_spread", spread, at, n=len(values), units=units, why=FEW)
