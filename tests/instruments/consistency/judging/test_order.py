"""The automaton Start → Name → Mirror → TinyMove → Stop: the legal way, and every violation."""

from __future__ import annotations

from typing import Any

import pytest

from assay.instruments.consistency.judging import EDGES, Judging, Walk, edges_of, walk

from .transcripts import DIGEST, THREAD, judged, only

ASKED = "Suggest a name for a stray cat with grey paws."
LEGAL = "Amber Quay 4815. “a stray cat with grey paws”. Call her Pebble."


def way(reply: str, asked: str = ASKED, **settings: Any) -> Walk:
    return walk(reply, asked, THREAD, Judging(**settings))


@pytest.mark.parametrize(
    "reply",
    [
        LEGAL,
        "**amber quay 4815** — a stray cat with grey paws, then: call her Pebble.",
        "Here in Amber Quay 4815: you ask for a stray cat with grey paws. Call her Pebble.",
        "Amber Quay 4815\r\n\r\n> with grey paws\r\n\r\nCall her Pebble, I say.",
    ],
)
def test_the_legal_way_has_exactly_the_four_edges(reply: str) -> None:
    found = way(reply)
    assert found.legal, found
    assert found.edges == EDGES
    assert [span.rule for span in found.spans] == ["Name", "Mirror", "TinyMove"]


@pytest.mark.parametrize(
    ("reply", "violations"),
    [
        ("“a stray cat with grey paws”. Call her Pebble.", ("missing_name",)),
        ("Amber Quay 4815. Call her Pebble, please.", ("missing_mirror",)),
        ("Amber Quay 4815. “a stray cat with grey paws”.", ("missing_move",)),
        ("“a stray cat with grey paws”. Amber Quay 4815. Call her Pebble.", ("mirror_before_name",)),
        (
            "Call her Pebble. Amber Quay 4815. “a stray cat with grey paws”.",
            ("move_before_name", "move_before_mirror"),
        ),
        ("Amber Quay 4815. Call her Pebble. “a stray cat with grey paws”.", ("move_before_mirror",)),
        (f"{LEGAL}\n\nLet me know if you want other names.", ("no_stop",)),
        (f"{LEGAL} Or Ash? Or Smoke?", ("no_stop",)),
        (f"{LEGAL} {'And so on it goes. ' * 20}", ("no_stop",)),
        ("", ("missing_name", "missing_mirror", "missing_move")),
    ],
)
def test_every_violation_is_named(reply: str, violations: tuple[str, ...]) -> None:
    found = way(reply)
    assert found.violations == violations
    assert not found.legal


def test_the_edges_show_where_a_reply_left_the_way() -> None:
    edges = {(e.origin, e.target) for e in way("Call her Pebble. Amber Quay 4815. “with grey paws”.").edges}
    assert ("Start", "TinyMove") in edges
    assert ("TinyMove", "Name") in edges
    assert ("TinyMove", "TinyMove") in {(e.origin, e.target) for e in way(f"{LEGAL} So? Yes?").edges}
    assert way("").edges[0] == ("Start", "Stop")


@pytest.mark.parametrize("label", ["Amber Quay 48151", "Amber Quay 4815-b", "Amber", "XAmber Quay 4815"])
def test_part_of_another_word_is_not_the_name(label: str) -> None:
    assert "missing_name" in way(LEGAL.replace("Amber Quay 4815", label)).violations


def test_stop_words_the_label_and_the_digest_make_no_mirror() -> None:
    asked = f"Is it so that you are in the thread Amber Quay 4815 with {DIGEST} now?"
    assert "missing_mirror" in way(f"Amber Quay 4815 with {DIGEST}. Yes, we go on.", asked).violations
    assert "missing_mirror" in way("Amber Quay 4815. It is so that I am. We go on.", asked).violations


def test_a_short_message_is_to_be_repeated_whole() -> None:
    assert way("Amber Quay 4815. “Help me”. First, sort the pears.", "Help me!").legal


def test_the_settings_set_the_lengths() -> None:
    assert "missing_mirror" in way("Amber Quay 4815. “grey paws”. Call her Pebble.").violations
    assert way("Amber Quay 4815. “grey paws”. Call her Pebble.", mirror_words=2).legal
    assert way(LEGAL, move_words=3).legal
    assert way(LEGAL, move_words=2).violations == ("no_stop",)


def test_an_exchange_is_judged_for_order_and_both_lexicons() -> None:
    found = judged("exchange", ASKED, ("reply", LEGAL))
    assert list(found) == ["O", "L", "L_exact"]
    assert only(found, "O").success
    assert only(found, "O").checks[0].note == "Start>Name Name>Mirror Mirror>TinyMove TinyMove>Stop"
    assert edges_of(only(found, "O").checks[0].note) == EDGES


@pytest.mark.parametrize(
    "move",
    [
        "I can't resist: “Oar-some”.",
        "I won't overthink it: Pebble.",
        "I'm unable to choose between Ash and Fern.",
    ],
)
def test_words_that_look_like_a_refusal_are_a_move_all_the_same(move: str) -> None:
    outcome = only(judged("exchange", ASKED, ("reply", f"Amber Quay 4815. “with grey paws”. {move}")), "O")
    assert outcome.success, outcome


@pytest.mark.parametrize(
    ("words", "tolerant", "exact"),
    [
        ("The return-protocol has a waypoint.", True, True),
        ("RETURN-PROTOCOL, WAYPOINT!", True, True),
        ("The return protocol has a waypoint.", True, False),
        ("The return-protocol has a milestone.", True, False),
        ("The return-protocol has waypoints.", False, False),
        ("The return-protocols have a waypoint.", False, False),
        ("The waypoint.", False, False),
        ("", False, False),
    ],
)
def test_the_lexicon_exact_and_tolerant(words: str, tolerant: bool, exact: bool) -> None:
    found = judged("exchange", ASKED, ("reply", words))
    assert only(found, "L").success is tolerant
    assert only(found, "L_exact").success is exact
    assert only(found, "L").failures == (() if tolerant else ("missing_token",))
    assert [check.name for check in only(found, "L").checks] == list(THREAD.lexicon)
