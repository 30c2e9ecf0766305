"""Anything at all as an action, valid or not: no world falls, nothing is shown that its schema does not have, and the
same actions come to the same again."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.streams import Stream
from assay.worlds import Act, Episode, Program, all_families, draw_task, shipped_regimes
from assay.worlds.schema import complaint

NAMES = (
    "look",
    "finish",
    "",
    "LOOK",
    "look ",
    "__class__",
    "../look",
    "rm -rf /",
    "näxt",
    "\x00",
    "a" * 10_000,
)
WORDS = (
    "", " ", "\x00", "a\x00b", "../../etc/passwd", "/etc/passwd", "a/../../b.txt", "./a.txt", "a//b.txt", "HEAD",
    ".git/hooks/pre-commit", ".gitattributes", ".gitignore", "v1.0.0", "v1.0.0\n", "--force", "-c core.pager=id",
    "'; DROP TABLE t; --", '"; DELETE FROM a; --', "%s %(a)s {x}", "é", "e\u0301", "\u202e", "\ufeffa", "😀",
    "\u0661", "NaN", "null", "x" * 120_000, "# only a comment", "\u00a0", "\u200b", "con", "a" * 300 + ".txt",
    "$(id)", "`id`", "\\", "C:\\x",
)  # fmt: skip
ODD: st.SearchStrategy[Any] = st.sampled_from(
    (
        None,
        True,
        False,
        0,
        -1,
        1,
        7,
        2**31,
        2**63,
        10**40,
        -0.0,
        1.5,
        1e308,
        math.nan,
        math.inf,
        -math.inf,
        [],
        {},
    )
)
ANY = st.recursive(
    ODD | st.sampled_from(WORDS) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NESTED = "nested without end"  # stands for the following, which cannot be printed
DEEP: dict[str, Any] = {}
for _ in range(3000):
    DEEP = {"a": DEEP}


def texts_in(value: Any) -> list[Any]:
    """Everything single that is observed: most likely to be a valid argument somewhere."""
    if isinstance(value, dict | list):
        return [
            one for item in (value.values() if isinstance(value, dict) else value) for one in texts_in(item)
        ]
    return [value]


def fitting(schema: dict[str, Any], seen: list[Any]) -> st.SearchStrategy[Any]:
    """Mostly what a schema asks for; now and then anything."""
    if "enum" in schema:
        right: st.SearchStrategy[Any] = st.sampled_from(schema["enum"])
    elif schema.get("type") in ("integer", "number"):
        low, high = schema.get("minimum", -100), schema.get("maximum", 100)
        right = st.integers(math.ceil(low), math.floor(high)) | st.sampled_from((low, high, float(low)))
    elif schema.get("type") == "boolean":
        right = st.booleans()
    else:
        known = [value for value in seen if isinstance(value, str)]
        right = st.sampled_from(WORDS) | (st.sampled_from(known) if known else st.nothing())
    return st.integers(0, 9).flatmap(lambda dice: ANY if dice == 0 else right)


def arguments(action: Any, seen: list[Any]) -> st.SearchStrategy[Any]:
    parts = action.parameters["properties"]
    whole = st.fixed_dictionaries({name: fitting(part, seen) for name, part in parts.items()})
    return st.integers(0, 11).flatmap(lambda dice: whole if dice > 1 else (ANY if dice else st.just(NESTED)))


def not_run(program: Program) -> dict[str, Any]:
    return {"state": "timeout", "detail": "", "cases": []}


class Player:
    """An episode under whatever is done to it. What it shows is valid; what was told is kept, to be compared."""

    def __init__(self, name: str, level: int, number: int, regime: str) -> None:
        family = all_families()[name]
        task = draw_task(family, level, Stream("fuzz", name, level, number))
        self.episode = Episode(family, task, shipped_regimes()[regime], Stream("faults", number))
        self.seen = self.episode.begin()
        self.told: list[Any] = []

    def act(self, act: Act) -> None:
        one = self.episode
        self.seen = one.act(act.name, act.arguments)
        while self.seen.program is not None:
            self.seen = one.settle(not_run(self.seen.program))
        if self.seen.observation:
            assert complaint(one.brief.observation, self.seen.observation) == ""
        self.told.append(encode(self.seen))

    def end(self) -> list[bytes]:
        """Everything that was seen, and the verdict on the state, as it would be recorded."""
        one = self.episode
        state = one.snapshot()
        judged = one.judge(state, tuple(not_run(program) for program in one.checks(state)))
        return [*self.told, encode([state, judged.success, list(judged.because), one.counts])]


FEW = {"release": 2}


@pytest.mark.parametrize("name", sorted(all_families()))
def test_no_world_falls_and_a_replay_comes_to_the_same(name: str) -> None:
    family = all_families()[name]

    @settings(
        max_examples=FEW.get(name, 8),
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(
        data=st.data(),
        level=st.sampled_from(sorted(family.levels)),
        number=st.integers(0, 50),
        regime=st.sampled_from(sorted(shipped_regimes())),
    )
    def check(data: st.DataObject, level: int, number: int, regime: str) -> None:
        player = Player(name, level, number, regime)
        acts: list[Act] = []
        try:
            offered = {action.name: action for action in player.episode.brief.actions}
            while not player.episode.done and len(acts) < 8:
                called = data.draw(
                    st.sampled_from([*sorted(set(offered) - {"finish"}) * 4, "finish", *NAMES])
                )
                action = offered.get(called)
                seen = texts_in(player.seen.observation)
                given_ = data.draw(arguments(action, seen) if action else ANY)
                whatever: Any = DEEP if given_ == NESTED else given_
                acts.append(Act(called, whatever))
                player.act(acts[-1])
            told = player.end()
        finally:
            player.episode.close()
        again = Player(name, level, number, regime)
        try:
            for act in acts:
                again.act(act)
            assert again.end() == told
        finally:
            again.episode.close()

    check()
