"""Records: only what is committed counts, and a failed transaction holds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Act, Episode, Task, draw_task, play, shipped_regimes
from assay.worlds.families.records import TABLE, Records, _asked
from assay.worlds.standing import standing

FAMILY = Records()
BASELINE = shipped_regimes()["Baseline"]


def task(level: int, number: int = 0) -> Task:
    return draw_task(FAMILY, level, Stream("records", level, number))


def best(of: Task) -> list[Act]:
    found = play(FAMILY, of, BASELINE, Stream("faults"), FAMILY.oracle)
    assert found.judgement.success
    return [act for act in found.acts if act.name != "finish"]


class Desk:
    """An episode with the tables as they are seen."""

    def __init__(self, of: Task) -> None:
        self.episode = Episode(FAMILY, of, BASELINE, Stream("faults"))
        self.items, self.entries = of.setup["tables"]
        self.seen = self.episode.begin()

    def do(self, act: Act) -> str:
        self.seen = self.episode.act(act.name, act.arguments)
        return self.seen.error

    def judged(self) -> Any:
        return self.episode.judge(self.episode.snapshot())


@pytest.fixture
def desk() -> Iterator[type[Desk]]:
    opened: list[Desk] = []

    class Kept(Desk):
        def __init__(self, of: Task) -> None:
            super().__init__(of)
            opened.append(self)

    yield Kept
    for each in opened:
        each.episode.close()


def test_one_insert_commits_by_itself(desk: type[Desk]) -> None:
    at = desk(task(1))
    assert not at.do(best(at.episode.task)[0])
    assert at.judged().success


def test_without_commit_the_second_connection_sees_nothing(desk: type[Desk]) -> None:
    at = desk(task(2))
    before = at.episode.snapshot()
    *acts, commit = best(at.episode.task)
    for act in acts:
        assert not at.do(act)
    assert at.seen.observation["transaction"] == "open"
    assert at.episode.snapshot() == before
    assert not at.judged().success
    assert not at.do(commit)
    assert at.judged().success


def test_changes_need_a_transaction_where_there_are_transactions(desk: type[Desk]) -> None:
    at = desk(task(2))
    insert = next(act for act in best(at.episode.task) if act.name == "add_entry")
    assert "begin one first" in at.do(insert)
    assert "no transaction is open" in at.do(Act("commit", {}))


def test_committing_what_someone_left_open_is_failure(desk: type[Desk]) -> None:
    at = desk(task(3))
    assert at.seen.observation["transaction"] == "open"
    assert not at.do(Act("commit", {}))
    for act in best(at.episode.task)[1:]:
        at.do(act)
    assert any("should not be there" in told for told in at.judged().because)


def test_an_entry_before_its_item_fails_the_transaction_and_only_rollback_helps(desk: type[Desk]) -> None:
    at = desk(task(3))
    rollback, begin, add_item, *rest = best(at.episode.task)
    assert [rollback.name, begin.name, add_item.name] == ["rollback", "begin", "add_item"]
    at.do(rollback)
    at.do(begin)
    early = next(act for act in rest if act.arguments.get("code") == add_item.arguments["code"])
    assert "no item has this code" in at.do(early)
    assert at.seen.observation["transaction"] == "failed"
    assert "only be rolled back" in at.do(add_item)
    assert "only be rolled back" in at.do(Act("commit", {}))
    at.do(rollback)
    assert at.seen.observation["transaction"] == "none"


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (Act("add_entry", {"number": 5, "code": "no such", "count": 3}), "no item has this code"),
        (
            Act("add_entry", {"number": 5, "code": "'); DROP TABLE x; --", "count": 3}),
            "no item has this code",
        ),
        (Act("set_count", {"code": "no such", "count": 3}), "no item has this code"),
        (Act("add_entry", {"number": 5, "code": "\ud800", "count": 3}), "UTF-8"),
    ],
)
def test_what_the_tables_cannot_hold_is_refused(desk: type[Desk], act: Act, told: str) -> None:
    at = desk(task(2))
    at.do(Act("begin", {}))
    before = at.episode.snapshot()
    assert told in at.do(act)
    assert at.episode.snapshot() == before


def test_counts_never_go_below_zero_and_numbers_are_never_used_twice(desk: type[Desk]) -> None:
    at = desk(task(2))
    item, entry = at.seen.observation[at.items][0], at.seen.observation[at.entries][0]
    at.do(Act("begin", {}))
    assert "negative" in at.do(Act("set_count", {"code": item["code"], "count": -1}))
    at.do(Act("rollback", {}))
    at.do(Act("begin", {}))
    assert "exists already" in at.do(Act("add_entry", {**entry, "count": 1}))


def test_the_judge_names_a_count_that_was_not_lowered(desk: type[Desk]) -> None:
    at = desk(task(2))
    for act in best(at.episode.task):
        if act.name != "set_count":
            at.do(act)
    because = at.judged().because
    assert because
    assert all(told.startswith("items:") for told in because)


def test_what_does_not_count_is_not_booked_whatever_is_said_of_it() -> None:
    story = TABLE["situations"]["seeds"]
    for part in ("orders", "notes", "many", "new", "open"):
        assert len(set(TABLE[part])) >= 6
    for number, wording in enumerate(TABLE["orders"] * 12):
        stream = Stream("said", number)
        lines = [
            standing(stream, wording.format(**story, number=at, count=12, name="sugar pea"), holds=at == 9999)
            for at in (4711, 9999)
        ]
        for goal in (
            f"These: {lines[0]} {lines[1]} Enter it.",
            f"These:\n- {lines[1]}\n- {lines[0]}\nBook it.",
        ):
            asked, new = _asked(f"{story['who']} {goal}")
            assert asked == [{"number": 9999, "count": 12, "name": "sugar pea"}]
            assert new is None


def test_at_level_three_ten_operations_leave_room_for_one_retry() -> None:
    for number in range(10):
        of = task(3, number)
        assert (of.needed, of.most) == (9, 10)
        assert len(best(of)) == 9


def test_the_budget_does_not_tell_how_much_is_due() -> None:
    assert {task(2, number).most for number in range(20)} == {16}
    assert len({task(2, number).needed for number in range(20)}) > 1
