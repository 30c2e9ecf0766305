"""Pipeline: ways to go on after an error that do not look at what the failed call did."""

from __future__ import annotations

from collections.abc import Callable

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.families.pipeline import STAGES, _asked
from tests.worlds.shortcuts.running_scripts import Script, scripted


def _plan(brief: Brief) -> list[tuple[str, Act]]:
    return list(zip((*STAGES, "table"), _asked(brief.goal), strict=True))


def _empty(what: str) -> Act:
    return Act("empty", {"what": what})


def retried(brief: Brief, seen: Seen) -> Script:
    """What broke off is run again."""
    for _, act in _plan(brief):
        while (yield act).error:
            pass


def believed(brief: Brief, seen: Seen) -> Script:
    """What broke off is taken to be done."""
    for _, act in _plan(brief):
        yield act


def emptied(brief: Brief, seen: Seen) -> Script:
    """What broke off is emptied and run again, whatever it did."""
    for what, act in _plan(brief):
        while (yield act).error:
            while (yield _empty(what)).error:
                pass


def emptied_before(brief: Brief, seen: Seen) -> Script:
    """Everything is emptied before it is run."""
    for what, act in _plan(brief):
        yield _empty(what)
        while (yield act).error:
            yield _empty(what)


def begun_anew(brief: Brief, seen: Seen) -> Script:
    """After an error all that was done is emptied, and the job begins anew."""
    done: list[str] = []
    plan = _plan(brief)
    while plan:
        done.append(plan[0][0])
        seen = yield plan.pop(0)[1]
        if seen.error and seen.left:
            for what in done:
                yield _empty(what)
            done, plan = [], _plan(brief)


def table_looked_at(brief: Brief, seen: Seen) -> Script:
    """Errors are retried; in the end the table is loaded again if it holds less than the join wrote."""
    for _, act in _plan(brief):
        while (seen := (yield act)).error:
            pass
    joined = seen.observation["reports"][-1]["written"]
    if seen.observation["table"]["rows"] != joined:
        yield _empty("table")
        yield Act("load", {})


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: {
        "retry": scripted(retried),
        "believe": scripted(believed),
        "empty and retry": scripted(emptied),
        "empty everything before": scripted(emptied_before),
        "begin anew": scripted(begun_anew),
        "look at the table": scripted(table_looked_at),
    }
    for level in (4, 5)
}
