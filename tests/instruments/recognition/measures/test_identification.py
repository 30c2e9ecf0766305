"""Machine baselines on a fleet's texts."""

from __future__ import annotations

import random

import numpy as np
import pytest

from assay.instruments.recognition.baselines import (
    hashed_ngrams,
    identify,
    leave_one_group_out,
    ridge,
    ridge_left_out,
)
from assay.instruments.recognition.measures.identification import machine_measures
from assay.instruments.recognition.measures.signatures import FleetText
from assay.measuring import Labelled

COMMON = ["I", "the", "of", "perhaps", "water", "notice", "table", "while", "my", "limits"]
MAKERS = ("north", "north", "south", "south")


def fleet(subjects: int = 4, probes: int = 4, samples: int = 2, own: int = 3) -> list[FleetText]:
    """Every subject has words of its own, and every maker; probes have theirs."""
    draw, texts = random.Random(2), []
    for s in range(subjects):
        for p in range(probes):
            for k in range(samples):
                maker = MAKERS[s % 4]
                words = draw.choices(
                    [*COMMON, *[f"word{s}"] * own, *[f"{maker}ern"] * own, f"about{p}"], k=40
                )
                kind = "identity" if p % 2 else "ordinary"
                texts.append(FleetText(f"s{s}", maker, f"p{p}", kind, k, " ".join(words)))
    return texts


def test_subjects_are_named_without_their_probes_and_makers_without_their_subjects() -> None:
    texts = fleet()
    found = Labelled(machine_measures(texts, 0.95))
    known = identify([t.text for t in texts], [t.subject for t in texts], [t.probe for t in texts]).accuracy(
        "ngrams"
    )
    measure = found.exact("machine_accuracy", {"baseline": "ngrams"})
    assert measure is not None
    assert (measure.value, measure.low, measure.high, measure.n) == (known.value, known.low, known.high, 32)
    assert measure.value == 1.0
    makers = found.exact("machine_accuracy", {"baseline": "ngrams", "group": "maker"})
    known = identify([t.text for t in texts], [t.maker for t in texts], [t.subject for t in texts]).accuracy(
        "ngrams"
    )
    assert makers is not None
    assert makers.value == known.value
    for kind in ("identity", "ordinary"):
        part = found.exact("machine_accuracy", {"baseline": "signature_1", "kind": kind})
        own = [t for t in texts if t.kind == kind]
        same = identify([t.text for t in own], [t.subject for t in own], [t.probe for t in own])
        assert part is not None
        assert (part.value, part.n) == (same.accuracy("signature_1").value, 16)
    assert len(found.all("machine_accuracy")) == 12


def test_without_anything_of_their_own_texts_name_nobody() -> None:
    found = Labelled(machine_measures(fleet(probes=12, own=0), 0.95))
    measure = found.exact("machine_accuracy", {"baseline": "ngrams"})
    assert measure is not None
    assert measure.low is not None
    assert measure.low < 0.25


@pytest.mark.parametrize(
    "texts",
    [
        [],
        fleet(1),
        fleet(4, probes=1),
        [text._replace(text="") for text in fleet()],
        [text._replace(text=text.text if text.subject == "s0" else "") for text in fleet()],
    ],
)
def test_a_fleet_that_is_too_small_has_no_subject_to_name(texts: list[FleetText]) -> None:
    assert not [m for m in machine_measures(texts, 0.95) if "group" not in m.labels]


def test_makers_need_two_subjects_each() -> None:
    assert not Labelled(machine_measures(fleet(3), 0.95)).all("machine_accuracy", {"group": "maker"})
    nameless = [text._replace(maker="") for text in fleet()]
    assert not Labelled(machine_measures(nameless, 0.95)).all("machine_accuracy", {"group": "maker"})


def test_order_and_empty_texts_make_no_difference() -> None:
    texts = fleet(probes=3, own=1)
    moved = [*random.Random(3).sample(texts, len(texts)), texts[0]._replace(sample=9, text=" ")]
    assert [*machine_measures(moved, 0.95)] == [*machine_measures(texts, 0.95)]


def test_folds_that_share_their_products_predict_what_folds_fitted_alone_do() -> None:
    texts = fleet(probes=6, own=1)[:-3]  # classes of unequal size
    features = hashed_ngrams([text.text for text in texts])
    classes = np.array([int(text.subject[1]) for text in texts])
    probes = np.array([int(text.probe[1]) for text in texts])
    shared = ridge_left_out(features, classes, probes)
    assert (shared == leave_one_group_out(ridge, features, classes, probes)).all()
    few = features[:, np.argsort(-features.var(0))[:20]].astype(
        np.float64
    )  # fewer columns than rows: solved over columns
    wide = np.hstack([few, np.zeros((len(few), len(few)))])  # the same, solved over rows
    assert (ridge_left_out(few, classes, probes) == ridge_left_out(wide, classes, probes)).all()
