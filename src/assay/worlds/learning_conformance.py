"""Checks whether a family in which something can be learnt keeps its contract (section 10.8).

Learners are made as in a session: a secret, practice with feedback one episode after the other, tests before and after
it. What is shown before the first action must not depend on the secret. Then who knows nothing has no better answer
than the one that is right under the most secrets, and how often that is right can be counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, get_args

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.errors import InputError
from assay.streams import Stream

from .conformance import Anything, Tape, Violation
from .episode import shown_schema
from .learning import LEVEL_OF, LearningFamily, Variant
from .model import Brief, Policy, Task
from .regimes import shipped_regimes
from .rollout import Claims, Played, Runs, no_programs, play
from .schema import complaint

__all__ = ["LEARNING_RULES", "check_learning_family"]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")
VARIANTS: tuple[Variant, ...] = get_args(Variant)
TESTS: tuple[Variant, ...] = ("held_out", "shifted")
A_TEST = 4  # instances of a learner, of each kind of test
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


class _Lived(Struct, frozen=True):
    """An episode of a learner: what it was shown, and how it went."""

    task: Task
    brief: Brief
    played: Played

    @property
    def won(self) -> bool:
        return self.played.judgement.success


class _Sweep:
    """The rules. Each is a generator of violations."""

    def __init__(self, family: LearningFamily, learners: int, run: Runs) -> None:
        self.family, self.learners, self.run = family, learners, run
        self._practised: dict[int, list[_Lived]] = {}
        self._examples: dict[int, list[dict[str, Any]]] = {}
        self._rates: dict[tuple[Variant, int, str], float] = {}

    # How learners come about.

    def secret_of(self, learner: int) -> dict[str, Any]:
        return self.family.secret(Stream("conformance", "secret", self.family.name, learner))

    def draw(self, variant: Variant, learner: int, number: int, *, secret: int | None = None) -> Task:
        """An instance of a learner, or the same instance as it is for a learner with another secret."""
        stream = Stream("conformance", self.family.name, variant, learner, number)
        return self.family.draw(variant, self.secret_of(learner if secret is None else secret), stream)

    def play(
        self, task: Task, policy: Callable[[Brief], Policy], *key: str | int, regime: str = "Baseline"
    ) -> _Lived:
        briefs: list[Brief] = []

        def known(brief: Brief) -> Policy:
            briefs.append(brief)
            return policy(brief)

        faults = Stream("conformance", "faults", self.family.name, regime, *key)
        played = play(self.family, task, shipped_regimes()[regime], faults, known, self.run)
        return _Lived(task, briefs[0], played)

    def learn(self, task: Task, examples: Sequence[dict[str, Any]], *key: str | int, **how: str) -> _Lived:
        """An episode of the family's own player with these examples."""
        stream = Stream("conformance", "player", self.family.name, *key)
        return self.play(task, lambda brief: self.family.player(brief, examples, stream), *key, **how)

    def example(self, lived: _Lived, said: str) -> dict[str, Any]:
        """What is kept of an episode. Feedback stands among all that was told, and JSON keeps the example."""
        seen = lived.played.seen
        shown = [f"Observation: {encode(one.observation).decode()}" for one in seen[1:] if one.observation]
        told = "\n".join([*shown, f"The episode is over. {said} The same once more, from the beginning."])
        kept: dict[str, Any] = msgspec.json.decode(encode(self.family.example(lived.brief, seen, told)))
        return kept

    def practised(self, learner: int, episodes: int) -> list[dict[str, Any]]:
        """The examples of so many practice episodes, each played with those before."""
        lived, kept = self._practised.setdefault(learner, []), self._examples.setdefault(learner, [])
        while len(kept) < episodes:
            number = len(kept)
            one = self.learn(self.draw("practice", learner, number), kept, "practice", learner, number)
            lived.append(one)
            kept.append(self.example(one, self.family.feedback(one.task, one.played.state)))
        return kept[:episodes]

    def rate(self, variant: Variant, episodes: int, regime: str = "Baseline") -> float:
        """The share of tests that learners solve after so many episodes."""
        key = variant, episodes, regime
        if key not in self._rates:
            self._rates[key] = _share(
                self.learn(
                    self.draw(variant, learner, number),
                    self.practised(learner, episodes),
                    "test", learner, number,
                    regime=regime,
                ).won
                for learner in range(self.learners)
                for number in range(A_TEST)
            )  # fmt: skip
        return self._rates[key]

    @property
    def guessing_limit(self) -> float:
        others = self.family.environment in ("multi-agent", "adversarial")
        return GUESSING_AGAINST_OTHERS if others else GUESSING

    # The rules.

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
            count = self.learners * A_TEST
            most = limit + 2 * (limit * (1 - limit) / count) ** 0.5
            if (rate := self.rate(variant, 0)) > most:
                yield f"{variant}: the player without examples solves {rate:.2f}; at most {limit:.2f}"
            common = [self._most_common(variant, number) for number in range(12)]
            if (share := sum(common) / len(common)) > limit:
                yield f"{variant}: one answer is right under {share:.2f} of all secrets; at most {limit:.2f}"
            if (rate := _share(self._strangers(variant))) > most:
                yield f"{variant}: what is right under another secret solves {rate:.2f}; at most {limit:.2f}"
            if (rate := _share(self._at_random(variant))) > most:
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
            for secret in range(learner + 1, learner + 1 + A_TEST):
                task = self.draw(variant, learner, 0, secret=secret)
                yield self.play(task, Tape(right).again, "stranger", learner).won

    def _at_random(self, variant: Variant) -> Iterator[bool]:
        for learner in range(self.learners):
            for number in range(A_TEST):
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
                for number in range(A_TEST):
                    task = self.draw(variant, learner, number)
                    first = self.play(task, Claims, "transfer").played.seen[0].observation
                    if encode(first) in known:
                        yield f"{variant}: a test shows what was practised"
                        return
            task = self.draw("held_out", learner, 0)
            by_heart += [
                self.play(task, Tape(one.played.acts).again, "by heart").won for one in practised[-2:]
            ]
        if (rate := _share(again)) < LEARNT:
            yield f"an exact repeat is solved in {rate:.2f} after its feedback; at least {LEARNT:.2f}"
        if (rate := _share(by_heart)) > self.guessing_limit:
            yield f"actions that were practised, word for word, solve {rate:.2f} of tests"

    def feedback(self) -> Iterator[str]:
        """It is feedback that teaches: the same episodes without it teach clearly less."""
        won: list[bool] = []
        for learner in range(self.learners):
            self.practised(learner, self.family.practice)
            kept = [self.example(one, "") for one in self._practised[learner][: self.family.practice]]
            for number in range(A_TEST):
                task = self.draw("held_out", learner, number)
                won.append(self.learn(task, kept, "without", learner, number).won)
        if (gain := self.rate("held_out", self.family.practice) - _share(won)) < BY_FEEDBACK:
            yield f"feedback brings {gain:+.2f} over practice without it; at least {BY_FEEDBACK:+.2f}"

    def progress(self) -> Iterator[str]:
        """Attempts at one instance, each with word of how near the one before came (B.6.1)."""
        won: list[list[bool]] = [[] for _ in range(ATTEMPTS)]
        for learner in range(self.learners):
            for number in range(A_TEST):
                kept: list[dict[str, Any]] = []
                for attempt in range(ATTEMPTS):
                    lived = self.learn(
                        self.draw("held_out", learner, number), kept, "attempt", learner, number
                    )
                    kept.append(self.example(lived, self.family.progress(lived.task, lived.played.state)))
                    won[attempt].append(lived.won)
        if (gain := _share(won[-1]) - _share(won[0])) < BY_PROGRESS:
            yield f"attempt {ATTEMPTS} is {gain:+.2f} above attempt 1; at least {BY_PROGRESS:+.2f}"

    def regimes(self) -> Iterator[str]:
        for variant in TESTS:
            for regime in REGIMES:
                rate = self.rate(variant, self.family.practice, regime)
                if rate < STANDS:
                    yield f"{variant}, {regime}: {rate:.2f} solved after practice; at least {STANDS:.2f}"

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


def _share(won: Iterable[bool]) -> float:
    found = list(won)
    return sum(found) / len(found)


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
