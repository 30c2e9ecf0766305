"""Checks whether a family in which something can be learnt keeps its contract (section 10.8).

What is shown before the first action must not depend on the secret. Then who knows nothing has no better answer
than the one that is right under the most secrets, and how often that is right can be counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, get_args

import msgspec

from assay.canonical import encode
from assay.errors import InputError
from assay.streams import Stream

from .conformance import Anything, Tape, Violation
from .episode import shown_schema
from .learning import LEVEL_OF, LearningFamily, Variant
from .learning_rollout import TESTS_EACH, Learners, share
from .model import Task
from .rollout import Claims, Runs, no_programs
from .schema import complaint

__all__ = ["LEARNING_RULES", "check_learning_family"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
VARIANTS: tuple[Variant, ...] = get_args(Variant)
TESTS: tuple[Variant, ...] = ("held_out", "shifted")
MOST_PRACTICE = 8  # episodes
# What a player may reach that knows nothing: where others act against it, luck has a greater part.
GUESSING, GUESSING_AGAINST_OTHERS = 0.10, 0.25
LEARNT, KNOWN, STANDS = 0.95, 0.99, 0.90  # after practice, after four times as much, under scarcity
HALFWAY, BY_FEEDBACK, BY_PROGRESS = 0.20, 0.30, 0.30  # gains
AT_ONCE = 0.80  # what one episode may bring at most: more, and it told the secret
SECRETS, DIFFERENT = 300, 150  # of so many draws, so many must differ
ATTEMPTS = 3
REGIMES = ("Moderate-Standard", "Severe-Standard")
LEARNING_RULES = (
    "form", "secret", "determinism", "schema", "hidden", "variety", "guessing", "learnable", "transfer", "feedback",
    "progress", "regimes", "budget", "claims", "anything",
)  # fmt: skip


def check_learning_family(
    family: LearningFamily,
    *,
    learners: int = 24,
    run: Runs = no_programs,
    rules: Sequence[str] = LEARNING_RULES,
) -> list[Violation]:
    """Every rule that a family breaks. A rule that cannot be tried because the family raises is broken, too."""
    sweep = _Sweep(family, learners, run)
    checks: dict[str, Callable[[], Iterator[str]]] = {
        rule: getattr(sweep, rule) for rule in LEARNING_RULES if rule in rules or rule == "form"
    }
    found: list[Violation] = []
    for rule, check in checks.items():
        try:
            found += [Violation(str(family.name), rule, told) for told in check()]
        except Exception as error:  # anybody's code: it may fail in any way
            found.append(Violation(str(family.name), rule, f"{type(error).__name__}: {error}"))
        if rule == "form" and found:
            break  # the other rules need a family of the right form
    return found


class _Sweep(Learners):
    """The rules. Each is a generator of violations."""

    @property
    def guessing_limit(self) -> float:
        others = self.family.environment in ("multi-agent", "adversarial")
        return GUESSING_AGAINST_OTHERS if others else GUESSING

    def form(self) -> Iterator[str]:
        family = self.family
        if not isinstance(family, LearningFamily):
            yield "does not have all parts of the contract"
            return
        for part in ("name", "version", "title", "verification"):
            said = getattr(family, part)
            if not isinstance(said, str) or not said.strip():
                yield f"its {part} is {said!r}; it must be text"
        if not _NAME.fullmatch(str(family.name)):
            yield f"its name is {family.name!r}; letters, digits, - and _ only, a letter first"
        if family.dimension != "L":
            yield f"its dimension is {family.dimension!r}; it must be L"
        if not 2 <= family.practice <= MOST_PRACTICE:
            yield f"practice is {family.practice}; it lies in 2 … {MOST_PRACTICE}"
        if len(family.situations) < 4 or len(family.held_out) < 3:
            yield "at least four stories of practice, and three held out"
        if set(family.situations) & set(family.held_out):
            yield "stories of practice are held out"

    def secret(self) -> Iterator[str]:
        drawn = [self.secret_of(number) for number in range(SECRETS)]
        for one in drawn[:20]:
            if not _survives(one):
                yield "a secret does not survive JSON"
                return
        different = len({encode(one) for one in drawn})
        if different < DIFFERENT:
            yield f"{SECRETS} draws give {different} secrets; at least {DIFFERENT}, so that none is guessed"

    def determinism(self) -> Iterator[str]:
        for variant in VARIANTS:
            if encode(self.draw(variant, 0, 0)) != encode(self.draw(variant, 0, 0)):
                yield f"{variant}: the same stream draws two different tasks"
            for regime in ("Baseline", *REGIMES):
                task, kept = self.draw(variant, 0, 0), self.practised(0, self.family.practice)
                once, again = (self.learn(task, kept, "again", regime=regime).played for _ in range(2))
                if encode(once) != encode(again):
                    yield f"{variant}, {regime}: the same episode goes two ways"
                elif (
                    self.play(task, Tape(once.acts).again, "again", regime=regime).played.artifact
                    != once.artifact
                ):
                    yield f"{variant}, {regime}: the same actions leave another state"

    def schema(self) -> Iterator[str]:
        for variant in VARIANTS:
            for number in range(10):
                yield from (
                    f"{variant}: {wrong}" for wrong in self._schema(variant, self.draw(variant, 0, number))
                )

    def _schema(self, variant: Variant, task: Task) -> Iterator[str]:
        if not _survives(task):
            yield "a task does not survive JSON"
        if (task.family, task.level) != (self.family.name, LEVEL_OF[variant]):
            yield f"a task says that it is {task.family}, level {task.level}; its level is {LEVEL_OF[variant]}"
        if task.situation not in (self.family.situations if variant == "practice" else self.family.held_out):
            yield f"the story {task.situation} is not one of this variant's"
        for part in (task.observation, *(action.parameters for action in task.actions)):
            if part.get("type") != "object" or not _closed(part):
                yield "schemas are of objects that name all their properties, at any depth"
        for action in task.actions:
            bare = [
                name for name, part in action.parameters["properties"].items() if "description" not in part
            ]
            if len(action.about.split()) < 4 or bare:
                yield f"the action {action.name} needs a description, and so does each of its arguments"
        if "{" in task.goal or "}" in task.goal or "  " in task.goal or not task.goal.strip():
            yield f"a goal that was not filled in: {task.goal[:60]!r}"
        if re.search(rf"\b({re.escape(self.family.name)}|level)\b", task.goal, re.I):
            yield f"a goal names the family or a level: {task.goal[:60]!r}"
        if not task.criterion.text.strip():
            yield "a criterion without words"

    def hidden(self) -> Iterator[str]:
        """What is shown does not depend on the secret; feedback tells what would have been right, and no more."""
        for variant in VARIANTS:
            for number in range(4):
                tasks = [self.draw(variant, 0, number, secret=secret) for secret in range(12)]
                untouched = [self.play(task, Claims, "hidden").played for task in tasks]
                if len({encode([one.goal, one.observation, one.actions]) for one in tasks}) > 1:
                    yield f"{variant}: the goal or the actions depend on the secret"
                if len({encode(one.seen[0].observation) for one in untouched}) > 1:
                    yield f"{variant}: the first observation depends on the secret"
                said = {
                    self.family.progress(one, was.state) for one, was in zip(tasks, untouched, strict=True)
                }
                if len(said) > 1:
                    yield f"{variant}: word of an untouched state depends on the secret, so it tells what is right"
                yield from self._told(variant, number, tasks)

    def _told(self, variant: Variant, number: int, tasks: list[Task]) -> Iterator[str]:
        lived = self.learn(tasks[0], [], "told", variant, number)
        state = lived.played.state
        for name, tell in (("feedback", self.family.feedback), ("progress", self.family.progress)):
            others = [msgspec.structs.replace(tasks[0], setup=task.setup) for task in tasks[1:]]
            if any(tell(other, state) != tell(tasks[0], state) for other in others):
                yield f"{variant}: {name} tells of the secret; it may tell what is right in this instance only"
        texts = [tasks[0].goal, self.family.feedback(tasks[0], state), self.family.progress(tasks[0], state)]
        texts += [f"{one.error} {encode(one.observation).decode()}" for one in lived.played.seen]
        for part in _containers(self.secret_of(0)):
            if any(form in text for form in (str(part), encode(part).decode()) for text in texts):
                yield f"{variant}: a part of the secret is shown word for word"

    def variety(self) -> Iterator[str]:
        """Instances differ in wording and story, none comes twice, and tests have wordings of their own."""
        drawn = {v: [self.draw(v, 0, number) for number in range(60)] for v in VARIANTS}
        goals = {v: {re.sub(r"\d", "", task.goal) for task in tasks} for v, tasks in drawn.items()}
        for variant, tasks in drawn.items():
            stories = {task.situation for task in tasks}
            if len(goals[variant]) < 6 * len(stories) / 2:
                yield (
                    f"{variant}: {len(goals[variant])} goals that differ in more than numbers, in {len(stories)} "
                    "stories; at least 6 wordings"
                )
            if len(stories) < (4 if variant == "practice" else 3):
                yield f"{variant}: 60 instances have {len(stories)} stories"
            if len({encode([task.goal, task.setup]) for task in tasks}) < len(tasks):
                yield f"{variant}: 60 instances repeat each other"
        if goals["practice"] & (goals["held_out"] | goals["shifted"]):
            yield "a test has a goal that was practised"
        if encode(drawn["shifted"][0].actions) == encode(drawn["held_out"][0].actions):
            yield "the shifted variant has the same actions"

    def guessing(self) -> Iterator[str]:
        """Nothing gets far without having learnt: no guess, no chance, and no answer that is often right."""
        limit = self.guessing_limit
        for variant in TESTS:
            count = self.learners * TESTS_EACH
            most = limit + 2 * (limit * (1 - limit) / count) ** 0.5
            if (rate := self.rate(variant, 0)) > most:
                yield f"{variant}: the player without examples solves {rate:.2f}; at most {limit:.2f}"
            common = [self._most_common(variant, number) for number in range(12)]
            if (right := sum(common) / len(common)) > limit:
                yield f"{variant}: one answer is right under {right:.2f} of all secrets; at most {limit:.2f}"
            if (rate := share(self._strangers(variant))) > most:
                yield f"{variant}: what is right under another secret solves {rate:.2f}; at most {limit:.2f}"
            if (rate := share(self._at_random(variant))) > most:
                yield f"{variant}: valid actions at random solve {rate:.2f}; at most {limit:.2f}"

    def _most_common(self, variant: Variant, number: int) -> float:
        answers = [
            self.draw(variant, 0, number, secret=secret).criterion.expected for secret in range(SECRETS // 2)
        ]
        return max(Counter(map(encode, answers)).values()) / len(answers)

    def _strangers(self, variant: Variant) -> Iterator[bool]:
        """The actions that solve an instance, done in the same instance under other secrets."""
        for learner in range(self.learners):
            kept = self.practised(learner, self.family.practice)
            right = self.learn(self.draw(variant, learner, 0), kept, "stranger", learner).played.acts
            for secret in range(learner + 1, learner + 1 + TESTS_EACH):
                task = self.draw(variant, learner, 0, secret=secret)
                yield self.play(task, Tape(right).again, "stranger", learner).won

    def _at_random(self, variant: Variant) -> Iterator[bool]:
        for learner in range(self.learners):
            for number in range(TESTS_EACH):
                policy = partial(Anything, stream=Stream("conformance", "random", learner, number))
                yield self.play(self.draw(variant, learner, number), policy, "random").won

    def learnable(self) -> Iterator[str]:
        practice = self.family.practice
        for variant in TESTS:
            none, one, half, full, known = (
                self.rate(variant, episodes) for episodes in (0, 1, practice // 2, practice, 4 * practice)
            )
            if full < LEARNT:
                yield f"{variant}: {full:.2f} solved after {practice} episodes; at least {LEARNT:.2f}"
            if known < KNOWN:
                yield f"{variant}: {known:.2f} solved after {4 * practice} episodes; who knows the secret solves all"
            if half < none + HALFWAY:
                yield f"{variant}: half of practice brings {half - none:+.2f}; at least {HALFWAY:+.2f}"
            if one > AT_ONCE:
                yield f"{variant}: one episode brings {one:.2f}; it told more than its own answer"

    def transfer(self) -> Iterator[str]:
        """What was met word for word comes again in repeats only, and there it helps."""
        again: list[bool] = []
        by_heart: list[bool] = []
        for learner in range(self.learners):
            kept = self.practised(learner, self.family.practice)
            practised = self._practised[learner][: self.family.practice]
            again.append(self.learn(practised[0].task, kept[:1], "repeat", learner).won)
            known = {encode(one.played.seen[0].observation) for one in practised}
            for variant in TESTS:
                for number in range(TESTS_EACH):
                    task = self.draw(variant, learner, number)
                    first = self.play(task, Claims, "transfer").played.seen[0].observation
                    if encode(first) in known:
                        yield f"{variant}: a test shows what was practised"
                        return
            task = self.draw("held_out", learner, 0)
            by_heart += [
                self.play(task, Tape(one.played.acts).again, "by heart").won for one in practised[-2:]
            ]
        if (rate := share(again)) < LEARNT:
            yield f"an exact repeat is solved in {rate:.2f} after its feedback; at least {LEARNT:.2f}"
        if (rate := share(by_heart)) > self.guessing_limit:
            yield f"actions that were practised, word for word, solve {rate:.2f} of tests"

    def feedback(self) -> Iterator[str]:
        """It is feedback that teaches: the same episodes without it teach clearly less."""
        won: list[bool] = []
        for learner in range(self.learners):
            self.practised(learner, self.family.practice)
            kept = [self.example(one, "") for one in self._practised[learner][: self.family.practice]]
            for number in range(TESTS_EACH):
                task = self.draw("held_out", learner, number)
                won.append(self.learn(task, kept, "without", learner, number).won)
        if (gain := self.rate("held_out", self.family.practice) - share(won)) < BY_FEEDBACK:
            yield f"feedback brings {gain:+.2f} over practice without it; at least {BY_FEEDBACK:+.2f}"

    def progress(self) -> Iterator[str]:
        """Attempts at one instance, each with word of how near the one before came (B.6.1)."""
        won: list[list[bool]] = [[] for _ in range(ATTEMPTS)]
        for learner in range(self.learners):
            for number in range(TESTS_EACH):
                kept: list[dict[str, Any]] = []
                for attempt in range(ATTEMPTS):
                    lived = self.learn(
                        self.draw("held_out", learner, number), kept, "attempt", learner, number
                    )
                    kept.append(self.example(lived, self.family.progress(lived.task, lived.played.state)))
                    won[attempt].append(lived.won)
        if (gain := share(won[-1]) - share(won[0])) < BY_PROGRESS:
            yield f"attempt {ATTEMPTS} is {gain:+.2f} above attempt 1; at least {BY_PROGRESS:+.2f}"

    def regimes(self) -> Iterator[str]:
        for variant in TESTS:
            for regime in REGIMES:
                rate = self.rate(variant, self.family.practice, regime)
                if rate < STANDS:
                    yield f"{variant}, {regime}: {rate:.2f} solved after practice; at least {STANDS:.2f}"
                if not any(self._touched(variant, number, regime) for number in range(TESTS_EACH)):
                    yield f"{variant}, {regime}: noise touches nothing; `noisy` names keys of the observation"

    def _touched(self, variant: Variant, number: int, regime: str) -> bool:
        task = self.draw(variant, 0, number)
        clean, seen = (
            self.play(task, Claims, number, regime=one).played.seen[0].observation
            for one in ("Baseline", regime)
        )
        return any(encode(seen[key]) != encode(said) for key, said in clean.items())

    def budget(self) -> Iterator[str]:
        """``needed`` is what a good solution takes, and the player keeps all bounds."""
        for variant in TESTS:
            for number in range(10):
                task, kept = self.draw(variant, 0, number), self.practised(0, self.family.practice)
                played = self.learn(task, kept, "budget", number).played
                if not 1 <= task.needed <= task.most or task.queries_needed > (task.queries or 10**6):
                    yield f"{variant}: needs {task.needed} of {task.most} actions"
                if played.actions > task.needed:
                    yield f"{variant}: the player takes {played.actions} actions; needed is {task.needed}"
                if any(played.counts.values()):
                    yield f"{variant}: the player itself breaks bounds: {played.counts}"

    def claims(self) -> Iterator[str]:
        for variant in VARIANTS:
            for number in range(10):
                if self.play(self.draw(variant, 0, number), Claims, "claims").won:
                    yield f"{variant}: a subject that only claims success is believed"
                    break

    def anything(self) -> Iterator[str]:
        """Under any valid actions the world stands and shows what its schema says, and an example can be taken."""
        for variant in VARIANTS:
            for number in range(10):
                for regime in ("Baseline", *REGIMES):
                    task = self.draw(variant, 0, number)
                    policy = partial(Anything, stream=Stream("conformance", "anything", number))
                    lived = self.play(task, policy, number, regime=regime)
                    schema = shown_schema(task.observation)
                    wrong = [
                        complaint(schema, one.observation) for one in lived.played.seen if one.observation
                    ]
                    if any(wrong):
                        yield f"{variant}, {regime}: an observation breaks its schema: {max(wrong)}"
                        return
                    for tell in (self.family.feedback, self.family.progress):
                        self.example(lived, tell(task, lived.played.state))


def _survives(value: Any) -> bool:
    """Whether a value is plain data."""
    try:
        return bool(value == msgspec.json.decode(encode(value), type=type(value)))
    except (InputError, TypeError, msgspec.MsgspecError):
        return False


def _closed(schema: dict[str, Any]) -> bool:
    """Whether every object of a schema names all its properties."""
    if schema.get("type") == "object":
        parts = schema.get("properties", {})
        return schema.get("additionalProperties") is False and all(map(_closed, parts.values()))
    return _closed(schema["items"]) if "items" in schema else True


def _containers(value: Any) -> Iterator[Any]:
    """A secret and its parts that are not single values."""
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if len(parts) > 2:
        yield value
    for part in parts:
        yield from _containers(part)
