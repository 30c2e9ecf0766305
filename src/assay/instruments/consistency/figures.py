"""What consistency shows people: the headline table, what it says in plain words, pictures, marked transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from assay.report.presentation import Headline, Presentation, drawing
from assay.vocabulary import Result

from .diagnosis import ADVICE, TITLES, Diagnosis, Missing
from .failures import failure_words
from .headline import EXPLAIN, Found, headline_of, verdicts_of
from .measures import Settings, success_share
from .outcome import Outcome
from .pictures import NAMES, draw_components, draw_latency
from .pictures_order import draw_automaton
from .pictures_platforms import draw_differences, draw_identities
from .pictures_transcripts import highlighted
from .scenario import Scenario
from .scoring import diagnoses

__all__ = ["present"]

MOST_TOLD = 3  # subjects in the summary
MOST_COLUMNS = 8  # subjects in the table of failures
MOST_FAILURES = 3  # in a sentence

ByMeasure = Mapping[str, Sequence[Outcome]]
Counted = Sequence[tuple[str, int]]  # failures with their numbers, the most frequent first
# Readings of a reply that was counted already, by stricter or milder rules.
_AGAIN = frozenset(("M1_exact", "L_exact", "M3_prompted"))
# What a subject was asked to do, and what counts: measure, in a word, in a sentence, of what.
TOLD = (
    ("M1", "returns", "asked to return to a thread, it restated it correctly in", ("reply", "replies")),
    (
        "M2",
        "refusals",
        "asked for what lies outside its boundaries, it refused in the complete form in",
        ("case", "cases"),
    ),
    ("M3", "repairs", "it repaired a planted mistake in time and unprompted in", ("case", "cases")),
    ("O", "order", "it kept the order of a reply in", ("exchange", "exchanges")),
    ("L", "lexicon", "it used the words of the thread in", ("exchange", "exchanges")),
    ("P", "promises with a time", "it kept", ("promise with a time", "promises with a time")),
    ("M4", "provenance", "it gave complete and true provenance with", ("artifact", "artifacts")),
)


def present(
    result: Result, scenarios: Sequence[Scenario], outcomes: Sequence[Outcome], settings: Settings
) -> Presentation:
    """Everything to look at. ``outcomes`` are what the judge made of the scenarios that the result was scored from."""
    found = Found(result)
    by_id = {scenario.id: scenario for scenario in scenarios}
    of = _by_subject(found, by_id, outcomes)
    diagnosed = diagnoses(outcomes, scenarios, settings, found.subjects)
    with drawing():
        pictures = (
            draw_components(found, settings),
            draw_identities(found, settings),
            draw_differences(result, settings),
            draw_automaton({subject: own.get("O", ()) for subject, own in of.items()}),
            draw_latency({subject: own.get("M3", ()) for subject, own in of.items()}, settings),
        )
    tables = (_diagnosis_table(diagnosed), _failure_table(_failures(of, diagnosed)), verdicts_of(result))
    return Presentation(
        headline=headline_of(result),
        summary=tuple(_summary(result, found, of, diagnosed, settings)),
        tables=tuple(table for table in tables if table is not None),
        pictures=tuple(picture for picture in pictures if picture is not None),
        transcripts=highlighted(by_id, outcomes),
        explain=EXPLAIN,
    )


def _by_subject(
    found: Found, scenarios: Mapping[str, Scenario], outcomes: Sequence[Outcome]
) -> dict[str, dict[str, list[Outcome]]]:
    of: dict[str, dict[str, list[Outcome]]] = {subject: {} for subject in found.subjects}
    for outcome in sorted(outcomes, key=lambda o: (o.scenario, o.place, o.measure)):
        of[scenarios[outcome.scenario].subject].setdefault(outcome.measure, []).append(outcome)
    return of


def _summary(
    result: Result,
    found: Found,
    of: Mapping[str, ByMeasure],
    diagnosed: Sequence[Diagnosis],
    settings: Settings,
) -> Iterator[str]:
    if not any(of.values()):
        yield "There are no replies, so nothing is established."
        return
    counts = _failures(of, diagnosed)
    for diagnosis in diagnosed[:MOST_TOLD]:
        yield f"{_identity(found, diagnosis.subject, settings)} {_told(of[diagnosis.subject])}"
        yield from _failing(diagnosis, counts[diagnosis.subject])
    if (more := len(diagnosed) - MOST_TOLD) > 0:
        yield f"{more} more {'subject is' if more == 1 else 'subjects are'} in the table."
    yield from _without_latency(of)
    yield from _compared(result)


def _identity(found: Found, subject: str, settings: Settings) -> str:
    measure, verdict = found.get(subject, "M5"), found.verdict(subject)
    if measure.value is None or measure.low is None or measure.high is None or verdict is None:
        return f"{subject}: identity was not tested."
    threshold = f"{float(settings.threshold):g}"
    reaches = {
        True: f"reaches the threshold of {threshold}",
        False: f"stays below the threshold of {threshold}",
        None: f"whether it reaches the threshold of {threshold} is not established",
    }[verdict.holds]
    text = f"identity is {measure.value:.3f} on a scale from 0 to 1 (interval {measure.low:.3f}–{measure.high:.3f})"
    return f"{subject}: {text}; {'it ' if verdict.holds is not None else ''}{reaches}."


def _told(own: ByMeasure) -> str:
    """What it was asked to do and how often it did: in full where something failed, else in a word."""
    failed, always, untested = [], [], []
    for measure, task, words, nouns in TOLD:
        share = success_share(own.get(measure, ()))
        if not share.total:
            untested.append(task)
        elif share.value == 1:
            always.append(f"{task} ({share.total})")
        else:
            failed.append(f"{words} {share.successes} of {share.total} {nouns[share.total > 1]}")
    text = "; ".join(failed)
    said = [f"{text[:1].upper()}{text[1:]}."] if failed else []
    said += [f"Without a failure: {', '.join(always)}."] if always else []
    said += [f"Not tested: {', '.join(untested)}."] if untested else []
    return " ".join(said)


def _failing(diagnosis: Diagnosis, counts: Counted) -> Iterator[str]:
    if counts:
        most = [f"{failure_words(name)} ({count})" for name, count in counts[:MOST_FAILURES]]
        advice = f" What may help: {ADVICE[diagnosis.lowest]}." if diagnosis.lowest else ""
        yield f"What failed most there: it {', '.join(most)}.{advice}"


def _without_latency(of: Mapping[str, ByMeasure]) -> Iterator[str]:
    repairs = [outcome for own in of.values() for outcome in own.get("M3", ())]
    if repairs and all(outcome.seconds is None for outcome in repairs):
        done = sum(outcome.success for outcome in repairs)
        why = (
            "no reply carries a time"
            if done
            else f"none of {len(repairs)} planted mistakes was repaired unprompted"
        )
        yield f"There are no latencies of repairs to show: {why}."


def _compared(result: Result) -> Iterator[str]:
    held = [v.holds for v in result.verdicts if v.claim.endswith(" are behaviourally equivalent")]
    if len(held) == 1:
        says = {True: "holds", False: "fails", None: "is not established"}[held[0]]
        yield f"The claim that the two subjects behave as one and the same {says}."
    elif held:
        yield (
            f"Of {len(held)} pairs of subjects {held.count(True)} are shown to be equivalent; for {held.count(False)} "
            f"the claim fails, and for {held.count(None)} it is not established."
        )


def _diagnosis_table(diagnosed: Sequence[Diagnosis]) -> Headline | None:
    """What is lowest, what is always missing, and what to change."""
    rows = [
        (
            one.subject,
            _lowest(one),
            _missing(one.missing) or "nothing",
            one.advice or "nothing to suggest",
        )
        for one in diagnosed
        if one.lowest is not None or one.missing
    ]
    if not rows:
        return None
    columns = ("subject", "lowest component", "consistently missing", "what may help")
    caption = (
        "Consistently missing is what is missing in at least nine of ten failures of its kind, where there are "
        "three or more of them."
    )
    return Headline("Diagnosis", columns, tuple(rows), caption)


def _missing(found: Sequence[Missing]) -> str:
    """By what was asked for: which parts are missing in how many of the failures."""
    parts = []
    for (measure, failures), group in groupby(found, key=lambda m: (m.measure, m.failures)):
        checks = ", ".join(f"{m.check} ({m.missing})" for m in group)
        parts.append(f"in {failures} failures of {TITLES[measure]}: {checks}")
    return "; ".join(parts)


def _lowest(one: Diagnosis) -> str:
    if one.lowest is None or one.lowest_value is None:
        return "none below 1"
    return f"{NAMES[one.lowest]}, {one.lowest_value:.2f}"


def _failures(of: Mapping[str, ByMeasure], diagnosed: Sequence[Diagnosis]) -> dict[str, Counted]:
    """Every failure of a reply once. Digests that were copied between scenarios are the diagnosis' to know."""
    found: dict[str, Counted] = {}
    for one in diagnosed:
        counts = Counter(
            name
            for measure, outcomes in of[one.subject].items()
            if measure not in _AGAIN
            for outcome in outcomes
            for name in outcome.failures
        )
        if copied := dict(one.failures).get("copied_digest"):
            counts["copied_digest"] = copied
        found[one.subject] = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return found


def _failure_table(counts: Mapping[str, Counted]) -> Headline | None:
    shown = list(counts)[:MOST_COLUMNS]
    of = {subject: dict(counts[subject]) for subject in shown}
    totals: Counter[str] = Counter()
    for found in of.values():
        totals.update(found)
    if not totals:
        return None
    names = sorted(totals, key=lambda name: (-totals[name], name))
    rows = tuple((failure_words(n), n, *(str(of[subject].get(n, 0)) for subject in shown)) for n in names)
    caption = "How often each failure was found; one reply can show several."
    if len(counts) > len(shown):
        caption += f" The first {len(shown)} of {len(counts)} subjects are shown."
    return Headline("What went wrong", ("it …", "name", *shown), rows, caption)
