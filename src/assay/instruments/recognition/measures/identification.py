"""Who wrote the fleet's texts, as machine baselines find it: how much a plain reader can see in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec

from assay.instruments.recognition.signature import VERSIONS, sign
from assay.measuring.identification import (
    NGRAMS,
    Baseline,
    features_of,
    identify,
    leave_one_group_out,
    nearest_centroid,
)
from assay.vocabulary import Measure

from .signatures import FleetText, written

__all__ = ["BASELINES", "machine_measures"]

BASELINES = {
    f"signature_{one}": Baseline(partial(sign, version=one), partial(leave_one_group_out, nearest_centroid))
    for one in VERSIONS
} | {"ngrams": NGRAMS}


def machine_measures(texts: Sequence[FleetText], confidence: float) -> Iterator[Measure]:
    """Balanced accuracies: of the subject with whole probes left out, in all texts and in those of each kind; of the
    maker with whole subjects left out. Nothing where fewer than two labels are in two groups each."""
    own = written(texts)
    if not own:
        return
    features = features_of([one.text for one in own], BASELINES)
    subjects = [one.subject for one in own]
    by_probe = subjects, [f"{one.kind}/{one.probe}" for one in own]
    for at, (labels, groups), chosen in (
        ({}, by_probe, own),
        *(
            ({"kind": kind}, by_probe, [o for o in own if o.kind == kind])
            for kind in ("identity", "ordinary")
        ),
        ({"group": "maker"}, ([one.maker for one in own], subjects), [one for one in own if one.maker]),
    ):
        kept = set(chosen)
        rows = [row for row, one in enumerate(own) if one in kept]
        met = [label for label, _ in {(labels[row], groups[row]) for row in rows}]
        if len({label for label in met if met.count(label) > 1}) < 2:
            continue
        found = identify(
            [own[row].text for row in rows],
            [labels[row] for row in rows],
            [groups[row] for row in rows],
            BASELINES,
            confidence=confidence,
            features={name: given[rows] for name, given in features.items()},
        )
        notes = [f"chance is {found.chance:.3f}"]
        notes += [f"left out, in one group only: {', '.join(found.left_out)}"] if found.left_out else []
        for one in map(found.accuracy, BASELINES):
            more = {"labels": {**one.labels, **at}, "notes": tuple(notes)}
            yield msgspec.structs.replace(one, name="machine_accuracy", **more)
