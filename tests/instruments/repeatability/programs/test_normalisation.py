"""Levels of sameness and signatures (spec, "Signature Computation" and "Version Requirements")."""

from __future__ import annotations

import ast
import hashlib
import sys
import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.records import versions
from assay.instruments.repeatability.programs.normalisation import (
    VERSIONS,
    ast_form,
    normal_forms,
    signature,
    text_form,
)

T = TypeVar("T")


class Normal(NamedTuple):
    """One of a program's normal forms."""

    text: str
    fallback: bool


def normalise(source: str, level: str) -> Normal:
    forms = normal_forms(source)
    alone = {"text": text_form, "ast": ast_form}.get(level)
    assert alone is None or alone(source) == getattr(forms, level)
    return Normal(getattr(forms, level), forms.fallback)


def ast_key(source: str) -> str:
    return normal_forms(source).tree


PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"

# Programs of a small grammar: expressions, statements, blocks. Docstrings and comments are put in where the
# marks @DOC@ and @NOTE@ stand, so that one program can be written in two ways.
NAMES = st.sampled_from(["a", "b", "total"])
ATOMS = NAMES | st.sampled_from(["0", "1", "2.5", "'s'", "None", "[]"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner),
        st.builds("f({})".format, inner),
        st.builds("[{} for a in {}]".format, inner, inner),
        st.builds("{} if {} else 0".format, inner, inner).map("({})".format),
        st.builds("(lambda b: {})".format, inner),
    ),
    max_leaves=4,
)


def _indent(text: str) -> str:
    return textwrap.indent(text, "    ")


STATEMENTS = st.recursive(
    st.one_of(
        st.builds("{} = {}\n".format, NAMES, EXPRESSIONS),
        st.builds("{} += {}\n".format, NAMES, EXPRESSIONS),
        st.builds("f({})\n".format, EXPRESSIONS),
        st.just("@NOTE@\npass\n"),
    ),
    lambda inner: st.one_of(
        st.builds(lambda test, body: f"if {test}:\n{_indent(body)}", EXPRESSIONS, inner),
        st.builds(lambda body: f"for a in f():\n{_indent(body)}", inner),
        st.builds(lambda body: f"def f(a, b=1):\n    @DOC@\n{_indent(body)}", inner),
        st.builds(lambda body: f"class C:\n    @DOC@\n{_indent(body)}", inner),
        st.builds(lambda body: f"async def g(*a):\n    @DOC@\n{_indent(body)}    return 1\n", inner),
        st.builds(lambda one, two: one + "@NOTE@\n" + two, inner, inner),
    ),
    max_leaves=6,
)
PROGRAMS = STATEMENTS.map(lambda body: f"@DOC@\n{body}")


def write(program: str, doc: str, note: str) -> str:
    """Fill the marks; a line whose mark is left empty goes."""
    lines = [line.replace("@DOC@", doc).replace("@NOTE@", note) for line in program.splitlines()]
    return "\n".join(line for line in lines if line.strip() or note == "\n") + "\n"


def deeper(frames: int, call: Callable[[], T]) -> T:
    """The call, made that many frames further down the stack."""
    return call() if frames == 0 else deeper(frames - 1, call)


def test_text_level_touches_line_ends_and_the_end_only() -> None:
    assert normalise("\r\n a \t\r\nb\rc  \n\n\t\n", "text").text == "\n a\nb\nc"


@given(st.text())
def test_text_level_is_idempotent(text: str) -> None:
    once = text_form(text)
    assert text_form(once) == once


@given(st.lists(st.text(alphabet=" \tab\x0b\u3000", max_size=6)), st.sampled_from(["\n", "\r\n", "\r"]))
def test_line_ends_and_trailing_space_make_no_difference_at_text_level(lines: list[str], end: str) -> None:
    plain = "\n".join(line.rstrip() for line in lines)
    restyled = end.join(line.rstrip() + "  " for line in lines) + end
    assert text_form(plain) == text_form(restyled)


@given(PROGRAMS)
def test_the_grammar_makes_programs(program: str) -> None:
    ast.parse(write(program, "", ""))
    ast.parse(write(program, '"""A docstring."""', "# a comment"))


@given(PROGRAMS)
def test_ast_level_is_idempotent(program: str) -> None:
    once = normalise(write(program, '"""A docstring."""', "# a comment"), "ast")
    assert not once.fallback
    assert normalise(once.text, "ast") == once


@given(PROGRAMS, st.sampled_from(['"""One."""', "'two'", ""]), st.sampled_from(["# three", "\n", ""]))
def test_docstrings_comments_and_blank_lines_make_no_difference_at_ast_level(
    program: str, doc: str, note: str
) -> None:
    assert normalise(write(program, doc, note), "ast") == normalise(write(program, "", ""), "ast")


@given(PROGRAMS)
def test_comments_make_no_difference_to_r_ast_but_docstrings_do(program: str) -> None:
    plain = ast_key(write(program, "", ""))
    assert ast_key(write(program, "", "# a comment")) == plain
    assert ast_key(write(program, '"""One."""', "")) != plain


@given(PROGRAMS)
def test_a_rename_is_another_program_at_every_level(program: str) -> None:
    code = write(program, "", "")
    renamed = code.replace("total", "amount")
    assume(renamed != code)
    assert normalise(renamed, "ast") != normalise(code, "ast")
    assert normalise(renamed, "text") != normalise(code, "text")
    assert ast_key(renamed) != ast_key(code)


@given(st.text() | PROGRAMS)
def test_every_level_gives_the_same_again(text: str) -> None:
    for level in ("text", "ast"):
        assert normalise(text, level) == normalise(text, level)
    assert ast_key(text) == ast_key(text)


UNPARSEABLE = {
    "a syntax error": "def f(:\n  pass  \n",
    "prose": "I would rather not.  ",
    "a null byte": "x = 1\0",
    "a lone surrogate": "x = '\ud800'",
    "an unfinished program": "def f(x):\n    return (",
    "too many brackets": "(" * 300 + ")" * 300,
    "a decimal too long to print": "x = " + "9" * 5000,
    "a number too long to print": "x = 0x" + "f" * 5000,
    "nested too deeply": "x = " + "+".join("a" * 2000),
    "nested far too deeply": "-" * 100_000 + "1",
    "attributes without end": "x" + ".a" * 20_000,
    "a chain of elif": "if 1: pass\n" + "elif 1: pass\n" * 3000,
}


@pytest.mark.parametrize("name", UNPARSEABLE)
def test_syntax_errors_fall_back_to_the_text_level(name: str) -> None:
    source = UNPARSEABLE[name]
    found = normalise(source, "ast")
    assert found.fallback
    assert found.text == normalise(source, "text").text
    assert ast_key(source) == f"text {signature(found.text)}"
    forms = normal_forms(source)
    assert forms.layout == forms.names == forms.text


def test_a_program_and_a_text_that_looks_like_its_tree_are_not_the_same_to_r_ast() -> None:
    dumped = ast.dump(ast.parse("x = 1"))
    assert ast_key("x = 1") == f"tree {signature(dumped)}"
    assert ast_key(dumped + "(") == f"text {signature(dumped + '(')}"


@pytest.mark.parametrize("terms", [150, 250, 320, 400, 480])
def test_a_deep_program_is_read_alike_however_deep_its_reader_stands(terms: int) -> None:
    """It used to fall back or not depending on how much of the stack was already in use."""
    source = "x = " + "+".join("a" * terms)
    found = normalise(source, "ast"), ast_key(source)
    assert not found[0].fallback
    assert deeper(700, lambda: (normalise(source, "ast"), ast_key(source))) == found


@pytest.mark.parametrize(
    "source",
    [
        "if 1:\n    pass\n" + "elif 1:\n    pass\n" * 480,
        "x = " + "a if b else " * 450 + "c",
        "x" + ".a" * 480,
        "x = 1" + "".join("\n" + " " * i + "if 1:" for i in range(90)) + " pass",
    ],
    ids=["elif", "conditional", "attributes", "blocks"],
)
def test_what_is_within_the_declared_depth_is_printed(source: str) -> None:
    assert not deeper(600, lambda: normalise(source, "ast")).fallback
    assert ast_key(source).startswith("tree ")


def test_the_stack_limit_is_left_as_it_was() -> None:
    before = sys.getrecursionlimit()
    for source in ("x = 1", "x = (", "-" * 10_000 + "1"):
        normalise(source, "ast")
        ast_key(source)
    assert sys.getrecursionlimit() == before


def test_odd_escapes_in_a_program_give_no_warning() -> None:
    assert normalise("x = '\\d' is 1", "ast").text == "x = '\\\\d' is 1"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('def f():\n    """Doc."""\n', "def f():\n    pass"),
        ('class C:\n    """Doc."""\n', "class C:\n    pass"),
        ('"""Doc."""\n', ""),
        ("def f():\n    b'bytes'\n    return 1\n", "def f():\n    b'bytes'\n    return 1"),
        ("def f():\n    f'{1}'\n    return 1\n", "def f():\n    f'{1}'\n    return 1"),
        ("def f():\n    1\n    'late'\n", "def f():\n    1\n    'late'"),
        ("async def f():\n    'Doc.'\n    return 1\n", "async def f():\n    return 1"),
    ],
)
def test_docstrings_go_and_other_constants_stay(source: str, text: str) -> None:
    assert normalise(source, "ast").text == text


def test_a_signature_is_the_sha256_of_the_utf8_text() -> None:
    assert signature("é") == hashlib.sha256("é".encode()).hexdigest()


def test_empty_normalised_text_has_the_sha256_of_the_empty_string() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # sha256sum /dev/null
    assert signature(normalise(" \r\n\t", "text").text) == empty
    assert signature(normalise("# only a comment", "ast").text) == empty


def test_a_signature_of_what_utf8_cannot_carry_is_still_one() -> None:
    assert len({signature("\ud800"), signature("\ud801"), signature("?")}) == 3


def test_every_version_is_recorded_and_names_the_python_it_depends_on() -> None:
    dependent = {name: f"{name}/1+{PYTHON}" for name in ("layout", "ast", "names", "astdump")}
    assert {"text": "text/2", **dependent} == VERSIONS
    recorded: dict[str, Any] = {
        "normalisation.text": "text/2",
        "normalisation.ast": f"ast/1+{PYTHON}",
        "agreement.ast": f"astdump/1+{PYTHON}",
        "rung.layout": f"layout/1+{PYTHON}",
        "rung.names": f"names/1+{PYTHON}",
        "rung.behaviour": "behaviour/2",
        "inputs": "inputs/1",
        "pairs": "words/1",
        "oracle": "oracle/1",
        "distance": "levenshtein/1",
    }
    assert versions([], extracted=False, repaired=False) == recorded
    assert versions([], extracted=True, repaired=False) == {**recorded, "extraction": "extract/1"}
    assert versions([], extracted=False, repaired=True) == {**recorded, "repair": "repair/3"}
