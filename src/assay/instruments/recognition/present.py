"""What recognition shows people first: a table by subject, the predictions answered one by one, further tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.measuring import Labelled
from assay.report.presentation import Headline, Presentation
from assay.report.tables import Column, headline_table
from assay.report.text import label
from assay.report.wording import listed, value_text, verdict_counts, word
from assay.vocabulary import Measure, Result, Verdict

__all__ = ["headline_of", "of_self", "present", "summary_of"]

COLUMNS = (
    Column("accuracy", "accuracy", {"phase": "self"}),
    Column("chance", "chance"),
    Column("corrected", "accuracy_corrected"),
    Column("other judges", "neutral_accuracy"),
    Column("self-advantage", "self_advantage"),
    Column("same in every order", "order_consistent"),
    *(Column(phase, "accuracy", {"phase": phase}) for phase in ("gold", "inverse", "forward")),
    Column("unreadable", "unknown_rate"),
)
CAPTION = (
    "Accuracy is in phase self. Corrected for positions, a judge that always answers alike is at chance. The "
    "self-advantage is over other judges on the same lineups: accuracy without it is no self-recognition. Unreadable "
    "is a share of the answers in all phases."
)
COLLECTED = (
    *(Column(f"leak {at} redaction", "leak_rate", {"redaction": at}) for at in ("before", "after")),
    *(
        Column(n.replace("_", " "), n)
        for n in ("cut_rate", "peak_drift", "final_drift", "recovery_ratio", "half_life", "crossings")
    ),
    Column("p of the rise", "phase_null_p", {"statistic": "rise"}),
)
MACHINES = (Column("subject", "machine_accuracy"), Column("maker", "machine_accuracy", {"group": "maker"}))
PREDICTIONS = ("P-SR-1", "P-SR-1_self_advantage", *(f"P-SR-{number}" for number in range(2, 7)))
PREFERENCE = "preference_agreement"  # only of phase self
MARKERS = ("identity_markers", "competence_markers", "reasoning_quality_unprompted", PREFERENCE)
MOST, MOST_ON_PAGE, MOST_NAMED = 6, 2, 5  # subjects that are spoken of one by one, and named in a list


def of_self(result: Result, name: str, *further: str) -> list[Measure]:
    """Measures of phase self with just these further labels. Where there is no other phase, it may have no label."""
    phases: dict[str | float, set[str | float]] = {}
    found: dict[tuple[str | float, ...], Measure] = {}
    for m in result.measures:
        if m.name == "accuracy" and {"subject", "phase"} <= m.labels.keys():
            phases.setdefault(m.labels["subject"], set()).add(m.labels["phase"])
    for m in result.measures:
        if m.name == name and m.labels.keys() - {"phase"} == {"subject", *further}:
            place, phase = tuple(m.labels[key] for key in ("subject", *further)), m.labels.get("phase")
            only = "condition" in further or name == PREFERENCE or phases.get(place[0]) == {"self"}
            if phase == "self" or (phase is None and only and place not in found):
                found[place] = m
    return list(found.values())


def headline_of(result: Result) -> Headline:
    """A row a subject."""
    mine = [m for m in result.measures if m.name == "accuracy" and m.labels.keys() == {"subject", "phase"}]
    mine += [m for column in COLUMNS[1:6] for m in of_self(result, column.measure)]
    mine += [m for m in result.measures if m.name == "unknown_rate" and m.labels.keys() == {"subject"}]
    return _table(mine, "Recognition", "subject", COLUMNS, CAPTION)


def _table(
    some: Sequence[Measure], title: str, rows: str, columns: Iterable[Column], caption: str
) -> Headline:
    """Columns that no row has are left out."""
    own = Labelled(m for m in some if rows in m.labels)
    shown = [column for column in columns if own.get(column.measure, column.labels)]
    return headline_table(some if shown else (), title=title, rows=(rows,), columns=shown, caption=caption)


def summary_of(result: Result, most: int = MOST) -> list[str]:
    """The predictions one by one, by subject where these are not too many, then the notes."""
    said, missing = list[str](), list[str]()
    for name in PREDICTIONS:
        own = [verdict for verdict in result.verdicts if verdict.name == name]
        text = " ".join(_markers(result, most) if name == "P-SR-5" else _answer(name, own, result, most))
        shown = name.replace("_", " as ", 1).replace("_", "-")
        (said if text else missing).append(f"{shown}: {text}" if text else shown)
    if missing:
        said.append(
            f"Nothing on {listed(missing)}: the answers, judges, drift or intervals that it takes are not there."
        )
    return [*said, *result.notes]


def _answer(name: str, own: Sequence[Verdict], result: Result, most: int) -> Iterator[str]:
    """The claim, what became of it, and what must be said beside it."""
    from .predictions import FAILURES

    yield from (v.claim.removeprefix(f"{v.labels.get('subject')}: ") + "." for v in own[:1])
    if len(own) <= most:
        yield from (f"{v.labels.get('subject', 'All together')}: {word(v.holds)} ({v.because})." for v in own)
    else:
        yield f"Of {len(own)} subjects: {verdict_counts(own)}."
        for verb, holds in (("holds", True), ("fails", False)):
            if named := [str(v.labels.get("subject")) for v in own if v.holds is holds]:
                yield f"It {verb} for {_few(named)}."
    held = {v.labels.get("subject") for v in result.verdicts if v.name == "P-SR-1" and v.holds}
    if own and held and name == "P-SR-1_self_advantage":
        still = [str(v.labels.get("subject")) for v in own if v.holds and v.labels.get("subject") in held]
        yield f"Of subjects for which P-SR-1 holds, this holds for {_few(still) if still else 'none'}."
    failed, reading = [v.because for v in own if v.holds is False], FAILURES.get(name, "")
    if failed and reading and (len(own) > most or not any(reading in because for because in failed)):
        yield f"The specification reads a failure so: {reading}."


def _few(names: Sequence[str]) -> str:
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    return listed([*(label(name) for name in names[:MOST_NAMED]), *more])


def _markers(result: Result, most: int) -> Iterator[str]:
    """What reasons appeal to, and whether choices follow preference; of many subjects the range."""
    found = [m for name in MARKERS for m in of_self(result, name) if m.value is not None]
    subjects = list(dict.fromkeys(str(m.labels["subject"]) for m in found))
    if subjects:
        yield "identity or competence, without a verdict."
    for subject in subjects if len(subjects) <= most else ():
        own = [m for m in found if m.labels["subject"] == subject]
        said = ", ".join(f"{m.name} {value_text(m)}" for m in own).replace("_", " ")
        yield f"{subject}: {said}."
    for name in dict.fromkeys(m.name for m in found if len(subjects) > most):
        low, *_, high = sorted([m for m in found if m.name == name] * 2, key=lambda m: m.value or 0.0)
        yield f"{name.replace('_', ' ').capitalize()}: {value_text(low)} to {value_text(high)} by subject."


def present(result: Result) -> Presentation:
    """The page: the table, the predictions (verdicts are listed there in full), further tables, the pictures."""
    from .figures import draw_recognition

    shuffled = "The p-value is that of shuffled phases: what they show as often is no effect of perturbation."
    fitted = "Balanced accuracy of machines on prompts, for makers on subjects, that they did not see: no ceilings."
    tables = (
        _table(result.measures, "Texts and drift", "subject", COLLECTED, shuffled),
        _table(result.measures, "Naming the source", "baseline", MACHINES, fitted),
    )
    return Presentation(
        headline=headline_of(result),
        summary=tuple(summary_of(result, MOST_ON_PAGE)[: -len(result.notes) or None]),
        tables=tuple(table for table in tables if table.rows),
        pictures=tuple(draw_recognition(result)),
    )
