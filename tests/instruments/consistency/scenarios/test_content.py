"""What is put to subjects: complete, unique, within and outside its boundaries, and the same for the same instance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product

import msgspec
import pytest

from assay.canonical import sha256_hex
from assay.instruments.consistency.detectors import detect_triple
from assay.instruments.consistency.judging.words import words_of
from assay.instruments.consistency.scenarios.content import Boundary, Content, shipped_content
from assay.instruments.consistency.scenarios.scenario import KINDS
from assay.instruments.consistency.scenarios.scene import Scene, draw_scene, draw_thread, system_message
from assay.instruments.consistency.scenarios.thread import Thread
from assay.streams import Stream

CONTENT = shipped_content()
ITEMS = [f"{kind}/{name}" for kind in KINDS for name in CONTENT.items(kind)]


def scene(item: str, seed: int = 1, given: tuple[Thread, ...] = ()) -> Scene:
    return draw_scene(CONTENT, given, item, Stream(item, seed))


def said(one: Scene) -> Iterator[str]:
    yield from (*one.before, *one.asks)
    if one.planted:
        yield one.planted


def confided(boundary: Boundary) -> list[str]:
    return [boundary.confided.ask] if boundary.confided else []


# The lists


def test_there_is_enough_of_everything() -> None:
    assert len(CONTENT.items("refusal")) >= 36
    assert len(CONTENT.items("near_miss")) >= 18
    assert len(CONTENT.asks.exchanges) >= 24
    assert len(CONTENT.asks.artifacts) >= 20
    assert len(CONTENT.asks.promises) >= 16
    assert len(CONTENT.asks.facts) >= 16


def test_the_six_kinds_are_asked_equally_often_and_in_turn() -> None:
    kinds = [CONTENT.boundary(item).kind for item in CONTENT.items("refusal")]
    assert set(Counter(kinds).values()) == {9}
    assert set(Counter(kinds[:36]).values()) == {6}
    assert len(set(kinds[:6])) == 6


def test_every_boundary_has_requests_outside_it_and_one_within() -> None:
    assert len({b.id for b in CONTENT.boundaries}) == len(CONTENT.boundaries)
    outside = {CONTENT.boundary(item).id for item in CONTENT.items("refusal")}
    near = {CONTENT.boundary(item).id for item in CONTENT.items("near_miss")}
    assert outside == near == {b.id for b in CONTENT.boundaries}


def test_no_two_texts_are_the_same() -> None:
    asks = CONTENT.asks
    lists = [
        [text for b in CONTENT.boundaries for text in (*b.outside, b.near, *confided(b))],
        [b.boundary for b in CONTENT.boundaries] + list(asks.foils),
        list(asks.exchanges) + list(asks.artifacts) + [p.task for p in asks.promises],
        [f.fact for f in asks.facts],
        [w for lexeme in CONTENT.words.lexicon for w in (lexeme.word, *lexeme.synonyms)],
        [*CONTENT.words.first, *CONTENT.words.second],
    ]
    for texts in lists:
        assert [text for text, n in Counter(t.casefold() for t in texts).items() if n > 1] == []


def test_no_request_reads_like_a_refusal_or_holds_a_placeholder() -> None:
    for item in ITEMS:
        for text in said(scene(item)):
            assert "{" not in text.replace('{"', ""), text
    for boundary in CONTENT.boundaries:
        for text in (*boundary.outside, boundary.near, *confided(boundary), *CONTENT.asks.exchanges):
            found = detect_triple(text)  # a subject repeats a phrase of it, which must not count as its own
            assert {found.refusal, found.limit, found.proximity} == {False}, text


def test_what_a_fact_or_a_mark_is_known_by_stands_in_no_label_lexicon_or_rule() -> None:
    everywhere = [*CONTENT.words.first, *CONTENT.words.second, *(x.word for x in CONTENT.words.lexicon)]
    told = {value for fact in CONTENT.asks.facts for value in fact.values}
    told |= {mark for promise in CONTENT.asks.promises for mark in promise.marks}
    clash = [
        (value, word) for value, word in product(sorted(told), everywhere) if value.lower() in word.lower()
    ]
    assert clash == []


def test_a_mark_is_not_in_the_request_and_a_fact_s_values_are_not_in_each_other() -> None:
    for promise in CONTENT.asks.promises:
        for way in CONTENT.asks.promise_ways:
            asked = way.format(task=promise.task).lower()
            words = set(re.findall(r"\w+", asked))
            assert not words & {mark.lower() for mark in promise.marks}, asked
    for fact in CONTENT.asks.facts:
        for one, other in product(fact.values, repeat=2):
            assert one == other or one.lower() not in other.lower()
            assert one.lower() not in re.findall(r"\w+", fact.then.lower())


def test_the_content_comes_back_from_a_lock_as_it_went_in() -> None:
    plain = msgspec.json.decode(msgspec.json.encode(msgspec.to_builtins(CONTENT)))
    assert msgspec.convert(plain, Content) == CONTENT


# Threads


def test_a_thread_is_drawn_by_its_stream_alone() -> None:
    assert draw_thread(CONTENT, Stream("a")) == draw_thread(CONTENT, Stream("a"))
    assert draw_thread(CONTENT, Stream("a")) != draw_thread(CONTENT, Stream("b"))


def test_two_studies_share_no_label_and_no_artifact() -> None:
    threads = [draw_thread(CONTENT, Stream("study", seed, n)) for seed in (1, 2, 3) for n in range(250)]
    assert len({t.label for t in threads}) == len(threads)
    assert len({t.last_artifact_digest for t in threads}) == len(threads)


def test_a_thread_has_the_digest_of_its_artifact_and_boundaries_of_several_kinds() -> None:
    kinds = {b.boundary: b.kind for b in CONTENT.boundaries}
    for number in range(100):
        thread = draw_thread(CONTENT, Stream("t", number))
        assert thread.last_artifact_digest == sha256_hex(thread.artifact.encode())
        assert len({kinds[b] for b in thread.boundaries}) == len(thread.boundaries) == 3
        assert set(thread.synonyms) == set(thread.lexicon)
        assert thread.artifact not in str(thread.state())


# Scenes


@pytest.mark.parametrize("item", ITEMS)
def test_a_scene_holds_what_its_kind_needs(item: str) -> None:
    for seed in range(3):
        one = scene(item, seed)
        kind, name = item.split("/")
        assert one.kind == kind
        assert all(text.strip() == text and text for text in said(one))
        system = system_message(CONTENT.rules, one.thread, one.others)
        assert one.thread.label in system
        if kind in ("refusal", "near_miss"):
            boundary = CONTENT.boundary(name)
            assert boundary.boundary in one.thread.boundaries
            assert one.variant == boundary.kind
            assert (one.asks[0] in (*boundary.outside, *confided(boundary))) == (kind == "refusal")
            assert bool(one.before) == bool(one.expected.forbidden) == name.endswith("-canary")
        elif kind == "repair":
            _check_repair(one)
        elif kind == "artifact":
            asked = " ".join(one.asks)
            assert sum(thing in asked for thing in CONTENT.asks.artifacts) == one.expected.artifacts
            assert "artifact" in asked
        elif kind == "promise":
            assert one.expected.delivers
            assert "promise" in one.asks[0].lower()
        elif kind == "return":
            _check_return(one)


def _check_repair(one: Scene) -> None:
    expected, where = one.expected, one.planted or one.asks[0]
    assert expected.where == ("own" if one.planted else "user")
    assert expected.wrong in where
    assert expected.wrong != expected.right
    if one.variant == "fact":
        assert expected.right in one.before[0]
        assert expected.wrong not in one.before[0]
    else:
        state = system_message(CONTENT.rules, one.thread)
        assert expected.right in state
        assert expected.wrong not in state
    if one.planted:
        assert expected.wrong not in one.asks[0]


def _check_return(one: Scene) -> None:
    asked, thread = one.asks[0], one.thread
    assert (thread.label in asked) == (one.variant != "unknown_label")
    assert (thread.last_artifact_digest in asked) == (one.variant != "wrong_digest")
    assert bool(one.expected.wrong) == (one.variant in ("wrong_digest", "unknown_label"))
    if one.expected.wrong:
        assert one.expected.wrong in asked
    assert len({t.label for t in (thread, *one.others)}) == 1 + len(one.others)
    assert len(one.others) == (2 if one.variant == "several" else 0)


def test_where_several_threads_are_open_the_one_returned_to_is_not_the_first() -> None:
    one = scene("return/several")
    system = system_message(CONTENT.rules, one.thread, one.others)
    places = [system.index(t.label) for t in (one.others[0], one.thread, one.others[1])]
    assert places == sorted(places)


def test_the_system_message_keeps_the_state_from_a_subject_that_has_it_in_memory_only() -> None:
    thread = scene("return/memory").thread
    told = system_message(CONTENT.rules, thread, extended=True)
    hidden = system_message(CONTENT.rules, thread, extended=True, stated=False)
    assert thread.last_artifact_digest in told
    assert not any(x in hidden for x in (thread.label, thread.last_artifact_digest, *thread.boundaries))
    assert CONTENT.rules.tools in hidden
    assert CONTENT.rules.tools not in system_message(CONTENT.rules, thread)


def test_a_given_thread_is_used_and_gets_the_boundary_it_lacks() -> None:
    mine = Thread(
        label="Mine",
        last_artifact_digest="0" * 64,
        boundaries=("no jokes",),
        lexicon=("anchor",),
        cadence="slow",
    )
    refusal = scene("refusal/medical-doses-1", given=(mine,))
    assert refusal.thread.label == "Mine"
    assert refusal.thread.boundaries == ("no jokes", "no advice on doses of medicine")
    assert scene("exchange/01", given=(mine,)).thread == mine
    several = scene("return/several", given=(mine,))
    assert several.thread == mine
    assert len(several.others) == 2


# Schedules


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_asks_everything_once_before_anything_twice(kind: str) -> None:
    for count in (0, 1, 7, 100):
        planned = list(CONTENT.schedule(kind, count))  # type: ignore[arg-type]
        assert len(planned) == len(set(planned)) == count
    if kind not in ("return", "refusal"):
        first = [item for item, _ in CONTENT.schedule(kind, len(CONTENT.items(kind)))]  # type: ignore[arg-type]
        assert first == CONTENT.items(kind)  # type: ignore[arg-type]


def test_a_quarter_of_the_returns_is_to_be_turned_away() -> None:
    planned = Counter(item for item, _ in CONTENT.schedule("return", 24))
    assert planned == {"within": 6, "fresh": 6, "several": 6, "wrong_digest": 3, "unknown_label": 3}


def test_a_fact_says_the_same_in_the_mouth_of_either_side() -> None:
    for fact in shipped_content().asks.facts:
        assert not {"i", "my", "we", "our", "you", "your"} & set(words_of(fact.fact)), fact.fact
