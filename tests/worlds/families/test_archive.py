"""Archive: one answer, documents that lead to others, and how many can be opened."""

from __future__ import annotations

import pytest

from assay.streams import Stream
from assay.worlds import Act, Task, play, shipped_regimes
from assay.worlds.families.archive import STORIES, TABLE, Archive, _places

from .sensing import acted, begun, instances, lost, tried

FAMILY = Archive()


def answer(task: Task, more: int = 0) -> Act:
    return Act("answer", {"value": task.criterion.expected[0] + more})


@pytest.mark.parametrize("level", [3, 5])
def test_exactly_one_right_answer_is_success(level: int) -> None:
    task = next(instances(FAMILY, level))
    assert tried(FAMILY, task, answer(task)) == (True, ())
    assert tried(FAMILY, task, answer(task, 1)) == (False, ("the answer is wrong",))
    assert tried(FAMILY, task) == (False, ("no answer was given",))


def test_an_answer_is_final() -> None:
    task = next(instances(FAMILY, 3))
    played = acted(FAMILY, task, answer(task, 1), answer(task))
    assert "already" in played.seen[2].error
    assert not played.judgement.success


def test_the_catalogue_is_large_at_level_5_and_every_title_is_there_once() -> None:
    """B.2.5 speaks of 100 documents."""
    for level, count in ((3, 7), (5, 100)):
        for task in instances(FAMILY, level, 10):
            titles = [title for title, _ in task.setup["documents"].values()]
            assert len(titles) == len(set(titles)) == count


def test_the_answer_lies_in_a_document_and_not_in_the_catalogue() -> None:
    for level in (3, 5):
        for task in instances(FAMILY, level, 20):
            right = str(task.criterion.expected[0])
            assert any(right in text.replace(".", "").split() for _, text in task.setup["documents"].values())
            assert not any(right in title for title, _ in task.setup["documents"].values())


def test_level_5_leads_over_two_or_three_documents() -> None:
    needed = [task.queries_needed for task in instances(FAMILY, 5, 60)]
    assert set(needed) == {2, 3}


def test_the_document_that_the_question_names_does_not_hold_the_answer_at_level_5() -> None:
    """Whoever stops at the first document is wrong, but for a number that agrees by chance."""
    baseline = shipped_regimes()["Baseline"]
    won = [
        play(FAMILY, task, baseline, Stream("f"), FAMILY.novice).judgement.success
        for task in instances(FAMILY, 5, 60)
    ]
    assert sum(won) <= 5


def test_five_documents_can_be_opened_and_three_under_severe_limits() -> None:
    task = next(instances(FAMILY, 5))
    assert begun(FAMILY, task).queries == 5
    assert begun(FAMILY, task, "Severe-Standard").queries == 3
    played = acted(FAMILY, task, *[Act("open_document", {"id": f"D{n:03d}"}) for n in range(1, 7)])
    assert list(played.seen[-1].observation["opened"]) == ["D001", "D002", "D003", "D004", "D005"]
    assert played.counts["over_queries"] == 1


def test_an_opened_document_can_be_read_again() -> None:
    task = next(instances(FAMILY, 3))
    episode = begun(FAMILY, task)
    seen = episode.act("open_document", {"id": "D02"}).observation
    assert seen["opened"] == {"D02": task.setup["documents"]["D02"][1]}
    assert episode.act("look", {}).observation["opened"] == seen["opened"]


def test_things_and_people_are_two_words_and_every_text_has_its_gaps() -> None:
    names = [*TABLE["people"], *(thing for story in STORIES.values() for thing in story["things"])]
    assert all(len(name.split(" ")) == 2 for name in names)
    for story in STORIES.values():
        for work in story["works"].values():
            assert set(_places(work["text"])) == {"thing", "who", "n", "m", "k"}


@pytest.mark.parametrize("level", [3, 5])
@pytest.mark.parametrize("regime", list(shipped_regimes()))
def test_situations_that_are_held_out_can_be_solved_too(level: int, regime: str) -> None:
    assert not lost(FAMILY, level, regime, 25, held_out=True)
