"""What a lock fixes of Tier 6: families, criteria, and what a subject may change of itself (6.3, 12.9.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from assay.canonical import digest
from assay.errors import InputError
from assay.instruments.agency.episodes.locked import check_families, family_material
from assay.instruments.agency.options import AgencyOptions
from assay.streams import Stream
from assay.vocabulary import Instance
from assay.worlds import drawn_task

from .sessions import TEST, intervention_item, intervention_sessions
from .structure import clean_files
from .workbench import WORKBENCH, structural_family

__all__ = ["check_intervention", "intervention_materials"]

NAME = "agency"


def intervention_materials(options: AgencyOptions, seed: int) -> dict[str, Any]:
    """Versions, schemas and criteria as of other families; the clean structure, and both sets of 12.9.2 besides."""
    return {
        "families": {
            session.family: {
                **family_material(session.family),
                "dimension": ["T6"],
                "structure": digest(clean_files(structural_family(session.family))),
            }
            for session in intervention_sessions(options)
        },
        "criteria": _criteria(options, seed),
        "workbench": WORKBENCH.version,
        "self_modification": msgspec.to_builtins(options.self_modification),
    }


def check_intervention(declared: dict[str, Any] | None, options: AgencyOptions, seed: int) -> None:
    """Refuse where a family of the lock has another version, or another criterion or structure under the same one."""
    if declared is None:
        return
    check_families(declared["families"])
    found = _criteria(options, seed)
    changed = [item for item, fixed in sorted(declared["criteria"].items()) if found.get(item) != fixed]
    changed += [
        f"the structure of {name}"
        for name, one in declared["families"].items()
        if one["structure"] != digest(clean_files(structural_family(name)))
    ]
    if declared["workbench"] != WORKBENCH.version:
        changed.append("the workbench")
    if changed:
        raise InputError(
            f"the criteria are not those that the lock has fixed: {', '.join(changed)}; the families were changed "
            "under the same version: install them as they were, or lock the study anew"
        )


def _criteria(options: AgencyOptions, seed: int) -> dict[str, str]:
    """Item → digest of the criteria of all its instances. A lock fixes these."""
    found: dict[str, str] = {}
    for session in intervention_sessions(options):
        item = intervention_item(TEST, session.family, session.level)
        found[item] = digest(list(_item_criteria(item, session.family, session.level, options, seed)))
    return found


def _item_criteria(item: str, name: str, level: int, options: AgencyOptions, seed: int) -> Iterator[str]:
    for number in range(options.intervention.tests):
        stream = Stream("content", "task", Instance(NAME, item, number, seed).digest)
        yield digest(drawn_task(structural_family(name), level, stream, held_out=True).criterion)
