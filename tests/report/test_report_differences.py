"""Differences between two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.report.differences import beside, diff_rows

texts = st.lists(st.sampled_from(["a", "b", "c = 1", "c = 2", ""]), max_size=30).map("\n".join)


@given(texts, texts)
def test_each_side_can_be_read_back_when_nothing_is_folded(left: str, right: str) -> None:
    rows = diff_rows(left, right)
    if any(row.kind == "gap" for row in rows):
        return
    old = ["".join(t for t, _ in row.parts) for row in rows if row.kind in ("same", "gone")]
    new = ["".join(t for t, _ in row.parts) for row in rows if row.kind in ("same", "new")]
    assert old == left.splitlines()
    assert new == right.splitlines()


def test_line_numbers_count_each_side() -> None:
    rows = diff_rows("a\nb\nc", "a\nx\ny\nc")
    assert [(row.kind, row.left, row.right) for row in rows] == [
        ("same", 1, 1), ("gone", 2, None), ("new", None, 2), ("new", None, 3), ("same", 3, 4),
    ]  # fmt: skip


def test_the_changed_stretch_of_a_line_is_marked() -> None:
    gone, new = diff_rows("return left + right", "return left - right")
    assert [part for part in gone.parts if part[1]] == [("+", True)]
    assert [part for part in new.parts if part[1]] == [("-", True)]


def test_long_stretches_that_are_the_same_are_folded_and_counted() -> None:
    same = "\n".join(f"line {i}" for i in range(20))
    rows = diff_rows(f"{same}\nold", f"{same}\nnew")
    assert rows[0].kind == "gap"
    assert rows[0].parts[0][0] == "17 lines are the same"
    assert [row.left for row in rows if row.kind == "same"] == [18, 19, 20]


def test_equal_and_empty_texts_have_no_changes() -> None:
    assert diff_rows("", "") == []
    assert all(row.kind == "same" for row in diff_rows("a", "a"))


def test_what_was_taken_away_stands_beside_what_was_put_in_its_place() -> None:
    pairs = beside(diff_rows("a\nb\nc\nd", "a\nB\nd\ne"))
    assert [
        tuple(None if row is None else (row.kind, "".join(text for text, _ in row.parts)) for row in pair)
        for pair in pairs
    ] == [
        (("same", "a"), ("same", "a")),
        (("gone", "b"), ("new", "B")),
        (("gone", "c"), None),
        (("same", "d"), ("same", "d")),
        (None, ("new", "e")),
    ]
