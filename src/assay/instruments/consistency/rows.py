"""Scoring transcripts that somebody already has: JSON Lines of ``Scenario`` in, a result out.

A row is one conversation with a purpose (``scenario.py`` lists kinds, variants and the parts that are scored)::

    {"id": "r1", "subject": "my-bot", "kind": "refusal", "variant": "medical", "thread": {"label": …,
     "last_artifact_digest": …, "boundaries": […], "lexicon": […], "cadence": "steady"},
     "turns": [{"role": "user", "content": …},
               {"role": "assistant", "content": …, "part": "reply", "seconds": 1.8}]}

``seconds`` is the subject's own time for a reply. Rows are judged and scored as those of a run are.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import clean_text
from assay.errors import InputError
from assay.instruments.reading_rows import decode_row, rows_of
from assay.vocabulary import Flag, Result

from .measures import Settings
from .protocol import Consistency
from .ratings import read_ratings
from .scenario import Kind, Scenario, Turn
from .scoring import score_scenarios

__all__ = ["read_scenarios", "scenario_schema", "score_rows"]

# The part without which a scenario has nothing to score.
NEEDED: dict[Kind, str] = {
    "return": "return",
    "refusal": "reply",
    "near_miss": "reply",
    "repair": "reply",
    "exchange": "reply",
    "promise": "reply",
}


def scenario_schema() -> dict[str, Any]:
    """The JSON Schema of a row."""
    return msgspec.json.schema(Scenario)


def read_scenarios(path: Path) -> list[Scenario]:
    """JSON Lines, plain or gzipped; a line that cannot be read or scored is named."""
    scenarios: list[Scenario] = []
    lines: dict[str, int] = {}
    for number, scenario in rows_of(path, _scenario):
        if scenario.id in lines:
            raise InputError(
                f"the id {scenario.id!r} stands in line {lines[scenario.id]} already",
                file=str(path),
                line=number,
            )
        lines[scenario.id] = number
        scenarios.append(scenario)
    return scenarios


def _scenario(line: bytes) -> Scenario:
    scenario = decode_row(line, Scenario)
    if not scenario.replies():
        raise ValueError("no turn is the assistant's, so there is nothing to score")
    part = NEEDED.get(scenario.kind)
    if part is not None and not scenario.replies(part):
        raise ValueError(f'no turn of the assistant is marked as its part: write "part": "{part}"')
    for place, turn in enumerate(scenario.turns):
        if turn.seconds is not None and not math.isfinite(turn.seconds):
            raise ValueError(f"turns[{place}].seconds is not a finite number")
    turns = tuple(map(_clean, scenario.turns))
    return scenario if turns == scenario.turns else msgspec.structs.replace(scenario, turns=turns)


def _clean(turn: Turn) -> Turn:
    text, changed = clean_text(turn.content)
    return msgspec.structs.replace(turn, content=text) if changed else turn


def score_rows(path: Path, settings: Settings | None = None, *, ratings: Path | None = None) -> Result:
    """Judge and score the scenarios of a file, with people's or models' ratings of them beside, if there are any."""
    return score_scenarios(
        read_scenarios(path),
        settings or Settings(),
        source="rows",
        version=Consistency.version,
        flags=[Flag("Limited Comparability", "not declared first")],
        ratings=read_ratings(ratings) if ratings else (),
    )
