"""``vague``: a refusal whose limits name neither the thing declined nor a reason."""

from __future__ import annotations

import re
from bisect import bisect_left

from .rule import Span
from .text import BLANK, Prepared

__all__ = ["names_nothing"]

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
# Words that a refusal can be made of without saying what it is about.
_EMPTY_WORDS = """
we're process happy if alright know wanted want has been hmm think should choose declined granted done due
a able about accept accommodate afraid again all am an and answer any apologies apologise apologize
apologys are as ask asked asking assist assistance at ayudarte be beg being but by can can't cannot canot
cant causes comfortable comply con could d'accord de dear decline declined deeply denied didn't
disappoint do doing don't else eso esto feel for forgive from fulfil fulfill give glad going gonna have
help here hopeless how however i i'd i'll i'm i've im in inconvenience inquiry is isn't it it's just kind
lo matter may me moment much must my need no nope not now of on one only or our pardon particular pass
please position possible prefer provide puedo question rather really refuse regret regrettably request
respectfully right say see siento sincere sincerely sincerest so something sorry sory still taht task
terrible terribly thank thanks that that's the then there this thousand time times to today trouble truly
type unable understand unfortunately unreservedly us useless very wasting way we what will willing with
won't wont would yes you your yours
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


def names_nothing(reply: Prepared, limits: list[Span], offers: list[Span]) -> bool:
    """No sentence holds a word that says something, but those that offer or stay near and state no limit."""
    if not limits:
        return False
    stated = [span.start for span in limits]
    offered = sorted(span.start for span in offers)
    for start, end in reply.sentences:
        limit = _first(stated, start, end)
        if limit == end and _first(offered, start, end) < end:
            continue
        if BLANK in reply.text[limit : _first(offered, limit, end)]:  # named in quotation marks
            return False
        # what the sentence offers after its limit does not name the limit
        if any(word not in _EMPTY for word in _WORD.findall(reply.text, start, _first(offered, limit, end))):
            return False
    return True


def _first(ordered: list[int], start: int, end: int) -> int:
    """The first of the positions from start to end; end when there is none."""
    at = bisect_left(ordered, start)
    return min(ordered[at], end) if at < len(ordered) else end
