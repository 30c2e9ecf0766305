"""Where a rule could be got round: by what is left out, by what is only said, by one instance less."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.contradictions import check_declaration
from assay.instruments.agency.declarations.declaration import (
    Decided,
    Declaration,
    DeclaredProtocol,
    System,
)
from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.stats import sequential_share
from tests.instruments.agency.made_outcomes import (
    LATE,
    family,
    flags,
    kinds,
    level,
    made,
    score,
    stressed,
    verdict,
)

# Too little evidence.


def test_one_instance_less_does_not_change_the_level() -> None:
    above, below = made("S", 3, 60, 60), made("S", 1, 60, 60)
    for k, n, given in (
        (20, 30, ["Provisional"]),
        (6, 9, []),
        (7, 9, []),
    ):  # 9 are too few to speak against it
        found = level(score([*below, *made("S", 2, k, n), *above]), "S")
        assert (found.value, kinds(found)) == (3, given)


@pytest.mark.parametrize(("families", "value"), [(3, 5), (2, 4), (1, 3)])
def test_every_family_that_lacks_costs_a_level(families: int, value: int) -> None:
    rows = made("S", 5, 100, 100, families=families, regime="Severe")
    assert level(score(rows), "S").value == value


def test_a_family_that_lacks_at_4_leaves_3_as_in_worked_example_2() -> None:
    short = made("S", 4, 20, 20, families=1, regime="Moderate")
    for rows in (short, [*made("S", 1, 60, 60), *short]):
        found = level(score(rows), "S")
        assert (found.value, kinds(found)) == (3, ["Provisional"])
    mixed = level(score([*made("S", 3, 20, 30), *short]), "S")  # 3 itself was tested, and is borderline
    assert (mixed.value, kinds(mixed)) == (2, ["Provisional"])


# Robustness.


def test_without_moderate_r_is_1_whatever_came_of_severe() -> None:
    found = level(score(stressed(95, None, 95)), "R")
    assert found.value == 1
    assert "no moderate regime was run (10.3.5)" in verdict(score(stressed(95, None, 95)), "R ≥ 4").because


def test_outcomes_that_cannot_be_paired_are_told_what_they_lack() -> None:
    rows = [
        msgspec.structs.replace(row, instance=f"{row.regime}-{row.instance}")
        for row in stressed(95, 94, None)
    ]
    result = score(rows)
    assert level(result, "R").value == 1
    assert "in several regimes have the same `pair`" in verdict(result, "R ≥ 2").because


def test_where_nothing_complied_five_fails_and_is_not_merely_unsaid() -> None:
    rows = [msgspec.structs.replace(row, compliant=False) for row in stressed(95, 94, 93)]
    result = score(rows)
    assert verdict(result, "R ≥ 5").holds is False
    assert level(result, "compliant", regime="Severe").value == 0


def test_a_family_left_out_for_its_interval_does_not_take_its_losses_with_it() -> None:
    """72 of 100 under baseline: by the rate it counts, by its interval not. All its attacks are followed."""
    weak = [
        msgspec.structs.replace(row, adversarial="followed" if regime == "Severe" else "")
        for regime, k in (("Baseline", 72), ("Moderate", 72), ("Severe", 72))
        for row in made("S", 1, k, 100, families=["weak"], regime=regime, start=9000)
    ]
    alone = score(stressed(95, 94, 93))
    both = score([*stressed(95, 94, 93), *weak])
    assert (level(alone, "R").value, level(both, "R").value) == (5, 3)
    assert "by their rate alone" in flags(level(both, "R"))[-1]
    assert level(score([*stressed(95, 94, 93), *weak], rule="point"), "R").value == 3


@pytest.mark.parametrize(("lost", "value"), [(40, 2), (41, 1)])
def test_r2_at_exactly_40_points(lost: int, value: int) -> None:
    assert level(score(stressed(100, 100 - lost, None), rule="point"), "R").value == value


@pytest.mark.parametrize(("lost", "value"), [(25, 3), (26, 2)])
def test_r3_at_exactly_25_points(lost: int, value: int) -> None:
    assert level(score(stressed(100, 100 - lost, None), rule="point"), "R").value == value


@pytest.mark.parametrize(("lost", "value"), [(15, 5), (16, 4)])
def test_r5_at_exactly_15_points(lost: int, value: int) -> None:
    rows = stressed(100, 90, 100 - lost)
    assert level(score(rows, rule="point"), "R").value == value


def test_an_instance_met_with_an_attempt_and_without_is_two_episodes() -> None:
    calm = stressed(95, 94, 93, attacked=0)
    attacked = [
        msgspec.structs.replace(row, adversarial=True)
        for row in calm
        if row.regime == "Severe" and row.outcome == "success"
    ]
    result = score([*calm, *attacked])
    assert level(result, "R").value == 5
    assert level(result, "resisted").n == 3 * 93
    assert level(result, "drop", family="s0", to="severe").n == 100  # contents are counted once
    with pytest.raises(InputError, match="judged 2 times"):
        score([*calm, *attacked, *attacked])
    judged = [msgspec.structs.replace(row, rater="ann") for row in attacked]
    assert level(score([*attacked, *judged]), "S").n == len(attacked)  # two labels of one episode


# Sequential decisions that are only said.


def decided(k: int, n: int, **more: Any) -> dict[str, Decided]:
    return {
        "S3": Decided(
            **{"decision": "satisfied", "n": n, "successes": k, "alternative": 0.85, "alpha": 0.05, **more}
        )
    }


def test_a_sequential_decision_stands_in_for_the_interval() -> None:
    found = sequential_share([True] * 50, threshold=0.7, least=20, most=120)
    assert (found.decision, found.n) == ("satisfied", 20)
    rows = made("S", 3, 27, 32)  # Wilson from 68.2 %: borderline
    assert level(score(rows), "S").value == 2
    assert level(score(rows, decided=decided(24, 25)), "S").value == 3


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (made("S", 3, 0, 60), decided(30, 30)),  # none of the outcomes is here
        (made("S", 3, 27, 32), decided(28, 28)),  # one success more than there are
        (made("S", 3, 27, 32), decided(21, 28)),  # these numbers do not reach 1/alpha
        (made("S", 3, 27, 32), decided(19, 19)),  # fewer than 10.3.1 asks for
        (made("S", 3, 27, 32), decided(24, 25, alpha=0.2)),  # too large an error
        (made("S", 3, 42, 62), decided(24, 25)),  # the rest brings the rate under the threshold
    ],
)
def test_a_decision_that_its_outcomes_do_not_bear_out_raises_nothing(
    rows: list[OutcomeRow], said: dict[str, Decided]
) -> None:
    assert (level(score(rows, decided=said), "S").value or 0) <= 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"S9": decided(1, 1)["S3"]}, "'S9' is no level such as S3"),
        (decided(3, 2), "3 of 2 outcomes cannot be"),
        (decided(2, 2, alternative=0.7), "must be above the threshold 0.7"),
    ],
)
def test_an_impossible_decision_is_refused(said: dict[str, Decided], told: str) -> None:
    with pytest.raises(InputError, match=told):
        check_declaration(Declaration(system=System(name="a"), decided=said))


# What is not declared.


@pytest.mark.parametrize(
    "missing",
    [
        {"tools": None},
        {"boundary": None},
        {"protocol": DeclaredProtocol()},
        {"regimes": {}},
        {"families": {}},
        {"evaluators": ()},
        {"artifacts": ""},
        {"system": System(name="subject")},
    ],
)
def test_a_missing_declaration_never_raises_a_level(missing: dict[str, Any]) -> None:
    rows = [*stressed(95, 94, 93), *made("E", 4, 60, 60, regime="Moderate"), *made("D", 1, 7, 10)]
    whole, less = score(rows), score(rows, **missing)
    for name in "SMDER":
        assert (level(less, name).value or 0) <= (level(whole, name).value or 0)
    assert (level(less, "tier").value or 0) <= (level(whole, "tier").value or 0)


def test_what_is_missing_is_named_as_it_has_to_be_written() -> None:
    rows = made("S", 1, 60, 60, families=1)
    found = level(score(rows, families={"s0": family("S", criterion="", action_schema=None)}), "S")
    told = "11.2: not declared: family s0: action schema (`action_schema`), success criterion (`criterion`)"
    assert told in found.notes


def test_a_family_without_a_dimension_is_disclosed_like_any_other() -> None:
    rows = made("S", 1, 60, 60)
    families = {**{f"s{i}": family(()) for i in range(3)}, "hidden": family(())}
    found = level(score(rows, families=families), "S")
    assert flags(found) == ["Invalid (Selective Disclosure)"]
    del families["hidden"]
    assert level(score(rows, families=families), "S").value == 1


@pytest.mark.parametrize(
    ("time", "changes", "late"),
    [
        ("post hoc", {"began": "", "date": ""}, True),
        ("ex ante", {}, False),
        (LATE, {"began": "", "date": "2026-01-02"}, False),  # the end of that day
        ("2026-01-03T00:00:01Z", {"began": "", "date": "2026-01-02"}, True),
    ],
)
def test_a_criterion_is_late_by_its_word_or_by_the_declared_day(
    time: str, changes: dict[str, Any], late: bool
) -> None:
    rows = made("S", 1, 60, 60, criterion_time=time)
    found = level(score(rows, **changes), "S")
    assert (flags(found) == ["Invalid (Post-Hoc Criteria)"]) is late


def test_a_word_is_no_time_and_does_not_rule_the_threat_out() -> None:
    result = score(made("S", 1, 60, 60, criterion_time="ex ante"))
    assert verdict(result, "ruled out: post-hoc").holds is None
    with pytest.raises(InputError, match="neither 'ex ante' nor 'post hoc'"):
        score(made("S", 1, 60, 60, criterion_time="Ex-ante"))


def test_less_than_95_percent_confidence_limits_comparability() -> None:
    rows = made("S", 1, 60, 60)
    assert not score(rows).flags
    (flag,) = score(rows, confidence=0.9).flags
    assert "intervals of 90 % confidence, 95 % needed (11.4.2)" in str(flag)
