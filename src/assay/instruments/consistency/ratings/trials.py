"""A model as a rater: in a wave of its own, one subject of the study labels replies of the others.

It is asked through the probe like everything else, so scoring stays pure and an audit needs no model. Each trial is one
question about one reply; what it is built from is named among its inputs. An answer that is neither yes nor no is no
rating, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from assay.bench import Probe
from assay.evidence.records import Evidence, Record
from assay.instruments.consistency.judging import Judging, judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.scenarios.content import HouseRules
from assay.instruments.consistency.scenarios.transcripts import RATING, scenario_of
from assay.study import SubjectSpec
from assay.vocabulary import Sampling, Trial

from .agreement import QUESTIONS, Rating, rating_prompt, read_rating

__all__ = ["conduct_rating", "rating_trials", "ratings_of"]

LONGEST_ANSWER = 8  # tokens: one word, and what a tokeniser makes of it


def rating_trials(
    evidence: Evidence, rater: SubjectSpec, rules: HouseRules, judging: Judging
) -> Iterator[Trial]:
    """One question a detector and reply of every other subject, in the order of the records."""
    for record in evidence:
        if record.outcome == "excluded" or record.trial.subject == rater.title:
            continue
        reference = record.reference
        for place, detector in _questions(judge(scenario_of(record, rules), judging)):
            yield msgspec.structs.replace(
                record.trial,
                subject=rater.title,
                boundary=rater.boundary,
                stage=RATING,
                factors={"place": place, "detector": detector},
                sampling=Sampling(0.0, None, LONGEST_ANSWER, record.trial.sampling.seeding),
                inputs=(reference,),
            )


def _questions(outcomes: Sequence[ReplyJudgement]) -> list[tuple[int, str]]:
    """Places and detectors that there is a question for, each once."""
    found = [(o.place, f"{o.measure}.{check.name}") for o in outcomes for check in o.checks]
    return [asked for asked in dict.fromkeys(found) if asked[1] in QUESTIONS]


async def conduct_rating(trial: Trial, probe: Probe, rules: HouseRules) -> None:
    place, detector = _asked(trial)
    scenario = scenario_of(probe.earlier(trial.inputs[0]), rules)
    reply = await probe.ask(rating_prompt(scenario, place, detector))
    label = read_rating(reply.text)
    probe.conclude("unknown" if label is None else "success", "", {"label": label})


def ratings_of(records: Iterable[Record]) -> tuple[list[Rating], list[str]]:
    """The ratings, and what is to be said of those that were none."""
    ratings, unread, lost = [], 0, 0
    for record in records:
        if record.trial.stage != RATING:
            continue
        lost += record.outcome == "excluded"
        label = None if record.outcome == "excluded" else record.report["label"]
        if label is None:
            unread += record.outcome != "excluded"
            continue
        place, detector = _asked(record.trial)
        scenario = record.trial.inputs[0].partition(":")[0]
        ratings.append(Rating(scenario, place, detector, label, record.trial.subject))
    asked = unread + lost + len(ratings)
    said = []
    if unread:
        said.append(f"{unread} of {asked} answers of the rater were neither yes nor no, and are no ratings")
    if lost:
        said.append(f"{lost} of {asked} questions to the rater were lost to infrastructure")
    return ratings, said


def _asked(trial: Trial) -> tuple[int, str]:
    return int(trial.factors["place"]), str(trial.factors["detector"])
