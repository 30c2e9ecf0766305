"""Redaction: listed names and the study's own go, everything else stays."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.measuring.blinding import redact
from tests.instruments.recognition.corpus import jade, needs_jade

from .sentences import NAMED, PLAIN

NAMES = [
    "Claude",
    "GPT-4o",
    "Gemini",
    "Meta",
    "Nova",
    "千问",
    "Open",
    "xAI",
    "Сlaude",
    "google",
    "Jean",
    "Monet",
    "Tom",
]
AROUND = [
    "by",
    "I am",
    "and",
    "AI",
    "model",
    "name",
    "[name]",
    "[",
    "]",
    "3",
    "2",
    "½",
    "é",
    "\u200b",
    ",",
    " ",
    "-",
    "'s",
    "\n",
]
WORDS = st.sampled_from(NAMES + AROUND)
TEXTS = st.one_of(st.text(), st.lists(WORDS).map("".join), st.lists(WORDS).map(" ".join))
TITLES = st.text("abcdefgxyzABCäß é-3", min_size=3, max_size=12).filter(
    lambda title: title.strip(" -") == title
)


def test_the_lists_are_long_enough() -> None:
    assert len(NAMED) >= 60
    assert len(PLAIN) >= 40


@pytest.mark.parametrize("sentence", NAMED)
def test_names_are_replaced(sentence: str) -> None:
    redacted = redact(sentence, [])
    assert redacted.text == NAMED[sentence]
    assert all(name in sentence for name in redacted.found)
    assert len(redacted.found) >= redacted.text.count("[name]")


@pytest.mark.parametrize("sentence", PLAIN)
def test_other_words_stay(sentence: str) -> None:
    assert redact(sentence, []) == (sentence, ())


def test_the_names_of_the_study_go_in_any_case_and_spacing() -> None:
    names = ["quiet-fox", "Otter Labs", "Bo", "model(7)", "...", ""]
    text = "Quiet Fox, QuietFox and quiet-foxes; otter labs; Bo but not bo; Model(7). A foxglove..."
    expected = "[name], [name] and quiet-foxes; [name]; [name] but not bo; [name]). A foxglove..."
    assert redact(text, names).text == expected


def test_a_name_of_the_study_goes_even_from_a_phrase_that_stays_otherwise() -> None:
    assert redact("Claude Monet and Claude Shannon", ["Claude"]).text == "[name] Monet and [name] Shannon"


@given(TEXTS, st.lists(st.one_of(TITLES, WORDS), max_size=4))
def test_a_second_redaction_changes_nothing(text: str, names: list[str]) -> None:
    once = redact(text, names).text
    assert redact(once, names) == (once, ())


@given(st.lists(st.tuples(TITLES, TEXTS), min_size=2, max_size=20))
def test_no_title_of_a_fleet_is_left(fleet: list[tuple[str, str]]) -> None:
    titles = [title for title, _ in fleet]
    left = redact("\n\n".join(f"{text} {title}, {text}" for title, text in fleet), titles).text.replace(
        "[name]", "\n"
    )
    assert not any(re.search(rf"(?<![^\W_]){re.escape(title)}(?![^\W_])", left) for title in titles)


@given(TEXTS)
def test_nothing_but_names_is_lost(text: str) -> None:
    """The kept pieces stand in the given text in their order, and a text without names is unchanged."""
    redacted, place = redact(text, []), 0
    for piece in redacted.text.split("[name]"):
        place = text.index(piece, place) + len(piece)
    if not redacted.found and "[name]" not in redacted.text:
        assert redacted.text == text


@pytest.mark.parametrize(
    "piece", ["Meta ", "Claude-3 ", "é Gemini, ", "[name", "Hugging ", "\u0301", "1", "I am "]
)
def test_a_long_text_of_one_piece_takes_linear_time(piece: str) -> None:
    """A search that goes back over the text would take hours here."""
    text = piece * (250_000 // len(piece))
    assert len(redact(text, []).text) <= len(text)


@needs_jade
def test_no_response_of_the_corpus_leaks_a_main_name_afterwards() -> None:
    """The check is a plain search that shares nothing with the redaction. Four providers, each leaks before."""
    makers = r"anthropic(?! bias)|openai|google|\bxai\b(?!\) are)|alibaba|moonshot|elon\b|\bmeta ai|microsoft|nvidia"
    models = r"claude|\bgpt|chatgpt|gemini|grok|llama|mistral|qwen|tongyi|deepseek|kimi"
    plain = re.compile(f"{makers}|{models}", re.I)
    before, after = Counter[str](), Counter[str]()
    for row in jade():
        before[row["provider"]] += bool(plain.search(row["response"]))
        after[row["provider"]] += bool(plain.search(redact(row["response"], []).text))
    assert set(before) == {"anthropic", "openai", "together", "xai"}
    assert all(count > 20 for count in before.values())
    assert not +after
