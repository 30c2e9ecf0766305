"""What a lock fixes of the families in which something can be learnt."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from assay.canonical import digest
from assay.errors import InputError
from assay.instruments.agency.options import AgencyOptions
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Task, guarded
from assay.worlds.learning import LEVEL_OF, Variant, learning_family

from .sessions import NAME, LearnerSession, item_of, read_item, secret_stream, sessions_of

__all__ = ["check_learning", "learning_materials"]

VARIANTS: tuple[Variant, ...] = ("practice", "held_out", "shifted")
LEVELS = {
    "1": "attempts at one instance within an episode",
    "2": "held-out variants after practice",
    "3": "the same, with a memory that lasts",
    "4": "shifted variants after practice",
    "5": "several families one after the other",
}


def learning_materials(options: AgencyOptions, seed: int) -> dict[str, Any]:
    """Versions, schemas and criteria, as of other families."""
    return {"families": _families(options), "criteria": _all_criteria(options, seed)}


def check_learning(declared: dict[str, Any] | None, options: AgencyOptions, seed: int) -> None:
    """Refuse where a family of the lock has another version, or other criteria under the same one."""
    if declared is None:
        return
    for name, material in declared["families"].items():
        here = learning_family(name).version
        if material["version"] != here:
            raise InputError(
                f"the lock was made for version {material['version']} of the learning family {name}, here is {here}; "
                "install that version, or lock the study anew"
            )
    found = _all_criteria(options, seed)
    if changed := [item for item, fixed in sorted(declared["criteria"].items()) if found.get(item) != fixed]:
        raise InputError(
            f"the criteria are not those that the lock has fixed: {', '.join(changed)}; the families were changed "
            "under the same version: install them as they were, or lock the study anew"
        )


def _families(options: AgencyOptions) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in sorted({name for session in sessions_of(options) for name in session.families}):
        family = learning_family(name)
        secret = guarded(name, "secret", partial(family.secret, Stream("schema", name)))
        tasks = {
            variant: _drawn(name, variant, secret, Stream("schema", name, variant)) for variant in VARIANTS
        }
        found[name] = {
            "version": family.version,
            "dimension": family.dimension,
            "levels": LEVELS,
            "environment": family.environment,
            "conditions": {},
            "untouched": {},
            "verification": family.verification,
            "criterion": {str(LEVEL_OF[variant]): task.criterion.text for variant, task in tasks.items()},
            "observation_schema": digest({variant: task.observation for variant, task in tasks.items()}),
            "action_schema": digest(
                {variant: [msgspec.to_builtins(a) for a in task.actions] for variant, task in tasks.items()}
            ),
        }
    return found


def _all_criteria(options: AgencyOptions, seed: int) -> dict[str, str]:
    """Item → digest of the criteria of all its instances. A lock fixes these."""
    most: dict[str, int] = {}
    for session in sessions_of(options):
        for item, count in _items(session, options):
            most[item] = max(most.get(item, 0), count)
    return {item: digest(list(_criteria(item, count, seed))) for item, count in sorted(most.items())}


def _items(session: LearnerSession, options: AgencyOptions) -> Iterator[tuple[str, int]]:
    plan = options.learning
    learners = range(1, plan.learners + 1) if session.attempts else (session.learner,)
    for name in session.families:
        for learner in learners:
            for _, variant in session.tests:
                yield item_of(name, learner, variant), plan.tests
            if not session.attempts:
                yield item_of(name, learner, "practice"), plan.practice


def _criteria(item: str, count: int, seed: int) -> Iterator[str]:
    name, learner, variant = read_item(item)
    family = learning_family(name)
    secret = guarded(name, "secret", lambda: family.secret(secret_stream(name, learner, seed)))
    for repetition in range(count):
        instance = Instance(NAME, item, repetition, seed)
        yield digest(_drawn(name, variant, secret, Stream("content", "task", instance.digest)).criterion)


def _drawn(name: str, variant: Variant, secret: dict[str, Any], stream: Stream) -> Task:
    return guarded(name, "draw", lambda: learning_family(name).draw(variant, secret, stream))
