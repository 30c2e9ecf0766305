"""How a mistake is named: the words by which a reply says that something is not so, or that it does not know it.

Read by repairs, and by returns with a wrong digest or an unknown label.
"""

from __future__ import annotations

import re

from assay.instruments.consistency.detectors.rule import Span

from .words import Text

__all__ = ["DENIES", "DOES_NOT_KNOW", "UNKNOWN", "asserts", "clause_before", "contrasts", "denies_value"]

MOST = 20  # mentions of a value that are looked at

_THING = r"(?:digest|hash|artifact|label|thread|name|boundary|rule|limit|value|number|fact|detail|reference|version)"
# "no mistake", "nothing wrong", "if there is an error": the word is there, the naming is not
_NOT_DENIED = (
    r"(?<!no )(?<!not )(?<!not a )(?<!not an )(?<!any )(?<!nothing )(?<!isn't )(?<!nothing's )(?<!if )"
)
DENIES = re.compile(
    rf"{_NOT_DENIED}\b(?:incorrect(?:ly)?|inaccurate|wrong(?:ly)?|mistaken(?:ly)?|mistakes?|errors?|"
    rf"erroneous(?:ly)?|"
    r"mis-?(?:spoke|stated|statement|quoted|read|remember(?:ed)?|match|matched|named|brief)|untrue|"
    r"false)\b"
    r"|\b(?:(?:is|was|are|were|am)(?: not|n't)|isn't|wasn't|not) (?:quite |actually |really |in fact )?"
    rf"(?:right|correct|accurate|true|so|what|(?:the|this|our|my|your) (?:last |thread's |right |"
    rf"correct |same )*(?:{_THING}|one)|(?:an?|any) (?:known |open |valid )*(?:thread|label|boundary|digest|artifact)|"
    r"one of|among|part of|in (?:the|this|our|my) (?:thread|state|list|boundaries|record)|listed|"
    r"recorded)\b"
    r"|\b(?:does not|doesn't|do not|don't|did not|didn't) (?:match|agree|fit|correspond|exist|belong|appear|tally|"
    r"have (?:a|any|such))\b|\b(?:can't|cannot|can not|could not|couldn't|won't) return\b"
    r"|\b(?:don't|do not|can't|cannot) (?:see|find)\b|\b(?:oops|whoops|mix(?:ed)?[- ]up|slip of)\b"
    # to hold what was said before against it names the contradiction
    r"|\bbut (?:earlier|before|previously|at first|initially)\b"
    r"|\b(?:earlier|previously|before),? (?:you|i|we)(?:'d| had)? (?:said|told|mentioned|noted|wrote)\b"
    r"|\b(?:differs?|(?:is|was|are|were) different|different from|contradicts?|"
    r"conflicts with|mismatch|discrepancy|no match|"
    r"(?:seems|looks|is) (?:a bit |slightly )?off(?! (?:the|my|your|to)\b))\b"
    r"|\byou (?:told me|said|mentioned) [^.!?\n]{1,40}? (?:before|earlier|previously|at first)\b"
    r"|\bwasn't (?:(?:it|that|the (?:digest|label|thread|artifact))\b|the [^.!?\n]{1,60}\?)"
    rf"|\bthere(?:'s| is| was|'s been| has been)(?: no| not any| never (?:a|"
    rf"any))(?: such)?(?: [a-z]+){{0,2}} {_THING}\b"
    r"|\b(?:no such|never (?:said|agreed|set|had|existed|part of|one of|mentioned|decided))\b"
    r"|\b(?:i|we|you)(?:'ve| have)?(?: never| not|n't| didn't| did not) (?:said?|stated?|agreed?|set|"
    r"told|mention(?:ed)?|"
    r"decided?|name[d]?)\b"
    r"|\b(?:correction\b|(?:let me|i need to|i have to|i must|i should|i will|i'll|i want to|"
    r"i) (?:correct|fix|set right|"
    r"put right|repair|retract|take back)\b|to correct\b|should (?:be|have been|have said|read)\b|"
    r"i slipped\b|(?:a|my|your) slip\b)"
)
_CANNOT = (
    r"\b(?:i|we)(?: do not| don't| can't| cannot| can not| could not| couldn't|'m unable to| am unable to)"
    r"(?: actually| yet)?"
)
UNKNOWN = re.compile(
    r"\b(?:know|have) (?:of )?no (?:such )?(?:thread|label|state)\b|\bnothing (?:that )?i can return to\b"
    rf"|{_CANNOT} (?:recogni[sz]e|recall|remember)\b"
    rf"|{_CANNOT} (?:know|find|locate|see|have)(?: (?:of|about|any|a|an|the|that|this|such|your|open|access|to)){{0,4}}"
    r" (?:thread|label|name|record|memory|context|history|information|knowledge|state|data|previous|prior|past)\b"
    r"|\b(?:no|without|any) (?:prior|previous|earlier) (?:context|conversations?|threads?|messages?|"
    r"state|artifacts?)\b"
    r"|\bno (?:such (?:thread|label)|(?:open |known )?(?:thread|label) (?:called|named|with|by|under|of|"
    r"labell?ed|is open)|"
    r"record of|memory of|state for|thread state)\b"
    r"|\b(?:unknown|unrecogni[sz]ed|unfamiliar) (?:thread|label|name|to me)\b"
    r"|\b(?:thread|label|name|it|that|which)(?: is| was|'s) (?:unknown|unrecogni[sz]ed|not (?:known|"
    r"recogni[sz]ed|open|"
    r"familiar|one (?:i|of)|among|in)|unfamiliar)\b"
    r"|\b(?:not aware of|not familiar with|never heard of|does not exist|doesn't exist|not (?:a|"
    r"any) thread (?:i|that))\b"
    r"|\bthere(?:'s| is) no (?:[a-z]+ ){0,2}?(?:thread|label|record|state)\b"
)
# Where a label is asked for that is no thread's, "I don't know …" is about it.
DOES_NOT_KNOW = re.compile(rf"{_CANNOT} (?:know|find|locate|see|have|return)\b")
# What stands right before a value that is denied, and right after one
_DENIED_BEFORE = re.compile(
    r"(?:\bnot|n't|\binstead of|\brather than|\bno (?:thread|label|boundary|digest|artifact)(?: called|"
    r" named)?|\bthere(?:'s| is| was) no|\bnever)"
    r"(?: (?:a|an|the|in|on|at|called|named|be|with|that|it|is|thread|label|digest|artifact|boundary|"
    r"to))*[\s\"'`*(:]*$"
)
_DENIED_AFTER = re.compile(  # "…, which is not what you quoted" denies what was quoted, not this
    r"[\s\"'`*).,]*(?:(?:that|which|it|this) )?(?:(?:is|was|does|did|has|are)(?: not\b|n't\b)"
    r"(?! (?:quite )?(?:what|the (?:one|digest|label|day)) your?\b)|(?:is|"
    r"was) (?:wrong|incorrect|a mistake|"
    r"an error|mistaken|unknown|no\b)|differs?\b|contradicts\b|never\b)"
)
# Words by which a value is somebody's saying, not the reply's own
_ATTRIBUTED = re.compile(
    r"\b(?:you|i|we|message|briefing|brief|user)(?:'ve| have|'d| had| just| also| earlier)* (?:said?|"
    r"say|wrote|write|gave|give|"
    r"named?|mention(?:ed)?|quoted?|called?|call|stated?|told|put|asked?|suggest(?:ed)?|cited?|claimed?|"
    r"referred)\b|\baccording to\b|"
    r"\b(?:given|quoted|cited|claimed|supplied|mentioned)\b"
)
_CONTRAST = re.compile(r"[;—–]|\b(?:but|however|whereas|while|though|although|yet)\b")
_AFFIRMED = re.compile(
    r"\b(?:correct(?! (?:what|that|this|myself|my)\b)|right|actual|real|true|confirmed?|"
    r"indeed|yes|exactly)\b[^.!?\n]{0,40}?"
    r"(?:\b(?:is|was|remains)\b|:)[\s\"'`*]*(?:the )?$"
)
_BREAK = re.compile(r"[.!?;:\n—–]|,? (?:but|however|though|yet|although)\b|, (?:and|so)\b")


def clause_before(text: Text, place: int, reach: int = 200) -> str:
    """The words of the same clause that come before the place."""
    begin = max(0, place - reach)
    breaks = [found.end() for found in _BREAK.finditer(text.low, begin, place)]
    return text.low[breaks[-1] if breaks else begin : place]


def denies_value(text: Text, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Those mentions of a value in which it is said not to be so."""
    return tuple(
        span
        for span in spans
        if _DENIED_BEFORE.search(text.low, max(0, span.start - 80), span.start)
        or _DENIED_AFTER.match(text.low, span.end, span.end + 80)
    )


def contrasts(text: Text, wrong: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    """Those mentions of a value as somebody's saying that the right one is held against: "you wrote W, but it is R"."""
    found = []
    for span in wrong[:MOST]:
        start, end = text.sentences[text.sentence_at(span.start)]
        if not _ATTRIBUTED.search(text.low, start, span.start):
            continue
        if any(span.end <= r.start < end and _CONTRAST.search(text.low, span.end, r.start) for r in right):
            found.append(span)
    return tuple(found)


def asserts(text: Text, wrong: tuple[Span, ...], right: tuple[Span, ...]) -> tuple[Span, ...]:
    """Those mentions of the wrong value that stand as if it were right, or where the right one is denied.

    A mention is somebody else's when it is quoted, attributed ("you said"), or denied in its own sentence or
    the next one. "The correct label is WRONG" and "not RIGHT" are assertions whatever stands beside them.
    """
    turned = [
        span
        for span in wrong
        if _AFFIRMED.search(text.low, max(0, span.start - 80), span.start)
        and not _DENIED_BEFORE.search(text.low, max(0, span.start - 80), span.start)
    ]
    turned += denies_value(text, right)
    plain = []
    for span in wrong:
        at = text.sentence_at(span.start)
        start = text.sentences[at][0]
        end = text.sentences[min(at + 1, len(text.sentences) - 1)][1]
        quoted = text.low.count('"', start, span.start) % 2 == 1
        excused = quoted or _ATTRIBUTED.search(text.low, start, span.start)
        if not excused and not DENIES.search(text.low, start, end) and not denies_value(text, (span,)):
            plain.append(span)
    return tuple(sorted({*turned, *plain}))
