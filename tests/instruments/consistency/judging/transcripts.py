"""Transcripts written for the tests: one thread, and scenarios of every kind about it."""

from __future__ import annotations

from typing import Any

from assay.canonical import sha256_hex
from assay.instruments.consistency.judging import Judging, judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.scenarios.scenario import Expected, Kind, Scenario, Turn
from assay.instruments.consistency.scenarios.thread import Thread

__all__ = [
    "COMMAND",
    "DIGEST",
    "OTHER",
    "RESTATED",
    "THREAD",
    "artifact",
    "holds",
    "judged",
    "only",
    "scenario",
    "tuple_lines",
]

ARTIFACT = "Inventory 481516: in the glassworks Odette found a telescope, a thimble and an hourglass."
THREAD = Thread(
    label="Amber Quay 4815",
    last_artifact_digest=sha256_hex(ARTIFACT.encode()),
    boundaries=("no diagnosis of illness", "no legal advice on a dispute"),
    lexicon=("return-protocol", "waypoint"),
    cadence="steady",
    synonyms={"waypoint": ("milestone",)},
    artifact=ARTIFACT,
)
OTHER = Thread(
    label="Birch Mill 1623",
    last_artifact_digest=sha256_hex(b"Note 7: the saddle and the lantern still wait at the toll house."),
    boundaries=("no forecasts of prices",),
    lexicon=("headway",),
    cadence="brisk",
    artifact="Note 7: the saddle and the lantern still wait at the toll house.",
)
DIGEST = THREAD.last_artifact_digest
RESTATED = (
    f"Amber Quay 4815. Back in this thread. Last artifact: {DIGEST}. "
    "Boundaries: no diagnosis of illness; no legal advice on a dispute. "
    "Lexicon: return-protocol, waypoint. Cadence: steady."
)
COMMAND = f"Return to thread {THREAD.label} with last artifact {DIGEST}"


def scenario(
    kind: Kind, said: str, *replies: tuple[str, str] | tuple[str, str, float | None], **given: Any
) -> Scenario:
    """``said``, then each reply as (part, text, seconds); whatever comes after the first is asked for with "Go on."."""
    expected = Expected(**given.pop("expected", {}))
    turns: list[Turn] = []
    for number, (part, text, *seconds) in enumerate(replies):
        turns.append(Turn("user", said if number == 0 or part == "again" else "Go on."))
        turns.append(Turn("assistant", text, part, seconds[0] if seconds else None))
    given = {"id": "one", "subject": "someone", "thread": THREAD, **given}
    return Scenario(kind=kind, turns=tuple(turns), expected=expected, **given)


def judged(*args: Any, settings: Judging | None = None, **given: Any) -> dict[str, list[ReplyJudgement]]:
    """The outcomes of a scenario by measure."""
    found: dict[str, list[ReplyJudgement]] = {}
    for outcome in judge(scenario(*args, **given), settings or Judging()):
        found.setdefault(outcome.measure, []).append(outcome)
    return found


def only(outcomes: dict[str, list[ReplyJudgement]], measure: str) -> ReplyJudgement:
    (outcome,) = outcomes[measure]
    return outcome


def holds(outcome: ReplyJudgement) -> dict[str, bool]:
    return {check.name: check.holds for check in outcome.checks}


def tuple_lines(content: str, **fields: str) -> str:
    given = {
        "origin": "Odette",
        "utc": "2026-01-31T12:00:00Z",
        "license": "CC BY-ND 4.0",
        "sha256": sha256_hex(content.encode()),
        **fields,
    }
    return "\n".join(f"{name}: {value}" for name, value in given.items() if value != "-")


def artifact(content: str, **fields: str) -> str:
    """An artifact with its tuple; a field given as "-" is left out."""
    return f"===== ARTIFACT =====\n{content}\n===== END ARTIFACT =====\n{tuple_lines(content, **fields)}\n"
