"""What Python passes: subjects as texts, mappings or callables, and keywords for the instruments' own options."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.bench import Instrument, RunFolder, named_instrument
from assay.bench.prepare import read_study
from assay.errors import InputError, nearest
from assay.study import Lock, SubjectSpec, convert

from .declaration import Beside, Target, declare, lock_file, study_from
from .option_values import Given, plain_data

__all__ = ["MANNER", "Paths", "Subjects", "lock_from", "paths_of", "signers_of"]

One = str | Mapping[str, Any] | SubjectSpec | Callable[..., Any]
Subjects = One | Sequence[One]
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
# What `assay.run` takes that says how to run, not what is declared.
MANNER = ("name", "out", "key", "allow_unconfined_code", "report", "progress")


def lock_from(
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
    parameters: Mapping[str, str | None] | None = None,
    includes: str | Sequence[str] | None = None,
    price: str | Mapping[str, Any] | None = None,
    instrument: Paths = (),
    **options: Any,
) -> Lock:
    """The lock of what is passed: the same words as on the command line, and the instruments' own options."""
    beside = Beside(
        None if subject is None else specs_of(subject),
        base_url, key_env, quick or None, budget, seed, connections, max_tokens, boundary, parameters,
        includes, price,
    )  # fmt: skip
    return declare(study, beside, own_options(study, options), paths_of(instrument))


def paths_of(given: Paths) -> list[Path]:
    """One path, or several."""
    return [Path(given)] if isinstance(given, str | os.PathLike) else [Path(one) for one in given]


def signers_of(given: str | Sequence[str] | None, folder: RunFolder) -> list[str]:
    """Who may have signed a run: one key id or file of trusted keys, several, or nobody in particular."""
    return folder.trusted([given] if isinstance(given, str) else [*(given or ())])


def specs_of(given: Subjects) -> list[str | SubjectSpec]:
    """Subjects as a study has them."""
    several = [*given] if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    return [_spec(one) for one in several]


def _spec(one: Any) -> str | SubjectSpec:
    if isinstance(one, str | SubjectSpec):
        return one
    if isinstance(one, Mapping):
        return convert(plain_data(one, "subject"), SubjectSpec, at=("subject",))
    if callable(one):
        return _named(one)
    raise InputError(
        f"subject: a text such as local:smollm2, a mapping or a function, not {type(one).__name__}"
    )


def _named(function: Callable[..., Any]) -> str:
    """A callable by the name it can be imported by: the lock says what is run, and a process of its own imports it."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    found: Any = None
    if module and name and module != "__main__" and "<" not in name:
        try:
            found = importlib.import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except (ImportError, AttributeError):
            found = None
    if found is not function:
        raise InputError(
            f"subject {name or function!r}: a function is run in a process of its own, under the name that the lock "
            "says; put it into a module and pass it from there, or write python:MODULE:NAME"
        )
    return f"python:{module}:{name}"


def own_options(study: Target, options: Mapping[str, Any]) -> list[Given]:
    """Whose every keyword is: an instrument's that has an option of this name, or ``INSTRUMENT={...}``."""
    if not options:
        return []
    if lock_file(study) is not None:
        return [Given(name, "", name, value) for name, value in options.items()]  # refused with the lock
    instruments = {one.name: one for one in _instruments(study)}
    given = []
    for name, value in options.items():
        if name in instruments:
            if not isinstance(value, Mapping):
                raise InputError(f"{name}: the options of an instrument are a mapping")
            given += [Given(f"{name}.{field}", name, str(field), one) for field, one in value.items()]
            continue
        owners = [one.name for one in instruments.values() if name in one.option_type.__struct_fields__]
        if len(owners) > 1:
            whose = " or ".join(f"{owner}={{{name!r}: …}}" for owner in owners)
            raise InputError(f"{name}: several instruments have it; write {whose}")
        if not owners:
            known = [field for one in instruments.values() for field in one.option_type.__struct_fields__]
            named = " or ".join(instruments)
            raise InputError(f"{name} is no option of assay.run, nor of {named}{nearest(name, known)}")
        given.append(Given(name, owners[0], name, value))
    return given


def _instruments(study: Target) -> list[Instrument]:
    """The instruments that a study names; what it says of them is looked at later."""
    base = Path()
    if isinstance(study, Mapping):
        names = list(study_from(study).options)
    elif isinstance(study, str | os.PathLike):
        path = Path(study)
        names = [os.fspath(study)]
        if path.suffix in (".yaml", ".yml"):
            names, base = list(read_study(path)[0].options), path.parent
    else:
        names = [os.fspath(one) for one in study]
    return [named_instrument(str(name), base) for name in names]
