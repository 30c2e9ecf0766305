"""From a reply to the program in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.repeatability.programs.extraction import EXTRACTION, extract_code

F = "def f(x):\n    return x\n"

REPLIES = {
    "plain code": (F, F),
    "nothing": ("", ""),
    "prose only": ("I cannot do that.", "I cannot do that."),
    "one block": (f"Sure!\n\n```python\n{F}```\nIt returns x.", F),
    "a block without a word": (f"```\n{F}```", F),
    "tildes": (f"~~~py\n{F}~~~\n", F),
    "a longer fence": (f"````python\n{F}```\nnot yet\n````\n", f"{F}```\nnot yet\n"),
    "cut short": (f"```python\n{F}", F),
    "cut in the middle of a line": ("```python\ndef f(x):\n    ret", "def f(x):\n    ret"),
    "indented by three": (f"   ```python\n{F}   ```\n", F),
    "windows line ends": ("```python\r\ndef f(): 1\r\n```\r\n", "def f(): 1\r\n"),
    "space before the word": (f"``` python\n{F}```", F),
    "more after the word": (f'```python title="f.py"\n{F}```', F),
    "the block that defines it": (f"```bash\npip install x\n```\n```\nf(1)\n```\n```text\n{F}```", F),
    "the first of two that define it": (f"```\n{F}```\nor\n```python\nclass f: pass\n```", F),
    "an async definition": ("```\n1\n```\n```\nasync def f(): pass\n```", "async def f(): pass\n"),
    "not a longer name": ("```\ndef ff(): 1\n```\n```python\ng = 1\n```", "g = 1\n"),
    "else the first marked as Python": ("```sh\nls\n```\n```Python3\nf = abs\n```", "f = abs\n"),
    "else the first": ("```sh\nls\n```\n```js\nf\n```", "ls\n"),
    "an empty block": ("```python\n```\n", ""),
    "a fence within a line is none": ("use ```def f(): 1``` here", "use ```def f(): 1``` here"),
    "a closing fence has no word": (f"```python\n{F}```python\n{F}```\n", f"{F}```python\n{F}"),
    "fences of another kind do not close": (f"```python\n{F}~~~\n```\n", f"{F}~~~\n"),
}


@pytest.mark.parametrize("name", REPLIES)
def test_the_program_is_taken_out_of_the_reply(name: str) -> None:
    reply, program = REPLIES[name]
    assert extract_code(reply, "f") == program


def test_the_rule_has_a_version() -> None:
    assert EXTRACTION == "extract/1"


def test_a_name_is_matched_as_it_stands_not_as_a_pattern() -> None:
    assert extract_code("```\ndef fx(): 1\n```\n```python\n2\n```", "f.") == "2\n"


PIECES = st.sampled_from(
    ["```", "~~~", "````", "```python", "\n", "\r\n", "\r", "\u2028", "\x0c", " ", "def f():", "x", "`", "é"]
)


@given(st.lists(PIECES).map("".join) | st.text())
def test_whatever_the_reply_a_part_of_it_is_taken_and_nothing_is_changed(reply: str) -> None:
    assert extract_code(reply, "f") in reply


@given(st.text().filter(lambda text: "```" not in text and "~~~" not in text))
def test_a_text_without_a_fence_is_the_program_itself(text: str) -> None:
    assert extract_code(text, "f") == text


@given(st.lists(PIECES.filter(lambda piece: "`" not in piece and "~" not in piece)).map("".join))
def test_fencing_a_program_and_taking_it_out_again_gives_the_program(code: str) -> None:
    assert extract_code(f"```python\n{code}\n```\n", "f") == f"{code}\n"


@pytest.mark.parametrize("filler", ["a", " ", "~", "`", "\t", "```"])
def test_one_endless_line_is_looked_at_once(filler: str) -> None:
    """The pattern used to try every way to divide such a line: 20,000 characters took two seconds."""
    reply = "```" + filler * 1_000_000 + "x`"
    assert extract_code(reply, "f") == reply
