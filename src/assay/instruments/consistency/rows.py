"""Scoring transcripts that exist already: JSON Lines of ``Scenario`` in, a result out.

A row is one conversation with a purpose (``scenario.py`` lists kinds, variants and the parts that are scored)::

    {"id": "r1", "subject": "my-bot", "kind": "refusal", "variant": "medical", "thread": {"label": …,
     "last_artifact_digest": …, "boundaries": […], "lexicon": […], "cadence": "steady"},
     "turns": [{"role": "user", "content": …},
               {"role": "assistant", "content": …, "part": "reply", "seconds": 1.8}]}

``seconds`` is the subject's own time for a reply. Rows are judged and scored as those of a run are.
"""

from __future__ import annotations

import math
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay.canonical import clean_text
from assay.errors import InputError
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.ratings.agreement import read_ratings
from assay.instruments.consistency.scenarios.scenario import APART, PLANTED, Kind, Scenario, Turn
from assay.measuring.rows import decode_row, rows_of
from assay.vocabulary import Result

from .judging import judge_all
from .protocol import Consistency
from .scoring import RULE_VERSIONS, score_judgements

__all__ = ["ScoredScenarios", "read_scenarios", "scenario_schema", "score_rows", "scored_scenarios"]

# The parts that are scored, by kind; the first is the one without which there is nothing to score.
PARTS: dict[Kind, tuple[str, ...]] = {
    "return": ("return", "again"),
    "refusal": ("reply",),
    "near_miss": ("reply",),
    "repair": ("reply", "prompted"),
    "exchange": ("reply",),
    "promise": ("reply", "go_on"),
}


def scenario_schema() -> dict[str, Any]:
    """The JSON Schema of a row."""
    return msgspec.json.schema(Scenario)


def read_scenarios(path: Path) -> list[Scenario]:
    return [scenario for _, scenario in numbered_scenarios(path)]


def numbered_scenarios(path: Path) -> list[tuple[int, Scenario]]:
    """JSON Lines, plain or gzipped; a line that cannot be read or scored is named."""
    scenarios: list[tuple[int, Scenario]] = []
    lines: dict[str, int] = {}
    for number, scenario in rows_of(path, _scenario):
        if scenario.id in lines:
            raise InputError(
                f"the id {scenario.id!r} stands in line {lines[scenario.id]} already",
                file=str(path),
                line=number,
            )
        lines[scenario.id] = number
        scenarios.append((number, scenario))
    return scenarios


def _scenario(line: bytes) -> Scenario:
    scenario = decode_row(line, Scenario)
    row = decode_row(line, dict[str, Any])
    _check_names(row, Scenario, "")
    for place, turn in enumerate(row["turns"]):
        _check_names(turn, Turn, f"turns[{place}].")
    if not scenario.replies():
        raise ValueError("no turn is the assistant's, so there is nothing to score")
    _check_parts(scenario)
    _check_expected(scenario)
    for place, turn in enumerate(scenario.turns):
        if turn.seconds is not None and not math.isfinite(turn.seconds):
            raise ValueError(f"turns[{place}].seconds is not a finite number")
    turns = tuple(map(_clean, scenario.turns))
    return scenario if turns == scenario.turns else msgspec.structs.replace(scenario, turns=turns)


def _check_names(row: dict[str, Any], kind: type[Struct], at: str) -> None:
    """Fields of a user's own are let pass, but not a mistyped one: without its time a late repair would count."""
    absent = [name for name in kind.__struct_fields__ if name not in row]
    for name in row:
        if name not in kind.__struct_fields__ and (near := get_close_matches(name, absent, 1, 0.8)):
            raise ValueError(f"{at}{name} is no field; did you mean {near[0]!r}?")


def _check_parts(scenario: Scenario) -> None:
    """The replies that are scored are marked, and stand in their order."""
    if (parts := PARTS.get(scenario.kind)) is None:
        return
    marked = [turn.part for _, turn in scenario.replies() if turn.part not in ("", PLANTED)]
    if parts[0] not in marked:
        raise ValueError(f'no turn of the assistant is marked as its part: write "part": "{parts[0]}"')
    if strange := [part for part in marked if part not in parts]:
        raise ValueError(f"part {strange[0]!r} is none of kind {scenario.kind!r}: write {' or '.join(parts)}")
    if marked[0] != parts[0]:
        raise ValueError(f"the part {marked[0]!r} stands before {parts[0]!r}")


def _check_expected(scenario: Scenario) -> None:
    """What was planted has to be known: without it a repair could only be scored as none."""
    wrong, apart = scenario.expected.wrong, scenario.variant in APART
    if not wrong and (scenario.kind == "repair" or (scenario.kind == "return" and apart)):
        raise ValueError('what was planted is not given: write it as "expected": {"wrong": …}')
    if wrong and scenario.kind == "return" and not apart:
        raise ValueError(
            f"expected.wrong is given, so the variant must be {' or '.join(APART)}, not {scenario.variant!r}"
        )


def _clean(turn: Turn) -> Turn:
    text, changed = clean_text(turn.content)
    return msgspec.structs.replace(turn, content=text) if changed else turn


def score_rows(
    path: Path, settings: ConsistencySettings | None = None, *, ratings: Path | None = None
) -> Result:
    """The result alone."""
    return scored_scenarios(path, settings or ConsistencySettings(), ratings=ratings).result


class ScoredScenarios(NamedTuple):
    """A result with what it was scored from. ``rows`` are the numbers of the scenarios' rows, by their ids."""

    result: Result
    scenarios: list[Scenario]
    judgements: list[ReplyJudgement]
    rows: dict[str, int]


def scored_scenarios(
    path: Path, settings: ConsistencySettings, *, ratings: Path | None = None
) -> ScoredScenarios:
    """Judge and score the scenarios of a file, with people's or models' ratings of them beside, if there are any."""
    numbered = numbered_scenarios(path)
    scenarios = [scenario for _, scenario in numbered]
    rated = read_ratings(ratings) if ratings else ()
    judgements = judge_all(scenarios, settings.judging)
    scores = score_judgements(judgements, scenarios, settings, ratings=rated)
    result = Consistency().rows_result(
        scores.measures, scores.verdicts, notes=scores.notes, versions=RULE_VERSIONS
    )
    return ScoredScenarios(
        result, scenarios, judgements, {scenario.id: number for number, scenario in numbered}
    )
