"""The labelled replies and the real ones: what the rules are compared with."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from assay.instruments.consistency import detect_triple
from assay.instruments.consistency.detectors import COMPONENTS
from assay.instruments.consistency.detectors.labelled import (
    FILES,
    FOLDS,
    LabelledReply,
    agreements,
    labelled_replies,
    read_once,
    replies_in,
)
from tests.support import SHARED

REPLIES = labelled_replies()
REAL = SHARED / "xstest_refusals.jsonl.gz"


def test_the_labelled_set_is_large_and_varied() -> None:
    assert len(REPLIES) >= 180
    assert len({reply.reply for reply in REPLIES}) == len({reply.id for reply in REPLIES}) == len(REPLIES)
    assert len({reply.voice for reply in REPLIES}) > 60
    for name in (*COMPONENTS, "leak"):
        labels = [getattr(reply, name) for reply in REPLIES]
        assert labels.count(True) >= 10
        assert labels.count(False) >= 40


def test_the_fold_of_a_reply_follows_from_its_text() -> None:
    for reply in REPLIES:
        held = int(hashlib.sha256(reply.reply.encode()).hexdigest(), 16) % 3 == 0
        read = int(reply.batch) in (6, 7, 9, 10, 12)  # development as a whole since triple/4
        assert reply.fold == ("held-out" if held and not read else "development")
    assert {reply.fold for reply in REPLIES} == set(FOLDS)


NEW_AUTHORS = (14, 15, 16)  # half of their refusals never say no


@pytest.mark.parametrize(
    ("fold", "new", "least"),
    [
        ("development", False, {}),
        ("development", True, {}),
        # a path named in passing is missed at times; docs/detectors.md gives the figures
        ("held-out", False, {"proximity": (0.9, 0.88), "adjacent": (0.86, 0.82)}),
        ("held-out", True, {"refusal": (0.9, 0.7), "limit": (0.85, 0.66), "adjacent": (0.78, 0.72)}),
    ],
)
def test_precision_and_recall_are_at_least_nine_tenths(
    fold: str, new: bool, least: dict[str, tuple[float, float]]
) -> None:
    rows = [r for r in REPLIES if r.fold == fold and (int(r.batch) in NEW_AUTHORS) == new]
    for found in agreements(rows):
        if found.both + found.labels_only == 0:  # no new author labelled it
            continue
        assert found.precision is not None
        assert found.recall is not None
        precision, recall = least.get(found.component, (0.9, 0.9))
        assert found.precision >= precision, found
        assert found.recall >= recall, found


def test_nine_tenths_hold_in_replies_as_assistants_write_them_by_authors_who_had_not_seen_the_rules() -> None:
    rows = replies_in("unseen")
    assert len(rows) == 600
    assert len({row.batch for row in rows}) == 4
    known = {row.reply for name in FILES for row in replies_in(name)}
    assert {row.reply for row in rows} & known <= {"I can't help with that."}
    for found in agreements(rows):
        assert found.precision is not None
        assert found.recall is not None
        assert min(found.precision, found.recall) >= 0.9, found


def test_an_agreement_counts_by_hand() -> None:
    def labelled(text: str, **labels: bool) -> LabelledReply:
        every = dict.fromkeys((*COMPONENTS, "leak"), False)
        given = LabelledReply(id="x", fold="held-out", batch=1, reply=text)
        return msgspec.structs.replace(given, **{**every, **labels})

    replies = [
        labelled("I'm still here.", proximity=True),  # both
        labelled("I'm still here.", proximity=False),  # rules only
        labelled("Blue.", proximity=True),  # labels only
        labelled("I remain available.", proximity=True),  # both
        labelled("Green.", proximity=False),  # neither
    ]
    found = next(a for a in agreements(replies) if a.component == "proximity")
    assert found[1:] == (2, 1, 1, 1)
    assert found.precision == found.recall == pytest.approx(2 / 3)
    none = next(a for a in agreements(replies) if a.component == "over_apology")
    assert none.precision is none.recall is None


@pytest.mark.skipif(not REAL.exists(), reason="the real completions are not on this machine")
def test_refusal_agrees_with_human_labels_on_real_replies() -> None:
    with gzip.open(REAL, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    agree = sum(
        detect_triple(row["completion"]).refusal == (row["label"] != "full_compliance") for row in rows
    )
    assert len(rows) == 300
    assert agree / len(rows) >= 0.95


def test_refusal_agrees_with_replies_of_authors_who_had_not_seen_the_rules() -> None:
    """In the manner of chat models; two batches were made hard on purpose."""
    rows = replies_in("refusals")
    agree: dict[bool, list[bool]] = {True: [], False: []}
    for row in rows:
        agree[str(row.batch) in "him"].append(read_once(row.reply).refusal == row.refusal)
    assert sum(map(len, agree.values())) == len(rows) > 1300
    assert sum(agree[False]) / len(agree[False]) >= 0.97
    assert sum(agree[True]) / len(agree[True]) >= 0.92


def test_the_page_on_detectors_gives_the_numbers_that_the_command_prints() -> None:
    parts = [agreements(reply for reply in REPLIES if reply.fold == fold) for fold in FOLDS]
    page = (Path(__file__).resolve().parents[4] / "docs" / "detectors.md").read_text("utf-8")
    assert f"{len(REPLIES)} replies in many voices" in page
    for development, held in zip(*parts, strict=True):
        shares = (development.precision, development.recall, held.precision, held.recall)
        cells = " | ".join(f"{share:.3f}".removeprefix("0") for share in shares if share is not None)
        assert f"| `{development.component}` | {cells} |" in page


@pytest.mark.parametrize("language", ["de", "fr", "es", "zh"])
def test_refusals_in_other_languages_are_recognised(language: str) -> None:
    rows = [row for row in replies_in("languages") if row.language == language]
    labels = [row.refusal for row in rows]
    assert min(labels.count(True), labels.count(False)) >= 30
    found = [read_once(row.reply).refusal for row in rows]
    assert sum(map(lambda a, b: a == b, found, labels)) / len(rows) >= 0.9


@pytest.mark.parametrize("name", FILES)
def test_labelled_files_hold_texts_with_labels_and_names_of_their_own(name: str) -> None:
    rows = replies_in(name)
    assert len({row.id for row in rows}) == len(rows)
    assert all(row.reply.strip() for row in rows)
    assert {row.label for row in rows} <= {None, "full_compliance", "partial_refusal", "full_refusal"}
