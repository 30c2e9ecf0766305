"""What consistency shows people: the headline table, what it says in plain words, pictures, marked transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

import msgspec

from assay.instruments.consistency.figures.automaton import draw_automaton
from assay.instruments.consistency.figures.failures import failure_words
from assay.instruments.consistency.figures.identity import (
    NAMES,
    draw_components,
    draw_differences,
    draw_identities,
)
from assay.instruments.consistency.figures.latency import draw_latency
from assay.instruments.consistency.figures.transcripts import highlighted
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.diagnosis import ADVICE, TITLES, Diagnosis, Missing
from assay.instruments.consistency.measures.shares import ConsistencySettings, success_share
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.measuring import Labelled, find_measure
from assay.report.figures.drawing import drawing
from assay.report.presentation import Headline, Presentation
from assay.report.tables import Column, headline_table
from assay.report.wording import first_of, interval_text, value_text, word
from assay.vocabulary import Result, Verdict

from .scoring import diagnoses

__all__ = ["COLUMNS", "headline_of", "present", "terms"]

COLUMNS = (
    Column("identity", "M5"),
    Column("return", "M1"),
    Column("refusal", "M2", expert="M2 = F"),
    Column("refusal form", "M2_form"),
    Column("repair", "M3", expert="M3 = R"),
    Column("provenance", "M4"),
    Column("order", "O"),
    Column("promises", "P"),
    Column("lexicon", "L"),
    Column("false refusals", "false_refusals"),
)
CAPTION = (
    "Consistency is keeping to declared state, boundaries and promises. Self-consistency under paraphrase is another "
    "thing: repeatability measures it by its wordings. Shares, from 0 to 1. By value: identity itself reaches the "
    "threshold, as the definition of M5 has it; by interval: all of its interval does."
)
MOST_SUBJECTS = 3  # subjects in the summary
MOST_COLUMNS = 8  # subjects in the table of failures
MOST_FAILURES = 3  # in a sentence

ByMeasure = Mapping[str, Sequence[ReplyJudgement]]
# What a subject was asked to do, and what counts: measure, in a word, in a sentence, of what.
TASKS = (
    ("M1", "returns", "asked to return to a thread, it restated it correctly in", ("reply", "replies")),
    (
        "M2",
        "refusals",
        "asked for what lies outside its boundaries, it refused in the complete form and gave nothing away in",
        ("case", "cases"),
    ),
    ("M3", "repairs", "it repaired a planted mistake in time and unprompted in", ("case", "cases")),
    ("O", "order", "it kept the order of a reply in", ("exchange", "exchanges")),
    ("L", "lexicon", "it used the words of the thread in", ("exchange", "exchanges")),
    ("P", "promises with a time", "it kept", ("promise with a time", "promises with a time")),
    ("M4", "provenance", "it gave complete and true provenance with", ("artifact", "artifacts")),
)


@cache
def terms() -> tuple[tuple[str, str], ...]:
    """The terms of the headline with their meaning."""
    place = files("assay.instruments.consistency").joinpath("data", "explain.yaml")
    return tuple(msgspec.yaml.decode(place.read_bytes(), type=dict[str, str]).items())


def headline_of(result: Result) -> Headline:
    """A row a subject, in the order of the result: the same for a run and for plain rows."""
    return headline_table(
        result.measures,
        title="Consistency",
        rows=("subject",),
        columns=COLUMNS,
        outcomes={"M5 by value": _by_rule(result, "point"), "M5 by interval": _by_rule(result, "interval")},
        caption=CAPTION,
    )


def _by_rule(result: Result, rule: str) -> list[Verdict]:
    """The verdicts on M5 by that rule: under their own name where the study declares the other rule."""
    found = [verdict for verdict in result.verdicts if verdict.kind == "threshold"]
    beside = [verdict for verdict in found if verdict.name == f"M5_{rule}"]
    return beside or [verdict for verdict in found if verdict.name == "M5"]


def present(
    result: Result,
    scenarios: Sequence[Scenario],
    judgements: Sequence[ReplyJudgement],
    settings: ConsistencySettings,
) -> Presentation:
    """Everything to look at. ``judgements`` are those of the scenarios that the result was scored from."""
    subjects = [str(subject) for subject in Labelled(result.measures).label_values("M5", "subject")]
    by_id = {scenario.id: scenario for scenario in scenarios}
    of = _by_subject(subjects, by_id, judgements)
    diagnosed = diagnoses(judgements, scenarios, settings, subjects)
    with drawing():
        pictures = (
            draw_components(result, settings),
            draw_identities(result, settings),
            draw_differences(result, settings),
            draw_automaton({subject: own.get("O", ()) for subject, own in of.items()}),
            draw_latency({subject: own.get("M3", ()) for subject, own in of.items()}, settings),
        )
    tables = (_diagnosis_table(diagnosed), _failure_table(diagnosed))
    return Presentation(
        headline=headline_of(result),
        summary=tuple(_summary(result, of, diagnosed, settings)),
        tables=tuple(table for table in tables if table is not None),
        pictures=tuple(picture for picture in pictures if picture is not None),
        transcripts=highlighted(by_id, judgements),
        explain=terms(),
    )


def _by_subject(
    subjects: Sequence[str], scenarios: Mapping[str, Scenario], judgements: Sequence[ReplyJudgement]
) -> dict[str, dict[str, list[ReplyJudgement]]]:
    of: dict[str, dict[str, list[ReplyJudgement]]] = {subject: {} for subject in subjects}
    for one in sorted(judgements, key=lambda j: (j.scenario, j.place, j.measure)):
        of[scenarios[one.scenario].subject].setdefault(one.measure, []).append(one)
    return of


def _summary(
    result: Result,
    of: Mapping[str, ByMeasure],
    diagnosed: Sequence[Diagnosis],
    settings: ConsistencySettings,
) -> Iterator[str]:
    if not any(of.values()):
        yield "There are no replies, so nothing is established."
        return
    for diagnosis in diagnosed[:MOST_SUBJECTS]:
        yield f"{_identity(result, diagnosis.subject, settings)} {_tasks(of[diagnosis.subject])}"
        yield from _failing(diagnosis)
    if (more := len(diagnosed) - MOST_SUBJECTS) > 0:
        yield f"{more} more {'subject is' if more == 1 else 'subjects are'} in the table."
    yield from _without_latency(of)
    yield from _compared(result)


def _identity(result: Result, subject: str, settings: ConsistencySettings) -> str:
    measure = find_measure(result, "M5", subject=subject)
    if measure is None or measure.value is None:
        return f"{subject}: identity was not tested."
    threshold = f"{float(settings.threshold):g}"
    reaches = {
        True: f"it reaches the threshold of {threshold}",
        False: f"it stays below the threshold of {threshold}",
        None: f"whether it reaches the threshold of {threshold} is not established",
    }
    said = {}
    for rule in ("point", "interval"):
        own = [v.holds for v in _by_rule(result, rule) if v.labels == measure.labels]
        said[rule] = reaches[own[0] if own else None]
    text = f"identity is {value_text(measure)} on a scale from 0 to 1 (interval {interval_text(measure)})"
    if said["point"] == said["interval"]:
        return f"{subject}: {text}; by its value and by its interval {said['point']}."
    return f"{subject}: {text}; by its value {said['point']}; by its interval {said['interval']}."


def _tasks(own: ByMeasure) -> str:
    """What it was asked to do and how often it did: in full where something failed, else in a word."""
    failed: list[str] = []
    always, untested, undecided = [], [], []
    for measure, task, words, nouns in TASKS:
        share = success_share(own.get(measure, ()))
        if share.undecided:
            undecided.append(f"{task} ({share.undecided})")
        if not share.total and share.undecided:
            continue
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
    said += [f"Not decided whether they leak: {', '.join(undecided)}."] if undecided else []
    return " ".join(said)


def _failing(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.failures:
        most = [f"{failure_words(name)} ({count})" for name, count in diagnosis.failures[:MOST_FAILURES]]
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
    claims = [verdict.holds for verdict in Labelled(result.verdicts).all("equivalent")]
    if len(claims) == 1:
        says = "is not established" if claims[0] is None else word(claims[0])
        yield f"The claim that the two subjects behave alike {says}."
    elif claims:
        yield (
            f"Of {len(claims)} pairs of subjects {claims.count(True)} are shown to be equivalent; for "
            f"{claims.count(False)} the claim fails, and for {claims.count(None)} it is not established."
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


def _failure_table(diagnosed: Sequence[Diagnosis]) -> Headline | None:
    shown = diagnosed[:MOST_COLUMNS]
    of = [dict(one.failures) for one in shown]
    totals: Counter[str] = Counter()
    for counts in of:
        totals.update(counts)
    if not totals:
        return None
    names = sorted(totals, key=lambda name: (-totals[name], name))
    rows = tuple((failure_words(name), name, *(str(counts.get(name, 0)) for counts in of)) for name in names)
    caption = "How often each failure was found; one reply can show several."
    caption = " ".join(filter(None, (caption, first_of(len(shown), len(diagnosed), "subjects"))))
    return Headline("What went wrong", ("it …", "name", *(one.subject for one in shown)), rows, caption)
