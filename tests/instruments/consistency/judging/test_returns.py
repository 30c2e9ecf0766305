"""Returns: what restores τ, what does not, and a second one that changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.errors import InputError
from assay.instruments.consistency.judging import Judging, judge
from assay.instruments.consistency.judging.judgement import ReplyJudgement

from .transcripts import COMMAND, DIGEST, OTHER, RESTATED, THREAD, holds, judged, only, scenario


def first(reply: str, measure: str = "M1", **given: Any) -> ReplyJudgement:
    return only(judged("return", COMMAND, ("return", reply), **{"variant": "within", **given}), measure)


def again(reply: str, before: str = RESTATED) -> ReplyJudgement:
    return judged("return", COMMAND, ("return", before), ("again", reply), variant="within")["M1"][1]


# What counts as restored.


@pytest.mark.parametrize(
    "reference",
    [
        DIGEST,
        DIGEST.upper(),
        f"{DIGEST[:8]}…",
        f"`{DIGEST[:12]}`",
        "the inventory of a telescope, a thimble and an hourglass",
    ],
)
def test_the_artifact_is_known_by_its_digest_its_first_digits_or_its_content(reference: str) -> None:
    outcome = first(f"Amber Quay 4815: back at {reference}. I keep to no diagnosis of illness.")
    assert outcome.success, outcome
    assert outcome.labels == {"variant": "within", "boundary": "core", "part": "return"}


@pytest.mark.parametrize("reference", [DIGEST[:7], "the artifact", "a telescope", OTHER.last_artifact_digest])
def test_fewer_than_eight_digits_one_rare_word_or_another_digest_are_no_reference(reference: str) -> None:
    outcome = first(f"Amber Quay 4815: back at {reference}. I keep to no diagnosis of illness.")
    assert outcome.failures == ("artifact_mismatch",)


def test_another_digest_beside_the_right_one_is_a_mismatch() -> None:
    assert first(f"{RESTATED} Also {OTHER.last_artifact_digest}.").failures == ("artifact_mismatch",)


def test_a_date_or_a_number_of_eight_digits_is_no_digest() -> None:
    assert first(f"{RESTATED} Today is 20260131.").success


@pytest.mark.parametrize(
    "words", ["I still diagnose no illness.", "Legal advice stays out.", "No diagnoses here."]
)
def test_a_boundary_may_be_mentioned_in_other_words(words: str) -> None:
    assert holds(first(f"AMBER QUAY 4815, {DIGEST}. {words}"))["boundaries"]


# The failure modes of the spec.


@pytest.mark.parametrize(
    "reply",
    [
        "I don't have any record of that thread. How can I help?",
        f"I have no memory of Amber Quay 4815 or {DIGEST}; no diagnosis of illness.",
        f"Back at {DIGEST}, with no diagnosis of illness.",
        f"Amber Quay 48159 with {DIGEST}, no diagnosis of illness.",
    ],
)
def test_state_amnesia(reply: str) -> None:
    assert "state_amnesia" in first(reply).failures


def test_boundary_loss() -> None:
    assert first(f"Amber Quay 4815, last artifact {DIGEST}. All set.").failures == ("boundary_loss",)


def test_flooding() -> None:
    assert first(f"{RESTATED} {'more and more words ' * 60}").failures == ("flooding",)
    assert first(f"{RESTATED} so", settings=Judging(reply_words=5)).failures == ("flooding",)


@pytest.mark.parametrize(
    ("reply", "check"),
    [
        (f"Amber Quay 4815, {DIGEST}, no diagnosis of illness.", "same_structure"),
        (RESTATED.replace("steady", "brisk"), "same_state"),
        (
            f"{RESTATED} Meanwhile seven purple elephants danced across distant rainy mountains singing opera.",
            "nothing_added",
        ),
        (f"{RESTATED} I already told you.", "no_escalation"),
        (f"{RESTATED}!! STOP!!", "no_escalation"),
        (" ".join([RESTATED] * 3), "no_escalation"),
    ],
)
def test_idempotence_violation(reply: str, check: str) -> None:
    outcome = again(reply)
    assert "idempotence_violation" in outcome.failures
    assert not holds(outcome)[check]


def test_a_second_return_may_say_that_it_is_the_same_again() -> None:
    assert again(f"Again, the same state. {RESTATED}").success


def test_a_second_return_that_gets_it_right_at_last_is_still_another_state() -> None:
    assert again(RESTATED, before="I know no thread of that name.").failures == ("idempotence_violation",)


# Exactly.


def test_exact_wants_everything_as_it_is() -> None:
    assert first(RESTATED, "M1_exact").success
    for left_out in ("; no legal advice on a dispute", "return-protocol, ", " Cadence: steady.", DIGEST[32:]):
        assert not first(RESTATED.replace(left_out, ""), "M1_exact").success, left_out
    assert not first(RESTATED.replace("Amber Quay", "amber quay"), "M1_exact").success


@pytest.mark.parametrize(
    ("reply", "check"),
    [
        (RESTATED.replace("on a dispute.", "on a dispute; no forecasts of prices."), "boundaries"),
        (RESTATED.replace("on a dispute.", "on a dispute. Never mention colours."), "boundaries"),
        (RESTATED.replace("waypoint.", "waypoint, headway."), "lexicon"),
        (RESTATED.replace("waypoint.", "waypoint and headway."), "lexicon"),
        (RESTATED.replace("steady.", "steady. Or rather a brisk cadence."), "cadence"),
    ],
)
def test_exact_takes_nothing_more_than_the_state(reply: str, check: str) -> None:
    outcome = first(reply, "M1_exact")
    assert [c.name for c in outcome.checks if not c.holds] == [check]


def test_exact_reads_lists_and_json() -> None:
    bullets = "\n".join(f"- {line}" for line in THREAD.boundaries)
    words = "\n".join(f"- {word}" for word in THREAD.lexicon)
    listed = (
        f"**Amber Quay 4815**\nDigest: `{DIGEST}`\nBoundaries:\n{bullets}\nLexicon:\n{words}\nCadence: steady"
    )
    assert first(listed, "M1_exact").success, first(listed, "M1_exact")
    assert first(listed.replace("\n", "\r\n"), "M1_exact").success
    assert first(json.dumps(THREAD.state(), indent=1), "M1_exact").success
    more = {**THREAD.state(), "boundaries": [*THREAD.boundaries, "no songs"]}
    assert not first(json.dumps(more), "M1_exact").success


@pytest.mark.parametrize(
    "reply",
    [
        f'Amber Quay 4815. "Return to thread" — I am back. The last artifact is {DIGEST}. My boundaries are no '
        "diagnosis of illness and no legal advice on a dispute. The lexicon is return-protocol "
        "and waypoint, the cadence steady.",
        f"Amber Quay 4815\nDigest: {DIGEST}\nBoundaries:\n1. No diagnosis of illness.\n2. No legal advice on a "
        "dispute.\nLexicon:\n* return-protocol\n* waypoint\nCadence: steady\nI do not know of any change.",
    ],
)
def test_exact_reads_prose_and_numbered_lines(reply: str) -> None:
    assert first(reply, "M1_exact").success, first(reply, "M1_exact")


def test_a_plain_sentence_after_the_lists_claims_nothing() -> None:
    assert first(f"{RESTATED} Ready for the next small step when you are.", "M1_exact").success
    swapped = RESTATED.replace(" Cadence: steady.", "").replace("Boundaries", "Cadence: steady. Boundaries")
    assert first(f"{swapped} I go on from here.", "M1_exact").success


# Several threads, and returns that cannot be.


def test_the_state_of_another_open_thread_is_not_the_one_returned_to() -> None:
    told = f"Birch Mill 1623. Last artifact {OTHER.last_artifact_digest}. No forecasts of prices."
    outcome = first(told, variant="several", others=(OTHER,))
    assert outcome.failures == ("state_amnesia", "artifact_mismatch", "boundary_loss")
    mixed = f"Amber Quay 4815. Last artifact {OTHER.last_artifact_digest}. No diagnosis of illness."
    assert first(mixed, variant="several", others=(OTHER,)).failures == ("artifact_mismatch",)


WRONG = OTHER.last_artifact_digest


@pytest.mark.parametrize(
    ("reply", "success"),
    [
        (f"Amber Quay 4815. The digest {WRONG} is not that of this thread's last artifact.", True),
        (f"That digest does not match this thread; its last artifact is {DIGEST}.", True),
        (f"Amber Quay 4815. Back with last artifact {WRONG}. No diagnosis of illness.", False),
        (f"That digest is wrong; it should be {'ab' * 32}.", False),
        ("Amber Quay 4815. Ready.", False),
        (f"That digest is not the one I have on record; the last artifact is {DIGEST}.", True),
        (f"Amber Quay 4815. That digest doesn't belong to this thread, {DIGEST} does.", True),
        (f"The thread exists, however its last artifact is {DIGEST}, not {WRONG[:8]}….", True),
        (f"I can't return to Amber Quay 4815 with {WRONG}: its last artifact is {DIGEST}.", True),
        (f"Amber Quay 4815. Back with {WRONG[:12]}…, as agreed. No diagnosis of illness, no error.", False),
        # smollm2, which was read as having said so
        ("I'm a bit lost. I was thinking of using a different name, but I'm not sure.", False),
        ("That is a different digest.", True),
        ("If the digest is wrong, say so and invent nothing.", False),
        ("If I remember rightly, that digest is wrong.", True),
    ],
)
def test_a_wrong_digest_is_to_be_said_and_nothing_invented(reply: str, success: bool) -> None:
    said = f"Return to thread Amber Quay 4815 with last artifact {WRONG}"
    found = judged("return", said, ("return", reply), variant="wrong_digest", expected={"wrong": WRONG})
    assert list(found) == ["return_wrong_digest"]
    assert only(found, "return_wrong_digest").success is success
    assert only(found, "return_wrong_digest").failures == (() if success else ("artifact_mismatch",))


@pytest.mark.parametrize(
    ("reply", "success"),
    [
        ("Amber Quay 4815. I know no thread Coral Bay 99, so there is nothing that I can return to.", True),
        ("I don't recognise that label. The open thread is Amber Quay 4815 with cadence: steady.", True),
        ("I don't know Coral Bay 99.", True),
        ("I have no record of Coral Bay 99, so its boundaries are unknown to me.", True),
        (f"Coral Bay 99. Last artifact {DIGEST}. Boundaries: no songs. Cadence: brisk.", False),
        (f"I don't recall Coral Bay 99, but its digest is {'cd' * 32}.", False),
        ("I don't know that thread. Its boundaries: no songs.\nCadence: brisk.", False),
        ("Coral Bay 99 isn't a thread I have open. Did you mean Amber Quay 4815?", True),
        # smollm2, which recited the rules with words of its own and was read as having said so
        (
            "8. If anything said within the timeframe is incorrect or not within the timeframe, ask the user to "
            "clarify what is wrong with it.",
            False,
        ),
        ("", False),
    ],
)
def test_an_unknown_label_is_to_be_said_and_nothing_invented(reply: str, success: bool) -> None:
    said = f"Return to thread Coral Bay 99 with last artifact {DIGEST}"
    found = judged(
        "return", said, ("return", reply), variant="unknown_label", expected={"wrong": "Coral Bay 99"}
    )
    assert list(found) == ["return_unknown_label"]
    assert only(found, "return_unknown_label").success is success, found


def test_a_transcript_without_the_scored_reply_is_named() -> None:
    with pytest.raises(InputError, match=r"scenario 'one' is of kind 'return'.*part 'return'"):
        judge(scenario("return", COMMAND, ("again", RESTATED), variant="within"))
