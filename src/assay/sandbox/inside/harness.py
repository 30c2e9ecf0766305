"""Runs one program's cases and writes what came back, one line a frame.

This module is loaded with a private copy of the builtins and keeps its own references to everything it
calls, so that a program which patches ``builtins``, ``json`` or ``os`` patches only itself. The nonce that
starts every line lives in a closure. A program that goes looking for it can still find it, being in the same
process; as no expected value ever is in that process, all it can forge is a value it could have returned.
"""

from __future__ import annotations

import builtins
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from json.encoder import encode_basestring_ascii
from types import ModuleType
from typing import Any, Final

from .values import TooLarge, encode, thaw, type_name

__all__ = ["MEMORY_EXIT", "run"]

MEMORY_EXIT: Final = 77
_MODULE: Final = "program"
_MESSAGE: Final = 500
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{6,}")
_ARGS: Final = BaseException.__dict__["args"].__get__
_MRO: Final = type.__dict__["__mro__"].__get__
_BUILTINS: Final = builtins
_MODULES: Final = sys.modules
_OUTPUTS: Final = (sys.stdout, sys.stderr)
_write, _getpid, _exit = os.write, os.getpid, os._exit
_settrace, _setprofile = sys.settrace, sys.setprofile
_get_recursion, _set_recursion = sys.getrecursionlimit, sys.setrecursionlimit


def run(job: dict[str, Any], fd: int, nonce: str) -> None:
    """Run the program and end the process. Never returns."""
    me = _getpid()

    def send(frame: str) -> None:
        if _getpid() != me:  # the program forked, and this is the child coming home
            _exit(0)
        _settrace(None)
        _setprofile(None)
        data = f"{nonce} {frame}\n".encode("ascii")
        while data:
            data = data[_write(fd, data) :]

    try:
        _conduct(job, send)
    except MemoryError:
        _exit(MEMORY_EXIT)
    except BaseException:
        _exit(70)
    for output in _OUTPUTS:
        with suppress(BaseException):
            output.flush()
    _exit(0 if _getpid() == me else 1)


def _conduct(job: dict[str, Any], send: Callable[[str], None]) -> None:
    entry, failure = _load(job["source"], job["entry_point"], job["kind"])
    if failure is not None:
        send('{"frame":"failed",' + failure + "}")
        return
    send('{"frame":"loaded"}')
    one = _function_case if job["kind"] == "function" else _class_case
    for index, case in enumerate(job["cases"]):
        try:
            fields = one(entry, case, job["limits"]["value_bytes"])
        except BaseException as error:
            fields = _failure(error)
        send('{"frame":"case","index":' + f"{index},{fields}" + "}")
    send('{"frame":"done"}')


def _load(source: str, name: str, kind: str) -> tuple[Any, str | None]:
    """Execute the module; the entry point is the attribute with exactly this name, or there is none."""
    module = ModuleType(_MODULE)
    space = module.__dict__
    space["__builtins__"] = _BUILTINS
    _MODULES[_MODULE] = module
    try:
        exec(compile(source, "program.py", "exec", dont_inherit=True), space)  # noqa: S102
    except BaseException as error:
        return None, _failure(error)
    if name not in space:
        return None, _plain_failure(f"entry point {name!r} is not defined")
    entry = space[name]
    if kind == "class" and not issubclass(type(entry), type):
        return None, _plain_failure(f"entry point {name!r} is not a class")
    if not callable(entry):
        return None, _plain_failure(f"entry point {name!r} is not callable")
    return entry, None


def _function_case(entry: Any, case: dict[str, Any], limit: int) -> str:
    value = entry(*thaw(case["args"]), **thaw(case["kwargs"]))
    return '"state":"value","value":' + _encoded(value, limit)


def _class_case(entry: Any, case: dict[str, Any], limit: int) -> str:
    """A new object, then its calls in order; each is taken down before the next one is made.

    A call that raises is taken down as such and the script goes on: refusing a request is something that an
    object may be meant to do.
    """
    thing = entry(*thaw(case["init"]))
    told: list[str] = []
    for index, call in enumerate(case["calls"]):
        try:
            value = getattr(thing, call["method"])(*thaw(call["args"]), **thaw(call["kwargs"]))
            told.append('{"value":' + _encoded(value, limit) + "}")
        except BaseException as error:
            failure = _failure(error)
            if failure.startswith('"state":"memory"'):
                return f'{failure},"call":{index}'
            told.append("{" + failure.removeprefix('"state":"exception",') + "}")
    return '"state":"value","value":[' + ",".join(told) + "]"


def _encoded(value: object, limit: int) -> str:
    """The value as text, whatever recursion limit the program has set for itself."""
    _settrace(None)
    _setprofile(None)
    chosen = _get_recursion()
    _set_recursion(max(chosen, 2000))
    try:
        return encode(value, max_bytes=limit)
    finally:
        _set_recursion(chosen)


def _failure(error: BaseException) -> str:
    if issubclass(type(error), MemoryError):
        return '"state":"memory","exception":"MemoryError","message":""'
    if type(error) is TooLarge:
        return _fields("ValueTooLarge", f"the value is {error}")
    bases = [type_name(base) for base in _MRO(type(error))[1:12]]
    try:
        return _fields(type_name(type(error)), _message(error), bases)
    except MemoryError:
        return '"state":"memory","exception":"MemoryError","message":""'
    except BaseException:
        return _fields(type_name(type(error)), "", bases)


def _plain_failure(message: str) -> str:
    return _fields("", message)


def _fields(name: str, message: str, bases: list[str] | None = None) -> str:
    message = _ADDRESS.sub("0x", message)[:_MESSAGE].encode("utf-8", "backslashreplace").decode("utf-8")
    name, message = encode_basestring_ascii(name), encode_basestring_ascii(message)
    above = ",".join([encode_basestring_ascii(base) for base in bases or ()])
    return f'"state":"exception","exception":{name},"message":{message},"bases":[{above}]'


def _message(error: BaseException) -> str:
    """What the exception says, from its arguments and without its own ``__str__``."""
    arguments = _ARGS(error)
    if issubclass(type(error), SyntaxError) and len(arguments) == 2 and type(arguments[1]) is tuple:
        return f"{_plain(arguments[0], bare=True)} (line {_plain(arguments[1][1])})"
    bare = len(arguments) == 1 and not issubclass(type(error), KeyError)
    return ", ".join([_plain(argument, bare=bare) for argument in arguments[:8]])


def _plain(value: object, *, bare: bool = False) -> str:
    kind = type(value)
    if kind is str:
        text = str(value)[: 2 * _MESSAGE]
        return text if bare else repr(text)
    if kind is int and -(10**50) < value < 10**50:  # type: ignore[operator]
        return repr(value)
    if kind is float or kind is bool or value is None:
        return repr(value)
    return f"<{type_name(kind)}>"
