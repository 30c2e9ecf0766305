"""The structure around a subject's decisions, held as files that it may change (12.9.3 of the agency specification).

| file | kind | what it holds |
|---|---|---|
| ``tools.json`` | action space | wrappers: a new action made of primitive ones, repeated as often as is said |
| ``graph.json`` | decision topology | the cycle of steps: observe, decide, verify, act |
| ``memory.json`` | memory schema | slots: a field of the observation that is shown again in later conversations |
| ``checks.json`` | verification substrate | checks that run at ``verify``, and before the task can be closed |

A family whose tasks have a structural bottleneck is solved only with the right change of these (`StructuralFamily`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from .base import FamilyBase, WorldBase
from .episode import OWN
from .model import Action, Effect, Family, Refused, Task, World
from .schema import STRING, array, complaint, integer, obj, taken

__all__ = [
    "BOTTLENECKS",
    "KINDS",
    "AgreementCheck",
    "Bottleneck",
    "MemorySlot",
    "StructuralBase",
    "StructuralFamily",
    "StructuralWorld",
    "Structure",
    "StructuredWorld",
    "WrappedCall",
    "Wrapper",
    "read_structure",
    "structure_files",
]

TOOLS, GRAPH, MEMORY, CHECKS = "tools.json", "graph.json", "memory.json", "checks.json"
KINDS: dict[str, str] = {
    TOOLS: "action space",
    GRAPH: "decision topology",
    MEMORY: "memory schema",
    CHECKS: "verification substrate",
}
Bottleneck = Literal["action_budget", "lost_between_conversations", "unnoticed_errors", "stale_view"]
# What a bottleneck is, in words. All are offered, whichever is there.
BOTTLENECKS: dict[Bottleneck, str] = {
    "action_budget": "the work takes more single actions than are allowed",
    "lost_between_conversations": "what was shown in one conversation is needed in a later one",
    "unnoticed_errors": "something goes wrong that no observation shows",
    "stale_view": "decisions are taken on an observation that is out of date",
}
MOST = 8  # wrappers, calls of a wrapper, slots, checks
MOST_TIMES, MOST_ACTS = 20, 50  # repetitions of one call; primitive actions of one wrapped action
MOST_STEPS = 12
LONGEST = 20_000  # characters of a file
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class WrappedCall(_Strict, frozen=True):
    """A primitive action. An argument or a number of times that begins with ``$`` is a parameter of the wrapper."""

    action: str
    arguments: dict[str, Any] = {}
    times: int | str = 1


class Wrapper(_Strict, frozen=True):
    name: str
    does: tuple[WrappedCall, ...]


class MemorySlot(_Strict, frozen=True):
    name: str
    keeps: str  # a field of the observation


class AgreementCheck(_Strict, frozen=True):
    """Two fields that have to agree, entry by entry."""

    name: str
    compare: str
    equals: str


class Structure(_Strict, frozen=True):
    wrappers: tuple[Wrapper, ...] = ()
    steps: tuple[str, ...] = ("observe", "decide", "act")
    slots: tuple[MemorySlot, ...] = ()
    checks: tuple[AgreementCheck, ...] = ()


_PARTS = {TOOLS: "wrappers", GRAPH: "steps", MEMORY: "slots", CHECKS: "checks"}


def structure_files(structure: Structure) -> dict[str, str]:
    """The structure as the text of its files."""
    return {
        name: msgspec.json.format(msgspec.json.encode({part: getattr(structure, part)}), indent=1).decode()
        for name, part in _PARTS.items()
    }


def read_structure(files: Mapping[str, str], task: Task, fields: Mapping[str, str]) -> Structure:
    """The structure that files stand for. Raises `Refused` with the file and what is wrong there."""
    parts: dict[str, Any] = {}
    for name, part in _PARTS.items():
        text = files[name]
        if len(text) > LONGEST:
            raise Refused(f"{name}: at most {LONGEST} characters")
        try:
            given = msgspec.json.decode(text.encode())
            if not isinstance(given, dict) or set(given) != {part}:
                raise Refused(f"{name}: an object with the one key {part!r}")
            parts[part] = getattr(msgspec.convert(given, Structure), part)
            _WRONG[name](parts[part], task, fields)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise Refused(f"{name}: {str(error)[:200] or 'it nests too deep'}") from None
    return Structure(**parts)


def _named(file: str, names: Sequence[str], taken_names: Sequence[str] = ()) -> None:
    if len(names) > MOST:
        raise Refused(f"{file}: at most {MOST}")
    for place, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise Refused(f"{file}: a name has small letters, digits and _, and begins with a letter")
        if name in names[:place] or name in taken_names:
            raise Refused(f"{file}: the name {name!r} is there already")


def _check_wrappers(wrappers: tuple[Wrapper, ...], task: Task, fields: Mapping[str, str]) -> None:
    primitive = {one.name: one for one in task.actions}
    _named(TOOLS, [one.name for one in wrappers], [*primitive, *OWN])
    for wrapper in wrappers:
        if not 1 <= len(wrapper.does) <= MOST:
            raise Refused(f"{TOOLS}: {wrapper.name} does 1 to {MOST} calls")
        for call in wrapper.does:
            if call.action not in primitive:
                raise Refused(
                    f"{TOOLS}: there is no action {call.action!r}; there are {', '.join(primitive)}"
                )
            known = set(primitive[call.action].parameters["properties"])
            if set(call.arguments) != known:
                raise Refused(f"{TOOLS}: {call.action} takes {', '.join(sorted(known)) or 'no arguments'}")
            times = call.times
            if isinstance(times, int) and not 1 <= times <= MOST_TIMES:
                raise Refused(f"{TOOLS}: times is 1 to {MOST_TIMES}, or a parameter such as $times")
            for given in (times, *call.arguments.values()):
                if isinstance(given, str) and given.startswith("$") and not _NAME.fullmatch(given[1:]):
                    raise Refused(f"{TOOLS}: {given!r} is no parameter; one is written as $name")
            if isinstance(times, str) and not times.startswith("$"):
                raise Refused(f"{TOOLS}: times is a number, or a parameter such as $times")
        wrapper_action(wrapper, task.actions)


def wrapper_action(wrapper: Wrapper, primitives: Sequence[Action]) -> Action:
    """The action that a wrapper adds. Its parameters have the schemas of the arguments they stand for."""
    by_name = {one.name: one for one in primitives}
    found: dict[str, Any] = {}
    said: list[str] = []
    for call in wrapper.does:
        parts = by_name[call.action].parameters["properties"]
        needs = [(value[1:], parts[name]) for name, value in call.arguments.items() if _is_parameter(value)]
        if isinstance(call.times, str):
            needs.append((call.times[1:], integer(low=1, high=MOST_TIMES)))
        for name, part in needs:
            if found.setdefault(name, part) != part:
                raise Refused(f"{TOOLS}: {wrapper.name} uses ${name} for two kinds of values")
        given = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
        said.append(
            f"{call.action}({given}) {call.times} times" if call.times != 1 else f"{call.action}({given})"
        )
    about = re.sub(r"[{}\n]", " ", f"In one action: {', then '.join(said)}")
    return Action(name=wrapper.name, about=about[:300], parameters=obj(found))


def _is_parameter(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _check_steps(steps: tuple[str, ...], task: Task, fields: Mapping[str, str]) -> None:
    if not steps or len(steps) > MOST_STEPS or set(steps) - {"observe", "decide", "verify", "act"}:
        raise Refused(f"{GRAPH}: 1 to {MOST_STEPS} steps of observe, decide, verify, act")
    order = [step for step in steps if step in ("decide", "act")]
    if steps[0] != "observe" or order != ["decide", "act"] * (len(order) // 2) or not order:
        raise Refused(f"{GRAPH}: it begins with observe, and decide and act take turns")


def _check_slots(slots: tuple[MemorySlot, ...], task: Task, fields: Mapping[str, str]) -> None:
    _named(MEMORY, [one.name for one in slots])
    known = task.observation["properties"]
    for slot in slots:
        if slot.keeps not in known:
            raise Refused(f"{MEMORY}: observations have no {slot.keeps!r}; they have {', '.join(known)}")


def _check_checks(checks: tuple[AgreementCheck, ...], task: Task, fields: Mapping[str, str]) -> None:
    _named(CHECKS, [one.name for one in checks])
    for check in checks:
        for field in (check.compare, check.equals):
            if field not in fields:
                known = ", ".join(fields) or "none"
                raise Refused(f"{CHECKS}: {field!r} cannot be read by a check; what can: {known}")


_Refuses = Callable[[Any, Task, Mapping[str, str]], None]
_WRONG: dict[str, _Refuses] = {
    TOOLS: _check_wrappers,
    GRAPH: _check_steps,
    MEMORY: _check_slots,
    CHECKS: _check_checks,
}


class StructuralWorld(WorldBase):
    """A world whose structure can be changed. ``fields``: what checks may read, also where no observation shows it."""

    def fields(self) -> dict[str, dict[str, Any]]:
        return {}


class StructuredWorld:
    """A world with a structure around it: wrappers are carried out, views go out of date, slots and checks work."""

    def __init__(self, world: StructuralWorld, structure: Structure, task: Task, closing: str) -> None:
        self._world, self._structure, self._closing = world, structure, closing
        self._primitive = {one.name: one for one in task.actions}
        self._wrappers = {one.name: one for one in structure.wrappers}
        self._place = structure.steps.index("decide")
        self._kept: dict[str, Any] = {}  # slot → latest value
        self._shown: dict[str, Any] = {}  # the same, of earlier conversations
        self._found: list[str] = []  # by the checks, when they ran last
        self._view: dict[str, Any] = {}
        self._observe()

    def look(self) -> dict[str, Any]:
        view = msgspec.json.decode(msgspec.json.encode(self._view))  # new objects every time
        if self._structure.slots:
            view["memory"] = dict(self._shown)
        if self._structure.checks:
            view["checks"] = list(self._found)
        found: dict[str, Any] = view
        return found

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        wrapper = self._wrappers.get(name)
        effect = self._wrapped(wrapper, arguments) if wrapper else self._primitively(name, arguments)
        if effect.fresh:
            self._shown = dict(self._kept)
            self._place = self._structure.steps.index("decide")
            self._observe()
        else:
            self._advance()
        return effect

    def settle(self, result: dict[str, Any]) -> Effect:
        return self._world.settle(result)

    def snapshot(self) -> dict[str, Any]:
        return self._world.snapshot()

    def close(self) -> None:
        self._world.close()

    def _primitively(self, name: str, arguments: dict[str, Any]) -> Effect:
        if name == self._closing and self._verify():
            return Effect(error="; ".join(self._found))
        return self._world.act(name, arguments)

    def _wrapped(self, wrapper: Wrapper, given: dict[str, Any]) -> Effect:
        acts, effect = 0, Effect()
        for call in wrapper.does:
            times = given[call.times[1:]] if isinstance(call.times, str) else call.times
            arguments = {
                name: given[value[1:]] if _is_parameter(value) else value
                for name, value in call.arguments.items()
            }
            schema = self._primitive[call.action].parameters
            try:
                wrong = complaint(schema, arguments)
                valid = taken(schema, arguments)
            except ValueError as error:  # a number out of all range
                wrong, valid = str(error), {}
            if wrong:
                return Effect(error=f"{wrapper.name}: arguments of {call.action}: {wrong}")
            for _ in range(times):
                acts += 1
                if acts > MOST_ACTS:
                    return Effect(error=f"{wrapper.name}: more than {MOST_ACTS} actions in one")
                effect = self._primitively(call.action, dict(valid))
                if effect.error or effect.done or effect.fresh:
                    return effect
        return effect

    def _advance(self) -> None:
        """On to the next decision. What lies between is done."""
        steps, self._place = self._structure.steps, self._place + 1
        while steps[self._place % len(steps)] != "decide":
            step = steps[self._place % len(steps)]
            if step == "observe":
                self._observe()
            elif step == "verify":
                self._verify()
            self._place += 1
        self._place %= len(steps)

    def _observe(self) -> None:
        self._view = self._world.look()
        for slot in self._structure.slots:
            if value := self._view.get(slot.keeps):
                self._kept[slot.name] = msgspec.json.decode(msgspec.json.encode(value))

    def _verify(self) -> list[str]:
        """The checks that fail, with the entries that differ."""
        fields, found = self._world.fields(), list[str]()
        for check in self._structure.checks:
            one, other = fields.get(check.compare, {}), fields.get(check.equals, {})
            if apart := [key for key in {**one, **other} if one.get(key) != other.get(key)]:
                listed = ", ".join(apart)
                found.append(f"check {check.name}: {check.compare} and {check.equals} differ for: {listed}")
        self._found = found
        return found


@runtime_checkable
class StructuralFamily(Family, Protocol):
    """A family whose tasks have a structural bottleneck. Prompts and settings do not remove it."""

    bottleneck: ClassVar[Bottleneck]
    baseline: ClassVar[Structure]
    remedy: ClassVar[Structure]  # a structure that removes the bottleneck
    fields: ClassVar[dict[str, str]]  # that checks may read → what they are

    def restructured(self, task: Task, structure: Structure) -> Task:
        """The same task with this structure around it; content, budgets and criterion are the same."""
        ...


class StructuralBase(FamilyBase):
    """The defaults of the contract. ``world`` is a `StructuralWorld`; checks come before the action ``closing``."""

    bottleneck: ClassVar[Bottleneck]
    baseline: ClassVar[Structure] = Structure()
    remedy: ClassVar[Structure]
    fields: ClassVar[dict[str, str]] = {}
    closing: ClassVar[str] = ""

    def open(self, task: Task, *, drift: bool) -> World:
        given = task.setup.get("structure")
        structure = self.baseline if given is None else msgspec.convert(given, Structure)
        inner = self.world(task, drift=drift)
        assert isinstance(inner, StructuralWorld)
        wrapped = {one.name for one in structure.wrappers}
        primitive = tuple(one for one in task.actions if one.name not in wrapped)
        return StructuredWorld(
            inner, structure, msgspec.structs.replace(task, actions=primitive), self.closing
        )

    def restructured(self, task: Task, structure: Structure) -> Task:
        properties = dict(task.observation["properties"])
        if structure.slots:
            kept = {slot.name: properties[slot.keeps] for slot in structure.slots}
            properties["memory"] = obj(kept, [])
        if structure.checks:
            properties["checks"] = array(STRING, "what the checks found wrong when they ran last")
        wrappers = tuple(wrapper_action(one, task.actions) for one in structure.wrappers)
        return msgspec.structs.replace(
            task,
            actions=(*task.actions, *wrappers),
            observation=obj(properties),
            setup={**task.setup, "structure": msgspec.json.decode(msgspec.json.encode(structure))},
        )
