"""Hand-computed cases of every formula, the edge cases that the specification names, and each finding of its review."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from assay.instruments.bias.answers import answer_table
from assay.instruments.bias.baselines import BIASES, human_rates, human_shifts
from assay.instruments.bias.measures import constants
from assay.instruments.bias.measures.human import alignment
from assay.instruments.bias.measures.magnitude import attainable
from assay.instruments.bias.measures.settings import BiasSettings
from assay.instruments.bias.present import established_orders, named, summary_of
from assay.instruments.bias.rows import read_answers
from assay.instruments.bias.scoring import score_answers
from assay.measuring.rows import open_rows
from assay.vocabulary import Flag, Measure

from .answering import BIAS, answers, find, scored, value

TEN = 10


def share(rate: float) -> list[float]:
    """Ten yes/no scores with this rate."""
    hits = round(TEN * rate)
    return [1.0] * hits + [0.0] * (TEN - hits)


def bms(control: float, **treated: float) -> float | None:
    rows = answers("control", share(control))
    for intensity, rate in treated.items():
        rows += answers("treatment", share(rate), intensity)
    return value(scored(rows, intervals=False), "BMS")


# 1. BMS


def test_bms_is_the_weighted_sum_of_capped_magnitudes() -> None:
    # .1 * 2 * .1 + .3 * .2 + .4 * .67 * .3 + .2 * .5 * .4 = .02 + .06 + .0804 + .04
    assert bms(0.1, weak=0.2, moderate=0.3, strong=0.4, adversarial=0.5) == pytest.approx(0.2004)


def test_bms_is_renormalised_over_the_observed_intensities() -> None:
    assert bms(0.0, moderate=0.4) == pytest.approx(0.4)
    assert bms(0.0, weak=0.2, moderate=0.4) == pytest.approx((0.1 * 0.4 + 0.3 * 0.4) / 0.4)


def test_b1_weights_go_by_name() -> None:
    assert constants.AGGREGATION == {"weak": 0.1, "moderate": 0.3, "strong": 0.4, "adversarial": 0.2}
    assert constants.INTENSITY_WEIGHTS == {"weak": 2.0, "moderate": 1.0, "strong": 0.67, "adversarial": 0.5}


def test_b2_the_cap_is_said_and_the_uncapped_value_stands_beside() -> None:
    found = scored(answers("control", share(0)) + answers("treatment", share(0.8), "weak"), intervals=False)
    assert value(found, "BMS") == 1.0
    assert value(found, "BMS_uncapped") == pytest.approx(1.6)
    assert any("capped" in note for note in find(found, "BMS").notes)


def test_b3_the_slope_is_over_ordinal_places() -> None:
    rows = answers("control", share(0)) + answers("treatment", share(0.1), "weak")
    rows += answers("treatment", share(1.0), "adversarial")
    # magnitudes .2 at 0 and .5 at 3: a slope of .1, not the .3 of neighbours
    assert value(scored(rows, intervals=False), "BMS_sensitivity") == pytest.approx(0.1)


def test_the_attainable_maximum_depends_on_the_observed_intensities() -> None:
    assert attainable(["weak", "moderate", "strong", "adversarial"]) == pytest.approx(0.768)
    assert attainable(["weak", "moderate", "strong"]) == pytest.approx(0.835)


def test_a_shift_away_counts_in_bms_and_is_told_apart() -> None:
    found = scored(
        answers("control", share(0.6)) + answers("treatment", share(0.2), "moderate"), intervals=False
    )
    assert value(found, "signed_shift") == pytest.approx(-0.4)
    assert value(found, "BMS") == value(found, "BMS_away") == pytest.approx(0.4)


def test_bms_without_a_control_is_null_beside_the_conventional_value() -> None:
    found = find(scored(answers("treatment", share(0.3), "moderate")), "BMS")
    assert (found.value, found.spec_value) == (None, 0.3)  # control_mean = 0.0
    assert "control" in found.notes[0]


def test_bms_without_treatments_or_without_a_readable_answer_is_null_and_conventionally_0() -> None:
    none = find(scored(answers("control", share(0.3))), "BMS")
    unread = find(scored(answers("control", [None] * 3) + answers("treatment", [None] * 3, "weak")), "BMS")
    assert (none.value, none.spec_value) == (unread.value, unread.spec_value) == (None, 0.0)


def test_an_intensity_that_cannot_be_read_is_left_out_and_not_0() -> None:
    rows = answers("control", share(0.2)) + answers("treatment", share(0.6), "moderate")
    found = find(scored(rows + answers("treatment", [None] * 4, "strong")), "BMS")
    assert found.value == pytest.approx(0.4)
    assert found.spec_value == pytest.approx((0.3 * 0.4 + 0.4 * 0.67 * 0.2) / 0.7)  # treatment_mean = 0.0
    assert found.bound_low is not None
    assert found.bound_high is not None
    # unread: the strong shift is anything from -.2 to .8
    assert found.bound_high >= (0.3 * 0.4 + 0.4 * 0.67 * 0.8) / 0.7 - 1e-9
    assert found.bound_low <= 0.3 * 0.4 / 0.7 + 1e-9


def test_noise_alone_moves_bms_and_the_measure_says_how_far() -> None:
    scores = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    rows = answers("control", scores) + answers("treatment", [1 - s for s in scores], "moderate")
    found = find(scored(rows), "BMS_no_effect")
    assert value(scored(rows), "signed_shift") == 0.0
    assert found.value is not None
    assert 0.2 < found.value < 0.5


# 2. BCI


def by_domain(**rates: float) -> list[dict[str, object]]:
    return [
        row
        for domain, rate in rates.items()
        for row in answers("treatment", share(rate), "weak", domain=domain)
    ]


def test_c1_bci_takes_the_population_deviation() -> None:
    found = scored(by_domain(individual=0.2, social=0.8), intervals=False)
    assert value(found, "BCI") == pytest.approx(1 - 0.3 / 0.5)  # not the .151 of the sample deviation
    assert value(scored(by_domain(individual=0, social=1), intervals=False), "BCI") == pytest.approx(0.0)


def test_bci_edge_cases() -> None:
    assert value(scored(by_domain(risk=0.3)), "BCI") == 1.0
    assert value(scored(by_domain(risk=0.3, social=0.3, temporal=0.3)), "BCI") == 1.0
    unread = by_domain(risk=0.3) + answers("treatment", [None] * 3, "weak", domain="social")
    assert value(scored(unread), "BCI") == 1.0  # a domain of unknowns is left out
    empty = find(scored(answers("control", share(0.3))), "BCI")
    assert (empty.value, empty.spec_value) == (None, 0.0)


def test_a_bias_is_systematic_above_seven_tenths_of_the_domains() -> None:
    four = by_domain(individual=0.6, professional=0.7, social=0.9, temporal=0.8, risk=0.5)
    three = by_domain(individual=0.6, professional=0.7, social=0.9, temporal=0.5, risk=0.5)
    assert value(scored(four), "is_systematic") == 1.0
    assert value(scored(three), "is_systematic") == 0.0


def test_m1_the_control_is_no_part_of_bci_and_has_a_name_of_its_own() -> None:
    rows = by_domain(individual=0.8, social=0.8) + answers("control", share(0.0))
    found = scored(rows, intervals=False)
    assert value(found, "BCI") == 1.0
    assert value(found, "BCI_with_control") == pytest.approx(1 - 0.2 / 0.5)  # .4 and .8


# 3. BMP


def test_bmp_is_the_reduction_against_the_treatment_of_the_same_intensity() -> None:
    rows = answers("treatment", share(0.8), "strong") + answers("treatment", share(0.2), "weak")
    rows += answers("debias", share(0.4), "strong", method="a") + answers(
        "debias", share(0.6), "strong", method="b"
    )
    found = scored(rows)
    assert value(found, "BMP", method="a") == pytest.approx(0.5)
    assert value(found, "BMP", method="b") == pytest.approx(0.25)
    best = find(found, "BMP")
    assert best.value == pytest.approx(0.5)
    assert best.notes == ("best: a",)
    own = find(found, "BMP", method="a")
    assert best.low is not None
    assert own.low is not None
    assert best.low <= own.low
    assert (value(found, "BMP_no_effect") or 0) > 0


def test_bmp_edge_cases() -> None:
    nothing = answers("treatment", share(0), "weak") + answers("debias", share(0), "weak", method="a")
    assert value(scored(nothing), "BMP") == 0.0
    worse = answers("treatment", share(0.2), "weak") + answers("debias", share(0.6), "weak", method="a")
    assert value(scored(worse), "BMP") == 0.0
    none = find(scored(answers("treatment", share(0.2), "weak")), "BMP")
    assert (none.value, none.spec_value) == (None, 0.0)
    unmatched = answers("treatment", share(0.2), "weak") + answers("debias", share(0.1), "strong", method="a")
    assert value(scored(unmatched), "BMP") is None


def test_bmp_is_against_the_treatment_at_the_same_intensities_in_the_same_mix() -> None:
    rows = answers("treatment", [1.0] * TEN, "strong") + answers("debias", [1.0] * TEN, "strong", method="a")
    rows += answers("debias", [0.0] * TEN, "weak", method="a")
    found = find(scored(rows), "BMP", method="a")
    assert (found.value, found.bound_low, found.bound_high, found.n) == (0.0, 0.0, 0.0, TEN)
    assert any("weak" in note for note in found.notes)  # which has no treatment
    assert value(scored(rows), "BMP", method="a", intensity="weak") is None
    mixed = answers("treatment", [1.0] * 10, "strong") + answers("treatment", [0.0] * 2, "weak")
    mixed += answers("debias", [1.0] * 2, "strong", method="a")
    assert value(scored(mixed + answers("debias", [0.0] * 10, "weak", method="a")), "BMP") == 0.0


def test_requires_warning_compares_kinds_at_common_intensities() -> None:
    rows = answers("treatment", share(0.8), "weak") + answers("treatment", share(0.8), "strong")
    rows += answers("debias", share(0.1), "weak", method="a", kind="warning")
    rows += answers("debias", share(0.5), "strong", method="b", kind="step_by_step")
    assert value(scored(rows, intervals=False), "requires_warning") is None
    rows += answers("debias", share(0.6), "strong", method="a", kind="warning")
    assert value(scored(rows, intervals=False), "requires_warning") == 0.0  # .6 and .5 at strong


def warning(**kinds: str) -> float | None:
    rows = answers("treatment", share(0.8), "weak")
    for name, rate in (("blockchain_analysis", 0.5), ("bias_correction", 0.2)):
        rows += answers("debias", share(rate), "weak", method=name, kind=kinds.get(name, ""))
    return value(scored(rows, intervals=False), "requires_warning")


def test_d1_kinds_are_declared_and_not_read_from_names() -> None:
    assert warning(blockchain_analysis="step_by_step", bias_correction="warning") == 1.0
    assert warning(blockchain_analysis="warning", bias_correction="step_by_step") == 0.0
    assert warning(blockchain_analysis="pre_mortem", bias_correction="reference_class") is None


def test_d2_requires_warning_is_null_where_a_kind_is_absent() -> None:
    assert warning(bias_correction="warning") is None
    found = find(scored(answers("treatment", share(0.8), "weak")), "requires_warning")
    assert (found.value, found.spec_value) == (None, 1.0)


# 4. HAS


def test_has_and_its_direction() -> None:
    rows = answers("treatment", share(0.9), "weak") + answers("treatment", share(0.5), "strong")
    found = scored([{**row, "baseline": 0.6} for row in rows])
    assert value(found, "HAS") == pytest.approx(1 - 0.1 / 0.6)
    assert value(found, "HAS_direction") == 1.0  # .7 - .6 is .1, and .1 is not below .1
    assert value(found, "HAS_relative") == pytest.approx(1 - 0.1 / 0.6)
    assert value(found, "model_specific") == 1.0
    assert value(found, "human_like") == 1.0


def test_m2_has_is_given_by_intensity_too() -> None:
    rows = answers("treatment", share(0.9), "weak") + answers("treatment", share(0.5), "strong")
    found = scored([{**row, "human_baseline": 0.6} for row in rows])
    assert value(found, "HAS", intensity="weak") == pytest.approx(1 - 0.3 / 0.6)
    assert value(found, "HAS_direction", intensity="strong") == -1.0


def test_e1_a_baseline_that_is_none_is_said_and_does_not_crash(tmp_path: Path) -> None:
    file = tmp_path / "rates.yaml"
    file.write_text(f"{BIAS}: null\n")
    found = find(scored(answers("treatment", share(0.7), "weak"), baselines=str(file)), "HAS")
    assert (found.value, found.spec_value) == (None, 0.6)  # the default of .5
    assert "no human rate" in found.notes[0]
    assert found.flags


def test_a_baseline_of_a_user_is_used_before_the_published_one(tmp_path: Path) -> None:
    file = tmp_path / "rates.json"
    file.write_text('{"anchoring_effect": 0.7}')
    found = find(scored(answers("treatment", share(0.7), "weak"), baselines=str(file)), "HAS")
    assert found.value == 1.0
    assert not found.flags


def test_published_rates_limit_comparability_and_say_where_they_are_weak() -> None:
    for bias, cause in (
        ("primacy_bias", "no source"),
        ("source_confusion", "uncertain"),
        (BIAS, "published"),
    ):
        found = find(scored(answers("treatment", share(0.7), "weak", bias=bias)), "HAS", bias)
        assert any(f.kind == "Limited Comparability" and cause in f.cause for f in found.flags)
    assert len(BIASES) == 69
    assert all(rate.rate is not None for rate in human_rates().values())


def test_e2_the_relative_direction_scales_with_the_human_rate() -> None:
    low = alignment(0.14, 0.05)
    assert (low.direction, low.relative_direction) == (0, 1)
    assert alignment(0.65, 0.75).direction == -1
    assert alignment(0.66, 0.75).direction == 0
    assert alignment(0.2, 0.0).relative is None


def test_has_of_no_answers_is_null_and_conventionally_that_of_rate_0() -> None:
    found = find(scored([{**row, "baseline": 0.6} for row in answers("control", share(0.3))]), "HAS")
    assert (found.value, found.spec_value) == (None, 0.0)


def test_a_shift_is_compared_with_people_where_they_were_asked_the_same_way() -> None:
    bias = "mental_accounting"
    rows = answers("control", share(0.2), bias=bias) + answers("treatment", share(0.6), "weak", bias=bias)
    found = [m for m in scored(rows).measures if m.name == "shift_against_people"]
    assert len(found) == 1
    assert found[0].value == pytest.approx(0.4 - 0.1727)
    assert found[0].low is not None
    assert found[0].low < 0.2 < (found[0].high or 0)
    loose = answers("control", share(0.2)) + answers("treatment", share(0.6), "weak")
    assert [m.value for m in scored(loose).measures if m.name == "shift_against_people"] == [None]


# 5. RCI


def test_f1_rci_collapses_on_yes_no_scores_and_the_agreement_does_not() -> None:
    found = scored(answers("control", [1.0] * 44 + [0.0], instances=15))
    assert value(found, "RCI") == 0.0
    assert value(found, "RCI_agreement") == pytest.approx((14 + 1 / 3) / 15)


def test_rci_is_the_mean_over_conditions_with_the_control_and_without_debias() -> None:
    graded = [0.4, 0.6]  # sample variance .02 of .25
    rows = answers("control", graded) + answers("treatment", share(1), "weak")
    rows += answers("debias", share(0.5), "weak", method="a")
    assert value(scored(rows), "RCI") == pytest.approx(((1 - 0.02 / 0.25) + 1) / 2)


def test_rci_edge_cases() -> None:
    assert value(scored(answers("control", [0.3])), "RCI") == 1.0  # one trial
    assert value(scored(answers("control", [0.7] * 5)), "RCI") == 1.0
    assert value(scored(answers("control", [1.0] * 5)), "RCI") == 1.0
    assert value(scored(answers("control", [0.7] * 5)), "is_stable") == 1.0
    assert value(scored(answers("control", [0.0, 1.0])), "is_stable") == 0.0


def test_f2_no_data_is_not_perfect_consistency() -> None:
    found = scored(answers("control", [None] * 4))
    assert (value(found, "RCI"), find(found, "RCI").spec_value) == (None, 1.0)
    assert (value(found, "is_stable"), find(found, "is_stable").spec_value) == (None, 1.0)
    assert value(found, "RCI_agreement") is None


# 6. CAS


def test_cas_and_what_goes_with_it() -> None:
    rows = answers("control", share(0.5), confidence=0.9)
    rows = [{**row, "correct": row["score"] == 0.0} for row in rows]
    found = scored(rows)
    assert value(found, "CAS") == pytest.approx(0.6)
    assert value(found, "metacognitive_gap") == pytest.approx(0.4)
    assert value(found, "overconfident") == 1.0
    assert value(found, "brier") == pytest.approx((0.01 + 0.81) / 2)
    curve = [m for m in found.measures if m.name == "reliability"]
    assert [(m.labels["bin"], m.value, m.n) for m in curve] == [("0.9 to 1.0", 0.5, 10)]


def test_exactly_a_tenth_above_is_not_overconfident() -> None:
    rows = [{**row, "confidence": 0.6, "correct": row["score"]} for row in answers("control", share(0.5))]
    assert value(scored(rows), "overconfident") == 0.0


def test_underconfidence_has_no_metacognitive_gap() -> None:
    found = scored(answers("control", share(0), confidence=0.0, correct=1))
    assert (value(found, "CAS"), value(found, "metacognitive_gap")) == (0.0, 0.0)


def test_g1_without_confidence_cas_is_null_and_says_so() -> None:
    found = scored(answers("control", share(0.5)))
    assert (value(found, "CAS"), find(found, "CAS").spec_value) == (None, 0.5)
    assert value(found, "has_confidence_data") == 0.0
    assert value(found, "overconfident") is None


def test_g2_missing_confidence_is_not_the_unknown_rate() -> None:
    rows = answers("control", [None, None, None, 0.0], confidence=0.5) + answers(
        "treatment", share(0), "weak"
    )
    found = scored(rows)
    assert value(found, "missing_confidence_rate") == pytest.approx(10 / 14)
    assert value(found, "unknown_rate", condition="control") == 0.75


# 7 and 9. Unknown answers and the summary


def test_rates_always_have_bounds() -> None:
    found = scored(answers("control", share(0.3)) + answers("treatment", [1.0, 0.0, None, None], "weak")
                   + answers("treatment", [None] * 3, "strong"))  # fmt: skip
    whole = find(found, "rate", condition="control")
    assert (whole.bound_low, whole.value, whole.bound_high, whole.k) == (0.3, 0.3, 0.3, 3)
    part = find(found, "rate", condition="treatment", intensity="weak")
    assert (part.bound_low, part.value, part.bound_high) == (0.25, 0.5, 0.75)
    none = find(found, "rate", condition="treatment", intensity="strong")
    assert (none.bound_low, none.value, none.bound_high) == (0.0, None, 1.0)
    shift = find(found, "signed_shift", intensity="weak")
    assert (shift.bound_low, shift.bound_high) == (-0.05, 0.45)


def test_too_many_unknowns_keep_a_bias_from_the_ranking_and_not_from_the_overall() -> None:
    good, bad = "anchoring_effect", "loss_aversion"
    rows = answers("control", share(0), bias=good) + answers("treatment", share(0.4), "moderate", bias=good)
    rows += answers("control", [0.0, None, None, None], bias=bad)
    rows += answers("treatment", [1.0, None, None, None], "moderate", bias=bad)
    found = scored(rows)
    assert value(found, "rank", good) == 1.0
    assert value(found, "rank", bad) is None
    assert value(found, "susceptibility", "") == pytest.approx((0.4 + 1.0) / 2)
    assert value(found, "susceptibility_signed", "") == pytest.approx(0.7)
    half = scored(rows, unknown_threshold=0.75)
    assert value(half, "rank", bad) == 1.0


def test_unreadable_answers_that_depend_on_the_condition_are_found() -> None:
    rows = answers("control", [0.0] * 40) + answers("treatment", [0.0] * 20 + [None] * 20, "weak")
    found = {v.name: v for v in scored(rows).verdicts}
    assert found["unknown_depends_on_condition"].holds is True
    assert found["shift_differs_from_0"].holds is None


def test_a_shift_that_unreadable_answers_could_undo_is_not_established() -> None:
    rows = answers("control", [0.0] * 40 + [None] * 40) + answers(
        "treatment", [1.0] * 20 + [0.0] * 20, "weak"
    )
    assert {v.name: v.holds for v in scored(rows).verdicts}["shift_differs_from_0"] is None
    clear = answers("control", [0.0] * 40) + answers("treatment", [1.0] * 20 + [0.0] * 20, "weak")
    assert {v.name: v.holds for v in scored(clear).verdicts}["shift_differs_from_0"] is True


def test_a_bias_that_no_text_can_show_is_measured_and_in_nothing_over_biases() -> None:
    rows = []
    for who, bias in itertools.product("st", (BIAS, "focalism")):
        hits = 40 if bias == "focalism" else 10
        rows += answers("control", [0.0] * 40, bias=bias, subject=who)
        rows += answers("treatment", [1.0] * hits + [0.0] * (40 - hits), "moderate", bias=bias, subject=who)
    both = [m for m in scored(rows).measures if m.name == "signed_shift_simultaneous"]
    found = score_answers(read_answers(open_rows(rows)), BiasSettings(unscored={"focalism": "why"}))
    over = {m.name: m.value for m in found.measures if m.labels == {"subject": "s"}}
    assert (over["susceptibility"], over["susceptibility_signed"]) == (0.25, 0.25)
    own = [m for m in found.measures if m.labels.get("bias") == "focalism"]
    assert {"signed_shift", "BMS", "shift_difference"} <= {m.name for m in own}
    assert not {"rank", "signed_shift_simultaneous"} & {m.name for m in own}
    assert all(Flag("Limited Comparability", "why") in m.flags for m in own)
    assert not any(f.cause == "why" for m in found.measures if m not in own for f in m.flags)
    (alone,) = [
        m for m in found.measures if m.name == "signed_shift_simultaneous" and m.labels["subject"] == "s"
    ]
    assert (alone.low or 0.0) > (both[0].low or 0.0)
    assert not [v for v in found.verdicts if v.labels.get("bias") == "focalism"]
    (whole,) = [m for m in found.measures if m.name == "shift_difference" and "bias" not in m.labels]
    assert whole.n == 160


def test_the_claim_of_a_verdict_names_the_subject() -> None:
    rows = answers("control", [0.0] * 40) + answers("treatment", [0.0] * 20 + [None] * 20, "weak")
    assert [v.claim.startswith(f"s, {BIAS}: ") for v in scored(rows).verdicts] == [True, True]


def test_each_of_the_six_has_one_measure_by_bias_alone() -> None:
    rows = answers("control", share(0.2)) + answers("treatment", share(0.3), "weak")
    rows += answers("treatment", share(0.3), "strong") + answers("debias", share(0.3), "weak", method="a")
    for result in (scored(rows), scored(answers("control", [None])), scored(rows, intervals=False)):
        for name in ("BMS", "BCI", "BMP", "HAS", "RCI", "CAS"):
            find(result, name)
    assert all(m.low is None for m in scored(rows, intervals=False).measures)


# Pairs, domains, instances, subjects


def test_shifts_by_domain_are_against_the_control_of_that_domain() -> None:
    rows = answers("control", share(0.2)) + answers("control", share(0.6), domain="risk")
    rows += answers("treatment", share(0.5), "weak") + answers("treatment", share(0.5), "weak", domain="risk")
    found = scored(rows, intervals=False)
    assert value(found, "signed_shift", domain="individual") == pytest.approx(0.3)
    assert value(found, "signed_shift", domain="risk", intensity="weak") == pytest.approx(-0.1)
    assert value(found, "signed_shift") == pytest.approx(0.1)


def test_values_are_pooled_and_pairs_only_narrow_the_interval() -> None:
    control, treated = [0.0, 1.0] * 10, [0.0, 1.0] * 10
    paired = scored(answers("control", control) + answers("treatment", treated, "weak"))
    apart = scored(answers("control", control) + answers("treatment", treated, "weak", start=100))
    one, other = find(paired, "signed_shift"), find(apart, "signed_shift")
    assert one.value == other.value == 0.0
    assert None not in (one.high, one.low, other.high, other.low)
    assert one.high - one.low < 0.7 * (other.high - other.low)  # type: ignore[operator]


def test_instance_spread_takes_the_noise_of_trials_out() -> None:
    rows = answers("control", [0.0] * 20, instances=10)
    rows += answers("treatment", [float(at % 2) for at in range(10)] * 2, "weak", instances=10)
    found = scored(rows)
    assert (
        value(found, "instance_spread")
        == value(found, "instance_spread_raw")
        == pytest.approx((10 / 36) ** 0.5)
    )
    single = scored(answers("control", share(0)) + answers("treatment", share(0.5), "weak"))
    assert value(single, "instance_spread") is None
    assert (value(single, "instance_spread_raw") or 0) > 0.5


def test_variance_is_split_into_domain_instance_and_trial() -> None:
    rows = answers("treatment", [0.0] * 8, "weak", instances=4)
    rows += answers("treatment", [1.0] * 8, "weak", instances=4, domain="risk")
    found = scored(rows)
    assert [value(found, f"variance_{part}") for part in ("trial", "instance", "domain")] == [0.0, 0.0, 0.5]


def test_two_subjects_are_compared_on_the_instances_they_share() -> None:
    rows = []
    for who, hits in (("a", 4), ("b", 36)):
        rows += answers("control", [0.0] * 40, subject=who)
        rows += answers("treatment", [1.0] * hits + [0.0] * (40 - hits), "weak", subject=who)
    rows += answers("treatment", [1.0] * 50, "weak", subject="a", start=50)
    found = scored(rows)
    whole = [m for m in found.measures if m.name == "shift_difference"]
    assert [m.value for m in whole] == [pytest.approx(0.8)] * 2  # the fifty are the first's alone
    assert [v.holds for v in found.verdicts if v.name == "subjects_differ"] == [True, True]


def differing(rows: list[dict[str, object]]) -> Measure:
    return next(m for m in scored(rows).measures if m.name == "shift_difference" and "bias" in m.labels)


def test_two_subjects_are_compared_on_what_both_answered_readably() -> None:
    rows = answers("control", [0.0] * 40, subject="a") + answers("control", [0.0] * 40, subject="b")
    rows += answers("treatment", [1.0] * 20 + [0.0] * 20, "weak", subject="a")
    found = differing(rows + answers("treatment", [None] * 20 + [0.0] * 20, "weak", subject="b"))
    assert (found.value, found.bound_low, found.bound_high) == (0.0, -0.5, 0.0)


def test_subjects_without_a_shared_intensity_are_not_compared() -> None:
    rows = answers("control", [0.0] * 40, subject="a") + answers("control", [0.0] * 40, subject="b")
    rows += answers("treatment", [1.0] * 40, "weak", subject="a")
    rows += answers("treatment", [0.0] * 40, "adversarial", subject="b")
    found = differing(rows)
    assert (found.value, found.bound_low) == (None, None)
    assert "intensity" in found.notes[0]
    assert [v.holds for v in scored(rows).verdicts if v.name == "subjects_differ"] == [None]


def test_subjects_have_the_same_mix_of_intensities() -> None:
    rows = []
    for who, weak, strong in (("a", 30, 10), ("b", 10, 30)):
        rows += answers("control", [0.0] * 10, subject=who)
        rows += answers("treatment", [0.0] * weak, "weak", subject=who, instances=10)
        rows += answers("treatment", [1.0] * strong, "strong", subject=who, instances=10)
    assert differing(rows).value == 0.0


def test_subjects_whose_difference_unreadable_answers_could_undo_are_not_said_to_differ() -> None:
    rows = answers("control", [0.0] * 80, subject="a") + answers("control", [0.0] * 80, subject="b")
    rows += answers("treatment", [0.0] * 80, "weak", subject="a")
    rows += answers("treatment", [1.0] * 30 + [None] * 50, "weak", subject="b")
    kept = [v for v in scored(rows).verdicts if v.name == "subjects_differ"]
    assert [v.holds for v in kept] == [True, True]
    undone = [
        {**r, "score": None} if r["subject"] == "a" and int(r["instance"][1:]) > 30 else r for r in rows
    ]
    assert [v.holds for v in scored(undone).verdicts if v.name == "subjects_differ"] == [None]


def test_a_preference_for_the_first_letter_or_position_is_measured() -> None:
    rows = []
    for at in range(40):
        position = at % 2 + 1  # a subject that says A: A stands first in every other instance
        rows += [
            {
                "subject": "s",
                "bias": BIAS,
                "domain": "risk",
                "condition": "control",
                "instance": at,
                "trial": 0,
            }
        ]
        rows[-1] |= {"score": at % 2, "letter": "A", "position": position, "options": 2}
    found = {m.name: m for m in score_answers(answer_table(rows)).measures if m.labels == {"subject": "s"}}
    assert found["letter_preference"].value == 0.5
    assert found["letter_preference"].low is not None
    assert found["letter_preference"].low > 0.2
    assert found["position_preference"].value == 0.0


def test_orders_of_biases_are_established_only_where_simultaneous_intervals_are_disjoint() -> None:
    rows = []
    for bias, hits in (("anchoring_effect", 60), ("loss_aversion", 0), ("focalism", 28)):
        rows += answers("control", [0.0] * 60, bias=bias)
        rows += answers("treatment", [1.0] * hits + [0.0] * (60 - hits), "weak", bias=bias)
    found = scored(rows)
    assert ("anchoring_effect", "loss_aversion") in established_orders(found.measures, "s")
    assert [value(found, "rank", one) for one in ("anchoring_effect", "focalism", "loss_aversion")] == [
        1,
        2,
        3,
    ]
    said = named(found, "s")
    assert (said["most_susceptible"][0], said["least_susceptible"]) == ("anchoring_effect", ["loss_aversion"])
    few = [row for row in rows if int(row["instance"][1:]) % 20 == 0]
    assert established_orders(scored(few).measures, "s") == []


def shifted(**hits: int) -> list[dict[str, object]]:
    """Forty instances a bias; so many moved away from the bias where the number is below 0."""
    rows = []
    for bias, k in hits.items():
        rows += answers("control", [float(k < 0)] * 40, bias=bias)
        moved = [float(k > 0)] * abs(k) + [float(k < 0)] * (40 - abs(k))
        rows += answers("treatment", moved, "moderate", bias=bias)
    return rows


def test_biases_without_an_established_order_are_not_called_most_or_least_susceptible() -> None:
    tied = scored(shifted(anchoring_effect=0, focalism=0, loss_aversion=0))
    assert not named(tied, "s")["most_susceptible"] + named(tied, "s")["least_susceptible"]
    assert any("no order" in one for one in summary_of(tied))
    one_low = named(
        scored(shifted(anchoring_effect=20, focalism=20, hindsight_bias=20, loss_aversion=-40)), "s"
    )
    assert (one_low["most_susceptible"], one_low["least_susceptible"]) == ([], ["loss_aversion"])
    away = named(scored(shifted(anchoring_effect=0, loss_aversion=-40)), "s")
    assert (away["most_susceptible"], away["least_susceptible"]) == ([], ["loss_aversion"])


def test_the_summary_says_over_how_many_biases_and_what_unreadable_answers_could_make_of_it() -> None:
    rows = shifted(anchoring_effect=40)
    (first, *_) = summary_of(scored(rows))
    assert "1 of 1 bias:" in first
    assert "unreadable" not in first
    assert any(one.endswith("differs from 0 in 1 bias") for one in summary_of(scored(rows)))
    rows += answers("control", [None] * 4, bias="focalism") + answers(
        "treatment", [0.0] * 4, "weak", bias="focalism"
    )
    found = scored(rows)
    (first, *_) = summary_of(found)
    assert "1 of 2 biases:" in first
    assert first.count("unreadable") == 2
    for name in ("susceptibility", "susceptibility_signed"):
        assert find(found, name, "").notes == ("without a value: focalism",)


def test_a_bias_is_not_ranked_where_one_condition_is_mostly_unreadable() -> None:
    rows = answers("control", [0.0] * 3 + [None] * 7)
    for intensity in ("weak", "moderate", "strong"):
        rows += answers("treatment", share(0.5), intensity)
    found = find(scored(rows), "rank")
    assert (found.value, [flag.kind for flag in found.flags]) == (None, ["Provisional"])
    assert "control" in found.notes[0]


def test_reasons_name_the_condition_that_is_absent() -> None:
    uncontrolled = find(scored(answers("treatment", share(0.3), "strong")), "BMS")
    assert uncontrolled.notes == ("control: no answers",)
    untreated = find(scored(answers("control", share(0.3))), "HAS")
    assert untreated.notes[0] == "treatment: no answers"


def test_no_interval_without_width_is_given_for_what_is_fixed_by_its_definition() -> None:
    rows = answers("control", [0.0] * 40) + answers("treatment", [1.0] * 40, "weak")
    found = scored(rows)
    for one in (find(found, "BCI"), find(found, "BCI_with_control"), find(found, "rank"),
                find(found, "BMS", intensity="weak")):  # fmt: skip
        assert (one.value, one.low, one.high) == (1.0, None, None)


def test_the_documentation_names_the_measures_without_an_interval_and_without_bounds() -> None:
    rows = []
    for bias, domain in itertools.product((BIAS, "mental_accounting"), ("risk", "social")):
        for condition, intensity, kind in (
            ("control", "", ""),
            ("treatment", "weak", ""),
            ("treatment", "strong", ""),
            ("debias", "strong", "warning"),
            ("debias", "strong", "step_by_step"),
        ):
            scores = [1.0, None, 0.0, 0.0] * 4
            rows += answers(condition, scores, intensity, bias=bias, domain=domain, method=kind, kind=kind,
                            instances=4, confidence=0.7, correct=1)  # fmt: skip
    lists = (Path(__file__).parents[3] / "docs/bias.md").read_text().split("\n- Without ")[1:3]
    interval, bounds = (set(re.findall(r"`(\w+)`", one.split("\n\n")[0])) for one in lists)
    for m in scored(rows).measures:
        if m.value is not None and m.units != "yes/no":
            assert (m.low is None) == (m.name in interval), m
            assert (m.bound_low is None) == (m.name in interval | bounds), m


def test_people_in_one_condition_each_give_the_published_shift_and_its_interval() -> None:
    """Counts of Many Labs 2, one row a person; the interval in the file is Newcombe's."""
    (known,) = human_shifts()["mental_accounting"]
    rows = []
    for condition, intensity, counts in (
        ("control", "", known.control),
        ("treatment", "moderate", known.treatment),
    ):
        for at in range(int(counts["n"])):
            row = {
                "subject": "people",
                "bias": known.bias,
                "domain": "individual",
                "condition": condition,
                "trial": 0,
            }
            rows.append(
                {
                    **row,
                    "intensity": intensity,
                    "instance": f"{condition}{at}",
                    "score": float(at < counts["k"]),
                }
            )
    measures = score_answers(answer_table(rows)).measures
    labels = {"subject": "people", "bias": known.bias}
    found = next(m for m in measures if m.name == "signed_shift" and m.labels == labels)
    assert [found.value, found.low, found.high] == pytest.approx(
        [known.shift, known.low, known.high], abs=5e-4
    )
    assert found.n == known.n
