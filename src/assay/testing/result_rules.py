"""What an instrument must make of any finished run; one rule a function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.canonical import encode, real
from assay.measuring.comparison import FrameContents, Observation
from assay.report.html import ReportPage, render_report
from assay.report.presentation import Headline, Presentation
from assay.report.terminal import plain_text
from assay.vocabulary import Measure, Reading

from .conformance import Rule
from .rehearsal import Rehearsal

__all__ = ["RESULT_RULES"]

SHARE = "share"


def _named(measure: Measure) -> str:
    labels = ", ".join(f"{name}={value}" for name, value in measure.labels.items())
    return f"{measure.name} ({labels})"


def the_result_is_of_this_instrument(run: Rehearsal) -> Iterator[str]:
    mine = run.instrument.name, run.instrument.version, "ledger"
    if (run.result.instrument, run.result.version, run.result.source) != mine:
        yield f"it says {run.result.instrument} {run.result.version} from {run.result.source}"


def there_are_measures_each_under_its_own_name_and_labels(run: Rehearsal) -> Iterator[str]:
    if not run.result.measures:
        yield "there are none"
    for key, count in Counter(encode([m.name, m.labels]) for m in run.result.measures).items():
        if count > 1:
            yield f"{count} measures are {key.decode()}"


def no_data_is_null_without_an_interval_and_with_a_reason(run: Rehearsal) -> Iterator[str]:
    for measure in run.result.measures:
        if measure.value is None:
            if measure.low is not None or measure.high is not None:
                yield f"{_named(measure)} is null with an interval"
            if not measure.notes and not measure.flags:
                yield f"{_named(measure)} is null and does not say why"
        elif measure.n == 0 and measure.units == SHARE:
            yield f"{_named(measure)} is {measure.value} of no trials; no data is null"


def a_value_lies_in_its_interval(run: Rehearsal) -> Iterator[str]:
    for measure in run.result.measures:
        value, low, high = measure.value, measure.low, measure.high
        if low is not None and high is not None and low > high:
            yield f"{_named(measure)} has the interval {low} to {high}"
        elif measure.units == SHARE and value is not None:
            least, most = 0.0 if low is None else low, 1.0 if high is None else high
            if not 0 <= least <= value <= most <= 1:
                yield f"{_named(measure)} is {value}, in the interval {least} to {most}"


def counts_add_up(run: Rehearsal) -> Iterator[str]:
    for measure in run.result.measures:
        n, k = measure.n, measure.k
        if n < 0:
            yield f"{_named(measure)} has n = {n}"
        elif k is not None and (not 0 <= k <= n or n == 0 or measure.value != real(k / n)):
            yield f"{_named(measure)} is {measure.value}, with k = {k} of n = {n}"
    for excluded in run.result.excluded:
        if excluded.count < 1 or not excluded.reason:
            yield f"{excluded.count} trials are excluded for {excluded.reason!r}"


def reals_have_twelve_digits(run: Rehearsal) -> Iterator[str]:
    for measure in run.result.measures:
        for part in ("value", "low", "high", "bound_low", "bound_high", "spec_value"):
            if (number := getattr(measure, part)) is not None and number != real(number):
                yield f"{part} of {_named(measure)} is {number!r}; write it with assay.canonical.real"


def flags_have_a_cause(run: Rehearsal) -> Iterator[str]:
    flags = [*run.result.flags, *(flag for measure in run.result.measures for flag in measure.flags)]
    for kind in sorted({flag.kind for flag in flags if not flag.cause.strip()}):
        yield f"a flag {kind} has none"


def labels_name_the_subject(run: Rehearsal) -> Iterator[str]:
    known = {spec.title for spec in run.lock.study.specs}
    for measure in run.result.measures:
        if measure.labels.get("subject") not in known:
            yield f"{_named(measure)} does not have the label subject, or has one that is not declared"


def verdicts_each_have_their_own_name_and_labels(run: Rehearsal) -> Iterator[str]:
    for key, count in Counter(encode([v.name, v.kind, v.labels]) for v in run.result.verdicts).items():
        if count > 1:
            yield f"{count} verdicts are {key.decode()}"
    for verdict in run.result.verdicts:
        if not all((verdict.name, verdict.claim, verdict.rule, verdict.because)):
            yield f"the verdict {verdict.name!r} does not say what it claims, by which rule, or why"


def what_is_lost_is_excluded(run: Rehearsal) -> Iterator[str]:
    with run.evidence() as evidence:
        lost = sum(record.outcome == "excluded" for record in evidence)
    told = sum(excluded.count for excluded in run.result.excluded)
    if lost != told:
        yield f"{lost} trials were lost to infrastructure, {told} are told as excluded"


def rows_have_the_same_columns(run: Rehearsal) -> Iterator[str]:
    columns: set[frozenset[str]] = set()
    with run.evidence() as evidence:
        for row in run.instrument.rows(evidence):
            columns.add(frozenset(row))
    if len(columns) > 1:
        odd = frozenset.union(*columns) - frozenset.intersection(*columns)
        yield f"some rows do not have {', '.join(sorted(odd))}"


def what_it_is_compared_by_are_values_of_its_subjects(run: Rehearsal) -> Iterator[str]:
    subjects = {spec.title for spec in run.lock.study.specs}
    with run.evidence() as evidence:
        for one in run.instrument.observations(evidence):
            if not isinstance(one, Observation):
                yield f"observations gives {type(one).__name__}, not Observation"
                return
            if one.subject not in subjects or not one.unit:
                yield f"an observation of {one.measure} is of {one.subject!r}, unit {one.unit!r}"
                return
            if one.value is not None and not 0 <= one.value <= 1:
                yield f"an observation of {one.measure} is {one.value}; it must lie in [0, 1]"
                return
    if not isinstance(found := run.instrument.contents(run.lock), FrameContents):
        yield f"contents gives {type(found).__name__}, not FrameContents"


def attachments_are_bytes(run: Rehearsal) -> Iterator[str]:
    with run.evidence() as evidence:
        for name, content in run.instrument.attachments(evidence).items():
            if not isinstance(content, bytes):
                yield f"{name} is {type(content).__name__}"


def it_presents_a_headline_as_text_and_as_a_page(run: Rehearsal) -> Iterator[str]:
    with run.evidence() as evidence:
        shown = run.instrument.present(evidence, run.result)
    headline = run.instrument.headline(run.result)
    if not isinstance(shown, Presentation) or not isinstance(headline, Headline):
        yield f"present gives {type(shown).__name__} and headline {type(headline).__name__}"
        return
    for table in (shown.headline, headline):
        wrong = [row for row in table.rows if len(row) != len(table.columns)]
        if wrong:
            yield f"a row of the headline has {len(wrong[0])} cells for {len(table.columns)} columns"
            return
        if table.title not in plain_text(Presentation(headline=table)):
            yield "its title is not in the text"
    for said in (run.instrument.summary(run.result), run.instrument.accompanying(run.result)):
        if not all(isinstance(text, str) for text in said):
            yield "summary and accompanying are lists of texts"
    render_report(ReportPage(title="t", run="r", readings=[(Reading(result=run.result), shown)]))


def the_audit_holds(run: Rehearsal) -> Iterator[str]:
    run.publish()
    report = run.audit()
    yield from report.faults
    if report.not_deterministic:
        yield f"{report.not_deterministic} programs differ from themselves when they are run again"


RESULT_RULES: tuple[Rule[Rehearsal], ...] = (
    the_result_is_of_this_instrument,
    there_are_measures_each_under_its_own_name_and_labels,
    no_data_is_null_without_an_interval_and_with_a_reason,
    a_value_lies_in_its_interval,
    counts_add_up,
    reals_have_twelve_digits,
    flags_have_a_cause,
    labels_name_the_subject,
    verdicts_each_have_their_own_name_and_labels,
    what_is_lost_is_excluded,
    rows_have_the_same_columns,
    what_it_is_compared_by_are_values_of_its_subjects,
    attachments_are_bytes,
    it_presents_a_headline_as_text_and_as_a_page,
    the_audit_holds,
)
