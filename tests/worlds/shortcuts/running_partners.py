"""Policies for families with partners that keep nobody apart: a rule on what is shown, the same for everybody.

All texts and figures are read as the oracle reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.base import finish
from assay.worlds.families.social.partners import Modeller

__all__ = ["Rule", "alike", "by_rule"]

Rule = Callable[[Modeller, dict[str, Any], list[dict[str, Any]]], Act]


class Ruled:
    """Decides by a rule on the case and the log; a lost answer is looked at."""

    def __init__(self, brief: Brief, solver: type[Modeller], rule: Rule) -> None:
        self._reader, self._rule = solver(brief), rule

    def decide(self, seen: Seen) -> Act:
        if seen.fault or not seen.observation:
            return Act("look", {})
        meeting = seen.observation["meeting"]
        if meeting is None:
            return finish()
        return self._rule(self._reader, {**meeting, **self._reader.case(meeting)}, seen.observation["log"])


def by_rule(solver: type[Modeller], rules: Mapping[str, Rule]) -> dict[str, Callable[[Brief], Policy]]:
    return {
        name: partial(Ruled, solver=solver, rule=rule) for name, rule in {**alike(solver), **rules}.items()
    }


def alike(solver: type[Modeller]) -> dict[str, Rule]:
    """Everybody has one policy: always the same, or the one that most of all meetings so far fit."""
    found: dict[str, Rule] = {
        f"everybody {policy}": partial(_one, policy=policy) for policy in solver.policies
    }
    return {**found, "what most have shown": _most, "what the last one has shown": _latest}


def _one(reader: Modeller, case: dict[str, Any], log: list[dict[str, Any]], policy: str) -> Act:
    own = [entry for entry in log if entry["who"] == case["who"]]
    return reader.answer(policy, case, reader.model(case["who"], own)[1])


def _most(reader: Modeller, case: dict[str, Any], log: list[dict[str, Any]]) -> Act:
    fits = {name: reader.model(name, log)[0] for name in {entry["who"] for entry in log if entry["meeting"]}}
    votes = [policy for some in fits.values() if len(some) == 1 for policy in sorted(some)]
    return _one(reader, case, log, max(sorted(set(votes)), key=votes.count, default=reader.policies[0]))


def _latest(reader: Modeller, case: dict[str, Any], log: list[dict[str, Any]]) -> Act:
    latest = [entry["who"] for entry in log if entry["meeting"]]
    fits = reader.model(latest[-1], log)[0] if latest else set(reader.policies)
    return _one(reader, case, log, next(policy for policy in reader.policies if policy in fits))
