from __future__ import annotations

import pytest

from assay.worlds.families.social.bids import BOOK, REPLIES, TABLE, Bids, Contest
from assay.worlds.families.social.partners import POLICIES

from .modelling import begun, instances

FAMILY = Bids()
TASKS = list(instances(FAMILY, 5, 40))


@pytest.mark.parametrize(
    ("policy", "bid"), [("keeps", 40), ("bluffs", 20), ("stubborn", 33), ("mirrors", 51)]
)
def test_what_each_rival_bids(policy: str, bid: int) -> None:
    """It announced 40, bid 33 the last time, and the subject bid 51 then."""
    assert POLICIES[policy](Contest.scene({"said": 40}, (33, 51), {"amount": 1})) == bid


@pytest.mark.parametrize(("amount", "well"), [(39, False), (40, False), (41, True), (42, True), (43, False)])
def test_a_contest_is_won_well_by_one_token_or_two(amount: int, well: bool) -> None:
    assert Contest.goes_well({"said": 40}, {"amount": amount}, 40, "keeps") is well
    assert Contest.told({"said": 40}, {"amount": amount}, 40)[0] == ("won" if amount > 40 else "lost")


def test_a_rival_that_mirrors_bids_what_the_subject_bid_against_it_and_nobody_else() -> None:
    for task in TASKS:
        if "mirrors" not in task.setup["policies"]:
            continue
        mirror = task.setup["policies"].index("mirrors")
        episode, _ = begun(FAMILY, task)
        mine = [task.setup["last"][mirror][1]]
        for place, meeting in enumerate(task.setup["meetings"]):
            episode.act("bid", {"amount": 10 + place})
            if meeting["partner"] == mirror:
                assert episode.snapshot()["met"][place]["theirs"] == mine[-1]
                mine.append(10 + place)


def test_the_log_begins_with_the_last_contest_of_each_rival() -> None:
    for task in TASKS:
        _, shown = begun(FAMILY, task)
        assert [entry["meeting"] for entry in shown["log"]] == [0, 0, 0]
        for entry, (theirs, yours) in zip(shown["log"], task.setup["last"], strict=True):
            kind, slots = REPLIES.read(entry["reply"])
            assert (kind, slots["n"], entry["amount"]) == (
                "won" if yours > theirs else "lost",
                str(theirs),
                yours,
            )


@pytest.mark.parametrize("wording", [*TABLE["said"], *TABLE["replies"]["won"], *TABLE["replies"]["lost"]])
def test_every_wording_is_read_back(wording: str) -> None:
    book = BOOK if wording in TABLE["said"] else REPLIES
    assert book.read(wording.format(n=37))[1] == {"n": "37"}
