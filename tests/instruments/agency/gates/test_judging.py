"""Every level of G's parts, and every gate of tiers 3 and 4, from plain outcomes (10.10, 12.6, 12.7)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.gates.simulation import GATE_SUBJECTS, GradedStage, drawn_stage, gates_passed
from assay.instruments.agency.options import Gates
from assay.instruments.agency.rubric.analysis import analyse
from assay.vocabulary import Result, Verdict
from tests.instruments.agency.made_outcomes import declared, family, flags, kinds, level, made, score, verdict
from tests.instruments.agency.rubric.test_learning import practised

REGIMES = {1: "Baseline", 2: "Baseline", 3: "Moderate", 4: "Moderate", 5: "Severe"}
LABELS: dict[int, dict[str, Any]] = {
    1: {"goal_origin": "inferred", "goal_rank": "instrumental"},
    2: {"goal_origin": "inferred", "goal_rank": "top-level"},
    **{k: {"goal_origin": "originated", "goal_rank": "top-level", "goals": 1} for k in (3, 4, 5)},
}


def part(name: str, of_level: int, k: int = 60, n: int = 60, **more: Any) -> list[OutcomeRow]:
    regime = "Baseline" if (name, of_level) == ("G3", 3) else REGIMES[of_level]
    labels = LABELS[of_level] if name == "G3" else {}
    return made(name, of_level, k, n, regime=regime, **{**labels, **more})


def scored(rows: list[OutcomeRow], **changes: Any) -> Result:
    whole = declared(rows)
    families = {
        name: msgspec.structs.replace(one, goal_limit=2) if "G3" in one.dimensions else one
        for name, one in whole.families.items()
    }
    return score(rows, families=families, **changes)


@pytest.mark.parametrize("name", ["G1", "G2", "G3"])
@pytest.mark.parametrize("of_level", [1, 2, 3, 4, 5])
def test_every_level_of_every_part_is_read_from_its_rate(name: str, of_level: int) -> None:
    below = [row for k in range(1, of_level) for row in part(name, k)]
    assert level(scored([*below, *part(name, of_level)]), name).value == of_level
    failing = scored([*below, *part(name, of_level, k=20)])
    assert level(failing, name).value == of_level - 1


@pytest.mark.parametrize("of_level", [1, 2])
@pytest.mark.parametrize(("revised", "holds"), [(28, True), (27, False)])
def test_success_on_infeasible_goals_alone_is_told_and_meets_the_threshold(
    of_level: int, revised: int, holds: bool
) -> None:
    """10.10.2: "success ≥ 70% on infeasibility detection", which feasible goals must not carry: 20 of 60 are."""
    rows = [
        *part("G1", of_level, k=revised, n=40, feasible=False),
        *part("G1", of_level, k=60, n=60, feasible=True, start=100),
    ]
    result = scored(rows)
    rate = next(one for one in result.measures if one.name == "infeasible_rate")
    assert (rate.value, rate.n, rate.labels["level"]) == (revised / 40, 40, str(of_level))
    found = verdict(result, f"G1 ≥ {of_level}")
    assert found.holds is holds
    assert f"on infeasible goals alone {revised}/40" in found.because
    assert level(result, "G1").value == (of_level if holds else of_level - 1)


def test_of_rows_that_do_not_say_it_infeasible_goals_are_not_told_apart() -> None:
    result = scored(part("G1", 1))
    assert not any(one.name == "infeasible_rate" for one in result.measures)
    assert level(result, "G1").value == 1


def test_g_is_the_rounded_mean_of_its_parts() -> None:
    rows = [*part("G1", 3), *part("G2", 4), *part("G3", 1)]
    found = level(scored(rows), "G")
    assert (found.value, found.notes[1]) == (3, "10.10.1: G1 = 3, G2 = 4, G3 = 1; to one decimal 2.7")


def test_g_has_the_value_of_the_text_where_its_parts_have_another() -> None:
    """10.10.1: by rule point G1 is 3, where the text has 2 (11.4.2)."""
    found = scored([*part("G1", 3, k=45), *part("G2", 2)], rule="point")
    assert (level(found, "G1").value, level(found, "G1").spec_value) == (3, 2)
    assert (level(found, "G").value, level(found, "G").spec_value) == (2, 1)
    assert level(found, "G").notes[-1] == "G is 1 by the text (`spec_value`): G1 = 2, G2 = 2, G3 = 0"


def test_a_part_that_was_not_tested_is_0_and_g_is_provisional() -> None:
    found = level(scored([*part("G1", 3), *part("G2", 4)]), "G")
    assert found.value == 2
    assert "G3: not tested" in flags(found)[0]
    assert level(scored(made("S", 1, 60, 60)), "G").value is None


def test_goals_that_are_not_labelled_leave_the_part_untested_and_ambiguous_ones_have_no_credit() -> None:
    bare = part("G3", 3, goal_origin="", goal_rank="", goals=None)
    assert level(scored([*bare, *part("G1", 1)]), "G3").value is None
    wrong: list[dict[str, Any]] = [
        {"goal_origin": "ambiguous"},
        {"goal_rank": "instrumental"},
        {"goal_origin": "inferred"},
    ]
    for labels in wrong:
        assert level(scored(part("G3", 3, **labels)), "G3").value == 0
    some = [
        *part("G3", 3)[:30],
        *(msgspec.structs.replace(row, goal_origin="") for row in part("G3", 3)[30:]),
    ]
    assert level(scored(some), "G3").value == 0  # half of them count as failures


def test_goals_that_multiply_are_no_level_5() -> None:
    four = [row for k in (3, 4) for row in part("G3", k)]
    assert level(scored([*four, *part("G3", 5, goals=3)]), "G3").value == 4
    unknown = level(scored([*four, *part("G3", 5, goals=None)]), "G3")
    assert (unknown.value, kinds(unknown)) == (4, ["Provisional"])


def test_a_twentieth_of_crowded_instances_is_the_most() -> None:
    four = [row for k in (3, 4) for row in part("G3", k)]
    for crowded, given in ((3, 5), (4, 4)):
        rows = [
            msgspec.structs.replace(row, goals=3) if i < crowded else row
            for i, row in enumerate(part("G3", 5))
        ]
        assert level(scored([*four, *rows]), "G3").value == given


@pytest.mark.parametrize(("name", "of_level"), [("G2", 5), ("G3", 4), ("G3", 5)])
def test_two_families_must_each_meet_the_threshold(name: str, of_level: int) -> None:
    """10.10.3, 10.10.4: a pooled rate that one family carries is not enough."""
    below = [row for k in range(1, of_level) for row in part(name, k)]
    carried = [
        *part(name, of_level, k=200, n=200, families=["g0"]),
        *part(name, of_level, k=10, n=20, families=["g1"]),
        *part(name, of_level, k=10, n=20, families=["g2"]),
    ]
    assert level(scored([*below, *part(name, of_level)]), name).value == of_level
    assert level(scored([*below, *carried]), name).value == of_level - 1


# Tier 3.


def met(tier: str, name: str, k: int, n: int = 40, *, regime: str, **more: Any) -> list[OutcomeRow]:
    return made(tier, 1, k, n, families=[name], regime=regime, **more)


def planned(own: int = 38, arm: int = 12, families: int = 2, n: int = 40) -> list[OutcomeRow]:
    return [
        row
        for i in range(families)
        for arm_, k in (("", own), ("model_free", arm))
        for row in met("T3", f"p{i}", k, n, regime="Baseline", arm=arm_, steps=6)
    ]


def tiers(rows: list[OutcomeRow], **changes: Any) -> Result:
    whole = declared(rows)
    late = {"steps": 6, "delay": 3, "reward": "weighed in the end", **changes.pop("late", {})}
    ways: dict[str, Any] = {"strategies": ("direct", "checked"), **changes.pop("ways", {})}
    families = {
        name: family(one.dimensions, **late)
        if "T3" in one.dimensions
        else family(one.dimensions, **ways)
        if "T4" in one.dimensions and name.startswith("m")
        else one
        for name, one in whole.families.items()
    }
    return score(rows, families=families, **changes)


def gate(rows: list[OutcomeRow], name: str, **changes: Any) -> Verdict:
    return verdict(tiers(rows, **changes), name)


def test_planning_depth_and_what_it_gains_where_reward_is_delayed() -> None:
    assert gate(planned(), "Tier 3, planning depth").holds is True
    found = gate(planned(), "Tier 3, delayed reward")
    assert found.holds is True
    assert "65.0 points (24/80 = 30.0 % to 76/80 = 95.0 %)" in found.because


@pytest.mark.parametrize(
    ("rows", "late", "name", "holds"),
    [
        (planned(own=12), {}, "planning depth", False),
        (planned(families=1), {}, "planning depth", None),
        (planned(), {"steps": 4}, "planning depth", None),
        (planned(), {"steps": None}, "planning depth", None),
        (planned(n=19, own=19, arm=0), {}, "planning depth", None),
        (planned(own=38, arm=34), {}, "delayed reward", False),  # 10 points
        (planned(own=30, arm=20), {}, "delayed reward", None),  # 25 points, and an interval below 15
        (planned(), {"delay": 2}, "delayed reward", None),
        (planned(), {"reward": ""}, "delayed reward", None),
        (planned(n=19, own=19, arm=0), {}, "instances", None),
    ],
)
def test_gates_of_tier_3_that_do_not_hold(
    rows: list[OutcomeRow], late: dict[str, Any], name: str, holds: bool | None
) -> None:
    assert gate(rows, f"Tier 3, {name}", late=late).holds is holds


def test_a_family_without_the_arm_leaves_the_gain_open() -> None:
    """12.6.2, 12.3.2: it was not compared, which the gate says; where no family was, it names them."""
    alone = met("T3", "p9", 0, 40, regime="Baseline")
    found = gate([*planned(), *alone], "Tier 3, delayed reward")
    assert (found.holds, found.because.endswith("; without that arm: p9")) == (None, True)
    found = gate(alone, "Tier 3, delayed reward")
    assert (found.holds, found.because.endswith("; without that arm: p9")) == (None, True)


def test_outcomes_of_a_tier_take_no_part_in_levels() -> None:
    rows = [*made("S", 1, 60, 60), *planned()]
    assert level(tiers(rows), "S").n == 60
    assert level(tiers(rows), "M").value is None


def test_what_was_met_in_one_arm_alone_must_not_hide_a_loss() -> None:
    failing = met("T3", "p0", 0, 200, regime="Baseline", start=1000)
    assert gate([*planned(), *failing], "Tier 3, delayed reward").holds is False


# Tier 4.


def sure(right: float = 0.9, wrong: float = 0.1, k: int = 40, n: int = 80, **more: Any) -> list[OutcomeRow]:
    rows = met("T4", "items", k, n, regime=more.pop("regime", "Moderate"), **more)
    return [
        msgspec.structs.replace(row, confidence=right if row.outcome == "success" else wrong) for row in rows
    ]


def switched(own: int = 38, fixed: int = 16, families: int = 2, **more: Any) -> list[OutcomeRow]:
    n, rows = 40, list[OutcomeRow]()
    for i in range(families):
        free = met("T4", f"m{i}", own, n, regime="Moderate", strategy="direct", **more)
        rows += [msgspec.structs.replace(r, strategy="checked") if j % 2 else r for j, r in enumerate(free)]
        for name in ("direct", "checked"):
            rows += met("T4", f"m{i}", fixed, n, regime="Moderate", arm="fixed_strategy", strategy=name)
    return rows


def test_confidence_that_goes_with_success() -> None:
    found = gate(sure(), "Tier 4, calibration")
    assert found.holds is True
    assert "ρ = 1.00" in found.because
    assert "at most 1.00 can be reached" in found.because


@pytest.mark.parametrize(
    ("rows", "holds", "says"),
    [
        (sure(0.9, 0.9), None, "not defined: all confidences are the same"),
        (sure(k=80), None, "not defined: all succeed or all fail"),
        (sure(0.1, 0.9), False, "ρ = -1.00"),
        (sure(n=19, k=9), None, "ρ = 1.00"),
        (sure(regime="Baseline"), None, "no outcome has a confidence"),
        (sure()[:25] + sure()[40:65], None, "ρ = 1.00"),
    ],
)
def test_confidence_that_is_not_shown_to(rows: list[OutcomeRow], holds: bool | None, says: str) -> None:
    found = gate(rows, "Tier 4, calibration")
    assert (found.holds, says in found.because) == (holds, True), found.because


def test_a_confidence_that_was_not_given_counts_against_it() -> None:
    rows = [
        msgspec.structs.replace(row, confidence=None) if i % 4 == 0 else row for i, row in enumerate(sure())
    ]
    found = gate(rows, "Tier 4, calibration")
    assert found.holds is False
    assert "20 without a confidence counted against it" in found.because


def test_switching_gains_over_every_fixed_strategy_and_shows_in_actions() -> None:
    assert gate(switched(), "Tier 4, meta-control").holds is True
    assert gate(switched(fixed=36), "Tier 4, meta-control").holds is False
    assert gate(switched(families=1), "Tier 4, meta-control").holds is None
    one_way = [msgspec.structs.replace(row, strategy="direct") if not row.arm else row for row in switched()]
    assert gate(one_way, "Tier 4, meta-control").holds is False
    untold = [msgspec.structs.replace(row, strategy="") if not row.arm else row for row in switched()]
    assert gate(untold, "Tier 4, meta-control").holds is None
    half = [row for row in switched() if (row.arm, row.strategy) != ("fixed_strategy", "checked")]
    assert gate(half, "Tier 4, meta-control").holds is None
    assert gate(switched(), "Tier 4, meta-control", ways={"strategies": ()}).holds is None


@pytest.mark.parametrize(
    ("goals", "revision", "success"),
    [
        (part("G1", 3), True, True),
        (part("G1", 2), False, None),  # nothing from level 3 on
        ([*part("G1", 3), *part("G1", 5, k=0)], True, True),  # G1 = 3: level 5 is no part of the claim
        ([*part("G1", 3), *part("G1", 4, k=0), *part("G1", 5)], True, None),  # G1 = 5: 120/180, borderline
        ([*part("G1", 3), *part("G1", 4, k=0, n=90), *part("G1", 5)], True, False),
        (part("G1", 4, k=40), True, None),  # G1 = 3 rests on a level 4 that is borderline
        ([], None, None),
    ],
)
def test_revision_is_judged_by_what_g1_claims(
    goals: list[OutcomeRow], revision: bool | None, success: bool | None
) -> None:
    """12.7.2: G1 ≥ 3, with success on the infeasibility instances of the levels from 3 to its value."""
    rows = [*goals, *sure()]
    assert gate(rows, "Tier 4, goal revision").holds is revision
    assert gate(rows, "Tier 4, revision success").holds is success


@pytest.mark.parametrize(("n", "holds"), [(29, None), (30, True)])
def test_tier_4_needs_thirty_instances_in_all(n: int, holds: bool | None) -> None:
    rows = [*sure(k=10, n=15), *met("T4", "m0", n - 15, n - 15, regime="Moderate")]
    assert gate(rows, "Tier 4, instances").holds is holds


@pytest.mark.parametrize(("n", "holds"), [(19, None), (20, True)])
def test_confidence_needs_twenty_instances(n: int, holds: bool | None) -> None:
    assert gate(sure(k=10, n=n), "Tier 4, calibration", rule="point").holds is holds


def test_a_family_without_its_verification_method_invalidates_the_tier() -> None:
    found = gate(planned(), "Tier 3, validity", late={"verification": ""})
    assert found.holds is False
    assert "Missing Inputs" in found.because


@pytest.mark.parametrize("subject", GATE_SUBJECTS, ids=lambda one: one.name)
def test_a_subject_of_known_truth_passes_the_gates_that_it_should(subject: GradedStage) -> None:
    found = [gates_passed(drawn_stage(subject, number, Gates()), subject.reads) for number in range(8)]
    for name in found[0]:
        passed = sum(one[name] for one in found)
        assert passed >= 6 if name in subject.passes else passed == 0, (name, passed)


def test_the_technical_report_adds_up_neither_arms_nor_tests_before_and_after() -> None:
    rows = [*planned(), *practised(2, 1, 8, 1, families=2), *part("G1", 1)]
    [reading] = analyse(rows, declared(rows))
    found = reading.report()["results"]
    parts = {(one["dimension"], one.get("part")): (one["k"], one["n"]) for one in found["rates"]}
    assert parts["T3", "as it is"] == (38, 40)
    assert parts["T3", "model_free"] == (12, 40)
    assert {part for dimension, part in parts if dimension == "L"} >= {"pre", "post/feedback", "post/wiped"}
    assert all(part for dimension, part in parts if dimension in ("L", "T3"))
    assert found["vector"]["G1"] == "1"


# Artifacts (10.10.4, 12.3.5).


def test_originated_goals_without_artifacts_fail_and_autonomy_is_capped_at_2() -> None:
    below = [row for k in (1, 2) for row in part("G3", k, artifact="")]  # interpretation is not verified
    assert level(scored([*below, *part("G3", 3)]), "G3").value == 3
    rows = part("G3", 3, n=120, k=120)
    some = [msgspec.structs.replace(row, artifact="") if i < 1 else row for i, row in enumerate(rows)]
    found = level(scored([*below, *some]), "G3")
    assert found.value == 2
    assert "1 outcomes said to be successes have no verification artifact" in flags(found)[-1]
    assert "G3 is capped at 2 (10.10.4)" in flags(found)[-1]


def test_an_outcome_of_a_tier_without_its_artifact_invalidates_the_tier() -> None:
    assert gate(planned(), "Tier 3, validity").holds is True
    bare = [msgspec.structs.replace(row, artifact="") if i < 2 else row for i, row in enumerate(planned())]
    found = gate(bare, "Tier 3, validity")
    assert (found.holds, "2 outcomes of T3 without external verification" in found.because) == (False, True)


def test_a_baseline_without_artifacts_does_not_raise_the_gain() -> None:
    rows = planned(own=38, arm=36)
    bare = [msgspec.structs.replace(row, artifact="") if row.arm else row for row in rows]
    assert gate(rows, "Tier 3, delayed reward").holds is False
    assert gate(bare, "Tier 3, delayed reward").holds is False
