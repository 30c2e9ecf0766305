"""Options that several commands share, and the study they add up to."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError, UnknownName

from .own_options import Given, value_of

if TYPE_CHECKING:
    from assay.study import Lock, Source, Study

__all__ = [
    "BaseUrl",
    "Boundary",
    "Budget",
    "Connections",
    "InstrumentFiles",
    "Json",
    "Key",
    "KeyEnv",
    "MaxTokens",
    "Quick",
    "Seed",
    "Set",
    "Subjects",
    "Targets",
    "Unconfined",
    "gather",
    "parse_budget",
    "warnings_of",
]

Targets = Annotated[
    list[str] | None,
    typer.Argument(help="A study (.yaml), a lock (.json), or instruments: by name, or a file (.py)."),
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
BaseUrl = Annotated[str | None, typer.Option("--base-url", help="Endpoint of openai: subjects, up to /v1.")]
KeyEnv = Annotated[
    str | None, typer.Option("--key-env", help="Environment variable that holds the endpoint's key.")
]
Quick = Annotated[bool, typer.Option("--quick", help="A small run: a minute on a small model.")]
Budget = Annotated[
    str | None,
    typer.Option("--budget", help="Stop cleanly at: calls=N,tokens=N,cost=X,wall=10m (any of them)."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="An instrument's option as NAME=VALUE; the same as --NAME VALUE after its name."
    ),
]
Boundary = Annotated[
    str | None,
    typer.Option("--boundary", help="core: the model alone; extended: with what the study says it includes."),
]
Seed = Annotated[int | None, typer.Option("--seed", help="The study's seed.")]
Connections = Annotated[
    int | None, typer.Option("--connections", help="Calls under way at once, per subject.")
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
_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(s|m|h|d)?$")


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
    own: Sequence[Given] = (),
    files: list[Path] | None = None,
) -> Lock:
    """The lock that the command line asks for: read from a file, or made here and now."""
    from assay.bench.prepare import prepare, read_study, take_files
    from assay.study import read_lock

    targets = targets or []
    if len(targets) == 1 and targets[0].endswith(".json"):
        given = (
            subjects,
            base_url,
            key_env,
            quick or None,
            budget,
            options or own or None,
            seed,
            connections,
            max_tokens,
            boundary,
        )
        if any(value is not None for value in given):
            raise InputError(
                f"{targets[0]} is a lock and is run as it was declared; options belong into the study it is made from"
            )
        lock = read_lock(Path(targets[0]))
        take_files(lock, files or ())
        return lock
    if files:
        raise InputError(
            "--instrument goes with a lock; the file of a new study's instrument is named itself"
        )
    source: Source | None = None
    base = Path()
    if len(targets) == 1 and targets[0].endswith((".yaml", ".yml")):
        study, source = read_study(Path(targets[0]))
        base = Path(targets[0]).parent
    else:
        study = _from_names(targets)
    study = _override(study, subjects, base_url, key_env, seed, connections, max_tokens, quick, boundary)
    study = _with_options(study, base, [*_settings(options or ()), *own], quick, max_tokens)
    if budget is not None:
        study = _replace(study, budget=parse_budget(budget, study))
    return prepare(study, base, source)


def _from_names(names: list[str]) -> Study:
    from assay.registry import names as known
    from assay.study import Study

    if not names:
        raise InputError(
            f"name a study (FILE.yaml) or an instrument: {', '.join(known('assay.instruments'))}"
        )
    for name in names:
        if name not in known("assay.instruments") and not name.endswith(".py"):
            _check_no_file(name, len(names))
            raise UnknownName("instrument", name, known("assay.instruments"))
        if names.count(name) > 1:
            raise InputError(f"the instrument {name!r} is named twice")
    called = "-".join(Path(name).stem if name.endswith(".py") else name for name in names)
    return Study(name=called, instruments={name: {} for name in names})


def _check_no_file(name: str, given: int) -> None:
    """What was meant as a file is told from a mistyped instrument."""
    if name.endswith((".yaml", ".yml", ".json")) and given > 1:
        raise InputError(f"{name} is a file; give one study or one lock alone, or instruments by name")
    if Path(name).is_dir():
        raise InputError(f"{name} is a folder; give a study (FILE.yaml), a lock (FILE.json) or an instrument")
    if Path(name).exists():
        raise InputError(f"{name}: the name of a study ends in .yaml, that of a lock in .json")


def _replace(study: Study, **changes: Any) -> Study:
    import msgspec

    return msgspec.structs.replace(study, **changes)


def _override(
    study: Study,
    subjects: list[str] | None,
    base_url: str | None,
    key_env: str | None,
    seed: int | None,
    connections: int | None,
    max_tokens: int | None,
    quick: bool,
    boundary: str | None,
) -> Study:
    import msgspec

    if boundary is not None and boundary not in ("core", "extended"):
        raise InputError(f"--boundary {boundary}: choose core or extended")
    _check_whole("--connections", connections, 4096)
    _check_whole("--max-tokens", max_tokens)
    if subjects:
        study = _replace(study, subjects=tuple(subjects))
    changes = {"base_url": base_url, "key_env": key_env, "connections": connections, "boundary": boundary}
    changes = {name: value for name, value in changes.items() if value is not None}
    if changes:
        specs = []
        for spec in study.specs:
            given = dict(changes)
            if spec.kind != "openai":
                given.pop("base_url", None)
                given.pop("key_env", None)
            specs.append(msgspec.structs.replace(spec, **given) if given else spec)
        if not any(spec.kind == "openai" for spec in specs):
            for option, value in (("--base-url", base_url), ("--key-env", key_env)):
                if value is not None:
                    raise InputError(f"{option} goes with openai: subjects, and there is none")
        study = _replace(study, subjects=tuple(specs))
    if seed is not None:
        study = _replace(study, seed=seed)
    if max_tokens is None and quick:
        max_tokens = min(study.sampling.max_tokens, 160)
    if max_tokens is not None:
        study = _replace(study, sampling=msgspec.structs.replace(study.sampling, max_tokens=max_tokens))
    return study


def _check_whole(option: str, value: int | None, most: int | None = None) -> None:
    if value is not None and not (value >= 1 and (most is None or value <= most)):
        raise InputError(f"{option} {value}: a whole number {f'from 1 to {most}' if most else 'from 1 up'}")


def _settings(settings: Sequence[str]) -> Iterator[Given]:
    """What ``--set`` says; without an instrument it is for the only one there is."""
    for setting in settings:
        key, equals, text = setting.partition("=")
        target, _, field = key.rpartition(".")
        if not equals or not field:
            raise InputError(f"--set {setting}: write NAME=VALUE")
        yield Given(f"--set {setting}", target, field, text)


def _with_options(
    study: Study, base: Path, given: Sequence[Given], quick: bool, max_tokens: int | None
) -> Study:
    """``--quick``, ``--set`` and options of the instruments' own as parts of the study."""
    from assay.bench import named_instrument

    options = {name: dict(given) for name, given in study.options.items()}
    if not quick and not given:
        return study
    found = {name: named_instrument(name, base) for name in options}
    called = {instrument.name: name for name, instrument in found.items()}
    for name in options if quick else ():
        chosen = {
            key: value for key, value in found[name].quick.items() if key != "max_tokens" or not max_tokens
        }
        options[name] = {**chosen, **options[name]}
    seen: set[tuple[str, str]] = set()
    for one in given:
        names = [one.instrument] if one.instrument else list(called)
        if len(names) != 1 or names[0] not in called:
            raise InputError(f"{one.option}: write INSTRUMENT.NAME=VALUE, with one of: {', '.join(called)}")
        if (names[0], one.field) in seen:
            raise InputError(f"{one.option}: {one.field} is given twice")
        seen.add((names[0], one.field))
        name = called[names[0]]
        options[name][one.field] = value_of(found[name].option_type, one.field, one.text, one.option)
    return _replace(study, instruments=options)


def warnings_of(lock: Lock) -> list[str]:
    """What the study declares and can never come true, of every instrument."""
    from assay.bench.prepare import instruments_of

    return [f"{i.name}: {text}" for i in instruments_of(lock) for text in i.warnings(lock)]


def parse_budget(text: str, study: Study) -> Any:
    import msgspec

    from assay.study import Budget as BudgetModel
    from assay.study import convert

    values: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if ("seconds" if name == "wall" else name) in values:
            raise InputError(f"--budget {text}: {name} is given twice")
        if name == "wall":
            found = _DURATION.match(value)
            if not found:
                raise InputError(f"--budget {part}: write a duration such as 90s, 10m or 2h")
            scale = {"s": 1, "m": 60, "h": 3600, "d": 86400}[found[2] or "s"]
            values["seconds"] = float(found[1]) * scale
        elif name in ("calls", "tokens", "cost") and equals:
            values[name] = _amount(part.strip(), name, value)
        else:
            raise InputError(
                f"--budget {text}: write calls=N, tokens=N, cost=X or wall=DURATION, comma-separated"
            )
    merged = {**msgspec.to_builtins(study.budget), **values}
    return convert(merged, BudgetModel, at=("budget",))


def _amount(part: str, name: str, value: str) -> float | int:
    """What a budget names: money as a number, calls and tokens whole (1e6 will do)."""
    whole = name != "cost"
    try:
        amount = float(value)
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount) or amount <= 0 or (whole and amount != int(amount)):
        what = "a whole number, at least 1" if whole else "a number, more than 0"
        raise InputError(f"--budget {part}: {name} must be {what}")
    return int(amount) if whole else amount
