"""``order/2``: Start → Name → Mirror → TinyMove → Stop, as an automaton over the parts found in a reply.

========  =======================================================================================================
Name      the first time the label stands in the reply: the exact string, in any case, not part of a longer word
Mirror    the first run of at least ``mirror_words`` words of the user's message, verbatim, at least one of them
          no stop word; the label, digests and the protocol's own nouns are no words of a Mirror
TinyMove  at least three words outside of Name and Mirror: what follows them, or a whole sentence before or
          between them (a short lead-in such as "Here in" before the label is none)
Stop      the move has at most ``move_words`` words, and no paragraph of further offers and no second question
          comes after it
========  =======================================================================================================

Where the user's message has fewer words than a Mirror needs, all of them have to be repeated. Order is all that is
read here: "I can't resist: …" is a move, and so is a sentence that declines. Whether the reply declines is a check for
information; that requests within the boundary are declined shows in ``false_refusals``.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.scenarios.thread import Thread

from .settings import Judging
from .words import IndexedText, stop_words, words_of

__all__ = ["EDGES", "STATES", "VERSION", "Edge", "Walk", "edges_of", "walk"]

VERSION = "order/2"
STATES = ("Start", "Name", "Mirror", "TinyMove", "Stop")
LEAST_MOVE = 3  # words
LEAD_IN = 6  # words before the label in its own sentence, from which they are a move


class Edge(NamedTuple):
    """A step from one part to the next."""

    origin: str
    target: str


EDGES = tuple(Edge(origin, target) for origin, target in pairwise(STATES))

_RULES = Rulebook("judging/order")
_HEX = re.compile(r"[0-9a-f]{8,64}")
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n")


class Walk(NamedTuple):
    """The path of a reply. ``edges`` in order, ``violations`` by name, ``spans`` named after the states."""

    edges: tuple[Edge, ...]
    violations: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def legal(self) -> bool:
        return not self.violations

    @property
    def path(self) -> str:
        """The edges in words: ``Start>Name Name>Mirror …``."""
        return " ".join(f"{edge.origin}>{edge.target}" for edge in self.edges)


def edges_of(path: str) -> tuple[Edge, ...]:
    """The edges of a path as ``Walk.path`` writes it, where only the judgement is at hand."""
    return tuple(Edge(*step.split(">")) for step in path.split())


def walk(reply: IndexedText | str, asked: IndexedText | str, thread: Thread, settings: Judging) -> Walk:
    """Follow the automaton through the reply to ``asked``."""
    reply = IndexedText(reply) if isinstance(reply, str) else reply
    asked = IndexedText(asked) if isinstance(asked, str) else asked
    name = next(iter(reply.string(thread.label, "Name", most=1)), None)
    mirror = _mirror(reply, asked, thread, settings.mirror_words)
    moves = _moves(reply, name, mirror)
    last = moves[-1] if moves else None
    runs_on = last is not None and _runs_on(reply, last, settings.move_words)
    parts = sorted([part for part in (name, mirror, *moves) if part is not None])
    states = ["Start", *(part.rule for part in parts)]
    edges = [Edge(origin, target) for origin, target in pairwise(states)]
    if runs_on:
        edges.append(Edge("TinyMove", "TinyMove"))
    edges.append(Edge(states[-1], "Stop"))
    first = moves[0].start if moves else len(reply.low)
    found = {
        "missing_name": name is None,
        "missing_mirror": mirror is None,
        "missing_move": last is None,
        "mirror_before_name": name is not None and mirror is not None and mirror.start < name.start,
        "move_before_name": name is not None and first < name.start,
        "move_before_mirror": mirror is not None and first < mirror.start,
        "no_stop": runs_on,
    }
    return Walk(tuple(edges), tuple(key for key, holds in found.items() if holds), tuple(parts))


def _mirror(reply: IndexedText, asked: IndexedText, thread: Thread, least: int) -> Span | None:
    label = words_of(thread.label)
    runs = _runs(asked.words, label)
    size = min(least, max(map(len, runs), default=0))
    if size == 0:
        return None
    stop = stop_words()
    phrases = {
        tuple(gram)
        for run in runs
        for at in range(len(run) - size + 1)
        if not stop.issuperset(gram := run[at : at + size])
    }
    words = reply.words
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) in phrases:
            end = at + size
            while end < len(words) and tuple(words[end - size + 1 : end + 1]) in phrases:
                end += 1
            return Span(reply.places[at][0], reply.places[end - 1][1], "Mirror")
    return None


def _runs(words: list[str], label: tuple[str, ...]) -> list[list[str]]:
    """The stretches of the user's words between labels, digests and protocol nouns."""
    protocol = _RULES.words["protocol"]
    runs: list[list[str]] = [[]]
    at = 0
    while at < len(words):
        if tuple(words[at : at + len(label)]) == label:
            runs.append([])
            at += len(label)
            continue
        if words[at] in protocol or _HEX.fullmatch(words[at]):
            runs.append([])
        else:
            runs[-1].append(words[at])
        at += 1
    return [run for run in runs if run]


def _moves(reply: IndexedText, name: Span | None, mirror: Span | None) -> list[Span]:
    """Stretches of text that are neither Name nor Mirror and long enough to be a move, in order."""
    marks = sorted(span for span in (name, mirror) if span is not None)
    moves = []
    begin = 0
    for mark in marks:
        if move := _early_move(reply, begin, mark, in_lead=begin == 0 and mark.rule == "Name"):
            moves.append(move)
        begin = max(begin, mark.end)
    rest = [place for place in reply.places if place[0] >= begin]
    if len(rest) >= LEAST_MOVE:
        moves.append(Span(rest[0][0], rest[-1][1], "TinyMove"))
    return moves


def _early_move(reply: IndexedText, begin: int, mark: Span, *, in_lead: bool) -> Span | None:
    """A whole sentence before the sentence of the mark, or many words on the way to it."""
    own = mark.start if in_lead else max(begin, reply.sentences[reply.sentence_at(mark.start)][0])
    way = [place for place in reply.places if begin <= place[0] and place[1] <= own]
    # the end of the sentence that holds the part before; at the beginning there is none
    after = reply.sentences[reply.sentence_at(begin - 1)][1] if begin else 0
    before = reply.sentences[reply.sentence_at(mark.start)][0]
    whole = [place for place in way if after <= place[0] and place[1] <= before]
    found = way if len(way) >= LEAD_IN else whole
    return Span(found[0][0], found[-1][1], "TinyMove") if len(found) >= LEAST_MOVE else None


def _runs_on(reply: IndexedText, move: Span, most: int) -> bool:
    words = sum(1 for start, end in reply.places if move.start <= start and end <= move.end)
    text = reply.low[move.start : move.end + 3]
    further = _PARAGRAPH.split(text)[1:]
    return words > most or text.count("?") > 1 or any(map(_RULES["offer"].search, further))
