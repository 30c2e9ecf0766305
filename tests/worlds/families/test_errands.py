from __future__ import annotations

import pytest

from assay.worlds.families.social.errands import BOOK, REPLIES, TABLE, Errands, House
from assay.worlds.families.social.partners import POLICIES

from .modelling import begun, instances

FAMILY = Errands()
TASKS = list(instances(FAMILY, 5, 20))


@pytest.mark.parametrize(
    ("policy", "plain", "reminded"),
    [("keeps", 24, 24), ("bluffs", 12, 12), ("forgets", 0, 24), ("overdoes", 30, 30)],
)
def test_what_comes_of_an_order_of_24(policy: str, plain: int, reminded: int) -> None:
    for remind, comes in ((False, plain), (True, reminded)):
        scene = House.scene({"needed": 24}, (0, 0), {"amount": 24, "remind": remind})
        assert POLICIES[policy](scene) == comes


@pytest.mark.parametrize(
    ("policy", "amount", "remind", "well"),
    [
        ("keeps", 24, False, True),
        ("keeps", 24, True, False),  # a reminder that changed nothing
        ("bluffs", 48, False, True),
        ("bluffs", 24, False, False),
        ("forgets", 24, True, True),
        ("forgets", 24, False, False),
        ("overdoes", 18, False, True),
        ("overdoes", 18, True, False),
        ("overdoes", 24, False, False),
    ],
)
def test_an_errand_goes_well_where_just_what_is_needed_comes(
    policy: str, amount: int, remind: bool, well: bool
) -> None:
    move = {"amount": amount, "remind": remind}
    theirs = POLICIES[policy](House.scene({"needed": 24}, (0, 0), move))
    assert House.goes_well({"needed": 24}, move, theirs, policy) is well


def test_a_reminder_at_the_first_meeting_leaves_two_policies_open() -> None:
    """Who reminds everybody does not learn who needs it: what is done to get to know partners matters."""
    task = TASKS[0]
    episode, _ = begun(FAMILY, task)
    for _ in range(3):
        seen = episode.act("order", {"amount": 20, "remind": True})
    came = [REPLIES.read(entry["reply"])[1]["n"] for entry in seen.observation["log"]]
    expected = {"keeps": "20", "bluffs": "10", "forgets": "20", "overdoes": "26"}
    assert came == [expected[meeting["policy"]] for meeting in task.setup["meetings"][:3]]


@pytest.mark.parametrize("wording", [*TABLE["said"], *TABLE["replies"]["came"]])
def test_every_wording_is_read_back(wording: str) -> None:
    book = BOOK if wording in TABLE["said"] else REPLIES
    assert book.read(wording.format(n=37, thing="chairs"))[1]["n"] == "37"
