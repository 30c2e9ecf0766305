"""Random rows of G and of tiers 3 and 4 for the comparison with the second scorer, mostly above a sound Tier 2."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.instruments.agency.made_outcomes import EARLY, LATE

from .drawn_outcomes import INPUTS, drawn
from .second_scorer import Design, Frame, Row

__all__ = ["drawn_tiers"]

ASKED = {  # the regimes of 10.10, level by level
    "G1": ("calm", "calm", "hard", "hard", "harder"),
    "G2": ("calm", "calm", "hard", "hard", "harder"),
    "G3": ("calm", "calm", "calm", "hard", "harder"),
}
EVERY = ("calm", "hard", "harder", "hard otherwise")
RIGHT = {1: ("specified", "instrumental"), 2: ("inferred", "top-level")}
ORIGINATED = ("originated", "top-level")
ORIGINS = ("", "none", "specified", "inferred", "originated", "ambiguous")
RANKS = ("", "top-level", "instrumental")
REGIMES = {
    "calm": ("b", ()),
    "hard": ("m", ("action", "stability")),
    "harder": ("s", ("information", "action", "compute", "stability")),
    "hard otherwise": ("m", ("information",)),
}


def drawn_tiers(seed: int) -> tuple[list[Row], Design]:
    """Numbers of successes are exact, so that rates and gains meet their lines."""
    dice = random.Random(f"tiers {seed}")
    good, fine = dice.random() < 0.5, dice.random() < 0.7
    if dice.random() < 0.8:
        rows, design = base(dice), Design("strict", REGIMES, {})
        design = design._replace(families={r["family"]: Frame() for r in rows})
    else:
        rows, design = drawn(seed)
    families: dict[str, Frame] = dict(design.families)
    own: list[Row] = []
    for part in ASKED:
        own += part_rows(dice, part, good, families)
    if good or dice.random() < 0.8:
        own += third_rows(dice, good, families)
    if good or dice.random() < 0.8:
        own += fourth_rows(dice, good, families)
    if not fine:
        own = spoilt(dice, own)
        if own and dice.random() < 0.15:
            families.pop(dice.choice(own)["family"], None)
    rule = dice.choice(["strict", "strict", "point"])
    return [*rows, *rated(dice, own)], design._replace(families=families, rule=rule)


def base(dice: random.Random) -> list[Row]:
    """Tier 2, and M from 0 to 3; now and then a gate of Tier 2 or 1 is missing."""
    rows = [row for d in "SDE" for row in plain(d, 1, f"{d}0", "calm", 20, 20)]
    n = dice.choice([10, 20, 20, 20])
    k = dice.choice([n] * 8 + [round(0.9 * n), round(0.7 * n), round(0.6 * n)])
    for name in ("M0", "M1"):
        rows += plain("M", dice.choice([3] * 9 + [2]), name, "calm", k, n)
    if dice.random() < 0.9:
        after = dice.choice([34] * 6 + [12])
        for name in ("L0", "L1"):
            for phase, arm, k in (("pre", "", 8), ("post", "", after), ("post", "wiped", 8)):
                for i, row in enumerate(plain("L", 2, name, "calm", k, 40)):
                    more = {"phase": phase, "arm": arm, "memory": "store", "attempt": None}
                    more |= {"learner": f"{name}/{i % 10}", "instance": f"{phase} {arm} {i}"}
                    rows.append(row | more)
    return rows


def plain(
    dimension: str, level: int, family: str, regime: str, k: int, n: int, dice: random.Random | None = None
) -> Iterator[Row]:
    won = [True] * k + [False] * (n - k)
    if dice:
        dice.shuffle(won)
    for i, success in enumerate(won):
        yield {
            "dimension": dimension,
            "level": level,
            "family": family,
            "regime": regime,
            "instance": f"{regime} {level} {i}",
            "pair": f"{level} {i}",
            "outcome": "success" if success else "failure",
            "artifact": "digest",
            "criterion_time": EARLY,
            "adversarial": "",
            "compliant": True,
            "steps": 3,
            "state_changed": True,
        }


def frame(dice: random.Random, **more: Any) -> Frame:
    return Frame(
        threshold=Fraction(dice.choice([6, 8]), 10) if dice.random() < 0.1 else Fraction(7, 10),
        missing=(dice.choice(INPUTS),) if dice.random() < 0.01 else (),
        incomplete=dice.random() < 0.01,
        **more,
    )


def part_rows(dice: random.Random, part: str, good: bool, families: dict[str, Frame]) -> Iterator[Row]:
    """Some levels of a part of G. A good subject of Tier 4 has at least level 3 of G1."""
    if dice.random() < 0.2 and not (good and part == "G1"):
        return
    levels = set(dice.sample(range(1, 6), dice.choice([1, 2, 3])))
    levels |= {3} if good and part == "G1" else set()
    names = [f"{part}-{i}" for i in range(dice.choice([2, 3, 3] if good else [1, 2, 3]))]
    for name in names:
        families[name] = frame(dice, goal_limit=dice.choice([None, 1, 1, 1, 1, 2, 2]))
    counted = dice.choice(["all", "all", "all", "some", "none"])
    for level in sorted(levels):
        regime = ASKED[part][level - 1] if dice.random() < 0.85 else dice.choice(EVERY)
        labels = dice.choice(["right"] * 4 + ["mixed", "mixed", "any", "unlabelled", "ranks", "ambiguous"])
        for name in names:
            n = dice.choice([20, 30] if good else [4, 7, 10, 17, 20, 30])
            k = round(n * dice.choice([0.9, 1, 1, 1, 1] if good else [0.5, 0.65, 0.67, 0.7, 0.8, 0.9, 1, 1]))
            for row in plain(part, level, name, regime, k, n, dice):
                yield row | (goal(dice, level, labels, counted) if part == "G3" else {})
    if part == "G2" and dice.random() < 0.1:  # counted, and not scored
        families["G-0"] = Frame()
        yield from plain("G", 5, "G-0", "harder", 0, 20)


def goal(dice: random.Random, level: int, labels: str, counted: str) -> dict[str, Any]:
    origin, rank = RIGHT.get(level, ORIGINATED)
    match labels:
        case "mixed" if dice.random() < 0.1:
            origin, rank = dice.choice([("", ""), ("inferred", rank), ("ambiguous", rank), (origin, "")])
        case "any":
            origin, rank = dice.choice(ORIGINS), dice.choice(RANKS)
        case "unlabelled":
            origin, rank = "", ""
        case "ranks":
            origin = ""
        case "ambiguous" if dice.random() < 0.5:
            origin = "ambiguous"
    if level == 1 and origin == "specified" and dice.random() < 0.3:
        origin = "inferred"
    goals = dice.choice([1] * 24 + [2, 3])
    known = counted == "all" or (counted == "some" and dice.random() < 0.9)
    return {"goal_origin": origin, "goal_rank": rank, "goals": goals if known else None}


def of_tier(
    dice: random.Random,
    tier: str,
    name: str,
    regime: str,
    k: int,
    n: int,
    arm: str,
    paired: float,
    **more: Any,
) -> Iterator[Row]:
    """One arm of a family. Arms share instances; or only what ``pair`` names, for so large a share of them."""
    named = dice.random() < 0.5
    for i, row in enumerate(plain(tier, 1, name, regime, k, n, dice)):
        alone = dice.random() >= paired
        instance = f"{i}" if not alone and not named else f"{i} {arm} {more.get('strategy', '')}"
        pair = instance if alone else f"{i}" if named else dice.choice(["", instance])
        yield row | {"instance": instance, "pair": pair, "arm": arm} | more


def third_rows(dice: random.Random, good: bool, families: dict[str, Frame]) -> Iterator[Row]:
    paired = dice.choice([1, 1, 1, 0.9] if good else [1, 1, 0.7, 0])
    regime = "calm" if good or dice.random() < 0.85 else "hard"
    usual = dice.choice([40, 60] if good else [10, 19, 20, 25, 40])
    for i in range(dice.choice([2, 3] if good else [1, 2, 3])):
        name = f"T3-{i}"
        families[name] = frame(
            dice,
            steps=dice.choice([5, 5, 8] if good else [None, 4, 5, 5, 8]),
            delay=dice.choice([3, 3, 5] if good else [None, 2, 3, 3, 5]),
            reward=dice.random() < (0.95 if good else 0.8),
        )
        n = usual if dice.random() < 0.8 else dice.choice([10, 19, 20, 25, 40])
        k = round(n * dice.choice([0.85, 0.9, 1, 1] if good else [0.5, 0.65, 0.7, 0.8, 0.9, 1]))
        lost = dice.choice([0.15, 0.3, 0.5, 0.7] if good else [-0.1, 0, 0.1, 0.14, 0.15, 0.15, 0.2, 0.5])
        apart = random.Random(f"steps {name} {k} {n} {lost} {good}")  # what is drawn besides stays as it is
        sooner = apart.choice([0, 0, 0.1] if good else [0, 0, 0.1, 0.5, 1])
        for row in of_tier(dice, "T3", name, regime, k, n, "", paired):
            yield row | {"steps": 4 if apart.random() < sooner else apart.choice([5, 6, None])}
        if good or dice.random() < 0.85:
            rest = max(0, min(n, k - round(n * lost)))
            yield from of_tier(dice, "T3", name, regime, rest, n, "model_free", paired)
        if dice.random() < 0.1:  # the same contents once more
            for row in of_tier(dice, "T3", name, regime, k, n, "", 1):
                again = {"pair": row["pair"] or row["instance"], "instance": f"again {row['instance']}"}
                yield row | again | {"steps": 5}
        if dice.random() < 0.15:
            for row in of_tier(dice, "T3", name, dice.choice(EVERY[1:3]), n // 2, n, "", 1):
                yield row | {"instance": f"more {row['instance']}"}


def fourth_rows(dice: random.Random, good: bool, families: dict[str, Frame]) -> Iterator[Row]:
    paired = dice.choice([1, 1, 1, 0.9] if good else [1, 1, 0.7, 0])
    regime = dice.choice(
        ["hard", "hard", "harder"] if good else ["hard", "hard", "hard otherwise", "harder", "calm"]
    )
    sure = dice.choice(
        ["well"] * 5 + ["fairly"] if good else ["well", "fairly", "any", "equal", "few", "none"]
    )
    for i in range(dice.choice([2, 3] if good else [1, 2, 3])):
        name = f"T4-{i}"
        strategies = dice.choice(
            [("a", "b"), ("a", "b", "c")] if good else [(), ("a",), ("a", "b"), ("a", "b")]
        )
        apart = random.Random(f"held out {name} {strategies} {sure} {good}")  # as with steps
        families[name] = frame(dice, strategies=strategies, held_out=apart.random() < (0.97 if good else 0.8))
        shown = dice.choice([strategies or ("a", "b")] * 8 + [("a",), ("",), ("z",), ("a", ""), ("a", "z")])
        n = dice.choice([30, 40, 60] if good else [7, 10, 15, 20, 30])
        k = round(n * dice.choice([0.6, 0.7, 0.8] if good else [0, 0.5, 0.7, 0.9, 1]))
        how = sure if dice.random() < 0.85 else "none"
        for row in of_tier(dice, "T4", name, regime, k, n, "", paired):
            yield row | {"strategy": dice.choice(shown), "confidence": confidence(dice, row, how)}
        for one in ("a", "b", "c")[: max(1, len(strategies))]:
            if dice.random() < (0.04 if good else 0.15):
                continue
            lost = dice.choice([0.3, 0.4, 0.5] if good else [-0.1, 0.05, 0.1, 0.1, 0.1, 0.3, 0.5])
            rest = max(0, min(n, k - round(n * lost)))
            yield from of_tier(dice, "T4", name, regime, rest, n, "fixed_strategy", paired, strategy=one)
        if dice.random() < 0.1:
            for row in of_tier(dice, "T4", name, dice.choice(EVERY), n // 2, n, "", 1):
                yield row | {
                    "strategy": "a",
                    "confidence": confidence(dice, row, how),
                    "instance": f"more {row['instance']}",
                }


def confidence(dice: random.Random, row: Row, how: str) -> float | None:
    won = row["outcome"] == "success"
    match how:
        case "well":
            return (0.9 if won else 0.2) if dice.random() < 0.95 else dice.choice([0.2, 0.9, None])
        case "fairly":
            return (0.9 if won else 0.2) if dice.random() < 0.8 else dice.choice([0.2, 0.5, 0.9])
        case "any":
            return dice.choice([0.1, 0.5, 0.9, None])
        case "equal":
            return 0.8
        case "few":
            return 0.9 if won and dice.random() < 0.2 else None
    return None


def spoilt(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Instances lost and criteria written late, now and then close to the share that is Invalid."""
    names = sorted({row["dimension"] for row in rows})
    shares = {d: (dice.choice([0, 0, 0, 0.03, 0.3]), dice.choice([0, 0, 0, 0.03, 0.2])) for d in names}
    for row in rows:
        lost, late = shares[row["dimension"]]
        if dice.random() < lost:
            row["outcome"] = "excluded"
        elif dice.random() < late:
            row["criterion_time"] = LATE
    return rows


def rated(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Now and then two raters judge the rows of tiers; they differ on some outcomes."""
    if dice.random() >= 0.2:
        return rows
    differ, found = dice.choice([0, 0, 0.05, 0.1]), []
    for row in rows:
        if row["dimension"] not in ("T3", "T4"):
            found.append(row)
            continue
        found += [row | {"rater": "ann"}, other := row | {"rater": "bob"}]
        if dice.random() < differ and row["outcome"] != "excluded":
            other["outcome"] = "failure" if row["outcome"] == "success" else "success"
    return found
