"""Δ calibrated on a subject: the time within which it made four of five of its repairs, in an earlier run."""

from __future__ import annotations

from pathlib import Path

from assay.bench import RunFolder
from assay.errors import InputError
from assay.evidence.records import Evidence, LedgerIndex
from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.scenarios.transcripts import scenarios_of

__all__ = ["LEAST_REPAIRS", "observed_p80"]

LEAST_REPAIRS = 5
CONTENT = ("named", "corrected", "resumed")


def observed_p80(folder: Path) -> float:
    """The 80th percentile (nearest rank) of the unprompted repairs' latencies, read from the run's own evidence."""
    run = RunFolder.find(folder)
    lock = run.read_sealed().lock
    if "consistency" not in lock.study.options:
        raise InputError(f"{folder} is no run of consistency")
    index = LedgerIndex(run.ledger, lock.digest)
    try:
        scenarios = scenarios_of(Evidence(index, "consistency", lock=lock))
    finally:
        index.close()
    outcomes = [outcome for scenario in scenarios for outcome in judge(scenario)]
    times = sorted(o.seconds for o in outcomes if o.seconds is not None and _repaired(o))
    if len(times) < LEAST_REPAIRS:
        raise InputError(
            f"{folder} has {len(times)} unprompted repairs with a time; at least {LEAST_REPAIRS} are needed for Δ"
        )
    return times[-(-len(times) * 4 // 5) - 1]


def _repaired(outcome: ReplyJudgement) -> bool:
    """Is it a repair, in time or not? How long it took does not depend on the Δ of that run."""
    there = {check.name for check in outcome.checks if check.holds}
    return outcome.measure == "M3" and there.issuperset(CONTENT)
