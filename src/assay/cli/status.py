"""``assay status``: how far a run is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json
from .output import command_of, line, print_json, say

if TYPE_CHECKING:
    from assay.bench import RunFolder
    from assay.study import Lock

__all__ = ["status"]

UNFINISHED = "trials that are not finished"  # whose they are is recorded with their outcome


def status(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    as_json: Json = False,
) -> None:
    """Say how far a run is and what it took, from its ledger. The budget is the declared one."""
    import msgspec

    from assay.api.runs import priced
    from assay.bench import Meter, RunFolder
    from assay.bench.history import History
    from assay.report.faults import said_faults
    from assay.study import Budget

    folder = RunFolder.find(run)
    lock = folder.read_lock()
    meter, budget = Meter(Budget()), lock.study.budget
    history = History.read(folder.ledger, lock.digest, meter, repair=False)
    waves = [wave for found in history.waves.values() for wave in found]
    faults = history.listed_faults(lock)
    problem = folder.damage()
    state = "closed" if folder.closed else "finished" if history.ended else "not finished"
    state = "damaged" if problem else state
    value: dict[str, Any] = {
        "run": str(folder.path),
        "state": state,
        "problem": problem,
        "challenged": [str(flag) for flag in folder.challenges(lock).flags] if state == "closed" else [],
        "stopped": history.stopped.reason,
        "lock": lock.digest,
        "trials_finished": len(history.finished),
        "trials_opened": sum(wave.trials for wave in waves),
        "trials_begun": len(history.begun),
        "waves_closed": sum(wave.closed for wave in waves),
        "waves_opened": len(waves),
        "calls": meter.calls,
        "tokens": meter.input_tokens + meter.output_tokens,
        "cost": meter.cost if priced(lock) else None,
        "budget": msgspec.to_builtins(lock.study.budget),
        "by_subject": _by_subject(folder, lock) if meter.cost else {},
        "faults": dict(sorted(meter.faults.items())),
        "first_faults": faults,
        "torn_bytes": history.torn,
    }
    if as_json:
        print_json(value)
        raise typer.Exit(1 if problem else 0)
    say(f"{folder.path}: {state}")
    if problem:
        say(f"  {line(problem)}; see: {command_of('audit', folder.path, lock)}")
        raise typer.Exit(1)
    for text in value["challenged"]:
        say(f"  flag    {line(text)}")
    if history.stopped.reason:
        say(f"  stopped {line(history.stopped.reason)}")
    say(
        f"  trials  {value['trials_finished']:,} of {value['trials_opened']:,} finished, {value['trials_begun']} begun"
    )
    say(f"  waves   {value['waves_closed']} of {value['waves_opened']} closed")
    say(f"  used    {_of(meter.calls, budget.calls)} calls, {_of(value['tokens'], budget.tokens)} tokens")
    if meter.cost or budget.cost is not None:
        left = f" of {budget.cost:g} ({meter.cost / budget.cost:.0%})" if budget.cost else ""
        say(f"  cost    {meter.cost:.4g}{left}")
    if len(value["by_subject"]) > 1:
        for title, used in value["by_subject"].items():
            say(
                f"          {used['cost']:.4g}  {line(title)}, {used['calls']:,} calls, {used['tokens']:,} tokens"
            )
    if value["faults"]:
        say("  faults  " + ", ".join(f"{name} {count}" for name, count in value["faults"].items()))
    for one in said_faults(faults):
        say(f"          {line(one.text)}")
    if any(history.torn.values()):
        say("  a crash left a torn tail; resume cuts it off and keeps it beside")
    if history.stopped.mend:
        say("  its lock would ask the same again: change the study and run it anew")
    elif state != "closed":
        say(f"  go on with: {command_of('resume', folder.path, lock)}")


def _of(used: int, most: int | None) -> str:
    return f"{used:,}" if most is None else f"{used:,} of {most:,}"


def _by_subject(folder: RunFolder, lock: Lock) -> dict[str, dict[str, Any]]:
    """What every subject's trials took, those that are over and those under way."""
    from assay.evidence.trial_reader import TrialReader
    from assay.evidence.trials import Used

    found = {spec.title: Used() for spec in lock.study.specs}
    for trial in TrialReader(folder.ledger, lock.digest):
        title = trial.of.trial.subject if trial.of else UNFINISHED
        found[title] = found.get(title, Used()).plus(trial.used())
    return {title: used._asdict() for title, used in found.items()}
