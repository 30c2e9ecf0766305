"""From what a user says to a lock: a study's file, a mapping or instruments by name, and what is said beside it.

The command line and Python say the same things and differ in how they spell them: ``spell`` names an option in a
message, ``read`` makes a value of what was given for an instrument's own option.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.bench import named_instrument
from assay.bench.prepare import instruments_of, prepare, read_study, take_files
from assay.errors import InputError, UnknownName
from assay.registry import names as known_names
from assay.study import Budget, Lock, Price, Source, Study, SubjectSpec, convert, read_lock
from assay.subjects.recipes import RECIPES

from .option_values import Given, plain_data, plain_value

__all__ = [
    "Beside",
    "Target",
    "budget_of",
    "declare",
    "lock_file",
    "parse_budget",
    "study_from",
    "warnings_of",
]

AT_AN_ENDPOINT = ("base_url", "key_env", "parameters")  # what only such subjects take
FREE = ("local", "reference")  # kinds of subjects that nobody is paid for
_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(s|m|h|d)?$")
Target = str | os.PathLike[str] | Mapping[str, Any] | Sequence[str | os.PathLike[str]]
Spell = Callable[[str], str]
Read = Callable[[Any, str, Any, str], Any]


class Beside(NamedTuple):
    """What is said beside a study; None where nothing is."""

    subjects: Sequence[str | SubjectSpec] | None = None
    base_url: str | None = None
    key_env: str | None = None
    quick: bool | None = None
    budget: str | Mapping[str, Any] | None = None
    seed: int | None = None
    connections: int | None = None
    max_tokens: int | None = None
    boundary: str | None = None
    parameters: Mapping[str, str | None] | None = None
    includes: str | Sequence[str] | None = None
    price: str | Mapping[str, Any] | None = None


def declare(
    target: Target,
    beside: Beside = Beside(),  # noqa: B008 - a frozen value
    own: Sequence[Given] = (),
    files: Sequence[Path] = (),
    *,
    spell: Spell = str,
    read: Read = plain_value,
) -> Lock:
    """The lock that is asked for: read from a file, or made here and now."""
    if (lock := lock_file(target)) is not None:
        return _declared_before(lock, beside, own, files)
    if files:
        raise InputError(
            f"{spell('instrument')} goes with a lock; the file of a new study's instrument is named itself"
        )
    study, source, base = _study_of(target)
    study = _override(study, beside, spell)
    study = _with_options(study, base, own, bool(beside.quick), beside.max_tokens, read)
    if beside.budget is not None:
        study = _replace(study, budget=budget_of(beside.budget, study, spell))
    return prepare(study, base, source)


def lock_file(target: Target) -> Path | None:
    """The lock's file, where that is what is named."""
    if isinstance(target, Mapping):
        return None
    targets = _texts(target)
    return Path(targets[0]) if len(targets) == 1 and targets[0].endswith(".json") else None


def _texts(target: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    several = [*target] if isinstance(target, Sequence) and not isinstance(target, str | bytes) else [target]
    for one in several:
        if not isinstance(one, str | os.PathLike):
            raise InputError(f"a study is a file, a mapping or instruments by name, not {type(one).__name__}")
    return [os.fspath(one) for one in several]


def _declared_before(path: Path, beside: Beside, own: Sequence[Given], files: Sequence[Path]) -> Lock:
    if own or any(value is not None for value in beside):
        raise InputError(
            f"{path} is a lock and is run as it was declared; options belong into the study it is made from"
        )
    lock = read_lock(path)
    take_files(lock, files)
    return lock


def _study_of(target: Target) -> tuple[Study, Source | None, Path]:
    """The study, its file's lines if it has one, and the folder its relative paths start from."""
    if isinstance(target, Mapping):
        return study_from(target), None, Path()
    targets = _texts(target)
    if len(targets) == 1 and targets[0].endswith((".yaml", ".yml")):
        path = Path(targets[0])
        return (*read_study(path), path.parent)
    return _from_names(targets), None, Path()


def study_from(mapping: Mapping[str, Any]) -> Study:
    """A study that is passed as a mapping."""
    return convert(plain_data(mapping, "the study"), Study)


def _from_names(names: list[str]) -> Study:
    known = known_names("assay.instruments")
    if not all(names or [""]):
        raise InputError(f"name a study (FILE.yaml) or an instrument: {', '.join(known)}")
    for name in names:
        if name not in known and not name.endswith(".py"):
            _check_no_file(name, len(names))
            raise UnknownName("instrument", name, known)
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
    if os.sep in name:
        raise InputError(f"there is nothing at {name}; give a study, a lock, a run or an instrument")


def _replace(study: Study, **changes: Any) -> Study:
    return msgspec.structs.replace(study, **changes)


def _override(study: Study, beside: Beside, spell: Spell) -> Study:
    boundary, max_tokens = beside.boundary, beside.max_tokens
    if boundary is not None and boundary not in ("core", "extended"):
        raise InputError(f"{spell('boundary')} {boundary}: choose core or extended")
    _check_whole(spell("connections"), beside.connections, 4096)
    _check_whole(spell("max_tokens"), max_tokens)
    if beside.subjects:
        study = _replace(study, subjects=tuple(beside.subjects))
    fields = ("base_url", "key_env", "connections", "boundary", "parameters")
    changes = {name: getattr(beside, name) for name in fields}
    changes = {name: value for name, value in changes.items() if value is not None}
    if beside.includes is not None:
        changes["includes"] = _listed(beside.includes, spell("includes"))
    if changes:
        study = _replace(study, subjects=_changed_subjects(study, changes, spell))
    if beside.price is not None:
        study = _replace(study, subjects=_priced(study, beside.price, spell("price")))
    if beside.seed is not None:
        study = _replace(study, seed=beside.seed)
    if max_tokens is None and beside.quick:
        max_tokens = min(study.sampling.max_tokens or 160, 160)
    if max_tokens is not None:
        study = _replace(study, sampling=msgspec.structs.replace(study.sampling, max_tokens=max_tokens))
    return convert(plain_data(study, "the study"), Study)  # Python passes values of any type


def _changed_subjects(study: Study, changes: dict[str, Any], spell: Spell) -> tuple[SubjectSpec, ...]:
    """Endpoint and key are for subjects at an endpoint; where there is none, they are a mistake."""
    specs = []
    for spec in study.specs:
        given = dict(changes)
        if spec.kind not in RECIPES:
            for option in AT_AN_ENDPOINT:
                given.pop(option, None)
        elif "parameters" in given:
            given["parameters"] = {**spec.parameters, **given["parameters"]}
        specs.append(msgspec.structs.replace(spec, **given) if given else spec)
    if not any(spec.kind in RECIPES for spec in specs):
        for option in AT_AN_ENDPOINT:
            if option in changes:
                raise InputError(f"{spell(option)} goes with subjects at an endpoint, and there is none")
    return tuple(specs)


def _priced(study: Study, given: Any, option: str) -> tuple[SubjectSpec, ...]:
    """The study's subjects with a price: ``IN/OUT`` per million tokens, or the fields of a price."""
    if isinstance(given, str):
        first, slash, second = given.partition("/")
        values: Any = {"input": _money(first), "output": _money(second)}
        if not slash or None in values.values():
            raise InputError(f"{option} {given}: write IN/OUT, money per million tokens, such as 0.15/0.6")
    else:
        values = plain_data(given, option)
    price = convert(values, Price, at=(option,))
    specs = study.specs
    if all(spec.kind in FREE for spec in specs):
        raise InputError(f"{option} goes with subjects that are paid for, and there is none")
    return tuple(s if s.kind in FREE else msgspec.structs.replace(s, price=price) for s in specs)


def _money(text: str) -> float | None:
    try:
        amount = float(text)
    except ValueError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def _listed(given: Any, option: str) -> tuple[str, ...]:
    """What a boundary includes: a list, or a text with commas."""
    parts = given.split(",") if isinstance(given, str) else [*given] if isinstance(given, Sequence) else []
    listed = tuple(part.strip() for part in parts if isinstance(part, str) and part.strip())
    if not listed or len(listed) < len(parts):
        raise InputError(f"{option}: name what the boundary includes, such as 'a memory, a calculator'")
    return listed


def _check_whole(option: str, value: Any, most: int | None = None) -> None:
    if value is None:
        return
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not (value >= 1 and (most is None or value <= most)):
        raise InputError(f"{option} {value}: a whole number {f'from 1 to {most}' if most else 'from 1 up'}")


def _with_options(
    study: Study, base: Path, given: Sequence[Given], quick: bool, max_tokens: int | None, read: Read
) -> Study:
    """What a quick run sets, and the options of the instruments' own, as parts of the study."""
    plain = all(
        isinstance(declared, dict) for declared in study.options.values()
    )  # else it is refused, with its line
    if not plain or (not quick and not given):
        return study
    options = {name: dict(declared) for name, declared in study.options.items()}
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
        options[name][one.field] = read(found[name].option_type, one.field, one.value, one.option)
    return _replace(study, instruments=options)


def warnings_of(lock: Lock) -> list[str]:
    """What the study declares and can never come true, and boundaries that list nothing."""
    bare = [spec.title for spec in lock.study.specs if spec.boundary == "extended" and not spec.includes]
    return [
        *(f"{title}: {_LISTS_NOTHING}" for title in bare),
        *(f"{i.name}: {text}" for i in instruments_of(lock) for text in i.warnings(lock)),
    ]


_LISTS_NOTHING = (
    "its extended boundary does not list what it includes, and every reading will be flagged; "
    "list it: --includes 'a memory, a calculator' (in a study: includes)"
)


def budget_of(given: str | Mapping[str, Any], study: Study, spell: Spell = str) -> Budget:
    """The study's budget with what is given instead: ``calls=500,seconds=10m``, or the fields of a study's budget."""
    if not isinstance(given, str | Mapping):
        raise InputError(f"{spell('budget')}: a text or a mapping, not {type(given).__name__}")
    if isinstance(given, str):
        return parse_budget(given, study.budget, spell("budget"))
    values = plain_data(given, "budget")
    return convert({**msgspec.to_builtins(study.budget), **values}, Budget, at=("budget",))


def parse_budget(text: str, before: Budget, option: str) -> Budget:
    """A budget as it is written in one line, in place of what was declared ``before``."""
    return convert({**msgspec.to_builtins(before), **_parsed(text, option)}, Budget, at=("budget",))


def _parsed(text: str, option: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if ("seconds" if name == "wall" else name) in values:
            raise InputError(f"{option} {text}: {name} is given twice")
        if name in ("seconds", "wall"):  # as a study calls it, and as it was called here first
            found = _DURATION.match(value)
            if not found:
                raise InputError(f"{option} {part}: write a duration such as 90s, 10m or 2h")
            scale = {"s": 1, "m": 60, "h": 3600, "d": 86400}[found[2] or "s"]
            values["seconds"] = float(found[1]) * scale
        elif name in ("calls", "tokens", "cost") and equals:
            values[name] = _amount(f"{option} {part.strip()}", name, value)
        else:
            raise InputError(
                f"{option} {text}: write calls=N, tokens=N, cost=X or seconds=DURATION, comma-separated"
            )
    return values


def _amount(said: str, name: str, value: str) -> float | int:
    """What a budget names: money as a number, calls and tokens whole (1e6 will do)."""
    whole = name != "cost"
    try:
        amount = float(value)
    except ValueError:
        amount = math.nan
    if not math.isfinite(amount) or amount <= 0 or (whole and amount != int(amount)):
        what = "a whole number, at least 1" if whole else "a number, more than 0"
        raise InputError(f"{said}: {name} must be {what}")
    return int(amount) if whole else amount
