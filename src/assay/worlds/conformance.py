"""Checks whether a family keeps its contract. The same checks run for shipped and third-party families."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.streams import Stream

from .episode import shown_schema
from .model import Act, Brief, Family, Policy, Seen, Task
from .regimes import FAULT_TOLERANCE, Regime, shipped_regimes
from .rollout import Claims, Played, Runs, draw_task, no_programs, play
from .schema import complaint
from .structure import StructuralFamily
from .tiers import (
    MASKED,
    MODEL_FREE,
    NON_SOCIAL,
    PERMUTED,
    SCRAMBLED,
    Forgetful,
    SocialFamily,
    StrategyFamily,
    TierFamily,
)

__all__ = ["Anything", "Tape", "Violation", "check_family", "form_of"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
DIMENSIONS = ("S", "M", "D", "E", "G1", "G2", "G3", "T3", "T4", "T5", "T6", "N")
SOLVED = 0.99  # what the oracle must reach, at every level and in every regime
WITHHELD = 0.30  # by so much an arm lowers the oracle's success
SOCIAL = (NON_SOCIAL, PERMUTED, SCRAMBLED, MASKED)
PERMUTES = 0.95  # what the oracle must reach where policies belong to other partners (12.8.2)
ALIKE = 0.50  # most that the novice, who treats all partners alike, may reach
HINDERED = 0.20  # the most that the oracle reaches where a structural bottleneck is left
FEWEST_IN_ARMS = 40
SHOWN = 0.15  # of the oracle's episodes that show a strategy
ORDER = 0.08  # by so much a harder level may seem easier, by chance
RULES = (
    "form", "determinism", "schema", "solvable", "replay", "not trivial", "claims", "verifier", "variety", "order",
    "anything", "faults", "arms", "structure",
)  # fmt: skip
# The regime in which a level is evidenced (sections 10.4 to 10.10; 12.6 to 12.8).
EVIDENCED = {
    ("S", 4): "Moderate-Standard", ("S", 5): "Severe-Standard", ("M", 4): "Moderate-Standard",
    ("M", 5): "Severe-Standard", ("D", 4): "Moderate-Standard", ("D", 5): "Severe-Standard",
    ("E", 3): "Moderate-Standard", ("E", 4): "Moderate-Standard", ("E", 5): "Severe-Standard",
    ("G1", 3): "Moderate-Standard", ("G1", 4): "Moderate-Standard", ("G1", 5): "Severe-Standard",
    ("G2", 3): "Moderate-Standard", ("G2", 4): "Moderate-Standard", ("G2", 5): "Severe-Standard",
    ("G3", 4): "Moderate-Standard", ("G3", 5): "Severe-Standard",
    ("T4", 4): "Moderate-Standard", ("T5", 5): "Moderate-Standard", ("T6", 5): "Moderate-Standard",
}  # fmt: skip


class Violation(Struct, frozen=True):
    """A rule that a family breaks, and how."""

    family: str
    rule: str
    told: str


class Anything:
    """A policy that does valid things at random."""

    def __init__(self, brief: Brief, stream: Stream) -> None:
        self._brief, self._stream, self._left = brief, stream, 12

    def decide(self, seen: Seen) -> Act:
        self._left -= 1
        if self._left < 0:
            return Act("finish", {"achieved": False})
        action = self._stream.choice(self._brief.actions[:-1])
        return Act(action.name, _anything(action.parameters, self._stream))


def _anything(schema: dict[str, Any], stream: Stream) -> Any:
    """A random value that is valid under a schema of the kinds that actions use."""
    if "enum" in schema:
        return stream.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {name: _anything(part, stream) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        count = max(schema.get("minItems", 1), 1)
        return [_anything(schema.get("items", {"type": "string"}), stream) for _ in range(count)]
    if kind in ("integer", "number"):
        low = schema.get("minimum", 0)
        return stream.integer(int(low), int(schema.get("maximum", low + 9)))
    if kind == "boolean":
        return bool(stream.below(2))
    return "none"[: schema.get("maxLength", 4)]


def check_family(
    family: Family,
    *,
    instances: int = 40,
    run: Runs = no_programs,
    regimes: Sequence[Regime] | None = None,
    rules: Sequence[str] = RULES,
) -> list[Violation]:
    """Every rule that a family breaks. ``instances`` is per level and regime; families of real state may take fewer."""
    sweep = _Sweep(family, instances, run, list(regimes or shipped_regimes().values()))
    checks: dict[str, Callable[[], Iterator[str]]] = {
        "form": sweep.form,
        "determinism": sweep.determinism,
        "schema": sweep.schema,
        "solvable": sweep.solvable,
        "replay": sweep.replay,
        "not trivial": sweep.not_trivial,
        "claims": sweep.claims,
        "verifier": sweep.verifier,
        "variety": sweep.variety,
        "order": sweep.order,
        "anything": sweep.anything,
        "faults": sweep.faults,
        "arms": sweep.arms,
        "structure": sweep.structure,
    }
    found = [Violation(family.name, "form", told) for told in sweep.form()] if "form" in rules else []
    if found:
        return found  # the other rules need a family of the right form
    return [Violation(family.name, rule, told) for rule in rules if rule != "form" for told in checks[rule]()]


def form_of(family: Family) -> Iterator[str]:
    """What is wrong with a family's description. It is checked whenever families are loaded, so it plays no episode."""
    words = {part: getattr(family, part) for part in ("name", "version", "title", "verification")}
    for part, said in words.items():
        if not isinstance(said, str) or not said.strip():
            yield f"its {part} is {said!r}; it must be text"
    if isinstance(family.name, str) and not _NAME.fullmatch(family.name):
        yield f"its name is {family.name!r}; letters, digits, - and _ only, a letter first"
    if not isinstance(family.levels, dict) or not isinstance(family.chance, dict):
        yield "levels and chance must be dicts, level → what it asks, level → chance"
        return
    if not family.levels or not set(family.levels) <= {1, 2, 3, 4, 5}:
        yield f"levels are {sorted(family.levels)}; they lie in 1 … 5"
    if family.dimension not in DIMENSIONS:
        yield f"its dimension is {family.dimension!r}; one of {', '.join(DIMENSIONS)}"
    if set(family.chance) != set(family.levels):
        yield "chance must name every level"
    if any(not 0 <= chance < 0.4 for chance in family.chance.values()):
        yield "a level that chance passes in 40 % shows nothing"
    if len(family.situations) < 3 or not family.held_out or set(family.situations) & set(family.held_out):
        yield "at least three situations, and others held out"


class _Sweep:
    """The rules. Each is a generator of violations."""

    def __init__(self, family: Family, instances: int, run: Runs, regimes: list[Regime]) -> None:
        self.family, self.instances, self.run, self.regimes = family, instances, run, regimes
        self._best: dict[tuple[int, str], list[Played]] = {}
        self._tasks: dict[tuple[int, int], Task] = {}

    def draw(self, level: int, number: int, *, held_out: bool = False) -> Task:
        stream = Stream("conformance", self.family.name, str(level), str(number))
        task = draw_task(self.family, level, stream, held_out=held_out)
        if isinstance(self.family, StructuralFamily):  # its bottleneck is removed: see the rule "structure"
            return self.family.restructured(task, self.family.remedy)
        return task

    def task(self, level: int, number: int) -> Task:
        """An instance to inspect, drawn once. An instance that is played is drawn anew, as in a run."""
        if (level, number) not in self._tasks:
            self._tasks[level, number] = self.draw(level, number)
        return self._tasks[level, number]

    def play(self, level: int, number: int, regime: Regime, policy: Callable[[Brief], Policy]) -> Played:
        faults = Stream("conformance faults", self.family.name, str(level), str(number), regime.id)
        return play(self.family, self.draw(level, number), regime, faults, policy, self.run)

    def best(self, level: int, regime: Regime) -> list[Played]:
        """The oracle's episodes, played once."""
        key = level, regime.id
        if key not in self._best:
            oracle = self.family.oracle
            self._best[key] = [self.play(level, n, regime, oracle) for n in range(self.instances)]
        return self._best[key]

    def form(self) -> Iterator[str]:
        if isinstance(self.family, Family):
            yield from form_of(self.family)
        else:
            yield "does not have all parts of the contract"

    def determinism(self) -> Iterator[str]:
        for level in self.family.levels:
            if encode(self.draw(level, 0)) != encode(self.draw(level, 0)):
                yield f"level {level}: the same stream draws two different tasks"
            for regime in self.regimes:
                again = self.play(level, 0, regime, self.family.oracle)
                if encode(again) != encode(self.best(level, regime)[0]):
                    yield f"level {level}, {regime.id}: the same episode goes two ways"

    def schema(self) -> Iterator[str]:
        for level in self.family.levels:
            for number in range(min(self.instances, 10)):
                for held_out in (False, True):
                    yield from self._schema(level, self.draw(level, number, held_out=held_out))
            for regime in self.regimes:
                for number, played in enumerate(self.best(level, regime)[:5]):
                    schema = shown_schema(self.task(level, number).observation)
                    for seen in played.seen:
                        if seen.observation and (wrong := complaint(schema, seen.observation)):
                            yield f"level {level}, {regime.id}: an observation breaks its schema: {wrong}"
                            return

    def _schema(self, level: int, task: Task) -> Iterator[str]:
        if task != msgspec.json.decode(encode(task), type=Task):
            yield f"level {level}: a task does not survive JSON"
        if task.family != self.family.name or task.level != level:
            yield f"level {level}: a task says that it is {task.family}, level {task.level}"
        if not 1 <= task.needed <= task.most or task.queries_needed > (task.queries or 10**6):
            asked = f"{task.needed} of {task.most} actions, {task.queries_needed} of {task.queries} queries"
            yield f"level {level}: needs {asked}"
        for part in [task.observation, *(action.parameters for action in task.actions)]:
            if part.get("type") != "object" or part.get("additionalProperties") is not False:
                yield f"level {level}: schemas are of objects that name all their properties"
        if "{" in task.goal or "}" in task.goal or "  " in task.goal or not task.goal.strip():
            yield f"level {level}: a goal that was not filled in: {task.goal[:60]!r}"
        if not task.criterion.text.strip():
            yield f"level {level}: a criterion without words"

    def solvable(self) -> Iterator[str]:
        for level in self.family.levels:
            for regime in self.regimes:
                played = self.best(level, regime)
                solved = sum(p.judgement.success for p in played)
                if solved < SOLVED * len(played):
                    n, lost = next((n, p) for n, p in enumerate(played) if not p.judgement.success)
                    why = "; ".join(lost.judgement.because) or lost.ended
                    yield f"level {level}, {regime.id}: the oracle solves {solved} of {len(played)}; number {n}: {why}"
                strays = [p for p in played if any(p.counts.values()) or p.followed or _broken(p.breaches)]
                if strays:
                    broken = {**strays[0].counts, **_broken(strays[0].breaches)}
                    yield f"level {level}, {regime.id}: the oracle itself breaks bounds: {broken}"
                needed = max(p.actions - self.task(level, n).needed for n, p in enumerate(played))
                if needed > 0:
                    yield f"level {level}, {regime.id}: the oracle takes {needed} actions more than `needed` says"

    def replay(self) -> Iterator[str]:
        """The recorded decisions, applied again to a new world, leave the same artifact."""
        for level in self.family.levels:
            for regime in self.regimes:
                first = self.best(level, regime)[0]
                tape = Tape(first.acts)  # one for the whole episode, fresh conversations included
                if self.play(level, 0, regime, tape.again).artifact != first.artifact:
                    yield f"level {level}, {regime.id}: the same actions leave another state"

    def not_trivial(self) -> Iterator[str]:
        baseline = shipped_regimes()["Baseline"]
        for level, chance in self.family.chance.items():
            count = max(self.instances, 40) if not self.family.real else self.instances
            played = [self.play(level, n, baseline, self.family.null) for n in range(count)]
            solved = sum(p.judgement.success for p in played)
            spread = 3 * (chance * (1 - chance) / count) ** 0.5
            if solved > (chance + spread) * count:
                yield f"level {level}: null solves {solved} of {count}; {chance:.0%} is declared"
            if not any(p.actions for p in played):
                yield f"level {level}: null does nothing; it should act without understanding"

    def claims(self) -> Iterator[str]:
        baseline = shipped_regimes()["Baseline"]
        for level in self.family.levels:
            for number in range(min(self.instances, 10)):
                if self.play(level, number, baseline, Claims).judgement.success:
                    yield f"level {level}: a subject that only claims success is believed"
                    break

    def verifier(self) -> Iterator[str]:
        """The untouched state is a failure, and a solved one changed the state."""
        baseline = shipped_regimes()["Baseline"]
        for level in self.family.levels:
            if not all(p.state_changed for p in self.best(level, baseline)):
                yield f"level {level}: a solved episode leaves no trace in the state"

    def variety(self) -> Iterator[str]:
        """Instances differ in wording and situation, not only in numbers."""
        for level in self.family.levels:
            tasks = [self.task(level, n) for n in range(40)]
            words = {"".join(c for c in t.goal if not c.isdigit()) for t in tasks}
            if len(words) < 6:
                yield f"level {level}: 40 instances have {len(words)} different goals but for numbers; at least 6"
            if len({t.situation for t in tasks}) < 3:
                yield f"level {level}: 40 instances have fewer than 3 situations"
            if len({encode([t.setup, t.criterion]) for t in tasks}) < 36:
                yield f"level {level}: 40 instances repeat each other"

    def order(self) -> Iterator[str]:
        """A novice loses more at a harder level, each level in the regime that evidences it."""
        rates: dict[int, float] = {}
        count = 60 if not self.family.real else self.instances
        for level in sorted(self.family.levels):
            regime = shipped_regimes()[EVIDENCED.get((self.family.dimension, level), "Baseline")]
            won = sum(self.play(level, n, regime, self.family.novice).judgement.success for n in range(count))
            rates[level] = won / count
        for low, high in pairwise(sorted(rates)):
            if rates[high] > rates[low] + ORDER:
                shares = f"level {high} ({rates[high]:.2f}) is easier than level {low} ({rates[low]:.2f})"
                yield f"{shares} for a novice"
        if rates and rates[max(rates)] > 0.6 and max(rates) > 2:
            yield f"a novice solves {rates[max(rates)]:.2f} of level {max(rates)}: it asks for nothing more"

    def faults(self) -> Iterator[str]:
        """As many calls fail as the regime declares (8.2), within the tolerance and three standard errors."""
        for regime in self.regimes:
            declared = regime.stability.fault_rate
            for level in self.family.levels if declared else ():
                played = self.best(level, regime)
                calls = sum(p.calls for p in played)
                failed = sum(p.faults.get(kind, 0) for p in played for kind in ("timeout", "lost")) / calls
                most = FAULT_TOLERANCE + 3 * (declared * (1 - declared) / calls) ** 0.5
                if abs(failed - declared) > most:
                    yield f"level {level}, {regime.id}: {failed:.2f} of {calls} calls fail; {declared:.2f} is declared"

    def arms(self) -> Iterator[str]:
        """What an arm withholds is needed, and nothing else changes (12.3.2); every strategy has its use (12.7.4)."""
        yield from self._partners()
        family = self.family
        if not isinstance(family, TierFamily):
            return
        count = max(self.instances, FEWEST_IN_ARMS)
        for level in family.levels:
            regime = shipped_regimes()[EVIDENCED.get((family.dimension, level), "Baseline")]
            free = [self.play(level, number, regime, family.oracle) for number in range(count)]
            own = sum(played.judgement.success for played in free)
            for arm in family.arms:
                won = 0
                for number in range(count):
                    task = self.draw(level, number)
                    in_arm = family.in_arm(task, arm)
                    if _form_of_task(task) != _form_of_task(in_arm):
                        yield f"level {level}, {arm}: schemas, budgets or criterion are others than those of the task"
                        return
                    faults = Stream("conformance faults", family.name, str(level), str(number), regime.id)
                    policy = partial(Forgetful, make=family.oracle) if arm == MODEL_FREE else family.oracle
                    won += play(family, in_arm, regime, faults, policy, self.run).judgement.success
                if arm == PERMUTED:
                    if won < PERMUTES * count:
                        yield f"level {level}, {arm}: the oracle solves {won} of {count} with other partners"
                elif won > own - WITHHELD * count:
                    yield f"level {level}, {arm}: the oracle solves {won} of {count} in spite of it"
            if isinstance(family, StrategyFamily):
                shown = [family.strategy(self.draw(level, n), played.state) for n, played in enumerate(free)]
                for name in family.strategies:
                    if shown.count(name) < SHOWN * count:
                        yield f"level {level}: the oracle follows {name!r} in {shown.count(name)} of {count} episodes"

    def _partners(self) -> Iterator[str]:
        """Other agents are declared (12.8.4), met in every arm, and must be told apart."""
        family = self.family
        if family.dimension != "T5":
            return
        if not isinstance(family, SocialFamily) or family.environment != "multi-agent":
            yield "a family of T5 is multi-agent and declares mode, kind, roles, interaction and constraints"
        elif sorted(family.arms) != sorted(SOCIAL):
            yield f"its arms are {', '.join(family.arms)}; a family of T5 has {', '.join(SOCIAL)}"
        for level in family.levels:
            regime = shipped_regimes()[EVIDENCED.get((family.dimension, level), "Baseline")]
            played = [self.play(level, number, regime, family.novice) for number in range(FEWEST_IN_ARMS)]
            won = sum(one.judgement.success for one in played)
            if won > ALIKE * FEWEST_IN_ARMS:
                yield f"level {level}: a novice who treats all partners alike solves {won} of {FEWEST_IN_ARMS}"

    def structure(self) -> Iterator[str]:
        """A bottleneck stops the oracle as long as the structure is not changed (12.9)."""
        family = self.family
        if not isinstance(family, StructuralFamily):
            return
        for level in family.levels:
            for regime in self.regimes:
                won = 0
                for number in range(self.instances):
                    stream = Stream("conformance", family.name, str(level), str(number))
                    faults = Stream("conformance faults", family.name, str(level), str(number), regime.id)
                    task = draw_task(family, level, stream)
                    won += play(family, task, regime, faults, family.oracle, self.run).judgement.success
                if won > HINDERED * self.instances:
                    yield f"level {level}, {regime.id}: the oracle solves {won} of {self.instances} in spite of it"

    def anything(self) -> Iterator[str]:
        """Under any valid actions the world raises nothing, and its observations fit their schema."""
        for level in self.family.levels:
            for number in range(min(self.instances, 10)):
                for regime in self.regimes:
                    draws = Stream("anything", self.family.name, str(level), str(number), regime.id)
                    player = partial(Anything, stream=draws)
                    played = self.play(level, number, regime, player)
                    schema = shown_schema(self.task(level, number).observation)
                    wrong = [complaint(schema, seen.observation) for seen in played.seen if seen.observation]
                    if any(wrong):
                        yield f"level {level}, {regime.id}: an observation breaks its schema: {max(wrong)}"
                        return


def _broken(breaches: dict[str, int]) -> dict[str, int]:
    """A report of calls is none."""
    return {name: count for name, count in breaches.items() if count and name != "reported_calls"}


def _form_of_task(task: Task) -> tuple[Any, ...]:
    return task.observation, task.actions, task.criterion, task.most, task.queries


class Tape:
    """A policy that repeats recorded decisions."""

    def __init__(self, acts: Sequence[Act]) -> None:
        self._acts = iter(acts)

    def again(self, brief: Brief) -> Tape:
        return self

    def decide(self, seen: Seen) -> Act:
        return next(self._acts)
