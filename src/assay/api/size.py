"""How large a run may be before the command line asks: one place, and nothing of it is declared or locked.

Only what goes over a network or has a price is counted: other subjects cost time, and a run can be stopped.
"""

from __future__ import annotations

import ipaddress
import os
from typing import NamedTuple
from urllib.parse import urlsplit

from assay.study import Budget, Lock, SubjectSpec

from .declaration import parse_budget
from .plan import StudyPlan, plan_of

__all__ = ["ASK_ABOVE", "VARIABLE", "LargeRun", "excess_of", "large_run"]

ASK_ABOVE = Budget(calls=2_000, tokens=2_000_000, cost=5.0)
VARIABLE = "ASSAY_ASK_ABOVE"
WITHOUT_NETWORK = ("local", "reference", "python")  # of a callable's own calls nothing is known


class LargeRun(NamedTuple):
    """A run that asks more than what goes without saying; ``excess`` says of what, and how much that would be."""

    plan: StudyPlan
    excess: tuple[str, ...]


def large_run(lock: Lock) -> LargeRun | None:
    """The plan of a run that is to be asked about; None where it need not be."""
    if not _counted(lock):
        return None  # without the plan, which takes a moment
    plan = plan_of(lock)
    excess = excess_of(lock, plan)
    return LargeRun(plan, excess) if excess else None


def excess_of(lock: Lock, plan: StudyPlan) -> tuple[str, ...]:
    """What a run asks, within its budget, beyond ``ASSAY_ASK_ABOVE=calls=N,tokens=N,cost=X`` or the defaults."""
    share = len(_counted(lock)) / len(lock.study.specs)
    tokens = sum(one.input_tokens + one.output_tokens for one in plan.instruments.values())
    asked = {"calls": plan.calls * share, "tokens": tokens * share, "cost": plan.cost_at_most or 0.0}
    size, excess = _declared(), []
    for name, amount in asked.items():
        most, budget = getattr(size, name), getattr(lock.study.budget, name)
        if (within := min(amount, budget or amount)) > most:
            money = name == "cost"
            much = f"a cost of {within:,.2f}" if money else f"{within:,.0f} {name}"
            excess.append(f"{much} (more than {f'{most:g}' if money else f'{most:,}'})")
    return tuple(excess)


def _counted(lock: Lock) -> list[SubjectSpec]:
    return [spec for spec in lock.study.specs if _is_counted(spec)]


def _declared() -> Budget:
    given = os.environ.get(VARIABLE)
    return parse_budget(given, ASK_ABOVE, VARIABLE) if given else ASK_ABOVE


def _is_counted(spec: SubjectSpec) -> bool:
    if spec.price is not None and (spec.price.input or spec.price.output):
        return True
    return spec.kind not in WITHOUT_NETWORK and not _is_loopback(spec.base_url)


def _is_loopback(url: str | None) -> bool:
    try:
        host = urlsplit(url or "").hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
