"""What families with partners have in common: names that are worth knowing, arms, what is declared (12.8, 12.3.2)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from assay.worlds import Brief, Policy, Task, check_family
from assay.worlds.families.social.bargains import Bargains
from assay.worlds.families.social.bids import Bids
from assay.worlds.families.social.errands import Errands
from assay.worlds.families.social.partners import POLICIES
from assay.worlds.families.social.rendezvous import Rendezvous
from assay.worlds.tiers import SocialFamily

from .modelling import acted, begun, instances, rate, why

Social = Bargains | Bids | Errands | Rendezvous
FAMILIES: list[Social] = [Bargains(), Bids(), Errands(), Rendezvous()]
ARMS = ("non_social", "permuted", "scrambled", "masked")
each = pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)


def tasks(family: Social, count: int = 20) -> list[Task]:
    return list(instances(family, 5, count))


def labels(task: Task) -> list[str]:
    """Of every meeting that is shown, in the order of the log."""
    return [one["who"] for one in (*task.setup["earlier"], *task.setup["meetings"])]


def policy_of(task: Task) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for meeting in task.setup["meetings"]:
        found.setdefault(meeting["partner"], set()).add(meeting["policy"])
    return found


@each
def test_it_keeps_the_contract(family: Social) -> None:
    assert isinstance(family, SocialFamily)
    assert check_family(family, instances=20) == []


def test_the_families_negotiate_coordinate_compete_and_delegate() -> None:
    assert {family.kind for family in FAMILIES} == {
        "negotiation", "coordination", "competition", "delegation"
    }  # fmt: skip
    assert {family.mode for family in FAMILIES} == {"cooperative", "competitive", "mixed"}
    assert all(family.roles and family.interaction and family.constraints for family in FAMILIES)


@each
def test_three_partners_of_different_policies_are_met_three_times_each(family: Social) -> None:
    for task in tasks(family):
        met = [meeting["partner"] for meeting in task.setup["meetings"]]
        assert sorted(met[:3]) == [0, 1, 2]
        assert Counter(met) == {0: 3, 1: 3, 2: 3}
        policies = policy_of(task)
        assert all(len(some) == 1 for some in policies.values())
        assert len(set.union(*policies.values())) == 3


@each
def test_every_policy_of_the_library_that_it_names_occurs(family: Social) -> None:
    drawn = Counter(policy for task in tasks(family, 80) for policy in task.setup["policies"])
    assert set(drawn) == set(family.words["manners"]) <= set(POLICIES)
    assert min(drawn.values()) > 35


@each
def test_at_the_first_meeting_every_policy_acts_otherwise(family: Social) -> None:
    """So that one meeting tells who somebody is: the oracle's own moves, in worlds that differ in the policy alone."""
    for task in tasks(family, 10):
        for place in range(3):
            seen = set()
            for policy in family.words["manners"]:
                meetings = [
                    {**one, "policy": policy} if number == place else one
                    for number, one in enumerate(task.setup["meetings"])
                ]
                played = acted(family, with_setup(task, meetings=meetings), *oracle_moves(family, task))
                seen.add(played.state["met"][place]["theirs"])
            assert len(seen) == len(family.words["manners"])


def with_setup(task: Task, **parts: Any) -> Task:
    return msgspec.structs.replace(task, setup={**task.setup, **parts})


def oracle_moves(family: Social, task: Task) -> list[Any]:
    """Its first three moves, whatever the partners do."""
    episode, _ = begun(family, task)
    policy, seen, moves = family.oracle(episode.brief), episode.act("look", {}), []
    for _ in range(3):
        moves.append(policy.decide(seen))
        seen = episode.act(moves[-1].name, moves[-1].arguments)
    return moves


@each
@pytest.mark.parametrize("regime", ["Moderate-Standard", "Severe-Standard", "Severe-Adversarial"])
def test_who_models_partners_by_name_succeeds(family: Social, regime: str) -> None:
    assert rate(family, 5, regime, family.oracle, count=40) == 1.0
    assert rate(family, 5, regime, family.oracle, held_out=True, count=20) == 1.0
    assert rate(family, 5, regime, family.novice, count=40) <= 0.2


@each
def test_in_the_non_social_arm_all_partners_have_one_label(family: Social) -> None:
    for task in tasks(family):
        assert len(set(labels(task))) == 3
        in_arm = family.in_arm(task, "non_social")
        assert len(set(labels(in_arm))) == 1
        assert policy_of(in_arm) == policy_of(task)
        assert not any(name in str(begun(family, in_arm)[1]) for name in set(labels(task)))


@each
def test_masked_partners_have_another_label_at_every_meeting(family: Social) -> None:
    for task in tasks(family):
        in_arm = family.in_arm(task, "masked")
        shown = labels(in_arm)
        assert len(set(shown)) == len(shown)
        assert not set(shown) & set(labels(task))
        assert policy_of(in_arm) == policy_of(task)


@each
def test_permuted_policies_belong_to_other_partners_from_beginning_to_end(family: Social) -> None:
    for task in tasks(family):
        in_arm = family.in_arm(task, "permuted")
        assert labels(in_arm) == labels(task)
        before, after = policy_of(task), policy_of(in_arm)
        assert all(len(some) == 1 for some in after.values())
        assert all(before[partner] != after[partner] for partner in before)
        assert set.union(*before.values()) == set.union(*after.values())


@each
def test_scrambled_policies_are_dealt_anew_at_every_meeting(family: Social) -> None:
    several = 0
    for task in tasks(family):
        in_arm = family.in_arm(task, "scrambled")
        assert labels(in_arm) == labels(task)
        dealt = policy_of(in_arm)
        assert set.union(*dealt.values()) <= set(task.setup["policies"])
        several += sum(len(some) > 1 for some in dealt.values())
    assert several > 0.7 * 3 * 20


@each
@pytest.mark.parametrize("arm", ARMS)
def test_an_arm_changes_labels_or_policies_and_nothing_else(family: Social, arm: str) -> None:
    task = tasks(family, 1)[0]
    in_arm = family.in_arm(task, arm)
    assert in_arm == family.in_arm(task, arm)
    assert with_setup(in_arm, **task.setup) == task
    kept = [
        {part: value for part, value in meeting.items() if part not in ("who", "policy")}
        for meeting in task.setup["meetings"]
    ]
    for before, after in zip(kept, in_arm.setup["meetings"], strict=True):
        assert before.items() <= after.items()


@each
def test_five_of_six_meetings_must_go_well_and_the_first_three_do_not_count(family: Social) -> None:
    task = tasks(family, 1)[0]

    def verdict(well: str) -> bool:
        state = {"met": [{"well": sign == "+"} for sign in well]}
        return family.judge(task, state, ()).success

    assert verdict("---++++++")
    assert verdict("---+++-++")
    assert not verdict("+++++--++")
    assert not verdict("+++++++")
    assert not verdict("")
    assert family.judge(task, {"met": []}, ()).because == (
        "0 of 0 meetings that count went well; 5 are needed",
    )


@each
def test_nothing_is_shown_of_policies_and_nobody_is_left_after_the_last_meeting(
    family: Social,
) -> None:
    task = tasks(family, 1)[0]
    episode, shown = begun(family, task)
    assert not any(policy in str(shown) for policy in ("keeps", "bluffs", "mirrors", "overdoes", "concedes"))
    policy, seen = family.oracle(episode.brief), episode.act("look", {})
    for _ in range(9):
        act = policy.decide(seen)
        seen = episode.act(act.name, act.arguments)
    assert seen.done
    assert seen.observation["meeting"] is None
    assert len(episode.snapshot()["met"]) == 9


@each
def test_words_alone_are_nothing(family: Social) -> None:
    assert why(family, tasks(family, 1)[0]) != ()


class TestBroken:
    """What the checker says of a family that does not keep what tier 5 asks for."""

    def told(self, family: Any) -> str:
        return " ".join(finding.told for finding in check_family(family, instances=12, rules=["arms"]))

    def test_arms_that_withhold_nothing(self) -> None:
        class Bad(Bargains):
            def in_arm(self, task: Task, arm: str) -> Task:
                return task

        told = self.told(Bad())
        assert all(
            f"{arm}: the oracle solves 40 of 40 in spite of it" in told for arm in ARMS if arm != "permuted"
        )
        assert "permuted" not in told

    def test_permuted_partners_that_cannot_be_known(self) -> None:
        class Bad(Bargains):
            def in_arm(self, task: Task, arm: str) -> Task:
                return super().in_arm(task, "scrambled" if arm == "permuted" else arm)

        assert "with other partners" in self.told(Bad())

    def test_an_arm_that_is_missing(self) -> None:
        class Bad(Bargains):
            arms = {"non_social": "who is who"}  # noqa: RUF012

        assert "its arms are non_social; a family of T5 has non_social, permuted" in self.told(Bad())

    def test_another_environment(self) -> None:
        class Bad(Bargains):
            environment = "tool-augmented"

        assert "a family of T5 is multi-agent" in self.told(Bad())

    def test_partners_that_need_not_be_told_apart(self) -> None:
        class Bad(Bargains):
            def novice(self, brief: Brief) -> Policy:
                return self.oracle(brief)

        assert "a novice who treats all partners alike solves 40 of 40" in self.told(Bad())
