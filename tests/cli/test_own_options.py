"""Options of an instrument's own: read from its type, taken as they are written, never lost in silence."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Meta

from assay.api.option_values import value_of
from assay.cli.own_options import help_of, take_options
from assay.errors import InputError
from assay.measuring import Options

from .conftest import Assay

KNOWN = frozenset({"--name", "--json", "--subject"})


class One(Options, frozen=True, kw_only=True):
    repair: Annotated[bool, Meta(description="Whether to.")] = True
    words: tuple[str, ...] = ("a",)
    levels: tuple[int, ...] = ()
    count: Annotated[int, Meta(ge=1)] | None = None
    system: str = ""
    name: str = ""


class Two(Options, frozen=True, kw_only=True):
    count: int = 1
    depth: float = 0.5


def taken(*arguments: str) -> tuple[list[str], list[tuple[str, str, str]]]:
    rest, own = take_options(arguments, {"one": One, "two": Two}, KNOWN)
    return rest, [(given.instrument, given.field, given.value) for given in own]


@pytest.mark.parametrize(
    ("arguments", "rest", "own"),
    [
        (("--depth", "0.1", "x"), ["x"], [("two", "depth", "0.1")]),
        (("--depth=-1",), [], [("two", "depth", "-1")]),
        (("--depth", "-1"), [], [("two", "depth", "-1")]),
        (("--repair", "x"), ["x"], [("one", "repair", "true")]),
        (("--repair", "false"), [], [("one", "repair", "false")]),
        (("--repair=false",), [], [("one", "repair", "false")]),
        (("--no-repair", "x"), ["x"], [("one", "repair", "false")]),
        (("--name", "x", "--json"), ["--name", "x", "--json"], []),  # the command's own come first
        (("--nothing", "x"), ["--nothing", "x"], []),
        (("--no-depth", "1"), ["--no-depth", "1"], []),  # no switch
        (("--", "--depth", "1"), ["--", "--depth", "1"], []),
    ],
)
def test_arguments_are_split_between_the_command_and_the_instruments(
    arguments: tuple[str, ...], rest: list[str], own: list[tuple[str, str, str]]
) -> None:
    assert taken(*arguments) == (rest, own)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--depth",), "--depth: a value is missing"),
        (("--depth", "--json"), "--depth: a value is missing"),
        (("--words", "--depth", "1"), "--words: a value is missing"),
        (("--depth", "1", "--depth", "2"), "--depth is given twice"),
        (("--repair", "--no-repair"), "--no-repair is given twice"),
        (("--no-repair=true",), "--no-repair takes no value"),
        (
            ("--count", "3"),
            "--count: several instruments have it; write --set one.count=VALUE or --set two.count",
        ),
    ],
)
def test_what_is_unclear_is_refused(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        taken(*arguments)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("system", "Be brief # and polite", "Be brief # and polite"),
        ("system", "Answer: in Python\n  so", "Answer: in Python\n  so"),
        ("system", "42", "42"),
        ("system", "'quoted' start", "'quoted' start"),
        ("words", "yes,no", ["yes", "no"]),
        ("words", "add", ["add"]),
        ("words", "[a, b]", ["a", "b"]),
        ("levels", "1,2", [1, 2]),
        ("levels", "3", [3]),
        ("count", "5", 5),
        ("unknown", "1,x", [1, "x"]),
    ],
)
def test_text_is_text_and_numbers_are_numbers(name: str, text: str, value: Any) -> None:
    assert value_of(One, name, text, "--x") == value


def test_help_names_every_option_but_those_of_the_command() -> None:
    rows = dict(help_of(One, KNOWN))
    assert "--name" not in rows
    assert rows["--repair/--no-repair"] == "Whether to. Default: True."
    assert rows["--words"] == "Default: a."


def test_a_setting_that_is_given_twice_is_refused_however_it_is_written(assay: Assay) -> None:
    for arguments in (
        ("--trials", "3", "--set", "trials=4"),
        ("--set", "trials=3", "--set", "ping.trials=4"),
    ):
        ended = assay("plan", "ping", "-s", "reference:mumbler", *arguments)
        assert (ended.code, ended.out) == (2, "")
        assert "trials is given twice" in ended.err


def test_help_after_the_name_lists_its_options_and_what_a_row_looks_like(assay: Assay) -> None:
    assert "--trials" in assay("run", "ping", "--help").out
    shown = assay("score", "agency", "--help").out
    assert "--declaration" in shown
    assert "A row of agency: {" in shown
