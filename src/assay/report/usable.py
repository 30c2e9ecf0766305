"""Whether a finished run came to anything: exit code 4 where it did not, and what to do about it.

Nothing is usable where for one instrument the whole result is Invalid, or where one subject has no trial left: all were
lost, its own code raised in all of them, or more than the declared share was lost and a measure is Invalid for it; or
where all is withheld that was tested of it in one unit, such as every level.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from assay.errors import OWN_FAULTS, quote
from assay.evidence.faults import FaultSummary, read_faults
from assay.vocabulary import Flag, Measure, Reading, Result

from .wording import listed

__all__ = ["remedy_text", "unusable_in"]


def unusable_in(reading: Reading, share: float) -> list[str]:
    """Why nothing can be built on a reading, in sentences; empty where something can. ``share`` may be lost."""
    result = reading.result
    found = [f"{result.instrument}: {flag}" for flag in result.flags if flag.kind == "Invalid"]
    by_subject: dict[str, list[FaultSummary]] = {}
    for fault in read_faults(reading.envelope):
        by_subject.setdefault(fault.subject, []).append(fault)
    causes = {subject: _cause(result, subject, faults, share) for subject, faults in by_subject.items()}
    causes = _withheld(result) | {subject: cause for subject, cause in causes.items() if cause}
    return [*found, *(f"{result.instrument}, {subject}: {cause}" for subject, cause in causes.items())]


def _withheld(result: Result) -> dict[str, str]:
    """Subjects of which every tested measure of one unit and method is Invalid and has no value."""
    kinds: dict[tuple[str, str, str], list[Measure]] = {}
    for measure in result.measures:
        subject = measure.labels.get("subject")
        if measure.n and isinstance(subject, str):
            kinds.setdefault((subject, measure.units, measure.method), []).append(measure)
    found = {}
    for (subject, units, _), tested in kinds.items():
        if all(one.value is None and _invalid_flags(one) for one in tested):
            names = listed(dict.fromkeys(one.name for one in tested))
            why = listed(dict.fromkeys(flag.cause for one in tested for flag in _invalid_flags(one)))
            found[subject] = f"every {units or 'measure'} that was tested is Invalid ({names}: {why})"
    return found


def _invalid_flags(measure: Measure) -> list[Flag]:
    return [flag for flag in measure.flags if flag.kind == "Invalid"]


def _cause(result: Result, subject: str, faults: Sequence[FaultSummary], share: float) -> str:
    of = faults[0].of
    lost = sum(fault.lost for fault in faults)
    raised = [fault for fault in faults if fault.fault in OWN_FAULTS]
    if (of and lost == of) or (lost > Fraction(str(share)) * of and _is_invalid(result, subject)):
        return f"{_all(lost, of)} lost ({_kinds(faults)}){_first(next(one for one in faults if one.lost))}"
    if of and sum(fault.trials for fault in raised) >= of:
        return f"the subject itself raised in all {of} trials{_first(raised[0])}"
    return ""


def _all(lost: int, of: int) -> str:
    if lost == of:
        return "the only trial was" if of == 1 else f"all {of} trials were"
    return f"{lost} of {of} trials {'was' if lost == 1 else 'were'}"


def _kinds(faults: Sequence[FaultSummary]) -> str:
    return listed(f"{fault.fault} {fault.lost}" for fault in faults if fault.lost)


def _first(fault: FaultSummary) -> str:
    return f"; the first said: {quote(fault.first.said)}" if fault.first.said else ""


def _is_invalid(result: Result, subject: str) -> bool:
    measures = (measure for measure in result.measures if measure.labels.get("subject") == subject)
    return any(map(_invalid_flags, measures))


def remedy_text(readings: Sequence[Reading], again: str, refused: str = "") -> str:
    """What helps. ``again`` asks lost trials again, unless that is ``refused``."""
    faults = [fault for reading in readings for fault in read_faults(reading.envelope)]
    lost = [fault for fault in faults if fault.lost]
    if lost:
        own = all(fault.fault in OWN_FAULTS for fault in lost)
        what = "Mend the subject" if own else "Put the cause right"
        if refused:
            return f"{what} and run the study anew: the lost trials cannot be asked again ({refused})"
        return f"{what}, then ask the lost trials again: {again}"
    if any(fault.fault in OWN_FAULTS for fault in faults):
        return "Mend the subject and run the study anew: what it failed by raising is scored, and is not asked again"
    return "Run the study anew when the cause is put right"
