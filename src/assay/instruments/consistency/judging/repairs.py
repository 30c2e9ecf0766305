"""``repairs/2``: is a planted mistake named, put right, and the task gone on with?

- ``named``: the reply says that something is not so ("that digest is not the thread's", "I said …, that was
  wrong", "there is no such boundary", "not WRONG", "you wrote WRONG, but it is RIGHT"). "Actually, it is …" alone
  names no mistake; "no mistake", "any errors" do not either.
- ``corrected``: it gives what is right (a digest also by its first 8 or more digits; a fact also by all its words
  that the false one does not have). Where there is no such thing, it says that there is none. A reply that states
  the wrong value as if it were right has corrected nothing, whatever else it says.
- ``resumed``: a clause of three words or more goes on beyond naming, correcting, apologising and restating τ.
- ``incomplete``: named, not corrected. ``defensive``: deflects, minimises, blames, or stands by it.
- ``in_time``: the latency, the time of the scored replies up to the one that repairs, is at most Δ. Without a time
  the content decides, if the settings let it, and the check says so.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.instruments.consistency.scenarios.thread import Thread

from .judgement import Check
from .mistakes import RULES as MISTAKES
from .mistakes import asserts, contrasts, denies_value
from .settings import UNTIMED, Judging
from .words import IndexedText, content_stems, stem, stop_words, words_of

__all__ = ["VERSION", "JudgedRepair", "read_repair", "within"]

VERSION = "repairs/2"
LEAST = 3  # words of a clause that goes on; one of them has to say something
MOST = 3  # such clauses kept as evidence
_RULES = Rulebook("judging/repairs")
_QUOTED = re.compile(r'"[^"\n]{1,400}"')
_HEX = re.compile(r"[0-9a-f]{8,64}")
_HEX_RUN = re.compile(r"(?<![0-9a-z])[0-9a-f]{8,64}(?![0-9a-z])")


class JudgedRepair(NamedTuple):
    """One reply as a repair. ``done`` says all of it is there; ``checks`` show each part."""

    done: bool
    named: bool
    defensive: bool
    checks: tuple[Check, ...]


def read_repair(text: IndexedText, asked: IndexedText, scenario: Scenario) -> JudgedRepair:
    """Read a reply to a planted mistake, its time apart."""
    expected = scenario.expected
    wrong = _value(text, expected.wrong, "", "wrong")
    right = _value(text, expected.right, expected.wrong, "right") if expected.right else ()
    about = _about_it(text, wrong, scenario)
    stands = asserts(text, about, right)
    correcting = right if expected.right else _absence(text, expected.wrong)
    names = {
        *text.matches(MISTAKES["denies"], "names"),
        *denies_value(text, wrong),
        *contrasts(text, wrong, right),
    }
    if not expected.right:  # that there is no such thing both names and corrects
        names.update(correcting)
    naming = tuple(sorted(names))
    label = scenario.thread.label
    if expected.right == label:
        correcting = _beyond_the_name(text, correcting, naming)
    named, corrected = bool(naming), bool(correcting) and not stands
    # the label opens every reply, so it marks no correction where it is what is right
    spent = (*naming, *about, *(() if expected.right == label else correcting))
    resuming = _resuming(text, asked, scenario.thread, spent)
    defending = text.matches(_RULES["defensive"], "defends")
    checks = (
        Check("named", named, naming),
        Check(
            "corrected",
            corrected,
            stands or correcting,
            "the wrong value is stated as right" if stands else "",
        ),
        Check("resumed", bool(resuming), resuming),
        Check("incomplete", named and not corrected),
        Check("defensive", bool(defending), defending),
    )
    return JudgedRepair(
        named and corrected and bool(resuming) and not defending, named, bool(defending), checks
    )


def within(seconds: float | None, settings: Judging) -> Check:
    """Is the latency at most Δ?"""
    if seconds is None:
        return Check("in_time", settings.untimed_counts, note=UNTIMED)
    return Check(
        "in_time", seconds <= settings.delta_seconds, note=f"{seconds:g} s of {settings.delta_seconds:g} s"
    )


def _value(text: IndexedText, value: str, against: str, name: str) -> tuple[Span, ...]:
    """Where the value stands: whole; a digest by its beginning; a line by the words that tell it apart."""
    if not value:
        return ()
    low = value.lower()
    if _HEX.fullmatch(low):
        return tuple(
            Span(found.start(), found.end(), name)
            for found in _HEX_RUN.finditer(text.low)
            if low.startswith(found.group()) and not against.lower().startswith(found.group())
        )[:20]
    if spans := text.string(value, name) or text.phrase(value, name):
        return spans
    if not against:
        return ()
    own = {stem(word) for word in words_of(value) if word not in stop_words()}
    own -= {stem(word) for word in words_of(against)}
    span = text.mentions(frozenset(own), len(own)) if own else None
    return (Span(span.start, span.end, name),) if span else ()


def _about_it(text: IndexedText, wrong: tuple[Span, ...], scenario: Scenario) -> tuple[Span, ...]:
    """Those mentions of a wrong fact that speak of the same thing: "white wine" says nothing of a white boat.

    The thing is known by the other words of the sentence in which the mistake was planted.
    """
    if scenario.variant != "fact" or not wrong:
        return wrong
    value = content_stems(scenario.expected.wrong)
    for turn in scenario.turns:
        said = IndexedText(turn.content)
        if turn.role != "system" and (there := said.string(scenario.expected.wrong, "wrong", most=1)):
            start, end = said.sentences[said.sentence_at(there[0].start)]
            thing = content_stems(said.low[start:end], scenario.thread.label) - value
            return tuple(span for span in wrong if thing & text.stems[text.sentence_at(span.start)])
    return wrong


def _absence(text: IndexedText, wrong: str) -> tuple[Span, ...]:
    """Where the reply says that there is no such thing: of the thing itself, or of "such"."""
    stems = content_stems(wrong)
    found = text.matches(_RULES["absent"], "absent")
    about = []
    for span in found:
        at = text.sentence_at(span.start)
        near = text.stems[at] | (text.stems[at - 1] if at else frozenset())
        if stems & near or _RULES.words["of_absence"] & near:
            about.append(span)
    return tuple(about)


def _beyond_the_name(
    text: IndexedText, labels: tuple[Span, ...], naming: tuple[Span, ...]
) -> tuple[Span, ...]:
    """The label opens every reply: that alone corrects nothing, unless the same sentence names the mistake."""
    if not labels or labels[0].start > text.sentences[0][1]:
        return labels
    start, end = text.sentences[0]
    return labels if any(start <= span.start < end for span in naming) else labels[1:]


def _resuming(
    text: IndexedText, asked: IndexedText, thread: Thread, spent: tuple[Span, ...]
) -> tuple[Span, ...]:
    """The clauses that go on with the task: no naming, correcting or apologising, and something said anew.

    What the thread's boundaries and lexicon say is not new: to restate them goes on with nothing.
    """
    rest = text.blanked(found.span() for found in _QUOTED.finditer(text.low)) if '"' in text.low else text
    rest = rest.blanked((span.start, span.end) for span in rest.string(thread.label, "label"))
    heard = {stem(word) for word in asked.words}
    for line in (*thread.boundaries, *thread.lexicon, thread.cadence):
        heard.update(stem(word) for word in words_of(line))
    silent = stop_words() | _RULES.words["protocol"]
    going_on = []
    for start, end in _clauses(text):
        if _RULES["sorry"].search(text.low, start, end) or any(
            s.start < end and start < s.end for s in spent
        ):
            continue
        words = [rest.low[a:b] for a, b in rest.within(start, end)]
        telling = {stem(word) for word in words if word not in silent}
        if len(words) >= LEAST and telling - heard:
            going_on.append(Span(start, end, "resumes"))
            if len(going_on) == MOST:
                break
    return tuple(going_on)


def _clauses(text: IndexedText) -> list[tuple[int, int]]:
    clauses = []
    for start, end in text.sentences:
        begin = start
        for found in _RULES["clause_end"].finditer(text.low, start, end):
            clauses.append((begin, found.start()))
            begin = found.start()
        clauses.append((begin, end))
    return clauses
