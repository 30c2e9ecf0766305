"""Duel: an opponent whose fixed habits can be exploited by who has found them out. B.6.2 and B.6.4.

The opponent moves by the colour of a round and by what the player did in the round before. What it did is told at the
end, so that nothing can be found out in the episode in which it would help.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from assay.streams import Stream
from assay.worlds.base import Steady, WorldBase, finish
from assay.worlds.fuzzy import among
from assay.worlds.learning import LEVEL_OF, LearningBase, Variant
from assay.worlds.model import Act, Brief, Policy, Refused, Seen, Task
from assay.worlds.schema import INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import table, worded

__all__ = ["Duel"]

TABLE = table("duel")
MOVES: list[str] = TABLE["moves"]  # each beats the next, the last the first
SIGNALS: list[str] = TABLE["signals"]
ROUNDS, WINS = 4, 3
_MOVE = text("what you do", options=MOVES)
MOVE = action("move", "Make your move in the next round. It cannot be taken back.", {"move": _MOVE})
HAND_IN = action(
    "hand_in",
    "Hand in your moves of all rounds, first to last. They cannot be taken back.",
    {"moves": array(_MOVE, "one a round, in order")},
)
OBSERVATION = obj(
    {
        "match": INTEGER,
        "rounds": array(obj({"round": INTEGER, "colour": STRING})),
        "moved": array(STRING),
    }
)
SHIFTED = obj({"match": INTEGER, "announced": array(STRING), "handed_in": array(STRING)})
_WINNING = re.compile(r"Every round would have been won with: ([\w, ]+)\.")
_PLAYED = re.compile(r"round (\d): (\w+) against (\w+)")
_WON = re.compile(r"round (\d): (\w+), (won|not won)")


def _answer(secret: dict[str, Any], signal: str, before: int | None) -> int:
    """The opponent's move: the habit of a colour, moved on by what the player did in the round before."""
    return int(secret["habits"][signal] + secret["echo"] * (before or 0)) % len(MOVES)


def _beats(other: int) -> int:
    """The move that beats another."""
    return (other - 1) % len(MOVES)


def _loses(other: int) -> int:
    """The move that loses to another."""
    return (other + 1) % len(MOVES)


class Match(WorldBase):
    """What both sides did, round by round."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._moved: list[str] = []

    def look(self) -> dict[str, Any]:
        if self.setup["texts"]:
            return {
                "match": self.setup["match"],
                "announced": list(self.setup["texts"]),
                "handed_in": list(self._moved),
            }
        rounds = [
            {"round": number, "colour": colour}
            for number, colour in enumerate(self.setup["colours"], start=1)
        ]
        return {"match": self.setup["match"], "rounds": rounds, "moved": list(self._moved)}

    def do_move(self, move: str) -> None:
        if len(self._moved) == ROUNDS:
            raise Refused("all rounds are played")
        self._moved.append(move)

    def do_hand_in(self, moves: list[str]) -> None:
        if self._moved:
            raise Refused("the moves are handed in already")
        if len(moves) != ROUNDS:
            raise Refused(f"{len(moves)} moves; there are {ROUNDS} rounds")
        self._moved = list(moves)

    def snapshot(self) -> dict[str, Any]:
        mine = [MOVES.index(move) for move in self._moved]
        played = zip(self.setup["colours"], [None, *mine], mine, strict=False)
        return {
            "moved": list(self._moved),
            "answered": [MOVES[_answer(self.setup, colour, before)] for colour, before, _ in played],
        }


class Rival(Steady):
    """Keeps the habits that all examples allow, for each way in which the opponent may follow the player's moves."""

    def __init__(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> None:
        super().__init__(brief)
        self._order = stream.shuffled(range(len(MOVES)))
        self._plan: list[int] = []
        self._habits = [_habits(echo, examples) for echo in range(len(MOVES))]

    def _best(self, colour: str, before: int | None) -> int:
        """The move that wins most often over all that the opponent may be like."""
        wins = dict.fromkeys(self._order, 0.0)
        for echo, habits in enumerate(self._habits):
            weight = prod(len(left) for left in habits.values())
            for habit in habits[colour]:
                answer = _answer({"habits": {colour: habit}, "echo": echo}, colour, before)
                wins[_beats(answer)] += weight / len(habits[colour])
        return max(wins, key=lambda move: wins[move])

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if not self._plan:
            for colour in _colours(observation):
                self._plan.append(self._best(colour, self._plan[-1] if self._plan else None))
        if "announced" in observation:
            moves = [MOVES[move] for move in self._plan]
            return finish() if observation["handed_in"] else Act("hand_in", {"moves": moves})
        done = len(observation["moved"])
        return finish() if done == ROUNDS else Act("move", {"move": MOVES[self._plan[done]]})


def _habits(echo: int, examples: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """The habits that an opponent with this echo may have. An example's round: colour, the player's move before, the
    opponent's move, and whether it was that one or any other."""
    found = {colour: list(range(len(MOVES))) for colour in SIGNALS}
    for colour, before, answer, was in (one for example in examples for one in example["rounds"]):
        habit = (answer - echo * (before or 0)) % len(MOVES)
        found[colour] = [left for left in found[colour] if (left == habit) == was]
    return found


def _colours(observation: dict[str, Any]) -> list[str]:
    """The colours of the rounds, misread perhaps."""
    told = observation.get("announced") or [one["colour"] for one in observation["rounds"]]
    return [among(said, SIGNALS) for said in told]


class Duel(LearningBase, table=TABLE):
    world = Match
    practice = 4

    def secret(self, stream: Stream) -> dict[str, Any]:
        return {
            "habits": {colour: stream.below(len(MOVES)) for colour in SIGNALS},
            "echo": stream.below(len(MOVES)),
        }

    def draw(self, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
        situation = self.story(variant, stream)
        story, shifted = TABLE["situations"][situation], variant == "shifted"
        colours = stream.shuffled(SIGNALS)[:ROUNDS]
        texts = [
            stream.choice(TABLE["texts"]).format(round=number, signal=colour)
            for number, colour in enumerate(colours, start=1)
        ]
        winning: list[int] = []
        for colour in colours:
            winning.append(_beats(_answer(secret, colour, winning[-1] if winning else None)))
        goal = worded(stream, TABLE["goals"][variant], story, rules=TABLE["rules"])
        return self.task(
            LEVEL_OF[variant],
            situation,
            goal=". ".join(part[:1].upper() + part[1:] for part in goal.split(". ")),
            observation=SHIFTED if shifted else OBSERVATION,
            actions=(HAND_IN,) if shifted else (MOVE,),
            criterion=f"at least {WINS} of {ROUNDS} rounds are won",
            expected=[MOVES[move] for move in winning],
            setup={
                "match": stream.integer(1000, 9999),
                "colours": colours,
                "texts": texts if shifted else [],
                **secret,
            },
            needed=1 if shifted else ROUNDS,
            noisy=("announced", "colour"),
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        won = sum(_won(mine, theirs) for mine, theirs in zip(state["moved"], state["answered"], strict=True))
        if won < WINS:
            yield f"{won} of {ROUNDS} rounds are won"

    def feedback(self, task: Task, state: dict[str, Any]) -> str:
        played = [f"round {number}: {mine} against {theirs}" for number, mine, theirs in _both(state)] or [
            "no round was played"
        ]
        winning = ", ".join(task.criterion.expected)
        return f"This was played: {'; '.join(played)}. Every round would have been won with: {winning}."

    def progress(self, task: Task, state: dict[str, Any]) -> str:
        played = [
            f"round {number}: {mine}, {'won' if _won(mine, theirs) else 'not won'}"
            for number, mine, theirs in _both(state)
        ] or ["no round was played"]
        return f"So it went: {'; '.join(played)}."

    def example(self, brief: Brief, seen: Sequence[Seen], feedback: str) -> dict[str, Any]:
        shown = [one.observation for one in seen if one.observation]
        colours = _colours(shown[0]) if shown else []
        winning = _WINNING.search(feedback)
        best = [MOVES.index(move) for move in winning[1].split(", ")] if winning else []
        played = [(MOVES.index(mine), MOVES.index(theirs)) for _, mine, theirs in _PLAYED.findall(feedback)]
        tried = [(MOVES.index(mine), word == "won") for _, mine, word in _WON.findall(feedback)]
        return {
            "rounds": [
                *_rounds(colours, [(move, _loses(move), True) for move in best]),
                *_rounds(colours, [(mine, theirs, True) for mine, theirs in played]),
                *_rounds(colours, [(mine, _loses(mine), won) for mine, won in tried]),
            ]
        }

    def player(self, brief: Brief, examples: Sequence[dict[str, Any]], stream: Stream) -> Policy:
        return Rival(brief, examples, stream)


def _won(mine: str, theirs: str) -> bool:
    return MOVES.index(mine) == _beats(MOVES.index(theirs))


def _both(state: dict[str, Any]) -> list[tuple[int, str, str]]:
    return [
        (number, mine, theirs)
        for number, (mine, theirs) in enumerate(zip(state["moved"], state["answered"], strict=True), start=1)
    ]


def _rounds(colours: Sequence[str], told: Sequence[tuple[int, int, bool]]) -> list[list[Any]]:
    """Rounds as an example keeps them. ``told``: the player's move, one of the opponent, and whether it was that."""
    before = [None, *(mine for mine, _, _ in told)]
    return [
        [colour, last, answer, was]
        for colour, last, (_, answer, was) in zip(colours, before, told, strict=False)
    ]
