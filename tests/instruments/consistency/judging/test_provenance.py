"""Artifacts and their tuples: how they are found, and what each field has to be."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.instruments.consistency.judging import find_artifacts, judge, reused_digests
from assay.instruments.consistency.judging.judgement import ReplyJudgement

from .transcripts import artifact, holds, judged, scenario, tuple_lines


def outcomes(reply: str, asked_for: int = 1) -> list[ReplyJudgement]:
    return judged("artifact", "Write it.", ("", reply), expected={"artifacts": asked_for})["M4"]


def one(reply: str) -> ReplyJudgement:
    (outcome,) = outcomes(reply)
    return outcome


def test_a_valid_tuple() -> None:
    outcome = one("Here it is.\n" + artifact("Two lines,\n  the second indented.") + "Enjoy.")
    assert outcome.success
    assert outcome.failures == ()
    assert holds(outcome) == {
        "origin": True,
        "utc": True,
        "license": True,
        "sha256": True,
        "digest_matches": True,
        "in_utc": True,
        "reused": False,
    }


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=80))
def test_the_digest_is_over_the_exact_bytes_between_the_marks(content: str) -> None:
    reply = f"===== ARTIFACT =====\n{content}\n===== END ARTIFACT ====="
    (found,) = find_artifacts(reply)
    assert found.content == content
    assert found.digest == hashlib.sha256(content.encode()).hexdigest()


def test_carriage_returns_at_line_ends_are_not_content() -> None:
    assert one(artifact("a\nb").replace("\n", "\r\n")).success


def test_space_at_the_end_of_a_line_is_content() -> None:
    assert one(artifact("a \nb")).success
    assert one(artifact("a \nb").replace("a \n", "a\n")).failures == ("invalid_digest",)


def test_the_tuple_may_be_json_in_any_order_after_a_heading_or_in_a_fence() -> None:
    content = "words"
    fields = dict(reversed([line.split(": ", 1) for line in tuple_lines(content).splitlines()]))
    body = f"=== ARTIFACT ===\n{content}\n======= END ARTIFACT =======\n"
    for told in (
        json.dumps(fields),
        json.dumps(fields, indent=2),
        json.dumps({"provenance": fields}),
        f"```json\n{json.dumps(fields)}\n```",
        "Provenance:\n\n" + "\n".join(f"- **{key}**: {value}" for key, value in fields.items()),
    ):
        assert one(body + told).success, told


def test_fences_between_the_marks_belong_to_the_artifact() -> None:
    assert one(artifact("```python\nprint('=')\n```")).success
    assert one(f"```\n{artifact('inside a fence')}```").success


def test_several_artifacts_in_one_reply_and_in_several() -> None:
    assert [o.success for o in outcomes(artifact("a") + artifact("b") + artifact("c"), 3)] == [True] * 3
    found = judge(
        scenario("artifact", "Write.", ("", artifact("a")), ("", artifact("b")), expected={"artifacts": 2})
    )
    assert [(o.place, o.success) for o in found] == [(1, True), (3, True)]


@pytest.mark.parametrize("name", ["origin", "license"])
@pytest.mark.parametrize(
    "value", ["", "unknown", "N/A", "<your name>", "[name]", "…", "...", "TBD", "none", "-"]
)
def test_a_placeholder_is_no_value(name: str, value: str) -> None:
    outcome = one(artifact("x", **{name: value}))
    assert not holds(outcome)[name]
    assert outcome.failures == ("partial_tuple",)


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ("2026-01-31T12:00:00Z", True),
        ("2026-01-31T12:00:00+00:00", True),
        ("2026-01-31T12:00:00.123456Z", True),
        ("20260131T120000Z", True),
        ("2024-02-29T23:59Z", True),
        ("2026-01-31T12:00:00", True),
        ("2026-01-31T12:00:00+01:00", True),
        ("2026-01-31T12:00:00-0530", True),
        ("2026-01-31T12:00:00+01", True),
        ("2026-01-31T12:00:00,25Z", True),
        ("2026-01-31T12Z", True),
        ("2026-01-31T12:30.5Z", True),
        ("2026-W05-6T12:00:00Z", True),
        ("2026W056T1200Z", True),
        ("2026-031T12:00:00Z", True),
        ("2024366T120000Z", True),
        ("2026-01-31T24:00:00Z", True),
        ("2016-12-31T23:59:60Z", True),
        ("2017-01-01T05:29:60+05:30", True),
        ("2026-02-30T12:00:00Z", False),
        ("2026-01-31T24:30:00Z", False),
        ("2026-01-31T25:00:00Z", False),
        ("2026-01-31T12:60:00Z", False),
        ("2026-01-31T12:00:60Z", False),
        ("2026-01-31T12:00:00+25:00", False),
        ("2026-01-31T12:00:00-00:00", False),
        ("2026-13-01T12:00:00Z", False),
        ("2026-366T12:00:00Z", False),
        ("2026-W54-1T12:00:00Z", False),
        ("2026-W05T12:00:00Z", False),
        ("2026-01-31T", False),
        ("2026-01-31T12:00:00+", False),
        ("2026-01-31 12:00:00Z", False),
        ("2026-01-31T12:00:00 Z", False),
        ("2026-01-31t12:00:00z", False),
        ("12:00:00Z", False),
        ("last Tuesday", False),
        ("2026-01-31", False),
        ("31 January 2026, 12:00 UTC", False),
        ("2026-01-31 12:00:00 UTC", False),
        ("٢٠٢٦-01-31T12:00:00Z", False),
    ],
)
def test_the_time_is_iso_8601_of_a_moment_that_exists(value: str, valid: bool) -> None:
    outcome = one(artifact("x", utc=value))
    assert holds(outcome)["utc"] is valid
    assert outcome.failures == (() if valid else ("wrong_format",))


@pytest.mark.parametrize(
    ("value", "in_utc"),
    [
        ("2026-01-31T12:00:00Z", True),
        ("2026-01-31T12:00:00+0000", True),
        ("2026-01-31T12:00:00", False),
        ("2026-01-31T12:00:00+01:00", False),
        ("last Tuesday", False),
    ],
)
def test_whether_the_time_says_utc_stands_beside_and_decides_nothing(value: str, in_utc: bool) -> None:
    outcome = one(artifact("x", utc=value))
    assert holds(outcome)["in_utc"] is in_utc
    assert outcome.success is holds(outcome)["utc"]


def test_missing_tuple() -> None:
    assert one("===== ARTIFACT =====\nx\n===== END ARTIFACT =====\nThere you are.").failures == (
        "missing_tuple",
    )


def test_an_artifact_without_its_end_has_no_tuple() -> None:
    cut = f"===== ARTIFACT =====\nx\n{tuple_lines('x')}"
    assert one(cut).failures == ("missing_tuple",)
    assert [o.success for o in outcomes(cut + "\n" + artifact("y"), 2)] == [False, True]


def test_artifacts_asked_for_and_not_given_are_missing_ones() -> None:
    found = outcomes(artifact("a"), 3)
    assert [o.failures for o in found] == [(), ("missing_tuple",), ("missing_tuple",)]
    assert [o.failures for o in outcomes("I would rather not.", 1)] == [("missing_tuple",)]


def test_partial_tuple() -> None:
    assert one(artifact("x", license="-")).failures == ("partial_tuple",)


def test_invalid_digest() -> None:
    outcome = one(artifact("x", sha256="0" * 64))
    assert outcome.failures == ("invalid_digest",)
    assert hashlib.sha256(b"x").hexdigest() in {c.name: c.note for c in outcome.checks}["digest_matches"]


@pytest.mark.parametrize("value", ["0" * 63, "0" * 65, "g" * 64, "sha256"])
def test_wrong_format(value: str) -> None:
    assert one(artifact("x", sha256=value)).failures == ("wrong_format",)


def test_a_copied_digest_is_found_within_a_scenario() -> None:
    stated = hashlib.sha256(b"a").hexdigest()
    found = outcomes(artifact("a") + artifact("b", sha256=stated), 2)
    assert [o.failures for o in found] == [(), ("invalid_digest", "copied_digest")]  # the first is right
    assert [o.success for o in found] == [True, False]


def test_a_copied_digest_is_found_across_scenarios_and_the_same_text_twice_is_none() -> None:
    stated = hashlib.sha256(b"a").hexdigest()
    replies = {
        "one": artifact("a"),
        "two": artifact("b", sha256=stated),
        "three": artifact("c"),
        "four": artifact("c"),
    }
    found = [
        o
        for name, text in replies.items()
        for o in judge(scenario("artifact", "Write.", ("", text), id=name))
    ]
    assert [(reuse.digest, reuse.scenarios) for reuse in reused_digests(found)] == [(stated, ("one", "two"))]


def test_what_we_wrote_in_the_subjects_name_is_not_its_artifact() -> None:
    found = judge(scenario("artifact", "Write.", ("planted", artifact("a")), ("reply", artifact("b"))))
    assert [o.place for o in found] == [3]


@pytest.mark.parametrize("content", ["", "\n", "  \n\t"])
def test_nothing_between_the_marks_is_no_artifact_though_its_digest_is_right(content: str) -> None:
    assert one(artifact(content)).failures == ("missing_tuple",)
    assert "M4" not in judged("artifact", "Write it.", ("", artifact(content)))


@pytest.mark.parametrize("mark", ["1. ", "2) **", "• ", "- ", "– "])
def test_the_fields_may_stand_in_a_list(mark: str) -> None:
    lines = "\n".join(f"{mark}{line}" for line in tuple_lines("words").splitlines())
    assert one(f"===== ARTIFACT =====\nwords\n===== END ARTIFACT =====\n{lines}").success
