"""Machine baselines: whole groups are left out, and everything is fitted without them."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring.identification import (
    NGRAMS,
    hashed_ngrams,
    identify,
    leave_one_group_out,
    nearest_centroid,
    ridge,
    ridge_left_out,
)
from assay.measuring.identification.classifiers import Classes, Features, Predict

ONE = {"ngrams": NGRAMS}


def made(groups: int = 3) -> tuple[list[str], list[str], list[str]]:
    """Two labels with words of their own, and words that only a group has."""
    texts, labels, names = [], [], []
    for label, word in (("a", "marvellous"), ("b", "terrible")):
        for group in range(groups):
            for number in range(4):
                texts.append(f"it was {word} in place {label}{group} number {number}")
                labels.append(label)
                names.append(f"{label}{group}")
    return texts, labels, names


def test_what_labels_share_across_groups_is_found_and_rows_may_come_in_any_order() -> None:
    texts, labels, groups = made()
    found = identify(texts, labels, groups, ONE)
    assert found.accuracy("ngrams").value == 1.0
    assert (found.accuracy("ngrams").low or 0) < 1.0
    back = identify(texts[::-1], labels[::-1], groups[::-1], ONE)
    assert back.measures == found.measures


def test_a_label_that_is_in_one_group_only_is_left_out_and_named() -> None:
    texts, labels, groups = made()
    found = identify([*texts, "x", "y"], [*labels, "c", "c"], [*groups, "c0", "c0"], ONE)
    assert found.left_out == {"c": 2}
    assert found.measures == identify(texts, labels, groups, ONE).measures
    with pytest.raises(InputError, match="in one group only"):
        identify(texts, groups, groups, ONE)


def test_lines_for_people_have_every_baseline_its_interval_and_what_was_left_out() -> None:
    texts, labels, groups = made()
    found = identify([*texts, "x"], [*labels, "c"], [*groups, "c0"], ONE)
    title, chance, ngrams, left = found.lines("provider", "model")
    assert "provider of 24 texts" in title
    assert chance.split() == ["chance", "0.500"]
    assert ngrams.split()[:2] == ["ngrams", "1.000"]
    assert "c (1 texts)" in left


def test_a_fold_is_fitted_without_its_group() -> None:
    seen: list[set[int]] = []

    def fit(features: Features, classes: Classes) -> Predict:
        seen.append({int(row) for row in features[:, 0]})
        return lambda rows: np.zeros(len(rows), dtype=np.int64)

    groups = np.array([0, 0, 1, 2, 1])
    leave_one_group_out(fit, np.arange(5.0)[:, None], np.zeros(5, dtype=np.int64), groups)
    assert seen == [{2, 3, 4}, {0, 1, 3}, {0, 1, 2, 4}]


@given(st.integers(0, 10**6))
def test_ridge_is_the_same_over_rows_as_over_columns_and_the_same_as_least_squares(seed: int) -> None:
    draw = np.random.default_rng(seed)
    classes = np.arange(12) % 3
    narrow = draw.normal(size=(12, 4))
    wide = np.hstack(
        [narrow, np.zeros((12, 20))]
    )  # columns of zeros change nothing but the side that is solved
    others = draw.normal(size=(30, 4))
    one = ridge(narrow, classes)(others)
    two = ridge(wide, classes)(np.hstack([others, np.zeros((30, 20))]))
    centred = narrow - narrow.mean(0)
    aims = np.eye(3)[classes] - 1 / 3
    stacked = np.linalg.lstsq(
        np.vstack([centred, np.eye(4)]), np.vstack([aims, np.zeros((4, 3))]), rcond=None
    )[0]
    assert one.tolist() == two.tolist() == ((others - narrow.mean(0)) @ stacked).argmax(1).tolist()


@given(st.integers(0, 10**6), st.floats(0.01, 100), st.floats(-50, 50))
def test_the_nearest_centroid_does_not_depend_on_units(seed: int, scale: float, moved: float) -> None:
    draw = np.random.default_rng(seed)
    rows, classes, others = draw.normal(size=(20, 5)), np.arange(20) % 4, draw.normal(size=(9, 5))
    units = np.array([scale, 1.0, 1.0, 1.0, 1.0])
    plain = nearest_centroid(rows, classes)(others)
    assert nearest_centroid(rows * units + moved, classes)(others * units + moved).tolist() == plain.tolist()


@given(st.lists(st.text(max_size=40), max_size=2))
def test_n_grams_are_finite_and_do_not_depend_on_case_spaces_or_neighbours(texts: list[str]) -> None:
    found = hashed_ngrams(texts)
    assert np.isfinite(found).all()
    assert (hashed_ngrams([f"  {text}\n" for text in texts]) == found).all()
    for row, text in enumerate(texts):
        assert (hashed_ngrams([text])[0] == found[row]).all()


def test_n_grams_are_those_that_whole_numbers_give() -> None:
    """The hash in Python's own integers, n-gram by n-gram: nothing depends on a machine's words or its seed."""
    text = "which of these is mine?"
    words = ["which", "of", "these", "is", "mine", "?"]
    expected = np.zeros(4096)
    for codes, lengths, salt in (
        ([ord(letter) for letter in f" {text} "], (2, 3, 4), 1000),
        ([zlib.crc32(word.encode()) for word in words], (1, 2), 2000),
    ):
        for n in lengths:
            counts = [0] * 8192
            for start in range(len(codes) - n + 1):
                value = salt + n
                for code in codes[start : start + n]:
                    value = (value ^ code) * 0x9E3779B97F4A7C15 % 2**64
                    value ^= value >> 29
                counts[(value >> 20) % 8192] += 1
            signed = np.log1p(counts[:4096]) - np.log1p(counts[4096:])
            expected += signed / np.linalg.norm(signed)
    assert hashed_ngrams(["Which of  these is mine?"])[0] == pytest.approx(expected, abs=1e-6)


def test_folds_that_share_their_products_predict_what_folds_fitted_alone_do() -> None:
    words, draw = ["of", "the", "water", "table", "while", "my", "notice"], random.Random(2)
    places = [(subject, probe) for subject in range(4) for probe in range(6) for _ in range(2)][:-3]
    texts = [" ".join(draw.choices([*words, f"word{s}", f"about{p}"], k=40)) for s, p in places]
    features = hashed_ngrams(texts)  # of classes of unequal size
    classes, probes = np.array(places).T
    shared = ridge_left_out(features, classes, probes)
    assert (shared == leave_one_group_out(ridge, features, classes, probes)).all()
    few = features[:, np.argsort(-features.var(0))[:20]].astype(
        np.float64
    )  # fewer columns than rows: solved over columns
    wide = np.hstack([few, np.zeros((len(few), len(few)))])  # the same, solved over rows
    assert (ridge_left_out(few, classes, probes) == ridge_left_out(wide, classes, probes)).all()
