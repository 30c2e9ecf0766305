"""The conditions of a cell: which values of what a study varies are put to which subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.study import SubjectSpec

from .options import RepeatabilityOptions
from .programs.contracts import Contract

__all__ = ["conditions", "never_swept"]


def conditions(
    options: RepeatabilityOptions, contract: Contract, spec: SubjectSpec
) -> Iterator[dict[str, float]]:
    """Every combination that is asked: the temperature, and top_p and wording where the study varies them.

    What is never sent to a subject is not varied for it: its outputs are one cell, at its endpoint's own default.
    """
    unsaid = (None,)
    temperatures = unsaid if spec.leaves_out("temperature") else options.temperatures
    top_ps = unsaid if spec.leaves_out("top_p") else options.top_ps or unsaid
    for wording in range(1 + min(options.paraphrases, len(contract.paraphrases))):
        for top_p in top_ps:
            for temperature in temperatures:
                factors: dict[str, float] = {}
                if temperature is not None:
                    factors["temperature"] = temperature
                if top_p is not None:
                    factors["top_p"] = top_p
                if options.paraphrases:
                    factors["wording"] = wording
                yield factors


def never_swept(options: RepeatabilityOptions, specs: Iterable[SubjectSpec]) -> list[str]:
    """What is declared as a sweep and never reaches a subject."""
    swept = {"temperature": options.temperatures, "top_p": options.top_ps}
    return [
        f"{spec.title} is never sent a {name}: it is asked at its endpoint's own, not at "
        f"{', '.join(f'{value:g}' for value in values)}"
        for spec in specs
        for name, values in swept.items()
        if len(values) > 1 and spec.leaves_out(name)
    ]
