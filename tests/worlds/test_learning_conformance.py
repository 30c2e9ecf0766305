"""Families in which something can be learnt keep their contract, and the checker names what one does not keep."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.streams import Stream
from assay.testing import ContractBroken
from assay.testing import check_learning_family as checked
from assay.worlds import Act, Brief, Policy, Seen, Task, finish
from assay.worlds.families.duel import Duel
from assay.worlds.families.forms import HouseForms
from assay.worlds.families.metering import Metering
from assay.worlds.families.preferences import Preferences
from assay.worlds.families.sorting import BAYS, Sorting
from assay.worlds.learning import LearningFamily, Variant
from assay.worlds.learning_conformance import LEARNING_RULES, check_learning_family

FAMILIES = (Duel, HouseForms, Metering, Preferences, Sorting)


@pytest.mark.parametrize(
    "made", [one if one is Duel else pytest.param(one, marks=pytest.mark.slow) for one in FAMILIES]
)
def test_every_shipped_family_keeps_the_contract(made: type[LearningFamily]) -> None:
    assert [f"{one.rule}: {one.told}" for one in check_learning_family(made())] == []


def test_the_shipped_families_are_registered_under_their_names() -> None:
    declared = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    points: dict[str, str] = declared["project"]["entry-points"]["assay.learning"]
    found = {}
    for name, place in points.items():
        module, _, attribute = place.partition(":")
        found[name] = getattr(import_module(module), attribute)
    assert found == {made.name: made for made in FAMILIES}


def broken(family: Any, *rules: str) -> set[str]:
    """The rules that are broken, each by what was found and not by an error of the checker's own."""
    found = check_learning_family(family, learners=8, rules=rules)
    assert [one.told for one in found if "Error: " in one.told] == []
    return {one.rule for one in found}


class Leaky(Sorting):
    """Its tasks carry the secret, as those of a family may whose world needs it."""

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        task = super().draw(variant, secret, stream)
        return msgspec.structs.replace(task, setup={**task.setup, "secret": secret})


class TestBroken:
    """One broken promise each; the checker says which."""

    def test_a_secret_that_is_carried_but_not_told_is_no_leak(self) -> None:
        assert broken(Leaky(), "hidden") == set()

    def test_feedback_that_tells_the_secret(self) -> None:
        class Bad(Leaky):
            def feedback(self, task: Task, state: dict[str, Any]) -> str:
                return f"{super().feedback(task, state)} They go by {task.setup['secret']['by']}."

        assert broken(Bad(), "hidden") == {"hidden"}

    def test_a_goal_that_tells_the_secret(self) -> None:
        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                task = super().draw(variant, secret, stream)
                return msgspec.structs.replace(task, goal=f"{task.goal} Mind the {secret['by']}.")

        assert broken(Bad(), "hidden") == {"hidden"}

    def test_progress_that_tells_what_is_right(self) -> None:
        class Bad(Sorting):
            def progress(self, task: Task, state: dict[str, Any]) -> str:
                return self.feedback(task, state)

        assert broken(Bad(), "hidden") == {"hidden"}

    def test_progress_that_tells_nothing(self) -> None:
        class Bad(Sorting):
            def progress(self, task: Task, state: dict[str, Any]) -> str:
                return "Not yet."

        assert broken(Bad(), "hidden", "progress") == {"progress"}

    def test_what_cannot_be_learnt(self) -> None:
        """Every instance goes by a rule of its own."""

        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                return super().draw(variant, self.secret(stream), stream)

        assert broken(Bad(), "learnable") == {"learnable"}

    def test_what_a_constant_solves(self) -> None:
        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                task = super().draw(variant, secret, stream)
                expected = dict.fromkeys(task.criterion.expected, BAYS[0])
                return msgspec.structs.replace(
                    task, criterion=msgspec.structs.replace(task.criterion, expected=expected)
                )

        assert broken(Bad(), "guessing") == {"guessing"}

    def test_few_secrets(self) -> None:
        class Bad(Sorting):
            def secret(self, stream: Stream) -> dict[str, Any]:
                return {**super().secret(stream), "bays": BAYS, "then": BAYS[0]}

        assert broken(Bad(), "secret") == {"secret"}

    def test_a_secret_that_is_told_at_once(self) -> None:
        class Bad(Duel):
            def secret(self, stream: Stream) -> dict[str, Any]:
                found = super().secret(stream)
                return {**found, "habits": dict.fromkeys(found["habits"], found["echo"])}

            def player(self, brief: Brief, examples: Any, stream: Stream) -> Policy:
                told = [one for example in examples for one in example["rounds"]]
                known = (
                    [[colour, *told[0][1:]] for colour in super().secret(stream)["habits"]] if told else []
                )
                return super().player(brief, [{"rounds": known}], stream)

        assert broken(Bad(), "learnable") == {"learnable"}

    def test_tests_with_the_goals_of_practice(self) -> None:
        class Bad(Sorting):
            def story(self, variant: Variant, stream: Stream) -> str:
                return stream.choice(self.situations)

            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                return msgspec.structs.replace(super().draw(variant, secret, stream), goal="Put them away.")

        assert broken(Bad(), "schema", "variety") == {"schema", "variety"}

    def test_tests_that_repeat_what_was_practised(self) -> None:
        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                return super().draw(variant, secret, Stream("the", "same", "for", "all"))

        assert {"variety", "transfer"} <= broken(Bad(), "variety", "transfer")

    def test_a_player_that_gives_up_when_a_call_fails(self) -> None:
        class Bad(Sorting):
            def player(self, brief: Brief, examples: Any, stream: Stream) -> Policy:
                return GivesUp(super().player(brief, examples, stream))

        assert broken(Bad(), "learnable", "regimes") == {"regimes"}

    def test_a_task_that_noise_does_not_touch(self) -> None:
        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                return msgspec.structs.replace(super().draw(variant, secret, stream), noisy=())

        assert broken(Bad(), "regimes") == {"regimes"}

    def test_practice_that_teaches_without_feedback(self) -> None:
        class Bad(Metering):
            def example(self, brief: Brief, seen: Any, feedback: str) -> dict[str, Any]:
                """The order is always the same, so that all there is to learn is what came out of each line."""
                return {**super().example(brief, seen, feedback), "right": [], "places": []}

            def secret(self, stream: Stream) -> dict[str, Any]:
                return {**super().secret(stream), "order": ["K", "M", "R", "T"]}

            def player(self, brief: Brief, examples: Any, stream: Stream) -> Policy:
                known = [
                    {
                        "right": [["K", 0, -1], ["M", 0, -1], ["R", 0, -1], ["T", 0, -1]],
                        "runs": [],
                        "places": [],
                    }
                ]
                return super().player(brief, [*examples, *known], stream)

        assert broken(Bad(), "feedback") == {"feedback"}

    def test_an_untidy_task(self) -> None:
        class Bad(Sorting):
            def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
                task = super().draw(variant, secret, stream)
                loose = {**task.observation, "additionalProperties": True}
                return msgspec.structs.replace(task, observation=loose, needed=1)

        assert broken(Bad(), "schema", "budget") == {"schema", "budget"}

    def test_a_family_that_raises(self) -> None:
        class Bad(Sorting):
            def feedback(self, task: Task, state: dict[str, Any]) -> str:
                raise RuntimeError("no words")

        found = check_learning_family(Bad(), learners=2, rules=["learnable"])
        assert [(one.rule, one.told) for one in found] == [("learnable", "RuntimeError: no words")]

    def test_what_is_no_such_family(self) -> None:
        class Bad(Sorting):
            practice = 9

        with pytest.raises(ContractBroken, match="practice is 9"):
            checked(Bad(), learners=2)


class GivesUp:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def decide(self, seen: Seen) -> Act:
        return finish(False) if seen.fault else self._policy.decide(seen)


def test_the_report_says_what_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.testing.family.find_broken_learning", lambda family, learners, run: [])
    assert checked(Sorting()).rules == LEARNING_RULES


def test_the_documentation_has_every_family_and_every_rule() -> None:
    text = (Path(__file__).parents[2] / "docs" / "families.md").read_text("utf-8")
    section = text.partition("## Families in which something can be learnt")[2]
    rows = [
        [part.strip() for part in line.split("|")[1:-1]] for line in section.splitlines() if line[:1] == "|"
    ]
    told = {row[0]: row for row in reversed(rows)}
    for made in FAMILIES:
        assert told[f"`{made.name}`"][2:4] == [made.environment, str(made.practice)]
    assert [row[0] for row in rows if row[0] in LEARNING_RULES] == list(LEARNING_RULES)
