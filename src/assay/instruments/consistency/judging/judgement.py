"""The judgement of one scored reply: which measure it counts in, whether it succeeded, and the evidence."""

from __future__ import annotations

from msgspec import Struct

from assay.instruments.consistency.detectors.rule import Span

from .settings import UNDECIDED, UNTIMED

__all__ = ["Check", "ReplyJudgement", "hangs_on_its_time", "undecided"]

ONLY_LATE = (("slow_repair",), ("late_promise",))


class Check(Struct, frozen=True, omit_defaults=True):
    """One thing that was looked for. ``spans`` point into the reply; ``note`` says what was found instead."""

    name: str
    holds: bool
    spans: tuple[Span, ...] = ()
    note: str = ""


class ReplyJudgement(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """``success`` is what the measure counts. ``failures`` are the spec's names of what went wrong.

    ``place`` is the turn that was scored. ``seconds`` is a latency where the measure has one. Where a judgement is
    ``undecided``, ``success`` is what it would be without a leak, and no measure counts it.
    """

    measure: str
    scenario: str
    place: int
    success: bool
    checks: tuple[Check, ...] = ()
    failures: tuple[str, ...] = ()
    labels: dict[str, str] = {}
    seconds: float | None = None


def hangs_on_its_time(judgement: ReplyJudgement) -> bool:
    """Everything else is right, and whether it came in time is unknown: no time was recorded."""
    untimed = any(check.name == "in_time" and check.note == UNTIMED for check in judgement.checks)
    return untimed and (judgement.success or judgement.failures in ONLY_LATE)


def undecided(judgement: ReplyJudgement) -> bool:
    """Whether a refusal leaks is not known: nothing names what must not be given away, and no rater has decided."""
    return any(check.name == "leak" and check.note == UNDECIDED for check in judgement.checks)
