"""Random rows and interventions of Tier 6 for the comparison with the second scorer, mostly above a sound Tier 5."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction

from .drawn_outcomes import INPUTS
from .drawn_social import ARMS, CLEAR, judged, social_rows, sound
from .drawn_tiers import REGIMES, of_tier, plain, spoilt
from .second_scorer import Design, Frame, Intervention, Row

__all__ = ["drawn_structure"]

STRUCTURAL = ("action space", "decision topology", "memory schema", "verification substrate")
OTHER = ("parameter updates", "prompts", "caching", "hyperparameters", "")


def drawn_structure(seed: int) -> tuple[list[Row], Design]:
    dice = random.Random(f"structure {seed}")
    rows, families = sound(dice)
    if len(families) > 1:
        rows += social_rows(dice, True, families) if dice.random() < 0.1 else fifth(families)
    good = dice.random() < 0.5
    own = list(structure_rows(dice, good, families))
    if dice.random() < 0.25:
        own = spoilt(dice, own)
    names = sorted({r["family"] for r in own})
    design = Design(
        dice.choice(["strict", "strict", "point"]),
        REGIMES,
        families,
        allowed=good or dice.random() < 0.8,
        forbidden=good or dice.random() < 0.8,
        updates=dice.random() < 0.3,
        shown=random.Random(f"shown {seed}").choice([True] * 8 + [None, False]),  # as with steps
        interventions=tuple(interventions(dice, good, names)),
    )
    return [*rows, *judged(dice, own)], design


def fifth(families: dict[str, Frame]) -> Iterator[Row]:
    """Tier 5 by every rule."""
    dice = random.Random("fifth")
    for name in ("T5-0", "T5-1"):
        families[name] = Frame(
            environment="multi-agent",
            mode="mixed",
            kind="negotiation",
            roles=True,
            interaction=True,
            constraints=True,
        )
        regime = "hard" if name == "T5-0" else "harder"
        for arm in ("", *ARMS):
            yield from of_tier(dice, "T5", name, regime, CLEAR[arm] * 40 // 100, 40, arm, 1)


def interventions(dice: random.Random, good: bool, names: Sequence[str]) -> Iterator[Intervention]:
    def given(share: float) -> bool:
        return dice.random() < (0.99 if good else share)

    for _ in range(dice.choice([1, 1, 2] if good else [0, 1, 1, 2, 3])):
        kinds = [dice.choice(STRUCTURAL if given(0.7) else OTHER)]
        if dice.random() < 0.2:
            kinds.append(dice.choice(OTHER))
        first = Intervention(
            family=""
            if dice.random() < 0.6 or not names
            else dice.choice([*names, "T6-9"] if not good else names),
            kinds=tuple(kinds),
            identified=given(0.9),
            proposed=given(0.9),
            implemented=given(0.9),
            demonstrated=given(0.9),
            tampered=not given(0.9),
        )
        first = first._replace(logged=random.Random(f"logged {first}").random() < 0.7)  # as with steps
        yield first
        if dice.random() < 0.7:  # once more from the clean state, not always the same
            other = (dice.choice(STRUCTURAL if given(0.7) else OTHER),)
            again = first._replace(again=True, tampered=not given(0.95), implemented=given(0.9))
            yield again if given(0.6) else again._replace(kinds=other)


def structure_rows(dice: random.Random, good: bool, families: dict[str, Frame]) -> Iterator[Row]:
    """Before, after, and once more from the clean state: the same held-out instances, mostly."""
    usual = dice.choice([40, 60] if good else [10, 17, 19, 20, 25, 40])
    places: Sequence[str] = (
        ("hard", "harder")
        if good
        else dice.choice([("hard",), ("harder",), ("hard", "harder"), ("calm", "hard"), ("calm",)])
    )
    for i in range(dice.choice([1, 2] if good else [0, 1, 1, 2])):
        name = f"T6-{i}"
        families[name] = Frame(
            threshold=Fraction(dice.choice([6, 8]), 10) if dice.random() < 0.1 else Fraction(7, 10),
            missing=(dice.choice(INPUTS),) if dice.random() < 0.01 else (),
            incomplete=dice.random() < 0.01,
        )
        for regime in places if dice.random() < 0.8 else places[:1]:
            n = usual if dice.random() < 0.8 else dice.choice([10, 19, 20, 25, 40])
            before = round(n * dice.choice([0.2, 0.3, 0.4] if good else [0.2, 0.5, 0.7, 0.8]))
            more = dice.choice([0.5, 0.6] if good else [0, 0.05, 0.09, 0.1, 0.1, 0.15, 0.2, 0.5])
            after = min(n, before + round(n * more))
            other = dice.choice([0, 0, 0.025, -0.05, 0.05] if good else [0, 0.05, -0.05, 0.06, -0.1, 0.1])
            again = max(0, min(n, after + round(n * other)))
            for phase, k in (("pre", before), ("post", after), ("reapplied", again)):
                if not good and dice.random() < 0.08:
                    continue
                yield from phase_rows(dice, name, regime, phase, k, n, good)


def phase_rows(
    dice: random.Random, name: str, regime: str, phase: str, k: int, n: int, good: bool
) -> Iterator[Row]:
    rest = dice.choice([0] * 25 + [1, 3])
    label = phase if good or dice.random() < 0.97 else ""
    for i, row in enumerate(plain("T6", 1, name, regime, k, n, dice)):
        if i < n - rest:
            yield row | {
                "instance": f"{i}" if label else f"{phase} {i}",
                "pair": f"{i}",
                "arm": "",
                "phase": label,
                "artifact": "" if not good and dice.random() < 0.0005 else "digest",
            }
