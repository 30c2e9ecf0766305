from __future__ import annotations

import msgspec
import pytest

from assay.worlds import Act
from assay.worlds.families.social.bargains import BOOK, REPLIES, TABLE, Bargains, Market

from .modelling import acted, begun, instances

FAMILY = Bargains()
TASKS = list(instances(FAMILY, 5, 20))
PRICES = [50, 60, 70, 80, 90]
CASE = {"said": 80, "prices": PRICES}


@pytest.mark.parametrize(
    ("policy", "limit"), [("keeps", 80), ("bluffs", 70), ("stubborn", 90), ("concedes", 50)]
)
def test_how_far_each_seller_goes(policy: str, limit: int) -> None:
    for task in TASKS[:5]:
        first = {**task.setup["meetings"][0], "policy": policy, "case": CASE, "shown": {"prices": PRICES}}
        setup = {**task.setup, "meetings": [first, *task.setup["meetings"][1:]]}
        for price in PRICES:
            episode, _ = begun(FAMILY, msgspec.structs.replace(task, setup=setup))
            seen = episode.act("offer", {"price": price})
            (met,) = episode.snapshot()["met"]
            assert (met["theirs"], met["well"]) == (limit, price == limit)
            kind, slots = REPLIES.read(seen.observation["log"][0]["reply"])
            assert (kind, slots["n"]) == ("taken" if price >= limit else "refused", str(limit))


def test_more_than_the_limit_is_a_sale_and_no_good_one() -> None:
    assert Market.told(CASE, {"price": 90}, 70)[0] == "taken"
    assert not Market.goes_well(CASE, {"price": 90}, 70, "bluffs")


def test_an_unlisted_price_is_refused_and_the_meeting_goes_on() -> None:
    task = TASKS[0]
    episode, shown = begun(FAMILY, task)
    prices = shown["meeting"]["prices"]
    assert "not among the prices" in episode.act("offer", {"price": prices[0] + 1}).error
    assert episode.snapshot()["met"] == []
    assert acted(FAMILY, task, Act("offer", {"price": prices[0]})).state["met"][0]["price"] == prices[0]


@pytest.mark.parametrize(
    "wording", [*TABLE["said"], *TABLE["replies"]["taken"], *TABLE["replies"]["refused"]]
)
def test_every_wording_is_read_back(wording: str) -> None:
    book = BOOK if wording in TABLE["said"] else REPLIES
    assert book.read(wording.format(n=137))[1] == {"n": "137"}
