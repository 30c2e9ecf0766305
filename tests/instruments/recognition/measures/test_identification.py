"""Machine baselines on a fleet's texts."""

from __future__ import annotations

import random

import pytest

from assay.instruments.recognition.measures.identification import BASELINES, machine_measures
from assay.instruments.recognition.measures.signatures import FleetText
from assay.measuring import Labelled
from assay.measuring.identification import Identification, identify

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


def found_in(texts: list[FleetText], label: str, group: str) -> Identification:
    labels, groups = ([getattr(one, name) for one in texts] for name in (label, group))
    return identify([one.text for one in texts], labels, groups, BASELINES)


def test_subjects_are_named_without_their_probes_and_makers_without_their_subjects() -> None:
    texts = fleet()
    found = Labelled(machine_measures(texts, 0.95))
    known = found_in(texts, "subject", "probe").accuracy("ngrams")
    measure = found.exact("machine_accuracy", {"baseline": "ngrams"})
    assert measure is not None
    assert (measure.value, measure.low, measure.high, measure.n) == (known.value, known.low, known.high, 32)
    assert measure.value == 1.0
    makers = found.exact("machine_accuracy", {"baseline": "ngrams", "group": "maker"})
    known = found_in(texts, "maker", "subject").accuracy("ngrams")
    assert makers is not None
    assert makers.value == known.value
    for kind in ("identity", "ordinary"):
        part = found.exact("machine_accuracy", {"baseline": "signature_1", "kind": kind})
        own = [t for t in texts if t.kind == kind]
        same = found_in(own, "subject", "probe")
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
