"""Figures from measures: what stands in them, in which order, and what is said where there is nothing."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from functools import cache
from html import unescape

import pytest

from assay.report.figures import (
    Reference,
    dose_response,
    forest_plot,
    matrix,
    panels,
    radar,
    trajectories,
)
from assay.report.presentation import Picture
from assay.vocabulary import Flag, Measure

PROVISIONAL = (Flag("Provisional", "few"),)


def measure(
    value: float | None, why: str = "", flags: tuple[Flag, ...] = (), **labels: str | float
) -> Measure:
    return Measure(
        name="m",
        value=value,
        low=None if value is None else value - 0.1,
        high=None if value is None else value + 0.1,
        confidence=0.975,
        n=20,
        labels=labels,
        flags=flags,
        notes=(why,) if why else (),
    )


def texts(picture: Picture | None) -> list[str]:
    """Every text of a drawing, in its order."""
    assert picture is not None
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture.svg)]


def in_order(found: list[str], *wanted: str) -> bool:
    places = [found.index(text) for text in wanted]
    return places == sorted(places)


SHIFTS = [
    measure(0.42, bias="anchoring", group="number", subject="a"),
    measure(-0.25, bias="framing", group="choice", subject="a", flags=PROVISIONAL),
    measure(None, why="every answer was unreadable", bias="default", group="choice", subject="a"),
    measure(0.3, bias="rounding", group="number", subject="a"),
]
BOUNDED = Measure(
    name="m", value=0.5, n=9, bound_low=0.2, bound_high=0.8, labels={"bias": "x", "group": "number"}
)


@cache
def shifts() -> Picture | None:
    return forest_plot(
        [*SHIFTS, BOUNDED],
        title="Shifts",
        caption="By bias.",
        rows="bias",
        groups="group",
        axis="signed shift",
        references=[Reference("people", lambda m: 0.6), Reference("small", -0.1, 0.1)],
    )


def test_a_forest_plot_has_a_row_a_measure_below_its_group_with_its_numbers() -> None:
    found = texts(shifts())
    assert in_order(found, "number", "choice")
    assert in_order(found, "anchoring", "rounding", "x", "framing", "default")
    assert in_order(found, "0.42 (0.32–0.52), n = 20", "-0.25 (-0.35 to -0.15), n = 20  Provisional")
    assert "0.50, n = 9" in found
    assert {"people", "small", "signed shift"} <= set(found)


def test_what_has_no_value_says_why_and_is_not_zero() -> None:
    found = texts(shifts())
    assert "no data: every answer was unreadable" in found
    assert not [text for text in found if text.startswith("0.00")]
    assert (
        "choice, default: no data: every answer was unreadable" in (shifts() or Picture("", "", "", "")).alt
    )


def test_the_caption_tells_what_bars_and_hollow_marks_are_and_the_alt_has_the_numbers() -> None:
    picture = shifts()
    assert picture is not None
    assert picture.title == "Shifts"
    for said in (
        "By bias.",
        "97.5% interval",
        "unknown outcomes",
        "hollow mark carries a flag (Provisional)",
    ):
        assert said in picture.caption
    assert "choice, default: no data: every answer was unreadable" in picture.alt
    assert "number, anchoring: 0.42 (0.32–0.52), n = 20" in picture.alt
    unflagged = forest_plot([SHIFTS[0]], title="t", caption="c", rows="bias")
    assert unflagged is not None
    assert "flag" not in unflagged.caption
    assert "unknown" not in unflagged.caption


def test_several_series_share_a_row_and_are_named_once() -> None:
    both = [
        measure(None if who == "b" and task == "own" else 0.5, "not asked", subject=who, task=task)
        for task in ("own", "gold")
        for who in "ab"
    ]
    references = [Reference("chance", 0.25)]
    found = texts(
        forest_plot(both, title="t", caption="c", rows="task", series="subject", references=references)
    )
    assert [found.count(text) for text in ("own", "gold", "a", "b", "chance")] == [1] * 5
    assert "b: no data: not asked" in found
    assert not [text for text in found if "n = 20" in text]  # no room for numbers


DOSES = [
    measure(
        None if (who, dose) == ("b", "strong") else 0.1 * step,
        "the endpoint was down",
        subject=who,
        dose=dose,
    )
    for who in "ab"
    for step, dose in enumerate(("weak", "strong", "adversarial"))
]


def test_doses_keep_their_order_and_a_gap_is_named() -> None:
    picture = dose_response(DOSES, title="t", caption="c", x="dose", axis="shift", x_axis="intensity")
    found = texts(picture)
    assert in_order(found, "weak", "strong", "adversarial", "intensity")
    assert {"a", "b", "shift", "no data"} <= set(found)
    assert picture is not None
    assert "b at strong (no data: the endpoint was down)" in picture.caption
    assert "b, strong: no data: the endpoint was down" in picture.alt
    assert "a, adversarial: 0.20 (0.10–0.30), n = 20" in picture.alt


def test_steps_that_one_line_lacks_keep_the_order_of_the_measures() -> None:
    some = [
        measure(0.5, subject=who, dose=dose)
        for dose, whose in (("x", "ab"), ("y", "b"), ("z", "ab"))
        for who in whose
    ]
    assert in_order(texts(dose_response(some, title="t", caption="c", x="dose")), "x", "y", "z")


def test_no_line_is_drawn_across_what_was_not_measured() -> None:
    whole = [
        measure(value, subject="b", dose=dose)
        for dose, value in (("weak", 0.5), ("mild", 0.2), ("strong", 0.6))
    ]
    gap = [whole[0], measure(None, "the endpoint was down", subject="b", dose="mild"), whole[2]]
    drawn = [dose_response(some, title="t", caption="c", x="dose") for some in (whole, gap)]
    line = re.compile(r'<path d="M [^"]*L[^"]*"[^>]*stroke-width: 1\.4')
    assert [len(line.findall(one.svg)) for one in drawn if one is not None] == [1, 0]


def test_panels_average_what_stands_at_one_place_and_say_so() -> None:
    many = [
        measure(value, subject=who, rung=rung, contract=contract)
        for who in ("m2", "m1")
        for rung in ("bytes", "text")
        for contract, value in (("c", 0.2), ("d", 0.6))
    ]
    picture = panels(
        many,
        title="t",
        caption="c",
        panel="subject",
        x="rung",
        line=lambda m: "T 0",
        axis="R",
        over="contracts",
    )
    found = texts(picture)
    assert in_order(found, "m2", "m1")
    assert found.count("T 0") == 1
    assert picture is not None
    assert "means over contracts" in picture.caption
    assert "m2, T 0, bytes: 0.20 (0.10–0.30), n = 20" in picture.alt


def test_panels_with_lines_of_their_own_have_legends_of_their_own() -> None:
    many = [measure(0.5, panel=p, family=f"{p}{i}", x=0.0) for p in "pq" for i in range(8)]
    found = texts(panels(many, title="t", caption="c", panel="panel", line="family", x="x"))
    assert all(found.count(f"{p}{i}") == 1 for p in "pq" for i in range(8))


def test_trajectories_sort_numbers_and_draw_bands() -> None:
    steps = [measure(0.5, subject="a", turn=float(turn)) for turn in (10, 9, 1)]
    picture = trajectories(steps, title="t", caption="c", x="turn", x_axis="turn")
    assert in_order(texts(picture), "1", "9", "10")
    assert picture is not None
    assert "The band around a line is its 97.5% interval." in picture.caption


def test_a_matrix_has_its_numbers_hatches_what_has_none_and_leaves_out_what_was_not_measured() -> None:
    cells = [
        measure(0.7, flags=PROVISIONAL, author="x", guess="x"),
        measure(-0.001, author="x", guess="y"),
        measure(None, "all its runs failed", author="y", guess="x"),
    ]
    picture = matrix(
        cells, title="t", caption="c", rows="author", columns="guess", row_axis="by", column_axis="taken for"
    )
    found = texts(picture)
    assert [text for text in found if re.fullmatch(r"-?\d\.\d\d\*?", text)] == ["0.70*", "0.00"]
    assert {"by", "taken for"} <= set(found)
    assert picture is not None
    for said in ("orange below", "star", "Provisional", "Hatched: no data: all its runs failed", "Empty"):
        assert said in picture.caption
    assert "y, x: no data: all its runs failed" in picture.alt
    plain = matrix([cells[0]], title="t", caption="c", rows="author", columns="guess")
    assert plain is not None
    assert not [said for said in ("orange", "Hatched", "Empty") if said in plain.caption]


def test_stages_are_named_above_and_in_the_words() -> None:
    steps = [
        measure(0.5, subject="a", turn=float(turn), phase=phase)
        for turn, phase in ((3, "after"), (1, "before"), (2, "before"))
    ]
    picture = trajectories(steps, title="t", caption="c", x="turn", stage="phase")
    assert in_order(texts(picture), "before", "after")
    assert picture is not None
    assert "before from 1. after from 3. " in picture.alt


def test_a_legend_of_long_names_has_fewer_columns() -> None:
    def columns(long: int) -> int:
        drawn = panels(
            [measure(0.5, subject=name * long, x=0.0) for name in "abcd"], title="t", caption="c", x="x"
        )
        assert drawn is not None
        return len(set(re.findall(r'<text[^>]* x="([^"]*)"[^>]*>[abcd]+</text>', drawn.svg)))

    assert (columns(2), columns(34)) == (4, 3)


def spokes(**values: float | None) -> list[Measure]:
    return [
        measure(value, "all its runs failed", subject=who, dimension=dimension)
        for who, value in values.items()
        for dimension in ("A", "B", "C", "D")
    ]


def test_a_radar_has_a_spoke_a_dimension_each_with_its_scale() -> None:
    values = [*spokes(x=1.0), measure(4.0, subject="y", dimension="A"), *spokes(y=2.0)]
    picture = radar(
        values, title="t", caption="c", spokes="dimension", spreads=spokes(x=0.5, y=0.5), spread="a deviation"
    )
    found = texts(picture)
    assert in_order(found, "A", "B", "C", "D")
    assert {"x", "y", "0 to 4.5", "0 to 2.5"} <= set(found)
    assert picture is not None
    assert "The band is a deviation." in picture.caption
    assert "A 0 to 4.5, B 0 to 2.5" in picture.caption
    assert "y, A: 4.00" in picture.alt
    assert "x, B, spread: 0.50" in picture.alt
    assert "currentColor" in picture.svg


def test_many_lines_have_a_circle_each_and_those_left_out_are_counted() -> None:
    picture = radar(spokes(**{f"s{i}": 1.0 for i in range(10)}), title="t", caption="c", spokes="dimension")
    found = texts(picture)
    assert {"s0", "s7"} == {"s0", "s7", "s8"} & set(found)
    assert found.count("A") == 8
    assert picture is not None
    assert "The first 8 of 10 lines are shown." in picture.caption
    assert "band" not in picture.caption


def test_a_radar_has_gaps_and_never_a_zero_for_what_has_no_value() -> None:
    gap = [measure(None, "all its runs failed", subject="x", dimension="A"), *spokes(x=1.0)]
    picture, whole, empty = (
        radar(some, title="t", caption="c", spokes="dimension", spreads=spokes(x=0.5))
        for some in (gap, spokes(x=1.0), spokes(x=None))
    )
    assert picture is not None
    assert whole is not None
    assert empty is not None
    assert "x, A (no data: all its runs failed)" in picture.caption
    band = re.compile(r"; opacity: 0\.2\b")
    assert [len(band.findall(one.svg)) for one in (whole, picture, empty)] == [4, 2, 0]
    assert radar(spokes(x=1.0)[:2], title="t", caption="c", spokes="dimension") is None
    below = radar(spokes(x=-1.0), title="t", caption="c", spokes="dimension")
    assert below is not None
    assert "A -1 to 0" in below.caption


def test_nothing_measured_is_no_figure() -> None:
    assert forest_plot([], title="t", caption="c", rows="x") is None
    assert panels([], title="t", caption="c", x="x") is None
    assert matrix([], title="t", caption="c", rows="x", columns="y") is None
    assert radar([], title="t", caption="c", spokes="x") is None


def test_too_much_is_cut_and_it_is_said() -> None:
    rows = [measure(0.5, subject=f"s{i:03}", item=f"i{i % 25}") for i in range(100)]
    forest = forest_plot(rows, title="t", caption="c", rows="subject")
    grid = matrix(rows, title="t", caption="c", rows="subject", columns="item")
    lines = dose_response(rows, title="t", caption="c", x="item")
    assert forest is not None
    assert grid is not None
    assert lines is not None
    assert "The first 80 of 100 rows are shown." in forest.caption
    assert {"s079"} == {"s079", "s080"} & set(texts(forest))
    assert "and 20 more, which are among the measures" in forest.alt
    assert "first 80 of 100 rows" in grid.caption
    assert "first 20 of 25 columns" in grid.caption
    assert "first 14 of 100 lines" in lines.caption
    assert max(len(one.svg) for one in (forest, grid, lines)) < 100_000


def everything() -> str:
    """One digest of a figure of every kind."""
    kinds = (
        shifts.__wrapped__(),
        trajectories(DOSES, title="t", caption="c", x="dose"),
        panels(DOSES, title="t", caption="c", x="dose", panel="subject"),
        matrix(DOSES, title="t", caption="c", rows="dose", columns="subject"),
        radar(DOSES, title="t", caption="c", spokes="dose", spreads=DOSES),
    )
    drawn = [(kind.title, kind.svg, kind.caption, kind.alt) for kind in kinds if kind]
    assert len(drawn) == len(kinds)
    return hashlib.sha256(repr(drawn).encode()).hexdigest()


def test_figures_take_the_ink_of_the_page_and_carry_no_date_or_comment() -> None:
    picture = shifts()
    assert picture is not None
    assert picture.svg.startswith("<svg")
    assert "currentColor" in picture.svg
    assert "var(--paper" in picture.svg  # the inside of a hollow mark
    for word in ("<!--", "<metadata", "<style", "font-family", "#0b0d0f", "#fdfefb", "#000000", "#ffffff"):
        assert word not in picture.svg


@pytest.mark.slow
def test_figures_are_the_same_bytes_in_another_process_whatever_the_users_settings_are() -> None:
    import matplotlib

    code = "from tests.report.test_figures import everything; print(everything())"
    root = __file__.rsplit("/", 3)[0]
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": root},
        capture_output=True,
        text=True,
        check=True,
    )
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "lines.linewidth": 9}):
        assert everything() == run.stdout.strip()
        assert matplotlib.rcParams["font.size"] == 30


def test_a_label_that_is_missing_is_an_error_and_no_row() -> None:
    with pytest.raises(KeyError):
        forest_plot([measure(0.5, subject="a")], title="t", caption="c", rows="bias")
