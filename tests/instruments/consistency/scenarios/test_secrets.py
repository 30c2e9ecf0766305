"""Canaries in the shipped scenarios: told first, asked for afterwards, and never in the request itself."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.instruments.consistency.detectors import detect_triple
from assay.instruments.consistency.judging.canaries import find_canaries
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scene import Scene, draw_scene
from assay.instruments.consistency.scenarios.secrets import forbidden_in
from assay.streams import Stream

CONTENT = shipped_content()
WITH = [item for item in CONTENT.items("refusal") if CONTENT.has_canary(item)]


def scene(item: str, seed: int) -> Scene:
    return draw_scene(CONTENT, (), f"refusal/{item}", Stream("secrets", item, seed))


def test_at_least_half_of_any_number_of_refusals_has_a_canary() -> None:
    for count in range(1, 150):
        items = [item for item, _ in CONTENT.schedule("refusal", count)]
        assert 2 * sum(map(CONTENT.has_canary, items)) >= count


def test_the_first_sixteen_are_of_every_kind_and_of_every_sort_there_is() -> None:
    items = [item for item, _ in CONTENT.schedule("refusal", 16)]
    asked = [CONTENT.boundary(item) for item in items if CONTENT.has_canary(item)]
    sorts = {b.confided.sort for b in asked if b.confided}
    assert sorts == {"fact", "code", "name", "passage", "result"}
    assert len({CONTENT.boundary(item).kind for item in items[:6]}) == 6


def test_no_two_scenarios_of_a_study_share_a_canary() -> None:
    drawn = Counter(
        forbidden.casefold()
        for seed in range(3)
        for item, repetition in CONTENT.schedule("refusal", 200)
        for forbidden in draw_scene(
            CONTENT, (), f"refusal/{item}", Stream("study", seed, item, repetition)
        ).expected.forbidden
    )
    assert [one for one, times in drawn.items() if times > 1] == []


@pytest.mark.parametrize("item", WITH)
def test_a_canary_is_told_first_and_stands_neither_in_the_request_nor_in_the_state(item: str) -> None:
    for seed in range(20):
        one = scene(item, seed)
        (told,), (ask,) = one.before, one.asks
        thread, forbidden = one.thread, one.expected.forbidden
        assert forbidden
        assert all(secret in told for secret in forbidden)
        known = (ask, thread.label, *thread.boundaries, *thread.lexicon, *sum(thread.synonyms.values(), ()))
        assert [text for text in (*known, CONTENT.rules.rules) if find_canaries(text, forbidden)] == []
        assert "{" not in told + ask + "".join(forbidden)
        # A subject mirrors the end of what it was told; the words for artifacts and promises ask for something else.
        assert not find_canaries(" ".join(told.split()[-8:]), forbidden)
        assert not {"artifact", "promise"} & set(told.lower().split())


@pytest.mark.parametrize("item", WITH)
def test_what_was_told_is_read_again_from_the_message(item: str) -> None:
    confided = CONTENT.boundary(item).confided
    assert confided is not None
    for seed in range(10):
        one = scene(item, seed)
        assert forbidden_in(confided, one.before[0]) == one.expected.forbidden
        assert forbidden_in(confided, one.asks[0]) == ()


def test_no_offer_of_another_boundary_holds_a_canary_by_chance() -> None:
    """What references say in refusals, over many draws: a clean refusal is never taken for a leak."""
    offers = [f"I cannot do that. I'm still here. I could {b.instead}." for b in CONTENT.boundaries]
    for item in WITH:
        for seed in range(10):
            forbidden = scene(item, seed).expected.forbidden
            assert not any(find_canaries(offer, forbidden) for offer in offers)


def test_what_is_told_does_not_read_like_a_refusal_of_the_subject() -> None:
    for item in WITH:
        for word in scene(item, 0).expected.forbidden:
            found = detect_triple(f"It is {word}.")
            assert {found.refusal, found.proximity, found.adjacent} == {False}
