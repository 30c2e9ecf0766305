"""Texts with gaps."""

from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.measuring.templates import Template, tidy


@pytest.mark.parametrize(
    ("text", "values", "filled"),
    [
        ("{name} pays {sum:,} dollars", {"name": "Ivo", "sum": 12_500}, "Ivo pays 12,500 dollars"),
        ("{share:.0%} or {share:.1%}", {"share": 0.125}, "12% or 12.5%"),
        ("{a} and {b}", {"a": 3.0, "b": 2.25}, "3 and 2.25"),
        ("{a:.2f}", {"a": 2}, "2.00"),
        ("{a:,.1f}", {"a": 1234.56}, "1,234.6"),
    ],
)
def test_gaps_are_filled(text: str, values: dict[str, float | str], filled: str) -> None:
    assert Template(text).fill(values) == filled


@pytest.mark.parametrize(
    "text", ["{", "}", "{a.b}", "{a!r}", "{a[0]}", "{a:999999999}", "{a:>10}", "{}", "{{a}}"]
)
def test_nothing_but_names_and_forms_stands_in_braces(text: str) -> None:
    with pytest.raises(InputError):
        Template(text)


def test_a_name_without_a_value_is_said() -> None:
    with pytest.raises(InputError, match="missing"):
        Template("{missing}").fill({"a": 1})


def test_an_empty_gap_leaves_no_blanks() -> None:
    assert tidy("One.  Two .\n \n\n\nThree ") == "One. Two.\n\nThree"
