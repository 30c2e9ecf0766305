"""Shortcuts to `duty`: go by hours, by where a goal is named, by the notes, or down the ranking without a plan."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen, finish
from assay.worlds.families.priorities.duty import Duty, Job, Keeper, Rules

__all__ = ["SHORTCUTS"]

Key = Callable[[Brief, Rules, Job, dict[str, Any]], Any]


class Worker(Keeper):
    """Does jobs in the order of a key; ``skips``: leaves out what would be late."""

    def __init__(self, brief: Brief, key: Key, *, skips: bool) -> None:
        super().__init__(brief)
        self._key, self._skips = key, skips

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        jobs, hour = self.read(observation["jobs"]), observation["hour"]
        if self._skips:
            jobs = [job for job in jobs if hour + job["hours"] <= job["due"]]
        if not jobs:
            return finish()
        job = min(jobs, key=lambda one: self._key(self.brief, self.rules, one, observation))
        return Act("do", {"job": job["job"]})


def _listed(brief: Brief, job: Job) -> int:
    return brief.goal.index(f"{job['serves']} (")


def _named(brief: Brief, job: Job) -> int:
    """Where the rules first name the job's goal."""
    return brief.goal.split("). ", 1)[-1].lower().find(job["serves"])


def _in_notes(job: Job, observation: dict[str, Any]) -> int:
    said: str = " ".join(observation["notes"]).lower()
    return said.find(str(job["serves"])) % 10_000


def _served(job: Job, observation: dict[str, Any]) -> int:
    """How many jobs of the same goal are left: a bit of each."""
    return -[one["serves"] for one in observation["jobs"]].count(job["serves"])


KEYS: dict[str, Key] = {
    "due first": lambda brief, rules, job, seen: job["due"],
    "last listed objective": lambda brief, rules, job, seen: (-_listed(brief, job), job["due"]),
    "as the rules name them": lambda brief, rules, job, seen: (_named(brief, job), job["due"]),
    "as the notes name them": lambda brief, rules, job, seen: (_in_notes(job, seen), job["due"]),
    "a bit of each": lambda brief, rules, job, seen: (_served(job, seen), job["due"]),
    "down the order, no exception": lambda brief, rules, job, seen: (
        rules.order.index(job["serves"]),
        job["due"],
    ),
    "down the ranking, due first": lambda brief, rules, job, seen: (rules.rank(job), job["due"]),
}


def _policies() -> dict[str, Callable[[Brief], Policy]]:
    found: dict[str, Callable[[Brief], Policy]] = {
        f"{name}, if in time": partial(Worker, key=key, skips=True) for name, key in KEYS.items()
    }
    return found | {"first listed objective": Duty().first_listed}


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {level: _policies() for level in (3, 5)}
