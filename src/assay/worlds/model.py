"""The contract of families and worlds, and the values they exchange with an episode.

A **family** draws a **task** from an instance's stream and opens a **world** for it. The subject sees the
task's `Brief` and observations, nothing else. `World.snapshot` reads the state, and `Family.judge` compares it with the
task's criterion. What the subject says takes no part in that.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from msgspec import Struct

from assay.canonical import digest
from assay.streams import Stream

__all__ = [
    "Act",
    "Action",
    "Brief",
    "Criterion",
    "Dimension",
    "Effect",
    "Environment",
    "Family",
    "Judgement",
    "Policy",
    "Program",
    "PursuedGoal",
    "Refused",
    "Seen",
    "Task",
    "World",
    "WorldSource",
]

# What a family evidences: a dimension of the vector, a part of G (10.10), or the gates of a tier (12.6 to 12.9).
# N evidences no level: it offers the occasion to break bounds (14.2).
Dimension = Literal["S", "M", "D", "E", "L", "G1", "G2", "G3", "T3", "T4", "T5", "T6", "N"]
# Section 7.1 of the agency specification.
Environment = Literal["static", "tool-augmented", "stochastic", "multi-agent", "adversarial"]


class Action(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An action that a world offers. ``parameters`` is the JSON Schema of an object.

    A ``query`` only observes, and is charged to the query budget where there is one. An ``optional`` action makes
    things easier and is withdrawn by regimes with a limited scope of tools.
    """

    name: str
    about: str
    parameters: dict[str, Any]
    query: bool = False
    optional: bool = False


class Criterion(Struct, frozen=True):
    """When an episode is a success, fixed before it begins: in words, and as data that the state is compared with."""

    text: str
    expected: Any


class Task(Struct, frozen=True, kw_only=True):
    """One instance of a family, in full. ``setup`` is what the world is built from and is never shown."""

    family: str
    level: int
    situation: str  # which story and wording was drawn
    goal: str
    observation: dict[str, Any]  # JSON Schema of every observation
    actions: tuple[Action, ...]
    criterion: Criterion
    setup: dict[str, Any]
    needed: int  # actions of a good solution where nothing goes wrong, queries included, ``finish`` not
    most: int  # actions allowed at Baseline
    queries: int | None = None  # query budget at Baseline; None: not limited
    queries_needed: int = 0
    noisy: tuple[str, ...] = ()  # keys of observations, at any depth, whose texts noise may touch
    delay: int = (
        0  # steps from the decision that matters to the step at which its reward is realised (12.6.4)
    )


class Brief(Struct, frozen=True, kw_only=True):
    """What the subject gets before it begins: everything of the task that is not hidden."""

    family: str
    level: int
    goal: str
    observation: dict[str, Any]
    actions: tuple[Action, ...]  # as offered under the regime, with ``look`` and ``finish``
    most: int
    queries: int | None

    @property
    def code(self) -> str:
        """Names a case to who has the families, and tells nothing to who has not: neither family nor level."""
        return digest([self.family, self.level, self.goal])[:10]


class Act(Struct, frozen=True):
    """A subject's decision."""

    name: str
    arguments: dict[str, Any]


class Program(Struct, frozen=True, kw_only=True):
    """Code that is to be run in the sandbox. Its results are plain data.

    ``source`` defines ``entry_point``; each case is ``{"args": […]}``. Expected values stay outside.
    """

    source: str
    entry_point: str
    cases: tuple[dict[str, Any], ...]


class Effect(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outcome of an action. ``error`` is what the world answers instead of doing it.

    ``fresh`` begins a new conversation with this goal: the subject is to know nothing of the one before.
    ``program`` is to be run first; `World.settle` gets the result and says what came of it.
    """

    error: str = ""
    done: bool = False
    fresh: str = ""
    program: Program | None = None


class Refused(Exception):
    """Raised in a world that does not do an action. The subject sees the reason as an error."""


class Seen(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the subject sees at the beginning and after each action."""

    observation: dict[str, Any]
    error: str = ""
    fault: str = ""  # timeout, lost, late, rate, approval: what the regime did
    done: bool = False
    fresh: str = ""
    left: int = 0  # actions that remain
    queries_left: int | None = None
    program: Program | None = None


class Judgement(Struct, frozen=True):
    """Whether the state fulfils the criterion, and where not. ``because`` names every part that fails."""

    success: bool
    because: tuple[str, ...] = ()


class PursuedGoal(Struct, frozen=True, kw_only=True):
    """A goal that a subject set itself, as the world's state and log show it (4.1 to 4.3). What it says takes no part.

    ``target`` is the condition over the state that it stands for. ``origin``: is it stated, derivable, or neither (the
    Perfect Instruction-Follower Test); ``ambiguous`` where the world cannot tell. ``conversations``: in how many of the
    instance's conversations something was done for it.
    """

    target: Any
    origin: Literal["specified", "inferred", "originated", "ambiguous"]
    rank: Literal["top-level", "instrumental"]
    conversations: int
    achieved: bool


class World(Protocol):
    """A task's environment: real state that actions change."""

    def look(self) -> dict[str, Any]:
        """The observation now; valid under the task's schema; new objects every time."""
        ...

    def act(self, name: str, arguments: dict[str, Any]) -> Effect:
        """Do one of the task's actions. The arguments are valid under its schema."""
        ...

    def settle(self, result: dict[str, Any]) -> Effect:
        """Go on after a program was run. ``result`` has ``state`` and ``cases``, as the sandbox gives them."""
        ...

    def snapshot(self) -> dict[str, Any]:
        """The logical state in canonical form, read from where it is kept: no times, paths, pages or counters."""
        ...

    def close(self) -> None: ...


class Policy(Protocol):
    """Decides on actions. It knows its `Brief` and what it has seen."""

    def decide(self, seen: Seen) -> Act: ...


@runtime_checkable
class WorldSource(Protocol):
    """What an episode needs of a kind of task: it opens worlds and judges their states."""

    name: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str]
    dimension: ClassVar[Dimension]
    environment: ClassVar[Environment]
    verification: ClassVar[str]  # how success is verified from outside
    real: ClassVar[bool]  # whether the state is a file system, a database, a repository
    runs_code: ClassVar[bool]  # whether it wants programs run, so that a run needs the sandbox

    def open(self, task: Task, *, drift: bool) -> World:
        """The task's world. ``drift``: the environment is not stationary, where the task has a drift."""
        ...

    def checks(self, task: Task, state: dict[str, Any]) -> tuple[Program, ...]:
        """Programs whose results `judge` needs besides the state."""
        ...

    def judge(self, task: Task, state: dict[str, Any], runs: tuple[dict[str, Any], ...]) -> Judgement:
        """The verdict on a state. Pure; looks at nothing but its arguments."""
        ...


@runtime_checkable
class Family(WorldSource, Protocol):
    """A kind of task. Found by the entry point ``assay.families``; ``worlds.check_family`` checks the contract."""

    levels: ClassVar[dict[int, str]]  # level → what it asks, in a few words
    situations: ClassVar[tuple[str, ...]]
    held_out: ClassVar[tuple[str, ...]]  # situations that are drawn only when asked for
    chance: ClassVar[dict[int, float]]  # level → success that a policy without understanding may reach

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        """An instance. Everything that differs between instances comes from the stream."""
        ...

    def oracle(self, brief: Brief) -> Policy:
        """Solves the task from what a subject sees."""
        ...

    def novice(self, brief: Brief) -> Policy:
        """Does what is easy, and makes the mistakes that the higher levels are about."""
        ...

    def null(self, brief: Brief) -> Policy:
        """Acts, but does not understand: the same kind of answer whatever it sees."""
        ...
