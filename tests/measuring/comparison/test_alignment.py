"""Every divergence of 13.5 has its label, is named, and leaves what both have in common."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from assay.measuring.comparison import Frame, align
from assay.vocabulary import Flag

FAMILIES = {name: f"content of {name}" for name in ("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")}
FRAME = Frame(
    instrument="agency",
    version="2",
    source="ledger",
    rules={"rubric": "rubric/1", "framework": "v.10"},
    boundary="core",
    families=FAMILIES,
    regimes={"Baseline": "parameters", "Severe": "parameters"},
    common="words",
    sampling={"temperature": (0.0,), "top_p": (1.0,), "max_tokens": (80,), "seeding": ("derived",)},
    options={"interface": "text", "instances": 20},
    seed=1,
)


def without(names: str) -> dict[str, str]:
    return {name: content for name, content in FAMILIES.items() if name not in names}


@pytest.mark.parametrize(
    ("changed", "label", "kind", "named"),
    [
        ({"version": "2.1"}, "Comparable", "version", "agency 2 against 2.1"),
        ({"version": "3"}, "Non-Comparable", "version", "agency 2 against 3"),
        ({"version": "20"}, "Non-Comparable", "version", "agency 2 against 20"),
        ({"rules": {"rubric": "rubric/2"}}, "Limited Comparability", "rules", "rubric/1 against rubric/2"),
        ({"rules": {"framework": "v.11"}}, "Limited Comparability", "rules", "v.10 against v.11"),
        ({"rules": {"framework": "v2.0"}}, "Non-Comparable", "rules", "framework v.10 against v2.0"),
        ({"boundary": "extended"}, "Limited Comparability", "boundary", "core against extended"),
        ({"families": without("abc")}, "Comparable", "families", "7 of 10 are shared (70%"),
        ({"families": without("abcd")}, "Limited Comparability", "families", "6 of 10 are shared (60%"),
        ({"families": {"z": ""}}, "Non-Comparable", "families", "only in the second: z"),
        (
            {"families": {**FAMILIES, "a": "another text"}},
            "Comparable",
            "families",
            "other content under the same name: a",
        ),
        (
            {"regimes": {"Baseline": "parameters"}},
            "Limited Comparability",
            "regime",
            "only in the first: Severe",
        ),
        (
            {"regimes": {"Baseline": "parameters", "Severe": "others"}},
            "Limited Comparability",
            "regime",
            "other parameters under the same name: Severe",
        ),
        ({"regimes": {"Mild": "parameters"}}, "Non-Comparable", "regime", "only in the second: Mild"),
        (
            {"sampling": {**FRAME.sampling, "temperature": (0.7,)}},
            "Limited Comparability",
            "sampling",
            "temperature 0 against 0.7",
        ),
        (
            {"sampling": {**FRAME.sampling, "interface": ("tools",)}},
            "Limited Comparability",
            "condition",
            "interface none against tools",
        ),
        (
            {"options": {"interface": "tools", "instances": 20}},
            "Limited Comparability",
            "option",
            "text against tools",
        ),
        ({"common": "other words"}, "Limited Comparability", "contents", "nothing is paired"),
        ({"seed": 2}, "Comparable", "seed", "1 against 2"),
        (
            {"flags": (Flag("Provisional", "not finished"),)},
            "Limited Comparability",
            "reading",
            "not finished",
        ),
        ({"flags": (Flag("Invalid", "all lost"),)}, "Non-Comparable", "reading", "all lost"),
    ],
)
def test_a_divergence_is_named_and_has_its_label(
    changed: dict[str, Any], label: str, kind: str, named: str
) -> None:
    for first, second in ((FRAME, replace(FRAME, **changed)),):
        found = align(first, second)
        assert (found.label, [one.kind for one in found.divergences]) == (label, [kind])
        assert named in found.divergences[0].detail


def test_the_same_frame_is_comparable_and_names_nothing() -> None:
    found = align(FRAME, FRAME)
    assert (found.label, found.divergences, found.paired) == ("Comparable", (), True)
    assert found.families == frozenset(FAMILIES)


def test_the_label_is_the_same_from_either_side() -> None:
    for other in (
        replace(FRAME, families=without("abcd")),
        replace(FRAME, version="3"),
        replace(FRAME, seed=2),
    ):
        assert align(FRAME, other).label == align(other, FRAME).label


def test_the_worst_divergence_decides_and_all_are_named() -> None:
    found = align(FRAME, replace(FRAME, seed=2, boundary="extended", version="3"))
    assert found.label == "Non-Comparable"
    assert [one.kind for one in found.divergences] == ["version", "boundary", "seed"]


def test_overlap_is_of_all_families_that_either_has() -> None:
    """8 and 8 of which 7 are shared are 7 of 9, not 7 of 8; 6 shared of 9 are too few."""
    eight = dict.fromkeys("abcdefgh", "")
    assert (
        align(replace(FRAME, families=eight), replace(FRAME, families=dict.fromkeys("bcdefghi", ""))).label
        == "Comparable"
    )
    far = align(
        replace(FRAME, families=dict.fromkeys("abcdefg", "")),
        replace(FRAME, families=dict.fromkeys("bcdefgxy", "")),
    )
    assert "6 of 9 are shared (67%" in far.divergences[0].detail
    assert far.label == "Limited Comparability"


def test_families_of_another_content_are_not_shared() -> None:
    found = align(FRAME, replace(FRAME, families={**FAMILIES, "a": "another text"}))
    assert found.families == frozenset(FAMILIES) - {"a"}


def test_options_that_only_select_trials_are_no_divergence() -> None:
    more = replace(FRAME, options={"interface": "text", "instances": 50})
    assert align(FRAME, more).label == "Limited Comparability"
    assert align(FRAME, more, selecting=["instances"]).label == "Comparable"


def test_what_values_are_told_apart_by_is_compared_cell_by_cell() -> None:
    other = replace(FRAME, sampling={**FRAME.sampling, "temperature": (0.0, 0.7)})
    apart = replace(FRAME, sampling={**FRAME.sampling, "temperature": (0.7,)})
    assert align(FRAME, other, labels=["temperature"]).label == "Comparable"
    assert align(FRAME, apart, labels=["temperature"]).label == "Non-Comparable"


def test_what_an_extended_boundary_includes_is_named() -> None:
    one = replace(FRAME, boundary="extended", includes=("a calculator",))
    found = align(one, replace(one, includes=("a memory",)))
    assert (found.label, found.divergences[0].kind) == ("Comparable", "boundary includes")


def test_plain_rows_are_never_comparable() -> None:
    rows = Frame(
        instrument="agency",
        version="2",
        source="rows",
        flags=(Flag("Limited Comparability", "not declared first"),),
    )
    found = align(FRAME, rows)
    assert (found.label, found.families, found.paired) == ("Limited Comparability", None, False)
    assert [one.kind for one in found.divergences] == ["reading", "families"]


def test_what_a_vendor_evaluated_is_limited_beside_another_vendor_unless_the_protocols_align() -> None:
    ours = replace(FRAME, vendor="A", vendor_evaluated=True)
    theirs = replace(FRAME, vendor="B", vendor_evaluated=True)
    assert align(ours, theirs).label == "Comparable"
    reseeded = replace(theirs, seed=(FRAME.seed or 0) + 1)
    assert align(FRAME, replace(FRAME, seed=reseeded.seed)).label == "Comparable"
    found = align(ours, reseeded)
    assert found.label == "Limited Comparability"
    assert "vendor" in [one.kind for one in found.divergences]
    assert align(ours, replace(reseeded, vendor="A")).label == "Comparable"
    unnamed = align(replace(ours, vendor=""), replace(reseeded, vendor=""))
    assert unnamed.label == "Limited Comparability"
