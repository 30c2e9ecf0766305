"""What people are told of repeatability: in words that are true of the numbers, whatever those are."""

from __future__ import annotations

from typing import Any

import pytest

from assay.instruments.repeatability.cells.cell import Canon, Cell, CellKey
from assay.instruments.repeatability.figures.summary import summary_of
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.present import headline_of, present
from assay.instruments.repeatability.scoring import Settings
from assay.report.presentation import Presentation
from tests.instruments.repeatability.making import anchors_of, canon_of, cell_of, contract, score

PLAIN = "def f(x):\n    return x\n"
RENAMED = "def f(y):\n    return y\n"


def shown(*cells: Cell) -> Presentation:
    chosen = Settings(repair=True)
    return present(score(*cells, settings=chosen), cells, anchors_of(cells, chosen))


def said(*cells: Cell, declared: dict[str, Canon] | None = None, **settings: Any) -> str:
    """The summary alone, without drawing anything."""
    chosen = Settings(repair=True, **settings)
    result = score(*cells, settings=chosen, declared=declared)
    pairs = list(zip(cells, anchors_of(cells, chosen, declared), strict=True))
    return "\n".join(summary_of(result, pairs))


def test_requirements_are_not_counted_as_comparisons() -> None:
    swept = (cell_of(PLAIN, RENAMED), cell_of(PLAIN, PLAIN, temperature=1.0))
    text = said(*swept, require={"pass_rate": 0.1})
    assert "Of 6 comparisons 6 are not established." in text
    assert "Of 2 requirements 2 hold." in text
    assert "requirement" not in said(*swept)


def test_a_single_requirement_is_one() -> None:
    text = said(cell_of(PLAIN, PLAIN), require={"pass_rate": 0.1})
    assert "comparison" not in text
    assert "Of 1 requirement 1 holds." in text


@pytest.mark.parametrize(
    ("confidence", "words"), [(0.95, "95%"), (0.975, "97.5%"), (0.999, "99.9%"), (0.29, "29%")]
)
def test_a_confidence_is_told_as_it_was_declared(confidence: float, words: str) -> None:
    settings = Settings(confidence=confidence, require={"pass_rate": 0.5})
    result = score(cell_of(PLAIN, PLAIN), settings=settings)
    assert f"Ranges are {words} intervals." in headline_of(result).caption
    assert result.verdicts[0].rule == f"the whole {words} interval"


def test_a_declared_canon_is_not_called_the_first_answer() -> None:
    canon = canon_of("def f(z):\n    return 0 + z\n", contract(id="c").snapshot, "c")
    assert "differ from the canon, the first answer" in said(cell_of(PLAIN, RENAMED, RENAMED))
    text = said(cell_of(PLAIN, RENAMED), declared={"c": canon})
    assert "2 answers differ from the declared canon;" in text
    assert "first answer" not in text


def test_what_is_compared_as_text_is_not_said_to_be_compared_as_a_program() -> None:
    plain = cell_of(PLAIN, RENAMED)
    other = Cell(CellKey("d", "m", 0.0), plain.outputs, kind=programs_in("javascript"))
    aside = "ayout, comments and docstrings aside"
    assert f"L{aside}, 1 answer differs" in said(plain)
    assert aside not in said(other)
    assert "Compared as text, 1 answer differs" in said(other)
    both = said(plain, other)
    assert f"Compared as text (in Python l{aside}), 2 answers differ" in both
    assert "Of 1 answer that passes and differs from the canon" in both  # the other is not repaired
    alike = Cell(CellKey("d", "m", 0.0), cell_of(PLAIN, PLAIN).outputs, kind=programs_in("javascript"))
    assert "Compared as text, every answer equals its canon, where there is one." in said(alike)


def test_subjects_are_not_pooled() -> None:
    steady, torn = (
        cell_of(*[PLAIN] * 4, subject="a"),
        cell_of(PLAIN, PLAIN, RENAMED, (RENAMED, "wrong"), subject="b"),
    )
    text = said(steady, torn)
    assert "4 of 4 of a (100%) and 3 of 4 of b (75%) pass every test." in text
    assert "Ask a again, and its most common answer comes back 100% (byte for byte)" in text
    assert "Ask b again, and its most common answer comes back 50% (byte for byte)" in text
    assert "75% (byte" not in text
    assert "4 of them pass every test (100%)" in said(steady)
    assert "Ask again, and the most common answer comes back 100%" in said(steady)


def test_the_width_of_an_interval_names_its_rung_and_two_cells_are_another_matter() -> None:
    cells = [cell_of(*[PLAIN] * 15, *[RENAMED] * 15), cell_of(*[PLAIN] * 30, temperature=1.0)]
    text = said(*cells)
    result = score(*cells, settings=Settings())
    raw, form = (
        sum(
            (m.high or 0) - (m.low or 0)
            for m in result.measures
            if m.name == name and m.labels.get("rung") == rung
        )
        / 2
        for name, rung in (("R_raw", None), ("R", "names"))
    )
    assert raw > 2 * form
    assert (
        f"The interval of a single cell is {100 * raw:.0f} (byte for byte) and {100 * form:.0f} (as a program) "
        "percentage points wide, in the median; between two cells of 30, a share of .5 can be told from 0.86 "
        "(power .8)."
    ) in text
    assert "smaller differences" not in text
    assert "two cells" not in said(cells[0])


ODD: dict[str, list[Cell]] = {
    "no outputs": [cell_of()],
    "one output": [cell_of(PLAIN)],
    "one that fails": [cell_of((PLAIN, "wrong"))],
    "empty programs": [cell_of(PLAIN, ("", "wrong"), ("", "wrong"))],
    "a cell without outputs among others": [cell_of(PLAIN, RENAMED), cell_of(temperature=1.0)],
    "no temperature": [cell_of(PLAIN, temperature=None), cell_of(RENAMED, temperature=0.5)],
    "names that are markup": [cell_of(PLAIN, "<script>", subject="<b>$x_1$ \\frac{ é 日 &"), cell_of(PLAIN)],
    "control characters": [cell_of(PLAIN, ("\ud800\x00", "wrong"), subject="\x00\x1b[31m")],
    "all different": [cell_of(*(f"def f(x):\n    return x + {i}\n" for i in range(40)))],
}


DRAWN_OFTEN = ("no outputs", "names that are markup", "control characters")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in DRAWN_OFTEN else pytest.mark.slow) for name in ODD]
)
def test_whatever_came_there_is_something_to_look_at(name: str) -> None:
    found = shown(*ODD[name])
    assert found.summary
    assert len(found.headline.rows) == len(ODD[name])
