"""Bounds of what is unknown: programs not seen to their end, and repairs that were not carried out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.measures.canon_free import canon_free_measures
from assay.instruments.repeatability.measures.settings import Settings
from assay.instruments.repeatability.programs.repair import Repair
from assay.vocabulary import Measure
from tests.instruments.repeatability.making import cell_of, measure, score

SHARES = ("R", "pairwise_agreement", "novelty")
BOUNDED = (*SHARES, "entropy", "distinct")


def behaving(classes: Sequence[tuple[int, str | None]], subject: str = "m", contract: str = "c") -> Cell:
    """One program a class, so many times; None is a behaviour that nobody saw."""
    outputs = [
        Output(0, f"x = {number}\n", "pass" if seen else "timeout", 1, 1, behaviour=seen)
        for number, (size, seen) in enumerate(classes)
        for _ in range(size)
    ]
    numbered = [Output(i, o.code, o.state, 1, 1, behaviour=o.behaviour) for i, o in enumerate(outputs)]
    return Cell(CellKey(contract, subject, 0.0), numbered)


def of_behaviour(cell: Cell) -> dict[str, Measure]:
    found = [m for m in score(cell).measures if m.labels.get("rung") == "behaviour"]
    return {m.name: m for m in found}


def canon_free(cell: Cell) -> dict[str, Measure]:
    """The same without what has nothing to do with it, which takes longer."""
    found = canon_free_measures(cell, Settings(), (), whole_replies=False)
    return {m.name: m for m in found if m.labels.get("rung") == "behaviour"}


def completions(number: int, seen: int) -> Iterator[list[str]]:
    """Every way in which so many unseen programs can behave: like one that was seen, like each other, or alone."""
    if not number:
        yield []
        return
    for rest in completions(number - 1, seen):
        new = len({name for name in rest if name.startswith("new")})
        for name in [*(f"seen{i}" for i in range(seen)), *(f"new{i}" for i in range(new + 1))]:
            yield [*rest, name]


def test_three_alike_one_other_and_one_unseen() -> None:
    found = of_behaviour(behaving([(3, "a"), (1, "b"), (1, None)]))
    ends = {name: (found[name].bound_low, found[name].value, found[name].bound_high) for name in BOUNDED}
    assert ends["R"] == (0.6, 0.6, 0.8)
    assert ends["pairwise_agreement"] == (0.3, 0.3, 0.6)  # 3·2 of 5·4 pairs, and 4·3
    assert ends["distinct"] == (2.0, 3.0, 3.0)
    assert ends["novelty"] == (0.0, 0.4, 0.4)  # the unseen one joins the single one
    assert ends["entropy"] == (0.721928094887, 1.37095059445, 1.37095059445)  # of 4:1 and of 3:1:1
    assert "the behaviour of 1 of 5 outputs is unknown" in found["R"].notes
    assert found["unseen"].bound_low is None
    assert any(note.startswith("no bounds") for note in found["unseen"].notes)


def test_outputs_of_one_unseen_program_stay_together_and_other_rungs_have_no_bounds() -> None:
    result = score(behaving([(2, "a"), (3, None)]))
    assert measure(result, "R", rung="behaviour").bound_low == 0.6
    assert measure(result, "R", rung="behaviour").bound_high == 1
    assert all(
        m.bound_low is None for m in result.measures if m.labels.get("rung") not in ("behaviour", None)
    )
    assert (
        measure(result, "pass_rate").bound_low is None
    )  # time is part of the contract: running out of it fails


def described(sizes: list[int]) -> dict[str, float]:
    """The definitions, from the sizes of classes."""
    n = sum(sizes)
    pairs = {"pairwise_agreement": sum(c * (c - 1) for c in sizes) / (n * (n - 1))} if n > 1 else {}
    return {
        **pairs,
        "R": max(sizes) / n,
        "entropy": -sum(c / n * log2(c / n) for c in sizes),
        "distinct": len(sizes),
        "novelty": sizes.count(1) / n,
    }


SIZES = st.lists(st.integers(1, 3), max_size=3)


@settings(max_examples=25, deadline=None)
@given(SIZES, SIZES)
def test_every_completion_lies_within_the_bounds_and_the_ends_are_attained(
    seen: list[int], unseen: list[int]
) -> None:
    known = [(size, f"seen{i}") for i, size in enumerate(seen)]
    found = canon_free(behaving([*known, *((size, None) for size in unseen)]))
    if not unseen:
        assert all(m.bound_low is None and m.bound_high is None for m in found.values())
        return
    every: dict[str, list[float]] = {name: [] for name in BOUNDED}
    for names in completions(len(unseen), len(seen)):
        joined = Counter({name: size for size, name in known})
        for size, name in zip(unseen, names, strict=True):
            joined[name] += size
        for name, value in described([*joined.values()]).items():
            every[name].append(value)
    for name, values in every.items():
        one = found[name]
        if one.value is None:
            assert not values
            continue
        assert one.bound_low is not None
        assert one.bound_high is not None
        assert one.bound_low <= one.value <= one.bound_high
        assert one.bound_low == pytest.approx(min(values), abs=1e-9)
        assert one.bound_high == pytest.approx(max(values), abs=1e-9)


def test_a_repair_that_was_not_carried_out_could_have_reached_the_canon() -> None:
    canon, near, far = "x = 1\ny = 2\n", "x = 1\ny = 3\n", "z = 4\nprint(z)\n"
    cell = cell_of(canon, near, near, far, (far + "\n1\n", "wrong"))
    cell.repairs[far] = Repair(far)
    result = score(cell, settings=Settings(repair=True))
    for name in ("R_anchor", "delta_R_anchor"):
        assert (measure(result, name, "ast").bound_low, measure(result, name, "ast").bound_high) == (0.2, 0.6)
    for name in ("rescue_rate", "delta_R_anchor_observed"):
        assert (measure(result, name, "ast").bound_low, measure(result, name, "ast").bound_high) == (0.0, 0.4)
    mean, before = measure(result, "mu_post", "ast"), measure(result, "mu_pre", "ast")
    distance = cell.distance(near, canon, "ast")
    assert mean.value == before.value == mean.bound_high
    assert mean.bound_low == pytest.approx(float(mean.value or 0) - 2 * float(distance) / 5)
    gained = measure(result, "delta_mu", "ast")
    assert gained.bound_high == gained.value == 0
    assert gained.bound_low == pytest.approx(-2 * float(distance) / 5)
    assert before.bound_low is None

    cell.repairs[near] = Repair(near)
    result = score(cell, settings=Settings(repair=True))
    assert all(m.bound_low is None for m in result.measures if "level" in m.labels)


def test_a_difference_has_the_bounds_of_its_two_sides() -> None:
    one = behaving([(1, "a"), (1, "b")])  # agreement 0
    two = behaving([(2, "a"), (1, None)], subject="o")  # from 1/3 to 1
    found = measure(score(one, two), "difference", of="pairwise_agreement", rung="behaviour")
    assert (found.value, found.bound_low, found.bound_high) == (0.333333333333, 0.333333333333, 1.0)
    other = measure(score(one, two), "difference", of="pairwise_agreement", rung="ast")
    assert other.bound_low is None
