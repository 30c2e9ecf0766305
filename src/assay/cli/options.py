"""Options that several commands share, and the study they declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.api.option_values import Given, value_of
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.study import Lock

__all__ = [
    "BaseUrl",
    "Boundary",
    "Budget",
    "Connections",
    "Includes",
    "InstrumentFiles",
    "Json",
    "Key",
    "KeyEnv",
    "MaxTokens",
    "Parameters",
    "Price",
    "Quick",
    "Seed",
    "Set",
    "SignedBy",
    "Subjects",
    "Targets",
    "Unconfined",
    "flag",
    "gather",
    "settings",
]

Targets = Annotated[
    list[str] | None,
    typer.Argument(help="A study (.yaml), a lock (.json), or instruments: by name, or a file (.py)."),
]
SignedBy = Annotated[
    list[str] | None,
    typer.Option(
        "--signed-by",
        help="Who must have signed the run: a key id (at least 16 signs of it), or a file of trusted keys; "
        "again for a second.",
    ),
]
InstrumentFiles = Annotated[
    list[Path] | None,
    typer.Option("--instrument", help="The file of an instrument that the lock knows by its digest."),
]
Subjects = Annotated[
    list[str] | None,
    typer.Option(
        "--subject", "-s", help="local:smollm2, openai:MODEL, reference:NAME, python:module:callable."
    ),
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="The subjects' endpoint, up to /v1.")]
KeyEnv = Annotated[
    str | None, typer.Option("--key-env", help="Environment variable that holds the endpoint's key.")
]
Quick = Annotated[bool, typer.Option("--quick", help="A small run: a minute on a small model.")]
Budget = Annotated[
    str | None,
    typer.Option("--budget", help="Stop cleanly at: calls=N,tokens=N,cost=X,seconds=10m (any of them)."),
]
Price = Annotated[
    str | None,
    typer.Option("--price", help="Money per million tokens, IN/OUT, such as 0.15/0.6."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="An instrument's option as NAME=VALUE; the same as --NAME VALUE after its name."
    ),
]
Boundary = Annotated[
    str | None,
    typer.Option("--boundary", help="core: the model alone; extended: with what --includes lists."),
]
Includes = Annotated[
    str | None,
    typer.Option("--includes", help="What an extended boundary includes, such as 'a memory, a calculator'."),
]
Seed = Annotated[int | None, typer.Option("--seed", help="The study's seed.")]
Connections = Annotated[
    int | None, typer.Option("--connections", help="Calls under way at once, per subject.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        "--parameters",
        help="Of the sampling: NAME=null is not sent, NAME=OTHER is sent as OTHER (max_tokens ...).",
    ),
]
MaxTokens = Annotated[int | None, typer.Option("--max-tokens", help="The longest reply asked for.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Key = Annotated[
    Path | None,
    typer.Option("--key", help="Ed25519 private key (PEM). Default: one of your own, made on first use."),
]
Unconfined = Annotated[
    bool,
    typer.Option(
        "--allow-unconfined-code", help="Run generated code even where no sandbox can be had. Dangerous."
    ),
]


def gather(
    targets: list[str] | None,
    subjects: list[str] | None,
    *,
    base_url: str | None = None,
    key_env: str | None = None,
    quick: bool = False,
    budget: str | None = None,
    options: list[str] | None = None,
    seed: int | None = None,
    connections: int | None = None,
    max_tokens: int | None = None,
    boundary: str | None = None,
    parameters: list[str] | None = None,
    includes: str | None = None,
    price: str | None = None,
    own: Sequence[Given] = (),
    files: list[Path] | None = None,
) -> Lock:
    """The lock that the command line asks for."""
    from assay.api.declaration import Beside, declare

    beside = Beside(
        subjects, base_url, key_env, quick or None, budget, seed, connections, max_tokens, boundary,
        _parameters(parameters) if parameters else None, includes, price,
    )  # fmt: skip
    given = [*settings(options or ()), *own]
    return declare(targets or [], beside, given, files or (), spell=flag, read=value_of)


def flag(name: str) -> str:
    """An option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def _parameters(given: Sequence[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for one in given:
        name, _, there = one.partition("=")
        if not name or not there:
            raise InputError(f"--parameter {one}: write NAME=null to leave it out, NAME=OTHER to rename it")
        if name in found:
            raise InputError(f"--parameter {one}: {name} is given twice")
        found[name] = None if there == "null" else there
    return found


def settings(written: Sequence[str]) -> Iterator[Given]:
    """What ``--set`` says; without an instrument it is for the only one there is."""
    for setting in written:
        key, equals, text = setting.partition("=")
        target, _, field = key.rpartition(".")
        if not equals or not field:
            raise InputError(f"--set {setting}: write NAME=VALUE")
        yield Given(f"--set {setting}", target, field, text)
