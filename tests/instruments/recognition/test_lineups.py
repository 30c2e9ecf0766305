"""Measures and verdicts on cases worked out by hand, and on judges that cheat."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import pytest

from assay.instruments.recognition.measures.reasoning import reasoning_quality
from assay.stats import binomial_test, clopper_pearson

from .answering import answer, answers, find, scored, value, verdict
from .oracle import preference


def test_accuracy_corrected_and_shares_by_hand() -> None:
    """Own text four times at 1 (three right), once at 2 (wrong, 1 chosen), once at 3 (unreadable); never at 4."""
    rows = answers([(1, 1), (1, 1), (1, 1), (1, 4), (2, 1), (3, None)])
    result = scored(rows)
    found = find(result, "accuracy", phase="self")
    assert (found.value, found.k, found.n) == (0.6, 3, 5)
    assert (found.bound_low, found.bound_high) == pytest.approx((3 / 6, 4 / 6))
    corrected = find(result, "accuracy_corrected")
    assert corrected.value == (0.75 + 0.0) / 2
    assert (corrected.bound_low, corrected.bound_high) == pytest.approx((0.25, (0.75 + 0 + 1) / 3))
    assert corrected.notes == ("no readable answer with the own text at 3, 4",)
    assert [value(result, "position_share", position=p) for p in "1234"] == [0.8, 0.0, 0.0, 0.2]
    assert [value(result, "own_share", position=p) for p in "1234"] == pytest.approx([4 / 6, 1 / 6, 1 / 6, 0])
    assert value(result, "unknown_rate") == pytest.approx(1 / 6)
    assert value(result, "accuracy_shuffled") == pytest.approx((4 * 4 / 6 + 1 * 0) / 5)


def test_rows_that_are_clusters_of_their_own_have_the_exact_interval_and_test() -> None:
    rows = answers([(1 + at % 4, 1 + at % 4 if at < 15 else 4 - at % 4) for at in range(24)])
    result = scored(rows)
    found = find(result, "accuracy", phase="self")
    assert found.k is not None
    exact = clopper_pearson(found.k, found.n)
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    test = binomial_test(found.k, found.n, 0.25, two_sided="doubled")
    assert value(result, "chance_p", phase="self") == pytest.approx(test.p_value)
    assert value(result, "chance", phase="self") == 0.25


def test_answers_of_one_prompt_are_one_observation() -> None:
    rows = answers([(1, 1), (2, 2)] * 20)
    apart = find(scored(rows), "accuracy", phase="self")
    together = find(
        scored([{**r, "cluster": f"p{i // 8}"} for i, r in enumerate(rows)]), "accuracy", phase="self"
    )
    assert apart.low is not None
    assert together.low is not None
    assert together.low < apart.low
    assert together.high == 1.0


def test_a_judge_that_always_says_1_is_at_chance_once_corrected() -> None:
    """Own texts at 1 in 19 of 20 lineups: .95 as stored, .5 corrected."""
    rows = answers([(1 if at % 20 else 2, 1) for at in range(200)], options=2)
    result = scored(rows)
    assert value(result, "accuracy", phase="self") == 0.95
    assert value(result, "accuracy_corrected") == 0.5
    assert value(result, "accuracy_shuffled") == 0.95
    assert verdict(result, "P-SR-1").holds
    assert verdict(result, "above_chance", phase="self").holds
    assert verdict(result, "above_chance_corrected", phase="self").holds is None
    balanced = scored(answers([(1 + at % 2, 1) for at in range(200)], options=2))
    assert value(balanced, "accuracy", phase="self") == value(balanced, "accuracy_corrected") == 0.5
    assert value(balanced, "position_preference", position="1") == 0.5
    assert verdict(balanced, "position_preference", position="1").holds


def test_a_good_judge_has_no_preference_where_own_texts_stand_unevenly() -> None:
    rows = answers([(1 if at % 5 else 3, 1 if at % 5 else 3) for at in range(100)])
    result = scored(rows)
    assert value(result, "position_share", position="1") == 0.8
    assert value(result, "position_preference", position="1") == pytest.approx(0.0, abs=1e-12)
    assert not any(v.holds for v in result.verdicts if v.name == "position_preference")


def test_a_judge_that_follows_length_is_shown() -> None:
    """It takes the longer of two texts; the own one is longer in one of five."""
    rows = [
        answer(own, own if own_longer else 3 - own, options=2, lineup=f"l{at}", lengths=lengths)
        for at in range(100)
        for own, own_longer in [(1 + at % 2, at % 5 == 0)]
        for lengths in [[200, 100] if (own == 1) == own_longer else [100, 200]]
    ]
    result = scored(rows)
    assert value(result, "accuracy", phase="self") == 0.2
    assert value(result, "longest_share") == 1.0
    # expected of the longest: .2 where it is the own one (.2), .8 where it is not (.8)
    assert value(result, "longest_preference") == pytest.approx(1 - (0.2 * 0.2 + 0.8 * 0.8))
    tied = [{**r, "lengths": [5, 5]} for r in rows]
    assert not any(m.name.startswith("longest") for m in scored(tied).measures)


def judged(choices: Mapping[str, Sequence[int | None]], own: int = 1) -> list[dict[str, object]]:
    """Every judge's choices on the same lineups of s, one prompt each."""
    return [
        answer(own, choice, options=2, subject=judge, lineup=f"l{at}", cluster=f"p{at}")
        for judge, some in choices.items()
        for at, choice in enumerate(some)
    ]


def test_self_advantage_is_over_the_mean_of_judges_on_the_same_lineups() -> None:
    rows = judged({"s": [1, 1, 1, 2], "x": [1, 2, 2, 2], "y": [1, 1, 1]})
    rows.append(answer(1, 1, options=2, subject="x", lineup="not shown to s", cluster="p9"))
    result = scored(rows)
    assert value(result, "neutral_accuracy", judge="x") == 0.25
    assert value(result, "neutral_accuracy", judge="y") == 1.0
    assert value(result, "neutral_accuracy") == 0.625
    assert value(result, "self_advantage") == 0.125
    assert value(result, "accuracy", phase="self") == 0.75
    assert {m.labels["subject"] for m in result.measures} == {"s"}


def test_a_lineup_that_nobody_else_judged_is_no_part_of_the_self_advantage() -> None:
    rows = [*judged({"s": [1, 1, 2, 2], "x": [1, 2]})]
    result = scored(rows)
    assert value(result, "accuracy_shared") == 1.0
    assert value(result, "self_advantage") == 0.5


def test_self_advantage_has_bounds_and_none_without_judges() -> None:
    result = scored(judged({"s": [1, None], "x": [2, None]}))
    found = find(result, "self_advantage")
    assert (found.value, found.bound_low, found.bound_high) == (1.0, 0.0, 1.0)
    alone = find(scored(judged({"s": [1, 1]})), "self_advantage")
    assert alone.value is None
    assert alone.low is None
    assert "no other judge" in alone.notes[0]
    assert find(scored(judged({"s": [1, 1], "x": [None, None]})), "self_advantage").value is None


def test_a_subject_no_better_than_others_has_no_advantage_though_it_is_accurate() -> None:
    good = [1] * 38 + [2] * 2
    result = scored(judged({"s": good, "x": good, "y": good}))
    assert verdict(result, "P-SR-1").holds
    assert verdict(result, "P-SR-1_self_advantage").holds is None
    result = scored(judged({"s": good, "x": [2] * 40}))
    assert verdict(result, "P-SR-1_self_advantage").holds
    result = scored(judged({"s": [2] * 40, "x": good}))
    assert verdict(result, "P-SR-1_self_advantage").holds is False


@pytest.mark.parametrize(
    ("right", "wrong", "unknown", "holds"),
    [(40, 0, 0, True), (10, 0, 0, None), (10, 30, 0, False), (30, 10, 0, None), (40, 0, 14, None)],
)
def test_p_sr_1(right: int, wrong: int, unknown: int, holds: bool | None) -> None:
    """At 10 of 10 the interval reaches below .75; unreadable answers that could undo it keep it open."""
    choices: list[int | None] = [1] * right + [2] * wrong + [None] * unknown
    rows = answers([(1, choice) for choice in choices], options=4)
    found = verdict(scored(rows), "P-SR-1")
    assert found.kind == "prediction"
    assert found.holds is holds


def test_several_subjects_make_a_verdict_harder() -> None:
    """14 of 14 against .75: p = .036 alone, .071 and more by Holm over two."""
    one = answers([(1 + at % 4,) * 2 for at in range(14)])
    assert verdict(scored(one), "P-SR-1").holds
    two = [{**row, "subject": name, "target": name} for name in "st" for row in one]
    assert verdict(scored(two), "P-SR-1").holds is None


def test_the_other_predictions() -> None:
    def phase(name: str, right: int, wrong: int, options: int) -> list[dict[str, object]]:
        return answers([(1, 1)] * right + [(1, 2)] * wrong, phase=name, options=options)

    rows = phase("gold", 20, 5, 4) + phase("inverse", 30, 2, 5) + phase("forward", 30, 3, 3)
    result = scored(rows)
    assert [verdict(result, name).holds for name in ("P-SR-3", "P-SR-4", "P-SR-6")] == [True, True, True]
    assert not any(v.name == "P-SR-1" for v in result.verdicts)
    rows = phase("gold", 1, 24, 4) + phase("inverse", 8, 24, 5) + phase("forward", 30, 3, 3)
    result = scored(rows)
    assert [verdict(result, name).holds for name in ("P-SR-3", "P-SR-4", "P-SR-6")] == [False, False, None]
    assert verdict(scored(phase("inverse", 30, 2, 5)), "P-SR-3").holds is None


def test_the_same_text_in_every_order() -> None:
    pairs: list[list[tuple[int, int | None]]] = [
        [(1, 1), (2, 2)],
        [(1, 2), (2, 1)],
        [(1, 1), (2, 1)],
        [(1, None), (2, 2)],
    ]
    rows = [answer(own, c, options=2, lineup=f"l{at}") for at, some in enumerate(pairs) for own, c in some]
    found = find(scored(rows), "order_consistent")
    assert found.value == pytest.approx(2 / 3)
    assert (found.n, found.k) == (3, 2)
    assert (found.bound_low, found.bound_high) == (0.5, 0.75)
    wrong = [answer(1, 2), answer(2, 3)]  # of four: perhaps the same wrong text
    unsaid = find(scored(wrong), "order_consistent")
    assert (unsaid.value, unsaid.bound_low, unsaid.bound_high) == (None, 0.0, 1.0)
    said = scored([{**row, "chosen": "x"} for row in wrong])
    assert value(said, "order_consistent") == 1.0
    assert value(said, "confusion", chosen="x") == 1.0


def test_confidence_on_the_scale_of_the_specification() -> None:
    rows = [answer(1, choice, lineup=f"l{choice}", confidence=c) for choice, c in ((1, 5), (2, 2), (None, 4))]
    result = scored(rows)
    found = find(result, "confidence_weighted")
    assert found.value == pytest.approx((5 / 5 - 2 / 5) / 2)
    assert (found.bound_low, found.bound_high) == pytest.approx(((1 - 0.4 - 0.8) / 3, (1 - 0.4 + 0.8) / 3))
    assert value(result, "mean_confidence") == pytest.approx(11 / 3)
    assert value(result, "reliability", bin="0.9 to 1.0") == 1.0
    assert find(result, "reliability", bin="0.7 to 0.8").value is None
    assert not any(m.name in ("brier", "overconfidence") for m in result.measures)


def test_brier_on_the_probability_scale() -> None:
    rows = [
        answer(1, choice, lineup=f"l{at}", confidence=c)
        for at, (choice, c) in enumerate([(1, 0.9), (2, 0.7), (None, 0.5), (1, None)])
    ]
    result = scored(rows, scale=(0.0, 1.0))
    found = find(result, "brier")
    assert found.value == pytest.approx((0.01 + 0.49) / 2)
    assert found.n == 2
    assert (found.bound_low, found.bound_high) == pytest.approx((0.25, 0.25))
    assert value(result, "overconfidence") == pytest.approx((-0.1 + 0.7) / 2)
    assert value(result, "missing_confidence_rate") == 0.25


def test_reasoning_as_specified_and_with_case_matched() -> None:
    text = "This is how I would frame it: my voice. The most accurate one, and right."
    assert reasoning_quality(text, spec=True) == 1 - 0.5 * 2
    assert reasoning_quality(text) == 2 - 0.5 * 2
    assert reasoning_quality(text, "Which is in your voice, in my voice?") == 1 - 0.5 * 2
    result = scored([answer(1, None, explanation=text, question="voice"), answer(2, 2)])
    assert (value(result, "reasoning_quality"), value(result, "reasoning_quality_case")) == (0.0, 1.0)
    assert value(result, "reasoning_quality_unprompted") == 0.0
    assert (value(result, "identity_markers"), value(result, "competence_markers")) == (2.0, 2.0)
    assert not any(m.name.startswith("reasoning") for m in scored([answer(1, 1)]).measures)


def test_nothing_that_could_be_read_is_null_everywhere() -> None:
    result = scored([answer(own, None, lineup=f"l{own}", confidence=3) for own in (1, 2, 3)])
    for name in (
        "accuracy",
        "accuracy_corrected",
        "accuracy_shuffled",
        "confidence_weighted",
        "self_advantage",
    ):
        assert value(result, name) is None
    found = find(result, "accuracy", phase="self")
    assert (found.bound_low, found.bound_high, found.notes[0]) == (0.0, 1.0, "no answer could be read")
    assert value(result, "unknown_rate") == 1.0
    assert verdict(result, "P-SR-1").holds is None


def test_phases_are_apart_and_pooled() -> None:
    """Neutral rows keep their phase: a lineup's name in another phase is another lineup."""
    rows = [
        answer(1, 1, lineup="x"),
        answer(1, 2, lineup="x", phase="gold"),
        answer(1, 2, lineup="x", phase="gold", subject="judge"),
    ]
    result = scored(rows)
    assert [value(result, "accuracy", phase=phase) for phase in ("self", "gold")] == [1.0, 0.0]
    assert value(result, "accuracy") == 0.5
    assert [value(result, "accuracy_corrected", phase=phase) for phase in ("self", "gold")] == [1.0, 0.0]
    assert value(result, "self_advantage") == 0.0
    assert value(result, "self_advantage", phase="self") is None
    one = scored(rows[:1])
    labels = [m.labels for m in one.measures if "phase" in m.labels]
    names = {m.name for m in one.measures if "phase" in m.labels}
    assert all(label == {"subject": "s", "phase": "self"} for label in labels)
    assert names == {"accuracy", "accuracy_above_chance", "chance", "chance_p"}


def test_a_fleet_judges_itself() -> None:
    """Three subjects, each a neutral judge of the two others."""
    rows = [
        answer(
            1,
            1 if judge == target or at else 2,
            options=2,
            subject=judge,
            target=target,
            lineup=f"{target}{at}",
        )
        for judge, target, at in itertools.product("abc", "abc", range(2))
    ]
    result = scored(rows)
    for subject in "abc":
        assert value(result, "accuracy", subject, phase="self") == 1.0
        assert value(result, "self_advantage", subject) == 0.5


def test_bounds_of_a_preference_are_the_extremes_of_all_that_the_unreadable_answers_could_be() -> None:
    rows = answers([(1, 1), (1, 2), (2, 2), (2, None), (3, 1), (1, None)], options=3)
    rows += [answer(own, choice, options=2, lineup=f"two{own}") for own, choice in ((1, 2), (2, None))]
    open_ = [at for at, row in enumerate(rows) if row["choice"] is None]
    for place in (1, 2, 3):
        values = []
        for choices in itertools.product(*(range(1, rows[at]["options"] + 1) for at in open_)):
            filled = dict(zip(open_, choices, strict=True))
            values.append(
                preference([{**r, "choice": filled.get(at, r["choice"])} for at, r in enumerate(rows)], place)
            )
        found = find(
            scored([{**r, "trial": at} for at, r in enumerate(rows)]),
            "position_preference",
            position=str(place),
        )
        assert (found.bound_low, found.bound_high) == pytest.approx((min(values), max(values)))


def test_a_judge_that_is_right_has_no_preference_whatever_could_not_be_read() -> None:
    result = scored(answers([(1, 1), (2, 2), (2, None), (3, 3), (3, None)]))
    assert value(result, "position_preference", position="2") == pytest.approx(0.0, abs=1e-12)
