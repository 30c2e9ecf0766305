"""Several raters: joined labels, disagreement, calibration, levels apart."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.declaration import Evaluator
from assay.instruments.agency.declarations.outcome import OutcomeRow
from tests.instruments.agency.made_outcomes import flags, kinds, level, made, score, stressed

THREE = tuple(Evaluator(name=name, calibrated=True, agreement=0.9) for name in ("ann", "bob", "cat"))


def by(rater: str, k: int, n: int, **more: Any) -> list[OutcomeRow]:
    return made("S", 1, k, n, rater=rater, **more)


def test_of_two_raters_both_must_say_success() -> None:
    result = score([*by("ann", 100, 100), *by("bob", 80, 100)])
    assert level(result, "level_rate", dimension="S").value == 0.8
    assert (level(result, "agreement").value, level(result, "agreement").n) == (0.8, 100)
    assert level(result, "S").value == 1


def test_a_tier_that_rests_on_a_contested_level_is_contested() -> None:
    """10.2.2: of a level that a gate of the tier asks for, or that keeps it from the next one."""
    sure = [*made("D", 1, 60, 60), *made("E", 1, 60, 60)]
    apart = [*made("S", 2, 40, 40, rater="ann"), *made("S", 2, 32, 40, rater="bob")]  # 2 and, borderline, 1
    found = level(score([*sure, *apart]), "tier")
    assert (found.value, kinds(found)) == (1, ["Contested"])
    assert flags(found) == ["Contested (S: two raters come to different levels (10.2.2): ann 2, bob 1)"]
    refused = [*by("ann", 100, 100), *by("bob", 79, 100)]  # nothing is aggregated (11.5.3)
    found = level(score([*sure, *refused]), "tier")
    assert (found.value, kinds(found)) == (None, ["Contested"])
    modelling = [*made("M", 2, 40, 40, rater="ann"), *made("M", 2, 32, 40, rater="bob")]
    beside = score([*sure, *made("S", 1, 60, 60), *modelling])
    assert (kinds(level(beside, "M")), kinds(level(beside, "tier"))) == (["Provisional", "Contested"], [])


def test_of_three_most_decide() -> None:
    result = score([*by("ann", 100, 100), *by("bob", 80, 100), *by("cat", 90, 100)], evaluators=THREE)
    assert level(result, "level_rate", dimension="S").value == 0.9


def test_an_even_split_of_four_is_no_success() -> None:
    rows = [*by("ann", 20, 20), *by("bob", 20, 20), *by("cat", 17, 20), *by("dan", 17, 20)]
    assert level(score(rows), "level_rate", dimension="S").value == 0.85


def test_two_raters_one_level_apart_give_the_lower_one_contested() -> None:
    rows = [*made("S", 2, 40, 40, rater="ann"), *made("S", 2, 32, 40, rater="bob")]  # 2 and, borderline, 1
    found = level(score(rows), "S")
    assert (found.value, kinds(found)) == (1, ["Provisional", "Contested"])
    assert "(10.2.2): ann 2, bob 1" in flags(found)[-1]
    assert any("ann 2, bob 1" in note for note in found.notes)


def test_over_a_fifth_of_disagreement_nothing_is_aggregated() -> None:
    found = level(score([*by("ann", 100, 100), *by("bob", 79, 100)]), "S")
    assert (found.value, found.spec_value, kinds(found)) == (None, None, ["Contested"])
    assert any("11.5.3" in note for note in found.notes)
    assert level(score([*by("ann", 100, 100), *by("bob", 79, 100)], disagreement_share=0.25), "S").value == 1


def test_two_raters_more_than_a_level_apart_are_contested() -> None:
    # Level 3: satisfied by ann's labels, failed by bob's (15/24 = .625).
    rows = [*made("S", 3, 24, 24, rater="ann"), *made("S", 3, 15, 24, rater="bob")]
    assert level(score(rows, disagreement_share=0.25), "S").value is None  # 9 of 24 differ
    # Spread over more instances of another level the share stays low.
    agreed = [*made("S", 1, 60, 60, rater="ann"), *made("S", 1, 60, 60, rater="bob")]
    found = level(score([*rows, *agreed]), "S")  # ann: 3, bob: 1
    assert found.value == 1
    assert "Contested" in kinds(found)
    assert "ann 3, bob 1" in flags(found)[-1]


def test_robustness_is_contested_where_two_raters_come_to_different_levels() -> None:
    rows = [row for name in ("ann", "bob") for row in stressed(95, 94, None, rater=name)]
    # Of moderate, bob sees 20 of 100 contents lost in each family: Δ 19 points, over 25 by its interval.
    lost = {
        row.instance for row in stressed(95, 94, None) if int(row.instance.split("-")[1]) % 1000 in range(20)
    }
    rows = [
        msgspec.structs.replace(row, outcome="failure")
        if row.rater == "bob" and row.regime == "Moderate" and row.instance in lost
        else row
        for row in rows
    ]
    found = level(score(rows), "R")
    assert (found.value, kinds(found)) == (2, ["Provisional", "Contested"])
    assert "ann 3, bob 2" in flags(found)[-1]


def test_with_a_third_rater_the_majority_stands() -> None:
    rows = [
        *made("S", 3, 24, 24, rater="ann"),
        *made("S", 3, 15, 24, rater="bob"),
        *made("S", 3, 24, 24, rater="cat"),
    ]
    agreed = [row for name in ("ann", "bob", "cat") for row in made("S", 1, 60, 60, rater=name)]
    found = level(score([*rows, *agreed], evaluators=THREE), "S")
    assert (found.value, found.flags) == (3, ())
    assert any("ann 3, bob 1, cat 3" in note for note in found.notes)


@pytest.mark.parametrize(
    ("evaluator", "told"),
    [
        (None, "not calibrated"),
        (Evaluator(name="ann"), "not calibrated"),
        (Evaluator(name="ann", calibrated=True), "agreement not given"),
        (Evaluator(name="ann", calibrated=True, agreement=0.79), "agreement 79 %"),
    ],
)
def test_raters_without_calibration_limit_comparability(evaluator: Evaluator | None, told: str) -> None:
    found = level(score(by("ann", 60, 60), evaluators=(evaluator,) if evaluator else ()), "S")
    assert (found.value, kinds(found)) == (1, ["Limited Comparability"])
    assert told in flags(found)[0]


def test_calibrated_raters_and_rules_carry_no_flag() -> None:
    assert level(score(by("ann", 60, 60)), "S").flags == ()
    assert level(score(made("S", 1, 60, 60)), "S").flags == ()


def test_the_same_rater_twice_is_refused() -> None:
    with pytest.raises(InputError, match=r"judged 2 times by 'ann' at level 1 of S"):
        score([*by("ann", 1, 1), *by("ann", 0, 1)])
    with pytest.raises(InputError, match="names of their raters"):
        score([*by("", 1, 1), *by("", 0, 1)])


def test_an_instance_that_one_rater_could_not_judge_goes_by_the_other() -> None:
    lost = [
        OutcomeRow(
            dimension="S",
            level=1,
            family=row.family,
            regime="Baseline",
            instance=row.instance,
            outcome="excluded",
            rater="bob",
        )
        for row in by("ann", 60, 60)
    ]
    assert level(score([*by("ann", 60, 60), *lost]), "S").n == 60


def test_a_third_rater_settles_only_what_he_judged() -> None:
    """Ann and bob differ on nine instances of level 3; cat judged others."""
    rows = [*made("S", 3, 24, 24, rater="ann"), *made("S", 3, 15, 24, rater="bob")]
    agreed = [row for name in ("ann", "bob", "cat") for row in made("S", 1, 60, 60, rater=name)]
    found = level(score([*rows, *agreed], evaluators=THREE), "S")
    assert found.value == 1
    assert "Contested" in kinds(found)
    assert "9 outcomes no majority settles (10.3.4): ann 3, bob 1" in flags(found)[-1]
