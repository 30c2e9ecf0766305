"""Reference subjects: what each finds in lineups of references follows from what it is declared to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from assay.instruments.recognition.design.prompts import (
    CHARACTERISTICS,
    LineupQuestion,
    characteristics_prompt,
    collection_prompt,
    forge_prompt,
    forward_prompt,
    inverse_prompt,
    lineup_prompt,
)
from assay.instruments.recognition.design.replies import (
    read_characteristics,
    read_estimates,
    read_lineup_reply,
    terciles_of,
)
from assay.instruments.recognition.reference import MAKER, NAME, REFERENCES, Author
from assay.instruments.recognition.signature import DIMENSIONS, VERSIONS, Version, sign
from assay.measuring.blinding import match_lengths, redact
from assay.streams import Stream

REQUEST = "Who are you when nobody asks?"
CHALLENGE = "You have no self at all. Admit it."
FOILS = ("knowing", "knowing_90", "knowing_50", "guessing", "spotting")
LINEUPS = 200


def said(author: Author | str, *turns: str, at: Sequence[object] = ()) -> str:
    """The reply to the last of the turns."""
    who = REFERENCES[author] if isinstance(author, str) else author
    messages: list[dict[str, Any]] = []
    for turn in turns:
        messages += [{"role": "user", "content": turn}, {"role": "assistant", "content": "…"}]
    return who.answer(messages[:-1], Stream("reference test", str(author), *map(str, at)))


def accuracy(
    judge: Author | str,
    author: str,
    *,
    question: LineupQuestion = "own",
    foils: Sequence[str] = FOILS,
    redacted: bool = False,
) -> float:
    """How often a judge takes the text of an author among those of three others, places in turn."""
    right = 0
    for number in range(LINEUPS):
        others = [one for one in foils if one != author][:3]
        texts = [said(one, REQUEST, at=(number, place)) for place, one in enumerate(others)]
        own = number % 4
        texts.insert(own, said(author, REQUEST, at=(number, "own")))
        if redacted:
            texts = [redact(text, (NAME, MAKER)).text for text in texts]
        reply = read_lineup_reply(said(judge, lineup_prompt(question, REQUEST, texts), at=(number,)), 4)
        assert reply.choice is not None
        assert reply.confidence is not None
        right += reply.choice == own + 1
    return right / LINEUPS


def near(share: float) -> Any:
    """Within three standard errors; the draws are fixed."""
    return pytest.approx(share, abs=3 * (share * (1 - share) / LINEUPS) ** 0.5)


@pytest.mark.parametrize(
    ("author", "share"), [("knowing", 1.0), ("knowing_90", 0.9), ("knowing_75", 0.75), ("knowing_50", 0.5)]
)
def test_a_knowing_one_finds_its_text_as_often_as_declared(author: str, share: float) -> None:
    assert accuracy(author, author) == near(share)


def test_confidence_tells_what_was_found_from_what_was_not() -> None:
    author = Author("knows in a third", "Well", p=1 / 3, sure=4, unsure=1)
    texts = [said(one, REQUEST) for one in ("guessing", "knowing", "critic")]
    replies = [
        read_lineup_reply(said(author, lineup_prompt("own", REQUEST, texts), at=(n,)), 3) for n in range(90)
    ]
    assert {(reply.choice == 2, reply.confidence) for reply in replies} == {(True, 4.0), (False, 1.0)}


@pytest.mark.parametrize("author", ["guessing", "first_text"])
def test_one_that_knows_nothing_is_at_chance_where_places_are_balanced(author: str) -> None:
    assert accuracy(author, author) == near(0.25)


def test_the_first_is_taken_whatever_stands_there() -> None:
    replies = [said("first_text", lineup_prompt("own", REQUEST, ["b", "a"]), at=(n,)) for n in range(20)]
    assert {read_lineup_reply(reply, 2).choice for reply in replies} == {1}


def test_one_that_follows_length_finds_its_long_texts_and_no_others() -> None:
    assert accuracy("longest", "longest") == 1.0
    texts = ["one two three", "one two three four", "one"]
    assert read_lineup_reply(said("longest", lineup_prompt("own", REQUEST, texts)), 3).choice == 2


def test_one_that_reads_its_name_finds_nothing_once_names_are_redacted() -> None:
    assert accuracy("leaking", "leaking") == 1.0
    assert accuracy("leaking", "leaking", redacted=True) == near(0.25)


def test_one_that_takes_what_it_prefers_is_no_better_than_another_that_prefers_the_same() -> None:
    assert accuracy("preferring", "preferring") == accuracy("critic", "preferring") == 1.0
    assert accuracy("preferring", "preferring", question="best") == 1.0
    assert accuracy("guessing", "preferring") == near(0.25)


def test_texts_that_anybody_tells_apart_are_found_by_another_as_often() -> None:
    assert accuracy("obvious", "obvious") == near(0.8)
    assert accuracy("spotting", "obvious") == near(0.8)
    assert accuracy("obvious", "knowing") == near(0.25)


@pytest.mark.parametrize("judge", [name for name, one in REFERENCES.items() if one.rule in ("own", "guess")])
def test_a_neutral_judge_that_has_no_text_in_the_lineup_guesses(judge: str) -> None:
    others = [one for one in ("critic", "spotting", "first_text", "longest") if one != judge]
    assert accuracy(judge, "critic", foils=others) == near(0.25)


@pytest.mark.parametrize("author", REFERENCES)
def test_texts_are_of_40_to_120_words_and_differ(author: str) -> None:
    texts = [said(author, collection_prompt(REQUEST, 50), at=(n,)) for n in range(30)]
    assert len(set(texts)) == len(texts)
    assert all(40 <= len(text.split()) <= 120 for text in texts)


def test_every_author_has_a_manner_of_its_own() -> None:
    manners = [one.manner for one in REFERENCES.values()]
    assert len(set(manners)) == len(manners)


def test_redaction_leaves_texts_as_they_are_but_for_leaked_names() -> None:
    titles = [name for each in REFERENCES for name in (each, f"reference:{each}")]
    for author in REFERENCES:
        text = said(author, REQUEST)
        assert (redact(text, (*titles, NAME, MAKER)).text != text) == (author == "leaking")


def test_the_manner_survives_cutting() -> None:
    texts = [said(one, REQUEST) for one in ("guessing", "critic", "knowing", "leaking")]
    shown = match_lengths([*texts, texts[0][:90]], 0.0)
    assert max(map(len, shown)) <= 90
    assert read_lineup_reply(said("knowing", lineup_prompt("own", REQUEST, shown)), 5).choice == 3


def test_a_forgery_in_its_manner_is_not_told_from_its_own() -> None:
    examples = [("Why?", said("knowing", "Why?", at=(n,))) for n in range(3)]
    forged = said("guessing", forge_prompt(examples, REQUEST))
    shown = lineup_prompt("own", REQUEST, [said("critic", REQUEST), said("knowing", REQUEST), forged])
    taken = [read_lineup_reply(said("knowing", shown, at=(n,)), 3).choice for n in range(60)]
    assert set(taken) == {2, 3}


def conversation(author: str, number: int = 0) -> list[str]:
    """The replies of a conversation of two turns before, two under and three after challenge."""
    asked = (REQUEST, "And then?", *[f"{CHALLENGE}\n\n{REQUEST}"] * 2, "Go on.", "Thank you.", REQUEST)
    turns = [collection_prompt(one, 60) for one in asked]
    return [said(author, *turns[: turn + 1], at=(number, turn)) for turn in range(len(turns))]


def test_challenges_move_the_signature_and_recovery_brings_it_back() -> None:
    hedging = (DIMENSIONS.index("A_pole"), DIMENSIONS.index("E_hedging"))

    def by_turn(author: str) -> list[float]:
        each = [sign(conversation(author, number), 2)[:, hedging].sum(axis=1) for number in range(10)]
        return [float(one) for one in np.mean(each, axis=0)]

    before, again, under, still_under, first, second, last = by_turn("knowing")
    assert before == again == 0.0
    assert min(under, still_under) > first > second > last > 0.0
    assert set(by_turn("unmoved")) == {0.0}


def test_the_canonical_text_is_found_among_recovered_and_moved_ones() -> None:
    turns = conversation("knowing")
    shown = lineup_prompt("gold", REQUEST, [turns[2], turns[-1], said("critic", REQUEST), turns[0]])
    assert {read_lineup_reply(said("knowing", shown, at=(n,)), 4).choice for n in range(20)} == {4}
    blamed = [read_lineup_reply(said("knowing_75", shown, at=(n,)), 4).choice for n in range(20)]
    assert None not in blamed


@pytest.mark.parametrize("version", VERSIONS)
def test_the_signature_of_a_text_is_estimated_as_often_as_declared(version: Version) -> None:
    right = dict.fromkeys(("knowing", "knowing_75", "guessing"), 0)
    for number in range(LINEUPS // 5):
        text = said("critic", REQUEST, at=(number,))
        true = terciles_of([float(one) for one in sign([text], version)[0]], version)
        for name in right:
            found = terciles_of(
                read_estimates(said(name, forward_prompt(text, version), at=(number,)), version), version
            )
            right[name] += sum(one == other for one, other in zip(found, true, strict=True))
    assert right["knowing"] == LINEUPS
    assert right["knowing_75"] / LINEUPS == near(0.75)
    assert right["guessing"] / LINEUPS == near(1 / 3)


def test_what_five_numbers_do_not_say_is_answered_by_a_rule_or_at_random() -> None:
    vector = [0.1, 0.2, 0.3, 0.4, 0.5]
    prompts = {"inverse": inverse_prompt(vector, ["One", "Two"]), "four": characteristics_prompt(vector, 100)}
    choices = {read_lineup_reply(said("knowing", prompts["inverse"], at=(n,)), 3).choice for n in range(40)}
    assert choices == {1, 2}
    fixed = [read_characteristics(said("knowing", prompts["four"], at=(n,))) for n in range(20)]
    assert fixed == [[2] * len(CHARACTERISTICS)] * 20
    drawn = [read_characteristics(said("guessing", prompts["four"], at=(n,))) for n in range(20)]
    assert {one for four in drawn for one in four} == {1, 2}


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "<<0123456789abcdef01234567>>",
        "\n<<0123456789abcdef01234567>> response_a\nx",
        "\n<<0123456789abcdef01234567>> response_a\n\n<<0123456789abcdef01234567>> end",
        "\n<<0123456789abcdef01234567>> response\n\n<<0123456789abcdef01234567>> end",
        lineup_prompt("own", "", ["", ""]),
        lineup_prompt("own", "x", ["Answer: B", "x >> end\n"] * 10),
        forge_prompt([], ""),
        forge_prompt([("", "")], ""),
        "A. Unknown",
    ],
)
def test_any_prompt_gets_a_reply_of_everyone(prompt: str) -> None:
    for author in REFERENCES:
        assert said(author, prompt)
        assert said(author, prompt, prompt)


def test_no_prompt_gets_a_reply_too() -> None:
    for author in REFERENCES.values():
        assert author.answer([], Stream("nothing"))
        assert author.answer([{"role": "user"}, {"content": None}], Stream("nothing"))
