"""An instrument's own options on the command line: read from its option type, once the instrument is named.

``--biases core`` after ``assay run bias`` is ``--set biases=core``. Lists are written with commas, a switch that is
on by default is turned off with ``--no-NAME``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError

if TYPE_CHECKING:
    import msgspec

__all__ = ["Given", "help_of", "options_of", "take_options", "value_of"]

_NO = "no-"


def _info(kind: Any) -> Any:
    from msgspec import inspect

    return inspect.type_info(kind)


def _fields(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return {field.name: field for field in _info(kind).fields}


def _plain(info: Any) -> list[Any]:
    """The types that a field may have, without their metadata."""
    from msgspec import inspect

    if isinstance(info, inspect.Metadata):
        return _plain(info.type)
    if isinstance(info, inspect.UnionType):
        return [one for part in info.types for one in _plain(part)]
    return [info]


def _is_switch(info: Any) -> bool:
    from msgspec import inspect

    return any(isinstance(one, inspect.BoolType) for one in _plain(info))


def _is_list(info: Any) -> bool:
    from msgspec import inspect

    kinds = (inspect.VarTupleType, inspect.TupleType, inspect.ListType)
    return any(isinstance(one, kinds) for one in _plain(info))


def _words(info: Any) -> list[str]:
    """The words that a field may be, where it may be only certain ones."""
    from msgspec import inspect

    return [str(v) for one in _plain(info) if isinstance(one, inspect.LiteralType) for v in one.values]


def value_of(kind: type[msgspec.Struct] | None, name: str, text: str, said: str) -> Any:
    """A value as it would stand in a study: 5 is a number, ``a,b`` a list where lists are meant, text is text."""
    field = _fields(kind).get(name) if kind is not None else None
    quoted = text[:1] in ("[", "{")  # says itself what it is
    if field is None:
        many = "," in text and not quoted
        return [_scalar(part, said) for part in text.split(",")] if many else _scalar(text, said)
    if _is_text(field.type):
        return text
    if _is_list(field.type) and not quoted and text not in _words(field.type):
        plain = all(_is_text(item) for item in _items(field.type))
        return [part if plain else _scalar(part, said) for part in text.split(",")]
    return _scalar(text, said)


def _is_text(info: Any) -> bool:
    """Whether a field holds text or nothing: what is written is then what is meant."""
    from msgspec import inspect

    kinds = _plain(info)
    return any(isinstance(one, inspect.StrType) for one in kinds) and all(
        isinstance(one, inspect.StrType | inspect.NoneType) for one in kinds
    )


def _items(info: Any) -> list[Any]:
    """The types of a list's items."""
    found: list[Any] = []
    for one in _plain(info):
        if hasattr(one, "item_types"):
            found += one.item_types
        elif hasattr(one, "item_type"):
            found.append(one.item_type)
    return found


def _scalar(text: str, said: str) -> Any:
    from assay.study.source import parse_source

    try:
        return parse_source(text, "").value if text.strip() else None
    except InputError as error:
        raise InputError(f"{said}: {error}") from None


class Given(NamedTuple):
    """An option of an instrument's own: as it was written, whose it is, which field, and its text."""

    option: str
    instrument: str
    field: str
    text: str


def options_of(kind: Any, given: Sequence[Given]) -> Any:
    """A value of an option type, from what was given on the command line."""
    from assay.study import convert

    values = {one.field: value_of(kind, one.field, one.text, one.option) for one in given}
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
        for field in _fields(kind).values():
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
        off = option != positive and positive in owners and _is_switch(owners[positive][0][1].type)
        mine = owners.get(positive if off else option, [])
        if option in known or not mine:
            rest.append(argument)
            continue
        if len(mine) > 1:
            whose = " or ".join(f"--set {name}.{field.name}=VALUE" for name, field in mine)
            raise InputError(f"{option}: several instruments have it; write {whose}")
        instrument, field = mine[0]
        if _is_switch(field.type) and not equals:
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
    for name, field in _fields(kind).items():
        about = _description(field.type)
        if words := _words(field.type):
            about = (
                f"{about} One of: {', '.join(words)}{', or a list' if _is_list(field.type) else ''}.".strip()
            )
        if field.default not in (msgspec.NODEFAULT, None, "", (), {}):
            value = msgspec.to_builtins(field.default)
            shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
            about = f"{about} Default: {shown}.".strip()
        dashed = name.replace("_", "-")
        if f"--{dashed}" in known:
            continue
        switch = _is_switch(field.type) and field.default is True
        rows.append((f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}", about))
    return rows
