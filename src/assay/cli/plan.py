"""``assay plan``: what a run would ask. Asks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.errors import InputError

from .instrument_command import own_options
from .options import (
    BaseUrl,
    Boundary,
    Budget,
    Connections,
    Includes,
    InstrumentFiles,
    Json,
    KeyEnv,
    MaxTokens,
    Parameters,
    Price,
    Quick,
    Seed,
    Set,
    Subjects,
    Targets,
    gather,
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
    parameters: Parameters = None,
    includes: Includes = None,
    price: Price = None,
    files: InstrumentFiles = None,
    seconds: Annotated[
        float, typer.Option("--call-seconds", help="Assumed time of one call, for the estimate.")
    ] = 5.0,
    difference: Annotated[
        float | None,
        typer.Option(
            "--difference", help="How many units a comparison needs to find this difference, such as 0.1."
        ),
    ] = None,
    against: Annotated[
        Path | None, typer.Option("--against", help="A first run: its outcomes tell how far they spread.")
    ] = None,
    power: Annotated[float, typer.Option("--power", help="The chance of finding that difference.")] = 0.8,
    as_json: Json = False,
) -> None:
    """Say what a run would ask: calls, tokens, cost, time, and the difference it could detect."""
    from assay.api.plan import plan_of
    from assay.api.size import excess_of

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
        parameters=parameters,
        includes=includes,
        price=price,
        own=own_options(context),
        files=files,
    )
    found = plan_of(lock, seconds, difference, against, power)
    if not as_json:
        say(str(found))
        if excess := excess_of(lock, found):
            say(f"question   assay run asks first (or --yes): {', '.join(excess)}")
        return
    estimate = {"calls": found.calls, "seconds": found.seconds, "cost_at_most": found.cost_at_most}
    print_json(
        {
            **estimate,
            "lock": found.lock,
            "instruments": found.instruments,
            "warnings": found.warnings,
            "differences": found.differences,
        }
    )
