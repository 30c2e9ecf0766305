"""Responders of known make over the whole bank: what they read follows from what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import polars as pl
import pytest

from assay.instruments.bias.answers import answer_table
from assay.instruments.bias.cells import cells_of
from assay.instruments.bias.items.bank import pools, shipped_item, shipped_items
from assay.instruments.bias.items.instance import BiasInstance, CompiledItem
from assay.instruments.bias.items.model import DOMAINS, INTENSITIES
from assay.instruments.bias.measures.settings import BiasSettings
from assay.instruments.bias.measures.shifts import shift_at
from assay.instruments.bias.scoring import score_answers
from assay.streams import Stream
from assay.vocabulary import Instance

FAMILY = 0.01  # of a wrong shift anywhere in the bank
Responder = Callable[[BiasInstance, str], str]


def rational(instance: BiasInstance, condition: str) -> str:
    return instance.answer_for(instance.normative)


def swayed(instance: BiasInstance, condition: str) -> str:
    return instance.answer_for(instance.normative if condition == "control" else instance.biased)


def first_letter(instance: BiasInstance, condition: str) -> str:
    return (
        min(instance.layout.letters) if instance.layout.letters else instance.answer_for(instance.normative)
    )


def first_place(instance: BiasInstance, condition: str) -> str:
    return instance.layout.letters[0] if instance.layout.letters else instance.answer_for(instance.normative)


def yes(instance: BiasInstance, condition: str) -> str:
    return "yes" if instance.answer == "yes_no" else instance.answer_for(instance.normative)


def coin(instance: BiasInstance, condition: str) -> str:
    options = (
        [instance.normative, instance.biased] if instance.answer == "number" else instance.chosen.options
    )
    tossed = Stream("coin", condition, *sorted(map(str, instance.values.values())))
    return instance.answer_for(tossed.choice(list(options)))


@cache
def bank() -> list[tuple[str, str, int, BiasInstance]]:
    found: list[tuple[str, str, int, BiasInstance]] = []
    for bias in shipped_items():
        item = CompiledItem(shipped_item(bias), pools())
        for domain in DOMAINS:
            for number in range(4):
                instance = item.instance(Instance("bias", f"{bias}/{domain}", number, 11), domain)
                found.append((bias, domain, number, instance))
    return found


def answers(responder: Responder) -> pl.DataFrame:
    def rows() -> Iterator[dict[str, Any]]:
        for bias, domain, number, instance in bank():
            for condition in ("control", *INTENSITIES):
                given = responder(instance, condition)
                raw = instance.raw_score(float(given) if instance.answer == "number" else given)
                yield {
                    "subject": responder.__name__,
                    "bias": bias,
                    "domain": domain,
                    "condition": "control" if condition == "control" else "treatment",
                    "intensity": "" if condition == "control" else condition,
                    "instance": str(number),
                    "trial": "0",
                    "score": min(max(raw, 0.0), 1.0),
                }

    return answer_table(rows())


@pytest.mark.parametrize(
    ("responder", "shift"),
    [(rational, 0.0), (swayed, 1.0), (first_letter, 0.0), (first_place, 0.0), (yes, 0.0)],
)
def test_every_bias_reads_exactly_what_the_responder_is(responder: Responder, shift: float) -> None:
    measures = score_answers(answers(responder), BiasSettings(intervals=False)).measures
    shifts = [m for m in measures if m.name == "signed_shift" and "domain" not in m.labels]
    assert {m.labels["bias"] for m in shifts} == set(shipped_items())
    assert {m.value for m in shifts} == {shift}
    attainable = {m.labels["bias"]: m.value for m in measures if m.name == "BMS_attainable"}
    reached = {m.labels["bias"]: m.value for m in measures if m.name == "BMS" and "intensity" not in m.labels}
    if shift:
        assert reached == attainable == dict.fromkeys(shipped_items(), 0.768)


def test_a_coin_shifts_nothing_that_is_established_anywhere_in_the_bank() -> None:
    confidence = 1.0 - FAMILY / len(shipped_items())
    for cells in cells_of(answers(coin)):
        low, high = shift_at(cells).estimate.ends(confidence)
        assert low <= 0.0 <= high, cells.bias
