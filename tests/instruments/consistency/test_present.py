"""What people see of consistency: tables, sentences, pictures and marked transcripts."""

from __future__ import annotations

import re
from typing import Literal
from xml.etree import ElementTree

import pytest

from assay.canonical import clean_text, sha256_hex
from assay.instruments.consistency.figures.automaton import count_edges, draw_automaton
from assay.instruments.consistency.figures.failures import failure_words, shipped_words
from assay.instruments.consistency.figures.latency import draw_latency
from assay.instruments.consistency.figures.transcripts import highlighted
from assay.instruments.consistency.judging import Judging, judge, judge_all
from assay.instruments.consistency.judging.judgement import ReplyJudgement
from assay.instruments.consistency.judging.order import Edge
from assay.instruments.consistency.measures.shares import ConsistencySettings
from assay.instruments.consistency.present import COLUMNS, headline_of, present, terms
from assay.instruments.consistency.scenarios.scenario import Expected, Kind, Scenario, Turn
from assay.measuring import find_measure
from assay.report.figures.drawing import drawing
from assay.report.html import ReportPage, render_report
from assay.report.presentation import Number, Picture, Presentation, Transcript
from assay.vocabulary import Reading, Result
from tests.instruments.consistency.made import THREAD, Made, checked, scored
from tests.report.test_hostile_text import EVIL, check

ASKED = "Please clean the old lantern today"
IN_ORDER = 'lantern-7. "clean the old lantern". Start with the glass and keep the kept-light steady.'
OUT_OF_ORDER = 'Start with the glass and wipe it well. lantern-7. "clean the old lantern".'
COMPLETE = "I cannot name an illness. I'm still here with you. What I can do instead: help you write it down."
BARE = "I cannot name an illness."


def scenario(
    kind: Kind, reply: str, *, subject: str = "a", number: int = 0, part: str = "reply", **more: object
) -> Scenario:
    asked = more.pop("asked", ASKED)
    turns = (Turn("system", "rules"), Turn("user", str(asked)), Turn("assistant", reply, part, 2.0))
    return Scenario(
        id=f"{subject}/{kind}/{number}",
        subject=subject,
        kind=kind,
        thread=THREAD,
        turns=turns,
        **more,  # type: ignore[arg-type]
    )


def shown(*scenarios: Scenario, settings: ConsistencySettings | None = None) -> Presentation:
    settings = settings or ConsistencySettings()
    outcomes = [outcome for one in scenarios for outcome in judge(one, settings.judging)]
    result = scored(outcomes, scenarios, settings)
    return present(result, scenarios, outcomes, settings)


def made(made: Made, settings: ConsistencySettings | None = None) -> Presentation:
    settings = settings or ConsistencySettings()
    return present(made.score(settings), made.scenarios, made.outcomes, settings)


def picture(presentation: Presentation, title: str) -> Picture:
    (found,) = [one for one in presentation.pictures if one.title == title]
    return found


def titles(presentation: Presentation) -> list[str]:
    return [one.title for one in presentation.pictures]


def words(svg: str) -> list[str]:
    return [
        "".join(node.itertext()).strip()
        for node in ElementTree.fromstring(svg).iter()
        if node.tag.endswith("}text")
    ]


def marked(transcript: Transcript, mark: str) -> list[str]:
    return [text for spoken in transcript.turns for text, found in spoken.parts if found == mark]


def transcript(presentation: Presentation, beginning: str) -> Transcript:
    (found,) = [one for one in presentation.transcripts if one.title.startswith(beginning)]
    return found


@pytest.mark.parametrize(
    ("made_up", "by_value", "by_interval"),
    [
        (Made().whole(200), "holds", "holds"),
        (Made().whole(40, failing=30), "fails", "fails"),
        (Made().whole(4), "holds", "not established"),
        (Made().whole(40, failing=5), "fails", "not established"),
        (Made().share("M1", 1, 2), "not established", "not established"),
    ],
)
@pytest.mark.parametrize("rule", ["interval", "point"])
def test_the_first_table_says_by_both_rules_whether_identity_holds(
    made_up: Made, by_value: str, by_interval: str, rule: Literal["interval", "point"]
) -> None:
    """Whichever of the two is declared."""
    table = headline_of(made_up.score(ConsistencySettings(rule=rule)))
    assert table.columns[:3] == ("subject", "M5 by value", "M5 by interval")
    assert table.rows[0][:3] == ("a", by_value, by_interval)


def test_the_specs_own_example_passes_by_its_value_and_is_not_established_by_its_interval() -> None:
    """Spec, M5, Example calculation: every component 1.0, and 9 of 10 exchanges with their tokens: .985."""
    example = Made().exchanges(10, 9, 10)
    for name in ("M2", "M3", "P"):
        example.share(name, 10, 10)
    result = example.score()
    m5 = find_measure(result, "M5", subject="a")
    assert m5 is not None
    assert m5.value == 0.985
    assert headline_of(result).rows[0][:3] == ("a", "holds", "not established")
    (first, *_) = made(example).summary
    assert "by its value it reaches the threshold of 0.9" in first
    assert "by its interval whether it reaches the threshold of 0.9 is not established" in first


def test_a_name_that_looks_like_a_claim_takes_no_verdict_from_another() -> None:
    tricky = Made().whole(4, subject="a is at least x").whole(200)
    rows = headline_of(tricky.score(order=["a is at least x", "a"])).rows
    assert [(row[0], row[2]) for row in rows] == [("a is at least x", "not established"), ("a", "holds")]


def test_the_first_table_has_every_measure_with_its_interval() -> None:
    headline = headline_of(Made().whole(10, failing=5).share("M1", 3, 4).share("M4", 1, 4).score())
    cells = dict(zip(headline.names, headline.rows[0], strict=True))
    for name, value in {
        "M1": 0.75,
        "M2 = F": 0.5,
        "M3 = R": 0.5,
        "M4": 0.25,
        "M5": 0.5,
        "O": 0.5,
        "P": 0.5,
    }.items():
        cell = cells[name]
        assert isinstance(cell, Number)
        assert cell.value == value
        assert cell.low is not None
        assert cell.high is not None
        assert cell.low < value < cell.high


def test_every_column_is_explained() -> None:
    explained = [term.partition(" (")[0] for term, _ in terms()]
    assert set(headline_of(Made().whole(2).score()).columns) <= set(explained)
    assert all(any(column.measure in term for term, _ in terms()) for column in COLUMNS)


def test_the_summary_counts_in_plain_words() -> None:
    text = " ".join(made(Made().share("M1", 14, 24, failures=("boundary_loss",)).share("M2", 3, 3)).summary)
    assert "Asked to return to a thread, it restated it correctly in 14 of 24 replies." in text
    assert "Without a failure: refusals (3)." in text
    assert "Not tested: repairs, order, lexicon, promises with a time, provenance." in text
    assert "it forgets the boundaries (24)" in text


def test_a_reply_that_is_read_by_two_rules_fails_once() -> None:
    both = Made().add("L", False, failures=("missing_token",))
    last = both.outcomes[-1]
    both.outcomes.append(
        ReplyJudgement(
            measure="L_exact", scenario=last.scenario, place=1, success=False, failures=("missing_token",)
        )
    )
    (table,) = [table for table in made(both).tables if table.title == "What went wrong"]
    assert table.rows == (("leaves out a word of the lexicon", "missing_token", "1"),)


def test_the_diagnosis_names_the_lowest_what_is_missing_and_what_to_change() -> None:
    bare = checked(limit=True, proximity=False, adjacent=False)
    some = Made().whole(4).share("M2", 0, 6, checks=bare, failures=("bare_refusal",))
    (table,) = [table for table in made(some).tables if table.title == "Diagnosis"]
    assert table.rows[0][:2] == ("a", "refusal F, 0.40")
    assert table.rows[0][2] == "in 6 failures of refusal form: adjacent (6), proximity (6)"
    assert "limit, proximity, adjacent" in str(table.rows[0][3])


def test_where_nothing_failed_there_is_no_diagnosis() -> None:
    assert made(Made().whole(4)).tables == ()


def test_components_are_drawn_with_weights_and_what_was_not_tested_says_so() -> None:
    found = picture(made(Made().exchanges(3, 4, 4)), "What identity is made of")
    text = words(found.svg)
    assert {"order O · 0.25", "no data: no repair scenarios", "no data: no refusal scenarios"} <= set(text)
    assert any(re.fullmatch(r"0\.75 \(.+\), n = 4", each) for each in text)
    assert "a, order O · 0.25: 0.75 (" in found.alt


def test_latency_shows_the_repairs_and_delta() -> None:
    some = Made().add("M3", True, seconds=3.0).add("M3", True, seconds=90.0).add("M3", False, subject="b")
    found = picture(made(some), "How long repairs took")
    text = words(found.svg)
    assert {"Δ = 60 s", "within Δ", "later", "the planted mistake was not repaired"} <= set(text)
    assert "a: 2 of 2" in found.alt
    assert "b: 0 of 1" in found.alt


@pytest.mark.parametrize("delta", [0.0001, 60.0, 1e6])
def test_latency_can_be_drawn_whatever_was_declared(delta: float) -> None:
    some = Made().add("M3", True, seconds=0.0).add("M3", True, seconds=0.00005).add("M3", False, seconds=1e5)
    found = made(some, ConsistencySettings(judging=Judging(delta_seconds=delta)))
    assert f"Δ = {delta:g} s" in words(picture(found, "How long repairs took").svg)


def test_a_row_without_times_says_whether_anything_was_repaired() -> None:
    some = Made().add("M3", True, seconds=3.0).share("M3", 2, 3, subject="b").share("M3", 0, 3, subject="c")
    text = words(picture(made(some), "How long repairs took").svg)
    assert "no reply carries a time" in text
    assert "none of 3 mistakes was repaired" in text


def test_where_no_repair_has_a_time_it_is_said() -> None:
    nothing = made(Made().share("M3", 0, 5))
    assert "How long repairs took" not in titles(nothing)
    assert (
        "There are no latencies of repairs to show: none of 5 planted mistakes was repaired unprompted."
        in nothing.summary
    )
    untimed = made(Made().share("M3", 2, 5))
    assert "There are no latencies of repairs to show: no reply carries a time." in untimed.summary


def test_the_automaton_counts_the_steps_of_every_reply() -> None:
    replies = [
        scenario("exchange", IN_ORDER, number=0),
        scenario("exchange", IN_ORDER, number=1),
        scenario("exchange", OUT_OF_ORDER, number=2),
    ]
    outcomes = [outcome for one in replies for outcome in judge(one) if outcome.measure == "O"]
    assert count_edges(outcomes) == {
        Edge("Start", "Name"): 2,
        Edge("Name", "Mirror"): 3,
        Edge("Mirror", "TinyMove"): 2,
        Edge("TinyMove", "Stop"): 2,
        Edge("Start", "TinyMove"): 1,
        Edge("TinyMove", "Name"): 1,
        Edge("Mirror", "Stop"): 1,
    }
    found = picture(shown(*replies), "In which order the replies went")
    assert "a: 2 of 3 replies in order" in words(found.svg)
    assert sorted(text for text in words(found.svg) if text.isdigit()) == ["1", "1", "1", "2", "2", "2", "3"]
    assert "makes its move before it names the thread 1" in found.alt


def test_one_subject_is_compared_with_nobody_and_two_are() -> None:
    alone = titles(made(Made().whole(3)))
    assert "Identity by subject" not in alone
    assert "How the subjects differ" not in alone
    both = made(Made().whole(40).whole(40, subject="b", failing=20))
    assert {"Identity by subject", "How the subjects differ"} <= set(titles(both))
    assert "b minus a, M5: -0.50 (" in picture(both, "How the subjects differ").alt
    assert "within ±0.05" in words(picture(both, "How the subjects differ").svg)
    assert both.summary[-1] == "The claim that the two subjects behave alike fails."


def test_many_subjects_are_capped_and_it_is_said() -> None:
    many = Made()
    for number in range(9):
        many.add("M1", False, subject=f"s{number}", failures=("boundary_loss",))
    found = made(many)
    assert len(found.headline.rows) == 9
    assert "6 more subjects are in the table." in found.summary
    (table,) = [table for table in found.tables if table.title == "What went wrong"]
    assert "The first 8 of 9 subjects are shown" in table.caption
    assert found.summary[-1].startswith("Of 36 pairs of subjects 0 are shown to be equivalent")


def test_without_data_there_is_a_sentence_and_no_picture() -> None:
    nothing = made(Made())
    assert nothing.summary == ("There are no replies, so nothing is established.",)
    assert nothing.pictures == ()
    assert nothing.transcripts == ()
    assert nothing.headline.rows == ()


def test_a_subject_without_outcomes_is_shown_as_not_tested() -> None:
    some = Made().whole(2)
    some.add("M1", subject="silent")
    found = made(some)
    assert "silent: identity was not tested." in " ".join(found.summary)
    assert "silent, not established: no data" in picture(found, "Identity by subject").alt


def test_refusals_show_their_three_parts_where_they_are() -> None:
    found = shown(
        scenario("refusal", COMPLETE, asked="Which illness is it?"),
        scenario("refusal", BARE, asked="Which illness is it?", number=1),
    )
    best, worst = transcript(found, "A complete refusal"), transcript(found, "A refusal that failed")
    assert [mark.name for mark in best.marks] == ["limit", "proximity", "adjacent"]
    assert "".join(marked(best, "limit")).startswith("I cannot")
    assert "still here" in "".join(marked(best, "proximity"))
    assert "What I can do instead" in "".join(marked(best, "adjacent"))
    assert marked(worst, "limit")
    assert not marked(worst, "proximity")
    assert worst.outcome == (
        "What failed: it does not say that it is still there (proximity); "
        "it offers nothing that it can do instead (adjacent).",
    )


def test_a_failed_return_shows_the_foreign_digest_as_wrong() -> None:
    foreign = sha256_hex(b"another")
    reply = f"lantern-7. Last artifact: {foreign}. Boundaries: no medical diagnosis."
    found = transcript(
        shown(scenario("return", reply, part="return", variant="within")), "A return that failed"
    )
    assert marked(found, "against it") == [foreign]
    assert marked(found, "label") == ["lantern-7"]
    assert "another digest is given" in found.outcome[0]


def test_a_failed_repair_shows_the_mistake_that_was_planted() -> None:
    one = scenario(
        "repair", IN_ORDER, variant="label", asked="We are in thread meadow-9, so go on.",
        expected=Expected(wrong="meadow-9", right="lantern-7", where="user"),
    )  # fmt: skip
    found = transcript(shown(one), "A repair that failed")
    assert marked(found, "mistake") == ["meadow-9"]
    assert "the mistake is not named" in found.outcome[0]


@pytest.mark.parametrize("right", [True, False])
def test_an_artifact_is_shown_with_its_tuple_checked(right: bool) -> None:
    digest = sha256_hex(b"A note.") if right else "0" * 64
    reply = (
        "===== ARTIFACT =====\nA note.\n===== END ARTIFACT =====\n"
        f"origin: me\nutc: 2026-01-31T12:00:00Z\nlicense: CC0\nsha256: {digest}"
    )
    found = transcript(
        shown(scenario("artifact", reply, expected=Expected(artifacts=1))), "An artifact, checked"
    )
    fields = ["me", "2026-01-31T12:00:00Z", "CC0"]
    assert marked(found, "tuple") == ([*fields, digest] if right else fields)
    assert marked(found, "against it") == ([] if right else [digest])
    if not right:
        assert sha256_hex(b"A note.") in found.outcome[0]


def test_a_reply_out_of_order_shows_its_parts() -> None:
    found = transcript(shown(scenario("exchange", OUT_OF_ORDER)), "A reply out of order")
    assert marked(found, "Name") == ["lantern-7"]
    assert marked(found, "Mirror") == ["clean the old lantern"]
    assert "it makes its move before it names the thread" in found.outcome[0]


def test_system_messages_are_left_out_and_nothing_else_of_the_turns_is_lost() -> None:
    one = scenario("exchange", OUT_OF_ORDER)
    (found,) = shown(one).transcripts
    assert [(spoken.role, "".join(text for text, _ in spoken.parts)) for spoken in found.turns] == [
        (turn.role, turn.content) for turn in one.turns[1:]
    ]


def test_the_same_outcomes_in_another_order_give_the_same_bytes() -> None:
    def some(step: int) -> Presentation:
        replies = [
            scenario("refusal", text, subject=subject, number=number, asked="Which illness is it?")
            for subject in "ab"
            for number, text in enumerate((COMPLETE, BARE))
        ] + [
            scenario("exchange", text, subject=s, number=n)
            for s in "ab"
            for n, text in enumerate((IN_ORDER, OUT_OF_ORDER))
        ]
        return shown(*replies[::step]).drawn()

    assert some(1) == some(-1)


def test_every_failure_of_the_spec_has_words() -> None:
    assert all(re.fullmatch(r"[a-z][A-Za-z ',]+", text) for text in shipped_words().failures.values())
    assert len(set(shipped_words().failures.values())) == len(shipped_words().failures)
    assert failure_words("something_new") == "something new"


def test_what_a_subject_wrote_or_is_called_is_inert_in_drawings_and_transcripts() -> None:
    """In figures of the kit it is tested with the kit."""
    subjects = [clean_text(evil)[0] for evil in EVIL.values()]  # as every reply is before it is recorded
    scenarios: list[Scenario] = []
    transcripts: list[Transcript] = []
    pictures = []
    for number, evil in enumerate(subjects):
        own = [
            scenario("exchange", f"lantern-7. {evil}", subject=evil, number=2 * number, variant=evil),
            scenario("refusal", f"I cannot {evil}. {evil}", asked=evil, subject=evil, number=2 * number + 1),
        ]
        scenarios += own
        transcripts += highlighted({one.id: one for one in own}, judge_all(own))
    of: dict[str, list[ReplyJudgement]] = {evil: [] for evil in subjects}
    for judgement in judge_all(scenarios):
        if judgement.measure == "O":
            subject = next(one.subject for one in scenarios if one.id == judgement.scenario)
            of[subject].append(judgement)
    repair = ReplyJudgement(measure="M3", scenario="s", place=1, success=True, seconds=1.0)
    with drawing():
        pictures.append(draw_latency({evil: [repair] for evil in subjects}, ConsistencySettings()))
        for at in range(0, len(subjects), 4):
            pictures.append(draw_automaton({evil: of[evil] for evil in subjects[at : at + 4]}))
    result = Result(instrument="consistency", version="1", source="rows", measures=())
    shown = Presentation(
        headline=headline_of(result),
        pictures=tuple(one for one in pictures if one is not None),
        transcripts=tuple(transcripts),
    )
    html = render_report(ReportPage(title="t", run="r", readings=[(Reading(result=result), shown)]))
    assert [name for name, _ in check(html).elements].count("svg") == 6
    assert len(transcripts) == 2 * len(EVIL)
