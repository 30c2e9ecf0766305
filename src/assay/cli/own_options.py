"""An instrument's own options on the command line: read from its option type, once the instrument is named.

``--biases core`` after ``assay run bias`` is ``--set biases=core``. Lists are written with commas, a switch that is
on by default is turned off with ``--no-NAME``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    import msgspec

__all__ = ["help_of", "take_options", "value_of"]

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
    """A value as it would stand in a study: 5 is a number, add is text, ``a,b`` a list where lists are meant."""
    field = _fields(kind).get(name) if kind is not None else None
    quoted = text[:1] in ("'", '"', "[", "{")  # says itself what it is
    if quoted or field is None:
        return (
            [_scalar(part, said) for part in text.split(",")]
            if "," in text and not quoted
            else _scalar(text, said)
        )
    if _is_list(field.type) and text not in _words(field.type):
        return [_scalar(part, said) for part in text.split(",")]
    return _scalar(text, said)


def _scalar(text: str, said: str) -> Any:
    from assay.study.source import parse_source

    try:
        return parse_source(text, "").value if text.strip() else None
    except InputError as error:
        raise InputError(f"{said}: {error}") from None


def take_options(
    arguments: Sequence[str], kinds: Iterable[type[msgspec.Struct]], known: frozenset[str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Split a command's arguments: those the command itself knows, and (name, text) of the instruments' own.

    ``known`` are the command's own option names, which come first. What belongs to nobody stays with the command,
    which complains.
    """
    fields: dict[str, Any] = {}
    for kind in kinds:
        for name, field in _fields(kind).items():
            fields.setdefault(name.replace("_", "-"), field)
    rest: list[str] = []
    own: list[tuple[str, str]] = []
    queue = list(arguments)
    while queue:
        argument = queue.pop(0)
        if argument == "--":
            return [*rest, argument, *queue], own
        name, equals, text = argument.removeprefix("--").partition("=")
        off = name.startswith(_NO) and name.removeprefix(_NO) in fields
        field = fields.get(name.removeprefix(_NO) if off else name)
        if not argument.startswith("--") or f"--{name}" in known or field is None:
            rest.append(argument)
        elif _is_switch(field.type) and not equals:
            own.append((field.name, "false" if off else "true"))
        elif equals:
            own.append((field.name, text))
        elif queue:
            own.append((field.name, queue.pop(0)))
        else:
            raise InputError(f"{argument}: a value is missing")
    return rest, own


def _description(info: Any) -> str:
    from msgspec import inspect

    if isinstance(info, inspect.Metadata):
        return str((info.extra_json_schema or {}).get("description", "")) or _description(info.type)
    parts = info.types if isinstance(info, inspect.UnionType) else ()
    return next(filter(None, map(_description, parts)), "")


def help_of(kind: type[msgspec.Struct]) -> list[tuple[str, str]]:
    """Every option with its default and what it is for."""
    import msgspec

    rows = []
    for name, field in _fields(kind).items():
        about = _description(field.type)
        if words := _words(field.type):
            about = f"{about} One of: {', '.join(words)}.".strip()
        if field.default not in (msgspec.NODEFAULT, None, "", (), {}):
            value = msgspec.to_builtins(field.default)
            shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
            about = f"{about} Default: {shown}.".strip()
        dashed = name.replace("_", "-")
        switch = _is_switch(field.type) and field.default is True
        rows.append((f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}", about))
    return rows
