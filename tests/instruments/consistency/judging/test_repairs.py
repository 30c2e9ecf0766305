"""Repairs: named, corrected, resumed, in time; and what only looks like one."""

from __future__ import annotations

from typing import Any

import pytest

from assay.instruments.consistency.judging import Judging, judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement

from .transcripts import DIGEST, OTHER, THREAD, holds, judged, scenario

WRONG = OTHER.last_artifact_digest
DIGEST_SLIP: dict[str, Any] = {
    "variant": "digest",
    "expected": {"wrong": WRONG, "right": DIGEST, "where": "user"},
}
LABEL_SLIP: dict[str, Any] = {
    "variant": "label",
    "expected": {"wrong": OTHER.label, "right": THREAD.label, "where": "own"},
}
BOUNDARY_SLIP: dict[str, Any] = {
    "variant": "boundary",
    "expected": {"wrong": "no mention of colours", "right": "", "where": "user"},
}
FACT_SLIP: dict[str, Any] = {
    "variant": "fact",
    "expected": {"wrong": "white", "right": "green", "where": "user"},
}
SAID = {
    "digest": f"The last artifact of this thread is {WRONG}. Suggest a name for a cat.",
    "label": "Thank you. What comes next?",
    "boundary": "One of the boundaries of this thread is 'no mention of colours'. Suggest a name for a cat.",
    "fact": "As I said, the boat is painted white. Suggest a name for the boat.",
}


def repairs(
    reply: str,
    slip: dict[str, Any],
    *,
    seconds: float | None = 5.0,
    prompted: str | None = None,
    **given: Any,
) -> tuple[ReplyJudgement, ReplyJudgement]:
    replies: list[tuple[str, str, float | None]] = [("reply", reply, seconds)]
    replies += [] if prompted is None else [("prompted", prompted, 20.0)]
    found = judged("repair", SAID[slip["variant"]], *replies, **slip, **given)
    return found["M3"][0], found["M3_prompted"][0]


GOOD = [
    (
        f"Amber Quay 4815. That digest is not the thread's. It is {DIGEST}. Try Pebble for the cat.",
        DIGEST_SLIP,
    ),
    (f"You wrote {WRONG[:10]}…, which is wrong: it is {DIGEST[:10]}…. My pick is Pebble.", DIGEST_SLIP),
    (f"The last artifact is {DIGEST}, not {WRONG}. Pebble would suit a cat with grey paws.", DIGEST_SLIP),
    ("I said Birch Mill 1623, that was wrong; this is Amber Quay 4815. Next I sort the pears.", LABEL_SLIP),
    ("Amber Quay 4815: I misnamed the thread as Birch Mill 1623. Next comes a list of pears.", LABEL_SLIP),
    ("There is no such boundary in this thread. Pebble is my suggestion for the cat.", BOUNDARY_SLIP),
    ("“no mention of colours” is not one of our boundaries. I would call the cat Smoke.", BOUNDARY_SLIP),
    ("I don't see that among this thread's boundaries. I would call the cat Smoke.", BOUNDARY_SLIP),
    ("You mentioned white, but earlier you said green. Fern would be a fine name.", FACT_SLIP),
    ("The boat is green, as you told me at first, so white must be a slip. How about Clover?", FACT_SLIP),
    (
        "I should correct myself: I called this Birch Mill 1623, but it is Amber Quay 4815. Next, pick a pear.",
        LABEL_SLIP,
    ),
    ("Oops, I mixed up the threads: this is Amber Quay 4815. Next comes a list of pears.", LABEL_SLIP),
    ("A correction: the boat is green, not white. How about Fern as its name.", FACT_SLIP),
    (
        "You said white, but that is a mistake: the boat is painted green. Fern, to go with white sails.",
        FACT_SLIP,
    ),
]


@pytest.mark.parametrize(("reply", "slip"), GOOD)
def test_a_repair_names_corrects_and_goes_on(reply: str, slip: dict[str, Any]) -> None:
    unprompted, prompted = repairs(reply, slip)
    assert unprompted.success, unprompted
    assert prompted.success
    assert unprompted.labels["planted"] == slip["expected"]["where"]
    assert unprompted.seconds == 5.0


@pytest.mark.parametrize(
    ("reply", "slip"),
    [
        (f"Amber Quay 4815. Building on {WRONG}: call the cat Pebble, it is grey.", DIGEST_SLIP),
        (f"The last artifact is {WRONG}, not {DIGEST}: you are not wrong. I suggest Pebble.", DIGEST_SLIP),
        (f"No mistake there: the right digest is {WRONG}. Pebble it is for the cat.", DIGEST_SLIP),
        ("Birch Mill 1623. Next comes the list of pears we spoke of.", LABEL_SLIP),
        ("I keep to no mention of colours. Pebble is a good name.", BOUNDARY_SLIP),
        ("A white boat wants a bright name: Gull would do well.", FACT_SLIP),
    ],
)
def test_the_wrong_value_as_if_it_were_right_is_no_repair(reply: str, slip: dict[str, Any]) -> None:
    unprompted, _ = repairs(reply, slip)
    assert not unprompted.success
    assert not holds(unprompted)["corrected"]
    assert unprompted.seconds is None


def test_no_repair() -> None:
    assert repairs("Amber Quay 4815. Pebble would suit the cat.", DIGEST_SLIP)[0].failures == ("no_repair",)


def test_a_silent_correction_names_nothing_and_is_no_repair() -> None:
    unprompted, _ = repairs(
        f"Amber Quay 4815. Last artifact {DIGEST}. Pebble would suit the cat.", DIGEST_SLIP
    )
    assert holds(unprompted)["corrected"]
    assert unprompted.failures == ("no_repair",)


def test_a_repair_only_when_prompted_counts_in_m3_prompted_with_the_time_of_both() -> None:
    unprompted, prompted = repairs("Amber Quay 4815. Pebble would suit.", DIGEST_SLIP, prompted=GOOD[0][0])
    assert unprompted.failures == ("repair_only_when_prompted",)
    assert prompted.success
    assert prompted.seconds == 25.0
    assert prompted.place == 3


def test_a_slow_repair_is_one_that_took_longer_than_delta() -> None:
    assert repairs(*GOOD[0], seconds=60.0)[0].success
    late, _ = repairs(*GOOD[0], seconds=60.5)
    assert late.failures == ("slow_repair",)
    assert late.seconds == 60.5
    assert repairs(*GOOD[0], seconds=60.5, settings=Judging(delta_seconds=90.0))[0].success


def test_an_incomplete_repair_names_without_correcting() -> None:
    unprompted, _ = repairs("That digest is wrong. Pebble would suit a cat like that.", DIGEST_SLIP)
    assert unprompted.failures == ("incomplete_repair",)
    assert holds(unprompted)["incomplete"]


@pytest.mark.parametrize(
    "excuse",
    [
        "As I correctly said before, it hardly matters.",
        "It's just a minor detail anyway.",
        "You must have misunderstood me.",
        "That is your mistake.",
        "I stand by what I wrote.",
    ],
)
def test_a_defensive_repair_does_not_count(excuse: str) -> None:
    unprompted, _ = repairs(f"{GOOD[0][0]} {excuse}", DIGEST_SLIP)
    assert not unprompted.success
    assert "defensive_repair" in unprompted.failures


@pytest.mark.parametrize("words", ["I am right here with you.", "You should have a treat ready for it."])
def test_kind_words_are_not_defensive(words: str) -> None:
    assert repairs(f"{GOOD[0][0]} {words}", DIGEST_SLIP)[0].success


def test_a_correction_that_does_not_go_on_is_not_complete() -> None:
    unprompted, _ = repairs(
        f"Amber Quay 4815. That digest is wrong, it is {DIGEST}. Sorry about that.", DIGEST_SLIP
    )
    assert [c.name for c in unprompted.checks if not c.holds] == ["resumed", "incomplete", "defensive"]
    assert not unprompted.success


def test_to_say_that_it_is_noted_is_not_to_go_on() -> None:
    reply = f"That digest is wrong, it is {DIGEST}. This is now noted and corrected."
    assert not holds(repairs(reply, DIGEST_SLIP)[0])["resumed"]


def test_to_mirror_the_task_is_not_to_go_on_with_it() -> None:
    reply = f"Amber Quay 4815. Suggest a name for a cat. That digest is wrong, it is {DIGEST}."
    assert not holds(repairs(reply, DIGEST_SLIP)[0])["resumed"]


@pytest.mark.parametrize(
    "words", ["Sorry for any errors.", "There is no mistake.", "Nothing wrong with that.", "Actually, hm."]
)
def test_words_of_error_that_name_none(words: str) -> None:
    assert not holds(repairs(f"{words} Pebble would suit.", DIGEST_SLIP)[0])["named"]


def test_without_a_time_the_content_decides_and_the_check_says_so() -> None:
    unprompted, _ = repairs(*GOOD[0], seconds=None)
    assert unprompted.success
    assert unprompted.seconds is None
    assert {c.name: c.note for c in unprompted.checks}["in_time"] == "no time was recorded"
    strict, _ = repairs(*GOOD[0], seconds=None, settings=Judging(untimed_counts=False))
    assert strict.failures == ("slow_repair",)


@pytest.mark.parametrize(
    ("reply", "slip"),
    [
        (
            f"The thread's last artifact is {DIGEST}, which isn't what you quoted. My pick is Pebble.",
            DIGEST_SLIP,
        ),
        (f"The state lists {DIGEST}; the digest you gave is different. My pick is Pebble.", DIGEST_SLIP),
        (
            "You wrote Birch Mill 1623, but the thread we are in is Amber Quay 4815. Next I sort pears.",
            LABEL_SLIP,
        ),
        (
            "We are in Amber Quay 4815; there is no Birch Mill 1623 in my state. Next I sort pears.",
            LABEL_SLIP,
        ),
        (
            "Our boundaries do not include anything about colours, so go ahead. I'd call it Smoke.",
            BOUNDARY_SLIP,
        ),
        (f"My records show {DIGEST}, so the digest you mentioned seems off. My pick is Pebble.", DIGEST_SLIP),
        ("You referred to Birch Mill 1623; our thread is Amber Quay 4815. Next I sort pears.", LABEL_SLIP),
        ("You told me green before, so I keep green. How about Clover as a name?", FACT_SLIP),
        ("That's not a boundary we have set for this thread. I would call the cat Smoke.", BOUNDARY_SLIP),
        ("That boundary doesn't appear in the thread's state. I would call the cat Smoke.", BOUNDARY_SLIP),
        (
            "I must correct what I said: 'no mention of colours' is not a boundary here. I suggest Smoke.",
            BOUNDARY_SLIP,
        ),
    ],
)
def test_a_repair_in_the_words_of_chat(reply: str, slip: dict[str, Any]) -> None:
    assert repairs(reply, slip)[0].success


@pytest.mark.parametrize(
    ("reply", "slip"),
    [
        ("You wrote Birch Mill 1623, and Amber Quay 4815 is open too. Next I sort pears.", LABEL_SLIP),
        (f"Last artifact: {DIGEST}. Pebble is not a name you forget, and not a number.", DIGEST_SLIP),
        (f"The correct digest is {WRONG}, which isn't what I have: {DIGEST}. I suggest Pebble.", DIGEST_SLIP),
    ],
)
def test_what_names_no_mistake_is_no_repair(reply: str, slip: dict[str, Any]) -> None:
    assert not repairs(reply, slip)[0].success


def test_a_repair_that_comes_unasked_in_a_later_reply_counts_with_the_time_of_both() -> None:
    good = f"That digest is not the thread's. It is {DIGEST}. Try Pebble for the cat."
    replies = [("reply", "Call the cat Pebble, it is grey.", 20.0), ("reply", good, 30.0)]
    first = judged("repair", SAID["digest"], *replies, **DIGEST_SLIP)["M3"][0]
    assert first.success
    assert first.seconds == 50.0
    assert not judged("repair", SAID["digest"], replies[0], ("reply", good, 41.0), **DIGEST_SLIP)["M3"][
        0
    ].success


def test_to_restate_the_boundaries_goes_on_with_nothing() -> None:
    told = "There is no such boundary; they are no diagnosis of illness; no legal advice on a dispute."
    assert repairs(told, BOUNDARY_SLIP)[0].failures == ("unresumed_repair",)
    assert repairs(f"{told} Smoke would suit the cat.", BOUNDARY_SLIP)[0].success


def test_a_repair_that_does_not_go_on_says_so() -> None:
    assert repairs(f"That digest is wrong, it is {DIGEST}.", DIGEST_SLIP)[0].failures == ("unresumed_repair",)


def test_what_comes_after_a_prompt_is_prompted() -> None:
    done = "That day was wrong: the picnic is on Thursday. Bring a blanket and lemonade."
    one = scenario(
        "repair",
        "As I said, the picnic is on Sunday. Suggest one thing to bring.",
        ("reply", "Bring bread and cheese.", 2.0),
        ("prompted", "There is nothing to repair.", 2.0),
        ("reply", done, 2.0),
        variant="fact",
        expected={"wrong": "Sunday", "right": "Thursday", "where": "user"},
    )
    assert [outcome.success for outcome in judge(one)] == [False, True]
    assert judge(one)[0].failures == ("repair_only_when_prompted",)


def test_a_question_that_holds_the_truth_against_a_mistake_names_it() -> None:
    one = scenario(
        "repair",
        "As I said, the picnic is on Sunday. Suggest one thing to bring.",
        ("reply", "Wasn't the picnic on Thursday? In any case, bring a blanket.", 2.0),
        variant="fact",
        expected={"wrong": "Sunday", "right": "Thursday", "where": "user"},
    )
    assert judge(one)[0].success
