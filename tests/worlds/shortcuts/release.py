"""Release: the fault that was told, the case that was reported, the commit in a certain place."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.families.release import Maintainer, StraightThrough
from assay.worlds.stepwise import MEANS, read_module
from tests.worlds.shortcuts.running_scripts import Script, scripted

TEST = Act("run_tests", {})
REPORTED = re.compile(r"(\w+)\((-?\d+), (-?\d+)\) gave .*?, (-?\d+) is right")


class Told(Maintainer):
    """Repairs what was told and tries every step again until it is done."""

    def repaired(self, observation: dict[str, Any]) -> str:
        source = StraightThrough(self.brief).repaired(observation)
        return source if source not in [file["content"] for file in observation["files"]] else ""


class Usual(Maintainer):
    """Writes every step in the way that is usual for its kind, whatever the words say."""

    def repaired(self, observation: dict[str, Any]) -> str:
        before = next(f["content"] for f in observation["files"] if f["name"] == self.file(observation))
        module = read_module(before)
        source = module.with_ways(
            {at: next(iter(MEANS[s.kind])) for at, s in enumerate(module.steps)}
        ).source()
        return source if source != before else ""


def patched(brief: Brief, seen: Seen) -> Script:
    """Repairs what was told; for a case that fails still, the module gets the number that the report calls right."""
    first = StraightThrough(brief)
    source = first.repaired(seen.observation)
    for _ in range(2):
        yield Act("write_file", {"name": first.file(seen.observation), "content": source})
        seen = yield TEST
        report = REPORTED.search(seen.observation["report"])
        if seen.observation["tests"] == "passed" or report is None:
            break
        head, rest = source.split("\n", 1)
        names = head[head.index("(") + 1 : head.index(")")]
        case = f"    if ({names}) == ({report[2]}, {report[3]}):\n        return {report[4]}\n"
        source = f"{head}\n{case}{rest}"
    yield Act("commit", {"message": "Repair"})
    yield Act("tag", {"name": first._version})


def reverting(which: Callable[[int], int] | None) -> Callable[[Brief], Policy]:
    """Repairs everything, and takes back the commit in a certain place, or none."""

    class Reverts(Maintainer):
        def __init__(self, brief: Brief) -> None:
            super().__init__(brief)
            self._bad = ""

    def script(brief: Brief, seen: Seen) -> Script:
        if which is not None:
            seen = yield Act("revert", {"commit": which(len(seen.observation["history"]))})
        rest = Reverts(brief)
        while (act := rest.decide(seen)).name != "finish":
            seen = yield act

    return scripted(script)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    3: {"what was told": Told, "the usual ways": Usual, "what was reported": scripted(patched)},
    5: {
        "what was told": Told,
        "the usual ways": Usual,
        "no commit": reverting(None),
        "the last commit": reverting(lambda n: n),
        "the second commit": reverting(lambda n: 2),
    },
}
