"""The linear model: its file is what training on the shipped replies gives, and its decisions are integers."""

from __future__ import annotations

from importlib.resources import files

import pytest

from assay.instruments.consistency.detectors import NGRAM, VERSION
from assay.instruments.consistency.detectors.features import Features
from assay.instruments.consistency.detectors.labelled import FOLDS, labelled_replies, read_once
from assay.instruments.consistency.detectors.linear import (
    COMPONENTS,
    THRESHOLDS,
    Weights,
    decide,
    score,
    shipped_weights,
    threshold,
    top_ngrams,
)
from assay.instruments.consistency.detectors.training import examples, scenario_requests, train, weights_file

FILE = files("assay.instruments.consistency").joinpath("data", "detectors", "weights.tsv")


def test_the_file_of_weights_names_the_version_and_the_components() -> None:
    assert FILE.read_text("utf-8").splitlines()[0] == "\t".join((VERSION, *COMPONENTS))


def test_the_score_is_the_formula_of_the_page() -> None:
    weights = Weights(
        {"~no": (10, 0, 0, 0), "~way": (-4, 0, 0, 0)}, {"bias": (-3, 0, 0, 0), "limit": (7, 0, 0, 0)}
    )
    found = Features(
        {"~no": (0, 2), "~way": (3, 6), "~unseen": (0, 6), "~rare": (0, 1)}, frozenset({"limit"})
    )
    assert score(weights, found, "refusal") == -3 + 7 + 5 * 6 // 2
    assert top_ngrams(weights, found, "refusal") == [(0, 2)]


def test_a_short_reply_is_read_by_the_rules_alone() -> None:
    words = Features({"~no": (0, 2)}, frozenset())
    sure = Weights({}, {"bias": (999, 999, 999, 999)})
    assert not any(decide(sure, words, name, by_rules=False) for name in COMPONENTS)
    assert all(decide(Weights({}, {}), words, name, by_rules=True) for name in COMPONENTS)


def test_a_refusal_needs_a_higher_score_the_longer_the_reply() -> None:
    for by_rules in (True, False):
        lines = [threshold("refusal", ngrams, by_rules) for ngrams in (100, 200, 201, 350, 351, 5000)]
        assert lines == sorted(lines)


def test_a_limit_that_the_rules_found_needs_a_lower_score() -> None:
    with_rules, without = THRESHOLDS["limit"]
    words = Features({f"~{at}": (at, at + 1) for at in range(200)}, frozenset())
    between = Weights({}, {"bias": (0, (with_rules + without) // 2, 0, 0)})
    assert decide(between, words, "limit", by_rules=True)
    assert not decide(between, words, "limit", by_rules=False)


def test_the_requests_of_the_scenarios_are_examples_of_nothing() -> None:
    asked = scenario_requests()
    assert len(set(asked)) == len(asked) > 50
    rows = [row for row in examples() if row.group == "requests"]
    assert [row.reply.reply for row in rows] == asked
    assert not any(getattr(row.reply, name) for row in rows for name in COMPONENTS)


def test_a_decision_of_the_model_alone_shows_its_words() -> None:
    shown = [
        (reply, span)
        for reply in (row.reply for row in labelled_replies() if row.fold == FOLDS[0])
        for span in read_once(reply).spans["refusal"]
        if span.rule == NGRAM
    ]
    assert shown
    assert all(reply[span.start : span.end].strip() for reply, span in shown)


def test_weights_are_whole_numbers_for_every_component() -> None:
    weights = shipped_weights()
    assert weights.marks["bias"]
    assert {len(row) for row in (*weights.ngrams.values(), *weights.marks.values())} == {len(COMPONENTS)}


@pytest.mark.slow
def test_training_gives_the_shipped_file_byte_for_byte() -> None:
    rows = [row for row in examples() if row.group != "held-out"]
    assert weights_file(train(rows)).encode() == FILE.read_bytes()
