"""Random rows of Tier 5 for the comparison with the second scorer, mostly above a sound Tier 4."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from .drawn_outcomes import INPUTS
from .drawn_tiers import REGIMES, base, fourth_rows, of_tier, plain, spoilt, third_rows
from .second_scorer import Design, Frame, Row

__all__ = ["drawn_social", "judged", "social_rows", "sound"]

MODES = ("cooperative", "competitive", "mixed")
KINDS = ("negotiation", "coordination", "competition")
ARMS = ("non_social", "permuted", "scrambled", "masked")
# Successes of a hundred: of the subject as it is, and in each arm.
CLEAR = {"": 100, "non_social": 10, "permuted": 95, "scrambled": 45, "masked": 50}
CLOSE = {
    "": 95,
    "non_social": 75,
    "permuted": 90,
    "scrambled": 75,
    "masked": 75,
}  # as numbers, not by intervals
EDGES = {
    "": (100, 95, 90, 80, 70, 65),
    "non_social": (10, 40, 60, 65, 70, 75, 80, 90),
    "permuted": (95, 80, 75, 70, 50),
    "scrambled": (45, 60, 70, 79, 80, 85, 90, 100),
    "masked": (50, 60, 70, 79, 80, 85, 90, 100),
}


def drawn_social(seed: int) -> tuple[list[Row], Design]:
    dice = random.Random(f"social {seed}")
    rows, families = sound(dice)
    own = list(social_rows(dice, dice.random() < 0.5, families))
    if dice.random() < 0.25:
        own = spoilt(dice, own)
        if own and dice.random() < 0.15:
            families.pop(dice.choice(own)["family"], None)
    if dice.random() < 0.1:
        rows = spoilt(dice, [dict(row) for row in rows])
    if dice.random() < 0.05:
        rows = without_tests(dice, rows)
    rule = dice.choice(["strict", "strict", "point"])
    return [*rows, *judged(dice, own)], Design(rule, REGIMES, families)


def sound(dice: random.Random) -> tuple[list[Row], dict[str, Frame]]:
    """Mostly Tier 4 by every rule; now and then what is below it is drawn, too, or missing."""
    rows: list[Row] = []
    families: dict[str, Frame] = {}
    if dice.random() < 0.25:
        rows += plain("S", 1, "S0", "calm", 10, 10)
        return rows, {"S0": Frame()}
    if dice.random() < 0.1:
        rows = base(dice)
        for draw in (third_rows, fourth_rows):
            rows += draw(dice, True, families)
    else:
        rows = base(random.Random(2))
        rows += list(third(families)) + list(fourth(families))
    for name in ("G1-0", "G1-1"):
        rows += plain("G1", 3, name, "hard", 20, 20)
    return rows, {r["family"]: Frame() for r in rows} | families


def without_tests(dice: random.Random, rows: list[Row]) -> list[Row]:
    """More than 30 % of the tests before and after practice are lost, and less of all outcomes of L."""
    before = [i for i, row in enumerate(rows) if row["dimension"] == "L" and row["phase"] == "pre"]
    lost = dice.sample(before, len(before) * 5 // 8)
    return [row | {"outcome": "excluded"} if i in lost else row for i, row in enumerate(rows)]


def third(families: dict[str, Frame]) -> Iterator[Row]:
    dice = random.Random("third")
    for name in ("T3-0", "T3-1"):
        families[name] = Frame(steps=5, delay=3, reward=True)
        yield from of_tier(dice, "T3", name, "calm", 30, 30, "", 1, steps=6)
        yield from of_tier(dice, "T3", name, "calm", 3, 30, "model_free", 1)


def fourth(families: dict[str, Frame]) -> Iterator[Row]:
    dice = random.Random("fourth")
    for name in ("T4-0", "T4-1"):
        families[name] = Frame(strategies=("a", "b"), held_out=True)
        for i, row in enumerate(of_tier(dice, "T4", name, "hard", 20, 40, "", 1)):
            yield row | {"strategy": "ab"[i % 2], "confidence": 0.9 if row["outcome"] == "success" else 0.2}
        for one in "ab":
            yield from of_tier(dice, "T4", name, "hard", 0, 40, "fixed_strategy", 1, strategy=one)


def frame(dice: random.Random, good: bool) -> Frame:
    def given(share: float) -> bool:
        return dice.random() < (0.99 if good else share)

    missing = (dice.choice(INPUTS),) if dice.random() < 0.01 else ()
    other = "" if "environment" in missing else dice.choice(["tool-augmented", "adversarial"])
    return Frame(
        environment="multi-agent" if other and given(0.9) else other,
        mode=dice.choice(MODES) if given(0.9) else "",
        kind=dice.choice(KINDS) if given(0.8) else dice.choice(["", "observation"]),
        roles=given(0.93),
        interaction=given(0.93),
        constraints=given(0.8),
        credited=None if given(0.9) else dice.choice([True, False]),
        threshold=Fraction(dice.choice([6, 8]), 10) if dice.random() < 0.1 else Fraction(7, 10),
        missing=missing,
        incomplete=dice.random() < 0.01,
    )


def social_rows(dice: random.Random, good: bool, families: dict[str, Frame]) -> Iterator[Row]:
    """One to three families, under Moderate and Severe; not every arm everywhere."""
    paired = dice.choice([1, 1, 1, 0.95] if good else [1, 1, 0.8, 0])
    usual = dice.choice([40, 60] if good else [10, 19, 20, 25, 40])
    clear = CLOSE if dice.random() < 0.2 else CLEAR
    places: Sequence[str] = (
        ("hard", "harder")
        if good
        else dice.choice([("hard",), ("harder",), ("hard", "harder"), ("calm", "hard"), ("calm",)])
    )
    for i in range(dice.choice([2, 2, 3] if good else [0, 1, 2, 2, 3])):
        name = f"T5-{i}"
        families[name] = frame(dice, good)
        for regime in places if dice.random() < 0.8 else places[:1]:
            n = usual if dice.random() < 0.8 else dice.choice([10, 19, 20, 25, 40])
            rates = {
                arm: clear[arm] if good and dice.random() < 0.95 else dice.choice(EDGES[arm]) for arm in EDGES
            }
            for arm in ("", *ARMS):
                if arm and dice.random() < (0.03 if good else 0.12):
                    continue
                number = n if dice.random() < 0.97 else max(1, n - dice.choice([1, 5]))
                k = min(number, round(rates[arm] * number / 100))
                yield from in_order(dice, of_tier(dice, "T5", name, regime, k, number, arm, paired), good)


def in_order(dice: random.Random, rows: Iterator[Row], good: bool) -> Iterator[Row]:
    """Now and then an outcome that nobody verified."""
    bare = not good and dice.random() < 0.03
    for row in rows:
        yield row | {"artifact": ""} if bare and dice.random() < 0.1 else row


def judged(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Now and then two or three raters judge; they differ on some outcomes."""
    if dice.random() >= 0.2:
        return rows
    differ, names = dice.choice([0, 0.02, 0.05, 0.2, 0.25]), dice.choice(["ab", "ab", "abc"])
    found = []
    for row in rows:
        for name in names:
            other: dict[str, Any] = row | {"rater": name}
            if name == "b" and dice.random() < differ and row["outcome"] != "excluded":
                other["outcome"] = "failure" if row["outcome"] == "success" else "success"
            found.append(other)
    return found
