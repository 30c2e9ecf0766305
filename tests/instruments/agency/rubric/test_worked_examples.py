"""The two worked examples of 11.10, from rows.

10.3.1 asks for two families from level 3 on, the examples name one: the rows are those of two, so that only the
rule of the interval decides.
"""

from __future__ import annotations

from assay.instruments.agency.declarations.outcome import OutcomeRow
from tests.instruments.agency.made_outcomes import flags, kinds, level, made, score, verdict


def test_example_1_gives_3_by_the_point_provisional() -> None:
    """11.10.1 gives no flag; 11.4.2 asks for an interval that reaches the threshold, or Provisional."""
    result = score(made("M", 3, 15, 20, families=["debugging", "tracing"]), rule="point")
    found = level(result, "M")
    assert (found.value, [flag.kind for flag in found.flags], found.n) == (3, ["Provisional"], 20)
    assert verdict(result, "M ≥ 3").holds is True
    assert verdict(result, "M ≥ 4").holds is None  # not tested
    assert "level 1, 2 not shown on its own" in " ".join(found.notes)


def test_example_1_gives_2_provisional_by_the_interval() -> None:
    found = level(score(made("M", 3, 15, 20, families=["debugging", "tracing"])), "M")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    # statsmodels.stats.proportion.proportion_confint(15, 20, method="wilson") = (0.5313, 0.8881)
    assert "interval 53.1 to 88.8 %" in flags(found)[0]


def test_example_1_in_its_single_family_lacks_a_family_by_10_3_1() -> None:
    found = level(score(made("M", 3, 15, 20, families=["debugging"]), rule="point"), "M")
    assert (found.value, kinds(found)) == (2, ["Provisional"])
    assert "1 of 2 families needed (10.3.1)" in flags(found)[0]


def example_2(families: list[str]) -> list[OutcomeRow]:
    """Both raters on all 20 instances; on three ann says success and bob failure: 14 by both."""
    ann = made("D", 4, 17, 20, families=families, regime="Moderate", rater="ann")
    bob = made("D", 4, 14, 20, families=families, regime="Moderate", rater="bob")
    return [*ann, *bob]


def test_example_2_gives_3_provisional_for_sampling_and_not_contested() -> None:
    for families in (["allocation", "rota"], ["allocation"]):
        result = score(example_2(families))
        found = level(result, "D")
        assert (found.value, kinds(found)) == (3, ["Provisional"])
        assert "14/20 = 70.0 %" in flags(found)[0]
        agreement = level(result, "agreement", dimension="D")
        assert (agreement.value, agreement.n) == (0.85, 20)
        assert "D=Provisional" in found.notes[0]


def test_example_2_with_more_instances_reaches_4() -> None:
    rows = made("D", 4, 160, 200, families=["allocation", "rota"], regime="Moderate")
    found = level(score(rows), "D")
    assert (found.value, found.flags) == (4, ())


def test_the_tuple_stands_first_in_every_level() -> None:
    result = score(made("M", 3, 15, 20, families=["debugging", "tracing"]), rule="point")
    for name in "SMDELRG":
        text = level(result, name).notes[0]
        assert text.startswith(
            "(Framework v.10, Core Boundary, suite-1, Baseline, Tier None, A = [0, 3, 0, 0, 0, 1, 0], [Flags:"
        )
