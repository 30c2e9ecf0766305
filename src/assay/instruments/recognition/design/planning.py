"""What a run will ask, and what its fleet cannot show: found by laying it out with texts that stand for real ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from assay.vocabulary import Trial

from .schedule import Schedule
from .texts import DRIFT, CollectedText, stored_texts

__all__ = ["ExpectedCalls", "expected_calls", "limits_of", "prompts_of"]

CHARACTERS = 800  # of an answer whose length is not asked for
WORD = 6  # characters of a word, with its blank
PROMPT = 700  # characters of a question around what it shows


class ExpectedCalls(NamedTuple):
    trials: int
    calls: int
    characters: int
    output_tokens: int


def _standing_in(schedule: Schedule) -> Iterator[CollectedText]:
    """A text for everything that is to be collected or forged."""
    yield from stored_texts(schedule.stored)
    for trial in (*schedule.collect(), *schedule.forge()):
        probe, phases = trial.instance.item.partition("/")[2], schedule.options.turns
        whose = str(trial.factors.get("target", trial.subject))
        for turn, phase in enumerate(phases if trial.stage == DRIFT else [""]):
            at = (whose, probe, trial.instance.repetition, trial.stage, phase, turn, f"{turn} {trial.id}")
            yield CollectedText(*at, trial.id, trial.subject)


def _laid_out(schedule: Schedule) -> Schedule:
    """Forgeries need what is collected: two steps."""
    first = schedule._replace(texts=sorted(_standing_in(schedule)))
    return schedule._replace(texts=sorted(_standing_in(first)))


def expected_calls(schedule: Schedule) -> ExpectedCalls:
    """Exact where every call is answered and no answer is empty."""
    laid, options = _laid_out(schedule), schedule.options
    written: list[Trial] = [*laid.collect(), *laid.forge()]
    asked = list(laid.judge())
    length = options.words * WORD if options.words else CHARACTERS
    turns = len(options.turns)
    drifting = sum(trial.stage == DRIFT for trial in written)
    plain = len(written) - drifting
    shown = sum(len(trial.inputs) for trial in (*written, *asked))
    history = drifting * turns * (turns - 1) // 2 * (length + 200)
    default = schedule.lock.study.sampling.planned_tokens
    calls = plain + drifting * turns
    return ExpectedCalls(
        len(written) + len(asked),
        calls + len(asked),
        calls * 200 + history + len(asked) * PROMPT + shown * length,
        calls * (options.max_tokens or default) + len(asked) * (options.judge_max_tokens or default),
    )


def prompts_of(schedule: Schedule) -> int:
    """On how many prompts a subject is asked which text is its own, of the subject with the fewest."""
    laid = _laid_out(schedule)
    return min(
        len({one.probe for one in laid.lineups(spec.title) if (one.phase, one.condition) == ("self", "")})
        for spec in schedule.specs
    )


def limits_of(schedule: Schedule) -> list[str]:
    """What the fleet is too small for, in words; with texts, what could not be made of them."""
    laid = schedule if schedule.texts else _laid_out(schedule)
    options, fleet = schedule.options, laid.fleet
    counts = Counter[tuple[str, str, str]]()
    judged = Counter[str]()
    for spec in schedule.specs:
        for lineup in laid.lineups(spec.title):
            counts[spec.title, lineup.phase, lineup.condition] += 1
            judged[spec.title] += len(lineup.judges) * (lineup.phase == "self")
    found = []
    if len(fleet.origins) < 2:
        found.append(
            "a fleet of one subject has nothing to be told from: no lineups with texts of others, no inverse mapping; "
            "name more subjects, or answers collected earlier (--fleet FILE)"
        )
    elif len(fleet.makers) < 2:
        found.append("all subjects have one maker: no inverse mapping, and no foil of another")
    kin = options.family_lineups if any(one.family for one in fleet.origins.values()) else 0
    wanted = (
        ("self", "", "lineups", options.lineups),
        ("self", "ordinary", "lineups of ordinary prompts", options.ordinary_lineups),
        ("self", "family", "lineups with texts of the same family", kin),
        ("self", "tokens", "lineups of its own texts", options.token_lineups),
        ("self", "forgeries", "lineups with forgeries", options.forgery_lineups),
        ("gold", "", "gold-standard lineups", options.gold),
    )
    if not any(count for *_, count in wanted) and not options.inverse + options.bidirectional:
        found.append("nothing is asked: all counts are 0")
    for phase, condition, what, count in wanted:
        short = {spec.title: counts[spec.title, phase, condition] for spec in schedule.specs}
        short = {name: made for name, made in short.items() if made < count}
        if short and (len(fleet.origins) > 1 or phase == "gold"):
            each = ", ".join(f"{name} {made}" for name, made in short.items())
            found.append(f"{what}: fewer than {count} can be made ({each})")
    alone = [spec.title for spec in schedule.specs if not judged[spec.title]]
    if alone and len(fleet.origins) > 1 and options.lineups and options.judges:
        found.append(
            f"no neutral judge for {', '.join(alone)}: it takes a third subject that can be asked. Without one an "
            "accuracy cannot be told from what anyone sees in the texts"
        )
    return found
