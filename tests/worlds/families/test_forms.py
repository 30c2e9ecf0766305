from __future__ import annotations

import pytest

from assay.streams import Stream
from assay.worlds import Episode, Task, shipped_regimes
from assay.worlds.families.forms import KINDS, LABELS, HouseForms, _facts, _written
from assay.worlds.learning import Variant

FAMILY = HouseForms()
SECRET = {
    "ways": {"date": [1, 1], "person": [0, 1], "sum": [1, 0], "town": [0, 0], "reference": [1, 1]},
    "stamp": "green",
}


def drawn(variant: Variant, number: int = 0) -> Task:
    return FAMILY.draw(variant, SECRET, Stream("forms", number))


@pytest.mark.parametrize(
    ("kind", "fact", "other"),
    [
        ("date", "2026-03-04", "04.03.2026"),
        ("person", "Anna Berg", "BERG Anna"),
        ("sum", "1250.50", "1250,50"),
        ("town", "Lisbon", "LIS"),
        ("reference", "26/4711", "4711-26"),
    ],
)
def test_every_kind_has_two_notations(kind: str, fact: str, other: str) -> None:
    assert (_written(kind, fact, 0), _written(kind, fact, 1)) == (fact, other)


def test_one_stamp_asks_for_the_other_fact() -> None:
    seen = set()
    for number in range(40):
        task = drawn("practice", number)
        setup = task.setup
        for place, label in enumerate(setup["labels"], start=1):
            if LABELS[label] == "town":
                wanted = "receiver" if setup["stamp"] == "green" else "sender"
                assert task.criterion.expected[str(place)] == setup["facts"][wanted]
                seen.add(setup["stamp"])
    assert seen == {"blue", "green", "red"}


def test_no_label_is_of_two_kinds_or_both_practised_and_tested() -> None:
    assert len(LABELS) == sum(len(about["practice"]) + len(about["held_out"]) for about in KINDS.values())


def test_the_report_tells_all_facts() -> None:
    for number in range(40):
        task = drawn("shifted", number)
        assert _facts({"report": task.setup["report"]}) == task.setup["facts"]


def test_the_judge_names_the_fields_that_are_sent_back_and_filing_replaces() -> None:
    task = drawn("shifted")
    episode = Episode(FAMILY, task, shipped_regimes()["Baseline"], Stream("faults"))
    episode.begin()
    right = list(task.criterion.expected.values())
    assert episode.act("file", {"entries": right[:2]}).error == "2 entries; the sheet has 3 places"
    episode.act("file", {"entries": ["?", *right[1:]]})
    assert episode.judge(episode.snapshot()).because == ("field 1 is sent back",)
    episode.act("file", {"entries": [f" {entry} " for entry in right]})
    assert episode.judge(episode.snapshot()).success
