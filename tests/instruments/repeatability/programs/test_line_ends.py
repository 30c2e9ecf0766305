"""Blanks at the ends of lines: no difference in a program, a difference in a literal."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.ladder import RUNGS, climb
from assay.instruments.repeatability.programs.normalisation import normal_forms, text_form
from tests.instruments.repeatability.making import anchors_of, cell_of, measure, score

PLAIN = 'def f():\n    return """a\nb"""\n'
BLANK = 'def f():\n    return """a  \nb"""\n'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PLAIN, BLANK),
        ("x = '''\n'''\n", "x = '''\t\n'''\n"),
        ("x = rb'''a\n'''\n", "x = rb'''a \n'''\n"),
        ('x = f"""{a}\n"""\n', 'x = f"""{a}  \n"""\n'),
        ("x = 1 + \\\n  2\n", "x = 1 + \\ \n  2\n"),  # the second does not parse
        ("x = 1\n", "x = 1\u3000\n"),  # nor does this
        ('def f():\n    """A\n    docstring."""\n', 'def f():\n    """A  \n    docstring."""\n'),
    ],
)
def test_programs_that_differ_within_a_literal_are_not_joined_as_texts(one: str, other: str) -> None:
    assert text_form(one) != text_form(other)


def test_blanks_in_a_literal_part_programs_at_every_rung() -> None:
    """One of them passes and the other does not: they are not the same program, and do not behave the same."""
    found = climb([PLAIN, BLANK, PLAIN], ["one", "other", "one"], normal_forms)
    assert found == {rung: [0, 1, 0] for rung in RUNGS}
    result = score(cell_of(PLAIN, (BLANK, "wrong"), (BLANK, "wrong")))
    for rung in ("text", "layout", "ast", "names"):
        assert measure(result, "R", rung=rung).value == pytest.approx(2 / 3)
    for level in ("text", "ast"):
        assert measure(result, "R_anchor_pre", level).value == pytest.approx(1 / 3)


def test_a_distance_to_the_canon_is_not_0_where_only_a_literal_differs() -> None:
    cell = cell_of(PLAIN, BLANK)
    (anchor,) = anchors_of([cell])
    assert anchor.canon is not None
    assert all(cell.distance(BLANK, anchor.canon.code, level) > 0 for level in cell.levels)


@pytest.mark.parametrize(
    "source",
    [
        PLAIN,
        BLANK,
        "x = 'it\\'s'\n# it's a comment\ny = \"#\"\n",
        "x = 1 + \\\n  2\n",
        "if x:\n\n    y = '''a \n b'''\n",
    ],
)
def test_blanks_elsewhere_make_no_difference(source: str) -> None:
    """Behind the first row, the last and every row that a literal does not go over."""
    tree = ast.dump(ast.parse(source))
    lines = source.split("\n")
    for number, line in enumerate(lines):
        spaced = "\n".join((*lines[:number], line + " \t ", *lines[number + 1 :]))
        try:
            same = ast.dump(ast.parse(spaced)) == tree
        except SyntaxError:
            same = False
        assert (text_form(spaced) == text_form(source)) is same


@pytest.mark.parametrize(
    "source",
    [
        "It's prose.  \nMore.\n",
        "x = '''cut short  \n",
        'x = f"""{"""a  \nb"""}"""\ny = 1  \nz = 2',
        '"""" \n" \nx',
    ],
)
def test_where_a_quote_is_not_closed_lines_stay_as_they_came(source: str) -> None:
    assert text_form(source + " \n\t\n") == source.rstrip(" \n")


PARTS = st.sampled_from(
    [
        "x",
        "=",
        "1",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\\",
        '"',
        "'",
        '"""',
        "'''",
        "f",
        "{",
        "}",
        "#",
        "\u3000",
        "\f",
    ]
)


@given(st.lists(PARTS, max_size=14).map("".join))
def test_programs_with_the_same_text_have_the_same_tree(source: str) -> None:
    text = text_form(source)
    assert text_form(text) == text
    forms, again = normal_forms(source), normal_forms(text)
    assert (forms.tree, forms.fallback) == (again.tree, again.fallback)


@pytest.mark.parametrize(
    ("source", "stripped"),
    [
        ("let a = 1;  \nlet b = 'x'; \n", True),
        ("let a = `x  \ny`;\nlet b = 1;  \nb", False),  # a template goes over several lines
        ("let a = 'x\\ \ny';  \nb", False),
        ('my $a = "x  \ny";\nb', False),
        ("print <<END;  \nEND", False),
    ],
)
def test_in_other_languages_lines_are_stripped_where_no_literal_can_go_over_them(
    source: str, stripped: bool
) -> None:
    text = normal_forms(source, python=False).text
    assert text == ("\n".join(line.rstrip() for line in source.split("\n")).rstrip() if stripped else source)
