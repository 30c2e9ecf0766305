"""An instrument's own options on the command line: read from its option type, once the instrument is named.

``--tosses 20`` after ``assay run coin`` is ``--set tosses=20``. Lists are written with commas, a switch that is
on by default is turned off with ``--no-NAME``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.api.option_values import Given, fields_of, is_list, is_switch, value_of, words_of
from assay.errors import InputError

if TYPE_CHECKING:
    import msgspec

__all__ = ["help_of", "options_of", "take_options"]

_NO = "no-"


def options_of(kind: Any, given: Sequence[Given]) -> Any:
    """A value of an option type, from what was given on the command line."""
    from assay.study import convert

    values = {one.field: value_of(kind, one.field, one.value, one.option) for one in given}
    try:
        return convert(values, kind)
    except InputError as error:
        raise InputError(f"--{str(error).replace('_', '-', 1)}") from None


def take_options(
    arguments: Sequence[str], kinds: Mapping[str, type[msgspec.Struct]], known: frozenset[str]
) -> tuple[list[str], list[Given]]:
    """Split a command's arguments: those the command itself knows, and those of the instruments.

    ``known`` are the command's own options, which come first. What belongs to nobody stays with the command, which
    complains. An option that several instruments have is nobody's: ``--set INSTRUMENT.NAME=VALUE`` says whose.
    """
    owners: dict[str, list[tuple[str, Any]]] = {}
    for instrument, kind in kinds.items():
        for field in fields_of(kind).values():
            owners.setdefault(f"--{field.name.replace('_', '-')}", []).append((instrument, field))
    rest: list[str] = []
    own: list[Given] = []
    queue = list(arguments)
    while queue:
        argument = queue.pop(0)
        if argument == "--":
            return [*rest, argument, *queue], own
        option, equals, text = argument.partition("=")
        positive = f"--{option.removeprefix(f'--{_NO}')}" if option.startswith(f"--{_NO}") else option
        off = option != positive and positive in owners and is_switch(owners[positive][0][1].type)
        mine = owners.get(positive if off else option, [])
        if option in known or not mine:
            rest.append(argument)
            continue
        if len(mine) > 1:
            whose = " or ".join(f"--set {name}.{field.name}=VALUE" for name, field in mine)
            raise InputError(f"{option}: several instruments have it; write {whose}")
        instrument, field = mine[0]
        if is_switch(field.type) and not equals:
            following = queue[0] if queue and not off and queue[0] in ("true", "false") else ""
            text = queue.pop(0) if following else "false" if off else "true"
        elif off:
            raise InputError(f"{option} takes no value")
        elif not equals:
            if not queue or queue[0].partition("=")[0] in known | owners.keys():
                raise InputError(f"{option}: a value is missing")
            text = queue.pop(0)
        if any((one.instrument, one.field) == (instrument, field.name) for one in own):
            raise InputError(f"{option} is given twice")
        own.append(Given(option, instrument, field.name, text))
    return rest, own


def _description(info: Any) -> str:
    from msgspec import inspect

    if isinstance(info, inspect.Metadata):
        return str((info.extra_json_schema or {}).get("description", "")) or _description(info.type)
    parts = info.types if isinstance(info, inspect.UnionType) else ()
    return next(filter(None, map(_description, parts)), "")


def help_of(kind: type[msgspec.Struct], known: Collection[str] = ()) -> list[tuple[str, str]]:
    """Every option with its default and what it is for; ``known`` are the command's own, which come first."""
    import msgspec

    rows = []
    for name, field in fields_of(kind).items():
        about = _description(field.type)
        if words := words_of(field.type):
            about = (
                f"{about} One of: {', '.join(words)}{', or a list' if is_list(field.type) else ''}.".strip()
            )
        if field.default not in (msgspec.NODEFAULT, None, "", (), {}):
            value = msgspec.to_builtins(field.default)
            shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
            about = f"{about} Default: {shown}.".strip()
        dashed = name.replace("_", "-")
        if f"--{dashed}" in known:
            continue
        switch = is_switch(field.type) and field.default is True
        rows.append((f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}", about))
    return rows
