"""YAML with a memory for lines, so that every complaint can say where.

Reads one document into plain values, refuses duplicate keys, converts it into a declared type, and turns a
validation error into one sentence with file, line, field and the nearest valid name.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from assay.canonical import clean_text
from assay.errors import InputError, IntegrityError
from assay.evidence.files import read_whole

from .complaints import explain

__all__ = ["Source", "convert", "parse_source", "read_file", "read_source"]

T = TypeVar("T")
Path_ = tuple[str | int, ...]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML 1.1, but with the numbers of JSON: 1e-7 is one although it has no point."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(?:\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)
LARGEST_FILE = 64 << 20  # bytes
MOST_NODES = 200_000  # aliases counted as often as they are used: a few lines can stand for billions
DEEPEST = 64  # the parser's own recursion ends the process, not with an error
_PLAIN_KEY = re.compile(r"[\w-]+")
_ODD_NUMBER = re.compile(r"[-+]?(0[0-9_]|[0-9_]+:)")  # YAML 1.1: octal, and base sixty
_TAG = "tag:yaml.org,2002:"
_PLAIN_SCALARS = {f"{_TAG}{kind}" for kind in ("str", "merge", "null", "bool")}
_SCALARS = {f"{_TAG}{kind}" for kind in ("int", "float", "timestamp")}


class Source:
    """A parsed document: its value, and the line of every node."""

    def __init__(self, file: str, value: Any, lines: dict[Path_, int]) -> None:
        self.file, self.value, self._lines = file, value, lines

    def line(self, path: Path_) -> int | None:
        """The line of the node, or of the nearest one above it."""
        while path not in self._lines and path:
            path = path[:-1]
        return self._lines.get(path)

    def renamed(self, old: Path_, new: Path_) -> Source:
        """The same document with the lines of one node, and of all below it, under another path."""
        moved = {new + path[len(old) :]: n for path, n in self._lines.items() if path[: len(old)] == old}
        return Source(self.file, self.value, {**self._lines, **moved})

    def error(self, path: Path_, message: str) -> InputError:
        field = _spell(path)
        return InputError(f"{field + ': ' if field else ''}{message}", file=self.file, line=self.line(path))


def _spell(path: Path_) -> str:
    text = ""
    for step in path:
        plain = isinstance(step, str) and _PLAIN_KEY.fullmatch(step)
        text += f".{step}" if plain else f"[{step!r}]"
    return text.removeprefix(".")


def read_file(path: Path) -> bytes:
    """The bytes of a file that the user names. A pipe or a device might never end, so only ordinary files are read."""
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, a YAML file is needed")
        return read_whole(path, LARGEST_FILE)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except IntegrityError as error:
        raise InputError(f"{path} cannot be read: {str(error).partition(': ')[2]}") from None
    except (OSError, ValueError) as error:  # a NUL in the name
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_source(path: Path) -> Source:
    """Read a YAML or JSON file (JSON is YAML)."""
    data = read_file(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not UTF-8 text (byte {error.start} of the file)", file=str(path), line=line
        ) from None
    return parse_source(text, str(path))


def parse_source(text: str, file: str) -> Source:
    """One YAML document as plain values. What would be read otherwise than it looks is refused."""
    try:
        _check_depth(text, file)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                raise InputError("the file is empty", file=file)
            walk = _Walk(file, loader)
            walk.visit(node, (), frozenset())
            value = loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context).split())
        if problem.startswith("but "):
            problem = f"{error.context}, {problem}"
        raise InputError(
            f"not valid YAML: {problem}", file=file, line=mark.line + 1 if mark else None
        ) from None
    except (yaml.YAMLError, UnicodeEncodeError):  # a reader's error: a character that YAML has no place for
        raise _forbidden_character(text, file) from None
    return Source(file, value, walk.lines)


def _check_depth(text: str, file: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                line = event.start_mark.line + 1 if event.start_mark else None
                raise InputError(f"nested more than {DEEPEST} levels deep", file=file, line=line)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _forbidden_character(text: str, file: str) -> InputError:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if found is None:
        return InputError("not valid YAML", file=file)
    line = text.count("\n", 0, found.start()) + 1
    return InputError(
        f"the character U+{ord(found[0]):04X} has no place in a YAML file", file=file, line=line
    )


class _Walk:
    """Visits every node before any value is made of it: notes its line, refuses what is not plain data."""

    def __init__(self, file: str, loader: Any) -> None:
        self.file, self._loader = file, loader
        self.lines: dict[Path_, int] = {}
        self._visited = 0

    def visit(self, node: yaml.Node, path: Path_, above: frozenset[int]) -> None:
        self._visited += 1
        if self._visited > MOST_NODES:
            raise self._error(
                node, f"stands for more than {MOST_NODES:,} values when its aliases are followed"
            )
        if id(node) in above:
            raise self._error(node, "an alias that contains itself")
        self.lines.setdefault(path, node.start_mark.line + 1)
        inside = above | {id(node)}
        if isinstance(node, yaml.ScalarNode):
            self._check_scalar(node)
        elif node.tag not in (f"{_TAG}map", f"{_TAG}seq"):
            raise self._error(node, f"the tag {node.tag.replace(_TAG, '!!')} is not known here; leave it out")
        elif isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, child in node.value:
                self._check_key(key, seen)
                self.lines[*path, key.value] = key.start_mark.line + 1
                self.visit(child, (*path, key.value), inside)
        elif isinstance(node, yaml.SequenceNode):
            for number, child in enumerate(node.value):
                self.visit(child, (*path, number), inside)

    def _check_key(self, key: yaml.Node, seen: set[str]) -> None:
        if not isinstance(key, yaml.ScalarNode):
            raise self._error(key, "a key must be a word, not a list or a mapping")
        if key.tag not in (f"{_TAG}str", f"{_TAG}merge"):
            raise self._error(key, f"the key {key.value} is not read as text; put it in quotes")
        self._check_scalar(key)
        if key.value in seen:
            raise self._error(key, f"{key.value!r} is given twice")
        seen.add(key.value)

    def _check_scalar(self, node: yaml.ScalarNode) -> None:
        if clean_text(node.value)[1]:
            raise self._error(node, "text that is not valid Unicode")
        if node.tag in _PLAIN_SCALARS:
            return
        if node.tag not in _SCALARS:
            raise self._error(node, f"the tag {node.tag.replace(_TAG, '!!')} is not known here; leave it out")
        try:
            value = self._loader.construct_object(node)
        except ValueError:
            kind = "a date" if node.tag == f"{_TAG}timestamp" else "a number"
            raise self._error(
                node, f"{node.value[:40]!r} looks like {kind} but is none; put it in quotes"
            ) from None
        if _ODD_NUMBER.match(node.value) and isinstance(value, int | float):
            raise self._error(node, f"{node.value} is read as {value}; write that, or put it in quotes")
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(node, f"{node.value} is not a finite number")
        if not isinstance(value, int | float):
            raise self._error(node, f"{node.value[:40]!r} is read as a date; put it in quotes")

    def _error(self, node: yaml.Node, message: str) -> InputError:
        return InputError(message, file=self.file, line=node.start_mark.line + 1)


def convert(value: Any, to: type[T], source: Source | None = None, at: Path_ = ()) -> T:
    """The value as a declared type; a mismatch is told with its place."""
    try:
        return msgspec.convert(value, to, strict=True)
    except msgspec.ValidationError as error:
        path, message = explain(error, value, to)
        if source is None:
            field = _spell((*at, *path))
            raise InputError(f"{field + ': ' if field else ''}{message}") from None
        raise source.error((*at, *path), message) from None
