from __future__ import annotations

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, shipped_regimes
from assay.worlds.families.duel import MOVES, SIGNALS, Duel, _answer, _beats
from assay.worlds.learning import Variant

FAMILY = Duel()
SECRET = {"habits": {colour: place % 3 for place, colour in enumerate(SIGNALS)}, "echo": 2}


def opened(variant: Variant) -> tuple[Task, Episode]:
    task = FAMILY.draw(variant, SECRET, Stream("duel"))
    episode = Episode(FAMILY, task, shipped_regimes()["Baseline"], Stream("faults"))
    episode.begin()
    return task, episode


def test_the_moves_beat_each_other_as_the_goal_says() -> None:
    task, _ = opened("practice")
    for mine, theirs in (("rush", "feint"), ("feint", "guard"), ("guard", "rush")):
        assert f"{mine} beats {theirs}" in task.goal.lower()
        assert _beats(MOVES.index(theirs)) == MOVES.index(mine)


def test_the_opponent_goes_by_colour_and_by_the_players_move_before() -> None:
    assert _answer(SECRET, "black", None) == 1
    assert [_answer(SECRET, "black", before) for before in range(3)] == [1, 0, 2]


def test_what_the_opponent_does_is_not_seen_while_it_would_help() -> None:
    task, episode = opened("practice")
    for move in task.criterion.expected:
        seen = episode.act("move", {"move": move})
        assert set(seen.observation) == {"match", "rounds", "moved"}
    assert episode.judge(episode.snapshot()).success
    assert episode.act("move", {"move": "rush"}).error == "all rounds are played"


@pytest.mark.parametrize("won", range(5))
def test_three_of_four_rounds_are_enough(won: int) -> None:
    task, _ = opened("practice")
    answered = ["feint"] * 4
    moved = ["rush"] * won + ["feint"] * (4 - won)
    assert FAMILY.judge(task, {"moved": moved, "answered": answered}, ()).success == (won >= 3)


def test_moves_are_handed_in_once_and_all_together() -> None:
    task, episode = opened("shifted")
    right = task.criterion.expected
    assert episode.act("hand_in", {"moves": right[:3]}).error == "3 moves; there are 4 rounds"
    assert not episode.act("hand_in", {"moves": right}).error
    assert episode.act("hand_in", {"moves": right}).error == "the moves are handed in already"
    assert episode.judge(episode.snapshot()).success
