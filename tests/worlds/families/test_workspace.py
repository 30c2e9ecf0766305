"""Workspace: what the judge tells apart, and that no name leads out of the folder."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Task, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed
from assay.worlds.families.workspace import TABLE, Workspace, _read
from assay.worlds.standing import read_standing

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


def test_at_level_three_files_change_places_and_no_tool_overwrites() -> None:
    """10.7.3: limited retries, limited tool scope. A file has to wait elsewhere, and one action is to spare."""
    for number in range(12):
        three = task(3, number)
        files, wanted = three.setup["files"], three.criterion.expected
        swapped = [
            (one, two)
            for one in files
            for two in files
            if one < two
            and wanted.get(one) == files[two].removesuffix("\n")
            and wanted.get(two) == files[one].removesuffix("\n")
        ]
        assert swapped
        assert three.most == three.needed + 1 <= 10
        assert {action.name for action in three.actions} == {"create_file", "move_file", "delete_file"}
        one, two = swapped[0]
        assert (
            f"already a file {two}" in played(three, Act("move_file", {"name": one, "to": two})).seen[1].error
        )


def test_the_tool_that_replaces_is_withdrawn_where_tools_are_limited() -> None:
    two = task(2)
    name = next(iter(two.setup["files"]))
    act = Act("replace_file", {"name": name, "content": "x"})
    assert not played(two, act).seen[1].error
    assert played(two, act, regime="Severe-Standard").counts["withdrawn"] == 1


FILLED = {"name": "frost.txt", "to": "seasons/seeds.txt", "text": "Bench 3 got 7 litres of water."}


@pytest.mark.parametrize("kind", sorted(TABLE["steps"]))
def test_every_wording_of_a_step_is_read_as_that_step_and_no_other(kind: str) -> None:
    assert len(set(TABLE["steps"][kind])) >= 6
    for wording in TABLE["steps"][kind]:
        step = _read(wording.format(**FILLED))
        assert step.pop("kind") == kind
        assert all(FILLED[gap] == said for gap, said in step.items())


def test_the_budget_does_not_tell_how_much_is_wanted() -> None:
    assert {task(2, number).most for number in range(20)} == {14}
    assert len({task(2, number).needed for number in range(20)}) > 1


def test_what_does_not_count_is_asked_for_in_the_same_words() -> None:
    for level, number in ((level, number) for level in (1, 2, 3) for number in range(8)):
        of = task(level, number)
        said = dict(read_standing(of.goal))
        assert {True, False} == set(said.values())
        assert {_read(subject)["kind"] for subject in said} <= set(TABLE["steps"])


def test_doing_one_thing_too_much_is_failure() -> None:
    two = task(2)
    best = play(FAMILY, two, shipped_regimes()["Baseline"], Stream("faults"), FAMILY.oracle)
    assert best.judgement.success
    kept = next(name for name in two.setup["files"] if two.criterion.expected.get(name) is not None)
    over = played(two, *best.acts[:-1], Act("append_line", {"name": kept, "line": "more"}))
    assert over.judgement.because == (f"{kept} has the wrong content",)
