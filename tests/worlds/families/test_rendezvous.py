from __future__ import annotations

import pytest

from assay.worlds.families.social.partners import POLICIES
from assay.worlds.families.social.rendezvous import BOOK, REPLIES, TABLE, Rendezvous, Town

from .modelling import begun, instances, taken_for_another

FAMILY = Rendezvous()
TASKS = list(instances(FAMILY, 5, 40))
PLACES = ["harbour", "market", "chapel", "quarry"]
CASE = {"said": 3, "places": PLACES}


@pytest.mark.parametrize(
    ("policy", "place"),
    [("keeps", "quarry"), ("bluffs", "harbour"), ("forgets", "market"), ("mirrors", "chapel")],
)
def test_where_each_colleague_goes(policy: str, place: str) -> None:
    """It announced the last place of the list; the last time it was at the second one, and the subject at the third."""
    theirs = POLICIES[policy](Town.scene(CASE, (1, 2), {}))
    assert PLACES[theirs] == place
    assert Town.goes_well(CASE, {"place": place}, theirs, policy)
    others = [one for one in PLACES if one != place]
    assert not any(Town.goes_well(CASE, {"place": one}, theirs, policy) for one in others)


def test_a_colleague_that_mirrors_goes_where_the_subject_was_with_it_the_last_time() -> None:
    for task in TASKS:
        if "mirrors" not in task.setup["policies"]:
            continue
        mirror, places = task.setup["policies"].index("mirrors"), task.setup["meetings"][0]["case"]["places"]
        episode, _ = begun(FAMILY, task)
        mine = task.setup["last"][mirror][1]
        for number, meeting in enumerate(task.setup["meetings"]):
            episode.act("go", {"place": places[number % 4]})
            if meeting["partner"] == mirror:
                assert episode.snapshot()["met"][number]["theirs"] == mine
                mine = number % 4


def test_the_places_are_listed_in_their_order() -> None:
    for task in TASKS:
        at = [task.goal.index(place) for place in TABLE["situations"][task.situation]["places"]]
        assert at == sorted(at)


@pytest.mark.parametrize("wording", [*TABLE["said"], *TABLE["replies"]["met"], *TABLE["replies"]["missed"]])
def test_every_wording_is_read_back(wording: str) -> None:
    book = BOOK if wording in TABLE["said"] else REPLIES
    assert book.read(wording.format(place="quarry"))[1] == {"place": "quarry"}


@pytest.mark.parametrize("situation", sorted(TABLE["situations"]))
def test_places_stay_apart_when_misread(situation: str) -> None:
    assert taken_for_another(TABLE["situations"][situation]["places"]) == []
