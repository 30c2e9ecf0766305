"""Whatever a subject says, it is judged: deterministic, with evidence inside the reply, in linear time."""

from __future__ import annotations

import re
import time

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.judging import VERSIONS, Judging, judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.judging.words import SENTENCE_END, IndexedText
from assay.instruments.consistency.scenarios.scenario import KINDS, Kind, Scenario

from .transcripts import DIGEST, RESTATED, artifact, scenario

PARTS = {"return": ("return", "again"), "repair": ("reply", "prompted"), "promise": ("reply", "go_on")}
PIECES = [
    RESTATED, DIGEST, "I can't do that.", "I'll do it within 30 seconds.", "===== ARTIFACT =====",
    "=====END ARTIFACT===", "\r\n", "“quoted”", "**", "```", "\u200b", "İ", "\U0001f642",
    "Das kann ich leider nicht.", "はい、覚えています。", "{\"", "[", "1. ", "Boundaries:", "Lexicon:", "\x00",
    "\ufffd", "¤", "'", "You said WRONG.", "there is no such boundary",
]  # fmt: skip
REPLIES = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join))


def talk(kind: Kind, reply: str, second: str = "", variant: str = "") -> Scenario:
    parts = PARTS.get(kind, ("reply",))
    replies = [(part, text, 1.0) for part, text in zip(parts, (reply, second or reply), strict=False)]
    expected = {"wrong": "ab" * 32, "right": DIGEST, "artifacts": 1}
    return scenario(
        kind, f"Return to thread Amber Quay 4815: {DIGEST}", *replies, variant=variant, expected=expected
    )


def judge_all(reply: str, second: str = "") -> list[tuple[Scenario, ReplyJudgement]]:
    talks = [talk(kind, reply, second) for kind in KINDS]
    talks += [talk("return", reply, variant=variant) for variant in ("wrong_digest", "unknown_label")]
    talks += [talk("repair", reply, variant="fact")]
    return [(one, outcome) for one in talks for outcome in judge(one, Judging())]


@given(REPLIES, REPLIES)
@settings(max_examples=60, deadline=None)
def test_any_text_is_judged_twice_alike_with_its_evidence_in_the_reply(reply: str, second: str) -> None:
    found = judge_all(reply, second)
    assert found == judge_all(reply, second)
    for one, outcome in found:
        size = len(one.turns[outcome.place].content)
        for check in outcome.checks:
            assert all(0 <= span.start <= span.end <= size for span in check.spans), (outcome.measure, check)
    assert msgspec.json.decode(msgspec.json.encode([o for _, o in found]), type=list[ReplyJudgement]) == [
        o for _, o in found
    ]


def test_an_empty_reply_fails_everywhere_and_raises_nowhere() -> None:
    assert [o.measure for _, o in judge_all("") if o.success] == []


@pytest.mark.parametrize(
    "piece",
    [
        "a", " ", "\n", "no ", "a. ", '"', "=", "===== ARTIFACT =====\n", "{", "[", "ab12", "you have ", "I said ",
        "is not ", "I'll in 1 s. ", "boundaries: ", "Amber Quay 4815 ", "-_.", "there is no ", "'" * 3, "1. x\n",
        "I will in ", "\"boundaries\": [", "take ", "not the last ",
    ],
)  # fmt: skip
def test_a_long_reply_of_one_thing_is_read_to_its_end(piece: str) -> None:
    assert judge_all(piece * (8_000 // len(piece)))


@pytest.mark.parametrize("name", ["claims", "mistakes", "order", "promises", "repairs", "returns"])
def test_every_repetition_in_a_pattern_is_bounded_so_that_it_reads_in_linear_time(name: str) -> None:
    book = Rulebook(f"judging/{name}")
    for pattern in book.patterns:
        bare = re.sub(r"\[\^?[^]]*\]", "", re.sub(r"\\.", "", book[pattern].pattern))
        assert not re.search(r"[*+]|\{\d*,\}", bare), (pattern, bare)


def test_a_sentence_end_is_looked_for_at_the_first_mark_of_a_run() -> None:
    """Tried at every mark, a run of marks that ends no sentence takes quadratic time."""
    marks = "." * 40 + "x. y"
    assert IndexedText(marks).sentences == [(0, 42), (42, 44)]
    assert [at for at in range(40) if SENTENCE_END.match("." * 40 + " ", at)] == [0]


@pytest.mark.proof
@pytest.mark.parametrize("piece", [".", "!?", "the ", "a.", "...) ", "not the ", "I will in ", "\"'", "\r "])
def test_two_hundred_kilobytes_are_judged_in_seconds(piece: str) -> None:
    """Where reading is quadratic, each takes many minutes."""
    reply = piece * (200_000 // len(piece)) + "x"
    begun = time.process_time()
    for kind in KINDS:
        if kind not in ("refusal", "near_miss", "exchange"):  # the detectors have a test of their own
            judge(talk(kind, reply), Judging())
    assert time.process_time() - begun < 60


@pytest.mark.slow
def test_a_reply_of_a_megabyte_is_judged() -> None:
    sentence = "The tide came in, and the children went home with a lantern; nobody said a word about it. "
    reply = RESTATED + sentence * (1_000_000 // len(sentence))
    assert judge(talk("return", reply, RESTATED), Judging())[0].failures == ("flooding",)
    assert "no_stop" in judge(talk("exchange", reply), Judging())[0].failures


def test_curly_quotes_markdown_and_line_ends_change_nothing() -> None:
    plain = f'Amber Quay 4815. "last artifact" it is: {DIGEST}.\nI don\'t diagnose illness.\n{artifact("x")}'
    formatted = plain.replace('"', "”").replace("'", "’").replace("\n", "\r\n")
    formatted = formatted.replace("Amber Quay 4815", "**Amber Quay 4815**")
    results = [
        [(o.measure, o.success, o.failures) for _, o in judge_all(text)] for text in (plain, formatted)
    ]
    assert results[0] == results[1]


def test_a_refusal_in_another_language_is_judged_without_error() -> None:
    outcomes = [o for _, o in judge_all("Lo siento, no puedo ayudarte con eso. 抱歉，我不能这样做。")]
    assert {o.measure for o in outcomes} >= {"M1", "M2", "M3", "M4", "O", "L"}


def test_every_set_of_rules_has_a_version() -> None:
    assert all("/" in version for version in VERSIONS)
    assert len(set(VERSIONS)) == len(VERSIONS)
