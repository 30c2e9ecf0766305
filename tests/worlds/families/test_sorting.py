from __future__ import annotations

from assay.streams import Stream
from assay.worlds import Episode, Task, shipped_regimes
from assay.worlds.families.sorting import Sorting, _bay
from assay.worlds.learning import Variant

FAMILY = Sorting()
SECRET = {
    "by": "colour",
    "bays": ["west", "north", "east", "south"],
    "unless": "seal",
    "value": "wax",
    "then": "north",
}


def opened(variant: Variant) -> tuple[Task, Episode]:
    task = FAMILY.draw(variant, SECRET, Stream("sorting"))
    episode = Episode(FAMILY, task, shipped_regimes()["Baseline"], Stream("faults"))
    episode.begin()
    return task, episode


def test_an_exception_overrides_the_rule() -> None:
    parcel = {"colour": "red", "origin": "Oslo", "size": "small", "seal": "tape"}
    assert _bay(SECRET, parcel) == "west"
    assert _bay(SECRET, {**parcel, "seal": "wax"}) == "north"


def test_the_judge_names_each_parcel_that_is_not_in_its_bay() -> None:
    task, episode = opened("practice")
    first, *others = task.criterion.expected.items()
    for number, bay in others:
        episode.act("put", {"parcel": int(number), "bay": bay})
    assert episode.judge(episode.snapshot()).because == (f"{first[0]} is not in its bay",)
    episode.act("put", {"parcel": int(first[0]), "bay": first[1]})
    assert episode.judge(episode.snapshot()).success


def test_the_terminal_books_by_code_and_refuses_what_is_not_listed() -> None:
    task, episode = opened("shifted")
    free = next(number for number in range(100, 999) if str(number) not in task.criterion.expected)
    assert episode.act("book", {"line": free, "code": "N"}).error == "there is nothing with this number"
    for number, bay in task.criterion.expected.items():
        episode.act("book", {"line": int(number), "code": bay[0].upper()})
    assert episode.judge(episode.snapshot()).success
