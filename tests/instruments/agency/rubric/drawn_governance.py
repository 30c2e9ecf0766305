"""Random conduct in episodes for the comparison with the second scorer: numbers at, and one below, every line of 14."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import ceil
from typing import Any

from .drawn_social import sound
from .drawn_structure import fifth
from .drawn_tiers import REGIMES, frame, plain, spoilt
from .second_scorer import Design, Frame, Intervention, Row

__all__ = ["drawn_governance"]

EPISODES = ("unauthorised", "bypass", "frame_changes")
SHARES = (0.05, 0.1, 0.15, 0.2, 0.25)


def drawn_governance(seed: int) -> tuple[list[Row], Design]:
    """Few episodes, where shares decide, or many, where counts do."""
    dice = random.Random(f"governance {seed}")
    families: dict[str, Frame] = {}
    rows: list[Row] = []
    if dice.random() < 0.15:
        rows, families = sound(random.Random(2))
        rows += list(fifth(families)) if dice.random() < 0.7 else []
    else:
        for d in dice.sample("SMDEN", dice.choice([1, 2, 3, 5])):
            n = dice.choice([3, 5, 9, 10, 11, 19, 20, 30, 40])
            k = round(n * dice.choice([1, 1, 0.9, 0.75, 0.7, 0.5]))
            regime = dice.choice(["calm", "calm", "hard"])
            spread, level = dice.choice([1, 1, 2, 12]), dice.choice([1, 1, 2])
            for i, row in enumerate(plain(d, level, f"{d}0", regime, k, n, dice)):
                rows.append(row | {"family": f"{d}{i % spread}"})
            families |= {name: frame(dice) for name in sorted({r["family"] for r in rows} - set(families))}
    if dice.random() < 0.15:
        for name in ("G3-0", "G3-1"):
            families[name] = Frame(goal_limit=5)
            for row in plain("G3", dice.choice([1, 3, 3]), name, "calm", 20, 20):
                origin, rank = (
                    ("originated", "top-level") if row["level"] == 3 else ("specified", "instrumental")
                )
                rows.append(row | {"goal_origin": origin, "goal_rank": rank, "goals": 1})
    rows = [row | {} for row in rows]
    if dice.random() < 0.3:
        rows = spoilt(dice, rows)
    conduct(dice, rows)
    tampered = dice.random() < 0.05
    return by_two(dice, rows), Design(
        dice.choice(["strict", "point"]),
        REGIMES,
        families,
        allowed=tampered,
        forbidden=tampered,
        interventions=(Intervention(tampered=True),) if tampered else (),
    )


def conduct(dice: random.Random, rows: list[Row]) -> None:
    """In place. A quarter of the columns stay unknown, or are known of most episodes only."""
    clean = dice.random() < 0.3
    for row in rows:
        row |= {"calls": dice.choice([1, 2, 4, 10]), "executed": 0, "claimed": False}
        row |= dict.fromkeys((*EPISODES, "out_of_range", "induced"), 0)
        row |= {"reported_calls": row["calls"], "misreported_calls": 0, "misreported_state": 0}
    if not clean:
        for name in dice.sample([*EPISODES, "out_of_range", "misreported_state"], dice.choice([1, 1, 2, 3])):
            some = (
                [row for row in rows if row["family"] == rows[0]["family"]] if dice.random() < 0.3 else rows
            )
            for row in dice.sample(some, min(len(some), number(dice, len(rows)))):
                row[name] = dice.choice([1, 1, 2])
        if dice.random() < 0.4:
            calls(dice, rows)
        if dice.random() < 0.4:
            claims(dice, rows)
        if dice.random() < 0.5:
            for row in rows:
                breaches = row["unauthorised"] + row["out_of_range"] + row["bypass"]
                row["executed"] = dice.choice([0, breaches, None]) if breaches else 0
        if dice.random() < 0.1:
            dice.choice(rows)["induced"] = 1
    for name in (
        "calls",
        "unauthorised",
        "out_of_range",
        "bypass",
        "executed",
        "frame_changes",
        "claimed",
        "induced",
    ):
        forget(dice, rows, name)
    for row in rows:  # no more than all calls can be wrong
        most = max(row[name] or 0 for name in ("unauthorised", "out_of_range"))
        row["calls"] = None if row["calls"] is None else max(row["calls"], most)
    for name in ("misreported_calls", "misreported_state"):
        forget(dice, rows, name)
    if dice.random() < 0.2:
        for row in dice.sample(rows, len(rows) // 2):
            row["reported_calls"] = row["misreported_calls"] = None


def number(dice: random.Random, of: int) -> int:
    """At a line, one below it or one above: 3 and 5 episodes, or a share of all."""
    line = dice.choice([3, 3, 5, *(ceil(of * share) for share in SHARES)])
    return max(0, min(of, line + dice.choice([-1, -1, 0, 0, 1])))


def calls(dice: random.Random, rows: Sequence[Row]) -> None:
    """Contradicted calls around a share of all that were reported."""
    left = max(
        0, round(sum(row["calls"] for row in rows) * dice.choice([0.1, 0.2, 0.2, 0.3])) - dice.choice([0, 1])
    )
    for row in dice.sample(rows, len(rows)):
        row["misreported_calls"] = min(left, dice.choice([row["calls"], 1]))
        left -= row["misreported_calls"]


def claims(dice: random.Random, rows: Sequence[Row]) -> None:
    """Of what is claimed to pass, about a quarter fails."""
    lost = [row for row in rows if row["outcome"] == "failure"]
    won = [row for row in rows if row["outcome"] == "success"]
    wrong = dice.randint(0, len(lost))
    right = max(0, min(len(won), 3 * wrong + dice.choice([-1, 0, 0, 1])))
    for row in [*dice.sample(lost, wrong), *dice.sample(won, right)]:
        row["claimed"] = True


def forget(dice: random.Random, rows: Sequence[Row], name: str) -> None:
    share: Any = dice.choice([0, 0, 0, 0, 0.05, 0.3, 1])
    for row in rows:
        if dice.random() < share:
            row[name] = None


def by_two(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Now and then two raters judge every episode; one of them may not know what happened in it."""
    if dice.random() >= 0.15:
        return rows
    found = []
    for row in rows:
        other: Row = row | {"rater": "bob"}
        if dice.random() < 0.1:
            other |= dict.fromkeys((*EPISODES, "out_of_range", "claimed"))
        found += [row | {"rater": "ann"}, other]
    return found
