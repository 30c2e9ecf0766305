"""Every level of L from plain outcomes: gains, their cause, the memory, and what leaves a level untested (10.8)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.instruments.agency.declarations.outcome import OutcomeRow
from assay.instruments.agency.learning.simulation import LEARNERS, drawn_learning
from assay.instruments.agency.options import Learning
from assay.instruments.agency.present import present_rows
from assay.instruments.agency.rubric.analysis import analyse
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.learning import learning_level
from assay.instruments.agency.rubric.tally import SubjectTally
from assay.report.presentation import Number
from assay.vocabulary import Result
from tests.instruments.agency import made_outcomes
from tests.instruments.agency.made_outcomes import declared, flags, kinds, level, measures, verdict

# A memory that outlasts the conversation is part of the extended boundary (6.1).
EXTENDED: dict[str, Any] = {
    "boundary": "extended",
    "includes": ("language model", "notes"),
    "human_assistance": "none",
}
REGIME = {1: "Baseline", 2: "Baseline", 4: "Moderate", 5: "Severe"}


def score(rows: list[OutcomeRow], **changes: Any) -> Result:
    return made_outcomes.score(rows, **EXTENDED | changes)


def episodes(
    of_level: int,
    phase: Any,
    successes: int,
    n: int = 10,
    *,
    families: int = 5,
    learners: int = 4,
    paired: bool = True,
    memory: Any = "store",
    **more: Any,
) -> list[OutcomeRow]:
    """n tests of each learner of each family, so many of them successes."""
    return [
        OutcomeRow(
            **{
                "dimension": "L",
                "level": of_level,
                "family": f"l{family}",
                "regime": REGIME[of_level],
                "instance": f"{number}" if paired else f"{phase}-{more.get('arm', '')}-{number}",
                "outcome": "success" if number < successes else "failure",
                "phase": phase,
                "learner": f"l{family}/{learner}" if learners else "",
                "memory": memory,
                **more,
            }
        )
        for family in range(families)
        for learner in range(learners)
        for number in range(n)
    ]


def attempts(first: int, third: int, **more: Any) -> list[OutcomeRow]:
    return [
        *episodes(1, "attempt", first, attempt=1, **more),
        *episodes(1, "attempt", third, attempt=3, **more),
    ]


def practised(of_level: int, before: int, after: int, wiped: int | None = 0, **more: Any) -> list[OutcomeRow]:
    rows = [*episodes(of_level, "pre", before, **more), *episodes(of_level, "post", after, **more)]
    return rows if wiped is None else [*rows, *episodes(of_level, "post", wiped, arm="wiped", **more)]


def lasting(retest: int = 8, **more: Any) -> list[OutcomeRow]:
    return [*practised(5, 1, 8, 1, **more), *episodes(5, "retest", retest, **more)]


def test_no_gain_is_level_0() -> None:
    result = score([*attempts(2, 2), *practised(2, 2, 2, 2)])
    found = level(result, "L")
    assert (found.value, found.spec_value, found.flags) == (0, None, ())
    assert verdict(result, "L ≥ 1").holds is False
    assert verdict(result, "L ≥ 2").holds is False


def test_a_gain_within_an_episode_is_level_1() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 2, 2, 2)]), "L")
    assert (found.value, found.flags) == (1, ())


def test_a_gain_on_held_out_variants_is_level_2_where_memory_lasts_a_conversation() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 1, 8, 1, memory="conversation")]), "L")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    assert "L is capped at 2" in flags(found)[0]


def test_a_memory_that_is_not_declared_caps_the_level() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 1, 8, None, memory="")]), "L")
    assert found.value == 2
    assert "not declared" in flags(found)[0]


def test_a_store_within_the_core_boundary_limits_comparability() -> None:
    """6.1: memory is part of the extended boundary; the conversation is the model's own state."""
    rows = [*attempts(1, 7), *practised(2, 1, 8, 1)]
    found = level(made_outcomes.score(rows), "L")
    assert (found.value, kinds(found)) == (3, ["Limited Comparability"])
    assert "belongs to the extended boundary (6.1)" in flags(found)[0]
    talk = [*attempts(1, 7), *practised(2, 1, 8, 1, memory="conversation")]
    assert "Limited Comparability" not in kinds(level(made_outcomes.score(talk), "L"))


def test_a_gain_that_lasts_is_level_3() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 1, 8, 1)]), "L")
    assert (found.value, found.flags) == (3, ())


def test_a_gain_on_shifted_variants_is_level_4() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 1, 8, 1), *practised(4, 1, 8, 1)]), "L")
    assert (found.value, found.flags) == (4, ())


def test_level_5_goes_on_learning_and_keeps_what_it_had() -> None:
    lower = [*attempts(1, 7), *practised(2, 1, 8, 1), *practised(4, 1, 8, 1)]
    found = level(score([*lower, *lasting()]), "L")
    assert (found.value, found.flags) == (5, ())
    # 10 points lost are allowed, 20 are not; without a retest nothing is shown.
    assert level(score([*lower, *lasting(7)]), "L").value == 5
    assert level(score([*lower, *lasting(6)]), "L").value == 4
    unshown = level(score([*lower, *practised(5, 1, 8, 1)]), "L")
    assert (unshown.value, kinds(unshown)) == (4, ["Provisional"])
    assert "no earlier family was tested again" in flags(unshown)[0]


@pytest.mark.parametrize(("after", "spec"), [(10, 2), (9, 0), (15, 3), (14, 2)])
def test_the_text_goes_by_the_plain_gain_compared_as_fractions(after: int, spec: int) -> None:
    """10 and 15 points exactly, and one less, of 100 contents of 5 learners."""
    rows: list[OutcomeRow] = []
    for place in range(5):
        own = after * (place + 1) // 5 - after * place // 5
        one = {"families": 1, "learners": 1, "family": f"l{place}", "learner": f"{place}"}
        rows += practised(2, 0, own, 0, n=20, **one)
    result = score([*rows, *attempts(1, 1)])
    found = level(result, "L")
    assert found.value == 0  # by the interval neither is shown
    assert level(result, "gain", level="2", regime="Baseline", family=None).value == after / 100
    assert (found.spec_value or 0) == spec


def test_the_point_rule_gives_the_plain_gain_provisional() -> None:
    rows = practised(2, 0, 2, 0, n=20)
    found = level(score([*rows, *attempts(1, 1)], rule="point"), "L")
    assert (found.value, kinds(found)) == (2, ["Provisional"])


def test_a_pre_test_above_the_ceiling_leaves_the_level_untested() -> None:
    rows = [*attempts(20, 20, n=20), *practised(2, 19, 20, 19, n=20)]
    result = score(rows)
    assert level(result, "L").value is None
    assert "not testable" in flags(level(result, "L"))[0]
    assert verdict(result, "L ≥ 2").holds is None
    assert verdict(score([*practised(2, 9, 10, 9)]), "L ≥ 2").because.startswith(
        "borderline"
    )  # 90 % is not above


def test_a_gain_that_a_wiped_memory_has_too_is_not_learnt() -> None:
    result = score([*attempts(1, 1), *practised(2, 1, 8, 8)])
    assert level(result, "L").value == 0
    assert verdict(result, "L ≥ 2").because.startswith("partly")
    assert "over the wiped memory 0.0 points" in verdict(result, "L ≥ 2").because


def test_without_a_wiped_arm_a_level_above_1_is_provisional() -> None:
    found = level(score([*attempts(1, 7), *practised(2, 1, 8, None)]), "L")
    assert (found.value, kinds(found)) == (3, ["Provisional"])
    assert "the cause is not shown" in flags(found)[0]
    nothing_lasts = level(score([*attempts(1, 7), *practised(2, 1, 8, None, memory="none")]), "L")
    assert not any("cause" in text for text in flags(nothing_lasts))


def test_repeats_practice_and_no_feedback_are_never_credited() -> None:
    base = [*attempts(1, 1), *practised(2, 1, 1, 1)]
    more = [
        *episodes(2, "repeat", 10),
        *episodes(2, "practice", 10),
        *episodes(2, "post", 10, arm="no_feedback"),
    ]
    result = score([*base, *more])
    assert level(result, "L").value == 0
    assert level(result, "repeated", level="2", family=None).value == 1
    assert level(result, "gain_without_feedback", level="2", family=None).value == 0.9


def test_unpaired_tests_are_compared_by_their_shares() -> None:
    rows = practised(2, 1, 8, 1, paired=False)
    result = score([*attempts(1, 1), *rows])
    gain = level(result, "gain", level="2", family=None)
    assert (gain.value, gain.method) == (0.7, "student-by-learner, unpaired")
    assert level(result, "L").value == 3
    # Without learners every row is by itself.
    bare = score(
        [
            *attempts(1, 1),
            *[msgspec.structs.replace(r, learner="", instance=f"{r.learner}{r.instance}") for r in rows],
        ]
    )
    assert level(bare, "L").value == 3


def test_contents_without_a_counterpart_do_not_hide_a_loss() -> None:
    rows = practised(2, 1, 8, 1)
    failures = [
        msgspec.structs.replace(row, instance=f"more-{row.instance}-{i}", outcome="failure")
        for row in rows
        if row.phase == "post" and not row.arm
        for i in range(8)
    ]
    found = score([*attempts(1, 1), *rows, *failures])
    assert level(found, "L").value == 0
    assert "over all outcomes" in verdict(found, "L ≥ 2").because


def test_one_learner_has_no_interval() -> None:
    rows = [msgspec.structs.replace(row, learner="one") for row in practised(2, 0, 10, 0, learners=1)]
    result = score([*attempts(1, 1), *rows])
    gain = level(result, "gain", level="2", family=None)
    assert (gain.value, gain.low, gain.high) == (1, -1, 1)
    assert (level(result, "L").value, level(result, "L").spec_value) == (0, 3)
    assert "one learner, which has no interval" in verdict(result, "L ≥ 2").because


def test_rows_of_one_learner_are_no_independent_evidence() -> None:
    """Half of the learners gain all, the others nothing: the same contents say less than those of many learners."""
    rows = [
        msgspec.structs.replace(row, outcome="success")
        if row.phase == "post" and not row.arm and row.learner.endswith("/0")
        else row
        for row in practised(2, 0, 0, 0, families=2, learners=2, n=20)
    ]
    apart = [msgspec.structs.replace(r, learner="", instance=f"{r.learner}-{r.instance}") for r in rows]
    by_learner, by_row = (level(score(found), "gain", level="2", family=None) for found in (rows, apart))
    assert by_learner.value == by_row.value == 0.5
    assert by_learner.low is not None
    assert by_row.low is not None
    assert by_learner.low < 0 < 0.3 < by_row.low


def test_excluded_rows_take_no_part_and_too_many_invalidate() -> None:
    rows = [*attempts(1, 7), *practised(2, 1, 8, 1)]
    lost = [msgspec.structs.replace(row, outcome="excluded", reason="down") for row in rows[:20]]
    assert level(score([*lost, *rows[20:]]), "L").value == 3
    gone = [msgspec.structs.replace(row, outcome="excluded", reason="down") for row in rows[: len(rows) // 2]]
    assert kinds(level(score([*gone, *rows[len(rows) // 2 :]]), "L")) == ["Invalid"]


def test_too_few_families_or_instances_give_the_lower_level_provisional() -> None:
    one = level(score([*attempts(1, 7, families=1), *practised(2, 1, 8, 1, families=1)]), "L")
    assert (one.value, kinds(one)) == (2, ["Provisional"])
    assert "1 of 2 families needed" in flags(one)[0]
    few = level(score(practised(2, 0, 2, 0, families=2, learners=2, n=2)), "L")
    assert (few.value, kinds(few)) == (0, ["Provisional"])
    assert "8 instances after, 10 needed" in flags(few)[0]


def test_a_level_met_in_part_on_too_few_instances_leaves_what_they_bear() -> None:
    """16 instances of level 4, whose gain a wiped memory has as well: level 3 asks for 20 (10.3.1)."""
    found = level(score(practised(4, 0, 4, 4, n=4, families=2, learners=2)), "L")
    assert (found.value, kinds(found)) == (2, ["Provisional"])


def test_attempts_at_one_instance_are_one_instance() -> None:
    rows = attempts(0, 3, n=3, families=1, learners=3)
    rows += episodes(1, "attempt", 3, n=3, attempt=4, families=1, learners=3)
    found = level(score(rows), "L")
    assert (found.value, kinds(found)) == (0, ["Provisional"])
    assert "9 instances after, 10 needed" in flags(found)[0]


def test_attempts_at_other_instances_do_not_show_adaptation() -> None:
    later = [msgspec.structs.replace(r, instance=f"+{r.instance}") for r in attempts(1, 8) if r.attempt == 3]
    result = score([*episodes(1, "attempt", 1, attempt=1), *later])
    assert level(result, "L").value is None
    assert "no instance has a first attempt and a third one" in verdict(result, "L ≥ 1").because


def test_a_family_that_was_tested_once_is_not_compared() -> None:
    """Its tests would pass for a gain, or for a loss on earlier families."""
    easy = episodes(2, "post", 10, paired=False, families=1, family="l9")
    result = score([*practised(2, 1, 1, 1, paired=False, families=2), *easy])
    assert level(result, "gain", level="2", family=None).value == 0
    apart = score([*episodes(2, "pre", 0, families=1), *easy])
    assert level(apart, "L").value is None
    assert "no family has outcomes of both" in verdict(apart, "L ≥ 2").because
    kept = lasting(8, paired=False, families=3)
    other = practised(5, 1, 10, 1, paired=False, families=1, learners=1, family="l9")
    assert level(score([*kept, *other]), "retest_gain", family=None).value == 0


@pytest.mark.parametrize("gone", ["pre", "post"])
def test_one_phase_alone_tests_nothing(gone: str) -> None:
    rows = [row for row in practised(2, 1, 8, 1) if row.phase != gone]
    found = level(score(rows), "L")
    assert (found.value, found.spec_value, kinds(found)) == (None, 0, ["Provisional"])


def test_rows_without_a_phase_are_counted_and_not_scored() -> None:
    rows = [msgspec.structs.replace(row, phase="") for row in episodes(2, "pre", 4, learners=1)]
    found = level(score(rows), "L")
    assert (found.value, found.spec_value, flags(found)) == (None, 0, ["Provisional (not tested)"])
    assert measures(score(rows), "gain") == []


def test_raters_who_come_to_different_levels_are_contested() -> None:
    rows = [*attempts(1, 1), *practised(2, 1, 4, 1)]
    ann = [msgspec.structs.replace(row, rater="ann") for row in rows]
    strict = [
        msgspec.structs.replace(row, rater="bob", outcome="failure")
        if row.phase == "post" and not row.arm
        else msgspec.structs.replace(row, rater="bob")
        for row in rows
    ]
    found = level(score([*ann, *strict]), "L")
    assert (found.value, kinds(found)) == (0, ["Contested"])


def test_the_order_of_rows_does_not_matter() -> None:
    rows = [*attempts(1, 7), *practised(2, 1, 8, 1), *practised(4, 1, 5, 1), *lasting()]
    assert score(rows) == score(rows[::-1])


def test_simulated_learners_are_not_read_too_high() -> None:
    """`assay calibrate agency` has the measured shares; these are few runs of it."""
    plan, declaration = Learning(), declared([])
    for member in LEARNERS:
        read = [
            learning_level(
                SubjectTally(
                    subject="x", boundary="core", cells={}, pairs={}, learning=drawn_learning(member, i, plan)
                ),
                msgspec.structs.replace(declaration, regimes={}),
                rubric(),
            ).level
            for i in range(8)
        ]
        assert max(read) <= member.L, member.name
        assert sorted(read)[len(read) // 2] == member.L, member.name


def test_the_table_of_gains_has_a_row_for_all_families_and_for_each() -> None:
    rows = [
        *attempts(1, 7, families=2),
        *practised(2, 1, 8, 1, families=2),
        *episodes(2, "repeat", 9, families=2),
    ]
    result = score(rows)
    declaration = declared(rows, **EXTENDED)
    shown = present_rows(analyse(rows, declaration), result, declaration)
    (table,) = [one for one in shown.tables if one.title == "What practice gains"]
    assert [row[:3] for row in table.rows] == [
        (f"L {of}", name, "Baseline") for of in (1, 2) for name in ("all", "l0", "l1")
    ]
    numbers = [cell.value for cell in table.rows[3][3:] if isinstance(cell, Number)]
    assert numbers == [0.1, 0.8, 0.7, 0.7, None, None, 0.9]
    assert (
        "before practice 8 of 80 held-out tests succeeded, after it 64 of 80 (+70 points)" in shown.summary[0]
    )
    assert [one.value for one in shown.headline.rows[0][2:9] if isinstance(one, Number)][4] == 3
