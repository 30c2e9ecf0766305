"""Invoices: what must be booked, how bad the scan is, and which pages are needed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.streams import Stream
from assay.worlds import Act, Task, shipped_regimes
from assay.worlds.families.invoices import CORRECTIONS, OTHER, TABLE, Invoices, _in_words, _labels, smudge
from assay.worlds.fuzzy import readings
from assay.worlds.noise import misread

from .sensing import acted, begun, instances, lost, tried

FAMILY = Invoices()


def book(task: Task, **other: object) -> Act:
    right = task.criterion.expected[0]
    entry = {"vendor": right["vendor"], "amount": right["cents"] / 100, "date": right["date"]}
    return Act("book", {**entry, **other})


@pytest.mark.parametrize("level", [1, 4, 5])
def test_each_wrong_field_is_named(level: int) -> None:
    task = next(instances(FAMILY, level))
    amount = task.criterion.expected[0]["cents"] / 100
    assert tried(FAMILY, task, book(task)) == (True, ())
    assert tried(FAMILY, task, book(task, vendor="Somebody")) == (False, ("the vendor is wrong",))
    assert tried(FAMILY, task, book(task, amount=amount + 0.01)) == (False, ("the amount is wrong",))
    assert tried(FAMILY, task, book(task, date="2023-01-01")) == (False, ("the date is wrong",))
    assert tried(FAMILY, task) == (False, ("nothing was booked",))
    assert tried(FAMILY, task, book(task), book(task)) == (False, ("more than one entry was made",))


def test_a_clean_invoice_says_everything_verbatim() -> None:
    for task in instances(FAMILY, 1, 30):
        right, said = task.criterion.expected[0], "\n".join(task.setup["invoice"])
        assert right["vendor"] in said
        assert right["date"] in said
        assert f"{right['cents'] // 100}.{right['cents'] % 100:02d}" in said


@given(st.integers(10, 20), st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_scan_has_exactly_so_many_wrong_characters(percent: int, key: int) -> None:
    clean = ["0123456789" * 5, "9876543210" * 5]
    found = smudge(clean, percent, Stream("scan", key))
    wrong = sum(a != b for old, new in zip(clean, found, strict=True) for a, b in zip(old, new, strict=True))
    assert wrong == percent


@given(st.integers(100, 99_999), st.integers(0, 10**6))
@settings(max_examples=60)
def test_a_figure_misread_twice_can_still_be_read(cents: int, key: int) -> None:
    stream, figure = Stream("twice", key), f"{cents // 100}.{cents % 100:02d}"
    seen = misread(smudge([figure], 50, stream)[0], "words", 1.0, stream)
    assert figure in readings(seen)


def test_amounts_in_words() -> None:
    assert _in_words(41235) == "four hundred and twelve euros and 35 cents"
    assert _in_words(30000) == "three hundred euros and 00 cents"
    assert _in_words(4105) == "forty-one euros and 05 cents"


def test_the_bad_scan_has_a_vendor_who_does_not_sell() -> None:
    """Someone else of the list is on the invoice, and booking them is wrong."""
    for task in instances(FAMILY, 4, 20):
        right = task.criterion.expected[0]["vendor"]
        other = next(vendor for vendor in task.setup["vendors"] if vendor != right)
        assert not tried(FAMILY, task, book(task, vendor=other))[0]
        assert right in task.setup["vendors"]


def test_what_a_correction_does_is_said_on_its_page_only() -> None:
    """Titles are the same whatever was corrected; off, on, instead and no change are about as frequent."""
    kinds = {label: kind for kind, labels in CORRECTIONS.items() for label in labels}
    assert len(kinds) == 24
    drawn = []
    for task in instances(FAMILY, 5, 120):
        number = next(
            word for word in task.goal.replace(".", " ").replace(":", " ").split() if word.isdigit()
        )
        own = [page["lines"] for page in task.setup["pages"] if number in page["title"]]
        label = next(line.rsplit(" ", 1)[0] for (line, *_) in own if line.rsplit(" ", 1)[0] in kinds)
        drawn.append(kinds[label])
    assert all(15 <= drawn.count(kind) <= 45 for kind in CORRECTIONS)


def test_nothing_on_an_invoice_is_right_because_it_is_repeated_or_last() -> None:
    for task in instances(FAMILY, 4, 20):
        said = task.setup["invoice"]
        assert sum("(" in line for line in said) == 2, "both dates are also given in words"
    last = [task.setup["invoice"][-1].split(": ")[0] for task in instances(FAMILY, 1, 60)]
    assert len(set(last)) > 15


def test_a_label_names_what_it_is_and_what_it_is_not() -> None:
    """Only the sense of a label tells which: all of them have a word of either side, and either may come first."""
    first = 0
    for role, other in OTHER.items():
        for label in _labels(role):
            own, its = ([label.find(w) for w in TABLE["roles"][one] if w in label] for one in (role, other))
            assert own
            assert its
            first += min(own) < min(its)
    assert first == sum(len(_labels(role)) for role in OTHER) / 2
    assert all(len(set(some)) >= 6 for some in (TABLE["labels"], *TABLE["roles"].values()))


def test_pages_must_be_asked_for_and_few_can_be() -> None:
    task = next(instances(FAMILY, 5))
    episode = begun(FAMILY, task, "Severe-Standard")
    assert episode.queries == 3
    assert begun(FAMILY, task).queries == 5
    played = acted(FAMILY, task, *[Act("read_page", {"page": page}) for page in range(1, 7)])
    assert len(played.seen[-1].observation["read"]) == 5
    assert played.counts["over_queries"] == 1


@pytest.mark.parametrize("level", [4, 5])
@pytest.mark.parametrize("regime", list(shipped_regimes()))
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert not lost(FAMILY, level, regime, 40, held_out=True)


def test_pages_with_similar_titles_are_told_apart_when_misread() -> None:
    assert not lost(FAMILY, 5, "Severe-Adversarial", 150, held_out=False)
