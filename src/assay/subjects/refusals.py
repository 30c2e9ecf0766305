"""What an endpoint refuses by name, read from its answer, and the line of the study that puts it right. No I/O.

Most failures name a parameter by chance: a filter quotes the request, a policy speaks of "the last user message". So a
name counts only where an answer has a place for it, or beside words that refuse it; and an endpoint that has answered
a body with the same fields does not refuse them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from assay.errors import InputError, SubjectRefused
from assay.study.model import SubjectSpec

from .parameters import PARAMETERS, check_parameters
from .recipes import RECIPES

__all__ = ["MOST_LISTED", "MOST_READ", "Accepted", "refusal_of"]

MOST_LISTED = 20  # entries of a list of faults
MOST_READ = 4096  # characters of an answer: who refuses a parameter says so at once
_REFUSING = (
    r"(?:un(?:supported|known|expected|recogni[sz]ed)|not (?:be )?(?:supported|permitted|allowed|accepted|available)"
    r"|(?:does|do) not (?:support|accept|allow)|doesn't (?:support|accept|allow)|extra inputs|additional properties"
    r"|cannot|can't|can not|invalid|deprecated|no longer|must be|should be|only the default|not compatible"
    r"|incompatible|too (?:large|small|high|low|big|long)|out of range|exceeds)"
)
# What may stand between those words and a name.
_FILLING = (
    "a also an and any are argument arguments be both body custom extra field fields following for in input inputs is "
    "json key keys keyword knob model name named names of option options or parameter parameters payload properties "
    "property received request sampling setting supplied that the this to value values was were with"
)
_LABEL = r"(?:parameter|argument|field|property|properties|option|input|name)s?(?: supplied| named)?"
_RANGE = re.compile(
    r"less than|greater than|at (?:most|least)|m(?:ax|in)imum|between|too (?:large|small|high|low|big)|out of range"
    r"|exceeds|in the range|[<>≤≥]=?\s*\d",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"(?:at most|less than or equal to|maximum(?: value)?(?: is| of)?|up to|[<≤]=?)\s*(?P<most>\d{1,7})\b(?!\.\d)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\buse\s+['\"`]?(?P<name>\w+)['\"`]?\s+instead", re.IGNORECASE)
_NO_TOOLS = re.compile(
    r"(?:does not|doesn't|do not|not) support(?:ed)? (?:the )?[\"'`]?(?:tools?\b|function call)"
    r"|[\"'`]?tools?[\"'`]? (?:are|is) not supported|tool choice requires",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum context", re.IGNORECASE
)  # of the prompt, not of us


class Accepted:
    """What an endpoint has answered so far. It does not refuse that again."""

    def __init__(self) -> None:
        self._names: set[frozenset[str]] = set()
        self._values: set[tuple[str, Any]] = set()

    def __bool__(self) -> bool:
        return bool(self._names)

    def take(self, sent: Mapping[str, Any]) -> None:
        self._names.add(frozenset(sent))
        self._values.update(_ranged(sent))

    def fields(self, sent: Mapping[str, Any]) -> bool:
        """Whether a body with the same fields was answered."""
        return frozenset(sent) in self._names

    def value(self, sent: Mapping[str, Any], name: str) -> bool:
        """Whether a body with this value was; of a seed every request has its own."""
        return all((name, value) in self._values for own, value in _ranged(sent) if own == name)


def _ranged(sent: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The fields whose value a study chooses from a few."""
    for name, value in sent.items():
        if isinstance(value, int | float) and "seed" not in name:
            yield name, value


def refusal_of(
    status: int, value: Any, said: str, sent: Mapping[str, Any], spec: SubjectSpec, accepted: Accepted
) -> SubjectRefused | None:
    """The refusal of a parameter that was sent, named by the endpoint; None for any other failure."""
    text = said[:MOST_READ]
    if status not in (400, 422) or _TOO_LONG.search(text):
        return None
    free = [name for name in sent if name not in ("model", "messages")]
    before = accepted.fields(sent)
    if "tools" in sent and not before and _NO_TOOLS.search(text):
        mend = "It takes no tools: choose the instrument's text interface (on the command line: --set interface=text)"
        return SubjectRefused(f"the endpoint answers {status}: {said}", mend=mend)
    placed = dict(_placed(value, text))
    named = {name: words for name, words in placed.items() if name in free}
    if not placed:
        named = dict.fromkeys(_beside(text, free, spec), text)
    if before:  # then only a value that was not sent before can be refused
        named = {
            name: words
            for name, words in named.items()
            if _RANGE.search(words) and not accepted.value(sent, name)
        }
    if not named:
        return None
    if {"temperature", "top_p"} <= sent.keys() and re.search(r"\bboth\b|\bonly one\b", text):
        named.pop("temperature", None)  # one of the two will do, and temperature is what studies vary
        named["top_p"] = text
    return SubjectRefused(f"the endpoint answers {status}: {said}", mend=_mend(named, sent, spec))


def _placed(value: Any, said: str) -> Iterator[tuple[str, str]]:
    """Fields that an error names in a place of their own, each with what is said of it.

    OpenAI's ``param``, the ``loc`` of FastAPI, the ``Unknown name`` of Gemini.
    """
    error = value.get("error") if isinstance(value, dict) else None
    for one in (value, error):
        if not isinstance(one, dict):
            continue
        if isinstance(one.get("param"), str):
            yield one["param"], said
        for details in (one.get("detail"), one.get("message")):
            details = details.get("detail") if isinstance(details, dict) else details
            for entry in details[:MOST_LISTED] if isinstance(details, list) else ():
                place = entry.get("loc") if isinstance(entry, dict) else None
                if isinstance(place, list):
                    yield ".".join(str(step) for step in place if step != "body"), str(entry.get("msg", ""))
    for found in re.finditer(r'Unknown name "(?P<name>[^"]{1,64})"', said):
        yield found["name"], said


def _beside(said: str, free: Iterable[str], spec: SubjectSpec) -> Iterator[str]:
    """Names with words beside them that refuse them.

    One that is an ordinary word, too (``user``, ``stop``), has to be quoted or called a parameter.
    """
    free = [name for name in free if re.fullmatch(r"\w+", name)]
    words = "|".join(sorted({*_FILLING.split(), *free}))
    between = rf"(?:[\s:,()'\"`]|\b(?:{words})\b){{0,80}}"
    ours = {spec.parameters.get(name, name) for name in PARAMETERS}
    instead = _INSTEAD.search(said)
    for name in free:
        if instead and instead["name"] == name:
            continue
        before = behind = rf"(?:'{name}'|\"{name}\"|`{name}`|\b{_LABEL}\b[:\s]+{name}\b)"
        if name in ours or "_" in name:
            ends = r"(?=\W*$|[.,;:)\]]|\s+(?:is|was|for|when|with|in|on|and|or)\b)"  # not "seed phrase"
            before = rf"(?:{before}|(?<![\w.]){name}{ends})"
            behind = rf"(?:{behind}|(?<![\w.]){name}\b)"
        if re.search(rf"{_REFUSING}{between}{before}|{behind}{between}{_REFUSING}", said, re.IGNORECASE):
            yield name


def _mend(named: Mapping[str, str], sent: Mapping[str, Any], spec: SubjectSpec) -> str:
    """What to change in the study, and the same on the command line."""
    ours = {there: name for name in PARAMETERS if (there := spec.parameters.get(name, name)) is not None}
    changes: dict[str, str | None] = {}
    lines, options = [], []
    for name, words in named.items():
        instead = _renamed(spec, ours[name], words) if name in ours and len(named) == 1 else None
        if name not in ours:
            options.append(name)
        elif _RANGE.search(words) and not instead:
            lines.append(_other_value(ours[name], words, sent[name]))
        else:
            changes[ours[name]] = instead
    if changes:
        lines.append(_parameters_line(changes, spec))
    if options:
        lines.append(f"In the study, take {', '.join(options)} out of its options")
    return "; and ".join([lines[0], *(line[:1].lower() + line[1:] for line in lines[1:])])


def _renamed(spec: SubjectSpec, name: str, words: str) -> str | None:
    """The name to use instead, if it is one that can be sent."""
    if (found := _INSTEAD.search(words)) is None:
        return None
    try:
        check_parameters(msgspec.structs.replace(spec, parameters={**spec.parameters, name: found["name"]}))
    except InputError:
        return None
    return found["name"]


def _other_value(name: str, words: str, value: Any) -> str:
    """A value that is out of range is no reason to leave the parameter out: then another one is declared."""
    found = _MOST.search(words)
    most = found["most"] if found and 1 <= int(found["most"]) < value else None
    if name == "temperature":
        said = f"of at most {most}" if most else "that it takes"
        return (
            f"Choose temperatures {said} (on the command line: --set temperature=… or --set temperatures=…)"
        )
    if name == "max_tokens":
        said = most or "…"
        return (
            f"Put into the study: sampling: {{max_tokens: {said}}} (on the command line: --max-tokens {said})"
        )
    return f"Put into the study a value that it takes: sampling: {{{name}: …}}"


def _parameters_line(changes: Mapping[str, str | None], spec: SubjectSpec) -> str:
    whole = {**spec.parameters, **changes}
    line = ", ".join(f"{name}: {there or 'null'}" for name, there in whole.items())
    flags = " ".join(f"--parameter {name}={there or 'null'}" for name, there in changes.items())
    text = f"Put into the subject: parameters: {{{line}}} (on the command line: {flags})"
    others = [
        f"{name}:"
        for name, recipe in RECIPES.items()
        if name != spec.kind and all(recipe.parameters.get(n, n) == there for n, there in changes.items())
    ]
    return f"{text}; recipes that do so: {' '.join(others)}" if others else text
