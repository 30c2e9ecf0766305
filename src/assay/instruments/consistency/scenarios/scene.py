"""How a thread is established and what a scenario is about, drawn from the instance's stream.

All of it is a pure function of content, item and stream, so two subjects that meet one instance meet the same thread.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from assay.canonical import sha256_hex
from assay.streams import Stream

from .content import Content, HouseRules
from .scenario import Expected, Kind
from .secrets import draw_confidence
from .thread import CADENCES, Thread

__all__ = ["Scene", "draw_scene", "draw_thread", "system_message"]

LEXICON = 2  # words; every one is wanted in every reply of at most 80 words
BOUNDARIES = 3  # each of another kind


class Scene(Struct, frozen=True, kw_only=True):
    """A scenario before it is played: its thread, and what will be said in it."""

    kind: Kind
    variant: str
    thread: Thread
    others: tuple[Thread, ...] = ()
    expected: Expected = Expected()
    before: tuple[str, ...] = ()  # what the user says first; not scored
    planted: str = ""  # the subject's answer to it, where we write that
    asks: tuple[str, ...]  # what is scored


def draw_scene(content: Content, given: Sequence[Thread], item: str, stream: Stream) -> Scene:
    """The scenario of an item (``KIND/NAME``). ``given`` are a user's own threads, taken instead of drawn ones."""
    kind, _, name = item.partition("/")
    if kind == "return":
        return _return(content, given, name, stream)
    if kind in ("refusal", "near_miss"):
        return _request(content, given, "refusal" if kind == "refusal" else "near_miss", name, stream)
    if kind == "repair":
        return _repair(content, given, name, stream)
    thread = _thread(content, given, stream)
    if kind == "artifact":
        return _artifact(content, thread, int(name) - 1, stream)
    if kind == "promise":
        promise = content.asks.promises[int(name) - 1]
        ask = stream.choice(content.asks.promise_ways).format(task=promise.task)
        expected = Expected(delivers=promise.marks)
        return Scene(kind="promise", variant="asked", thread=thread, expected=expected, asks=(ask,))
    assert kind == "exchange", f"there is no kind {kind!r}"
    return Scene(kind="exchange", variant=name, thread=thread, asks=(content.asks.exchanges[int(name) - 1],))


def draw_thread(content: Content, stream: Stream, boundary: str = "") -> Thread:
    """A thread that no other instance has. ``boundary`` is one that it must have."""
    words = content.words
    lexicon = stream.shuffled(words.lexicon)[:LEXICON]
    kinds: dict[str, str] = {}  # one boundary a kind
    for drawn in stream.shuffled(content.boundaries):
        if drawn.boundary == boundary:
            kinds[drawn.kind] = boundary
        else:
            kinds.setdefault(drawn.kind, drawn.boundary)
    others = [text for text in kinds.values() if text != boundary]
    chosen = [boundary, *others] if boundary else others
    artifact = _last_artifact(content, stream)
    return Thread(
        label=f"{stream.choice(words.first)} {stream.choice(words.second)} {stream.integer(10_000, 99_999)}",
        last_artifact_digest=sha256_hex(artifact.encode()),
        boundaries=tuple(stream.shuffled(chosen[:BOUNDARIES])),
        lexicon=tuple(lexeme.word for lexeme in lexicon),
        cadence=stream.choice(CADENCES),
        synonyms={lexeme.word: lexeme.synonyms for lexeme in lexicon},
        artifact=artifact,
    )


def _last_artifact(content: Content, stream: Stream) -> str:
    words = content.words
    first, second, third = stream.shuffled(words.things)[:3]
    return stream.choice(words.last_artifacts).format(
        number=stream.integer(100_000, 999_999),
        place=stream.choice(words.places),
        person=stream.choice(words.people),
        first=first,
        second=second,
        third=third,
    )


def _thread(content: Content, given: Sequence[Thread], stream: Stream, boundary: str = "") -> Thread:
    """A given thread gets the boundary that a scenario is about where it lacks it; its digest and label stay."""
    if not given:
        return draw_thread(content, stream, boundary)
    thread = stream.choice(given)
    if boundary and boundary not in thread.boundaries:
        return msgspec.structs.replace(thread, boundaries=(*thread.boundaries, boundary))
    return thread


def system_message(
    rules: HouseRules,
    thread: Thread,
    others: Sequence[Thread] = (),
    *,
    extended: bool = False,
    stated: bool = True,
) -> str:
    """What a conversation begins with. Where others are open too, the thread is not the first one.

    The rules come first: what every conversation shares can then be kept by an endpoint's cache.
    """
    parts = [rules.opening, rules.rules]
    if extended:
        parts.append(rules.tools)
    if stated:
        parts.append(rules.several_threads if others else rules.one_thread)
        threads = (others[0], thread, *others[1:]) if others else (thread,)
        parts += [json.dumps(each.state(), ensure_ascii=False) for each in threads]
    else:
        parts.append(rules.in_memory)
    return "\n\n".join(parts)


def _return(content: Content, given: Sequence[Thread], variant: str, stream: Stream) -> Scene:
    thread = _thread(content, given, stream)
    label, digest, wrong = thread.label, thread.last_artifact_digest, ""
    others: tuple[Thread, ...] = ()
    if variant == "several":
        rest = [t for t in given if t.label != label][:2]
        rest += [draw_thread(content, stream) for _ in range(2 - len(rest))]
        others = tuple(rest)
    elif variant == "wrong_digest":
        wrong = digest = draw_thread(content, stream).last_artifact_digest
    elif variant == "unknown_label":
        wrong = label = draw_thread(content, stream).label
    turns = {"within": 2, "fresh": 1, "several": 1}.get(variant, 0)
    return Scene(
        kind="return",
        variant=variant,
        thread=thread,
        others=others,
        expected=Expected(wrong=wrong),
        before=tuple(stream.shuffled(content.asks.exchanges)[:turns]),
        asks=(content.rules.return_.format(label=label, digest=digest),),
    )


def _request(content: Content, given: Sequence[Thread], kind: Kind, name: str, stream: Stream) -> Scene:
    boundary = content.boundary(name)
    thread = _thread(content, given, stream, boundary.boundary)
    if kind == "refusal" and content.has_canary(name):
        assert boundary.confided is not None, f"nothing is confided at {boundary.id}"
        told, forbidden = draw_confidence(content, boundary.confided, stream)
        return Scene(
            kind=kind,
            variant=boundary.kind,
            thread=thread,
            expected=Expected(forbidden=forbidden),
            before=(told,),
            asks=(boundary.confided.ask,),
        )
    ask = boundary.outside[int(name.rpartition("-")[2]) - 1] if kind == "refusal" else boundary.near
    return Scene(kind=kind, variant=boundary.kind, thread=thread, asks=(ask,))


def _repair(content: Content, given: Sequence[Thread], name: str, stream: Stream) -> Scene:
    """An error about the thread or the conversation, in the user's turn or in a turn written in the subject's name."""
    slip, _, place = name.partition("-")
    rules, thread = content.rules, _thread(content, given, stream)
    other, then = draw_thread(content, stream), stream.choice(content.asks.exchanges)
    before: tuple[str, ...] = ()
    if slip == "fact":
        fact = stream.choice(content.asks.facts)
        right, wrong = stream.shuffled(fact.values)[:2]
        before, then = (rules.fact.format(fact=fact.fact.format(value=right)),), fact.then
        said = fact.fact.format(value=wrong)
    elif slip == "digest":
        said, wrong, right = "", other.last_artifact_digest, thread.last_artifact_digest
    elif slip == "label":
        said, wrong, right = "", other.label, thread.label
    else:
        said, wrong, right = "", stream.choice(content.asks.foils), ""
    fill = {
        "wrong": said or wrong,
        "then": then,
        "label": thread.label,
        "lexicon": " and ".join(thread.lexicon),
    }
    mistake = next(words for key, words in rules.mistakes.items() if key == slip)
    own = place == "own"
    if own and slip != "fact":  # the subject is made to answer the request, and the talk goes on from there
        before, ask = (then,), stream.choice(rules.after_own)
    else:
        ask = then if own else mistake.user.format(**fill)
    return Scene(
        kind="repair",
        variant=slip,
        thread=thread,
        expected=Expected(wrong=wrong, right=right, where="own" if own else "user"),
        before=before,
        planted=mistake.own.format(**fill) if own else "",
        asks=(ask,),
    )


def _artifact(content: Content, thread: Thread, place: int, stream: Stream) -> Scene:
    """One artifact, several in one reply, or one and then another."""
    asks, first = content.asks, content.asks.artifacts[place]
    rest = stream.shuffled([thing for thing in asks.artifacts if thing != first])
    variant = stream.choice(("one", "several", "another"))
    count = {"one": 1, "several": stream.integer(2, 3), "another": 2}[variant]
    if variant == "several":
        things = [first, *rest[: count - 1]]
        listed = f"{', '.join(things[:-1])} and {things[-1]}"
        way = stream.choice(asks.several_artifacts)
        said = [way.format(count={2: "two", 3: "three"}[count], things=listed)]
    else:
        said = [stream.choice(asks.one_artifact).format(thing=first)]
        if variant == "another":
            said.append(stream.choice(asks.another_artifact).format(thing=rest[0]))
    return Scene(
        kind="artifact", variant=variant, thread=thread, expected=Expected(artifacts=count), asks=tuple(said)
    )
