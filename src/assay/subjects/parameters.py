"""The parameters of the sampling on their way into a body: under which name, or not at all.

Endpoints differ in what they take, and say so in words of their own. What they refuse by name is read here from what
they answer, and the line of the study that leaves it out or renames it is made. No I/O.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.errors import InputError, SubjectRefused, UnknownName
from assay.study.model import SubjectSpec
from assay.vocabulary import Request

from .recipes import RECIPES

__all__ = ["PARAMETERS", "check_parameters", "refusal_of", "sampling_fields", "unsaid"]

PARAMETERS = ("temperature", "top_p", "max_tokens", "seed")
_NAME = re.compile(r"[A-Za-z][\w.-]{0,63}")
_OURS = ("model", "messages", "stream", "tools")
_REFUSING = re.compile(
    r"un(?:supported|known|expected|recogni[sz]ed)|not (?:be )?(?:supported|permitted|allowed|accepted|available)"
    r"|(?:does|do) not (?:support|accept|allow)|doesn't support|extra inputs|additional properties|cannot|can't|can not"
    r"|invalid|deprecated|no longer|must be|should be|only the default|not compatible|incompatible",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\buse\s+['\"`]?(?P<name>\w+)['\"`]?\s+instead", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum context", re.IGNORECASE
)  # of the prompt, not of us


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


def refusal_of(
    status: int, value: Any, said: str, sent: Mapping[str, Any], spec: SubjectSpec
) -> SubjectRefused | None:
    """The refusal of a parameter that was sent, named by the endpoint; None for any other failure."""
    if status not in (400, 422) or _TOO_LONG.search(said):
        return None
    free = [name for name in sent if name not in ("model", "messages")]
    fields = list(_named_fields(value))
    named = [name for name in fields if name in free]
    if not fields and _REFUSING.search(said):
        renamed = _INSTEAD.search(said)
        named = [
            name for name in free if _stands_in(name, said) and not (renamed and renamed["name"] == name)
        ]
    if not named:
        return None
    if {"temperature", "top_p"} <= set(named) and re.search(r"\bboth\b|\bonly one\b", said):
        named.remove("temperature")  # one of the two will do, and temperature is what studies vary
    return SubjectRefused(f"the endpoint answers {status}: {said}", mend=_mend(named, said, spec))


def _named_fields(value: Any) -> Iterator[str]:
    """Fields that an error names in a place of their own: OpenAI's ``param``, the ``loc`` of FastAPI."""
    error = value.get("error") if isinstance(value, dict) else None
    for one in (value, error):
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("param"), str):
            yield one["param"]
        for details in (one.get("detail"), one.get("message")):
            details = details.get("detail") if isinstance(details, dict) else details
            for entry in details if isinstance(details, list) else ():
                place = entry.get("loc") if isinstance(entry, dict) else None
                if isinstance(place, list):
                    yield ".".join(str(step) for step in place if step != "body")


def _stands_in(name: str, said: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", said) is not None


def _mend(named: list[str], said: str, spec: SubjectSpec) -> str:
    """The line of the study that puts it right, and the same on the command line."""
    ours = {there: name for name in PARAMETERS if (there := spec.parameters.get(name, name)) is not None}
    instead = _INSTEAD.search(said)
    changes = {
        ours[name]: instead["name"] if instead and len(named) == 1 else None for name in named if name in ours
    }
    options = [name for name in named if name not in ours]
    if options:
        dropped = f"take {', '.join(options)} out of its options"
        if not changes:
            return f"In the study, {dropped}"
    whole = {**spec.parameters, **changes}
    line = ", ".join(f"{name}: {there or 'null'}" for name, there in whole.items())
    flags = " ".join(f"--parameter {name}={there or 'null'}" for name, there in changes.items())
    text = f"Put into the subject: parameters: {{{line}}} (on the command line: {flags})"
    others = [
        f"{name}:"
        for name, recipe in RECIPES.items()
        if name != spec.kind and all(recipe.parameters.get(n, n) == there for n, there in changes.items())
    ]
    if others:
        text += f"; recipes that do so: {' '.join(others)}"
    return f"{text}; and {dropped}" if options else text
