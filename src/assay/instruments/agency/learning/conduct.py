"""How a trial of a session is conducted: an episode that begins with what memory holds, and what is kept of it."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.bench import Probe
from assay.instruments.agency.episodes.conduct import EpisodeEnd, EpisodeReport, play_episode
from assay.instruments.agency.episodes.interface import Interface, joined
from assay.instruments.agency.episodes.replay import TOUCHED
from assay.instruments.agency.options import AgencyOptions, Learning, regimes_of
from assay.streams import Stream
from assay.vocabulary import Message, Outcome, Trial
from assay.worlds import FamilyFault, Task, guarded
from assay.worlds.learning import LearningFamily, learning_family

from .sessions import read_item, secret_stream

__all__ = ["LearningReport", "conduct_learning", "task_of_learner"]

OVER = "The episode is over."
NOTES = (
    "This was practice. Write down what you want to know in later episodes, in at most {most} characters. Nothing but "
    "these notes will be shown to you then, and they replace those you had."
)
KEPT = "Your notes from earlier episodes:\n{notes}"
AGAIN = "The same once more, from the beginning."


class LearningReport(EpisodeReport, frozen=True, kw_only=True, omit_defaults=True):
    """What a trial of a session reports besides its episode. ``lesson`` and ``notes`` are what memory may keep."""

    lesson: tuple[Message, ...] = ()
    notes: str = ""
    tries: tuple[bool, ...] = ()  # of attempts within one episode, in their order
    earlier_attempts: tuple[EpisodeReport, ...] = ()  # all but the last, which this is the report of


def task_of_learner(trial: Trial, stream: Stream) -> tuple[LearningFamily, Task]:
    """The family and the task of a trial. The secret is the learner's, the rest the instance's."""
    name, learner, variant = read_item(trial.instance.item)
    family = learning_family(name)

    def drawn() -> Task:
        secret = family.secret(secret_stream(name, learner, trial.instance.seed))
        return family.draw(variant, secret, stream)

    return family, guarded(name, "draw", drawn)


async def conduct_learning(trial: Trial, probe: Probe, options: AgencyOptions, interface: Interface) -> None:
    """One trial of a session: a test, a practice episode, or attempts at one instance."""
    try:
        family, task = task_of_learner(trial, probe.random("task"))
        if trial.stage == "attempts":
            await _attempts(trial, probe, options, interface, family, task)
        else:
            await _episode(trial, probe, options, interface, family, task)
    except FamilyFault as fault:  # infrastructure, not the subject
        probe.conclude("excluded", fault.reason, {"detail": fault.detail})


async def _episode(
    trial: Trial,
    probe: Probe,
    options: AgencyOptions,
    interface: Interface,
    family: LearningFamily,
    task: Task,
) -> None:
    plan, regime = options.learning, regimes_of(options)[trial.regime]
    earlier = _remembered(probe, trial, plan)
    end = await play_episode(probe, family, task, regime, interface, earlier)
    own = end.messages[len(earlier) + 1 :]
    said = _feedback(family, task, end) if trial.factors["arm"] == "feedback" else OVER
    kept: dict[str, Any] = {}
    if trial.stage == "practice" and plan.memory == "conversation":
        kept["lesson"] = (*own, Message("user", said))
    elif trial.stage == "practice" and plan.memory == "notes":
        asked = Message("user", f"{said}\n\n{NOTES.format(most=plan.longest_notes)}")
        kept["notes"] = (await probe.ask(joined([*end.messages, asked]))).text[: plan.longest_notes]
    _conclude(probe, end, end.judgement.success, **kept)


async def _attempts(
    trial: Trial,
    probe: Probe,
    options: AgencyOptions,
    interface: Interface,
    family: LearningFamily,
    task: Task,
) -> None:
    """The same instance several times in one conversation, each time with word of how near it came (B.6.1)."""
    regime, tries = regimes_of(options)[trial.regime], list[bool]()
    said: list[Message] = []
    end, reports = None, list[EpisodeReport]()
    for number in range(options.learning.attempts):
        end = await play_episode(probe, family, task, regime, interface, said, f"attempt {number}")
        tries.append(end.judgement.success)
        reports.append(end.report)
        progress = guarded(family.name, "progress", lambda: family.progress(task, end.state))  # noqa: B023
        said = [*end.messages[1:], Message("user", f"{OVER} {progress} {AGAIN}")]
    assert end is not None
    _conclude(probe, end, tries[-1], tries=tuple(tries), earlier_attempts=tuple(reports[:-1]))


def _remembered(probe: Probe, trial: Trial, plan: Learning) -> list[Message]:
    """What is said before an episode begins: the lessons so far, or the notes."""
    reports = [msgspec.convert(probe.earlier(one).report, LearningReport) for one in trial.inputs]
    if plan.memory == "notes":
        return [Message("user", KEPT.format(notes=reports[-1].notes))] if reports else []
    return [message for report in reports for message in report.lesson]


def _feedback(family: LearningFamily, task: Task, end: EpisodeEnd) -> str:
    """What a learner hears of its practice."""
    right = guarded(family.name, "feedback", lambda: family.feedback(task, end.state))
    return f"{OVER} It was {'a' if end.judgement.success else 'no'} success. {right}"


def _conclude(probe: Probe, end: EpisodeEnd, success: bool, **kept: Any) -> None:
    if end.excluded:
        probe.conclude("excluded", TOUCHED, {"detail": end.excluded})
        return
    outcome: Outcome = "success" if success else "failure"
    report = LearningReport(**msgspec.structs.asdict(end.report), **kept)
    probe.conclude(outcome, end.reason, msgspec.to_builtins(report))
