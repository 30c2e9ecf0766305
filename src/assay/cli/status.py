"""``assay status``: how far a run is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Json
from .output import command_of, line, print_json, say

__all__ = ["status"]


def status(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    as_json: Json = False,
) -> None:
    """Say how far a run is, from its ledger."""
    from assay.bench import Meter, RunFolder
    from assay.bench.history import History
    from assay.report.faults import said_faults
    from assay.study import Budget

    folder = RunFolder.find(run)
    lock = folder.read_lock()
    meter = Meter(Budget())
    history = History.read(folder.ledger, lock.digest, meter, repair=False)
    waves = [wave for found in history.waves.values() for wave in found]
    faults = history.listed_faults(lock)
    state = "closed" if folder.closed else "finished" if history.ended else "not finished"
    value: dict[str, Any] = {
        "run": str(folder.path),
        "state": state,
        "lock": lock.digest,
        "trials_finished": len(history.finished),
        "trials_opened": sum(wave.trials for wave in waves),
        "trials_begun": len(history.begun),
        "waves_closed": sum(wave.closed for wave in waves),
        "waves_opened": len(waves),
        "calls": meter.calls,
        "tokens": meter.input_tokens + meter.output_tokens,
        "cost": meter.cost,
        "faults": dict(sorted(meter.faults.items())),
        "first_faults": faults,
        "torn_bytes": history.torn,
    }
    if as_json:
        print_json(value)
        return
    say(f"{folder.path}: {state}")
    say(
        f"  trials  {value['trials_finished']:,} of {value['trials_opened']:,} finished, {value['trials_begun']} begun"
    )
    say(f"  waves   {value['waves_closed']} of {value['waves_opened']} closed")
    say(f"  used    {value['calls']:,} calls, {value['tokens']:,} tokens")
    if value["faults"]:
        say("  faults  " + ", ".join(f"{name} {count}" for name, count in value["faults"].items()))
    for one in said_faults(faults):
        say(f"          {line(one.text)}")
    if any(history.torn.values()):
        say("  a crash left a torn tail; resume cuts it off and keeps it beside")
    if state != "closed":
        say(f"  go on with: {command_of('resume', folder.path, lock)}")
