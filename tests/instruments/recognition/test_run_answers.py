"""What a run asks beside plain lineups: conditions, an option "Unknown", characteristics, sources, the best text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import InputError
from assay.instruments.recognition.row_options import RecognitionRowOptions
from assay.instruments.recognition.scoring import score_rows
from assay.vocabulary import Measure, Result

from .answering import Row, answer, answers, find, scored, value, verdict
from .oracle import agreement, balanced, points, shares
from .test_oracle import rows_of, scale_of

CONDITIONS = ("", "ordinary", "tokens")


def judged(condition: str, right: int, of: int = 40, **more: Any) -> list[Row]:
    """Answers of s on lineups of two, own texts at both places in turn; the first ``right`` are right."""
    pairs = [(1 + at % 2, 1 + at % 2 if at < right else 2 - at % 2) for at in range(of)]
    return answers(pairs, options=2, condition=condition, **more)


def names(result: Result, label: str) -> set[str]:
    return {m.name for m in result.measures if label in m.labels}


def test_a_condition_is_measured_apart_and_has_its_own_verdict() -> None:
    rows = judged("", 40) + judged("tokens", 22) + judged("forgeries", 40) + judged("", 10, subject="x")
    result = scored(rows + judged("forgeries", 40, subject="x"))
    assert value(result, "accuracy", phase="self") == value(result, "accuracy") == 1.0
    assert value(result, "accuracy", condition="tokens") == value(
        result, "accuracy_corrected", condition="tokens"
    )
    assert value(result, "accuracy", condition="tokens") == 0.55
    assert value(result, "accuracy_above_chance", condition="tokens") == pytest.approx(0.05)
    assert value(result, "self_advantage") == 0.75
    assert value(result, "self_advantage", condition="forgeries") == 0.0
    assert value(result, "self_advantage", condition="tokens") is None
    assert value(result, "position_share", condition="tokens", position="1") == 0.5
    assert {"chance", "chance_p", "unknown_rate", "accuracy_shuffled", "order_consistent"} <= names(
        result, "condition"
    )
    assert verdict(result, "above_chance_corrected", condition="forgeries").holds
    assert verdict(result, "above_chance_corrected", condition="tokens").holds is None
    assert {v.name for v in result.verdicts if "condition" in v.labels} == {"above_chance_corrected"}
    assert verdict(result, "P-SR-1").holds


def test_lineups_of_one_name_under_two_conditions_are_two() -> None:
    rows = [
        answer(1, 1, options=2),
        answer(2, 1, options=2, condition="tokens"),
        answer(1, 2, options=2, condition="tokens", subject="x"),
    ]
    result = scored(rows)
    assert value(result, "self_advantage") is None
    assert value(result, "self_advantage", condition="tokens") == 0.0


def test_answers_that_no_measure_takes_are_counted_in_the_notes() -> None:
    rows = [
        answer(1, 1),
        answer(1, 1, phase="gold", condition="tokens"),
        answer(1, 1, asked="best", subject="x"),
        answer(1, 1, asked="best", condition="tokens"),
    ]
    notes = score_rows(rows, RecognitionRowOptions())[0].notes
    assert any(note.startswith("3 answers are not scored") for note in notes)
    assert not any("judges of others" in note for note in notes)


def test_several_subjects_are_a_family_within_their_condition() -> None:
    """6 of 6 against 1/2: p = .031 alone, .063 by Holm over two."""
    one = judged("tokens", 6, 6)
    other = [{**row, "subject": "t", "target": "t"} for row in one]
    assert verdict(scored(one), "above_chance_corrected", condition="tokens").holds
    elsewhere = [{**row, "condition": "ordinary"} for row in other]
    assert verdict(scored(one + elsewhere), "above_chance_corrected", condition="tokens").holds
    assert verdict(scored(one + other), "above_chance_corrected", condition="tokens").holds is None


def test_chance_is_one_of_those_that_name_a_source() -> None:
    """Five options, of which the last is "Unknown": chosen by 4 of 16, 4 right."""
    pairs = [(1 + at % 4, 1 + at % 4 if at < 4 else 5 if at < 8 else 4 - at % 4) for at in range(16)]
    result = scored(answers(pairs, phase="inverse", options=5, named=4))
    assert value(result, "chance", phase="inverse") == 0.25
    assert value(result, "accuracy", phase="inverse") == 0.25
    assert value(result, "accuracy_above_chance", phase="inverse") == 0.0
    found = find(result, "unknown_choice_rate", phase="inverse")
    assert (found.value, found.k, found.n) == (0.25, 4, 16)
    assert value(result, "unknown_rate") == 0.0
    assert value(result, "confusion", chosen="Unknown") == 1.0
    assert verdict(result, "above_chance", phase="inverse").holds is None
    plain = scored(answers(pairs, phase="inverse", options=5))
    assert value(plain, "chance", phase="inverse") == 0.2
    assert "unknown_choice_rate" not in names(plain, "subject")


def test_the_specifications_chance_and_the_true_one() -> None:
    """60 of 200 right: above .20, and not above 1/2 of two makers."""
    pairs = [(1 + at % 2, 1 + at % 2 if at < 60 else 3) for at in range(200)]
    result = scored(answers(pairs, phase="inverse", options=3, named=2))
    assert verdict(result, "P-SR-6").holds
    failed = verdict(result, "P-SR-6_chance")
    assert failed.holds is False
    assert "don't uniquely identify" in failed.because
    assert "uniquely" not in verdict(result, "P-SR-6").because


def test_one_source_that_is_named_always_is_shown() -> None:
    sources = ["x", "x", "x", "y", "z", "z"]
    places = {"x": 1, "y": 2, "z": 3}
    rows = [
        answer(
            places[source], 1 if at < 5 else 4, options=4, named=3, phase="inverse", lineup=f"l{at}",
            source=source, chosen="x" if at < 5 else "",
        )
        for at, source in enumerate(sources)
    ]  # fmt: skip
    result = scored(rows)
    assert value(result, "accuracy", phase="inverse") == 0.5
    assert value(result, "balanced_accuracy") == pytest.approx(1 / 3)
    shares = {name: value(result, "guess_share", source=name) for name in ("x", "y", "z", "Unknown")}
    assert shares == {"x": pytest.approx(5 / 6), "y": 0.0, "z": 0.0, "Unknown": pytest.approx(1 / 6)}
    assert "5 of 6 guesses name x" in find(result, "accuracy", phase="inverse").notes
    assert len(find(result, "accuracy").notes) == 1
    mixed = scored([{**row, "choice": 2, "chosen": "y"} if row["lineup"] == "l3" else row for row in rows])
    assert not any("guesses" in note for m in mixed.measures for note in m.notes)
    unread = find(scored([*rows[:5], {**rows[5], "choice": None}]), "balanced_accuracy")
    assert (unread.value, unread.bound_low, unread.bound_high) == pytest.approx((1 / 3, 1 / 3, 1 / 2))


def test_a_source_counts_in_phase_inverse_alone() -> None:
    result = scored([answer(1, 1, source="news", chosen="s"), answer(2, 3, source="news", chosen="x")])
    assert not names(result, "source")
    assert not any(m.name == "balanced_accuracy" for m in result.measures)


def of_phase(name: str, right: int, wrong: int, options: int) -> list[Row]:
    """Right answers at every option in turn; wrong answers choose the next one."""
    pairs = [(1 + at % options, 1 + (at + (at >= right)) % options) for at in range(right + wrong)]
    return answers(pairs, phase=name, options=options)


def test_both_directions_are_forward_and_characteristics_where_these_were_asked() -> None:
    forward, inverse = of_phase("forward", 57, 3, 3), of_phase("inverse", 6, 54, 5)
    failed = verdict(scored(forward + inverse), "P-SR-3")
    assert failed.holds is False
    assert "phases forward and inverse " in failed.claim
    assert "not bijective" in failed.because
    result = scored(forward + inverse + of_phase("characteristics", 57, 3, 2))
    for name in ("P-SR-3", "P-SR-3_corrected"):
        assert verdict(result, name).holds
        assert "phases forward and characteristics" in verdict(result, name).claim
    assert value(result, "accuracy", phase="characteristics") == 0.95
    assert verdict(result, "above_chance", phase="characteristics").holds
    alone = verdict(scored(of_phase("characteristics", 57, 3, 2)), "P-SR-3")
    assert alone.holds is None
    assert "forward no answers" in alone.because


def test_always_no_passes_as_it_is_and_not_corrected() -> None:
    """Nine of ten texts have no list."""
    forward = of_phase("forward", 57, 3, 3)
    no = answers([(2 if at % 10 else 1, 2) for at in range(100)], phase="characteristics", options=2)
    result = scored(forward + no)
    assert verdict(result, "P-SR-3").holds
    assert verdict(result, "P-SR-3_corrected").holds is not True
    assert value(result, "accuracy_corrected", phase="characteristics") == 0.5
    never = answers([(2, 2)] * 100, phase="characteristics", options=2)
    found = verdict(scored(forward + never), "P-SR-3_corrected")
    assert found.holds is None
    assert "with every option as the right one" in found.because


def test_a_failure_is_read_as_the_specification_reads_it() -> None:
    result = scored(answers([(1, 2)] * 40))
    assert verdict(result, "P-SR-1").holds is False
    assert "may not capture identity" in verdict(result, "P-SR-1").because
    assert "specification reads" not in verdict(scored(answers([(1, 1)] * 40)), "P-SR-1").because
    comparison = verdict(result, "above_chance", phase="self")
    assert comparison.holds is False
    assert "specification reads" not in comparison.because


def both(
    own: tuple[int, int | None], best: tuple[int, int | None], lineup: str = "l", **more: Any
) -> list[Row]:
    return [answer(*own, lineup=lineup, **more), answer(*best, lineup=lineup, asked="best", **more)]


def test_a_subject_that_picks_what_it_prefers() -> None:
    """Ten lineups of two, own text best in seven; the choice follows the preference in another order."""
    rows = [
        row for at in range(10) for row in both((1, 1 + (at > 6)), (2, 2 - (at > 6)), f"l{at}", options=2)
    ]
    result = scored(rows)
    assert value(result, "accuracy", phase="self") == value(result, "preference_own") == 0.7
    found = find(result, "preference_agreement")
    assert (found.value, found.k, found.n) == (1.0, 10, 10)
    assert found.low is not None
    assert value(result, "preference_agreement_chance") == pytest.approx(0.7 * 0.7 + 0.3 * 0.3)
    assert value(result, "unknown_rate") == 0.0
    assert find(result, "accuracy").n == 10


def test_the_agreement_has_an_interval_by_prompts() -> None:
    rows = [row for at in range(20) for row in both((1, 1), (2, 2), f"l{at}")]
    apart = find(scored(rows), "preference_agreement")
    together = find(
        scored([{**r, "cluster": f"p{int(r['lineup'][1:]) // 5}"} for r in rows]), "preference_agreement"
    )
    assert apart.low is not None
    assert together.low is not None
    assert together.low < apart.low


@pytest.mark.parametrize(
    ("rows", "expected", "limits"),
    [
        (both((1, 1), (3, 3)), 1.0, None),
        (both((1, 2), (3, 3)), 0.0, None),
        (both((1, 2), (1, 2)), 1.0, None),  # the own text at the same place: one order
        (both((1, 2), (1, 3)), 0.0, None),
        (both((1, 2), (3, 4)), None, (0.0, 1.0)),  # the same text only if the orders are rotations
        (both((1, 2), (3, 4), chosen="x"), 1.0, None),
        (both((1, 2), (3, 4), chosen="x")[:1] + both((1, 2), (3, 4), chosen="y")[1:], 0.0, None),
        (both((1, 2), (3, 4)) + both((1, 1), (2, 2), "m"), None, (0.5, 1.0)),
        (both((1, None), (3, 3)) + both((1, 1), (2, 2), "m"), 1.0, (0.5, 1.0)),
        (both((1, 1), (1, None)), None, (0.0, 1.0)),
        (both((1, 1), (1, 1)) + both((2, 3), (2, 2))[:1], 0.5, None),  # one preference, two answers
        ([answer(1, 1), answer(1, 1, lineup="m", asked="best")], "absent", None),
    ],
)
def test_what_is_the_same_text(rows: list[Row], expected: float | str | None, limits: Any) -> None:
    result = scored(rows)
    if expected == "absent":
        assert not any(m.name == "preference_agreement" for m in result.measures)
        assert value(result, "preference_own") == 1.0
        return
    found = find(result, "preference_agreement")
    assert found.value == expected
    assert (found.bound_low, found.bound_high) == (limits or (None, None))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"named": 5}, "named: must be a position, 1 to options, not 5"),
        ({"named": 0}, "named: must be a number from 1 to 20"),
        ({"named": 2.5}, "named: must be a whole number"),
        ({"named": 2}, "own: must be a position that names a source, 1 to named, not 3"),
        ({"asked": "worst"}, "asked: 'worst' is none of its names"),
        (
            {"phase": "inverse", "source": "x", "chosen": "s"},
            "chosen: must be the source where the choice is its text",
        ),
    ],
)
def test_a_mistake_in_the_further_fields_is_told(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        scored([answer(1, 1), answer(3, 3, **fields)])
    assert said in str(error.value)
    assert "row 2" in str(error.value)


def test_where_only_one_option_names_a_source_there_is_nothing_to_beat() -> None:
    result = scored(answers([(1, 1), (1, 2), (1, 2)], options=2, named=1, phase="inverse"))
    assert value(result, "chance", phase="inverse") == 1.0
    assert value(result, "unknown_choice_rate", phase="inverse") == pytest.approx(2 / 3)


def run_rows(seed: int) -> list[Row]:
    """Random rows with conditions, an option "Unknown", sources and preferences."""
    draw, rows = random.Random(seed), []
    for at, row in enumerate(rows_of(seed)):
        more: Row = {"condition": "", "trial": f"t{at}", "phase": "self"}
        if row["phase"] == "inverse":
            more |= {"phase": "inverse", "source": f"source {row['own']}"}
            more["named"] = draw.choice([None, max(row["options"] - 1, row["own"])])
            more["chosen"] = f"source {row['choice']}" if row["choice"] else ""
        else:
            more["condition"] = CONDITIONS[max(int(row["lineup"][1:]) % 5 - 2, 0)]
            more["asked"] = draw.choice(["", "own", "best"])
        rows.append({**row, **more})
    return rows


@pytest.mark.parametrize("seed", range(40))
def test_every_point_value_under_every_condition_is_that_of_plain_loops(seed: int) -> None:
    rows = run_rows(seed)
    scale = scale_of(rows)
    result = scored(rows, scale=scale, intervals=False)
    plain = [r for r in rows if r.get("asked") != "best"]
    for condition in CONDITIONS:
        under = [r for r in plain if r["condition"] == condition]
        for subject in {r["subject"] for r in under if r["subject"] == r["target"]}:
            for (name, labels), expected in points(under, subject, scale[1]).items():
                at = {"condition": condition, **dict(labels)} if condition else dict(labels)
                if "phase" in at and condition:
                    continue
                got = find(result, name, subject, **at).value
                if name == "position_preference" and got is None:
                    continue
                assert got == (None if expected is None else pytest.approx(expected, abs=1e-11)), (name, at)
    for subject in {r["subject"] for r in rows if r["subject"] == r["target"]}:
        main = [r for r in rows if r["condition"] == "" and r["subject"] == r["target"] == subject]
        guesses = [r for r in main if r["phase"] == "inverse"]
        if guesses:
            assert value(result, "balanced_accuracy", subject) == pytest.approx(balanced(guesses))
            for name, share in shares(guesses).items():
                assert value(result, "guess_share", subject, source=name) == pytest.approx(share)
        agreed = agreement([r for r in main if r["phase"] == "self"])
        found = [
            m for m in result.measures if m.name == "preference_agreement" and m.labels["subject"] == subject
        ]
        assert [m.value for m in found] == ([] if agreed == "absent" else [pytest.approx(agreed)])


def without(result: Result, label: str) -> list[Measure]:
    return [m for m in result.measures if label not in m.labels]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 100))
def test_neither_the_order_of_rows_nor_the_names_of_conditions_matter(seed: int, shuffle: int) -> None:
    rows = run_rows(seed)
    options: dict[str, Any] = {"scale": scale_of(rows), "intervals": False}
    result = scored(rows, **options)
    assert result == scored(random.Random(shuffle).sample(rows, len(rows)), **options)
    names = {"": "", "ordinary": "zz {} <b>", "tokens": "a"}
    other = scored([{**r, "condition": names[r["condition"]]} for r in rows], **options)
    assert without(result, "condition") == without(other, "condition")
    renamed = {(m.name, *sorted(m.labels.items())): m.value for m in other.measures}
    for m in result.measures:
        if "condition" in m.labels:
            labels = {**m.labels, "condition": names[str(m.labels["condition"])]}
            assert renamed[m.name, *sorted(labels.items())] == m.value


def check_added(seed: int, **options: Any) -> None:
    """Rows of a condition change nothing without one; answers to "which is best?" nothing but preferences."""
    rows = rows_of(seed)
    options["scale"] = scale_of(rows)
    result = scored(rows, **options)
    more = [{**r, "confidence": None, "trial": "more"} for r in rows_of(seed + 1) if r["phase"] == "self"]
    both = scored(rows + [{**r, "condition": "more"} for r in more], **options)
    assert list(result.measures) == without(both, "condition")
    assert list(result.verdicts) == [v for v in both.verdicts if "condition" not in v.labels]
    asked = scored(rows + [{**r, "asked": "best"} for r in more], **options)
    assert list(result.measures) == [m for m in asked.measures if not m.name.startswith("preference_")]
    assert result.verdicts == asked.verdicts


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10_000))
def test_rows_of_another_condition_or_question_change_nothing_else(seed: int) -> None:
    check_added(seed, intervals=False)


def test_nor_do_they_change_an_interval_or_a_verdict() -> None:
    check_added(3)
