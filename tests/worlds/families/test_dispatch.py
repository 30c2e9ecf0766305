"""Dispatch: the arrival decides, and what a choice leaves for the second call."""

from __future__ import annotations

from itertools import permutations

import pytest

from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.dispatch import TABLE, Dispatch, Fleet, greedy

from .modelling import acted, instances, rate, taken_for_another, why

FAMILY = Dispatch()


def arrival(task: Task, site: str, unit: str) -> int:
    return int(task.criterion.expected["arrivals"][site][unit])


def send(task: Task, *units: str, off: int = 0) -> list[Act]:
    return [
        Act("dispatch", {"unit": unit, "minutes": arrival(task, site, unit) + off})
        for site, unit in zip(task.setup["sites"], units, strict=False)
    ]


def in_time(task: Task) -> list[tuple[str, ...]]:
    sites, within = task.setup["sites"], task.criterion.expected["within"]
    return [
        pair
        for pair in permutations(task.setup["ready"], 4)
        if all(arrival(task, site, unit) <= within[site] for site, unit in zip(sites, pair, strict=True))
    ]


def ranked(task: Task) -> list[str]:
    site = task.setup["sites"][0]
    return sorted(task.setup["ready"], key=lambda unit: arrival(task, site, unit))


def test_messages_change_what_they_say_and_nothing_else() -> None:
    fleet = Fleet({"Heron": 3, "Stork": 5}, {"Heron": {"Mill": 7}, "Stork": {"Mill": 4}})
    fleet.hear("later", 2, "Heron", "")
    fleet.hear("sooner", 1, "Stork", "")
    fleet.hear("detour", 6, "Stork", "Mill")
    fleet.hear("slow", 10, "", "Mill")
    assert fleet.arrival("Heron", "Mill") == 3 + 2 + 7 + 10
    assert fleet.arrival("Stork", "Mill") == 5 - 1 + 4 + 6 + 10


@pytest.mark.parametrize("level", [3, 5])
def test_what_is_listed_is_possible(level: int) -> None:
    for task in instances(FAMILY, level, 200):
        assert min(task.setup["ready"].values()) >= 0
        assert min(min(trips.values()) for trips in task.setup["trips"].values()) > 0


def test_at_level_3_the_first_to_arrive_is_the_right_one() -> None:
    for task in instances(FAMILY, 3):
        best, *others = ranked(task)
        assert why(FAMILY, task, *send(task, best)) == ()
        for unit in others:
            (told,) = why(FAMILY, task, *send(task, unit))
            assert "another is faster" in told


def test_at_level_3_the_list_alone_misleads() -> None:
    misled = 0
    for task in instances(FAMILY, 3, 60):
        site = task.setup["sites"][0]
        listed = {
            unit: ready + task.setup["trips"][unit][site] for unit, ready in task.setup["ready"].items()
        }
        misled += min(listed, key=listed.__getitem__) != ranked(task)[0]
        assert min(listed.values()) != arrival(task, site, ranked(task)[0]), "nor does it tell the minutes"
    assert 25 <= misled <= 55


def test_a_caller_who_is_told_the_wrong_minutes_is_a_failure() -> None:
    for level in (3, 5):
        task = next(instances(FAMILY, level))
        units = (ranked(task)[0],) if level == 3 else in_time(task)[0]
        found = why(FAMILY, task, *send(task, *units, off=1))
        assert len(found) == len(units)
        assert all("was told" in told for told in found)


def test_at_level_5_only_one_choice_is_in_time() -> None:
    for task in instances(FAMILY, 5, 100):
        assert len(in_time(task)) == 1
        assert why(FAMILY, task, *send(task, *in_time(task)[0])) == ()


def test_at_level_5_the_fastest_call_by_call_is_rarely_in_time_in_whatever_order() -> None:
    for task in instances(FAMILY, 5):
        arrivals, within = task.criterion.expected["arrivals"], task.criterion.expected["within"]
        late = {
            site: {unit: minutes - within[site] for unit, minutes in found.items()}
            for site, found in arrivals.items()
        }
        right = [
            order
            for order in permutations(task.setup["sites"])
            if all(late[s][u] <= 0 for s, u in greedy(late, order).items())
        ]
        assert len(right) <= 4, "of 24"


def test_at_level_5_to_spare_the_fast_or_the_useful_is_rarely_in_time() -> None:
    right = {"fast": 0, "useful": 0}
    for task in instances(FAMILY, 5, 60):
        arrivals, within = task.criterion.expected["arrivals"], task.criterion.expected["within"]
        timely = {
            site: [u for u, n in found.items() if n <= within[site]] for site, found in arrivals.items()
        }
        for spared in right:
            sent: dict[str, str] = {}
            for site in task.setup["sites"]:
                some = [unit for unit in timely[site] if unit not in sent.values()]
                rank = {
                    unit: -arrivals[site][unit]
                    if spared == "fast"
                    else sum(unit in units for units in timely.values())
                    for unit in some
                }
                sent |= {site: min(some, key=rank.__getitem__)} if some else {}
            right[spared] += len(sent) == 4
    assert max(right.values()) <= 12, "equal ones, in the order that happens to fit"


def test_nobody_is_in_two_places_and_no_call_is_served_twice() -> None:
    task = next(instances(FAMILY, 5))
    one, two, three, four, five = ranked(task)
    twice = acted(FAMILY, task, *send(task, one, one))
    assert "has been sent" in twice.seen[2].error
    assert f"nobody was sent to {task.setup['sites'][1]}" in twice.judgement.because
    more = acted(
        FAMILY, task, *send(task, one, two, three, four), Act("dispatch", {"unit": five, "minutes": 1})
    )
    assert more.seen[5].error == "no call is waiting"


def test_good_news_counts_at_level_3_and_greed_mostly_fails_at_level_5() -> None:
    assert 0.2 < rate(FAMILY, 3, "Baseline", FAMILY.novice) < 0.6
    assert rate(FAMILY, 5, "Severe-Standard", FAMILY.novice) < 0.3


@pytest.mark.parametrize("regime", list(shipped_regimes()))
@pytest.mark.parametrize("level", [3, 5])
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert rate(FAMILY, level, regime, FAMILY.oracle, held_out=True, count=40) == 1


def test_no_misread_name_looks_like_another() -> None:
    for story in TABLE["situations"].values():
        assert not taken_for_another(story["units"])
        assert not taken_for_another(story["sites"])
