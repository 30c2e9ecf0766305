"""Plain Python values as JSON text and back, without running a line of the values' own code.

=====================  ===============================================================
value                  encoded
=====================  ===============================================================
None, bool, str        as they are
int                    as it is up to 2**53, beyond that ``{"int": "0x..."}``
str, lone surrogates   ``{"str": "<hex of UTF-8 with surrogates passed>"}``
float                  ``{"float": "1.5"}`` (``repr``; also ``nan``, ``inf``, ``-inf``)
complex                ``{"complex": ["1.0", "2.0"]}``
bytes, bytearray       ``{"bytes": "<base64>"}``, ``{"bytearray": "<base64>"}``
list                   an array
tuple                  ``{"tuple": [...]}``
set, frozenset         ``{"set": [...]}``, ``{"frozenset": [...]}``, sorted by their encoding
dict                   ``{"dict": [[key, value], ...]}`` in insertion order
anything else          ``{"opaque": "TypeName"}``
=====================  ===============================================================

A subclass of one of these (OrderedDict, namedtuple, IntEnum, a list with its own ``__eq__``) is read as
its builtin base through the base's own slots, so an overridden method is never called. There are no
addresses in the text and no order that depends on the hash seed.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from json.encoder import encode_basestring_ascii
from typing import Any, Final

__all__ = ["MAX_DEPTH", "Opaque", "TooLarge", "check", "encode", "most_entries", "thaw", "type_name"]

MAX_DEPTH: Final = 100
_SAFE: Final = 2**53
_CONTAINERS: Final = ("tuple", "set", "frozenset", "dict")
_TYPE_NAME: Final = type.__dict__["__name__"].__get__
_REAL: Final = complex.__dict__["real"].__get__
_IMAG: Final = complex.__dict__["imag"].__get__


class TooLarge(Exception):
    """A value that is nested too deeply or takes too many bytes to be brought out."""


class Opaque:
    """A value that is not plain data. It equals nothing, itself included; only its type's name is known."""

    __slots__ = ("type_name",)

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<opaque {self.type_name}>"


def type_name(kind: type) -> str:
    """The name of a type, past any metaclass that would answer for it."""
    name = str.__str__(_TYPE_NAME(kind))
    return name.encode("utf-8", "backslashreplace").decode("utf-8")[:200]


def encode(
    value: object, *, max_bytes: int = 1_000_000, max_depth: int = MAX_DEPTH, opaque: bool = True
) -> str:
    """The canonical JSON text of ``value``.

    Raises `TooLarge` past the limits, and TypeError for a value that is not plain when ``opaque`` is off.
    """
    return _Encoder(max_bytes, max_depth, opaque).text(value, 0, False)


class _Encoder:
    """One encoding under way: what is left of the byte budget."""

    __slots__ = ("depth", "left", "limit", "opaque")

    def __init__(self, max_bytes: int, max_depth: int, opaque: bool) -> None:
        self.left = self.limit = max_bytes
        self.depth, self.opaque = max_depth, opaque

    def text(self, value: Any, depth: int, as_key: bool) -> str:
        """``as_key``: within a dict key or a set, where only what hashes outside may stand."""
        if value is None:
            return self.spend("null")
        if value is True or value is False:
            return self.spend("true" if value is True else "false")
        kind = type(value)
        if depth > self.depth:
            raise TooLarge(f"nested deeper than {self.depth}")
        if issubclass(kind, str):
            return self.string(str.__str__(value))
        if issubclass(kind, int):
            return self.integer(int.__int__(value))
        if issubclass(kind, float):
            return self.spend('{"float":"' + float.__repr__(value) + '"}')
        if issubclass(kind, complex):
            real, imaginary = float.__repr__(_REAL(value)), float.__repr__(_IMAG(value))
            return self.spend('{"complex":["' + real + '","' + imaginary + '"]}')
        if issubclass(kind, tuple):
            items = tuple.__getitem__(value, slice(None))
            return '{"tuple":' + self.array(items, depth, as_key) + "}"
        if issubclass(kind, frozenset):
            return '{"frozenset":' + self.sorted_array(frozenset.__iter__(value), depth) + "}"
        if issubclass(kind, bytes):
            return self.binary("bytes", bytes.__getitem__(value, slice(None)))
        return self.stranger(kind) if as_key else self.mutable(value, kind, depth)

    def mutable(self, value: Any, kind: type, depth: int) -> str:
        if issubclass(kind, list):
            return self.array(list.__getitem__(value, slice(None)), depth, False)
        if issubclass(kind, dict):
            self.afford(dict.__len__(value))
            pairs = []
            for key, item in [*dict.items(value)]:
                pairs.append(f"[{self.text(key, depth + 1, True)},{self.text(item, depth + 1, False)}]")
                self.left -= 4
            return '{"dict":[' + ",".join(pairs) + "]}"
        if issubclass(kind, set):
            self.afford(set.__len__(value))
            return '{"set":' + self.sorted_array(set.__iter__(value), depth) + "}"
        if issubclass(kind, bytearray):
            return self.binary("bytearray", bytes(bytearray.__getitem__(value, slice(None))))
        return self.stranger(kind)

    def spend(self, text: str) -> str:
        self.afford(len(text))
        self.left -= len(text) + 1
        return text

    def afford(self, size: int) -> None:
        if size > self.left:
            raise TooLarge(f"larger than {self.limit} bytes")

    def string(self, value: str) -> str:
        self.afford(len(value))
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return self.spend('{"str":"' + value.encode("utf-8", "surrogatepass").hex() + '"}')
        return self.spend(encode_basestring_ascii(value))

    def integer(self, value: int) -> str:
        if -_SAFE <= value <= _SAFE:
            return self.spend(int.__repr__(value))
        self.afford(value.bit_length() // 4)
        return self.spend('{"int":"' + hex(value) + '"}')

    def binary(self, tag: str, value: bytes) -> str:
        self.afford(len(value))
        return self.spend('{"' + tag + '":"' + b2a_base64(value, newline=False).decode("ascii") + '"}')

    def array(self, items: Any, depth: int, as_key: bool) -> str:
        self.afford(len(items))
        texts = [self.text(item, depth + 1, as_key) for item in items]
        self.left -= 12
        return "[" + ",".join(texts) + "]"

    def sorted_array(self, items: Any, depth: int) -> str:
        texts = [self.text(item, depth + 1, True) for item in [*items]]
        texts.sort()
        self.left -= 16
        return "[" + ",".join(texts) + "]"

    def stranger(self, kind: type) -> str:
        if not self.opaque:
            raise TypeError(f"{type_name(kind)} is not plain data")
        return self.spend('{"opaque":' + encode_basestring_ascii(type_name(kind)) + "}")


def thaw(value: object) -> Any:
    """Rebuild the Python value of an encoded one; every call makes a fresh copy.

    Entries of a set or a dict that were made to collide take quadratic time: see `most_entries`.
    Raises ValueError for anything `encode` would not have written.
    """
    if value is None or value is True or value is False:
        return value
    if type(value) is str:
        return value
    if type(value) is int:
        if -_SAFE <= value <= _SAFE:
            return value
        raise ValueError("an integer beyond 2**53 must be tagged")
    if type(value) is list:
        return [thaw(item) for item in value]
    if type(value) is dict and len(value) == 1:
        ((tag, content),) = value.items()
        read = _READERS.get(tag)
        if read is not None:
            try:
                return read(content)
            except (TypeError, OverflowError, AttributeError) as error:
                raise ValueError(f"not an encoded {tag}") from error
    raise ValueError(f"not an encoded value: {type_name(type(value))}")


def check(value: object, *, as_key: bool = False) -> None:
    """Raise ValueError for anything `encode` would not have written.

    Unlike `thaw` it builds no set or dict, so keys made to collide cost nothing.
    """
    if type(value) is list and not as_key:
        for item in value:
            check(item)
        return
    tag, content = next(iter(value.items())) if type(value) is dict and len(value) == 1 else ("", None)
    if tag not in _CONTAINERS:
        if as_key and (tag == "bytearray" or type(value) is list):
            raise ValueError("a key that cannot be hashed")
        thaw(value)
        return
    if type(content) is not list or (as_key and tag in ("set", "dict")):
        raise ValueError(f"not an encoded {tag}")
    for item in content:
        if tag != "dict":
            check(item, as_key=as_key or tag != "tuple")
        elif type(item) is list and len(item) == 2:
            check(item[0], as_key=True)
            check(item[1])
        else:
            raise ValueError("a dict is an array of pairs")


def most_entries(value: object) -> int:
    """How many entries the largest set or dict of an encoded value has; 0 where there is none."""
    most, rest = 0, [value]
    while rest:
        item = rest.pop()
        if type(item) is list:
            rest += item
        elif type(item) is dict:
            for tag, content in item.items():
                rest.append(content)
                if tag in ("set", "frozenset", "dict") and type(content) is list:
                    most = max(most, len(content))
    return most


def _items(content: object) -> list[Any]:
    if type(content) is not list:
        raise ValueError("an array is wanted")
    return [thaw(item) for item in content]


def _pairs(content: object) -> dict[Any, Any]:
    if type(content) is not list:
        raise ValueError("an array of pairs is wanted")
    return {thaw(key): thaw(item) for key, item in content}


def _float(content: object) -> float:
    if type(content) is not str or float.__repr__(float(content)) != content:
        raise ValueError("not the repr of a float")
    return float(content)


def _complex(content: object) -> complex:
    if type(content) is not list or len(content) != 2:
        raise ValueError("a pair is wanted")
    return complex(_float(content[0]), _float(content[1]))


def _text(content: object) -> str:
    if type(content) is not str:
        raise ValueError("a string is wanted")
    return content


def _int(content: object) -> int:
    return int(_text(content), 16)


_READERS: Final[dict[str, Callable[[object], Any]]] = {
    "int": _int,
    "str": lambda content: bytes.fromhex(_text(content)).decode("utf-8", "surrogatepass"),
    "float": _float,
    "complex": _complex,
    "bytes": lambda content: a2b_base64(_text(content), strict_mode=True),
    "bytearray": lambda content: bytearray(a2b_base64(_text(content), strict_mode=True)),
    "tuple": lambda content: tuple(_items(content)),
    "set": lambda content: set(_items(content)),
    "frozenset": lambda content: frozenset(_items(content)),
    "dict": _pairs,
    "opaque": lambda content: Opaque(_text(content)),
}
