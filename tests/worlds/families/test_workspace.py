"""Workspace: what the judge tells apart, and that no name leads out of the folder."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Task, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed
from assay.worlds.families.workspace import Workspace

FAMILY = Workspace()


def task(level: int, number: int = 0) -> Task:
    return draw_task(FAMILY, level, Stream("workspace", level, number))


def played(of: Task, *acts: Act, regime: str = "Baseline") -> Any:
    return play(FAMILY, of, shipped_regimes()[regime], Stream("faults"), lambda brief: Fixed(*acts))


def wanted(of: Task) -> tuple[str, str]:
    """The file that a task of level 1 wants, and what it holds."""
    name = next(name for name in of.criterion.expected if name not in of.setup["files"])
    return name, of.criterion.expected[name]


@pytest.mark.parametrize("ending", ["", "\n"])
def test_one_file_with_its_content_is_success_with_or_without_a_final_line_break(ending: str) -> None:
    one = task(1)
    name, content = wanted(one)
    assert played(one, Act("create_file", {"name": name, "content": content + ending})).judgement.success


def test_the_judge_names_every_wrong_file() -> None:
    one = task(1)
    name, content = wanted(one)
    wrong = played(one, Act("create_file", {"name": name, "content": content + " "}))
    assert wrong.judgement.because == (f"{name} has the wrong content",)
    elsewhere = played(one, Act("create_file", {"name": "other.txt", "content": content}))
    assert set(elsewhere.judgement.because) == {f"{name} is missing", "other.txt should not be there"}


@pytest.mark.parametrize(
    "name",
    [
        "../out.txt",
        "/etc/out.txt",
        "a/b/c.txt",
        ".hidden",
        "a/../b.txt",
        "",
        "a\0b",
        "-rf",
        "a//b",
        "a/.b",
        "\ud800",
    ],
)
def test_names_that_are_not_plain_are_refused_and_change_nothing(name: str) -> None:
    one = task(1)
    found = played(one, Act("create_file", {"name": name, "content": "x"}))
    assert "no name here" in found.seen[1].error
    assert not found.state_changed


def test_text_that_cannot_be_written_is_refused() -> None:
    found = played(task(1), Act("create_file", {"name": "a.txt", "content": "\ud800"}))
    assert "UTF-8" in found.seen[1].error


def test_moving_never_overwrites() -> None:
    two = task(2)
    first, second = list(two.setup["files"])[:2]
    found = played(two, Act("move_file", {"name": first, "to": second}))
    assert f"already a file {second}" in found.seen[1].error
    assert not found.state_changed


def test_level_three_cannot_be_done_in_any_order_of_the_list_that_does_not_make_room() -> None:
    """A chain of moves: the one into a taken place is refused until that place is free."""
    three = next(of for n in range(50) if (of := task(3, n)).situation == "choir")
    moves = [name for name in three.setup["files"] if name not in three.criterion.expected]
    chain = [name for name in three.criterion.expected if name in three.setup["files"]]
    into = next(
        name
        for name in chain
        if three.criterion.expected[name] + "\n" in [three.setup["files"][moved] for moved in moves]
    )
    source = next(
        name for name in moves if three.setup["files"][name] == three.criterion.expected[into] + "\n"
    )
    found = played(three, Act("move_file", {"name": source, "to": into}))
    assert found.seen[1].error


def test_the_tool_that_replaces_is_withdrawn_where_tools_are_limited() -> None:
    three = task(3)
    name = next(iter(three.setup["files"]))
    act = Act("replace_file", {"name": name, "content": "x"})
    assert not played(three, act).seen[1].error
    assert played(three, act, regime="Severe-Standard").counts["withdrawn"] == 1


def test_doing_one_thing_too_much_is_failure() -> None:
    two = task(2)
    best = play(FAMILY, two, shipped_regimes()["Baseline"], Stream("faults"), FAMILY.oracle)
    assert best.judgement.success
    kept = next(name for name in two.setup["files"] if two.criterion.expected.get(name) is not None)
    over = played(two, *best.acts[:-1], Act("append_line", {"name": kept, "line": "more"}))
    assert over.judgement.because == (f"{kept} has the wrong content",)
