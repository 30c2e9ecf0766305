"""Programs are read in the bench's own process: in a time that grows with their length, whatever they are made of."""

from __future__ import annotations

from time import perf_counter

import pytest

from assay.instruments.repeatability.programs.extraction import find_code
from assay.instruments.repeatability.programs.normalisation import normal_forms, text_form

# What is repeated, between what comes before and after.
REPEATED = {
    "assignments": ("", "a=1\n", ""),
    "statements on one row": ("", "a=1;", ""),
    "decorators": ("", "@a\n", ""),
    "decorated functions": ("", "@a\n@b\ndef g(): pass\n", ""),
    "decorators that end in nothing": ("", "@a\n", " x"),
    "functions in a function": ("def f():\n", "    def g(): return g\n", ""),
    "beginnings of functions": ("", "def ", ""),
    "fences": ("", "```\n", ""),
    "blocks": ("", "```python\nx\n```\n", ""),
    "fences of two kinds": ("", "~~~\n```\n", ""),
    "backticks": ("", "`", ""),
    "brackets": ("", "[", ""),
    "brackets on rows of their own": ("", "(\n", ""),
    "empty rows": ("", "\n", ""),
    "empty rows in brackets": ("a = (", "\n", "1)"),
    "rows of blanks": ("", "   \n", ")"),
    "comments": ("a = 1\n", "#\n", ")"),
    "formatted strings": ("", 'f"{a}"\n', ""),
    "strings of several rows": ("", '"""a \n"""\n', ""),
    "quotes": ('"', '."', " \n"),
    "escaped quotes": ('"', '\\"', " \n"),
    "triple quotes": ('"', '"""', " \n"),
    "formatted strings that nest": ("", 'f"""{', " \n"),
    "rows of quotes": ("", "'\"\n", " \n"),
    "blanks": ("", " ", "x \n"),
    "backslashes": ("", "\\ ", "\n"),
    "exported names": ("", "__all__ = ['a']\n", ""),
}


def seconds(name: str, characters: int) -> float:
    before, unit, after = REPEATED[name]
    source = before + unit * (characters // len(unit)) + after
    begun = perf_counter()
    find_code(source, "f")
    text_form(source)
    normal_forms(source, frozenset({"f"}))
    return perf_counter() - begun


@pytest.mark.proof
@pytest.mark.parametrize("name", REPEATED)
def test_four_times_the_text_takes_about_four_times_the_time(name: str) -> None:
    """Sixteen times if it were quadratic. The least of some tries, for other work disturbs single ones."""
    short = min(seconds(name, 25_000) for _ in range(3))
    assert min(seconds(name, 100_000) for _ in range(3)) < 9 * short + 0.05
