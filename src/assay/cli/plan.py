"""``assay plan``: what a run would ask. Asks nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from assay.errors import InputError

from .instrument_command import own_options
from .options import (
    BaseUrl,
    Boundary,
    Budget,
    Connections,
    InstrumentFiles,
    Json,
    KeyEnv,
    MaxTokens,
    Quick,
    Seed,
    Set,
    Subjects,
    Targets,
    gather,
    warnings_of,
)
from .output import print_json, say

__all__ = ["plan"]


def plan(
    context: typer.Context,
    targets: Targets = None,
    subjects: Subjects = None,
    base_url: BaseUrl = None,
    key_env: KeyEnv = None,
    quick: Quick = False,
    budget: Budget = None,
    options: Set = None,
    seed: Seed = None,
    connections: Connections = None,
    max_tokens: MaxTokens = None,
    boundary: Boundary = None,
    files: InstrumentFiles = None,
    seconds: Annotated[
        float, typer.Option("--call-seconds", help="Assumed time of one call, for the estimate.")
    ] = 5.0,
    as_json: Json = False,
) -> None:
    """Say what a run would ask: calls, tokens, cost, time, and the difference it could detect."""
    from assay.bench.prepare import instruments_of, subjects_of

    if not seconds > 0:
        raise InputError(f"--call-seconds {seconds:g}: a number of seconds, more than 0")
    lock = gather(
        targets,
        subjects,
        base_url=base_url,
        key_env=key_env,
        quick=quick,
        budget=budget,
        options=options,
        seed=seed,
        connections=connections,
        max_tokens=max_tokens,
        boundary=boundary,
        own=own_options(context),
        files=files,
    )
    plans = {instrument.name: instrument.plan(lock) for instrument in instruments_of(lock)}
    calls = sum(p.calls for p in plans.values())
    lanes = sum(subject.connections for subject in subjects_of(lock))
    share = 1 / len(lock.study.specs)
    cost = None
    if any(spec.price for spec in lock.study.specs):
        tokens_in = sum(p.input_tokens for p in plans.values()) * share
        tokens_out = sum(p.output_tokens for p in plans.values()) * share
        prices = [spec.price for spec in lock.study.specs if spec.price]
        cost = sum(tokens_in * p.input + tokens_out * p.output for p in prices) / 1e6
    estimate = {"calls": calls, "seconds": calls * seconds / lanes, "cost_at_most": cost, "lock": lock.digest}
    warnings = warnings_of(lock)
    if as_json:
        print_json({**estimate, "instruments": plans, "warnings": warnings})
        return
    for name, found in plans.items():
        typer.echo(f"{name}: {found.trials:,} trials, {found.calls:,} calls")
        typer.echo(f"  tokens     about {found.input_tokens:,} in, at most {found.output_tokens:,} out")
        for line in found.detectable:
            typer.echo(f"  detectable {line}")
    at_once = f"{lanes} at once" if lanes > 1 else "one at a time"
    typer.echo(f"time       about {estimate['seconds']:,.0f} s at {seconds:g} s a call, {at_once}")
    if cost is not None:
        typer.echo(f"cost       at most {cost:,.4f}, by the declared prices")
    for text in warnings:
        say(f"warning    {text}")
    typer.echo(f"lock       {lock.digest}")
