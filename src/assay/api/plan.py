"""`assay.plan`: what a run would ask. Asks nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from assay.bench import Instrument, Plan
from assay.bench.prepare import instruments_of, subjects_of
from assay.errors import InputError, blaming
from assay.measuring.comparison.difference import ALPHA, grouped
from assay.measuring.comparison.planning import (
    POWER,
    PlannedDifference,
    plan_differences,
    plan_without_run,
)
from assay.report.presentation import Headline
from assay.report.text import safe_terminal
from assay.study import Lock

from .arguments import MANNER, Paths, Subjects, lock_from
from .compare import Comparable, measured_sides, open_source
from .declaration import Target, warnings_of
from .worker_thread import call_apart

__all__ = ["CALL_SECONDS", "StudyPlan", "plan", "plan_of"]

CALL_SECONDS = 5.0  # assumed of one call


class StudyPlan(Struct, frozen=True, kw_only=True):
    """What a run would ask, at most, and how long that takes at ``call_seconds`` a call."""

    calls: int
    seconds: float
    cost_at_most: float | None  # by the declared prices
    lock: str
    instruments: dict[str, Plan]
    warnings: list[str]
    call_seconds: float
    connections: int
    differences: tuple[PlannedDifference, ...] = ()

    def _said_differences(self) -> list[str]:
        if not self.differences:
            return []
        first = self.differences[0]
        tests = round(ALPHA / first.alpha)
        of = f", corrected for {tests} comparisons" if tests > 1 else ""
        return [
            f"difference {first.difference:g} is found with power {first.power:g}{of}, by",
            *(f"  {one}" for one in self.differences),
        ]

    def _estimate(self) -> list[str]:
        """Time, money and warnings of the whole study, a line each."""
        at_once = f"{self.connections} at once" if self.connections > 1 else "one at a time"
        lines = [f"time       about {self.seconds:,.0f} s at {self.call_seconds:g} s a call, {at_once}"]
        if self.cost_at_most is not None:
            lines.append(f"cost       at most {self.cost_at_most:,.4f}, by the declared prices")
        lines += self._said_differences()
        return [*lines, *(f"warning    {text}" for text in self.warnings), f"lock       {self.lock}"]

    def __str__(self) -> str:
        lines = []
        for name, found in self.instruments.items():
            lines.append(f"{name}: {found.trials:,} trials, {found.calls:,} calls")
            lines.append(f"  tokens     about {found.input_tokens:,} in, at most {found.output_tokens:,} out")
            lines += [f"  detectable {line}" for line in found.detectable]
        return safe_terminal("\n".join([*lines, *self._estimate()]))

    def _repr_html_(self) -> str:
        from assay.report.html import render_summary

        rows = tuple(
            (name, f"{one.trials:,}", f"{one.calls:,}", f"{one.input_tokens:,}", f"{one.output_tokens:,}")
            for name, one in self.instruments.items()
        )
        columns = ("instrument", "trials", "calls", "tokens in, about", "tokens out, at most")
        said = [line for one in self.instruments.values() for line in one.detectable]
        estimate = [" ".join(line.split()) for line in self._estimate()]
        caption = "; ".join([*said, *estimate])
        return render_summary("", tables=[Headline("What a run would ask", columns, rows, caption)])


def plan(
    study: Target,
    *,
    subject: Subjects | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    quick: bool = False,
    budget: str | Mapping[str, Any] | None = None,
    seed: int | None = None,
    connections: int | None = None,
    max_tokens: int | None = None,
    boundary: str | None = None,
    includes: str | Sequence[str] | None = None,
    price: str | Mapping[str, Any] | None = None,
    instrument: Paths = (),
    call_seconds: float = CALL_SECONDS,
    difference: float | None = None,
    against: Comparable | None = None,
    power: float = POWER,
    **options: Any,
) -> StudyPlan:
    """What `assay.run` would ask, given the same: calls, tokens, cost, time, and the difference it could detect.

    With ``difference``: how many units `assay.compare` needs to find it with this ``power``; ``against`` is a first
    run, whose outcomes tell how far they spread. What says how to run, such as a run's ``name``, may be given and
    changes nothing.
    """
    if not isinstance(call_seconds, int | float) or not call_seconds > 0:
        raise InputError(f"call_seconds {call_seconds}: a number of seconds, more than 0")
    lock = lock_from(
        study,
        subject=subject,
        base_url=base_url,
        key_env=key_env,
        quick=quick,
        budget=budget,
        seed=seed,
        connections=connections,
        max_tokens=max_tokens,
        boundary=boundary,
        includes=includes,
        price=price,
        instrument=instrument,
        **{word: value for word, value in options.items() if word not in MANNER},
    )
    return call_apart(lambda: plan_of(lock, call_seconds, difference, against, power))


def plan_of(
    lock: Lock,
    call_seconds: float = CALL_SECONDS,
    difference: float | None = None,
    against: Comparable | None = None,
    power: float = POWER,
) -> StudyPlan:
    """The plan of a lock."""
    planned = [*_differences(lock, difference, against, power)]
    plans = {instrument.name: _plan_of(instrument, lock) for instrument in instruments_of(lock)}
    calls = sum(p.calls for p in plans.values())
    lanes = sum(subject.connections for subject in subjects_of(lock))
    share = 1 / len(lock.study.specs)
    cost = None
    if any(spec.price for spec in lock.study.specs):
        tokens_in = sum(p.input_tokens for p in plans.values()) * share
        tokens_out = sum(p.output_tokens for p in plans.values()) * share
        prices = [spec.price for spec in lock.study.specs if spec.price]
        cost = sum(tokens_in * p.input + tokens_out * p.output for p in prices) / 1e6
    return StudyPlan(
        calls=calls,
        seconds=calls * call_seconds / lanes,
        cost_at_most=cost,
        lock=lock.digest,
        instruments=plans,
        warnings=warnings_of(lock),
        call_seconds=call_seconds,
        connections=lanes,
        differences=tuple(planned),
    )


def _differences(
    lock: Lock, difference: float | None, against: Comparable | None, power: float
) -> Iterator[PlannedDifference]:
    """What a comparison with a first run takes: with its first subject, by every instrument that both have."""
    if difference is None:
        if against is not None:
            raise InputError("say which difference is to be found, such as 0.1: against goes with it")
        return
    for name, number in (("difference", difference), ("power", power)):
        if not isinstance(number, int | float) or not 0 < number < 1:
            raise InputError(f"{name} {number}: a number between 0 and 1")
    if against is None:
        yield plan_without_run(difference, power)
        return
    source = open_source(against)
    sides = {name: measured_sides(source, name) for name in source.readings if name in lock.study.options}
    seen = {name: next(iter(one.values())).observations for name, one in sides.items() if one}
    if not any(seen.values()):
        raise InputError(f"{source.name}: nothing in it tells of the spread of what this study measures")
    cells = sum(len(grouped(one)) for one in seen.values())
    for name, observations in seen.items():
        yield from plan_differences(name, observations, difference, power, cells)


def _plan_of(instrument: Instrument, lock: Lock) -> Plan:
    with blaming(f"the instrument {instrument.name}", "plan"):
        return instrument.plan(lock)
