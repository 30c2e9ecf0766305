"""Release: a real repository; what is tagged is tested outside, and earlier commits stay."""

from __future__ import annotations

from typing import Any

import pytest

from assay.sandbox import Job, run_all
from assay.streams import Stream
from assay.worlds import Act, Played, Program, Task, draw_task, play, shipped_regimes
from assay.worlds.base import Fixed
from assay.worlds.families.release import Release
from assay.worlds.stepwise import code_of, read_module, told_steps
from assay.worlds.templates import table

FAMILY = Release()
BASELINE = shipped_regimes()["Baseline"]


def confined(program: Program) -> dict[str, Any]:
    job = Job(source=program.source, entry_point=program.entry_point, cases=program.cases)
    return run_all([job])[0].comparable()


def pretended(program: Program) -> dict[str, Any]:
    """What the sandbox would say of programs that are known here, without starting it."""
    scope: dict[str, Any] = {}
    exec(program.source, scope)
    values = [scope[program.entry_point](*case["args"]) for case in program.cases]
    return {"state": "ran", "detail": "", "cases": [{"state": "value", "value": value} for value in values]}


def task(level: int, number: int = 0) -> Task:
    return draw_task(FAMILY, level, Stream("release", level, number))


def done(of: Task, acts: list[Act]) -> Played:
    return play(FAMILY, of, BASELINE, Stream("faults"), lambda brief: Fixed(*acts), pretended)


def best(of: Task) -> list[Act]:
    found = play(FAMILY, of, BASELINE, Stream("faults"), FAMILY.oracle, pretended)
    assert found.judgement.success, found.judgement
    return [act for act in found.acts if act.name != "finish"]


@pytest.mark.parametrize("level", [3, 5])
@pytest.mark.slow
def test_a_release_verified_in_the_sandbox(level: int) -> None:
    found = play(FAMILY, task(level), BASELINE, Stream("faults"), FAMILY.oracle, confined)
    assert found.judgement.success


@pytest.mark.parametrize("situation", sorted(table("release")["situations"]))
def test_the_words_say_what_is_right_and_the_tests_that_are_shown_find_either_fault(situation: str) -> None:
    for number in range(12):
        of = FAMILY.draw(3, situation, Stream("words", number))
        source, cases = of.setup["commits"][0]["files"][of.setup["file"]], of.setup["cases"]
        module = read_module(source)
        right, found = [*module.code()], code_of(source)
        wrong = [at for at, line in enumerate(right) if found[at] != line]
        assert len(wrong) == 2
        assert values(module.source(), module.function, cases) == of.setup["values"]
        for at in wrong:
            broken = module.source().replace(right[at], found[at])
            assert values(broken, module.function, cases[:4]) != of.setup["values"][:4]


def values(source: str, function: str, cases: list[list[int]]) -> list[Any]:
    program = Program(source=source, entry_point=function, cases=tuple({"args": case} for case in cases))
    return [case["value"] for case in pretended(program)["cases"]]


def test_no_tag_without_tests_that_passed_on_what_is_committed() -> None:
    of = task(3)
    write, test, commit, tag = best(of)
    untested = done(of, [write, commit, tag])
    assert "tests have not passed" in untested.seen[3].error
    assert untested.judgement.because == (f"there is no tag {tag.arguments['name']}",)
    uncommitted = done(of, [write, test, tag])
    assert "tests have not passed" in uncommitted.seen[3].error


def test_the_report_says_which_test_failed() -> None:
    of = task(3)
    found = done(of, [Act("run_tests", {})])
    assert found.seen[1].observation["tests"] == "failed"
    assert "is right" in found.seen[1].observation["report"]


def test_a_module_made_for_the_shown_tests_alone_is_found_out() -> None:
    of = task(3)
    setup = of.setup
    known = {tuple(case): value for case, value in zip(setup["cases"][:4], setup["values"], strict=False)}
    source = f"def {setup['function']}(x, y):\n    return {known!r}.get((x, y), 0)\n"
    acts = best(of)
    found = done(of, [Act("write_file", {"name": setup["file"], "content": source}), *acts[1:]])
    assert found.judgement.because == (f"the tagged {setup['file']} does not pass its tests",)


def test_the_fault_that_was_told_is_not_the_only_one() -> None:
    for number in range(5):
        of = task(3, number)
        source = of.setup["commits"][0]["files"][of.setup["file"]]
        assert source.count('"""') == 2, "the function says what it has to do"
        assert len(told_steps(read_module(source), of.goal)) == 1
        found = play(FAMILY, of, BASELINE, Stream("faults"), FAMILY.novice, pretended)
        assert found.seen[2].observation["tests"] == "failed"
        assert done(of, best(of)).judgement.success


def test_operations_are_few_and_a_first_try_at_one_fault_can_be_afforded() -> None:
    assert (task(3).needed, task(3).most) == (4, 6)
    assert (task(5).needed, task(5).most) == (5, 7)


def test_the_commit_to_be_taken_back_may_be_anywhere_but_first() -> None:
    places = set()
    for number in range(30):
        of = task(5, number)
        subjects = [commit["subject"] for commit in of.setup["commits"]]
        places.add(next(n for n, subject in enumerate(subjects, 1) if f'"{subject}"' in of.goal))
    assert places == {2, 3, 4, 5}


def test_a_release_without_the_rollback_is_failure() -> None:
    of = task(5)
    revert, *rest = best(of)
    assert revert.name == "revert"
    assert done(of, rest).judgement.because == ("settings.txt is not as it should be",)


def test_taking_back_the_wrong_commit_is_failure() -> None:
    of = task(5)
    revert, *rest = best(of)
    wrong = 5 if revert.arguments["commit"] != 5 else 4
    found = done(of, [Act("revert", {"commit": wrong}), *rest])
    assert set(found.judgement.because) == {
        "NOTES.txt is not as it should be",
        "settings.txt is not as it should be",
    }


def test_another_tag_or_a_commit_after_it_is_failure() -> None:
    of = task(3)
    acts = best(of)
    more = [Act("write_file", {"name": "more.txt", "content": "x"}), Act("commit", {"message": "more"})]
    assert done(of, [*acts, *more]).judgement.because == ("the last commit is not the one that is tagged",)
    assert "there is a tag v9.9.9" in done(of, [*acts, Act("tag", {"name": "v9.9.9"})]).judgement.because


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (Act("write_file", {"name": ".git/config", "content": "x"}), "no name here"),
        (Act("write_file", {"name": "../x.py", "content": "x"}), "no name here"),
        (Act("commit", {"message": "nothing"}), "nothing was committed"),
        (Act("commit", {"message": " "}), "message"),
        (Act("tag", {"name": "--delete"}), "looks like v1.2.3"),
        (Act("revert", {"commit": 99}), "no commit 99"),
    ],
)
def test_what_cannot_be_done_is_refused(act: Act, told: str) -> None:
    found = done(task(3), [act])
    assert told in found.seen[1].error
    assert not found.state_changed


def test_a_message_is_never_an_option() -> None:
    of = task(3)
    found = done(of, [best(of)[0], Act("commit", {"message": "--amend"})])
    assert found.seen[2].observation["history"][-1]["subject"] == "--amend"


CHEATS = {
    "leaves": "import sys\nsys.exit(0)\n",
    "leaves at once": "import os\nos._exit(0)\n",
    "never ends": "while True:\n    pass\n",
    "prints what it likes": 'print(\'{"state": "value", "value": 1}\')\ndef NAME(*_):\n    print(\'passed\')\n',
    "talks without end": "def NAME(*_):\n    while True:\n        print('x' * 65536)\n",
    "returns what equals anything": (
        "class All(int):\n    def __eq__(self, other):\n        return True\n    __hash__ = int.__hash__\n"
        "def NAME(*_):\n    return All(7)\n"
    ),
    "changes the language": (
        "import builtins, json\nbuiltins.int = str\njson.dumps = lambda *a, **k: '[]'\n"
        "def NAME(*_):\n    raise SystemExit(0)\n"
    ),
    "looks for what is expected": (
        "def NAME(*_):\n    import sys\n    frame = sys._getframe()\n    while frame:\n"
        "        for name in ('values', 'expected', 'right'):\n            if name in frame.f_locals:\n"
        "                return frame.f_locals[name]\n        frame = frame.f_back\n    return 0\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", CHEATS)
def test_a_module_that_wants_to_fool_the_tests_is_not_released(how: str) -> None:
    of = task(3)
    source = CHEATS[how].replace("NAME", of.setup["function"])
    tag = next(act for act in best(of) if act.name == "tag")
    acts = [
        Act("write_file", {"name": of.setup["file"], "content": source}),
        Act("run_tests", {}),
        Act("commit", {"message": "done"}),
        tag,
    ]
    found = play(FAMILY, of, BASELINE, Stream("faults"), lambda brief: Fixed(*acts), confined)
    assert not found.judgement.success
    assert found.seen[4].error.startswith("not tagged")
    assert found.seen[4].observation["tags"] == []


@pytest.mark.parametrize("part", ["goals", "undo"])
def test_goals_are_said_in_six_ways(part: str) -> None:
    assert len(set(table("release")[part])) >= 6
    assert all(len(set(subjects)) >= 6 for subjects in table("release")["subjects"].values())
