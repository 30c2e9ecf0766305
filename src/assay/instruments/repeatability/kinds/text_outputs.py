"""Texts: compared as they are written, and by the answer that is read from them. No meaning is claimed.

==========  =======================================================================================
rung        the same are outputs with equal
==========  =======================================================================================
``bytes``   bytes
``text``    text but for line ends and trailing blanks (``lines/1``)
``space``   words: every stretch of white space is one blank (``space/1``)
``case``    words, whether written large or small, composed or not (``case/1``, of a version of Unicode)
``answer``  answers, where the contract says how one is read (``text-answer/1``)
==========  =======================================================================================

A text from which no answer can be read stays in the class that its words give it, and does not pass.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import UNSET

from assay.errors import InputError
from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.oracle import OracleJudgement
from assay.measuring.answers import read_choice, read_number, read_share, read_yes_no
from assay.measuring.answers.detector import VERSION as ANSWER

from .base import LINES, Examination, Examined, Inputs, OutputKind, plain_lines
from .patterns import find_group, matches

if TYPE_CHECKING:
    from assay.instruments.repeatability.expectations import AnswerForm
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = ["TextForms", "TextOutputs", "options_fault", "read_answer"]

ORACLE = "text-oracle/1"
_WORDS = ("bytes", "text", "space", "case")


class TextForms(NamedTuple):
    text: str
    space: str
    case: str
    answer: str | None  # as it is compared; None where none is read
    fallback: bool


class TextOutputs(OutputKind):
    name, noun, oracle = "text", "output", ORACLE
    judged_by = ("lines", "text.answer", "text.oracle")
    levels = ("text", "case")
    all_rungs = (*_WORDS, "answer")
    versions = MappingProxyType(
        {
            "lines": LINES,
            "text.space": "space/1",
            "text.case": f"case/1+unicode{unicodedata.unidata_version}",
            "text.answer": f"text-answer/1+{ANSWER}",
            "text.oracle": ORACLE,
            "distance": DISTANCE,
        }
    )

    def __init__(self, answer: AnswerForm | None = None) -> None:
        self._answer = answer
        self.rungs = _WORDS if answer is None else self.all_rungs

    def forms(self, output: str) -> TextForms:
        found = None if self._answer is None else read_answer(self._answer, output)
        return TextForms(
            plain_lines(output),
            " ".join(output.split()),
            folded(output),
            found,
            fallback=self._answer is not None and found is None,
        )

    def find(self, reply: str, contract: Contract) -> tuple[int, int]:
        return 0, len(reply)

    def examine(self, output: str, contract: Contract, inputs: Inputs) -> Examination:
        yield from ()
        return Examined(_judged(output, contract))


def folded(text: str) -> str:
    """Words in one case and one composition, a blank between them."""
    apart = unicodedata.normalize("NFD", " ".join(text.split()))
    return unicodedata.normalize("NFC", apart.casefold())


def read_answer(form: AnswerForm, text: str) -> str | None:
    """The answer as it is compared; None where nothing, or not one thing, is declared."""
    if form.kind == "regex":
        found = find_group(form.pattern, text)
        return None if found is None else folded(found)
    answer = read_choice(text, form.options) if form.kind == "choice" else _READERS[form.kind](text)
    return None if answer.value is None else _spelt(answer.value)


_READERS = {"yes_no": read_yes_no, "number": read_number, "share": read_share}


def options_fault(form: AnswerForm) -> str:
    """Why the options of a choice cannot be told apart, or nothing."""
    try:
        if form.options:
            read_choice("", form.options)
    except InputError as error:
        return str(error)
    return ""


def _spelt(value: object) -> str:
    """A number in one format."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return repr(int(value)) if float(value).is_integer() else repr(float(value))
    return str(value)


def _judged(output: str, contract: Contract) -> OracleJudgement:
    """Every declared check is a test: the answer, expressions, what has to be in it, its length."""
    unread = contract.answer is not None and read_answer(contract.answer, output) is None
    found = list(_differences(output, contract))
    passed = sum(not one for one in found)
    if passed == len(found):
        return OracleJudgement("pass", passed, len(found))
    failing = next(number for number, one in enumerate(found) if one)
    return OracleJudgement("unread" if unread else "wrong", passed, len(found), found[failing], failing)


def _differences(output: str, contract: Contract) -> Iterator[str]:
    if contract.answer is not None:
        yield _answered(output, contract)
    for pattern in contract.must_match:
        yield "" if matches(pattern, output) else f"does not match {pattern}"
    words = folded(output)
    for wanted in contract.must_contain:
        either = (wanted,) if isinstance(wanted, str) else wanted
        there = any(folded(one) in words for one in either)
        yield "" if there else f"does not say {' or '.join(map(repr, either))}"
    if contract.length is not None:
        yield contract.length.complaint(output)


def _answered(output: str, contract: Contract) -> str:
    form = contract.answer
    assert form is not None
    found = read_answer(form, output)
    if found is None:
        return "no answer can be read"
    wanted = contract.expected
    if wanted is UNSET:
        return ""
    if form.tolerance is not None and isinstance(wanted, int | float):
        return "" if abs(float(found) - wanted) <= form.tolerance else f"the answer is {found}"
    same = found == (folded(str(wanted)) if form.kind == "regex" else _spelt(wanted))
    return "" if same else f"the answer is {found}"
