"""A subject's signature: a mean over its identity texts, with an interval over probes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from assay.instruments.recognition.measures.signatures import FleetText, signature_measures
from assay.instruments.recognition.signature import DIMENSIONS, sign
from assay.measuring import Labelled
from assay.vocabulary import Measure

WORDS = [
    "I",
    "my",
    "perhaps",
    "maybe",
    "notice",
    "awareness",
    "limits",
    "boundary",
    "table",
    "water",
    "might",
]


def some(subjects: int = 2, probes: int = 6, samples: int = 2, kind: str = "identity") -> list[FleetText]:
    draw = random.Random(4)
    return [
        FleetText(f"s{s}", "m", f"p{p}", kind, k, " ".join(draw.choices(WORDS, k=60 + 5 * s)))
        for s in range(subjects)
        for p in range(probes)
        for k in range(samples)
    ]


def one(texts: list[FleetText], name: str, subject: str, dimension: str, version: int = 2) -> Measure:
    found = Labelled(signature_measures(texts, version, 0.95)).exact(  # type: ignore[arg-type]
        name, {"subject": subject, "dimension": dimension}
    )
    assert found is not None
    return found


@pytest.mark.parametrize("version", [1, 2])
def test_means_and_spreads_are_those_of_the_signatures_of_its_texts(version: int) -> None:
    texts = some()
    found = Labelled(signature_measures(texts, version, 0.95))  # type: ignore[arg-type]
    for subject in ("s0", "s1"):
        own = sign([text.text for text in texts if text.subject == subject], version)  # type: ignore[arg-type]
        for place, dimension in enumerate(DIMENSIONS):
            (mean,) = found.all("signature", {"subject": subject, "dimension": dimension})
            (spread,) = found.all("signature_spread", {"subject": subject, "dimension": dimension})
            assert mean.value == pytest.approx(own[:, place].mean())
            assert spread.value == pytest.approx(own[:, place].std(ddof=1))
            assert mean.n == spread.n == 12


def test_samples_of_one_probe_are_one_cluster() -> None:
    texts = some(1)
    values = sign([text.text for text in texts], 2)[:, 3].reshape(6, 2).mean(1)
    low, high = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))  # the oracle, of means of probes
    found = one(texts, "signature", "s0", "D_identity")
    assert (found.low, found.high) == pytest.approx((low, high))
    twice = [*texts, *(text._replace(sample=text.sample + 2) for text in texts)]
    again = one(twice, "signature", "s0", "D_identity")
    assert (again.value, again.low, again.high) == pytest.approx((found.value, found.low, found.high))


def test_unequal_clusters_weigh_by_their_texts() -> None:
    texts = some(1)[:-3]  # 2, 2, 2, 2, 1 texts
    values = sign([text.text for text in texts], 2)[:, 0]
    sums, counts = np.array([*values[:8].reshape(4, 2).sum(1), values[8]]), np.array([2, 2, 2, 2, 1])
    mean = values.mean()
    error = np.sqrt(5 / 4 * ((sums - counts * mean) ** 2).sum()) / 9
    found = one(texts, "signature", "s0", "A_pole")
    assert found.high == pytest.approx(mean + stats.t.ppf(0.975, 4) * error)


def test_empty_and_ordinary_texts_are_no_part_of_it() -> None:
    texts = some(1)
    others = [text._replace(sample=7, text=" \n") for text in texts] + some(1, kind="ordinary")
    assert [*signature_measures([*texts, *others], 2, 0.95)] == [*signature_measures(texts, 2, 0.95)]


def test_what_cannot_be_known_is_null_with_a_reason() -> None:
    nothing = one(some(1, kind="ordinary"), "signature", "s0", "A_pole")
    assert (nothing.value, nothing.n) == (None, 0)
    assert nothing.notes
    alone = some(1, 1, 1)
    assert one(alone, "signature", "s0", "A_pole").low is None
    assert one(alone, "signature", "s0", "A_pole").value is not None
    assert one(alone, "signature_spread", "s0", "A_pole").value is None
    same = [text._replace(text="water on the table") for text in some(1)]
    assert one(same, "signature", "s0", "A_pole").value == 0.0
    assert one(same, "signature", "s0", "A_pole").low is None
    assert [*signature_measures([], 1, 0.95)] == []


def test_the_order_of_texts_makes_no_difference() -> None:
    texts = some()
    moved = random.Random(1).sample(texts, len(texts))
    assert [*signature_measures(moved, 1, 0.95)] == [*signature_measures(texts, 1, 0.95)]
