"""Recognition measured on judges of known truth: do intervals hold as often as they claim, and are cheats exposed?

Answers to lineups are drawn, and every run, a subject and its neutral judges, is scored as any rows are. The truth of
every measure follows from the declared probabilities by its formula, written here a second time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import polars as pl
from msgspec import Struct, convert

from assay.measuring.calibration import Floats, GridBase, Key, Readings, readings_of
from assay.measuring.lineups import SCHEMA, Ints, LineupAnswers, lineup_answers
from assay.stats import philox

from .row_options import PHASES, RecognitionRowOptions
from .scoring import score_subjects
from .signature import data_file

__all__ = ["RecognitionGrid", "RecognitionMember"]

THRESHOLD = 0.75  # of P-SR-1
CONFIDENCES = np.array([0.8, 0.4])
WHERE_RIGHT, WHERE_WRONG = np.array([0.8, 0.2]), np.array([0.4, 0.6])  # how often each confidence is given
OPTIONS = RecognitionRowOptions(scale=(0.0, 1.0))
DECLARED = {"established": True, "refuted": False}  # what a run says of a claim


class RecognitionMember(Struct, frozen=True, forbid_unknown_fields=True):
    """``p``: how often the own text is chosen, ``neutral``: by every other judge; otherwise any other text.

    ``spread``: a prompt's own p is drawn from a beta distribution with this share of the largest variance. ``follows``:
    this share of answers chooses one text of the lineup, the own one with probability p; the other answers choose any.
    ``alike``: other judges answer as the subject does, with the same p and the same text of each lineup.
    """

    name: str
    about: str
    p: float = 0.25
    neutral: float = 0.25
    spread: float = 0.0
    follows: float = 0.0
    alike: bool = False
    first: bool = False  # always the first place
    places: tuple[int, ...] = ()  # of the own text, answer by answer; without them, rotated
    texts: int = 4
    orders: int = 4
    judges: int = 3
    unreadable: float = 0.0
    quick: bool = False

    def own(self, n: int) -> Ints:
        """Where the own text stands, by lineup and order."""
        number = np.arange(n * self.orders).reshape(n, self.orders)
        return np.resize(self.places, number.shape) if self.places else number % self.texts + 1

    def consistent(self) -> float:
        """The probability that all orders of a lineup choose the same text."""
        m, others, rest = self.orders, float(self.texts - 1), (1.0 - self.follows) / self.texts
        if self.follows:
            return (self.follows + rest) ** m + others * rest**m
        return self._power(self.p) + self._power(1.0 - self.p) / others ** (m - 1)

    def _power(self, mean: float) -> float:
        """The mean of a rate to the power of the orders: a moment of the beta distribution."""
        step = self.spread / (1.0 - self.spread)
        return float(prod((mean + i * step) / (1.0 + i * step) for i in range(self.orders)))


class RecognitionGrid(GridBase[RecognitionMember]):
    """Members, each with so many lineups, every one on a prompt of its own."""

    def members(self, quick: bool) -> Sequence[RecognitionMember]:
        found = convert(data_file("calibration.json"), tuple[RecognitionMember, ...])
        return [one for one in found if one.quick or not quick]

    def sizes(self, quick: bool) -> Sequence[int]:
        return (10,) if quick else (10, 20)

    def draw(self, member: RecognitionMember, n: int, runs: int) -> pl.DataFrame:
        """The answers of all runs, each of a subject and judges of its own. Text 0 of a lineup is the own one."""
        stream = np.random.Generator(philox(f"recognition {member.name} {n}"))
        k, shape = member.texts, (runs, member.judges + 1, n, member.orders)
        own, subject = np.broadcast_to(member.own(n), shape), np.arange(shape[1])[:, None, None] == 0
        p = np.where(subject[..., 0] | member.alike, member.p, np.full(shape[:3], member.neutral))
        if size := member.spread and 1.0 / member.spread - 1.0:
            p = stream.beta(p * size, (1.0 - p) * size)
        p = np.broadcast_to(p[:, :1] if member.alike else p, shape[:3])
        text = np.where(stream.random(shape) < p[..., None], 0, stream.integers(1, k, shape))
        if member.follows:
            each = (runs, 1, n, 1)
            one = np.where(stream.random(each) < member.p, 0, stream.integers(1, k, each))
            led = np.where(stream.random(shape) < member.follows, one, stream.integers(0, k, shape))
            text = np.where(subject | member.alike, led, text)
        text = np.where(subject & member.first, (1 - own) % k, text)
        sure = stream.random(shape) < np.where(text == 0, WHERE_RIGHT[0], WHERE_WRONG[0])
        read = stream.random(shape) >= member.unreadable
        run, judge, lineup, order = np.indices(shape).reshape(4, -1).astype(str)
        columns = {
            "subject": np.where(judge == "0", run, np.char.add(np.char.add(run, " by "), judge)),
            "target": run,
            "lineup": lineup,
            "trial": order,
            "cluster": lineup,
            "own": own.ravel(),
            "choice": np.where(read, (own - 1 + text) % k + 1, 0).ravel(),
            "confidence": np.where(sure, *CONFIDENCES).ravel(),
            "chosen": np.where(read, text.astype(str), "").ravel(),
        }
        found = {name: pl.lit("" if kind == pl.String() else None) for name, kind in SCHEMA.items()}
        found |= {name: pl.col(name) for name in columns} | {"phase": pl.lit("self"), "options": pl.lit(k)}
        found["choice"] = pl.when(pl.col("choice") > 0).then("choice")
        return pl.DataFrame(columns).select(found[n].cast(kind).alias(n) for n, kind in SCHEMA.items())

    def truth(self, member: RecognitionMember, n: int, drawn: pl.DataFrame) -> Mapping[Key, Floats]:
        runs = drawn.get_column("target").n_unique()
        return {key: np.full(runs, value) for key, value in _truths(member, n).items()}

    def read(self, member: RecognitionMember, n: int, drawn: pl.DataFrame) -> Mapping[Key, Readings]:
        answers, keys = lineup_answers(drawn, PHASES), _truths(member, n)
        runs: dict[str, dict[tuple[str, str], LineupAnswers]] = {target: {} for _, target in answers}
        for (judge, target), some in answers.items():
            runs[target][judge, target] = some
        scores = [score_subjects(run, OPTIONS, self.confidence) for run in runs.values()]
        found = readings_of((measures for measures, _ in scores), keys)
        said = [{(v.name, v.holds) for v in verdicts} for _, verdicts in scores]
        for key in [key for key in keys if key.measure in DECLARED]:  # 1 where a run says so of the claim
            claim = (key.labels[0][1], DECLARED[key.measure])
            found[key] = Readings(np.array([claim in one for one in said], float))
        return found


def _truths(member: RecognitionMember, n: int) -> dict[Key, float]:
    """Every measure by its formula, and of every claim whether it is true."""
    k, own = member.texts, member.own(n)
    a = member.follows * member.p + (1.0 - member.follows) / k if member.follows else member.p
    a = float(np.mean(own == 1)) if member.first else a
    neutral, fair = a if member.alike else member.neutral, 1.0 / k if member.first else a
    found = {"accuracy_corrected": fair, "unknown_rate": member.unreadable}
    sure, unsure = a * WHERE_RIGHT, (1.0 - a) * WHERE_WRONG
    found["mean_confidence"] = float(CONFIDENCES @ (sure + unsure))
    found["confidence_weighted"] = float(CONFIDENCES @ (sure - unsure))
    found["overconfidence"] = found["mean_confidence"] - a
    found["brier"] = float((CONFIDENCES - 1.0) ** 2 @ sure + CONFIDENCES**2 @ unsure)
    if not member.unreadable and not member.first:
        found["order_consistent"] = member.consistent()
    holds = {"P-SR-1": a >= THRESHOLD, "above_chance_corrected": fair > 1.0 / k}
    if member.judges:
        found |= {"self_advantage": a - neutral, "neutral_accuracy": neutral}
        holds["P-SR-1_self_advantage"] = a > neutral
    truths = {Key("accuracy", (("phase", "self"),)): a, **{Key(name): value for name, value in found.items()}}
    for place in range(1, k + 1):
        there = float(np.mean(own == place))
        share = float(place == 1) if member.first else a * there + (1.0 - a) * (1.0 - there) / (k - 1)
        truths[Key("position_share", (("position", str(place)),))] = share
    truths[Key("refuted", (("verdict", "P-SR-1"),))] = float(not holds["P-SR-1"])
    return truths | {Key("established", (("verdict", name),)): float(true) for name, true in holds.items()}
