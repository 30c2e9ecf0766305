"""What a lock fixes of the families that evidence gates of tiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.canonical import digest
from assay.errors import InputError
from assay.instruments.agency.episodes.locked import check_families, family_material
from assay.instruments.agency.options import AgencyOptions
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import Task, family_named, guarded
from assay.worlds.tiers import SocialFamily, StrategyFamily, TierFamily

from .trials import CONFIDENCE, gate_strata, gate_task, gate_trials

__all__ = ["check_gates", "gate_materials"]

NAME = "agency"


def gate_materials(options: AgencyOptions, seed: int) -> dict[str, Any]:
    """Versions, schemas, criteria as of other families; besides them what 12.6.4, 12.7.4 and 12.8.4 ask to declare."""
    return {"families": _families(options, seed), "criteria": _criteria(options, seed)}


def check_gates(declared: dict[str, Any] | None, options: AgencyOptions, seed: int) -> None:
    """Refuse where a family of the lock has another version, or other criteria under the same one."""
    if declared is None:
        return
    check_families(declared["families"])
    found = _criteria(options, seed)
    if changed := [item for item, fixed in sorted(declared["criteria"].items()) if found.get(item) != fixed]:
        raise InputError(
            f"the criteria are not those that the lock has fixed: {', '.join(changed)}; the families were changed "
            "under the same version: install them as they were, or lock the study anew"
        )


def _families(options: AgencyOptions, seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    tasks: dict[str, list[Task]] = {}
    for name, _, task in _tasks(options, seed):
        tasks.setdefault(name, []).append(task)
    for stratum in gate_strata(options):
        for name in sorted({name for name, _ in stratum.places}):
            family = family_named(name)
            found[name] = {**family_material(name), "dimension": [stratum.dimension]}
            if stratum.stage == CONFIDENCE or not isinstance(family, TierFamily):
                continue
            found[name] |= {
                "arms": dict(family.arms),
                "steps": min(task.needed for task in tasks[name]),
                "delay": min(task.delay for task in tasks[name]),
                "reward": "; ".join(sorted({task.criterion.text for task in tasks[name]}))[:500],
            }
            if isinstance(family, StrategyFamily):
                found[name]["strategies"] = list(family.strategies)
            if isinstance(family, SocialFamily):
                found[name] |= {
                    "mode": family.mode,
                    "kind": family.kind,
                    "roles": list(family.roles),
                    "interaction": family.interaction,
                    "constraints": list(family.constraints),
                }
    return found


def _criteria(options: AgencyOptions, seed: int) -> dict[str, str]:
    """Item → digest of the criteria of all its instances, in every arm. A lock fixes these."""
    found: dict[str, list[str]] = {}
    for name, item, task in _tasks(options, seed):
        family = family_named(name)
        own = found.setdefault(item, [])
        own.append(digest(task.criterion))
        if isinstance(family, TierFamily):
            own += [digest(_armed(family, task, arm).criterion) for arm in family.arms]
    return {item: digest(criteria) for item, criteria in sorted(found.items())}


def _armed(family: TierFamily, task: Task, arm: str) -> Task:
    return guarded(family.name, "in_arm", lambda: family.in_arm(task, arm))


def _tasks(options: AgencyOptions, seed: int) -> Iterator[tuple[str, str, Task]]:
    for stratum in gate_strata(options):
        for trial in gate_trials(stratum):
            if not trial.arm:
                instance = Instance(NAME, trial.item, trial.number, seed)
                family, task = gate_task(instance, Stream("content", "task", instance.digest))
                yield family.name, trial.item, task
