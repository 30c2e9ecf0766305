"""The conformance checker: it passes what keeps the contract, and names what does not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.worlds import Judgement, Task, all_families, check_family
from assay.worlds.base import Fixed
from assay.worlds.model import Act, Brief

from .counter import Button, Counter


def broken(family: Any, *rules: str) -> set[str]:
    return {finding.rule for finding in check_family(family, instances=12, rules=rules or ALL)}


ALL = (
    "form",
    "determinism",
    "schema",
    "solvable",
    "replay",
    "not trivial",
    "claims",
    "verifier",
    "order",
    "anything",
)


def test_a_family_in_one_file_conforms() -> None:
    assert broken(Counter()) == set()


class TestBroken:
    """One broken promise each; the checker says which."""

    def test_no_levels(self) -> None:
        class Bad(Counter):
            levels = {}  # noqa: RUF012

        assert broken(Bad()) == {"form"}

    def test_nothing_held_out(self) -> None:
        class Bad(Counter):
            held_out = ()

        assert broken(Bad()) == {"form"}

    def test_chance_that_shows_nothing(self) -> None:
        class Bad(Counter):
            chance = {1: 0.5, 2: 0.1}  # noqa: RUF012

        assert broken(Bad()) == {"form"}

    def test_a_verifier_that_believes_anything(self) -> None:
        class Bad(Counter):
            def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
                return Judgement(True)

        assert {"claims", "not trivial"} <= broken(Bad())

    def test_an_oracle_that_does_not_solve(self) -> None:
        class Bad(Counter):
            def oracle(self, brief: Brief) -> Any:
                return Fixed(Act("press", {"times": 1}))

        assert "solvable" in broken(Bad())

    def test_a_null_that_solves(self) -> None:
        class Bad(Counter):
            def null(self, brief: Brief) -> Any:
                return self.oracle(brief)

        assert broken(Bad()) == {"not trivial"}

    def test_a_null_that_does_nothing(self) -> None:
        class Bad(Counter):
            def null(self, brief: Brief) -> Any:
                return Fixed()

        assert broken(Bad()) == {"not trivial"}

    def test_a_world_that_forgets_who_it_is(self) -> None:
        calls = iter(range(100_000))

        class Forgetful(Button):
            def snapshot(self) -> dict[str, Any]:
                return {"pressed": self.pressed, "time": next(calls)}

        class Bad(Counter):
            def open(self, task: Task, *, drift: bool) -> Any:
                return Forgetful()

        assert {"determinism", "replay"} <= broken(Bad())

    def test_an_observation_that_breaks_its_schema(self) -> None:
        class Chatty(Button):
            def look(self) -> dict[str, Any]:
                return {**super().look(), "secret": 1}

        class Bad(Counter):
            def open(self, task: Task, *, drift: bool) -> Any:
                return Chatty()

        assert {"schema", "anything"} <= broken(Bad())

    def test_a_goal_that_was_not_filled_in(self) -> None:
        class Bad(Counter):
            def draw(self, level: int, situation: str, stream: Stream) -> Task:
                task = super().draw(level, situation, stream)
                return msgspec.structs.replace(task, goal=f"{task.goal} {{place}}")

        assert broken(Bad(), "schema") == {"schema"}

    def test_levels_that_are_not_harder(self) -> None:
        class Bad(Counter):
            def novice(self, brief: Brief) -> Any:
                return self.oracle(brief) if brief.level == 2 else Fixed(Act("press", {"times": 3}))

        assert broken(Bad(), "order") == {"order"}

    def test_instances_that_differ_in_numbers_alone(self) -> None:
        class Bad(Counter):
            def draw(self, level: int, situation: str, stream: Stream) -> Task:
                task = super().draw(level, situation, stream)
                return msgspec.structs.replace(task, goal="Press the button 3 times.", setup={})

        assert broken(Bad(), "variety") == {"variety"}


@pytest.mark.parametrize("dimension", ["S", "M", "D", "E"])
def test_levels_are_evidenced_by_enough_families(dimension: str) -> None:
    """Section 10.3.1: levels 3 and 4 need two families, level 5 three; levels 1 and 2 have two as well."""
    own = [family for family in all_families().values() if family.dimension == dimension]
    counts = {level: sum(level in family.levels for family in own) for level in range(1, 6)}
    assert all(counts[level] >= 2 for level in (1, 2, 3, 4)), counts
    assert counts[5] >= 3, counts


@pytest.mark.parametrize("part", ["G1", "G2", "G3"])
def test_levels_of_goals_are_evidenced_by_enough_families(part: str) -> None:
    """Section 10.3.1: as many as it asks for; levels 1 and 2 need one."""
    own = [family for family in all_families().values() if family.dimension == part]
    counts = [sum(level in family.levels for family in own) for level in range(1, 6)]
    assert all(found >= least for found, least in zip(counts, (1, 1, 2, 2, 3), strict=True)), counts
