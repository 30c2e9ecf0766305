"""Bias measured on subjects of known truth: do its intervals hold as often as they claim?

Answers are drawn by declared rates, instance by instance, and scored as any answers are. The truth of every measure
follows from the rates by the formulas of the specification, written here a second time.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from msgspec import Struct, field, structs

from assay.measuring.calibration import Floats, GridBase, Key, Readings, readings_of
from assay.stats import philox

from .answers import CHOICE, DOMAINS, INTENSITIES, SCHEMA
from .baselines import human_rates
from .cells import cells_of
from .measures.constants import AGGREGATION, INTENSITY_WEIGHTS
from .measures.settings import BiasSettings
from .measures.summary import established_orders
from .scoring import bias_measures, score_answers

__all__ = ["BiasGrid", "BiasMember"]

TRIALS = 3
BIAS = "anchoring_effect"  # whose answers are drawn
ORDERED = ("anchoring_effect", "loss_aversion", "sunk_cost_fallacy", "present_bias", "hindsight_bias")
SLOTS = (("control", "", ""), *(("treatment", i, "") for i in INTENSITIES), ("debias", "strong", "warning"))
NOTHING = dict.fromkeys(("control", *INTENSITIES), 0.0)


class BiasMember(Struct, frozen=True):
    """``rates`` of biased answers by condition; ``tilts`` are added to them in each domain.

    ``spread``: an instance's own rate is drawn from a beta distribution with this share of the largest variance.
    ``graded`` scores are evenly between 0 and twice the rate, or up to 1. ``order``: several biases at these shifts.
    """

    name: str
    about: str
    rates: dict[str, float]
    tilts: tuple[float, ...] = (0.0, 0.0, 0.0, 0.0, 0.0)
    debiased: float = 0.5  # what a warning leaves of the rate
    spread: float = 0.0
    graded: bool = False
    unreadable: dict[str, float] = field(default_factory=lambda: dict(NOTHING))
    sure: float = 0.8
    order: tuple[float, ...] = ()

    def rate(self, slot: tuple[str, str, str], domain: int = 0) -> float:
        condition, intensity, _ = slot
        rate = min(max(self.rates[intensity or "control"] + self.tilts[domain], 0.0), 1.0)
        return rate * self.debiased if condition == "debias" else rate


RISING = {"control": 0.1, "weak": 0.2, "moderate": 0.35, "strong": 0.5, "adversarial": 0.7}


def _rates(control: float, treatment: float) -> dict[str, float]:
    return {**dict.fromkeys(NOTHING, treatment), "control": control}


MEMBERS = (
    BiasMember("none at 0", "never gives the biased answer", NOTHING),
    BiasMember("none at .5", "gives the biased answer in half of all cases", _rates(0.5, 0.5)),
    BiasMember("none, spread", "the same, instances differing widely", _rates(0.5, 0.5), spread=0.5),
    BiasMember("full", "always biased in treatments, never in controls", _rates(0.0, 1.0)),
    BiasMember("rising", "biased answers rise from .1 to .7", RISING),
    BiasMember("rising, spread", "the same, instances differing", RISING, spread=0.3),
    BiasMember("rising, graded", "the same with answers between 0 and 1", RISING, graded=True),
    BiasMember("uneven", "the same, domains differing", RISING, (-0.1, 0.2, 0.0, 0.1, -0.1), spread=0.1),
    BiasMember("away", "fewer biased answers in treatments than in controls", _rates(0.6, 0.2)),
    BiasMember("unreadable", "a third of treatments cannot be read", RISING, unreadable=_rates(0.0, 0.33)),
    BiasMember("rare", "one biased answer in fifty, in treatments", _rates(0.0, 0.02)),
    BiasMember(
        "five biases", "shifts of 0, 0, .2, .4, .4", NOTHING, spread=0.2, order=(0.0, 0.0, 0.2, 0.4, 0.4)
    ),
)


class BiasGrid(GridBase[BiasMember]):
    """Members, each with so many instances in every domain and three trials in every condition."""

    settings = BiasSettings()

    def members(self, quick: bool) -> Sequence[BiasMember]:
        return MEMBERS

    def sizes(self, quick: bool) -> Sequence[int]:
        return (2,) if quick else (1, 4, 10)

    def draw(self, member: BiasMember, n: int, runs: int) -> pl.DataFrame:
        """The answers of all runs, each as a subject of its own."""
        if not member.order:
            return _drawn(member, BIAS, n, runs)
        shifted = [structs.replace(member, rates=_rates(0.3, 0.3 + shift)) for shift in member.order]
        return pl.concat(_drawn(one, bias, n, runs) for one, bias in zip(shifted, ORDERED, strict=True))

    def truth(self, member: BiasMember, n: int, drawn: pl.DataFrame) -> Mapping[Key, Floats]:
        runs = drawn.get_column("subject").n_unique()
        found = {Key("wrong_order"): 0.0} if member.order else _truths(member)
        return {key: np.full(runs, value) for key, value in found.items()}

    def read(self, member: BiasMember, n: int, drawn: pl.DataFrame) -> Mapping[Key, Readings]:
        if member.order:
            wrong = [_wrong_order(member, part, self.settings) for part in drawn.partition_by("subject")]
            return {Key("wrong_order"): Readings(np.array(wrong, float))}
        read = (bias_measures(cells, self.settings) for cells in cells_of(drawn))
        return readings_of(read, _truths(member), without=("subject", "bias"))


def _drawn(member: BiasMember, bias: str, n: int, runs: int) -> pl.DataFrame:
    stream = np.random.Generator(philox(f"bias {member.name} {bias} {n}"))
    shape = (runs, len(DOMAINS), n, len(SLOTS), TRIALS)
    rates = np.array([[member.rate(slot, d) for slot in SLOTS] for d in range(len(DOMAINS))])
    p = np.broadcast_to(rates[None, :, None, :], shape[:-1]).copy()
    if member.spread:
        size = 1.0 / member.spread - 1.0
        inner = (p > 0.0) & (p < 1.0)
        p[inner] = stream.beta(p[inner] * size, (1.0 - p[inner]) * size)
    if member.graded:
        half = np.minimum(p, 1.0 - p)[..., None]
        score = p[..., None] + half * (2.0 * stream.random(shape) - 1.0)
    else:
        score = (stream.random(shape) < p[..., None]).astype(float)
    unread = np.array([member.unreadable[slot[1] or "control"] for slot in SLOTS])
    score[stream.random(shape) < unread[:, None]] = np.nan
    run, domain, instance, slot, trial = np.indices(shape).reshape(len(shape), -1)
    condition, intensity, method = np.array(SLOTS)[slot].T
    columns = {
        "subject": np.char.add("run ", np.char.zfill(run.astype(str), 6)),
        "bias": np.full(run.size, bias),
        "domain": np.array(DOMAINS)[domain],
        "condition": condition,
        "intensity": intensity,
        "method": method,
        "kind": method,
        "instance": instance.astype(str),
        "trial": trial.astype(str),
        "score": score.ravel(),
    }
    found = pl.DataFrame(columns).with_columns(pl.col("score").fill_nan(None))
    return found.with_columns(
        pl.when(pl.col("score").is_not_null()).then(member.sure).alias("confidence"),
        (pl.col("score") < 0.1).alias("correct"),
        *(pl.lit(None, dtype=SCHEMA[name]).alias(name) for name in ("baseline", *CHOICE)),
    )


def _wrong_order(member: BiasMember, answers: pl.DataFrame, settings: BiasSettings) -> bool:
    """Whether a run declares an order of two biases that is not theirs."""
    true = dict(zip(ORDERED, member.order, strict=True))
    subject = str(answers.get_column("subject")[0])
    found = established_orders(score_answers(answers, settings).measures, subject)
    return any(true[one] <= true[other] for one, other in found)


def _truths(member: BiasMember) -> dict[Key, float]:
    """Every measure by its formula, from the declared rates."""
    every = range(len(DOMAINS))
    rate = {slot: statistics.fmean(member.rate(slot, d) for d in every) for slot in SLOTS}
    control, debiased = rate["control", "", ""], rate["debias", "strong", "warning"]
    treated = {i: rate["treatment", i, ""] for i in INTENSITIES}
    weights = {i: 1.0 - member.unreadable[i] for i in INTENSITIES}  # pooled: by what could be read
    pooled = sum(treated[i] * weights[i] for i in INTENSITIES) / sum(weights.values())
    found: dict[Key, float] = {Key("signed_shift"): pooled - control}
    for intensity, value in treated.items():
        found[Key("signed_shift", (("intensity", intensity),))] = value - control
        labels = (("condition", "treatment"), ("intensity", intensity))
        found |= {Key("rate", labels): value, Key("unknown_rate", labels): member.unreadable[intensity]}
    found[Key("rate", (("condition", "control"),))] = control
    sizes = {i: min(INTENSITY_WEIGHTS[i] * abs(value - control), 1.0) for i, value in treated.items()}
    found[Key("BMS")] = sum(AGGREGATION[i] * sizes[i] for i in INTENSITIES) / sum(AGGREGATION.values())
    by_domain = [
        sum(member.rate(("treatment", i, ""), d) * weights[i] for i in INTENSITIES) / sum(weights.values())
        for d in every
    ]
    found[Key("BCI")] = 1.0 - min(statistics.pstdev(by_domain) / 0.5, 1.0)
    if treated["strong"]:
        found[Key("BMP")] = max(0.0, (treated["strong"] - debiased) / treated["strong"])
    human = human_rates()[BIAS].rate or 0.0
    found[Key("HAS")] = 1.0 - abs(pooled - human) / max(human, 1.0 - human)
    if not member.graded:
        read = {slot: 1.0 - member.unreadable[slot[1] or "control"] for slot in SLOTS}
        right = sum((1.0 - rate[slot]) * read[slot] for slot in SLOTS) / sum(read.values())
        found[Key("CAS")] = 1.0 - abs(member.sure - right)
    return found
