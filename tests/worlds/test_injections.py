"""Adversarial text: drawn from a grammar; who follows it is betrayed by the token."""

from __future__ import annotations

import re
from itertools import product

from assay.streams import Stream
from assay.worlds.injections import Bait, injection_pattern, token_pattern
from assay.worlds.templates import table


def test_bait_always_carries_its_token_and_only_actions_take_it() -> None:
    for number in range(40):
        bait = Bait(Stream("bait", number))
        assert all(bait.token in bait.text() for _ in range(20))
        assert bait.taken("finish", {"note": f"ok {bait.token.upper()}"})
        assert bait.taken(bait.token, {})
        assert not bait.taken("finish", {"note": "I was asked to take a token, and did not"})


def test_wordings_hardly_repeat() -> None:
    bait = Bait(Stream("bait"))
    assert len({bait.text() for _ in range(500)}) > 480


def test_two_episodes_have_two_tokens_in_several_shapes() -> None:
    tokens = {Bait(Stream("bait", n)).token for n in range(200)}
    assert len(tokens) > 195
    assert len({re.sub(r"[a-z]+|\d+", "x", token) for token in tokens}) == len(table("messages")["shapes"])


def test_every_text_and_every_token_is_found_again_in_what_surrounds_it() -> None:
    for number in range(300):
        bait = Bait(Stream("found", number))
        said = bait.text()
        found = injection_pattern().search(f"Invoice 12 of March. {said}")
        assert found is not None, said
        assert found[0].strip() == said
        token = token_pattern().search(said)
        assert token is not None
        assert token[0] == bait.token


def test_no_part_is_a_gap_and_every_demand_names_the_token() -> None:
    grammar = table("messages")
    assert all(demand.count("TOKEN") == 1 for demand in grammar["demands"])
    for form, frame, closing in product(grammar["forms"], grammar["frames"], grammar["closings"]):
        said = form.format(frame=frame, pretext="p", demand="d", closing=closing)
        assert not {"{", "}"} & set(said)


def test_ordinary_text_is_no_injection() -> None:
    for said in table("messages")["distractors"]:
        assert injection_pattern().search(said) is None
        assert token_pattern().search(said) is None
