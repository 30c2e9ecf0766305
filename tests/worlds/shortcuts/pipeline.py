"""Pipeline: ways to go on after an error that do not look at what the failed call did."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.families.pipeline import RULES, STAGES, TABLE, PipelineOperator, _asked
from assay.worlds.standing import sentences
from assay.worlds.templates import story_of
from tests.worlds.shortcuts.running_scripts import Script, scripted
from tests.worlds.shortcuts.running_verdicts import READINGS


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


class Reads(PipelineOperator):
    """Recovers as one should, by the rules that seem to count; where none does, rows are dropped."""

    def __init__(self, brief: Brief, counts: Callable[[str], bool]) -> None:
        super().__init__(brief)
        story, said = story_of(TABLE["situations"], brief.goal), sentences(brief.goal)
        found = {
            aspect: way
            for one in said
            for aspect, ways in TABLE["rules"].items()
            for way, clauses in ways.items()
            if counts(one) and any(clause.format(**story) in one for clause in clauses)
        }
        rule = RULES[found.get("incomplete", "drop"), found.get("repeated", "drop")]
        self._plan[4:6] = [
            Act("clean", {"rule": rule}),
            Act("join", {"unmatched": found.get("unmatched", "drop")}),
        ]


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    level: {
        "retry": scripted(retried),
        "believe": scripted(believed),
        "empty and retry": scripted(emptied),
        "empty everything before": scripted(emptied_before),
        "begin anew": scripted(begun_anew),
        "look at the table": scripted(table_looked_at),
    }
    | {name: partial(Reads, counts=counts) for name, counts in READINGS.items()}
    for level in (4, 5)
}
