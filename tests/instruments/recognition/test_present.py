"""What people see of recognition: the table, the predictions one by one, the pictures, whatever names are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from assay.instruments.recognition.present import headline_of, present, summary_of
from assay.instruments.recognition.protocol import Recognition
from assay.report.html import ReportPage, render_report
from assay.report.presentation import Headline, Number, Picture
from assay.vocabulary import Measure, Reading, Result, Verdict

from .answering import Row, answers, scored

OWN, CONDITIONS, CONFUSION = (
    "Choosing one's own text",
    "By what stands beside the own text",
    "Who is taken for whom",
)
SIGNATURES, DRIFT, POSITIONS = "Signatures", "Drift by turn", "Preference for positions"
CONFIDENCE, GUESSES = "Stated confidence and being right", "Which maker is guessed"
DIMENSIONS = ("A_pole", "B_zero", "C_meta", "D_identity", "E_hedging")


def measure(name: str, value: float | None, **labels: str | float) -> Measure:
    return Measure(
        name=name,
        value=value,
        low=None if value is None else value - 0.1,
        high=None if value is None else value + 0.1,
        confidence=0.95,
        n=40,
        labels=labels,
        notes=("nothing was read",) if value is None else (),
    )


def verdict(name: str, holds: bool | None, **labels: str) -> Verdict:
    claim = "".join(f"{who}: " for who in labels.values()) + "a claim"
    return Verdict(
        name=name, kind="prediction", labels={**labels}, claim=claim, rule="r", holds=holds, because="so"
    )


def run_measures(subject: str) -> Iterator[Measure]:
    """What a run gives one subject, with several phases and conditions."""
    for at, phase in enumerate(("self", "gold", "inverse", "forward", "characteristics")):
        yield measure("accuracy", 0.9 - at / 10, subject=subject, phase=phase)
        yield measure("chance", 0.25, subject=subject, phase=phase)
    yield measure("accuracy", 0.11, subject=subject)
    for name, of_all, of_self in (
        ("accuracy_corrected", 0.12, 0.81),
        ("neutral_accuracy", 0.13, 0.71),
        ("self_advantage", 0.14, 0.19),
        ("order_consistent", 0.15, 0.61),
        ("unknown_rate", 0.05, 0.16),
        ("identity_markers", 0.17, 1.5),
        ("competence_markers", 0.18, 0.5),
    ):
        yield measure(name, of_all, subject=subject)
        yield measure(name, of_self, subject=subject, phase="self")
    yield measure("preference_agreement", 0.42, subject=subject)
    for condition in ("ordinary", "tokens"):
        yield measure("accuracy", 0.3, subject=subject, phase="self", condition=condition)
        yield measure("chance", 0.5, subject=subject, phase="self", condition=condition)
        yield measure("neutral_accuracy", 0.2, subject=subject, phase="self", condition=condition)
    for position in "123":
        yield measure("position_share", 0.1, subject=subject, phase="self", position=position)
    yield measure("confusion", 1.0, subject=subject, phase="self", chosen=subject)
    yield measure("reliability", 0.5, subject=subject, bin="0.5 to 0.6")
    yield measure("reliability_confidence", 0.55, subject=subject, bin="0.5 to 0.6")
    for dimension in DIMENSIONS:
        yield measure("signature", 1.0, subject=subject, dimension=dimension)
        yield measure("signature_spread", 0.5, subject=subject, dimension=dimension)
    for turn, phase in enumerate(("baseline", "baseline", "perturbation", "recovery"), 1):
        yield measure("drift", 1.0, subject=subject, turn=float(turn), phase=phase)
    yield measure("peak_drift", 1.4, subject=subject)
    yield measure("leak_rate", 0.31, subject=subject, redaction="before")
    yield measure("leak_rate", 0.02, subject=subject, redaction="after")
    yield measure("guess_share", 0.8, subject=subject, phase="inverse", source="maker")
    yield measure("guess_share", 0.2, subject=subject, phase="inverse", source=f"maker of {subject}")
    yield measure("balanced_accuracy", 0.37, subject=subject, phase="inverse")


def run_result(*subjects: str, verdicts: tuple[Verdict, ...] = ()) -> Result:
    found = [m for subject in subjects for m in run_measures(subject)]
    found += [measure("machine_accuracy", 0.62, baseline="n-grams")]
    found += [measure("machine_accuracy", 0.44, baseline="n-grams", group="maker")]
    return Result(
        instrument="recognition", version="2", source="ledger", measures=tuple(found), verdicts=verdicts,
        notes=("a note",), versions={"drift_signature": "2"},
    )  # fmt: skip


@cache
def pictures() -> dict[str, Picture]:
    return {picture.title: picture for picture in present(run_result("a", "b")).pictures}


def numbers(table: Headline, row: int = 0) -> dict[str, float | None]:
    cells = zip(table.columns, table.rows[row], strict=True)
    return {column: cell.value for column, cell in cells if isinstance(cell, Number)}


def rows_of(**more: str) -> list[Row]:
    return answers([(1, 1), (2, 2), (3, 1), (4, None)], confidence=4, **more)


def test_the_table_has_phase_self_with_chance_and_the_other_phases_beside_it() -> None:
    assert numbers(headline_of(run_result("a"))) == pytest.approx(
        {
            "accuracy": 0.9,
            "chance": 0.25,
            "corrected": 0.81,
            "other judges": 0.71,
            "self-advantage": 0.19,
            "same in every order": 0.61,
            "gold": 0.8,
            "inverse": 0.7,
            "forward": 0.6,
            "unreadable": 0.05,  # of all phases
        }
    )


def test_rows_of_phase_self_alone_fill_the_same_columns_and_others_are_left_out() -> None:
    found = numbers(headline_of(scored(rows_of())))
    assert found["accuracy"] == pytest.approx(2 / 3)
    assert found["unreadable"] == 0.25
    assert found["self-advantage"] is None  # nobody else was asked, and the table says so
    assert not {"gold", "inverse", "forward", "other judges"} & found.keys()


def test_a_subject_without_phase_self_has_nothing_of_another_phase_in_its_columns() -> None:
    found = numbers(headline_of(scored(rows_of(phase="gold"))))
    assert found.keys() == {"gold", "unreadable"}
    assert {picture.title for picture in present(scored(rows_of(phase="gold"))).pictures} == {CONFIDENCE}


def test_every_measure_of_a_run_has_its_picture() -> None:
    order = [OWN, CONDITIONS, CONFUSION, SIGNATURES, DRIFT, POSITIONS, CONFIDENCE, GUESSES]
    assert [*pictures()] == order


@pytest.mark.parametrize(
    ("title", "said"),
    [
        (OWN, "a, subject: 0.90"),
        (OWN, "a, other judges: 0.71"),
        (CONDITIONS, "ordinary, a, subject: 0.30"),
        (CONFUSION, "a, a: 1.00"),
        (CONFUSION, "a, b: 0.00"),  # never chosen
        (SIGNATURES, "a, A_pole: 1.00"),
        (SIGNATURES, "a, A_pole, spread: 0.50"),
        (DRIFT, "perturbation from 3"),
        (POSITIONS, "a, 1: 0.10"),
        (GUESSES, "a, maker: 0.80"),
        (GUESSES, "a, maker of b: 0.00"),  # never named
        (GUESSES, "a, balanced accuracy: 0.37"),
    ],
)
def test_alt_texts_have_the_numbers(title: str, said: str) -> None:
    assert said in pictures()[title].alt


def test_pictures_have_their_reference_lines() -> None:
    assert ">chance<" in pictures()[OWN].svg
    assert ">chance<" in pictures()[CONDITIONS].svg
    assert ">horizon<" in pictures()[DRIFT].svg
    assert ">perturbation<" in pictures()[DRIFT].svg


def test_rows_have_the_pictures_that_their_fields_allow() -> None:
    assert [p.title for p in present(scored(rows_of())).pictures] == [OWN, POSITIONS, CONFIDENCE]
    named = [{**row, "chosen": "s" if row["own"] == row["choice"] else "t"} for row in rows_of()[:3]]
    assert CONFUSION in [p.title for p in present(scored(named)).pictures]


def test_further_tables_are_of_texts_and_machines() -> None:
    texts, machines = present(run_result("a")).tables
    assert numbers(texts) == {"leak before redaction": 0.31, "leak after redaction": 0.02, "peak drift": 1.4}
    assert numbers(machines) == {"subject": 0.62, "maker": 0.44}
    assert present(scored(rows_of())).tables == ()


VERDICTS = (
    verdict("P-SR-1", True, subject="a"),
    verdict("P-SR-1", True, subject="b"),
    verdict("P-SR-1_self_advantage", False, subject="a"),
    verdict("P-SR-1_self_advantage", True, subject="b"),
    verdict("P-SR-2", None),
    verdict("P-SR-6", False, subject="a"),
)


def test_predictions_are_answered_one_by_one() -> None:
    said = summary_of(run_result("a", "b", verdicts=VERDICTS))
    begins = [line.split(":")[0] for line in said]
    assert begins[:5] == ["P-SR-1", "P-SR-1 as self-advantage", "P-SR-2", "P-SR-5", "P-SR-6"]
    first, still, fleet, reasons, inverse, missing, note = said
    assert "a: holds (so)." in first
    assert "a: fails (so)." in still
    assert still.endswith("this holds for b.")
    assert "not established (so)" in fleet
    assert "a: identity markers 1.500, competence markers 0.500, preference agreement 0.420." in reasons
    assert "holds" not in reasons
    assert "don't uniquely identify" in inverse  # how the specification reads a failure
    assert "P-SR-3 and P-SR-4" in missing
    assert note == "a note"


def test_of_many_subjects_there_are_counts() -> None:
    subjects = [f"s{i}" for i in range(9)]
    many = tuple(verdict("P-SR-1", i < 7, subject=who) for i, who in enumerate(subjects))
    first, reasons, *_ = summary_of(run_result(*subjects, verdicts=many))
    assert "7 hold and 2 fail" in first
    assert "s0, s1, s2, s3, s4 and 2 more" in first
    assert "Identity markers: 1.500 to 1.500" in reasons
    assert max(map(len, present(run_result(*subjects, verdicts=many)).summary)) < 400


def test_the_page_has_the_notes_once() -> None:
    assert "a note" not in present(run_result("a")).summary
    assert Recognition().summary(run_result("a"))[-1] == "a note"


def test_nothing_measured_is_no_picture_and_no_row() -> None:
    shown = present(Result(instrument="recognition", version="2", source="ledger", measures=()))
    assert (shown.headline.rows, shown.pictures, shown.tables) == ((), (), ())


def test_measures_without_a_value_are_shown_as_such() -> None:
    whole = run_result("a", "b")
    empty = [measure(m.name, None, **m.labels) for m in whole.measures]
    shown = present(Result(instrument="recognition", version="2", source="ledger", measures=tuple(empty)))
    assert set(numbers(shown.headline).values()) == {None}
    assert {p.title for p in shown.pictures} == {*pictures()}
    assert all(p.svg.startswith("<svg") for p in shown.pictures)


def test_hostile_names_are_text_wherever_they_stand() -> None:
    names = ("<script>alert(1)</script>", "x" * 300, "\u202egnorw", "$\\alpha$ & =1", "", "a_b\n_c")
    result = run_result(
        *names, verdicts=tuple(verdict("P-SR-1", True, subject=name) for name in names if name)
    )
    page = render_report(ReportPage(title="t", readings=[(Reading(result=result), present(result))]))
    assert "<script" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "cannot be shown" not in page


@pytest.mark.slow
def test_twenty_subjects_fit() -> None:
    shown = present(run_result(*(f"subject {i}" for i in range(20))))
    assert len(shown.headline.rows) == 20
    assert max(len(picture.svg) for picture in shown.pictures) < 200_000
    assert (
        "The first 8 of 20 lines are shown."
        in next(p for p in shown.pictures if p.title == SIGNATURES).caption
    )
