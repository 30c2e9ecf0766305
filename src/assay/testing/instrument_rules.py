"""What an instrument must keep to before and during a run; one rule a function."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.bench import Instrument, Item, Plan
from assay.canonical import decode, digest, encode
from assay.errors import InputError
from assay.measuring import ScoredRows
from assay.measuring.outcomes import NOT_DECLARED, ROW_HELP
from assay.measuring.rows import open_rows
from assay.report.presentation import Presentation
from assay.report.records import write_records
from assay.study import Budget
from assay.vocabulary import Result

from .conformance import Rule
from .rehearsal import Rehearsals

__all__ = ["DECLARATION_RULES", "FORM_RULES", "RUN_RULES", "another_process_scores_the_same"]

SEED = 7
UNKNOWN = "no_such_option"


def it_has_every_part_of_an_instrument(instrument: Instrument) -> Iterator[str]:
    parts = [*Instrument.__annotations__, *(part for part in vars(Instrument) if not part.startswith("_"))]
    missing = [part for part in parts if not hasattr(instrument, part)]
    if missing:
        yield f"it has no {', '.join(missing)}"


def it_names_itself(instrument: Instrument) -> Iterator[str]:
    for part in ("name", "version", "title", "noun"):
        said = getattr(instrument, part, None)
        if not isinstance(said, str) or not said.strip():
            yield f"its {part} is {said!r}; it must be a text"


# Declared before anything is asked.


def options_have_defaults(studies: Rehearsals) -> Iterator[str]:
    studies.lock(options={})
    yield from ()


def options_survive_json(studies: Rehearsals) -> Iterator[str]:
    name = studies.instrument.name
    declared = studies.lock().study.options[name]
    again = studies.lock(options=decode(encode(declared))).study.options[name]
    if encode(again) != encode(declared):
        yield "options with every default filled in are prepared to other ones"


def unknown_options_are_refused(studies: Rehearsals) -> Iterator[str]:
    try:
        studies.lock(options={**studies.options, UNKNOWN: 1})
    except InputError as error:
        if UNKNOWN not in str(error):
            yield f"the complaint about {UNKNOWN} does not name it: {error}"
    else:
        yield f"an option {UNKNOWN} is taken; raise InputError, or read options with assay.study.convert"


def unknown_requirements_are_refused(studies: Rehearsals) -> Iterator[str]:
    try:
        studies.lock(options={**studies.options, "require": {UNKNOWN: 0.5}})
    except InputError:
        return
    yield f"a study may require {UNKNOWN}, which is not measured"


def warnings_are_texts(studies: Rehearsals) -> Iterator[str]:
    if not all(isinstance(text, str) for text in studies.instrument.warnings(studies.lock())):
        yield "warnings gives something else"


def the_lock_is_the_same_each_time(studies: Rehearsals) -> Iterator[str]:
    if studies.lock().digest != studies.lock().digest:
        yield "prepare gives other options or materials when it is called again"


def trials_are_the_same_each_time(studies: Rehearsals) -> Iterator[str]:
    lock = studies.lock()
    first = [trial.id for trial in studies.first_waves(lock)]
    if not first:
        yield "there are none"
    if first != [trial.id for trial in studies.first_waves(lock)]:
        yield "the first waves hold others, or in another order, when they are asked for again"


def trials_have_ids_of_their_own(studies: Rehearsals) -> Iterator[str]:
    ids = Counter(trial.id for trial in studies.first_waves(studies.lock("one", "two")))
    twice = [trial for trial, count in ids.items() if count > 1]
    if twice:
        yield f"{len(twice)} of {len(ids)} are yielded more than once with two subjects, {twice[0][:12]} among them"


def subjects_meet_the_same_instances(studies: Rehearsals) -> Iterator[str]:
    met: dict[str, Counter[str]] = {"one": Counter(), "two": Counter()}
    for trial in studies.first_waves(studies.lock(*met)):
        if trial.subject not in met:
            yield f"a trial is of the subject {trial.subject!r}, which is not declared"
            return
        met[trial.subject][trial.instance.digest] += 1
    if met["one"] != met["two"]:
        yield "two subjects of one study are given different instances and cannot be paired"


# Carried out.


def runs_come_to_a_result(studies: Rehearsals) -> Iterator[str]:
    for run in studies.runs:
        if not run.scored:
            yield f"with the {run.name} subject: {run.failure or 'it stopped'}"


def a_killed_run_goes_on_to_the_same_result(studies: Rehearsals) -> Iterator[str]:
    """Killed half-way, stopped by a budget after half of the rest, and then resumed to the end."""
    if (whole := studies.ordinary) is None:
        return
    run = whole.killed(0.5)
    if not run.go(Budget(calls=max(1, whole.calls * 3 // 4))) and not run.go():
        yield "it cannot be resumed"
    elif encode(_timeless(run.result)) != encode(_timeless(whole.result)):
        yield "its result is another one than that of a run that was not interrupted"


def _timeless(result: Result) -> Result:
    """Without what the clock decided: a call that is made again takes another time."""
    kept = tuple(measure for measure in result.measures if measure.units != "seconds")
    return msgspec.structs.replace(result, measures=kept)


def score_is_pure(studies: Rehearsals) -> Iterator[str]:
    for run in studies.runs:
        if run.scored and encode(run.score()) != encode(run.result):
            yield f"the {run.name} run is scored in two ways"


def another_process_scores_the_same(studies: Rehearsals) -> Iterator[str]:
    if (run := studies.ordinary) is not None and run.rescored() != digest(run.result):
        yield "its result is another one where hash values differ; is something ordered by a set or by hash()?"


def the_plan_is_what_is_asked(studies: Rehearsals) -> Iterator[str]:
    if (run := studies.ordinary) is None:
        return
    plan = studies.instrument.plan(run.lock)
    if not isinstance(plan, Plan):
        yield f"plan gives {type(plan).__name__}, not Plan"
        return
    with run.evidence() as evidence:
        done = {"trials": len(evidence), "calls": run.calls}
    for name, count in done.items():
        planned = getattr(plan, name)
        if planned < 1 or (planned != count and name not in studies.estimated):
            yield f"{planned} {name} are planned, the run has {count}"
    if min(plan.input_tokens, plan.output_tokens) < 0:
        yield "a negative count of tokens is planned"


def items_can_be_listed_and_shown(studies: Rehearsals) -> Iterator[str]:
    items = studies.instrument.items()
    if not items or not all(isinstance(item, Item) for item in items):
        yield f"items gives {items!r:.60}; it must be a list of Item that is not empty"
        return
    if len({item.id for item in items}) < len(items):
        yield "two items have one id"
    shown = studies.instrument.show(items[0].id, SEED)
    if encode(shown) != encode(studies.instrument.show(items[0].id, SEED)):
        yield f"{items[0].id} with seed {SEED} is shown in two ways"
    try:
        studies.instrument.show("no such item", SEED)
    except InputError:
        return
    if len(items) > 1:
        yield "an item that is not there can be shown; raise UnknownName"


def rows_can_be_scored(studies: Rehearsals) -> Iterator[str]:
    """Rows of trials are made from the records of the ordinary run; rows of another form are the instrument's own."""
    instrument = studies.instrument
    if not isinstance(instrument.row_help, str) or not instrument.row_help:
        yield "row_help does not say what a row looks like"
    if (run := studies.ordinary) is None or instrument.row_help != ROW_HELP:
        return
    with run.evidence() as evidence:
        trials = [
            {
                "subject": r.trial.subject,
                "outcome": r.outcome,
                "item": r.trial.instance.item,
                "reason": r.reason,
            }
            for r in evidence
        ]
    results = []
    with tempfile.TemporaryDirectory(prefix="assay-check-rows-") as root:
        rows, records = Path(root, "rows.jsonl"), Path(root, "records.csv")
        for order in (trials, trials[::-1]):
            write_records(rows, order)
            scored = instrument.score_rows(open_rows(rows), instrument.row_option_type())
            if not isinstance(scored, ScoredRows):
                yield f"score_rows gives {type(scored).__name__}, not ScoredRows"
                return
            results.append(encode(scored.result))
            write_records(records, scored.records())  # refuses what is not flat
            if not isinstance(shown := scored.present(), Presentation):
                yield f"the page of rows is {type(shown).__name__}, not Presentation"
    if scored.result.source != "rows" or NOT_DECLARED not in scored.result.flags:
        yield "a result of rows must have the source rows, and the flag that it was not declared first"
    if results[0] != results[1]:
        yield "rows in another order have another result"


FORM_RULES: tuple[Rule[Instrument], ...] = (it_has_every_part_of_an_instrument, it_names_itself)
DECLARATION_RULES: tuple[Rule[Rehearsals], ...] = (
    options_have_defaults,
    options_survive_json,
    unknown_options_are_refused,
    unknown_requirements_are_refused,
    warnings_are_texts,
    the_lock_is_the_same_each_time,
    trials_are_the_same_each_time,
    trials_have_ids_of_their_own,
    subjects_meet_the_same_instances,
)
RUN_RULES: tuple[Rule[Rehearsals], ...] = (
    runs_come_to_a_result,
    a_killed_run_goes_on_to_the_same_result,
    score_is_pure,
    the_plan_is_what_is_asked,
    rows_can_be_scored,
    items_can_be_listed_and_shown,
)
