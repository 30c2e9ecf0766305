"""What the spec says of distances, signatures and normal forms, on whole programs drawn from a grammar."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.kinds import PythonPrograms
from assay.instruments.repeatability.programs.distance import distance
from assay.instruments.repeatability.programs.layout import layout
from assay.instruments.repeatability.programs.normalisation import Forms, normal_forms, signature, text_form

from .grammar import Sketch, programs, renamed, restyled

FORMS = ("text", "layout", "ast", "names")
KEEP = frozenset({"f"})
some = settings(max_examples=40)


@st.composite
def relatives(draw: st.DrawFn) -> tuple[str, str]:
    """Two programs that may be the same, the same under other names or in other formatting, or strangers."""
    one = draw(programs())
    kind = draw(st.sampled_from(["same", "renamed", "restyled", "both", "other", "broken"]))
    if kind == "same":
        return one.source, one.source
    if kind == "other":
        return one.source, draw(programs()).source
    if kind == "broken":
        return one.source, one.source.rstrip() + " (\n"
    other = draw(renamed(one)) if kind in ("renamed", "both") else one
    return one.source, draw(restyled(other)) if kind in ("restyled", "both") else other.source


def forms(source: str) -> Forms:
    return normal_forms(source, KEEP)


@pytest.mark.parametrize("form", FORMS)
@some
@given(relatives())
def test_distance_is_zero_to_itself_symmetric_and_within_bounds(form: str, pair: tuple[str, str]) -> None:
    a, b = (getattr(forms(source), form) for source in pair)
    assert distance(a, a) == distance(b, b) == 0
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1


@pytest.mark.parametrize("form", FORMS)
@some
@given(relatives())
def test_equal_signatures_and_zero_distance_are_the_same_at_every_level(
    form: str, pair: tuple[str, str]
) -> None:
    a, b = (getattr(forms(source), form) for source in pair)
    assert (signature(a) == signature(b)) == (distance(a, b) == 0) == (a == b)


@some
@given(relatives())
def test_normalising_twice_is_normalising_once_at_every_level(pair: tuple[str, str]) -> None:
    for source in pair:
        found = forms(source)
        assert text_form(found.text) == found.text
        assert forms(found.ast).ast == found.ast
        assert forms(found.names).names == found.names


@some
@given(programs())
def test_the_layout_form_of_a_program_is_a_program_of_the_same_tree_and_layout(program: Sketch) -> None:
    found = layout(program.source)
    assert found is not None
    assert layout(found) == found
    assert ast.dump(ast.parse(found)) == ast.dump(ast.parse(program.source))


@some
@given(st.data())
def test_formatting_is_gone_at_layout_and_names_are_gone_at_names(data: st.DataObject) -> None:
    program = data.draw(programs())
    other = data.draw(renamed(program))
    clothed = data.draw(restyled(program))
    assert forms(clothed).layout == forms(program.source).layout
    assert forms(other.source).names == forms(program.source).names
    same = other.source == program.source
    assert (forms(other.source).layout == forms(program.source).layout) == same


@some
@given(relatives())
def test_a_cell_measures_the_distance_of_the_normal_forms(pair: tuple[str, str]) -> None:
    a, b = pair
    cell = Cell(CellKey("c", "m"), [Output(0, a, "pass", 1, 1)], kind=PythonPrograms(KEEP))
    for level in cell.levels:
        wanted = distance(getattr(forms(a), level), getattr(forms(b), level))
        assert cell.distance(a, b, level) == cell.distance(b, a, level) == wanted
