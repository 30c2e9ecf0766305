"""Calibration: truths are right, numbers are those of the scoring, and what misleads is seen: intervals and judge."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from fractions import Fraction

import msgspec
import numpy as np
import numpy.typing as npt
import pytest

from assay.canonical import encode, real
from assay.instruments.consistency.calibration import ConsistencyGrid, Member
from assay.instruments.consistency.judging import Judging, judge, judge_all
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.composite import compose
from assay.instruments.consistency.measures.platforms import compare_platforms
from assay.instruments.consistency.measures.shares import COMPONENTS, ConsistencySettings, Share
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.instruments.consistency.scoring import SHARE_RULES
from assay.instruments.consistency.simulation import pool as pool
from assay.instruments.consistency.simulation.cells import (
    Cells,
    cells_of,
    difference_readings,
    readings_of,
    truths_of,
)
from assay.instruments.consistency.simulation.pool import (
    SCENES,
    TranscriptPool,
    misread,
    pool_for,
    transcript,
)
from assay.instruments.consistency.simulation.profiles import (
    PARTS,
    SIZES,
    DrawnCells,
    Profile,
    ProfilePair,
    draw,
    pairs,
    profiles,
)
from assay.instruments.consistency.simulation.ways import BEHAVIOURS
from assay.measuring.calibration import Calibration, Point, Readings, calibrate, point_of
from assay.stats import Interval
from tests.instruments.consistency.made import scored

pytestmark = pytest.mark.slow  # the grid of simulated runs

NAMED = profiles()
GRID, PAIRS = tuple(NAMED.values()), pairs()
SETTINGS = ConsistencySettings()


def nothing(done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def played() -> TranscriptPool:
    """Every way played and judged, once for all tests."""
    return pool_for(SETTINGS)


def measured(played: TranscriptPool, runs: int, member: Member, n: int) -> list[Point]:
    """One place of the grid."""
    grid = ConsistencyGrid((member,), played)
    drawn = grid.draw(member, n, runs)
    truths = grid.truth(member, n, drawn)
    return [
        point_of(member.name, n, key.measure, {}, truths[key], found)
        for key, found in grid.read(member, n, drawn).items()
    ]


# The numbers are those of the instrument.


def conversations(drawn: dict[str, DrawnCells], run: int, subject: str) -> list[Scenario]:
    """One cell as transcripts, each under a name of its own."""
    found = []
    for behaviour in BEHAVIOURS:
        cells = drawn[behaviour.name]
        pairs = zip(cells.way[run].tolist(), cells.scene[run].tolist(), strict=True)
        for place, (way, scene) in enumerate(pairs):
            one = transcript(behaviour, behaviour.ways[way], scene)
            name = f"{behaviour.name}/{place}"
            found.append(msgspec.structs.replace(one, id=name, subject=subject))
    return found


@pytest.mark.parametrize("name", ["mixed faults", "rate 0.5", "one coin", "always leaks", "rate 0"])
def test_every_number_is_that_of_scoring_the_same_transcripts(played: TranscriptPool, name: str) -> None:
    n = 7
    drawn = draw(NAMED[name], n, 3)
    readings = readings_of(cells_of(drawn, played, SETTINGS), SETTINGS)
    for run in range(2):
        talks = conversations(drawn, run, "a")
        result = scored(judge_all(talks), talks, SETTINGS)
        measures = {m.name: m for m in result.measures if m.confidence and m.labels == {"subject": "a"}}
        assert measures.keys() == readings.keys()  # no measure with an interval is left out
        for key, found in readings.items():
            numbers = [float(x[run]) for x in ends_of(found)]
            ends = [None if math.isnan(x) or math.isinf(x) else real(x) for x in numbers]
            measure = measures[key]
            assert ends == [measure.value, measure.low, measure.high], key


def test_the_difference_is_that_of_comparing_the_same_cells(played: TranscriptPool) -> None:
    first, second = (
        cells_of(draw(NAMED[name], 6, 4), played, SETTINGS) for name in ("mixed faults", "rare faults")
    )
    readings = difference_readings(first, second, SETTINGS)
    for run in range(4):
        shares = {"a": of_one_cell(first, run), "b": of_one_cell(second, run)}
        composites = [compose(name, each, SETTINGS) for name, each in shares.items()]
        same = {name: frozenset("τ") for name in shares}
        measures, _, _ = compare_platforms(composites, shares, same, SETTINGS)
        (found,) = (m for m in measures if m.name == "M5_difference")
        numbers = [real(float(x[run])) for x in ends_of(readings)]
        assert numbers == [found.value, found.low, found.high]


def ends_of(found: Readings) -> list[npt.NDArray[np.float64]]:
    assert found.low is not None
    assert found.high is not None
    return [found.value, found.low, found.high]


def of_one_cell(cells: Cells, run: int) -> dict[str, Share]:
    names = {"O": "e", "L": "e", "F": "f", "R": "r", "P": "p"}
    return {name: cells.shares[name].share(run, names[name]) for name in COMPONENTS}


# The truths.


def test_truths_worked_out_by_hand() -> None:
    mixed = truths_of(NAMED["mixed faults"], 3, SETTINGS)  # artifacts: 1, 2 and 3 of them, six in all
    expected = {
        "M1": 0.4 + 0.25 + 0.2 / 2,
        "M1_exact": 0.4 + 0.2 / 2,
        "M2": 0.4 + 0.1,  # three apologies do not undo a triple
        "limit": 1 - 0.05 - 0.05,
        "proximity": 1 - 0.15 - 0.05 - 0.05,
        "adjacent": 1 - 0.10 - 0.05 - 0.05,
        "leak": 0.1,
        "false_refusals": 0.3,
        "M3": 0.4,
        "M3_prompted": 0.4 + 0.15,
        "latency": (0.4 * 20 + 0.2 * 90) / 0.6,
        "M4": (0.45 * 6 + 0.25 * 3) / 6,
        "reused": 0.15 * 5 / 6,
        "license": 1 - 0.15 - 0.05,
        "O": 0.6,
        "L": 0.85,
        "L_exact": 0.6,
        "P": 0.55,
        "M5": 0.25 * 0.6 + 0.2 * 0.5 + 0.2 * 0.4 + 0.2 * 0.55 + 0.15 * 0.85,
    }
    assert {name: mixed[name] for name in expected} == pytest.approx(expected)


def test_the_judge_agrees_with_the_truth_on_average_but_for_what_it_misreads(played: TranscriptPool) -> None:
    wrong = {(e.behaviour, e.measure) for e in misread(played) if (e.behaviour, e.way) not in APART}
    for subject in GRID:
        truths = truths_of(subject, 3, SETTINGS)
        for behaviour in BEHAVIOURS:
            for place, measure in enumerate(behaviour.measures):
                if (behaviour.name, measure) not in wrong:
                    expected = expectation(played, subject, behaviour.name, place)
                    assert float(expected) == pytest.approx(truths[measure], abs=1e-12), measure


def expectation(pool: TranscriptPool, subject: Profile, behaviour: str, measure: int) -> Fraction:
    """Of a measure over all scenes of the pool; each number of outcomes has as many scenes."""
    shelf, good, number = pool.shelves[behaviour], Fraction(0), Fraction(0)
    (ways,) = (b.ways for b in BEHAVIOURS if b.name == behaviour)
    for row, way in enumerate(ways):
        share = subject.share(behaviour, way.name)
        good += share * int(shelf.good[row, :, measure].sum())
        number += share * int(shelf.number[row, :, measure].sum())
    return good / number


def test_every_share_is_asked_about_at_0_at_1_and_between() -> None:
    for n in SIZES:
        found = [truths_of(subject, n, SETTINGS) for subject in GRID]
        for measure in (*(rule.name for rule in SHARE_RULES), "M5"):
            truths = {truth[measure] for truth in found}
            assert 0.0 in truths, measure
            assert any(0.0 < truth < 1.0 for truth in truths), measure
            # one artifact alone has no other to take its digest from
            assert 1.0 in truths or measure == "reused", measure


# The judge.

KNOWN = {("proposes", "adjacent")}  # an adjacent is read in "Let us begin with"
APART = {("refusals", "proposes"), ("repairs", "incomplete, named")}  # ways that no subject of the grid takes


def test_the_judge_reads_what_was_meant_but_for_what_is_known(played: TranscriptPool) -> None:
    found = misread(played)
    assert {(each.way, each.measure) for each in found} <= KNOWN
    drawn = {(e.behaviour, e.way, e.scene) for e in found if (e.behaviour, e.way) not in APART}
    assert len(drawn) < 0.01 * SCENES * sum(len(b.ways) for b in BEHAVIOURS)


@pytest.mark.slow
def test_a_judge_that_misreads_shows_as_bias_and_not_as_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(scenario: Scenario, settings: Judging | None = None) -> list[ReplyJudgement]:
        outcomes = judge(scenario, settings)
        return [msgspec.structs.replace(o, success=False) if o.measure == "O" else o for o in outcomes]

    monkeypatch.setattr(pool, "judge", blind)
    points = {point.measure: point for point in measured(pool_for(SETTINGS), 5, NAMED["rate 1"], 10)}
    assert (points["O"].truth, points["O"].bias, points["O"].coverage) == (1.0, -1.0, 0.0)
    assert points["O"].too_low == 1.0
    assert points["M5"].bias == -0.25
    assert points["L"].coverage == 1.0


def test_no_digest_of_one_transcript_stands_at_another(played: TranscriptPool) -> None:
    """A digest that did would be a copy, and cells could not be counted scenario by scenario."""
    seen: dict[str, tuple[str, int]] = {}
    (artifacts,) = (b for b in BEHAVIOURS if b.name == "artifacts")
    for way in artifacts.ways:
        for scene in range(SCENES):
            for outcome in judge(transcript(artifacts, way, scene)):
                for name in {outcome.labels.get(key, "") for key in ("digest", "content")} - {""}:
                    assert seen.setdefault(name, (way.name, scene)) == (way.name, scene)
    assert len(seen) > SCENES


# The draws.


def test_the_declared_parts_add_up_and_which_ways_nobody_takes_is_known() -> None:
    taken = set()
    for subject in GRID:
        assert subject.parts.keys() == {behaviour.name for behaviour in BEHAVIOURS}
        for behaviour, parts in subject.parts.items():
            assert sum(parts.values()) == PARTS, (subject.name, behaviour)
            taken |= {(behaviour, way) for way, part in parts.items() if part}
    ways = {(b.name, w.name) for b in BEHAVIOURS for w in b.ways}
    assert taken <= ways
    assert ways - taken == APART | {("exchanges", name) for name in ("no mirror, synonyms", "runs on, exact")}


def test_ways_are_drawn_by_their_parts_and_scenes_take_turns() -> None:
    drawn = draw(NAMED["mixed faults"], 60, 200)
    for behaviour in BEHAVIOURS:
        cells = drawn[behaviour.name]
        for row, way in enumerate(behaviour.ways):
            share = float(NAMED["mixed faults"].share(behaviour.name, way.name))
            # five standard deviations of a share of 12,000
            assert abs(float((cells.way == row).mean()) - share) < 5 * math.sqrt(0.25 / cells.way.size)
        turns = len(behaviour.outcomes)
        assert (cells.scene % turns == np.arange(60) % turns).all()
        assert len(np.unique(cells.scene)) == SCENES


def test_a_cell_is_the_same_whatever_the_number_of_runs_and_the_sides_of_a_pair_differ() -> None:
    few, many = (draw(NAMED["mixed faults"], 9, runs) for runs in (3, 20))
    other = draw(NAMED["mixed faults"], 9, 3, "other")
    for behaviour in BEHAVIOURS:
        assert (few[behaviour.name].way == many[behaviour.name].way[:3]).all()
        assert (few[behaviour.name].scene == many[behaviour.name].scene[:3]).all()
    assert any((few[b.name].way != other[b.name].way).any() for b in BEHAVIOURS)


# What is made of them.


def test_an_interval_that_is_too_narrow_is_caught(
    played: TranscriptPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = (NAMED["rate 0.95"], 5)
    proper = {point.measure: point for point in measured(played, 100, *place)}
    assert (proper["M3"].coverage or 0.0) > 0.9

    def wald(self: Share, confidence: float) -> Interval:
        p = self.successes / self.total
        half = 1.96 * math.sqrt(p * (1 - p) / self.total)
        return Interval(
            value=p, low=p - half, high=p + half, confidence=confidence, n=self.total, method="Wald"
        )

    monkeypatch.setattr(Share, "interval", wald)
    (point,) = (point for point in measured(played, 100, *place) if point.measure == "M3")
    assert point.coverage is not None
    assert point.coverage < 0.5  # 1 − .95⁵ = .226 of the cells have a failure; the others have no width
    assert point.too_high > 0.5


def test_a_pair_has_one_point_and_its_truth_is_the_difference_of_the_truths(played: TranscriptPool) -> None:
    pair = ProfilePair(NAMED["rate 0.5"], NAMED["rate 0.9"])
    (point,) = measured(played, 20, pair, 10)
    assert (point.measure, point.distribution) == ("M5_difference", "rate 0.5 against rate 0.9")
    assert point.truth == pytest.approx(0.4)
    (none,) = measured(played, 20, ProfilePair(NAMED["rate 1"], NAMED["rate 1"]), 10)
    assert (none.truth, none.reading, none.coverage) == (0.0, 0.0, 1.0)


def small(workers: int, members: Sequence[Member], played: TranscriptPool) -> Calibration:
    return calibrate("consistency", "t", ConsistencyGrid(members, played), 10, workers, True, nothing)


def test_a_grid_that_was_sent_to_another_process_reads_the_same(played: TranscriptPool) -> None:
    members = (NAMED["mixed faults"], PAIRS[-1])
    here, there = (
        ConsistencyGrid(members, played),
        pickle.loads(pickle.dumps(ConsistencyGrid(members, played))),
    )
    one, other = (encode(calibrate("consistency", "t", grid, 5, 1, True, nothing)) for grid in (here, there))
    assert one == other


def test_points_come_in_the_order_of_the_grid_with_every_name_explained(played: TranscriptPool) -> None:
    subject, pair = NAMED["rate 1"], PAIRS[1]
    found = small(1, (subject, pair), played)
    assert found.distributions == {subject.name: subject.about, pair.name: pair.about}
    assert [point.n for point in found.points if point.measure in ("M5", "M5_difference")] == [5, 20, 5, 20]
    assert found.holds


def told(point: Point) -> str:
    return f"{point.coverage} {point.where}"


@pytest.mark.proof
def test_every_interval_holds_at_every_point_of_the_grid() -> None:
    found = calibrate("consistency", "proof", ConsistencyGrid(), 1000, 2, False, nothing)
    assert {point.n for point in found.points} == set(SIZES)
    assert {point.distribution for point in found.points} == {*NAMED, *(pair.name for pair in PAIRS)}
    assert [told(point) for point in found.failing] == []
    assert found.holds
