"""The rules beside other raters: agreement by detector, and the measures that a disagreement contests."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.measures.agreement import agreement_of
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.rows import score_rows
from assay.instruments.consistency.scenarios.scenario import Scenario, Turn
from assay.measuring.raters import Rating
from assay.vocabulary import Measure, Result
from tests.instruments.consistency.made import THREAD, Made, checked, measure


def rated(labels: list[bool], rules: list[bool], rater: str = "eva") -> tuple[Made, list[Rating]]:
    made = Made()
    for holds in rules:
        made.add("M2", holds, checks=checked(limit=True, proximity=holds))
    ratings = [
        Rating(o.scenario, o.place, "proximity", label, rater)
        for o, label in zip(made.outcomes, labels, strict=True)
    ]
    return made, ratings


def of(result: Result, name: str) -> Measure:
    (found,) = [m for m in result.measures if m.name == name]
    return found


def test_agreement_and_kappa_of_rules_and_one_rater() -> None:
    """20 both yes, 5 and 10 apart, 15 both no: agreement .7, kappa .4 (Cohen's formula by hand)."""
    made, ratings = rated([True] * 20 + [False] * 5 + [True] * 10 + [False] * 15, [True] * 25 + [False] * 25)
    result = made.score(ratings=ratings)
    assert of(result, "agreement").value == 0.7
    assert of(result, "cohen_kappa").value == pytest.approx(0.4)
    assert of(result, "agreement").labels == {"detector": "M2.proximity", "raters": "rules, eva"}
    for name in ("fleiss_kappa", "krippendorff_alpha"):
        assert of(result, name).value == pytest.approx(0.39, abs=0.02)


def test_disagreement_above_a_fifth_contests_what_rests_on_the_detector() -> None:
    made, ratings = rated([False] * 3 + [True] * 7, [True] * 10)
    result = made.score(ratings=ratings)
    for name in ("M2", "F", "M5", "proximity"):
        (flag,) = [f for f in measure(result, name).flags if f.kind == "Contested"]
        assert flag.cause == "rules and raters disagree on M2.proximity in 30.0% of 10 replies"
    assert not [f for f in measure(result, "limit").flags if f.kind == "Contested"]


def test_a_fifth_is_not_above_a_fifth() -> None:
    made, ratings = rated([False] + [True] * 4, [True] * 5)
    assert not measure(made.score(ratings=ratings), "M2").flags
    assert measure(
        made.score(ConsistencySettings(contested=ConsistencySettings().marginal), ratings=ratings), "M2"
    ).flags


def test_several_raters_need_not_rate_the_same_replies() -> None:
    made, ratings = rated([True, False, True, False], [True, True, False, False])
    more = [Rating(r.item, r.place, "M2.proximity", True, "otto") for r in ratings[:2]]
    result = made.score(ratings=[*ratings, *more])
    assert not [m for m in result.measures if m.name in ("cohen_kappa", "fleiss_kappa")]
    assert of(result, "krippendorff_alpha").n == 4


def test_ratings_that_never_vary_show_nothing() -> None:
    made, ratings = rated([True] * 5, [True] * 5)
    found = of(made.score(ratings=ratings), "cohen_kappa")
    assert found.value is None
    assert "every rating is the same" in found.notes[0]


def test_ratings_of_what_was_not_judged_are_refused() -> None:
    made, ratings = rated([True], [True])
    wrong = Rating(ratings[0].item, 9, "proximity", True, "eva")
    with pytest.raises(InputError, match=r"M2\.proximity was not judged in turn 9"):
        made.score(ratings=[wrong])
    with pytest.raises(InputError, match="did you mean 'proximity'"):
        made.score(ratings=[Rating(ratings[0].item, 1, "proximty", True, "eva")])


def test_one_rater_rates_one_thing_once_by_whichever_name() -> None:
    made, ratings = rated([True], [True])
    again = Rating(ratings[0].item, ratings[0].place, "M2.proximity", False, "eva")
    with pytest.raises(InputError, match=r"eva has rated M2\.proximity at place \d+ of .* more than once"):
        made.score(ratings=[*ratings, again])


def test_a_turn_with_several_artifacts_cannot_be_rated_as_one() -> None:
    outcomes = [ReplyJudgement(measure="M4", scenario="1", place=1, success=good) for good in (True, False)]
    rating = Rating("1", 1, "M4", False, "eva")
    with pytest.raises(InputError, match="M4 was judged 2 times in turn 1 of '1'"):
        agreement_of(outcomes, [rating], ConsistencySettings())


def test_a_check_that_two_measures_have_needs_its_full_name() -> None:
    made = (
        Made().add("M1", True, checks=checked(label=True)).add("M1_exact", True, checks=checked(label=True))
    )
    at = made.outcomes[0]
    assert made.score(ratings=[Rating(at.scenario, at.place, "M1.label", True, "eva")])
    with pytest.raises(InputError, match="unknown detector 'label'"):
        made.score(ratings=[Rating(at.scenario, at.place, "label", True, "eva")])


def test_nobody_is_called_what_the_rules_are(tmp_path: Path) -> None:
    rows, ratings = tmp_path / "rows.jsonl", tmp_path / "ratings.csv"
    turns = (Turn("user", "?"), Turn("assistant", "No.", "reply"))
    rows.write_bytes(
        msgspec.json.encode(Scenario(id="1", subject="a", kind="refusal", thread=THREAD, turns=turns))
    )
    ratings.write_text("scenario,place,detector,label,rater\n1,1,limit,yes,rules\n")
    with pytest.raises(InputError, match=r"ratings.csv:2: rater 'rules'"):
        score_rows(rows, ratings=ratings)
