"""YAML with a memory for lines, so that every complaint can say where.

Reads one document into plain values, refuses duplicate keys, converts it into a declared type, and turns a
validation error into one sentence with file, line, field and the nearest valid name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from assay.canonical import clean_text
from assay.errors import InputError, nearest

__all__ = ["Source", "convert", "parse_source", "read_source"]

T = TypeVar("T")
Path_ = tuple[str | int, ...]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<name>.*)`$", re.S)
_STEP = re.compile(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]")


class Source:
    """A parsed document: its value, and the line of every node."""

    def __init__(self, file: str, value: Any, lines: dict[Path_, int]) -> None:
        self.file, self.value, self._lines = file, value, lines

    def line(self, path: Path_) -> int | None:
        """The line of the node, or of the nearest one above it."""
        while path not in self._lines and path:
            path = path[:-1]
        return self._lines.get(path)

    def error(self, path: Path_, message: str) -> InputError:
        field = _spell(path)
        return InputError(f"{field + ': ' if field else ''}{message}", file=self.file, line=self.line(path))


def _spell(path: Path_) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".")


def read_source(path: Path) -> Source:
    """Read a YAML or JSON file (JSON is YAML)."""
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, a YAML file is needed") from None
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", file=str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    return parse_source(text, str(path))


def parse_source(text: str, file: str) -> Source:
    lines: dict[Path_, int] = {}
    try:
        loader = _LOADER(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise InputError("the file is empty", file=file)
            _walk(node, (), lines, file, set())
            value = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context).split())
        raise InputError(
            f"not valid YAML: {problem}", file=file, line=mark.line + 1 if mark else None
        ) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InputError(f"not valid YAML: {error}", file=file) from None
    return Source(file, value, lines)


def _walk(node: yaml.Node, path: Path_, lines: dict[Path_, int], file: str, above: set[int]) -> None:
    lines.setdefault(path, node.start_mark.line + 1)
    if id(node) in above:
        raise InputError("an alias that contains itself", file=file, line=node.start_mark.line + 1)
    if isinstance(node, yaml.ScalarNode) and clean_text(node.value)[1]:
        raise InputError("text that is not valid Unicode", file=file, line=node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise InputError("a key must be a plain word", file=file, line=key.start_mark.line + 1)
            if key.value in seen:
                raise InputError(f"{key.value!r} is given twice", file=file, line=key.start_mark.line + 1)
            seen.add(key.value)
            step = (*path, key.value)
            lines[step] = key.start_mark.line + 1
            _walk(child, step, lines, file, above | {id(node)})
    elif isinstance(node, yaml.SequenceNode):
        for number, child in enumerate(node.value):
            _walk(child, (*path, number), lines, file, above | {id(node)})


def convert(value: Any, to: type[T], source: Source | None = None, at: Path_ = ()) -> T:
    """The value as a declared type; a mismatch is told with its place."""
    try:
        return msgspec.convert(value, to, strict=True)
    except msgspec.ValidationError as error:
        path, message = _explain(str(error), value, to)
        if source is None:
            field = _spell((*at, *path))
            raise InputError(f"{field + ': ' if field else ''}{message}") from None
        raise source.error((*at, *path), message) from None


def _explain(message: str, value: Any, to: type) -> tuple[Path_, str]:
    """msgspec's sentence as ours: the path as steps, and the nearest name for an unknown field."""
    text, _, place = message.partition(" - at `$")
    path = _steps(place.rstrip("`"), value)
    unknown = _UNKNOWN.match(text)
    if unknown:
        name = unknown["name"]
        known = _fields(to, path)
        return (*path, name), f"unknown field{nearest(name, known)}"
    text = text.replace("`", "")
    return path, text[0].lower() + text[1:]


def _steps(place: str, value: Any) -> Path_:
    """``.a.b[0]`` as steps. msgspec writes [...] for "some key": the place above it is near enough."""
    path: list[str | int] = []
    for name, index in _STEP.findall(place):
        if index == "...":
            break
        path.append(int(index) if index else name)
    return tuple(path)


def _fields(to: Any, path: Path_) -> list[str]:
    """The field names of the type at the end of a path."""
    kind = msgspec.inspect.type_info(to)
    for step in path:
        kind = _inside(kind, step)
    if isinstance(kind, msgspec.inspect.UnionType):
        structs = [k for k in kind.types if isinstance(k, msgspec.inspect.StructType)]
        kind = structs[0] if structs else kind
    if isinstance(kind, msgspec.inspect.StructType):
        return [field.encode_name for field in kind.fields]
    return []


def _inside(kind: Any, step: str | int) -> Any:
    if isinstance(kind, msgspec.inspect.UnionType):
        for option in kind.types:
            found = _inside(option, step)
            if found is not None:
                return found
        return None
    if isinstance(kind, msgspec.inspect.StructType):
        return next((f.type for f in kind.fields if f.encode_name == step), None)
    if isinstance(kind, msgspec.inspect.DictType):
        return kind.value_type
    return getattr(kind, "item_type", None)
