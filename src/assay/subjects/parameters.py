"""The parameters of the sampling on their way into a body: under which name, or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.errors import InputError, UnknownName
from assay.study.model import SubjectSpec
from assay.vocabulary import Request

__all__ = ["PARAMETERS", "check_parameters", "sampling_fields", "sampling_option", "unsaid"]

PARAMETERS = ("temperature", "top_p", "max_tokens", "seed")
_NAME = re.compile(r"[A-Za-z][\w.-]{0,63}")
_OURS = ("model", "messages", "stream", "tools")
# What endpoints call them beside that: under such a name, too, an option would be sent in place of what is declared.
_OTHER_NAMES = {
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "max_new_tokens": "max_tokens",
    "n_predict": "max_tokens",
    "num_predict": "max_tokens",
    "random_seed": "seed",
}


def check_parameters(spec: SubjectSpec) -> None:
    """Refuse names that no request has, and two parameters under one name."""
    seen: set[str] = set()
    for name, there in spec.parameters.items():
        if name not in PARAMETERS:
            raise UnknownName("parameter", name, PARAMETERS)
        if there is None:
            continue
        if not _NAME.fullmatch(there) or there in _OURS:
            raise InputError(f"parameters: {name} cannot be sent as {there!r}")
    for name in PARAMETERS:
        there = spec.parameters.get(name, name)
        if there is not None and there in seen:
            raise InputError(f"parameters: two are sent as {there!r}")
        seen.add(there or "")


def sampling_fields(request: Request, parameters: Mapping[str, str | None]) -> dict[str, Any]:
    """The fields of a body that say how to draw the answer."""
    sampling = request.sampling
    values = (sampling.temperature, sampling.top_p, sampling.max_tokens, request.seed)
    fields = {}
    for name, value in zip(PARAMETERS, values, strict=True):
        there = parameters.get(name, name)
        if value is not None and there is not None:
            fields[there] = value
    return fields


def unsaid(spec: SubjectSpec) -> tuple[str, ...]:
    """Why readings of a subject are of limited comparability: what a study declares and does not reach it."""
    found = []
    if spec.leaves_out("temperature"):
        found.append(f"{spec.title} is not sent a temperature and draws by its endpoint's own")
    if spec.leaves_out("max_tokens"):
        found.append(f"{spec.title} is not sent max_tokens: its replies have no declared limit")
    return tuple(found)


def sampling_option(spec: SubjectSpec, name: str) -> str | None:
    """Why an option is refused, and what to write instead; None where it sets no parameter of the sampling.

    A study says at which temperature, length and seed its trials were drawn. An option would say it past the study,
    whether the parameter is sent or left out.
    """
    there = name.lower()  # some servers take names in any case
    renamed = {other.lower(): own for own, other in spec.parameters.items() if other is not None}
    own = there if there in PARAMETERS else renamed.get(there) or _OTHER_NAMES.get(there)
    if own is None:
        return None
    if own == "temperature":
        how = "set it in the instrument's options (on the command line: --set temperature=… or --set temperatures=…)"
    else:
        how = f"write sampling: {{{own}: …}} in the study"
        how += f", and parameters: {{{own}: {name}}} in the subject" if there != own else ""
    return f"{own} is declared by the study and recorded with every trial, so no option sets it: {how}"
