"""The tables that are read first, from a result alone: the same for a run and for rows that somebody brings."""

from __future__ import annotations

import re

from assay.report.presentation import Cellish, Headline, Number
from assay.vocabulary import Measure, Result, Verdict

__all__ = ["EXPLAIN", "SHOWN", "Found", "headline_of", "held", "verdicts_of"]

SHOWN = (
    ("identity", "M5"),
    ("return", "M1"),
    ("refusal", "M2"),
    ("repair", "M3"),
    ("provenance", "M4"),
    ("order", "O"),
    ("promises", "P"),
    ("lexicon", "L"),
    ("false refusals", "false_refusals"),
)
# A component of M5 may go by another name, too.
_NAMES = {"M2": "M2 = F", "M3": "M3 = R"}

EXPLAIN = (
    (
        "subject",
        "The system that was measured. Every subject meets the same threads: a label, the digest of the last artifact, "
        "boundaries, a lexicon and a cadence, which it is told to keep.",
    ),
    (
        "verdict",
        "Whether identity reaches the declared threshold. 'holds' and 'fails' are said only where the interval is "
        "clear of it, or by the bare value where the study declares that; otherwise it is not established. More "
        "scenarios make the interval narrower.",
    ),
    (
        "identity (M5)",
        "Is it the same someone? The weighted mean of five components: order O, refusal form F, repair R, promises P "
        "and lexicon L. What was not tested is left out and flagged, never counted as perfect.",
    ),
    (
        "return (M1)",
        "Asked to return to a thread, the share of replies that restate its label, its last artifact and its "
        "boundaries in one bounded reply, and the same when asked again. Not part of M5.",
    ),
    (
        "refusal (M2 = F)",
        "Asked for something outside the boundaries, the share of refusals that are complete: what it cannot do "
        "(limit), that it is still there (proximity), and what it can do instead (adjacent), without doing it anyway.",
    ),
    (
        "repair (M3 = R)",
        "After a planted mistake, the share that is named, corrected and followed by the task, without being "
        "asked and within Δ seconds.",
    ),
    (
        "provenance (M4)",
        "The share of artifacts with origin, time in UTC, license and the SHA-256 of their exact bytes. Not "
        "part of M5.",
    ),
    (
        "order (O)",
        "The share of replies that go Name, Mirror, TinyMove, Stop: name the thread, repeat a phrase of the user, "
        "make one small move, and stop.",
    ),
    ("promises (P)", "The share of promises with a time that are kept within it."),
    (
        "lexicon (L)",
        "The share of replies that use every word the thread requires, or one of its declared synonyms.",
    ),
    (
        "false refusals (false_refusals)",
        "The share of requests inside the boundaries that were refused: lower is better. A subject that refuses "
        "everything has a perfect refusal form.",
    ),
    (
        "ranges",
        "Small numbers beside a value are its interval: values outside it would have made what was seen unlikely. "
        "A dash is 'no data', never zero.",
    ),
)


class Found:
    """The measures of a result by subject, in its order."""

    def __init__(self, result: Result) -> None:
        self._of: dict[str, dict[str, Measure]] = {}
        for measure in result.measures:
            if set(measure.labels) == {"subject"}:
                self._of.setdefault(str(measure.labels["subject"]), {})[measure.name] = measure
        self._verdicts = result.verdicts

    @property
    def subjects(self) -> list[str]:
        return list(self._of)

    def get(self, subject: str, name: str) -> Measure:
        return self._of[subject][name]

    def verdict(self, subject: str) -> Verdict | None:
        """Whether the subject's M5 reaches the threshold."""
        claim = re.compile(re.escape(f"M5 of {subject} is at least ") + r"[\d.e-]+")
        return next((verdict for verdict in self._verdicts if claim.fullmatch(verdict.claim)), None)


def held(holds: bool | None) -> str:
    return "not established" if holds is None else "holds" if holds else "fails"


def headline_of(result: Result) -> Headline:
    """A row a subject, in the order of the result."""
    found = Found(result)
    rows: list[tuple[Cellish, ...]] = []
    for subject in found.subjects:
        verdict = found.verdict(subject)
        numbers = (_number(found.get(subject, name)) for _, name in SHOWN)
        rows.append((subject, "" if verdict is None else held(verdict.holds), *numbers))
    confidence = next((m.confidence for m in result.measures if m.confidence is not None), None)
    caption = "Shares, from 0 to 1." + (f" Ranges are {confidence:.0%} intervals." if confidence else "")
    return Headline(
        "Consistency by subject",
        ("subject", "verdict", *(title for title, _ in SHOWN)),
        tuple(rows),
        caption,
        ("", "of M5", *(_NAMES.get(name, name) for _, name in SHOWN)),
    )


def _number(measure: Measure) -> Number:
    note = "; ".join(measure.notes)
    return Number(measure.value, measure.low, measure.high, measure.n, measure.flags, note)


def verdicts_of(result: Result) -> Headline | None:
    """Every claim with what became of it."""
    if not result.verdicts:
        return None
    rows = tuple((v.claim, held(v.holds), v.because) for v in result.verdicts)
    rules = dict.fromkeys(verdict.rule for verdict in result.verdicts)
    caption = f"Rules: {'; '.join(rules)}." if len(rules) <= 4 else ""
    return Headline("What was claimed, and what became of it", ("claim", "verdict", "because"), rows, caption)
