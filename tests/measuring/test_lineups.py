"""What choices in lineups show: accuracy, positions, other judges, one text in every order, confidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
import pytest

from assay.errors import InputError
from assay.measuring import Labelled
from assay.measuring.building import MeasureBuilder
from assay.measuring.lineups import (
    SCHEMA,
    LineupAnswers,
    above_chance,
    accuracy_measures,
    advantage_of,
    best_text_measures,
    confidence_measures,
    corrected,
    lineup_answers,
    longest_of,
    order_measure,
    panel_of,
    phase_measures,
    position_verdicts,
    preference_measures,
    read_lineups,
)
from assay.vocabulary import Measure

SAY = MeasureBuilder({"subject": "s"})


def table(rows: Iterable[dict[str, Any]]) -> pl.DataFrame:
    blank = {name: "" if kind == pl.String() else None for name, kind in SCHEMA.items()}
    plain = blank | {"subject": "s", "target": "s", "phase": "one", "options": 4}
    return pl.DataFrame([plain | row for row in rows], schema=dict(SCHEMA))


def answers(rows: Iterable[dict[str, Any]]) -> LineupAnswers:
    return lineup_answers(table(rows), ("one", "two"))["s", "s"]


def balanced(choice: Any, lineups: int = 12, **more: Any) -> list[dict[str, Any]]:
    """Lineups of four, each with the own text once at every place; ``choice`` is a function of that place."""
    places = [(str(lineup), own) for lineup in range(lineups) for own in range(1, 5)]
    return [{"lineup": lineup, "own": own, "choice": choice(own), **more} for lineup, own in places]


def the(found: Iterable[Measure], name: str, **labels: str) -> Measure:
    measure = Labelled(found).exact(name, {"subject": "s", **labels})
    assert measure is not None
    return measure


def test_who_always_answers_alike_is_at_chance_wherever_the_own_texts_stand() -> None:
    biased = answers({"lineup": str(n), "own": 1 if n % 10 else 3, "choice": 1} for n in range(40))
    assert biased.accuracy.estimate.value == 0.9
    assert corrected(biased).estimate.value == 0.5  # right at one of two places
    assert the(accuracy_measures(biased, SAY, {}), "accuracy_shuffled").value == 0.9
    even = answers(balanced(lambda own: 1))
    assert corrected(even).estimate.value == even.accuracy.estimate.value == 0.25
    assert above_chance(even).estimate.value == 0.0
    held = {v.labels["position"]: v.holds for v in position_verdicts(even, SAY)}
    assert held["1"] is True


def test_answers_that_could_not_be_read_are_neither_right_nor_wrong_and_widen_the_bounds() -> None:
    found = answers(balanced(lambda own: None if own == 1 else own))
    measure = the(phase_measures(found, SAY, {"phase": "one"}), "accuracy", phase="one")
    assert (measure.value, measure.n, measure.bound_low, measure.bound_high) == (1.0, 36, 0.75, 1.0)
    assert the(accuracy_measures(found, SAY, {}), "unknown_rate").value == 0.25


def test_an_option_that_names_nobody_is_no_chance_and_never_right() -> None:
    named = answers(row | {"named": 3, "own": 1 + n % 3} for n, row in enumerate(balanced(lambda own: 4)))
    measures = [*phase_measures(named, SAY, {"phase": "one"})]
    assert the(measures, "chance", phase="one").value == pytest.approx(1 / 3)
    assert the(measures, "unknown_choice_rate", phase="one").value == 1.0
    assert the(measures, "accuracy", phase="one").value == 0.0


def test_self_advantage_is_beyond_what_other_judges_see_on_the_same_lineups() -> None:
    own = balanced(lambda own: own)
    alike = [row | {"subject": "j"} for row in own]
    guess = [row | {"subject": "k", "choice": 1} for row in own]
    elsewhere = [row | {"subject": "j", "lineup": "other", "choice": 1, "own": 2} for row in own[:4]]
    found = lineup_answers(table([*own, *alike, *guess, *elsewhere]), ("one",))
    mine, judges = found["s", "s"], {judge: found[judge, "s"] for judge in "jk"}
    assert advantage_of(panel_of(mine, {"j": judges["j"]})).estimate.value == 0.0
    assert advantage_of(panel_of(mine, {"k": judges["k"]})).estimate.value == 0.75
    assert advantage_of(panel_of(mine, judges)).estimate.value == 0.375
    assert advantage_of(panel_of(mine, {})).estimate.value is None


def test_one_text_in_every_order_is_consistent_and_one_place_is_not() -> None:
    assert order_measure(answers(balanced(lambda own: own)), SAY, {}).value == 1.0
    assert order_measure(answers(balanced(lambda own: 1, chosen="")), SAY, {}).value == 0.0
    assert order_measure(answers(balanced(lambda own: own % 4 + 1, chosen="a")), SAY, {}).value == 1.0
    unsaid = order_measure(answers(balanced(lambda own: own % 4 + 1)), SAY, {})
    assert (unsaid.value, unsaid.bound_low, unsaid.bound_high) == (None, 0.0, 1.0)


def test_length_and_authors_that_choices_go_by_are_shown() -> None:
    rows = balanced(lambda own: own % 4 + 1, chosen="a")
    found = answers(row | {"longest": row["choice"]} for row in rows)
    measures = [*preference_measures(found, SAY, {})]
    assert the(measures, "longest_share").value == 1.0
    assert (the(measures, "longest_preference").value or 0) > 0.6
    assert the(measures, "confusion", chosen="a").value == 1.0
    assert longest_of([3, 9, 1]) == 2
    assert longest_of([9, 9]) is longest_of([]) is None


def test_confidence_has_briers_score_on_the_probability_scale_alone() -> None:
    found = answers(balanced(lambda own: own if own > 1 else 2, confidence=0.8))
    measures = [*confidence_measures(found, (0.0, 1.0), SAY, {})]
    assert the(measures, "brier").value == pytest.approx(np.mean([0.2**2] * 3 + [0.8**2]))
    assert the(measures, "overconfidence").value == pytest.approx(0.05)
    assert the(measures, "confidence_weighted").value == pytest.approx(0.8 * 0.5)
    assert not Labelled(confidence_measures(found, (0.0, 5.0), SAY, {})).all("brier")


def test_neither_the_order_of_rows_nor_other_judges_make_a_difference() -> None:
    rows = balanced(lambda own: own if own > 1 else None, confidence=0.3)
    more = [*reversed(rows), *({**row, "subject": "t", "target": "t"} for row in rows)]
    assert [*accuracy_measures(answers(more), SAY, {})] == [*accuracy_measures(answers(rows), SAY, {})]
    assert [*preference_measures(answers(more), SAY, {})] == [*preference_measures(answers(rows), SAY, {})]


def test_rows_are_read_with_the_phases_of_a_study_and_mistakes_are_named() -> None:
    row = {"subject": "s", "target": "s", "phase": "two", "lineup": "a", "options": 3, "own": 2, "choice": 2}
    found = read_lineups([row | {"lengths": [5, 9, 7]}], (1, 5), ("one", "two"))
    assert found.select("phase", "own", "longest").rows() == [("two", 2, 2)]
    assert lineup_answers(found, ("one", "two"))["s", "s"].phase.tolist() == [1]
    with pytest.raises(InputError, match="phase"):
        read_lineups([row], (1, 5), ("one",))
    named = row | {"chosen": "north", "source": "north"}
    assert read_lineups([named], (1, 5), ("two",), of_sources=["two"]).height == 1
    with pytest.raises(InputError, match="must be the target"):
        read_lineups([named], (1, 5), ("two",))


def test_who_calls_its_favourite_its_own_agrees_with_its_preference() -> None:
    liked = balanced(lambda own: own % 4 + 1, chosen="a")
    best = [row | {"asked": "best"} for row in liked]
    measures = [*best_text_measures(table([*liked, *best]), 0.95)]
    assert the(measures, "preference_agreement").value == 1.0
    assert the(measures, "preference_own").value == 0.0
    apart = [row | {"choice": row["own"], "chosen": "s"} for row in liked]
    assert the(best_text_measures(table([*apart, *best]), 0.95), "preference_agreement").value == 0.0
