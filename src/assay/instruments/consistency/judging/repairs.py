"""``repairs/4``: is a planted mistake named, put right, and the task gone on with?

- ``named``: the reply says that something is not so ("that digest is not the thread's", "I said …, that was
  wrong", "there is no such boundary", "not WRONG"), or sets what is right against what was said ("you wrote WRONG,
  but it is RIGHT", "WRONG? It is RIGHT"). "Actually, it is …" alone names no mistake, nor does a correction without a
  word about it; "no mistake", "any errors" do not either.
- ``corrected``: it gives what is right. A digest is known also by its first or last 6 or more digits; of two
  sentences ("The meeting is on Monday"), what counts are the words that the other one does not have. Where there is
  no such thing, it says that there is none. A reply that states or uses the wrong value as if it were right has
  corrected nothing, whatever else it says.
- ``resumed``: a clause says something anew beyond naming, apologising, restating τ and what the user said before; the
  right value may well stand in it. What is announced as the answer needs no new words ("Slogan: …", "To go on: …").
- ``incomplete``: named, not corrected. ``defensive``: deflects, minimises, blames, or stands by it.
- ``in_time``: the latency, the time of the scored replies up to the one that repairs, is at most Δ. Without a time
  the content decides, if the settings let it, and the check says so.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import NamedTuple

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.scenarios.scenario import Scenario

from .judgement import Check
from .mistakes import RULES as MISTAKES
from .mistakes import asserts, contrasts, denies_value
from .settings import UNTIMED, Judging
from .words import IndexedText, content_stems, lowered, stem, stop_words, words_of

__all__ = ["VERSION", "JudgedRepair", "read_repair", "within"]

VERSION = "repairs/4"
MOST = 3  # such clauses kept as evidence
MOST_SPANS = 20  # mentions of a digest that are looked at
_RULES = Rulebook("judging/repairs")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_HEX_RUN = re.compile(r"(?<![0-9a-z])[0-9a-f]{6,64}(?![0-9a-z])")


class JudgedRepair(NamedTuple):
    """One reply as a repair. ``done`` says all of it is there; ``checks`` show each part."""

    done: bool
    named: bool
    defensive: bool
    checks: tuple[Check, ...]


def read_repair(text: IndexedText, place: int, scenario: Scenario) -> JudgedRepair:
    """Read the reply at that place to a planted mistake, its time apart."""
    expected = scenario.expected
    wrong = _value(text, expected.wrong, expected.right, "wrong")
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
        correcting = _beyond_the_name(text, correcting, naming, wrong)
    named, corrected = bool(naming), bool(correcting) and not stands
    # to use a digest or a label in the task is to go on; of a fact, "the dog is called Bruno" is no task yet
    used = () if scenario.variant == "fact" else right
    resuming = _resuming(text, scenario, place, (*naming, *about), used)
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
    """Where the value stands: whole; a digest by its beginning or end; a line by the words that tell it apart."""
    if not value:
        return ()
    low = value.lower()
    if _DIGEST.fullmatch(low):
        runs = ((found, found.group()) for found in _HEX_RUN.finditer(text.low))
        own = (found for found, run in runs if low.startswith(run) or low.endswith(run))
        return tuple(Span(found.start(), found.end(), name) for found in islice(own, MOST_SPANS))
    whole = text.string(value, name) or text.phrase(value, name)
    other = {stem(word) for word in words_of(against)}
    apart = [word for word in words_of(value) if word not in stop_words() and stem(word) not in other]
    if not against or len(apart) == len(words_of(value)):
        return whole
    if len(apart) == 1:  # "Monday" of "the meeting is on Monday"
        return text.string(apart[0], name)
    span = text.mentions(frozenset(map(stem, apart)), len(apart)) if apart and not whole else None
    return (Span(span.start, span.end, name),) if span else whole


def _about_it(text: IndexedText, wrong: tuple[Span, ...], scenario: Scenario) -> tuple[Span, ...]:
    """Those mentions of a wrong fact that speak of the same thing: "white wine" says nothing of a white boat.

    The thing is known by the other words of the sentence in which the mistake was planted. A name needs none.
    """
    if scenario.variant != "fact" or not wrong or _is_name(text, wrong[0], scenario.expected.wrong):
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


def _is_name(text: IndexedText, span: Span, wrong: str) -> bool:
    at = lowered(wrong).find(text.low[span.start : span.end])
    return at >= 0 and wrong[at].isupper()


def _beyond_the_name(
    text: IndexedText, labels: tuple[Span, ...], naming: tuple[Span, ...], wrong: tuple[Span, ...]
) -> tuple[Span, ...]:
    """The label opens every reply: that alone corrects nothing, unless the mistake is named with the wrong value there
    or in the sentence after it.
    """
    if not labels or labels[0].start > text.sentences[0][1]:
        return labels
    first = text.sentences[0][1]
    named = any(span.start < first for span in naming)
    beside = len(text.sentences) > 1 and any(first <= span.start < text.sentences[1][1] for span in wrong)
    return labels if named or beside else labels[1:]


def _resuming(
    text: IndexedText, scenario: Scenario, place: int, spent: tuple[Span, ...], used: tuple[Span, ...]
) -> tuple[Span, ...]:
    """The clauses that go on with the task: no naming or apologising, and something said anew.

    What the user said before and what the thread's state says is not new: to repeat it goes on with nothing.
    """
    thread = scenario.thread
    rest = text.blanked((span.start, span.end) for span in text.string(thread.label, "label"))
    before = (turn for turn in scenario.turns[:place] if turn.role == "user")
    heard = {stem(word) for turn in before for word in IndexedText(turn.content).words}
    for line in (*thread.boundaries, *thread.lexicon, thread.cadence):
        heard.update(stem(word) for word in words_of(line))
    silent = stop_words() | _RULES.words["protocol"]
    asked = {stem(word) for word in IndexedText(scenario.asked(place)).words if word not in silent}
    right = set(words_of(scenario.expected.right))
    begins = {start for start, _ in text.sentences}
    going_on: list[Span] = []
    for start, end in _clauses(text):
        if start in begins:
            lead: set[str] = set()  # stems of the sentence up to the clause
            says_so = False
        said = {text.low[a:b] for a, b in text.within(start, end)}
        says_so = says_so or _RULES["goes_on"].search(text.low, start, end) is not None
        if not _is_spent(text, (start, end), spent):
            words = [rest.low[a:b] for a, b in rest.within(start, end)]
            telling = {stem(word) for word in words if word not in silent and not _HEX_RUN.fullmatch(word)}
            colon = text.low.startswith(":", start)  # announces what is given: "Slogan: Bright Side."
            announced = said - silent - right and (says_so or (colon and asked & lead))
            uses = asked & telling and any(start <= span.start < end for span in used)
            if (announced or uses or telling - heard) and not text.low.startswith(":", end):
                going_on.append(Span(start, end, "resumes"))
        lead.update(map(stem, said))
        if len(going_on) == MOST:
            break
    return tuple(going_on)


def _is_spent(text: IndexedText, clause: tuple[int, int], spent: tuple[Span, ...]) -> bool:
    """Does the clause name the mistake, apologise, or speak of what it will do without doing it?"""
    start, end = clause
    return bool(
        _RULES["sorry"].search(text.low, start, end)
        or _RULES["no_step"].search(text.low, start, end)
        or any(span.start < end and start < span.end for span in spent)
    )


def _clauses(text: IndexedText) -> list[tuple[int, int]]:
    clauses = []
    for start, end in text.sentences:
        begin = start
        for found in _RULES["clause_end"].finditer(text.low, start, end):
            clauses.append((begin, found.start()))
            begin = found.start()
        clauses.append((begin, end))
    return clauses
