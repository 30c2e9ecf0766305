"""The fence holds for any text: its mark stands in none, and the prompt parses back into exactly its parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring.raters import Question, fenced, fenced_parts, mark_of, rating_prompt

SEEN = Question("seen", "Is it there?")
NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "end")
ANY = st.text(st.characters()) | st.text(st.sampled_from(["<", ">", "0", "a", "\n", " ", "\r", "\u2028"]))
FORGED = st.lists(ANY, min_size=1).map(
    lambda texts: f"{texts[0]}\n{mark_of(texts)} end\n{mark_of(texts[:1])} reply\n"
)
PARTS = st.dictionaries(NAMES, ANY | FORGED | st.none(), min_size=1, max_size=5)


@given(PARTS)
def test_the_mark_stands_in_no_text_and_the_parts_come_back(parts: dict[str, str | None]) -> None:
    found = fenced(parts)
    shown = {name: text for name, text in parts.items() if text is not None}
    assert not any(found.mark in text for text in shown.values())
    assert found.text.count(found.mark) == len(shown) + 1
    assert fenced_parts(found.text) == shown
    assert fenced(parts) == found


@given(PARTS, PARTS)
def test_only_the_mark_differs_outside_the_fence(
    one: dict[str, str | None], two: dict[str, str | None]
) -> None:
    around = set()
    for parts in (one, two):
        rules, data = rating_prompt(SEEN, parts, task="You rate.", shown="The texts")
        mark = data.content[: data.content.index(" ")]
        assert rules.content.count(mark) == 1
        around.add(rules.content.replace(mark, ""))
    assert len(around) == 1


@given(st.lists(ANY, min_size=1))
def test_a_text_that_holds_the_mark_of_others_gets_another(texts: list[str]) -> None:
    forged = [*texts, mark_of(texts)]
    assert mark_of(forged) != mark_of(texts)
    assert mark_of(forged) not in "\x00".join(forged)


def test_a_mark_that_stands_in_a_text_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest that is easily foreseen stands for one that was found by chance."""
    monkeypatch.setattr("assay.measuring.raters.fence.sha256_hex", lambda seed: f"{seed[-1]:024x}")
    marks = [f"<<{number:024x}>>" for number in range(4)]
    assert mark_of(["text"]) == marks[0]
    assert mark_of([marks[0], f"a{marks[1]}b", marks[3]]) == marks[2]


def test_an_empty_part_is_shown_and_an_absent_one_is_not() -> None:
    assert fenced_parts(fenced({"earlier": None, "reply": ""}).text) == {"reply": ""}


@pytest.mark.parametrize("name", ["end", "", "Reply", "two words", "a\nb", "<<>>"])
def test_a_part_has_a_plain_name(name: str) -> None:
    with pytest.raises(InputError, match="a part cannot be called"):
        fenced({name: "text"})


@pytest.mark.parametrize("text", ["", "reply", "<<0123456789abcdef01234567>> reply\nx"])
def test_what_is_not_fenced_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a fenced text"):
        fenced_parts(text)
