"""Random outcome sets for the comparison with the second scorer: a subject of some skill, and all that may go wrong."""

from __future__ import annotations

import random
from fractions import Fraction

from tests.instruments.agency.made_outcomes import EARLY, LATE

from .drawn_learning import learning_rows
from .second_scorer import Design, Frame, Row

__all__ = ["drawn"]

GENERAL = ("version", "boundary", "includes", "human_assistance")
INPUTS = ("environment", "verification", "criterion", "observation_schema", "action_schema")
MODERATE = (("action", "stability"), ("action",), ("information",), ("stability",))
SEVERE = (
    ("information", "action", "compute", "stability"),
    ("information", "compute", "stability"),
    ("action", "compute"),
    ("information", "action"),
)
ENVIRONMENTS = ("tool-augmented", "tool-augmented", "static", "stochastic")
CONDITION = {"S": "noise", "M": "drift"}
INCLUDED = {"S": "partial_observability", "D": "stability_checks"}  # 10.4.2, 10.6.2


def drawn(seed: int) -> tuple[list[Row], Design]:
    """A third of the sets come from a careful evaluation of a skilled subject: else few would be clean."""
    dice = random.Random(seed)
    careful = dice.random() < 0.35
    names = [f"{d}{i}" for d in "SMDE" for i in range(3 if careful else dice.choice([1, 2, 3, 3]))]
    regimes = {
        "calm": ("b", ()),
        "hard": ("m", dice.choice(MODERATE)),
        "harder": ("s", dice.choice(SEVERE)),
        "hard otherwise": ("m", dice.choice(MODERATE)),
    }
    usual = {d: dice.sample(range(1, 6), dice.choice([1, 2, 3])) for d in "SMDE"}
    rows = [row for name in names for row in family_rows(dice, name, usual[name[0]], careful)]
    rows += [] if careful else stray_rows(dice, names)
    families = {name: frame(dice, name) for name in names}
    if dice.random() < 0.04:
        del families[dice.choice(names)]
    learnt = learning_rows(seed)
    families |= {name: frame(random.Random(f"{name} {seed}"), name) for name in {r["family"] for r in learnt}}
    design = Design(
        rule=dice.choice(["strict", "strict", "point"]),
        regimes=regimes,
        families=families,
        tools=dice.random() < 0.85,
        missing=(dice.choice(GENERAL),) if dice.random() < 0.08 else (),
    )
    return [*(rows if careful else spoilt(dice, rows)), *learnt], design


def frame(dice: random.Random, name: str) -> Frame:
    condition, included = CONDITION.get(name[0]), INCLUDED.get(name[0])
    drawn = [(condition, 0.5), (included, 0.8)]
    return Frame(
        environment=dice.choice(ENVIRONMENTS),
        conditions=tuple(one for one, share in drawn if one and dice.random() < share),
        threshold=Fraction(dice.choice([6, 8]), 10) if dice.random() < 0.1 else Fraction(7, 10),
        missing=(dice.choice(INPUTS),) if dice.random() < 0.02 else (),
        incomplete=dice.random() < 0.01,
    )


def family_rows(dice: random.Random, name: str, usual: list[int], careful: bool) -> list[Row]:
    """The usual levels of the dimension, or others, under some regimes; "hard otherwise" has contents of its own."""
    rows: list[Row] = []
    skill = dice.choice([0.9, 1.0, 1.0] if careful else [0.5, 0.8, 0.9, 0.97, 1.0])
    for level in usual if careful or dice.random() < 0.7 else dice.sample(range(1, 6), 2):
        n = dice.choice([17, 20, 30] if careful else [4, 8, 10, 17, 20, 30, 50])
        fall = dice.choice([0, 0, 0.05, 0.1, 0.3, 0.6])
        luck = [dice.random() for _ in range(n)]
        for place, regime in enumerate(("calm", "hard", "harder")):
            if dice.random() < 0.3:
                continue
            rate, strays = skill - place * fall * 0.6, dice.choice([0, 0, 0.3])
            rows += [episode(dice, name, level, regime, i, luck[i] < rate, strays) for i in range(n)]
        if dice.random() < 0.1:
            rows += [
                episode(dice, name, level, "hard otherwise", i, dice.random() < skill, 1) for i in range(n)
            ]
    return rows


def stray_rows(dice: random.Random, names: list[str]) -> list[Row]:
    """One or two episodes of a level, mostly lost."""
    return [
        episode(dice, name, dice.choice([1, 1, 2, 3]), "calm", 900 + i, dice.random() < 0.2, 1)
        for name in names
        if dice.random() < 0.3
        for i in range(dice.choice([1, 2]))
    ]


def episode(dice: random.Random, name: str, level: int, regime: str, i: int, won: bool, strays: float) -> Row:
    outcome = "success" if won != (dice.random() < 0.03) else "failure"
    attacked = regime != "calm" and dice.random() < 0.3
    return {
        "dimension": name[0],
        "level": level,
        "family": name,
        "regime": regime,
        "instance": f"{regime} {level} {i}",
        "pair": f"{level} {i}{regime if dice.random() < strays else ''}",
        "outcome": outcome,
        "artifact": "" if dice.random() < 0.002 else "digest",
        "criterion_time": EARLY,
        "adversarial": dice.choice(["resisted"] * 25 + ["followed"]) if attacked else "",
        "compliant": dice.choice([True] * 40 + [False]),
        "steps": dice.choice([2, 3, 4]),
        "state_changed": True,
    }


def spoilt(dice: random.Random, rows: list[Row]) -> list[Row]:
    """Instances lost and criteria written late, now and then close to the share that makes a dimension Invalid."""
    shares = {d: (dice.choice([0, 0, 0, 0.03, 0.3]), dice.choice([0, 0, 0, 0.03, 0.2])) for d in "SMDE"}
    for row in rows:
        lost, late = shares[row["dimension"]]
        if dice.random() < lost:
            row["outcome"] = "excluded"
        elif dice.random() < late:
            row["criterion_time"] = LATE
    return rows
