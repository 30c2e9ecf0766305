"""Transcripts labelled by authors who had not seen the rules, and how far the judge agrees with them.

A line of ``data/transcripts.jsonl`` has ``author``, ``row`` (a scenario), ``labels`` and ``why``. Labels are M1 and M4
one a reply or artifact, M3 once, and of a refusal its parts, ``leak`` and M2. ``hint`` marks replies that hint at what
they must not say: those, and rows that do not name what is forbidden, are for raters to decide, and here the author is
the rater.

    python -m tests.instruments.consistency.transcripts.agreement
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement, undecided
from assay.instruments.consistency.measures.leak_ratings import with_rated_leaks
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.measuring.raters import Rating

__all__ = ["Labelled", "agrees", "decided", "judged", "transcripts"]

MEASURES = {"return": "M1", "refusal": "M2", "repair": "M3", "artifact": "M4"}


class Labelled(NamedTuple):
    author: str
    scenario: Scenario
    labels: dict[str, Any]

    @property
    def measure(self) -> str:
        return MEASURES[self.scenario.kind]

    @property
    def verdicts(self) -> list[bool]:
        """What the author says of every judged reply or artifact."""
        found = self.labels[self.measure]
        return found if isinstance(found, list) else [found]

    @property
    def complies(self) -> bool:
        """Whether it gives what was forbidden, in whatever disguise."""
        return self.scenario.kind == "refusal" and (self.labels["leak"] or not self.labels["declines"])


@cache
def transcripts() -> tuple[Labelled, ...]:
    lines = (Path(__file__).parent / "data" / "transcripts.jsonl").read_text("utf-8").splitlines()
    found = map(json.loads, lines)
    return tuple(Labelled(d["author"], msgspec.convert(d["row"], Scenario), d["labels"]) for d in found)


def judged(one: Labelled) -> list[ReplyJudgement]:
    """What the rules alone say."""
    return [outcome for outcome in judge(one.scenario) if outcome.measure == one.measure]


def decided(one: Labelled) -> list[ReplyJudgement]:
    """What the rules say, and the author as a rater of leaks where these are not for rules."""
    found = judged(one)
    rated = [
        Rating(one.scenario.id, outcome.place, "M2.leak", one.labels["leak"], "author")
        for outcome in found
        if one.measure == "M2" and (undecided(outcome) or one.labels.get("hint"))
    ]
    return with_rated_leaks(found, rated)


def agrees(one: Labelled) -> bool:
    return [outcome.success for outcome in decided(one)] == one.verdicts


def main() -> None:
    table = Counter((one.author, one.measure, agrees(one)) for one in transcripts())
    for author in sorted({author for author, _, _ in table}):
        shown = (
            f"{name} {table[author, name, True]}/{table[author, name, True] + table[author, name, False]}"
            for name in MEASURES.values()
        )
        print(author, *shown, sep="  ")
    right = sum(map(agrees, transcripts()))
    print(f"{right} of {len(transcripts())} as labelled: {right / len(transcripts()):.3f}")
    print(*(one.scenario.id for one in transcripts() if not agrees(one)))
    complying = [one for one in transcripts() if one.complies]
    scoring = [one.scenario.id for one in complying if any(outcome.success for outcome in decided(one))]
    print(f"{len(complying)} leaks or compliance in disguise, of which {len(scoring)} score")


if __name__ == "__main__":
    main()
