"""What repeatability shows people."""

from __future__ import annotations

import subprocess
import sys

import pytest

from assay.canonical import clean_text
from assay.instruments.repeatability.cells.cell import Anchor
from assay.instruments.repeatability.present import headline_of, present
from assay.report.presentation import Number
from assay.report.text import shorten, visible
from tests.report.test_hostile_text import EVIL, check

from .making import canon_of
from .showing import cell, page_of, presented, scored

ONE = "def add(a, b):\n    return a + b\n"
OTHER = "def add(x, y):\n    total = x + y\n    return total\n"


def test_the_table_has_a_row_a_cell_with_the_numbers_of_the_result() -> None:
    cells = [cell([ONE, ONE, OTHER], [0, 1]), cell([ONE], contract="sub", temperature=0.7)]
    result, shown = presented(cells, repair=True)
    assert shown.headline.columns[:4] == ("contract", "subject", "T", "n")
    assert [row[:4] for row in shown.headline.rows] == [("add", "m", "0", "3"), ("sub", "m", "0.7", "1")]
    told = {
        "pass rate": ("pass_rate", {}), "same bytes": ("R_raw", {}), "same program": ("R", {"rung": "names"}),
        "same behaviour": ("R", {"rung": "behaviour"}), "equal to canon": ("R_anchor_pre", {"level": "ast"}),
        "after repair": ("R_anchor", {"level": "ast"}),
    }  # fmt: skip
    assert shown.headline.columns[4:] == tuple(told)
    for row, contract in zip(shown.headline.rows, ("add", "sub"), strict=True):
        for (name, labels), number in zip(told.values(), row[4:], strict=True):
            (measure,) = [
                m for m in result.measures
                if m.name == name and {"contract": contract, **labels}.items() <= m.labels.items()
            ]  # fmt: skip
            assert isinstance(number, Number)
            assert (number.value, number.low, number.high, number.n) == (
                measure.value, measure.low, measure.high, measure.n,
            )  # fmt: skip


def test_the_names_of_the_definitions_stand_with_the_columns() -> None:
    headline = presented([cell([ONE])], repair=True)[1].headline
    assert headline.names == (
        "", "", "", "", "pass_rate", "R_raw", "R names", "R behaviour", "R_anchor_pre", "R_anchor",
    )  # fmt: skip


def test_the_table_comes_from_the_result_alone() -> None:
    result, shown = presented([cell([ONE, OTHER], [0], top_p=0.5, wording=1), cell([])])
    assert headline_of(result) == shown.headline
    assert [row[2] for row in shown.headline.rows] == ["T 0", "T 0 p 0.5 w 1"]


def test_without_a_canon_there_is_no_value_but_a_reason() -> None:
    _, shown = presented([cell([ONE, OTHER])], repair=True)
    anchored = shown.headline.rows[0][-2:]
    assert all(isinstance(number, Number) and number.value is None for number in anchored)
    assert all(isinstance(number, Number) and "no canon" in number.note for number in anchored)
    assert shown.comparisons == ()
    assert any("there is no canon" in line for line in shown.summary)
    assert [picture.title for picture in shown.pictures] == [
        "In which sense the answers are the same", "How often the same comes back, by temperature",
        "Which programs came",
    ]  # fmt: skip
    assert "no canon" in shown.pictures[1].caption


def test_no_outputs_at_all_are_said_and_not_drawn() -> None:
    _, shown = presented([cell([], planned=5)])
    assert shown.pictures == ()
    assert shown.summary == ("There are no outputs, so nothing is established.",)


def test_the_most_different_outputs_are_compared_one_a_cell_and_three_at_most() -> None:
    cells = [cell([ONE, OTHER, ONE + "#" * 5 * i], [0], contract=f"c{i}") for i in range(6)]
    shown = presented(cells)[1]
    assert [pair.title for pair in shown.comparisons] == [f"c{i}, m, T 0: still different" for i in range(3)]
    assert all((pair.left, pair.right) == (ONE, OTHER) for pair in shown.comparisons)
    assert shown.comparisons[0].left_label == "canon (repetition 0)"
    assert shown.comparisons[0].right_label == "repetition 1 (wrong, 1/3 tests)"


def test_a_canon_from_elsewhere_is_named_as_such() -> None:
    result, cells, _ = scored([cell([OTHER])])
    canon = canon_of(ONE, "0" * 64, "add")
    shown = present(result, cells, [Anchor(canon, None, "declared")])
    assert shown.comparisons[0].left_label == "canon (declared)"


def test_outputs_equal_to_the_canon_are_not_compared() -> None:
    assert presented([cell([ONE, ONE], [0, 1])])[1].comparisons == ()


def test_a_long_output_is_cut_and_it_is_said() -> None:
    shown = presented([cell([ONE, "x = 1\n" * 5000 + "y" * 1000], [0])])[1]
    (pair,) = shown.comparisons
    assert len(pair.right.splitlines()) == 200
    assert "output: the first 200 of 5001 lines are shown" in pair.note


def test_shortening_says_what_it_left_out_and_is_done_once() -> None:
    once = shorten("a" * 500 + "\nb\n" + "c" * 401)
    assert [len(line) for line in once.text.splitlines()] == [400, 1, 400]
    assert once.said == "2 lines are cut at 400 characters"
    assert shorten(once.text) == (once.text, "")
    assert shorten("short\n") == ("short\n", "")


@pytest.mark.slow
def test_the_same_cells_give_the_same_bytes_in_another_process() -> None:
    code = (
        "import hashlib, msgspec\n"
        "from tests.instruments.repeatability.showing import cell, presented\n"
        "cells = [cell(['x=1', 'x = 1', 'y'], [1], subject=m, temperature=t) for m in 'ab' for t in (0.0, 1.0)]\n"
        "shown = presented(cells)[1].drawn()\n"
        "print(hashlib.sha256(msgspec.json.encode(shown)).hexdigest())\n"
    )
    root = __file__.rsplit("/", 4)[0]
    found = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": root}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        found.add(run.stdout)
    assert len(found) == 1


def test_the_users_own_matplotlib_settings_change_nothing_and_are_kept() -> None:
    import matplotlib

    cells = [cell([ONE, OTHER], [0])]
    plain = presented(cells)[1].drawn()
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "lines.linewidth": 9}):
        assert presented(cells)[1].drawn() == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_pictures_take_the_ink_of_the_page_and_carry_no_date_or_comment() -> None:
    for picture in presented([cell([ONE, OTHER], [0])])[1].pictures:
        assert picture.svg.startswith("<svg")
        assert "currentColor" in picture.svg
        for word in ("<!--", "<metadata", "<style", "font-family", "#0b0d0f", "#000000", "#ffffff"):
            assert word not in picture.svg
        assert picture.alt
        assert picture.caption


@pytest.mark.slow
def test_one_temperature_many_models_and_a_hundred_cells_are_drawn() -> None:
    cells = [
        cell([ONE, OTHER], [0], contract=f"c{i}", subject=f"m{j}", temperature=None)
        for i in range(10)
        for j in range(10)
    ]
    shown = presented(cells)[1]
    assert len(shown.pictures) == 4
    assert len(shown.headline.rows) == 100
    assert all(f">m{j}<" in shown.pictures[1].svg for j in range(10))
    assert sum(len(picture.svg) for picture in shown.pictures) < 500_000


def test_a_thousand_different_programs_are_one_pale_block() -> None:
    shown = presented([cell([f"x = {i}" for i in range(1000)], [3])])[1]
    assert "one pale block together" in shown.pictures[-1].caption
    assert ">does not pass, rare<" in shown.pictures[-1].svg
    assert len(shown.pictures[-1].svg) < 20_000


def test_rows_beyond_what_can_be_read_are_left_out_and_counted() -> None:
    shown = presented([cell([ONE], [0], contract=f"c{i:03}") for i in range(130)])[1]
    assert "The first 120 of 130 rows are shown." in shown.pictures[-1].caption
    assert ">c119<" in shown.pictures[-1].svg
    assert ">c120<" not in shown.pictures[-1].svg


@pytest.mark.parametrize("repair", [True, False])
@pytest.mark.parametrize("top_p", [None, 0.5])
def test_every_column_is_explained_and_no_other(repair: bool, top_p: float | None) -> None:
    shown = presented([cell([ONE], top_p=top_p)], repair=repair)[1]
    explained = {term for term, _ in shown.explain}
    assert set(shown.headline.columns) - {"subject"} == explained - {"distance", "interval", "—"}


def test_nothing_heavy_is_imported_before_something_is_drawn() -> None:
    code = (
        "import sys, assay.report.html, assay.report.tables, assay.report.records\n"
        "import assay.instruments.repeatability.present\n"
        "print([m for m in ('matplotlib', 'jinja2', 'rich', 'markupsafe') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.slow
def test_outputs_and_names_are_inert_whatever_they_are() -> None:
    cells = []
    for evil, _ in map(clean_text, EVIL.values()):  # as every reply is before it is recorded
        codes = ["def f(): return 1", f"{evil}\n{evil}", f"# {evil}"]
        cells += [cell(codes, [0], contract=evil, subject=evil), cell(codes, [1], contract=evil, subject="n")]
    check(page_of(cells))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\x00b", "a␀b"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("e\u200dé", "e\u200dé"),
        ("\ud800", "\ufffd"),
    ],
)
def test_what_steers_a_display_is_made_visible(text: str, seen: str) -> None:
    assert visible(text) == seen


def test_the_headline_says_that_the_canon_is_the_first_passing_answer_and_not_the_common_one() -> None:
    """.1 equal to the canon beside .8 the same bytes is no mistake."""
    headline = presented([cell([OTHER, *[ONE] * 8, OTHER + "# x\n"], range(10))])[1].headline
    values = {
        name: number.value
        for name, number in zip(headline.columns, headline.rows[0], strict=True)
        if isinstance(number, Number)
    }
    assert (values["same bytes"], values["equal to canon"]) == (0.8, 0.2)
    assert "The canon is the first answer that passes, not the most common one" in headline.caption
