"""Helpdesk: what is in which queue, and what the category is worth at each level."""

from __future__ import annotations

import re

import pytest

from assay.streams import Stream
from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.helpdesk import TICKETS, Helpdesk, _counting, _points
from assay.worlds.templates import table

from .sensing import begun, instances, lost, tried

FAMILY = Helpdesk()
STORIES = table("helpdesk")["situations"]


def routes(task: Task, **other: str) -> list[Act]:
    """The right routes but for some tickets, by number."""
    right = {**task.criterion.expected, **other}
    return [Act("route", {"ticket": int(ticket), "queue": queue}) for ticket, queue in right.items()]


def words(said: str) -> set[str]:
    """The first letters of words that carry meaning."""
    return {word[:5] for word in re.findall("[a-z]+", said.lower()) if len(word) > 4}


@pytest.mark.parametrize("level", [1, 2, 4])
def test_every_ticket_in_its_queue_is_success(level: int) -> None:
    for task in instances(FAMILY, level, 10):
        assert tried(FAMILY, task, *routes(task)) == (True, ())
        assert tried(FAMILY, task, *reversed(routes(task))) == (True, ())


def test_each_ticket_that_is_wrong_or_missing_is_named() -> None:
    task = next(instances(FAMILY, 1))
    first = next(iter(task.criterion.expected))
    queue = task.criterion.expected[first]
    other = next(name for name in task.setup["queues"] if name != queue)
    told = f"ticket {first} went to {other}, not to {queue}"
    assert tried(FAMILY, task, *routes(task, **{first: other})) == (False, (told,))
    assert tried(FAMILY, task, *routes(task)[1:]) == (False, (f"ticket {first} was not routed",))


def test_a_route_cannot_be_taken_back() -> None:
    task = next(instances(FAMILY, 2))
    first = next(iter(task.criterion.expected))
    queue = task.criterion.expected[first]
    other = next(name for name in task.setup["queues"] if name != queue)
    episode = begun(FAMILY, task)
    episode.act("route", {"ticket": int(first), "queue": other})
    seen = episode.act("route", {"ticket": int(first), "queue": queue})
    assert "cannot be changed" in seen.error
    assert episode.snapshot() == {"routed": {first: other}}


def test_a_ticket_that_is_not_there_is_an_error_and_changes_nothing() -> None:
    episode = begun(FAMILY, next(instances(FAMILY, 1)))
    assert (
        "no open ticket 7" in episode.act("route", {"ticket": 7, "queue": episode_queue(episode.task)}).error
    )
    assert episode.snapshot() == {"routed": {}}


def episode_queue(task: Task) -> str:
    return str(next(iter(task.setup["queues"])))


def test_a_routed_ticket_leaves_the_list() -> None:
    task = next(instances(FAMILY, 2))
    episode = begun(FAMILY, task)
    route = routes(task)[0]
    seen = episode.act(route.name, route.arguments).observation
    assert len(seen["tickets"]) == TICKETS - 1
    assert seen["routed"] == [route.arguments]


def test_level_1_gives_the_category_level_2_does_not_level_4_gives_a_guess() -> None:
    for task in instances(FAMILY, 1, 10):
        assert {str(t["ticket"]): t["category"] for t in task.setup["tickets"]} == task.criterion.expected
    for task in instances(FAMILY, 2, 10):
        assert all(set(ticket) == {"ticket", "text"} for ticket in task.setup["tickets"])
    guesses = [
        ticket["category"] == task.criterion.expected[str(ticket["ticket"])]
        for task in instances(FAMILY, 4, 60)
        for ticket in task.setup["tickets"]
    ]
    assert 0.2 < sum(guesses) / len(guesses) < 0.5


@pytest.mark.parametrize("level", [2, 4])
def test_one_ticket_belongs_where_the_one_it_refers_to_belongs(level: int) -> None:
    """10.4.3: what is implicit has to be inferred, from a text or from another one that it points to."""
    for task in instances(FAMILY, level, 20):
        numbers = {str(ticket["ticket"]) for ticket in task.setup["tickets"]}
        pointing = [
            (str(ticket["ticket"]), found[0])
            for ticket in task.setup["tickets"]
            if (found := sorted(numbers & set(re.findall(r"\d+", ticket["text"]))))
        ]
        ((late, first),) = pointing
        assert late != first
        assert task.criterion.expected[late] == task.criterion.expected[first]


def test_of_two_points_the_one_that_counts_decides() -> None:
    for number in range(200):
        said = _points("It is dead.", "It is dear.", Stream("points", number))
        assert _counting(f"Dear all, {said} Yours, Ada") == "It is dead.", said
    assert _counting("Dear all, as for 612, please hurry. Yours, Ada") == ""
    wordings = table("helpdesk")
    assert all(len(set(some)) >= 6 for some in (wordings["points"], *wordings["called"].values()))


def test_every_level_has_texts_that_noise_may_touch() -> None:
    """Else robustness, measured at the lowest level, would not meet the noise that a regime declares."""
    assert all(task.noisy for level in FAMILY.levels for task in instances(FAMILY, level, 1))


@pytest.mark.parametrize("situation", list(STORIES))
def test_no_text_uses_the_words_of_its_own_queue(situation: str) -> None:
    for queue, about in STORIES[situation]["queues"].items():
        own = words(f"{queue} {about['handles']}")
        for said in about["texts"]:
            assert not words(said) & own, said


@pytest.mark.parametrize("level", [2, 4])
@pytest.mark.parametrize("regime", list(shipped_regimes()))
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert not lost(FAMILY, level, regime, 40, held_out=True)
