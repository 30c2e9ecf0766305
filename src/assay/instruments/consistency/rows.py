"""Scoring transcripts that exist already: rows of ``Scenario`` in, a result out.

A row is one conversation with a purpose (``scenario.py`` lists kinds, variants and the parts that are scored)::

    {"id": "r1", "subject": "my-bot", "kind": "refusal", "variant": "medical", "thread": {"label": …,
     "last_artifact_digest": …, "boundaries": […], "lexicon": […], "cadence": "steady"},
     "turns": [{"role": "user", "content": …},
               {"role": "assistant", "content": …, "part": "reply", "seconds": 1.8}]}

``seconds`` is the subject's own time for a reply. Rows are judged and scored as those of a run are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.judging.questions import NAMES
from assay.instruments.consistency.measures.agreement import RULES
from assay.instruments.consistency.measures.leak_ratings import with_rated_leaks
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.scenarios.scenario import APART, PLANTED, Kind, Scenario
from assay.measuring.raters import read_ratings
from assay.measuring.rows import RowData, open_rows, refuse_duplicates
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


def read_scenarios(data: RowData) -> list[Scenario]:
    return [scenario for _, scenario in numbered_scenarios(data)]


def numbered_scenarios(data: RowData) -> list[tuple[int, Scenario]]:
    """The scenarios of rows with their numbers; one that cannot be read or scored is named."""
    rows = open_rows(data)
    numbered = rows.typed(Scenario)
    for number, scenario in numbered:
        for field, check in (("turns", _check_parts), ("expected", _check_expected)):
            try:
                check(scenario)
            except ValueError as error:
                raise rows.error(number, field, str(error)) from None
    refuse_duplicates(rows, numbered, lambda one: one.id, "id", message=lambda one: f"{one.id!r} again")
    return numbered


def _check_parts(scenario: Scenario) -> None:
    """The replies that are scored are marked, and stand in their order."""
    if not scenario.replies():
        raise ValueError("no turn is the assistant's, so there is nothing to score")
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


def score_rows(
    data: RowData, settings: ConsistencySettings | None = None, *, ratings: Path | None = None
) -> Result:
    """The result alone."""
    return scored_scenarios(data, settings or ConsistencySettings(), ratings=ratings).result


class ScoredScenarios(NamedTuple):
    """A result with what it was scored from; ``judgements`` are after what raters decide.

    ``rows`` are the numbers of the scenarios' rows, by their ids.
    """

    result: Result
    scenarios: list[Scenario]
    judgements: list[ReplyJudgement]
    rows: dict[str, int]


def scored_scenarios(
    data: RowData, settings: ConsistencySettings, *, ratings: Path | None = None
) -> ScoredScenarios:
    """Judge and score the scenarios of rows, with people's or models' ratings of them beside, if there are any."""
    numbered = numbered_scenarios(data)
    scenarios = [scenario for _, scenario in numbered]
    rated = read_ratings(ratings, names=NAMES, reserved=(RULES,)) if ratings else ()
    judgements = judge_all(scenarios, settings.judging)
    scores = score_judgements(judgements, scenarios, settings, ratings=rated)
    result = Consistency().rows_result(
        scores.measures, scores.verdicts, notes=scores.notes, versions=RULE_VERSIONS
    )
    decided = with_rated_leaks(judgements, rated)
    return ScoredScenarios(result, scenarios, decided, {scenario.id: number for number, scenario in numbered})
