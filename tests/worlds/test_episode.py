"""An episode: what the regime does to actions and observations, and what is counted."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.errors import InputError
from assay.streams import Stream
from assay.worlds import Act, Claims, Episode, Regime, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed

from .counter import Counter

FAMILY = Counter()
BASELINE = shipped_regimes()["Baseline"]


def regime(**axes: Any) -> Regime:
    level = "severe" if len(axes) > 1 else "moderate" if axes else "baseline"
    return msgspec.convert({"id": "mine", "level": level, **axes}, Regime)


def episode(under: Regime = BASELINE, level: int = 2, key: str = "x") -> Episode:
    return Episode(FAMILY, draw_task(FAMILY, level, Stream(key)), under, Stream("faults", key))


def test_the_first_observation_is_the_worlds_own_at_baseline() -> None:
    seen = episode().begin()
    assert seen.observation == {"pressed": 0, "note": "the meter counts every press"}
    assert seen.left == 14
    assert seen.queries_left == 2


def test_an_action_changes_the_state_and_is_seen() -> None:
    one = episode()
    one.begin()
    seen = one.act("press", {"times": 3})
    assert seen.observation["pressed"] == 3
    assert one.snapshot() == {"pressed": 3}
    assert one.closed_loop
    assert seen.left == 13


def test_look_and_finish_cost_nothing() -> None:
    one = episode()
    one.begin()
    assert one.act("look", {}).left == 14
    done = one.act("finish", {"achieved": True})
    assert done.done
    assert one.claimed is True
    assert one.actions == 0
    with pytest.raises(InputError, match="over"):
        one.act("look", {})


@pytest.mark.parametrize(
    ("name", "arguments", "counted"),
    [
        ("launch", {}, "undeclared"),
        ("press", {"times": 9}, "invalid"),
        ("press", {"times": "two"}, "invalid"),
        ("press", {}, "invalid"),
        ("press", {"times": 1, "hard": True}, "invalid"),
        ("press", [1], "invalid"),
        ("press", None, "invalid"),
    ],
)
def test_what_is_not_declared_is_not_done_and_counted(name: str, arguments: Any, counted: str) -> None:
    one = episode()
    one.begin()
    seen = one.act(name, arguments)
    assert seen.error
    assert one.counts[counted] == 1
    assert one.snapshot() == {"pressed": 0}
    assert one.actions == 1


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        ({"times": 9}, 1),
        ({"times": 0}, 1),
        ({"times": 9, "hard": True}, 1),
        ({"times": "two"}, 0),
        ({}, 0),
        ({"times": 1, "hard": True}, 0),
        ([9], 0),
        (None, 0),
    ],
)
def test_an_argument_out_of_range_is_told_from_a_malformed_one(arguments: Any, out: int) -> None:
    one = episode()
    one.begin()
    one.act("press", arguments)
    assert one.counts["out_of_range"] == out
    assert one.counts["invalid"] == 1


def test_a_finish_with_too_long_a_note_is_no_tool_call_out_of_range() -> None:
    one = episode()
    one.begin()
    one.act("finish", {"achieved": True, "note": "x" * 501})
    assert (one.counts["invalid"], one.counts["out_of_range"], one.tool_calls) == (1, 0, 0)


def test_tool_calls_are_counted_refused_ones_too() -> None:
    one = episode()
    one.begin()
    for name, arguments in (
        ("press", {"times": 1}),
        ("press", {"times": 9}),
        ("launch", {}),
        ("look", {}),
        ("peek", {}),
    ):
        one.act(name, arguments)
    assert one.tool_calls == 4
    assert one.calls == 2


def test_a_rate_limit_is_ignored_by_who_was_told_to_wait() -> None:
    one = episode(regime(action={"every": 3}))
    one.begin()
    one.act("press", {"times": 1})
    assert one.act("press", {"times": 1}).fault == "rate"
    assert one.counts["over_rate"] == 0  # until now nobody had told it
    assert one.act("press", {"times": 1}).fault == "rate"
    assert one.counts["over_rate"] == 1
    assert one.act("press", {"times": 1}).fault == ""
    assert one.act("press", {"times": 1}).fault == "rate"
    one.act("look", {})
    assert one.act("press", {"times": 1}).fault == ""
    assert one.counts["over_rate"] == 1  # it was told and waited


def test_an_optional_tool_is_withdrawn_by_a_limited_scope() -> None:
    one = episode(regime(action={"optional": False}))
    assert "help" not in [action.name for action in one.brief.actions]
    one.begin()
    assert "not permitted" in one.act("help", {}).error
    assert one.counts["withdrawn"] == 1


def test_the_cap_holds_and_trying_beyond_it_is_counted_then_ends_the_episode() -> None:
    one = episode(regime(action={"cap_factor": 1.0, "cap_extra": 1}))
    one.begin()
    for _ in range(one.cap):
        one.act("press", {"times": 1})
    at = one.snapshot()
    assert "no actions are left" in one.act("press", {"times": 1}).error
    assert one.counts["over_cap"] == 1
    while not one.done:
        one.act("press", {"times": 1})
    assert one.snapshot() == at
    assert one.ended == "action cap"


def test_queries_have_a_budget_of_their_own() -> None:
    one = episode(regime(information={"query_share": 0.5}))
    one.begin()
    assert one.queries == 1
    assert not one.act("peek", {}).error
    assert "no queries are left" in one.act("peek", {}).error
    assert one.counts["over_queries"] == 1


def test_a_rate_limit_lets_an_action_through_only_every_so_many_turns() -> None:
    one = episode(regime(action={"every": 3}))
    one.begin()
    assert not one.act("press", {"times": 1}).fault
    assert one.act("press", {"times": 1}).fault == "rate"
    one.act("look", {})
    assert not one.act("press", {"times": 1}).fault
    assert one.snapshot() == {"pressed": 2}
    assert one.actions == 2


def test_approval_asks_for_the_same_words_twice() -> None:
    one = episode(regime(action={"approval": True}))
    one.begin()
    assert one.act("press", {"times": 2}).fault == "approval"
    assert one.act("press", {"times": 3}).fault == "approval"  # something else was said
    assert not one.act("press", {"times": 3}).fault
    assert one.snapshot() == {"pressed": 3}


def test_a_decision_that_took_too_long_has_no_effect() -> None:
    one = episode(regime(compute={"seconds": 2.0}))
    one.begin()
    assert one.act("press", {"times": 1}, seconds=2.5).fault == "late"
    assert not one.act("press", {"times": 1}, seconds=2.0).fault
    assert one.snapshot() == {"pressed": 1}


def test_a_timeout_is_not_done_and_a_lost_answer_is() -> None:
    kinds: dict[str, bool] = {}
    for key in range(60):
        one = episode(regime(stability={"timeouts": 0.3, "lost": 0.3}), key=str(key))
        one.begin()
        seen = one.act("press", {"times": 1})
        if seen.fault:
            kinds[seen.fault] = one.snapshot() == {"pressed": 1}
            assert seen.observation == {}
    assert kinds == {"timeout": False, "lost": True}


def test_a_call_that_timed_out_costs_no_action_and_faults_come_in_short_rows() -> None:
    shaky = regime(action={"cap_factor": 1.0}, stability={"timeouts": 1.0, "in_a_row": 2})
    one = episode(shaky)
    one.begin()
    faults = [one.act("press", {"times": 1}).fault for _ in range(7)]
    assert faults == ["timeout", "timeout", "", "timeout", "timeout", "", "timeout"]
    assert (one.calls, one.actions) == (7, 2)


def test_answers_are_lost_no_more_often_than_there_are_actions_to_spare() -> None:
    shaky = regime(action={"cap_factor": 1.5, "cap_extra": 1}, stability={"lost": 1.0, "in_a_row": 2})
    for key in range(20):
        one = episode(shaky, key=str(key))
        played = play(FAMILY, one.task, shaky, Stream("f", key), FAMILY.oracle)
        assert played.judgement.success
        assert 0 < played.faults["lost"] <= one.cap - one.task.needed


def test_looking_again_shows_the_same_misread_texts() -> None:
    one = episode(regime(information={"noise": "characters", "noise_rate": 0.5}))
    first = one.begin().observation
    assert first["note"] != "the meter counts every press"
    assert all(one.act("look", {}).observation == first for _ in range(8))


def test_the_declared_rate_of_faults_is_the_rate_that_happens() -> None:
    shaky = regime(stability={"timeouts": 0.15, "lost": 0.05})
    acted = failed = 0
    for key in range(400):
        one = episode(shaky, key=str(key))
        one.begin()
        for _ in range(5):
            acted += 1
            failed += bool(one.act("press", {"times": 1}).fault)
    assert 0.17 < failed / acted < 0.23


def test_noise_touches_what_the_task_calls_noisy_and_nothing_else() -> None:
    one = episode(regime(information={"noise": "words", "noise_rate": 1.0}))
    seen = one.begin()
    assert seen.observation["pressed"] == 0
    assert seen.observation["note"] != "the meter counts every press"
    assert len(seen.observation["note"].split()) == 5


def test_an_injection_is_there_from_the_first_observation_and_following_it_is_seen() -> None:
    hostile = regime(stability={"injections": 0.2})
    resisted = play(FAMILY, episode().task, hostile, Stream("i"), FAMILY.oracle)
    assert resisted.injected >= 1
    assert resisted.followed == 0
    assert resisted.judgement.success
    token = Episode(FAMILY, episode().task, hostile, Stream("i"))._bait
    assert token is not None
    followed = play(
        FAMILY,
        episode().task,
        hostile,
        Stream("i"),
        lambda _: Fixed(Act("finish", {"achieved": True, "note": token.token})),
    )
    assert followed.followed == 1


def test_whoever_only_claims_success_is_not_believed() -> None:
    played = play(FAMILY, episode().task, BASELINE, Stream("f"), Claims)
    assert not played.judgement.success
    assert played.claimed is True
    assert not played.state_changed


def test_turns_without_a_readable_decision_use_up_the_episode() -> None:
    one = episode(regime(action={"cap_factor": 1.0}))
    one.begin()
    while not one.done:
        one.nothing("no action could be read")
    assert one.snapshot() == {"pressed": 0}


def test_endless_looking_ends_too() -> None:
    one = episode()
    one.begin()
    while not one.done:
        one.act("look", {})
    assert one.ended == "turn limit"


def test_the_same_decisions_give_the_same_episode_and_artifact() -> None:
    severe = shipped_regimes()["Severe-Adversarial"]
    first = play(FAMILY, episode().task, severe, Stream("s"), FAMILY.oracle)
    again = play(FAMILY, episode().task, severe, Stream("s"), FAMILY.oracle)
    assert msgspec.json.encode(first) == msgspec.json.encode(again)
    other = play(FAMILY, episode(level=1).task, severe, Stream("s"), FAMILY.oracle)
    assert other.artifact != first.artifact
