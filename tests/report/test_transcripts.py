"""Conversations made ready to be looked at."""

from __future__ import annotations

from assay.report.presentation import Mark, Spoken
from assay.report.transcripts import fold_steps, spoken, transcript_of


def test_a_turn_is_cut_where_nothing_is_marked() -> None:
    text = "I cannot. " + "x" * 5000 + " SECRET " + "y" * 5000
    at = text.index("SECRET")
    turn = spoken("assistant", text, [(0, 9, "limit"), (at, at + 6, "leak")], most=1000)
    assert [part for part in turn.parts if part[1]] == [("I cannot.", "limit"), ("SECRET", "leak")]
    whole = "".join(part for part, _ in turn.parts)
    assert len(whole) < 1100
    assert "(10,018 characters in all)" in whole
    assert whole.startswith("I cannot. x")
    assert "y (10" in whole
    assert spoken("user", "short", [(0, 5, "m")]).parts == (("short", "m"),)
    assert spoken("user", "").parts == ()


def test_steps_that_are_not_shown_are_counted() -> None:
    steps = [[Spoken("user", ((str(i), ""),))] for i in range(9)]

    def shown(**how: int | set[int]) -> list[str]:
        return [turn.parts[0][0] for turn in fold_steps(steps, **how)]  # type: ignore[arg-type]

    assert shown(last=2) == ["7 steps are not shown", "7", "8"]
    assert shown(first=1, last=2, also={5}) == [
        "0",
        "4 steps are not shown",
        "5",
        "1 step is not shown",
        "7",
        "8",
    ]
    assert shown(first=5, last=5) == [str(i) for i in range(9)]


def test_the_legend_has_what_is_expected_and_of_the_rest_what_occurs() -> None:
    limit, leak, apology = Mark("limit", "l"), Mark("leak", "k", wrong=True), Mark("apology", "a", wrong=True)
    made = transcript_of(
        [spoken("assistant", "no, 42", [(4, 6, "leak")])], title="t", expected=[limit], marks=[apology, leak],
        outcome=["failed"], note="n",
    )  # fmt: skip
    assert made.marks == (limit, leak)
    assert (made.title, made.outcome, made.note) == ("t", ("failed",), "n")
