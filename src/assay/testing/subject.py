"""``check_subject``: the contract of a subject adapter, tried out on an adapter that is opened, asked and closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.study import SubjectSpec
from assay.subjects import Subject, make_subject

from .conformance import Conformance, broken_rules, conclude
from .subject_rules import CALL_RULES, FORM_RULES, WIRE_RULES, Sitting

__all__ = ["check_subject"]


def check_subject(subject: Any, *, seconds: float = 180.0) -> Conformance:
    """Raise ``ContractBroken`` with every rule that the adapter breaks, or tell what was checked.

    ``subject``: a spec such as ``reference:same``, or an adapter that is not open yet; its class must take a spec.
    ``seconds`` are those of one call. The system behind the adapter is really asked, some fifteen short questions.
    """
    spec, make = _made(subject)
    what = f"the adapter of {spec.title}"
    with Sitting(spec, make, seconds) as sitting:
        conclude(what, FORM_RULES, broken_rules(sitting, FORM_RULES))  # the rest would only stumble over it
        broken = [*broken_rules(sitting, WIRE_RULES)]
        sitting.open()
        broken += broken_rules(sitting, CALL_RULES)
    return conclude(what, (*FORM_RULES, *WIRE_RULES, *CALL_RULES), broken)


def _made(subject: Any) -> tuple[SubjectSpec, Callable[[], Subject]]:
    if isinstance(subject, str):
        subject = SubjectSpec(subject)
    if isinstance(subject, SubjectSpec):
        spec = subject
        return spec, lambda: make_subject(spec)
    given, kind = subject.spec, type(subject)
    return given, lambda: kind(given)
