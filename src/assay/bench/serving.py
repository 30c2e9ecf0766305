"""Whether a subject is what the study says of it, and whether the instruments can measure it: known before any call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import AssayError, InputError, blaming
from assay.registry import names
from assay.study.model import SubjectSpec
from assay.subjects.base import Particular, make_subject

from .instrument import Instrument, load_instrument

__all__ = ["check_opened", "check_serves"]


def check_serves(spec: SubjectSpec, instrument: str) -> None:
    """Refuse a subject that was made for another instrument: read by this one, its answers would score as failures."""
    subject = make_subject(spec)
    if not isinstance(subject, Particular):
        return
    with blaming(f"the subject {spec.title}", "refusal"):
        why = subject.refusal(instrument)
    if why:
        raise InputError(f"{spec.title} cannot serve {instrument}: {why}")


def check_opened(spec: SubjectSpec, facts: Mapping[str, Any], instruments: Iterable[Instrument]) -> None:
    """Refuse an agent with a loop of its own that is declared as the model alone, or that an instrument cannot drive.

    Only its process knows what a callable is, so this is told by what ``open`` returned (``own_loop``).
    """
    if facts.get("own_loop") is not True:
        return
    for instrument in instruments:
        if not instrument.own_loops:
            able = ", ".join(_with_own_loops()) or "none that is installed"
            raise InputError(
                f"{spec.title} is an agent that runs a loop of its own; {instrument.name} asks for replies and cannot "
                f"measure it. Instruments that can: {able}"
            )
    if spec.boundary == "core":
        raise InputError(
            f"{spec.title} runs a loop of its own, so it is not the model alone. Declare it: --boundary extended "
            "--includes 'a loop of its own' (in a study: boundary: extended, includes: [a loop of its own])"
        )


def _with_own_loops() -> list[str]:
    found = []
    for name in names("assay.instruments"):
        try:
            if load_instrument(name).own_loops:
                found.append(name)
        except AssayError:  # a broken one measures nothing
            continue
    return found
