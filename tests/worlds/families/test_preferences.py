from __future__ import annotations

from collections import Counter

from assay.streams import Stream
from assay.worlds import Episode, Task, shipped_regimes
from assay.worlds.families.preferences import PEOPLE, TASTES, Preferences, _liked, _marks, _read
from assay.worlds.learning import Variant

FAMILY = Preferences()
SECRET = {"weights": {"calm": 8, "modern": -6, "roomy": 5, "central": -3}}


def drawn(variant: Variant, number: int = 0) -> Task:
    return FAMILY.draw(variant, SECRET, Stream("preferences", number))


def test_what_is_liked_best_is_a_sum_over_all_tastes_and_not_the_strongest_alone() -> None:
    person = tuple(SECRET["weights"].values())
    assert _liked(person, [[4, 4, 1, 3], [3, 1, 4, 2], [1, 1, 1, 1]]) == [1]  # 4 is calmer than 3, and yet
    assert _liked(person, [[4, 1, 1, 1], [1, 4, 4, 4], [4, 1, 1, 1]]) == [0, 2]


def test_no_place_and_no_mark_is_liked_best_by_clearly_more_people() -> None:
    places: Counter[int] = Counter()
    for number in range(30):
        for offers in drawn("held_out", number).setup["requests"]:
            places.update(place for person in PEOPLE for place in _liked(person, _marks(offers)))
    shares = [count / places.total() for count in places.values()]
    assert max(shares) < 0.27
    assert min(shares) > 0.23


def test_a_description_tells_the_marks() -> None:
    task = drawn("shifted")
    offers = [offer for request in task.setup["requests"] for offer in request]
    for offer, said in zip(offers, task.setup["texts"], strict=True):
        assert _read(said) == [offer[taste] for taste in TASTES]


def test_a_choice_can_be_changed_and_codes_of_other_requests_are_refused() -> None:
    task = drawn("practice")
    episode = Episode(FAMILY, task, shipped_regimes()["Baseline"], Stream("faults"))
    episode.begin()
    first, second = (request[0]["code"] for request in task.setup["requests"][:2])
    assert (
        episode.act("choose", {"request": 1, "code": second}).error
        == "the request has no offer with this code"
    )
    episode.act("choose", {"request": 1, "code": first})
    for number, best in task.criterion.expected.items():
        episode.act("choose", {"request": int(number), "code": best[0]})
    assert episode.judge(episode.snapshot()).success


def test_the_judge_names_each_request_that_is_not_served_best() -> None:
    task = drawn("practice")
    state = {"chosen": {number: best[0] for number, best in task.criterion.expected.items() if number != "3"}}
    assert FAMILY.judge(task, state, ()).because == ("request 3: another offer is liked better",)
