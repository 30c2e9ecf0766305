"""What people are told of repair: in words, beside the canon, and in the pictures."""

from __future__ import annotations

import msgspec
import pytest

from assay.instruments.repeatability.present import present
from assay.instruments.repeatability.programs.repair import STEPS, Repair, Tried
from assay.report.html import ReportPage, render_report
from assay.report.presentation import Taken
from assay.vocabulary import Measure, Reading, Verdict, VerdictKind
from tests.instruments.repeatability.showing import cell, presented, scored
from tests.report.samples import Page

CANON = "def add(a, b):\n    return a + b\n"
RENAMED = "def add(x, y):\n    return x + y\n"
LONGER = "def add(a, b):\n    total = b + a\n    # said again\n    return total\n"
NEARER = "def add(a, b):\n    total = b + a\n    return total\n"
WRONG = "def add(a, b):\n    return a\n"


def sample() -> tuple[list[str], dict[str, tuple[str, list[str]]]]:
    return [CANON, RENAMED, RENAMED, LONGER, WRONG], {
        RENAMED: (CANON, ["names"]),
        LONGER: (NEARER, ["comments", "formatting", "comments"]),
    }


def test_the_words_say_what_part_is_in_the_writing_only() -> None:
    codes, repairs = sample()
    repairs[LONGER] = ("def add(a, b):\n    c = b + a\n    return c\n", ["names"])
    commented = CANON + "# that is all\n"
    summary = presented([cell([*codes, commented], [0, 1, 2, 3, 5], repairs=repairs)], repair=True)[1].summary
    assert any("4 answers differ from the canon" in line for line in summary)
    assert (
        "Of 4 answers that pass and differ from the canon in any way, 1 differs in layout, comments or docstrings only"
        ", and 2 became equal to it after repair: 3 of 4 differ in the writing only, and can be brought to the canon "
        "safely. 1 stayed different, 1 of them brought nearer."
    ) in summary
    assert any(line.startswith("1 answer that differs does not pass") for line in summary)


def test_the_words_say_how_often_in_three_senses() -> None:
    codes, _ = sample()
    summary = presented([cell(codes, [0, 1, 2, 3])])[1].summary
    assert summary[1] == (
        "Ask again, and the most common answer comes back 40% (byte for byte), 60% (as a program: layout, comments "
        "and names of variables aside) and 60% (by its results) of the time."
    )
    assert any("in the writing only is not known" in line for line in summary)  # repair is off


def test_what_repair_closed_stands_first_with_its_steps() -> None:
    codes, repairs = sample()
    closed, far = presented([cell(codes, [0, 1, 2, 3], repairs=repairs)], repair=True)[1].comparisons
    assert closed.title == "add, m, T 0: closed by repair"
    assert (closed.left, closed.right, closed.rest) == (CANON, RENAMED, None)
    assert [step.name for step in closed.steps] == ["names"]
    assert closed.outcome.endswith("→ 0.000 (level ast); after every step all tests passed.")
    assert far.title == "add, m, T 0: still different"
    assert (far.right, far.rest) == (LONGER, NEARER)
    assert [(step.name, step.times) for step in far.steps] == [("comments", 2), ("formatting", 1)]


def test_a_step_is_told_in_its_own_words_and_one_unknown_by_its_name() -> None:
    codes, _ = sample()
    known = {step.name: step.about for step in STEPS}
    steps = [*known, "of another version"]
    shown = presented([cell(codes, [0, 1], repairs={RENAMED: (CANON, steps)})], repair=True)[1]
    assert shown.comparisons[0].steps == tuple(Taken(name, known.get(name, "")) for name in steps)


def test_what_does_not_pass_or_cannot_be_brought_nearer_is_said() -> None:
    made = cell([CANON, WRONG], [0])
    assert presented([made], repair=True)[1].comparisons[0].outcome == (
        "It does not pass every test, so it is not repaired."
    )
    made = cell([CANON, LONGER], [0, 1])
    made.repairs[LONGER] = Repair(LONGER, (Tried("formatting", "0" * 64, False),), 9)
    outcome = presented([made], repair=True)[1].comparisons[0].outcome
    assert outcome == (
        "No step of repair brings it nearer: the difference is in more than the writing. 1 more step was undone: the "
        "tests no longer passed."
    )


def test_the_page_shows_the_steps_and_what_is_left() -> None:
    codes, repairs = sample()
    result, shown = presented([cell(codes, [0, 1, 2, 3], repairs=repairs)], repair=True)
    html = render_report(ReportPage(title="t", run="r", readings=[(Reading(result=result), shown)]))
    text = Page(html).text
    assert text.count("Steps of repair, in order:") == 2
    assert "+ repetition 3 (pass, 3/3 tests), after repair" in text
    assert "(2 times)" in text


def test_the_share_equal_to_the_canon_is_drawn_before_and_after() -> None:
    codes, repairs = sample()
    made = cell(codes, [0, 1, 2, 3], repairs=repairs)
    before = [p for p in presented([made])[1].pictures if p.title.startswith("How far")]
    after = [p for p in presented([made], repair=True)[1].pictures if p.title.startswith("How far")]
    assert "→" not in before[0].svg
    assert "0.20 → 0.60" in after[0].svg


def test_the_map_marks_what_became_equal_to_the_canon() -> None:
    codes, repairs = sample()
    shown = presented([cell(codes, [0, 1, 2, 3], repairs=repairs)], repair=True)[1]
    (drawn,) = [p for p in shown.pictures if p.title == "A map of the distinct programs"]
    for words in ("equal to the canon after repair", "does not pass", "passes every test", "canon"):
        assert f">{words}<" in drawn.svg
    assert "4 programs in 5; distances off by " in drawn.svg


def test_another_language_is_compared_as_text() -> None:
    made = cell(["let a = 1", "let b = 1", "let a = 1"], [0, 1], language="javascript")
    result, shown = presented([made], repair=True)
    assert "not in Python" in shown.headline.caption
    assert shown.headline.rows[0][6] == shown.headline.rows[0][5]  # same program: same text
    assert "only bytes, text and behaviour are compared" in shown.pictures[0].caption
    assert all(m.labels.get("level") != "ast" for m in result.measures)


def test_whatever_was_varied_has_its_own_picture() -> None:
    cells = [
        cell([CANON, RENAMED], [0], temperature=0.5, top_p=p, wording=w) for p in (0.5, 1.0) for w in (0, 1)
    ]
    titles = [picture.title for picture in presented(cells)[1].pictures]
    assert [title for title in titles if title.startswith("How often")] == [
        "How often the same comes back, by top_p", "How often the same comes back, by wording",
    ]  # fmt: skip


@pytest.mark.slow
def test_hundreds_of_cells_are_drawn_and_what_is_left_out_is_said() -> None:
    cells = [
        cell([CANON, RENAMED, WRONG], [0], contract=f"c{i}", subject=f"m{j:02}", temperature=t)
        for i in range(3) for j in range(20) for t in (0.0, 0.5, 1.0)
    ]  # fmt: skip
    pictures = presented(cells)[1].pictures
    captions = " ".join(picture.caption for picture in pictures)
    for said in (
        "first 9 of 20 panels",
        "first 14 of 20 lines",
        "first 12 of 20 subjects",
        "those with the most",
    ):
        assert said in captions
    assert sum(len(picture.svg) for picture in pictures) < 1_500_000


def verdict(claim: str, holds: bool | None, because: str, kind: VerdictKind = "comparison") -> Verdict:
    return Verdict(name="difference", kind=kind, claim=claim, rule="r", holds=holds, because=because)


def differences() -> tuple[list[Measure], list[Verdict]]:
    labels: list[dict[str, str | float]] = [{"axis": "temperature", "to": to} for to in (0.5, 1.0)]
    measures = [
        Measure(name="difference", value=v, low=v - 0.1, high=v + 0.1, n=6, labels=dict(one))
        for v, one in zip((0.01, 0.5), labels, strict=True)
    ]
    verdicts = [verdict("a", None, "too few"), verdict("b", True, "p = .01")]
    return measures, [
        msgspec.structs.replace(v, labels=dict(one)) for v, one in zip(verdicts, labels, strict=True)
    ]


def test_comparisons_are_a_table_with_what_holds_first_and_requirements_are_none() -> None:
    result, cells, anchors = scored([cell([CANON])])
    measures, verdicts = differences()
    required = verdict("a requirement", False, "because", "requirement")
    every = (*verdicts, required)
    result = msgspec.structs.replace(result, measures=(*result.measures, *measures), verdicts=every)
    shown = present(result, cells, anchors)
    (table,) = shown.tables
    assert [(row[0], row[1], getattr(row[2], "value", None)) for row in table.rows] == [
        ("b", "holds", 0.5), ("a", "not established", 0.01),
    ]  # fmt: skip
    assert any("Of 2 comparisons 1 holds and 1 is not established." in line for line in shown.summary)


def test_without_differences_there_is_no_table_of_them() -> None:
    assert presented([cell([CANON])])[1].tables == ()
