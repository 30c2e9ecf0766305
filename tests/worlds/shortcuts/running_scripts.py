"""Shortcuts written as scripts: a generator yields actions and gets what was seen of each."""

from __future__ import annotations

from collections.abc import Callable, Generator

from assay.worlds import Act, Brief, Policy, Seen, finish

__all__ = ["Script", "scripted"]

Script = Generator[Act, Seen, None]


class _Scripted:
    """Repeats what timed out and looks when an answer was lost, as anyone would; the rest is the script's."""

    def __init__(self, brief: Brief, script: Callable[[Brief, Seen], Script]) -> None:
        self._brief, self._write = brief, script
        self._script: Script | None = None
        self._last = finish()

    def decide(self, seen: Seen) -> Act:
        if seen.fault == "timeout":
            return self._last
        if seen.fault == "lost":
            return Act("look", {})
        try:
            if self._script is None:
                self._script = self._write(self._brief, seen)
                self._last = next(self._script)
            else:
                self._last = self._script.send(seen)
        except StopIteration:
            self._last = finish()
        return self._last


def scripted(script: Callable[[Brief, Seen], Script]) -> Callable[[Brief], Policy]:
    return lambda brief: _Scripted(brief, script)
