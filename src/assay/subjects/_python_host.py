"""The child process of a ``python:`` subject: hosts a user's callable and speaks JSON lines.

Started as ``python -m assay.subjects._python_host MODULE:CALLABLE``. What the callable prints goes to standard
error; the protocol has a descriptor of its own, so prints cannot be mistaken for answers.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from typing import Any

__all__ = ["main"]


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{target} is not callable")
    return found


def _answer(target: Any, message: dict[str, Any]) -> dict[str, Any]:
    reply = target(message["messages"], **message["sampling"])
    if inspect.isawaitable(reply):
        import asyncio

        reply = asyncio.run(_await(reply))
    if isinstance(reply, str):
        return {"text": reply}
    if isinstance(reply, dict) and isinstance(reply.get("text"), str):
        return reply
    raise TypeError(f"the callable returned {type(reply).__name__}; return text, or a dict with 'text'")


async def _await(value: Any) -> Any:
    return await value


def _keywords(target: Any) -> Any:
    """Callables that do not care about sampling need not accept it."""
    call = target.__call__ if not inspect.isfunction(target) and not inspect.ismethod(target) else target
    parameters = inspect.signature(call).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return target
    accepted = {p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)}
    return lambda messages, **kw: target(messages, **{k: v for k, v in kw.items() if k in accepted})


def main(arguments: list[str]) -> int:
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def say(value: dict[str, Any]) -> None:
        channel.write(json.dumps(value) + "\n")
        channel.flush()

    try:
        loaded = _load(arguments[0])
        say({"ready": True, "fresh": inspect.isclass(loaded)})
    except BaseException as error:
        say({"ready": False, "error": f"{type(error).__name__}: {error}"})
        return 2
    target = None if inspect.isclass(loaded) else _keywords(loaded)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("forget"):
            target = None if inspect.isclass(loaded) else target
            continue
        try:
            target = target or _keywords(loaded())
            say({"reply": _answer(target, message)})
        except Exception as error:
            traceback.print_exc()
            say({"error": f"{type(error).__name__}: {error}"})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
