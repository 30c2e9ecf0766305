"""Strategies: predict what pays from what was observed, then commit to it. B.3.3, B.3.5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from typing import Any

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Steady, finish
from assay.worlds.events import EVENT, NEXT, Follower, Phrasebook, Unfolding, known, listed
from assay.worlds.model import Act, Action, Brief, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Strategies"]

TABLE = table("strategies")
BOOK = Phrasebook(TABLE["phrases"])
Story = Mapping[str, Any]
DAYS = 6
WORTH = 4, 5  # a choice must reach this share of the best: 80 % (B.3.3)
# Level → the share that the next best stays below, so that nothing is a matter of opinion.
APART = {3: (7, 10), 5: (3, 4)}
Sorts = dict[str, int]  # condition → reward, or condition → days
Rewards = dict[str, dict[str, Sorts]]  # place → strategy → condition → reward
Shares = dict[str, Sorts]  # place → condition → days
Values = dict[str, dict[str, int]]  # place → strategy → what it brings over all days observed
Days = tuple[int, int, int]  # how often each sort came


# Rewards are the least that comes, by strategy and sort of day; up to 7 come on top of each. The table itself must not
# tell what is best: without the days, no choice is better than another.
#
# Level 3: one strategy for one sort of day, one for all sorts, one for the third. Each is the best equally often, and
# the days that were observed say which. In a trap the most frequent sort of day speaks for another than the best.
LEAST = ((42, 2, 2), (17, 54, 36), (2, 6, 72))
PLAIN: tuple[tuple[Days, ...], ...] = (
    ((5, 1, 0), (5, 0, 1)),
    ((1, 4, 1), (1, 5, 0), (0, 5, 1)),
    ((1, 0, 5), (0, 1, 5)),
)
TRAP: Days = (3, 2, 1)  # the best is the one for all sorts
TRAPS = 9  # of 10 places where that one is the best
# Level 5: on every sort of day another strategy is the best at both places. Only the rich one has a fair substitute,
# the next in turn; the days say which sort it is.
RICH, POOR = (58, 54, 2), (51, 0, 0)
RICH_DAYS: tuple[Days, ...] = ((5, 0, 1),)
POOR_DAYS: tuple[Days, ...] = ((6, 0, 0), (5, 1, 0), (5, 0, 1))


@cache
def _observation(conditions: tuple[str, ...]) -> dict[str, Any]:
    rewards = obj(dict.fromkeys(conditions, INTEGER))
    return obj(
        {
            "table": array(obj({"place": STRING, "strategy": STRING, "rewards": rewards})),
            "places": array(STRING),
            "chosen": array(obj({"place": STRING, "strategy": STRING, "earned": integer("in a week")})),
            "event": EVENT,
        }
    )


@cache
def _choose(places: tuple[str, ...], strategies: tuple[str, ...]) -> Action:
    return action(
        "choose",
        "Choose a strategy for a place and let it run. This cannot be taken back.",
        {
            "place": text("which place", options=list(places)),
            "strategy": text("which strategy", options=list(strategies)),
        },
    )


def values(rewards: Rewards, shares: Shares) -> Values:
    """What each strategy brings at each place over all days observed: the exact mean, times the number of days."""
    return {
        place: {
            strategy: sum(row[sort] * count for sort, count in days.items())
            for strategy, row in rewards[place].items()
        }
        for place, days in shares.items()
    }


def pairs(worth: Values) -> list[tuple[int, dict[str, str]]]:
    """Every way to serve all places with different strategies, and what it brings."""
    found = []
    for taken in permutations(next(iter(worth.values())), len(worth)):
        choice = dict(zip(worth, taken, strict=True))
        found.append((sum(worth[place][strategy] for place, strategy in choice.items()), choice))
    return found


def _short(got: int, best: int, where: str) -> Iterator[str]:
    share, whole = WORTH
    if whole * got < share * best:
        yield f"{where}: {got} of {best} in {DAYS} days, below 80 %"


def _clear(level: int, values: Sequence[int]) -> bool:
    """Whether the best is so far ahead that nothing else comes near it."""
    second, best = sorted(values)[-2:]
    share, whole = APART[level]
    return best > 0 and whole * second <= share * best


def _filled(
    stream: Stream, least: Sequence[Sequence[int]], order: Sequence[str], sorts: Sequence[str]
) -> dict[str, Sorts]:
    """A place's rewards: what comes at least, and three bits a cell on top."""
    bits = stream.bits64()
    return {
        strategy: {sort: least[i][j] + (bits >> 9 * i + 3 * j & 7) for j, sort in enumerate(sorts)}
        for i, strategy in enumerate(order)
    }


def _separate(stream: Stream, story: Story, places: Sequence[str]) -> tuple[Rewards, Shares]:
    """Level 3: at each place one strategy is clearly the best, whichever it is at the other."""
    rewards: Rewards = {}
    shares: Shares = {}
    for place in places:
        order, sorts = stream.shuffled(story["strategies"]), stream.shuffled(story["conditions"])
        best = stream.below(len(order))
        trapped = best == 1 and stream.below(10) < TRAPS
        shares[place] = dict(zip(sorts, TRAP if trapped else stream.choice(PLAIN[best]), strict=True))
        while True:
            rewards[place] = _filled(stream, LEAST, order, sorts)
            worth = values(rewards, {place: shares[place]})[place]
            if _clear(3, [*worth.values()]) and max(worth, key=worth.__getitem__) == order[best]:
                break
    return rewards, shares


def _contested(stream: Stream, story: Story, places: Sequence[str]) -> tuple[Rewards, Shares]:
    """Level 5: who takes the best strategy where it brings most loses more at the other place than it gains."""
    order = stream.shuffled(story["strategies"])
    kinds = stream.shuffled(((RICH, RICH_DAYS), (POOR, POOR_DAYS)))
    sorts = [stream.shuffled(story["conditions"]) for _ in places]
    while True:
        rewards: Rewards = {}
        shares: Shares = {}
        for place, (least, days), names in zip(places, kinds, sorts, strict=True):
            turned = [[least[(i - j) % 3] for j in range(3)] for i in range(3)]
            rewards[place] = _filled(stream, turned, order, names)
            shares[place] = dict(zip(names, stream.choice(days), strict=True))
        worth = values(rewards, shares)
        best = [max(row, key=row.__getitem__) for row in worth.values()]
        if best == [order[0]] * len(places) and _clear(5, [total for total, _ in pairs(worth)]):
            return rewards, shares


def mode(days: Sorts) -> str:
    """The most frequent sort of day."""
    return max(days, key=days.__getitem__)


def _rows(stream: Stream, story: Story, rewards: Rewards) -> list[dict[str, Any]]:
    """The table as it is shown: its order tells nothing."""
    order = stream.shuffled(story["strategies"])
    return [
        {
            "place": place,
            "strategy": strategy,
            "rewards": {sort: rewards[place][strategy][sort] for sort in story["conditions"]},
        }
        for place in rewards
        for strategy in order
    ]


def _all(days: Sorts) -> list[str]:
    return [sort for sort, count in days.items() for _ in range(count)]


def _week(stream: Stream, days: Sorts) -> list[str]:
    """Seven days, each like any of those observed, from one draw."""
    sorts, drawn, found = _all(days), stream.below(DAYS**7), []
    for _ in range(7):
        drawn, at = divmod(drawn, DAYS)
        found.append(sorts[at])
    return found


def _told(stream: Stream, places: Sequence[str], shares: Shares) -> list[str]:
    """The days, in a random order at each place."""
    seen = [stream.shuffled(_all(shares[place])) for place in places]
    p, q = places
    return [
        BOOK.say(stream, "day", n=day, c=c, p=p, d=d, q=q)
        for day, (c, d) in enumerate(zip(*seen, strict=True), start=1)
    ]


class Season(Unfolding):
    """Past days, what was chosen, and what it earned in the week that followed."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._chosen: dict[str, str] = {}

    def _earned(self, place: str) -> int:
        rewards = self.setup["rewards"][place][self._chosen[place]]
        return sum(rewards[condition] for condition in self.setup["week"][place])

    def look(self) -> dict[str, Any]:
        return {
            "table": [{**row, "rewards": dict(row["rewards"])} for row in self.setup["table"]],
            "places": list(self.setup["places"]),
            "chosen": [
                {"place": place, "strategy": strategy, "earned": self._earned(place)}
                for place, strategy in self._chosen.items()
            ],
            "event": self.event(),
        }

    def do_choose(self, place: str, strategy: str) -> None:
        if place in self._chosen:
            raise Refused(f"{place} has been decided already; a choice is final")
        if self.setup["once"] and strategy in self._chosen.values():
            raise Refused(f"{strategy} is used at the other place already; choose one that remains")
        self._chosen[place] = strategy

    def snapshot(self) -> dict[str, Any]:
        return {
            "chosen": dict(sorted(self._chosen.items())),
            "earned": {place: self._earned(place) for place in sorted(self._chosen)},
        }


class Planner(Follower):
    """Counts the days, works out every choice, and makes the best.

    The novice thinks of the most frequent sort of day alone, and takes the best cell of the table first.
    """

    def start(self, observation: dict[str, Any]) -> None:
        self._places: list[str] = observation["places"]
        self._rewards: Rewards = {place: {} for place in self._places}
        for row in observation["table"]:
            self._rewards[row["place"]][row["strategy"]] = row["rewards"]
        self._conditions = list(observation["table"][0]["rewards"])
        self._days = {place: dict.fromkeys(self._conditions, 0) for place in self._places}
        self._best: dict[str, str] = {}

    def hear(self, said: str) -> None:
        _, slots = BOOK.read(said)
        for place, condition in (("p", "c"), ("q", "d")):
            where = known(slots[place], self._places)
            self._days[where][known(slots[condition], self._conditions)] += 1

    def conclude(self, observation: dict[str, Any]) -> Act:
        chosen = {choice["place"]: choice["strategy"] for choice in observation["chosen"]}
        if len(chosen) == len(self._places):
            return finish()
        once = self.brief.level == 5
        if self.is_novice:
            place, strategy = self._first_idea(chosen, once)
        else:
            if not self._best:
                self._best = self._work_out(once)
            place = next(place for place in self._places if place not in chosen)
            strategy = self._best[place]
        return Act("choose", {"place": place, "strategy": strategy})

    def _work_out(self, once: bool) -> dict[str, str]:
        worth = values(self._rewards, self._days)
        if once:
            return max(pairs(worth), key=lambda pair: pair[0])[1]
        return {place: max(row, key=row.__getitem__) for place, row in worth.items()}

    def _first_idea(self, chosen: dict[str, str], once: bool) -> tuple[str, str]:
        ideas = []
        for place in self._places:
            usual = mode(self._days[place])
            for strategy, row in self._rewards[place].items():
                if place not in chosen and not (once and strategy in chosen.values()):
                    ideas.append((row[usual], place, strategy))
        _, place, strategy = max(ideas)
        return place, strategy


class TopRows(Steady):
    """Takes the table's rows as they stand, one after the other where it must."""

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        done = len(observation["chosen"])
        if done == len(observation["places"]):
            return finish()
        row = observation["table"][done if self.brief.level == 5 else 0]
        return Act("choose", {"place": observation["places"][done], "strategy": row["strategy"]})


class Strategies(FamilyBase, table=TABLE):
    world = Season
    solver = Planner

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        places = tuple(stream.shuffled(story["places"])[:2])
        rewards, shares = (_separate if level == 3 else _contested)(stream, story, places)
        told = _told(stream, places, shares)
        # The week that follows a choice: seen, and not judged, as luck is no merit.
        week = {place: _week(stream, days) for place, days in shares.items()}
        named = listed([f"the {place}" for place in places])
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, places=named, days="six"),
            observation=_observation(tuple(story["conditions"])),
            actions=(NEXT, _choose(tuple(sorted(places)), tuple(sorted(story["strategies"])))),
            criterion=TABLE["criterion"][level].format(**story),
            expected={"shares": shares, "rewards": rewards},
            setup={
                "once": level == 5,
                "places": list(places),
                "rewards": rewards,
                "table": _rows(stream, story, rewards),
                "told": told,
                "week": week,
            },
            needed=DAYS - 1 + len(places),
            noisy=("event",),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        shares: Shares = task.criterion.expected["shares"]
        chosen: dict[str, str] = state["chosen"]
        missing = [f"nothing was chosen for {place}" for place in sorted(shares) if place not in chosen]
        worth = values(task.criterion.expected["rewards"], shares)
        if missing:
            yield from missing
        elif task.level == 3:
            for place, row in sorted(worth.items()):
                yield from _short(row[chosen[place]], max(row.values()), place)
        else:
            got = sum(row[chosen[place]] for place, row in worth.items())
            yield from _short(got, max(total for total, _ in pairs(worth)), "both together")

    def null(self, brief: Brief) -> TopRows:
        return TopRows(brief)
