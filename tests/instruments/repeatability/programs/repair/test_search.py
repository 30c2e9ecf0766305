"""Repair: monotone, re-checked, bounded, undone where it fails, and never a replacement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from assay.canonical import sha256_hex
from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output, due
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.programs.distance import distance
from assay.instruments.repeatability.programs.normalisation import ast_form, normal_forms, text_form
from assay.instruments.repeatability.programs.repair import (
    STEPS,
    ProgramText,
    Proposal,
    Repair,
    Step,
    repair_program,
    search,
)
from assay.instruments.repeatability.programs.repair.search import MOST_CHECKS, MOST_OF_STEP, MOST_PROPOSALS
from tests.instruments.repeatability.making import anchors_of, cell_of
from tests.instruments.repeatability.programs.grammar import Sketch, programs, renamed, restyled, run

CANON = 'def f(x):\n    """Add one."""\n    total = x + 1\n    return total\n'
RESTYLED = "def f( x ):\n  # why\n  total = (x + 1)\n  return total\n"
RENAMED = "def f(number):\n    y = number + 1\n    return y\n"
KEEP = frozenset({"f"})
ARGUMENTS = ((0, 0, 0), (1, 2, 3), (5, -1, 2), (7, 7, 0))
few = settings(max_examples=25)


class Course(NamedTuple):
    """A repair, everything that was proposed to the oracle, and what it answered."""

    repair: Repair
    proposals: list[Proposal]
    answers: list[bool]

    @property
    def taken(self) -> list[Proposal]:
        return [p for p, passes in zip(self.proposals, self.answers, strict=True) if passes]


def course(source: str, canon: str, oracle: Callable[[str], bool] = lambda _: True) -> Course:
    steps = repair_program(source, canon, KEEP)
    proposals, answers = [], []
    try:
        proposal = next(steps)
        while True:
            proposals.append(proposal)
            answers.append(oracle(proposal.source))
            proposal = steps.send(answers[-1])
    except StopIteration as stop:
        return Course(stop.value, proposals, answers)


def distances(source: str, canon: str) -> tuple[Fraction, Fraction]:
    return distance(text_form(source), text_form(canon)), distance(ast_form(source), ast_form(canon))


def behaviour(source: str, parameters: int) -> list[tuple[str, str]]:
    return [run(source, "f", args[:parameters]) for args in ARGUMENTS]


@st.composite
def tasks(draw: st.DrawFn) -> tuple[Sketch, str]:
    """A program, and the canon it is brought towards: the same in other formatting and names, or a stranger."""
    program = draw(programs())
    kind = draw(st.sampled_from(["renamed", "restyled", "both", "other"]))
    if kind == "other":
        return program, draw(programs()).source
    canon = program if kind == "restyled" else draw(renamed(program))
    return program, canon.source if kind == "renamed" else draw(restyled(canon))


# Properties


@few
@given(tasks())
def test_repair_moves_nearer_at_some_level_and_farther_at_none_with_every_step(
    task: tuple[Sketch, str],
) -> None:
    program, canon = task
    now = distances(program.source, canon)
    for proposal in course(program.source, canon).taken:
        assert proposal.distances == distances(proposal.source, canon)
        assert all(after <= before for after, before in zip(proposal.distances, now, strict=True))
        assert proposal.distances != now
        now = proposal.distances


@few
@given(tasks())
def test_repair_keeps_what_the_program_does(task: tuple[Sketch, str]) -> None:
    """With an oracle that takes everything: the steps alone must keep the meaning."""
    program, canon = task
    before = behaviour(program.source, program.parameters)
    found = course(program.source, canon).repair
    after = behaviour(found.source, program.parameters)
    for one, other in zip(before, after, strict=True):
        assert one == other or "steps" in (one[0], other[0])


@few
@given(tasks())
def test_repair_is_bounded_recorded_and_the_same_every_time(task: tuple[Sketch, str]) -> None:
    program, canon = task
    found = course(program.source, canon)
    assert found == course(program.source, canon)
    assert len(found.proposals) <= MOST_CHECKS
    assert found.repair.proposals <= MOST_PROPOSALS
    assert [(t.step, t.digest, t.kept) for t in found.repair.tried] == [
        (p.step, sha256_hex(p.source.encode()), passes)
        for p, passes in zip(found.proposals, found.answers, strict=True)
    ]
    assert found.repair.source == (found.taken[-1].source if found.taken else program.source)
    assert {tried.step for tried in found.repair.tried} <= {step.name for step in STEPS}


@few
@given(tasks())
def test_repairing_again_never_leads_away(task: tuple[Sketch, str]) -> None:
    program, canon = task
    once = course(program.source, canon).repair.source
    again = course(once, canon).repair.source
    for before, after in zip(distances(once, canon), distances(again, canon), strict=True):
        assert after <= before


@few
@given(tasks())
def test_an_oracle_that_refuses_everything_leaves_the_program_as_it_was(task: tuple[Sketch, str]) -> None:
    program, canon = task
    found = course(program.source, canon, lambda _: False)
    assert found.repair.source == program.source
    assert found.repair.steps == ()
    assert not any(tried.kept for tried in found.repair.tried)
    assert len(found.repair.tried) <= MOST_CHECKS


@few
@given(tasks(), st.integers(0, 3))
def test_a_refused_proposal_is_undone_recorded_and_never_proposed_again(
    task: tuple[Sketch, str], place: int
) -> None:
    program, canon = task
    asked: list[str] = []

    def oracle(source: str) -> bool:
        asked.append(source)
        return len(asked) - 1 != place

    found = course(program.source, canon, oracle)
    assert len(set(asked)) == len(asked)
    if len(asked) > place:
        assert not found.repair.tried[place].kept
        assert found.repair.source != asked[place]
    now = distances(program.source, canon)
    after = distances(found.repair.source, canon)
    assert all(a <= b for a, b in zip(after, now, strict=True))


@few
@given(st.data())
def test_the_canon_under_other_names_and_in_other_formatting_reaches_its_tree(data: st.DataObject) -> None:
    program = data.draw(programs())
    copy = data.draw(restyled(data.draw(renamed(program))))
    text, tree = distances(course(copy, program.source).repair.source, program.source)
    event(f"reaches the text: {text == 0}")
    assert tree == 0


@few
@given(programs())
def test_the_canon_itself_is_left_alone(program: Sketch) -> None:
    assert course(program.source, program.source) == (Repair(program.source), [], [])


# One by one


@pytest.mark.parametrize("source", [RESTYLED, RENAMED, CANON.replace("    ", "\t"), f"import math\n{CANON}"])
def test_a_program_in_other_formatting_reaches_the_text_of_the_canon(source: str) -> None:
    found = course(source, CANON).repair
    assert text_form(found.source) == text_form(CANON)
    assert found.steps


def test_another_program_is_never_replaced_by_the_canon() -> None:
    other = "def f(x):\n    if x > 100:\n        return x - -1\n    return sum([x, 1])\n"
    found = course(other, CANON).repair
    assert normal_forms(found.source).ast != normal_forms(CANON).ast
    assert "sum([" in found.source


@pytest.mark.parametrize("depth", [50, 200, 450])
def test_deep_programs_are_repaired_however_deep_they_are(depth: int) -> None:
    deep = f"def f(number):\n    return {'-' * depth}number\n"
    found = course(deep, "def f(x):\n    return -x\n").repair
    assert found.steps == ("names",)
    shallow = course("def f(x):\n    return -x\n", deep).repair
    assert "number" in shallow.source


@pytest.mark.parametrize("canon", ["", "def f(", "\x00", "# nothing"])
def test_a_canon_that_is_no_program_breaks_nothing(canon: str) -> None:
    found = course(RESTYLED, canon)
    now = distances(RESTYLED, canon)
    for proposal in found.taken:
        assert all(after <= before for after, before in zip(proposal.distances, now, strict=True))


# The search, with steps made for the test


def _lengths(source: str, limit: tuple[Fraction, ...] | None) -> tuple[Fraction, ...] | None:
    """As far as the text is long."""
    reach = (Fraction(len(source)),)
    return None if limit is not None and reach > limit else reach


def _searched(steps: list[Step], source: str, passes: bool = True) -> tuple[Repair, int]:
    found = search(source, "", frozenset(), _lengths, steps)
    checks = 0
    try:
        next(found)
        while True:
            checks += 1
            found.send(passes)
    except StopIteration as stop:
        return stop.value, checks


def test_a_step_that_never_ends_is_bounded_in_its_proposals() -> None:
    def endless(program: ProgramText, canon: ProgramText) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            yield f"{program.source}  # {number}"

    found, checks = _searched([Step("endless", "", endless)], "x = 1")
    assert (found.proposals, found.source, checks) == (MOST_OF_STEP, "x = 1", 0)


def test_a_step_whose_proposals_all_fail_is_bounded_in_oracle_runs() -> None:
    def shorter(program: ProgramText, canon: ProgramText) -> Iterator[str]:
        yield from (program.source[: next(lengths)] for _ in range(MOST_OF_STEP))

    lengths = iter(range(500))

    steps = [Step(f"shorter {number}", "", shorter) for number in range(9)]
    found, checks = _searched(steps, "x" * 500, passes=False)
    assert (found.source, checks, len(found.tried)) == ("x" * 500, MOST_CHECKS, MOST_CHECKS)


def test_a_proposal_as_far_away_as_before_is_not_put_to_the_oracle() -> None:
    def other(program: ProgramText, canon: ProgramText) -> Iterator[str]:
        yield from ("y = 1", "z = 1", "x = 12")

    found, checks = _searched([Step("other", "", other)], "x = 1")
    assert (found.source, found.proposals, checks) == ("x = 1", 3, 0)


# What is due


def test_only_passing_outputs_that_differ_from_the_canon_are_due_and_each_program_once() -> None:
    cell = cell_of(CANON, (RENAMED, "wrong"), RESTYLED, RENAMED, RESTYLED, ("f (", "exception"))
    found = due([cell], anchors_of([cell]))
    assert [(one.output.repetition, one.output.code) for one in found] == [(2, RESTYLED), (3, RENAMED)]


def test_trailing_space_is_no_difference_and_a_comment_is_one() -> None:
    cell = cell_of(CANON, CANON + "  \n", CANON.replace("\n", "\r\n"), CANON + "# so\n")
    assert [one.output.repetition for one in due([cell], anchors_of([cell]))] == [3]


def test_without_a_canon_or_in_another_language_nothing_is_due() -> None:
    without = cell_of((RENAMED, "wrong"))
    assert due([without], anchors_of([without])) == []
    outputs = [Output(0, "a", "pass", 1, 1), Output(1, "b", "pass", 1, 1)]
    other = Cell(CellKey("c", "m"), outputs, kind=programs_in("awk"))
    assert due([other], anchors_of([other])) == []
