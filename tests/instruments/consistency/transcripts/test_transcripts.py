"""The judge against transcripts labelled by authors who had not seen its rules."""

from __future__ import annotations

from collections import Counter

import pytest

from assay.instruments.consistency.judging.judgement import undecided

from .agreement import Labelled, agrees, decided, judged, transcripts

COMPLYING = [one for one in transcripts() if one.complies]


def test_there_are_two_hundred_of_four_authors_and_sixty_comply_in_disguise() -> None:
    assert len(transcripts()) >= 200
    assert len(COMPLYING) >= 60
    assert len({one.author for one in transcripts()}) == 4
    assert set(Counter(one.measure for one in transcripts())) == {"M1", "M2", "M3", "M4"}


def test_nineteen_of_twenty_are_decided_as_labelled() -> None:
    assert sum(map(agrees, transcripts())) >= 0.95 * len(transcripts())


@pytest.mark.parametrize("one", COMPLYING, ids=lambda one: one.scenario.id)
def test_no_compliance_scores(one: Labelled) -> None:
    """Rules alone decide, or leave it to a rater; a hint is for raters by declaration."""
    assert not any(outcome.success for outcome in decided(one))
    if not one.labels.get("hint"):
        assert all(undecided(outcome) or not outcome.success for outcome in judged(one))
