"""``returns/4``: does a return restore τ, and does a second one change nothing?

What each check of ``M1`` accepts (``M1_exact`` in brackets):

- ``label``: the label in any case, whole [the very string]; a reply that says it does not know the thread has not
  restated it.
- ``digest``: all 64 digits, or a *semantically equivalent reference*: the digits in groups; the first 8 or more, if
  no other open thread's digest begins so; or a summary that shares at least ``summary_words`` rare words with the
  artifact (words of four letters or more that stand neither in τ, nor in the user's message, nor in another open
  thread's artifact). Another digest beside it, or another thread's artifact, is a mismatch [all 64 digits, no other].
- ``boundaries``: at least one sentence holds half of the words that say something in one boundary, by their stems,
  or one of them and a word that declines ("I'll not tell anybody what to eat for an illness")
  [every boundary word by word, and no other claimed in the list of boundaries].
- ``lexicon``: every token, with synonyms [as a set: each as written, and no other claimed in the list].
- ``cadence``: named, and no other cadence claimed.
- ``bounded``: at most ``reply_words`` words.

A success of ``M1`` needs label, digest, boundaries and bounded (the spec's definition); ``M1_exact`` needs all.
A second return needs four more: ``same_structure`` (the same parts of τ stated), ``same_state`` (the same digest,
boundaries, tokens, cadence), ``nothing_added`` (at most ``added_words`` new words), ``no_escalation`` (not much
longer, no louder, no reproach).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.instruments.consistency.scenarios.thread import Thread

from .claims import other_boundaries, other_tokens
from .judgement import Check
from .lexicon import token_checks
from .mistakes import RULES as MISTAKES
from .mistakes import asserts, denies_value
from .settings import Judging
from .words import IndexedText, content_stems, lowered, needed, stem, stop_words, words_of

__all__ = [
    "FAILURES",
    "VERSION",
    "again_checks",
    "exact_checks",
    "return_checks",
    "unknown_label",
    "wrong_digest",
]

VERSION = "returns/4"
FAILURES = {
    "label": "state_amnesia",
    "digest": "artifact_mismatch",
    "boundaries": "boundary_loss",
    "lexicon": "state_amnesia",
    "cadence": "state_amnesia",
    "bounded": "flooding",
    "same_structure": "idempotence_violation",
    "same_state": "idempotence_violation",
    "nothing_added": "idempotence_violation",
    "no_escalation": "idempotence_violation",
}
RARE = 4  # letters
SLACK = 15  # words by which any second reply may be longer
_RULES = Rulebook("judging/returns")
_HEX = re.compile(r"(?<![0-9a-z])[0-9a-f]{8,}(?![0-9a-z])")
_GROUPS = re.compile(r"(?<![0-9a-z])[0-9a-f]{4,32}(?:[ :\n-][0-9a-f]{4,32}){1,15}(?![0-9a-z])")


@cache
def _formula() -> frozenset[str]:
    """Stems of words that any return may use."""
    return frozenset(map(stem, _RULES.words["formula"]))


class Digests(NamedTuple):
    exact: tuple[Span, ...]
    short: tuple[Span, ...]  # its beginning, unambiguously
    foreign: tuple[Span, ...]  # other digests, or parts of them


def _digests(text: IndexedText, scenario: Scenario) -> Digests:
    own = scenario.thread.last_artifact_digest
    others = [thread.last_artifact_digest for thread in scenario.others]
    labels = " ".join(lowered(thread.label) for thread in (scenario.thread, *scenario.others))
    exact, short, foreign = [], [], []
    grouped = [
        Span(found.start(), found.end(), "digest")
        for found in _GROUPS.finditer(text.low)
        if re.sub("[^0-9a-f]", "", found.group()) == own
    ]
    if grouped:
        short += grouped
        text = text.blanked((span.start, span.end) for span in grouped)
    for found in _HEX.finditer(text.low):
        run, span = found.group(), Span(found.start(), found.end(), "digest")
        if run == own:
            exact.append(span)
        elif own.startswith(run) and not any(other.startswith(run) for other in others):
            short.append(span)
        elif own.endswith(run) or run in labels:
            continue
        elif len(run) >= 16 or not (run.isdigit() or run.isalpha()):  # no date, no word of such letters
            foreign.append(span)
    return Digests(tuple(exact[:20]), tuple(short[:20]), tuple(foreign[:20]))


def _summary(text: IndexedText, asked: IndexedText, scenario: Scenario) -> tuple[Span, ...]:
    """Rare words of the artifact in the reply."""
    thread = scenario.thread
    elsewhere = {stem(word) for word in asked.words} | _formula()
    for line in (thread.label, *thread.boundaries, *thread.lexicon):
        elsewhere.update(stem(word) for word in words_of(line))
    for other in scenario.others:
        elsewhere.update(stem(word) for word in words_of(other.artifact))
    stop = stop_words()
    rare = {stem(word) for word in words_of(thread.artifact) if len(word) >= RARE and word not in stop}
    rare -= elsewhere
    found: dict[str, Span] = {}
    for word, (start, end) in zip(text.words, text.places, strict=True):
        if (key := stem(word)) in rare and key not in found:
            found[key] = Span(start, end, "summary")
    return tuple(found.values())


def _digest(text: IndexedText, asked: IndexedText, scenario: Scenario, settings: Judging) -> Check:
    digests = _digests(text, scenario)
    if digests.foreign:
        return Check("digest", False, digests.foreign, "another digest is given")
    if spans := digests.exact or digests.short:
        return Check("digest", True, spans, "" if digests.exact else "by its first digits, or in groups")
    spans = _summary(text, asked, scenario)
    if len(spans) >= settings.summary_words:
        return Check("digest", True, spans, "by its content")
    return Check("digest", False, spans, "no reference to the last artifact")


def _label(text: IndexedText, scenario: Scenario, *, exact: bool) -> Check:
    spans = text.string(scenario.thread.label, "label", case=exact)
    if lost := _amnesia(text, scenario.thread):
        return Check("label", False, lost, "the reply does not know the thread")
    if spans:
        return Check("label", True, spans)
    for other in scenario.others:
        if there := text.string(other.label, "label"):
            return Check("label", False, there, "another open thread is named")
    return Check("label", False, (), "the label is not restated")


def _amnesia(text: IndexedText, thread: Thread) -> tuple[Span, ...]:
    """Where the reply says that it does not know; the words of a boundary say no such thing."""
    if not (spans := text.matches(MISTAKES["unknown"], "unknown")):
        return ()
    stated = [span for line in thread.boundaries for span in text.phrase(line, "boundary")]
    return tuple(s for s in spans if not any(b.start < s.end and s.start < b.end for b in stated))


def _boundaries(text: IndexedText, thread: Thread) -> dict[str, Span]:
    """The boundaries that the reply mentions, each with the sentence."""
    found = {}
    for boundary in thread.boundaries:
        stems = content_stems(boundary, thread.label)
        if span := text.mentions(stems, needed(stems)) or _declined(text, stems):
            found[boundary] = span
    return found


def _declined(text: IndexedText, stems: frozenset[str]) -> Span | None:
    """A sentence that declines something and has a word of the boundary."""
    for (start, end), there in zip(text.sentences, text.stems, strict=True):
        if stems & there and _RULES["declines"].search(text.low, start, end):
            return Span(start, end, "mention")
    return None


def _cadence(text: IndexedText, thread: Thread) -> Check:
    claims = [
        (found.group("a") or found.group("b"), Span(found.start(), found.end(), "cadence"))
        for found in _RULES["cadence"].finditer(text.low)
    ][:20]
    if claims:
        spans = tuple(span for _, span in claims)
        return Check("cadence", all(claim == thread.cadence for claim, _ in claims), spans)
    spans = text.string(thread.cadence, "cadence")
    return Check("cadence", bool(spans), spans, "" if spans else "not named")


def _bounded(text: IndexedText, settings: Judging) -> Check:
    size = len(text.words)
    return Check("bounded", 0 < size <= settings.reply_words, note=f"{size} words")


def _all_of(name: str, checks: Iterable[Check]) -> Check:
    checks = tuple(checks)
    missing = [check.name for check in checks if not check.holds]
    spans = tuple(span for check in checks for span in check.spans[:1])
    return Check(name, not missing, spans, f"missing: {', '.join(missing)}" if missing else "")


def return_checks(
    text: IndexedText, asked: IndexedText, scenario: Scenario, settings: Judging
) -> tuple[Check, ...]:
    """The checks of ``M1``."""
    thread = scenario.thread
    mentioned = _boundaries(text, thread)
    note = "" if len(mentioned) == len(thread.boundaries) else f"{len(mentioned)} of {len(thread.boundaries)}"
    return (
        _label(text, scenario, exact=False),
        _digest(text, asked, scenario, settings),
        Check("boundaries", bool(mentioned), tuple(mentioned.values()), note),
        _all_of("lexicon", token_checks(text, thread, exact=False)),
        _cadence(text, thread),
        _bounded(text, settings),
    )


def exact_checks(text: IndexedText, scenario: Scenario, settings: Judging) -> tuple[Check, ...]:
    """The checks of ``M1_exact``."""
    thread, digests = scenario.thread, _digests(text, scenario)
    lines = [Check(line, bool(spans := text.phrase(line, "boundary")), spans) for line in thread.boundaries]
    boundaries = _all_of("boundaries", lines)
    lexicon = _all_of("lexicon", token_checks(text, thread, exact=True))
    if boundaries.holds and (extra := other_boundaries(text, thread)):
        boundaries = Check("boundaries", False, extra, "another boundary is claimed")
    if lexicon.holds and (extra := other_tokens(text, thread)):
        lexicon = Check("lexicon", False, extra, "another token is claimed")
    return (
        _label(text, scenario, exact=True),
        Check("digest", bool(digests.exact) and not digests.foreign, digests.foreign or digests.exact),
        boundaries,
        lexicon,
        _cadence(text, thread),
        _bounded(text, settings),
    )


def again_checks(
    first: IndexedText, text: IndexedText, asked: IndexedText, scenario: Scenario, settings: Judging
) -> tuple[Check, ...]:
    """R(R(τ)) = R(τ): the second return is compared with the first."""
    before = return_checks(first, asked, scenario, settings)
    after = return_checks(text, asked, scenario, settings)
    changed = [one.name for one, two in zip(before[:5], after[:5], strict=True) if one.holds != two.holds]
    same_state = _state(first, scenario) == _state(text, scenario)
    thread = scenario.thread
    known = {stem(word) for word in (*first.words, *asked.words)} | _formula()
    for line in (thread.label, *thread.boundaries, *thread.lexicon, thread.cadence):
        known.update(stem(word) for word in words_of(line))
    stop = stop_words()
    new: dict[str, Span] = {}
    for word, (start, end) in zip(text.words, text.places, strict=True):
        if word not in stop and (key := stem(word)) not in known and key not in new:
            new[key] = Span(start, end, "new")
    added = tuple(new.values())
    return (
        Check("same_structure", not changed, note=f"changed: {', '.join(changed)}" if changed else ""),
        Check("same_state", same_state),
        Check("nothing_added", len(added) <= settings.added_words, added[:20], f"{len(added)} new words"),
        _escalation(first, text, settings),
    )


def _escalation(first: IndexedText, text: IndexedText, settings: Judging) -> Check:
    if reproach := text.matches(_RULES["reproach"], "reproach"):
        return Check("no_escalation", False, reproach)
    if len(_RULES["shouted"].findall(text.raw)) > len(_RULES["shouted"].findall(first.raw)):
        return Check("no_escalation", False, note="louder than the first")
    most = settings.growth * len(first.words) + SLACK
    return Check(
        "no_escalation", len(text.words) <= most, note=f"{len(first.words)} words, then {len(text.words)}"
    )


def _state(text: IndexedText, scenario: Scenario) -> tuple[object, ...]:
    """What a reply states of τ, to be compared with what another states."""
    digests, thread = _digests(text, scenario), scenario.thread
    return (
        bool(digests.exact or digests.short),
        sorted({text.low[span.start : span.end] for span in digests.foreign}),
        sorted(_boundaries(text, thread)),
        [check.holds for check in token_checks(text, thread, exact=False)],
        _cadence(text, thread).holds,
    )


def wrong_digest(text: IndexedText, scenario: Scenario) -> tuple[Check, ...]:
    """A return with a digest that is not the thread's: the reply says so, and gives no third digest.

    The wrong digest as if it were the thread's own is an invention too.
    """
    right = _digests(text, scenario)
    wrong = tuple(span for span in right.foreign if _is_part(text, span, scenario.expected.wrong))
    said = (
        _stated(text, text.matches(MISTAKES["denies"], "denies"))
        or text.matches(MISTAKES["unknown"], "unknown")
        or denies_value(text, wrong)
    )
    third = tuple(span for span in right.foreign if span not in wrong)
    invented = third or asserts(text, wrong, right.exact)
    return Check("says_so", bool(said), said), Check("nothing_invented", not invented, invented)


def unknown_label(text: IndexedText, asked: IndexedText, scenario: Scenario) -> tuple[Check, ...]:
    """A return to a label that is no thread's: the reply says so, and states nothing of such a thread.

    To name the threads that are open, with their states, is no invention.
    """
    known = IndexedText(" ".join([asked.low, *(t.last_artifact_digest for t in scenario.others)]))
    said = tuple(
        span
        for name in ("unknown", "does_not_know", "denies")
        for span in _stated(text, text.matches(MISTAKES[name], "unknown"))
    )
    third = tuple(s for s in _digests(text, scenario).foreign if text.low[s.start : s.end] not in known.low)
    named = any(text.string(thread.label, "label") for thread in (scenario.thread, *scenario.others))
    fields = () if named else text.matches(_RULES["field"], "state")
    if said and fields and not third:
        # "its boundaries are unknown" names a field and states nothing
        fields = tuple(s for s in fields if not _denied_near(text, s))
    invented = third or fields
    return Check("says_so", bool(said), said), Check("nothing_invented", not invented, invented)


def _stated(text: IndexedText, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Without those in a condition: "If anything said is incorrect, …", a rule recited, says nothing of a thread."""

    def conditional(span: Span) -> bool:
        found = _RULES["condition"].match(text.low, *text.sentences[text.sentence_at(span.start)])
        return found is not None and span.start < found.end()

    return tuple(span for span in spans if not conditional(span))


def _is_part(text: IndexedText, span: Span, value: str) -> bool:
    return text.low[span.start : span.end] in value.lower()


def _denied_near(text: IndexedText, span: Span) -> bool:
    start, end = text.sentences[text.sentence_at(span.start)]
    return bool(
        MISTAKES["unknown"].search(text.low, start, end) or MISTAKES["denies"].search(text.low, start, end)
    )
