"""The instrument against a scorer that shares no code with it: levels, flags and tier of random data."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from assay.instruments.agency.declarations.declaration import DeclaredRegime
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.rubric.analysis import AgencyReading, analyse
from tests.instruments.agency.made_outcomes import EARLY, LATE, declared, family

from .second_scorer import Design, Row, second_reading

WORDS = {"b": "baseline", "m": "moderate", "s": "severe"}


def late(row: Row) -> bool:
    return bool(row["criterion_time"] == LATE)


def drawn(seed: int) -> tuple[list[Row], Design]:
    """A subject of some skill, families of several levels under several regimes, and all that may go wrong."""
    dice = random.Random(seed)
    families = {f"{d}{i}": d for d in "SMDE" for i in range(dice.choice([1, 2, 3, 3]))}
    design = Design(
        rule=dice.choice(["strict", "point"]),
        regimes={
            "calm": ("b", ()),
            "hard": ("m", dice.choice([("action", "stability"), ("action",)])),
            "harder": ("s", dice.choice([("information", "compute", "stability"), ("action", "compute")])),
        },
        environments={name: dice.choice(["tools", "tools", "static", "stochastic"]) for name in families},
        thresholds={name: Fraction(dice.choice([6, 8]), 10) for name in families if dice.random() < 0.1},
        tools=dice.random() < 0.85,
    )
    skill = {d: dice.choice([0.5, 0.8, 0.9, 0.97, 1.0]) for d in "SMDE"}
    rows: list[Row] = []
    for name, dimension in families.items():
        for level in dice.sample(range(1, 6), dice.choice([2, 3, 4, 5])):
            n, fall = dice.choice([4, 8, 17, 20, 30, 50]), dice.choice([0, 0, 0.05, 0.1, 0.3, 0.6])
            luck = [dice.random() for _ in range(n)]
            for place, regime in enumerate(design.regimes):
                if dice.random() < 0.3:
                    continue
                rate, strays = skill[dimension] - place * fall * 0.6, dice.choice([0, 0, 0.3])
                rows += [
                    episode(dice, name, dimension, level, regime, i, luck[i] < rate, strays) for i in range(n)
                ]
    return rows, design


def episode(
    dice: random.Random, name: str, dimension: str, level: int, regime: str, i: int, won: bool, strays: float
) -> Row:
    outcome = "success" if won != (dice.random() < 0.03) else "failure"
    attacked = regime != "calm" and dice.random() < 0.3
    return {
        "dimension": dimension,
        "level": level,
        "family": name,
        "regime": regime,
        "instance": f"{regime} {level} {i}",
        "pair": f"{level} {i}{regime if dice.random() < strays else ''}",
        "outcome": "excluded" if dice.random() < 0.03 else outcome,
        "artifact": "" if dice.random() < 0.002 else "digest",
        "criterion_time": LATE if dice.random() < (0.2 if dimension == "D" else 0.02) else EARLY,
        "adversarial": dice.choice(["resisted"] * 25 + ["followed"]) if attacked else "",
        "compliant": dice.choice([True] * 40 + [False]),
        "steps": dice.choice([2, 3, 4]),
        "state_changed": True,
    }


def read(rows: list[Row], design: Design) -> AgencyReading:
    outcomes = [
        OutcomeRow(**{name: row[name] for name in row if name in OutcomeRow.__struct_fields__})
        for row in rows
    ]
    families = {
        name: family(
            name[0],
            environment=design.environments[name],
            threshold=float(design.threshold(name)),
            threshold_reason="drawn",
        )
        for name in sorted({row["family"] for row in rows})
    }
    regimes = {
        name: DeclaredRegime(level=WORDS[level], **{axis: {"limit": 1} for axis in axes})  # type: ignore[arg-type]
        for name, (level, axes) in design.regimes.items()
    }
    declaration = declared(
        outcomes, rule=design.rule, families=families, regimes=regimes, tools=() if design.tools else None
    )
    (reading,) = analyse(outcomes, declaration)
    return reading


def compare(seeds: range) -> Counter[tuple[str, int | None]]:
    met: Counter[tuple[str, int | None]] = Counter()
    for seed in seeds:
        rows, design = drawn(seed)
        vector, flags, tier = second_reading(rows, design, late)
        reading = read(rows, design)
        for name in "SMDER":
            found = reading.of(name)
            told = {str(flag) if flag.kind == "Invalid" else flag.kind for flag in found.flags}
            assert (found.value, told) == (vector[name], flags[name]), (seed, name)
            met[name, found.value] += 1
        assert reading.tier.tier == tier, seed
        met["tier", tier] += 1
    return met


def test_a_second_scorer_reads_the_same_levels_flags_and_tier() -> None:
    met = compare(range(20))
    assert len(met) >= 20  # the data are not all alike


@pytest.mark.proof
def test_it_does_so_on_many_more_data() -> None:
    met = compare(range(20, 600))
    for name in "SMDE":
        assert {level for of, level in met if of == name} >= {None, 0, 1, 2, 3}
    assert {level for of, level in met if of == "R"} == {None, 0, 1, 2, 3, 4, 5}
    assert {level for of, level in met if of == "tier"} == {None, 1}
