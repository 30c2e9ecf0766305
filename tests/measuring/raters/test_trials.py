from __future__ import annotations

from typing import Any

import pytest

from assay.errors import IntegrityError
from assay.evidence import Record
from assay.measuring.raters import RATING, RatedNames, Rating, rating_trials, ratings_of
from assay.study import SubjectSpec
from assay.vocabulary import Instance, Outcome, Sampling, Trial

RATER = SubjectSpec("openai:rater", label="rater", base_url="http://127.0.0.1/v1")
TALK = Trial(
    instance=Instance("i", "x", 0, 1),
    version="1",
    subject="a",
    factors={"condition": "treatment"},
    sampling=Sampling(0.7, 0.9, 500, "same"),
)


def record(trial: Trial = TALK, outcome: Outcome = "success", report: Any = None) -> Record:
    return Record(trial.id, trial, 1, outcome, "", report, ())


def rated(*places: int, names: RatedNames = RatedNames(), talk: Record | None = None) -> list[Trial]:  # noqa: B008
    talk = talk or record()
    return list(rating_trials([talk], RATER, lambda _: [(place, "tone") for place in places], names=names))


def test_a_rating_trial_is_of_the_rater_and_names_the_record_it_is_built_from() -> None:
    (trial,) = rated(2)
    assert (trial.subject, trial.stage, trial.inputs) == ("rater", RATING, (record().reference,))
    assert trial.sampling == Sampling(0.0, None, 8, "same")
    assert (trial.instance, trial.factors) == (
        TALK.instance,
        {"place": 2, "question": "tone"},
    )  # no condition


def test_factors_have_the_names_that_the_instrument_gives_them() -> None:
    assert rated(2, names=RatedNames("s", "turn", "detector"))[0].factors == {"turn": 2, "detector": "tone"}
    assert rated(0, names=RatedNames(place=""))[0].factors == {"question": "tone"}


@pytest.mark.parametrize(
    "talk",
    [
        record(outcome="excluded"),
        record(Trial(instance=TALK.instance, version="1", subject="rater")),
        record(rated(0)[0], report={"label": True}),
    ],
    ids=["lost", "its own", "a rating"],
)
def test_what_is_not_rated(talk: Record) -> None:
    assert rated(0, talk=talk) == []


def test_unread_and_lost_ratings_are_counted_and_are_none() -> None:
    trials = rated(0, 1, 2, 3)
    labels = [True, False, None]
    records = [record(t, "success", {"label": label}) for t, label in zip(trials, labels, strict=False)]
    found = ratings_of([record(), *records, record(trials[3], "excluded")])
    assert found.ratings == (
        Rating(TALK.id, 0, "tone", True, "rater"),
        Rating(TALK.id, 1, "tone", False, "rater"),
    )
    assert [thing.place for thing in (*found.unread, *found.lost)] == [2, 3]
    assert found.notes() == [
        "1 of 4 answers of the rater were neither yes nor no, and are no ratings",
        "1 of 4 questions to the rater were lost to infrastructure",
    ]


@pytest.mark.parametrize("report", [None, {}, {"label": 3}, {"label": ["yes"]}, "yes"])
def test_a_rating_that_was_tampered_with_is_not_taken(report: Any) -> None:
    with pytest.raises(IntegrityError, match="cannot be read"):
        ratings_of([record(rated(0)[0], report=report)])
