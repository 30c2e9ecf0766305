"""Strategies: predict what pays from what was observed, then commit to it. B.3.3, B.3.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
# Level → the share of the best that a choice must reach: 80 % where it predicts (B.3.3), all of it where it compares.
WORTH = {3: (4, 5), 5: (1, 1)}
# Level → the share that the next best stays below, so that nothing is a matter of opinion.
APART = {3: (7, 10), 5: (9, 10)}
Sorts = dict[str, int]  # condition → reward, or condition → days
Rewards = dict[str, dict[str, Sorts]]  # place → strategy → condition → reward
Shares = dict[str, Sorts]  # place → condition → days
Values = dict[str, dict[str, int]]  # place → strategy → what it brings over all days observed
Days = tuple[int, int, int]  # how often each sort came
Drawn = tuple[Rewards, dict[str, list[str]]]  # and place → its days as they came
# What somebody might think of instead of all days: the usual one, the first, the first two, the last, each sort once.
Thought = Callable[[list[str]], list[str]]
THOUGHTS: tuple[Thought, ...] = (
    lambda days: [max(days, key=days.count)],
    lambda days: days[:1],
    lambda days: days[:2],
    lambda days: days[-1:],
    lambda days: sorted(set(days)),
)


# Rewards are the least that comes, by strategy (the best first) and sort of day; up to 7 come on top of each. In every
# kind of place another thought is misleading: the usual day, a single day, the sum, the best or the worst of a row.
# The days that were observed say what is best.
Kind = tuple[tuple[tuple[int, int, int], ...], tuple[Days, ...]]
STEADY: Kind = ((38, 38, 38), (52, 2, 2), (2, 52, 2)), ((3, 2, 1), (2, 3, 1), (2, 2, 2))
USUAL: Kind = ((62, 2, 2), (2, 2, 84), (19, 19, 19)), ((4, 1, 1), (4, 2, 0))
RARE: Kind = ((2, 92, 2), (32, 2, 2), (15, 15, 15)), ((3, 2, 1),)
KINDS = (USUAL, USUAL, STEADY, RARE)


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


def _short(level: int, got: int, best: int, where: str) -> Iterator[str]:
    share, whole = WORTH[level]
    if whole * got < share * best:
        yield f"{where}: {got} of {best} in {DAYS} days, below {share / whole:.0%}"


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


def _place(
    stream: Stream, story: Story, order: Sequence[str], few: bool
) -> tuple[dict[str, Sorts], list[str]]:
    """A place's rewards, and its days as they came. Where it has ``few``, all rewards are halved."""
    least, days = stream.choice(KINDS)
    sorts = stream.shuffled(story["conditions"])
    rewards = _filled(stream, [[cell // (1 + few) for cell in row] for row in least], order, sorts)
    return rewards, stream.shuffled(_all(dict(zip(sorts, stream.choice(days), strict=True))))


def _drawn(level: int, stream: Stream, story: Story, places: Sequence[str]) -> Drawn:
    """Level 3: at each place one strategy is clearly the best, whichever it is at the other. Level 5: one strategy is
    the best at both, and one pair of all is clearly the best. Hardly a thought of less than that leads there. At
    level 5 that of the usual day never does in half of all instances, and that of each sort once in a quarter."""
    never = stream.choice((THOUGHTS[:1], THOUGHTS[:1], THOUGHTS[-1:], ())) if level == 5 else ()
    while True:
        order, rich = stream.shuffled(story["strategies"]), stream.below(2)
        rewards: Rewards = {}
        days: dict[str, list[str]] = {}
        for at, place in enumerate(places):
            others = stream.shuffled(order) if level == 3 else [order[0], *stream.shuffled(order[1:])]
            rewards[place], days[place] = _place(stream, story, others, few=at != rich)
        worth = values(rewards, {place: _shares(seen) for place, seen in days.items()})
        if level == 3:
            clear = all(_clear(3, [*row.values()]) for row in worth.values())
        else:
            same = {best_of(row) for row in worth.values()} == {order[0]}
            clear = same and _clear(5, [total for total, _ in pairs(worth)])
        best = best_choice(level, worth) if clear else {}
        for _ in range(
            6 if clear else 0
        ):  # it is quicker to let the days come in another order than to begin anew
            if _misleading(level, rewards, days, best, never):
                return rewards, days
            days = {place: stream.shuffled(seen) for place, seen in days.items()}


def best_choice(level: int, worth: Values) -> dict[str, str]:
    """The best strategy of each place, or the best pair where each can be used once."""
    if level == 3:
        return {place: best_of(row) for place, row in worth.items()}
    return max(pairs(worth), key=lambda pair: pair[0])[1]


def _misleading(
    level: int, rewards: Rewards, days: dict[str, list[str]], best: dict[str, str], never: Sequence[Thought]
) -> bool:
    """Whether at most one thought leads to the best: of each place by itself, or of some days only.

    A thought that must not counts twice.
    """
    found = int(
        level == 5 and _one_by_one(values(rewards, {p: _shares(seen) for p, seen in days.items()})) == best
    )
    for thought in (*THOUGHTS, *never):
        shares = {place: _shares(thought(seen)) for place, seen in days.items()}
        found += best_choice(level, values(rewards, shares)) == best
        if found > 1:
            return False
    return True


def _one_by_one(worth: Values) -> dict[str, str]:
    """The best for the first place, and the best of what is left for the other."""
    chosen: dict[str, str] = {}
    for place, row in worth.items():
        chosen[place] = best_of({name: n for name, n in row.items() if name not in chosen.values()})
    return chosen


def best_of(row: Sorts) -> str:
    return max(row, key=row.__getitem__)


def _shares(days: Sequence[str]) -> Sorts:
    return {sort: days.count(sort) for sort in sorted(set(days))}


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


def _week(stream: Stream, sorts: Sequence[str]) -> list[str]:
    """Seven days, each like any of those observed, from one draw."""
    drawn, found = stream.below(DAYS**7), []
    for _ in range(7):
        drawn, at = divmod(drawn, DAYS)
        found.append(sorts[at])
    return found


def _told(stream: Stream, days: dict[str, list[str]]) -> list[str]:
    p, q = days
    return [
        BOOK.say(stream, "day", n=day, c=c, p=p, d=d, q=q)
        for day, (c, d) in enumerate(zip(*days.values(), strict=True), start=1)
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

    The novice thinks of the most frequent sort of day alone, and of one place after the other.
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
        place = next(place for place in self._places if place not in chosen)
        if self.is_novice:
            strategy = self._first_idea(place, [*chosen.values()] if self.brief.level == 5 else [])
        else:
            if not self._best:
                self._best = best_choice(self.brief.level, values(self._rewards, self._days))
            strategy = self._best[place]
        return Act("choose", {"place": place, "strategy": strategy})

    def _first_idea(self, place: str, taken: list[str]) -> str:
        usual = best_of(self._days[place])
        left = {name: row[usual] for name, row in self._rewards[place].items() if name not in taken}
        return best_of(left)


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
        rewards, days = _drawn(level, stream, story, places)
        told = _told(stream, days)
        # The week that follows a choice: seen, and not judged, as luck is no merit.
        week = {place: _week(stream, seen) for place, seen in days.items()}
        named = listed([f"the {place}" for place in places])
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"][level], story, places=named, days="six"),
            observation=_observation(tuple(story["conditions"])),
            actions=(NEXT, _choose(tuple(sorted(places)), tuple(sorted(story["strategies"])))),
            criterion=TABLE["criterion"][level].format(**story),
            expected={
                "shares": {place: _shares(seen) for place, seen in days.items()},
                "rewards": rewards,
            },
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
                yield from _short(3, row[chosen[place]], max(row.values()), place)
        else:
            got = sum(row[chosen[place]] for place, row in worth.items())
            yield from _short(5, got, max(total for total, _ in pairs(worth)), "both together")

    def null(self, brief: Brief) -> TopRows:
        return TopRows(brief)
