"""Tier 5 as a whole, from rows and a declaration: what reaches it, what stops at tier 4, what it makes mandatory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import assay
from assay.vocabulary import Result
from tests.instruments.agency.made_outcomes import flags, level, verdict
from tests.instruments.agency.rubric.known_cases import FAMILY, REGIMES, declaration_of, rows_of

ABOUT = {
    "environment": "multi-agent", "mode": "competitive", "kind": "competition", "roles": ["bidder", "rival"],
    "interaction": "sealed bids", "constraints": ["one bid"],
}  # fmt: skip
KNOWS = {"": 38, "non_social": 4, "permuted": 38, "scrambled": 4, "masked": 4}


def partners(regime: str = "Moderate", families: str = "ab", n: int = 40, **won: Any) -> list[dict[str, Any]]:
    shares = {**KNOWS, **{"" if arm == "own" else arm: k for arm, k in won.items()}}
    return [
        {
            "dimension": "T5", "level": 5, "family": f"T5-{family}", "regime": regime, "instance": str(number),
            "outcome": "success" if number < k else "failure", "artifact": "digest", "arm": arm,
            "criterion_time": FAMILY["criterion_time"], "steps": 9, "state_changed": True, "compliant": True,
        }
        for family in families
        for arm, k in shares.items()
        for number in range(n)
    ]  # fmt: skip


def scored(
    folder: Path,
    rows: list[dict[str, Any]],
    below: str = "tier4",
    about: dict[str, Any] | None = None,
    **more: Any,
) -> Result:
    case = {"rows": [below]}
    declared = declaration_of(case)
    assert declared is not None
    declared["regimes"] = {name: REGIMES[name] for name in ("Baseline", "Moderate", "Severe")}
    declared["families"] |= {
        name: {"dimension": "T5", **FAMILY, **ABOUT, **(about or {})}
        for name in {row["family"] for row in rows}
    }
    path = folder / "declaration.yaml"
    path.write_text(yaml.safe_dump({**declared, **more}), encoding="utf-8")
    return assay.score("agency", [*rows_of(case), *rows], declaration=str(path)).result


SEVERE = partners("Severe", "a")


def both(**won: Any) -> list[dict[str, Any]]:
    """Under moderate constraints, and in one family under severe ones."""
    return [*partners(**won), *partners("Severe", "a", **won)]


def test_rows_reach_tier_5_and_its_report_needs_a_pre_registration(tmp_path: Path) -> None:
    found = scored(tmp_path, [*partners(), *SEVERE])
    assert level(found, "tier").value == 5
    assert "missing pre-registration reference" in verdict(found, "Tier 5 has its Technical Report").because
    registered = scored(tmp_path, [*partners(), *SEVERE], pre_registration="registry.example/17")
    report = verdict(registered, "Tier 5 has its Technical Report")
    assert report.holds is True
    assert "pre-registered at registry.example/17" in report.because


@pytest.mark.parametrize(
    ("rows", "about"),
    [
        (both(non_social=37), {}),
        (both(permuted=4), {}),
        (both(scrambled=38), {}),
        (both(masked=38), {}),
        ([*partners(own=26), *SEVERE], {"kind": "delegation"}),
        ([*partners(), *SEVERE], {"environment": "tool-augmented"}),
        ([*partners(), *partners("Severe", "a", own=20)], {}),
    ],
    ids=["no gain", "permuted", "scrambled", "masked", "no strategy", "environment", "severe fails"],
)
def test_one_gate_that_is_not_passed_leaves_tier_4(
    tmp_path: Path, rows: list[dict[str, Any]], about: dict[str, Any]
) -> None:
    assert level(scored(tmp_path, rows, about=about), "tier").value == 4


def test_without_a_severe_regime_the_tier_is_capped_at_4(tmp_path: Path) -> None:
    found = level(scored(tmp_path, partners()), "tier")
    assert found.value == 4
    assert "no family was met under a severe regime (12.3.3)" in flags(found)[0]


def test_too_few_instances_give_tier_4_provisional(tmp_path: Path) -> None:
    few: dict[str, Any] = {"own": 19, "non_social": 0, "permuted": 19, "scrambled": 0, "masked": 0}
    found = level(scored(tmp_path, [*partners(n=19, **few), *partners("Severe", "a", n=1, **few)]), "tier")
    assert found.value == 4
    assert any("20 instances, 2 needed (12.8.2)" in flag for flag in flags(found))
    assert any("39 instances in 2 families" in flag for flag in flags(found))


def test_no_tier_is_jumped(tmp_path: Path) -> None:
    assert level(scored(tmp_path, [*partners(), *SEVERE], "tier3"), "tier").value == 3


def test_exactly_10_points_are_tier_5_by_the_text_and_not_by_the_interval(tmp_path: Path) -> None:
    rows = both(non_social=34)
    found = level(scored(tmp_path, rows), "tier")
    assert (found.value, found.spec_value) == (4, 5)


def test_a_lower_threshold_of_a_family_does_not_lower_that_of_the_tier(tmp_path: Path) -> None:
    lower = {"threshold": 0.4, "threshold_reason": "a hard family"}
    rows = both(own=26)
    found = scored(tmp_path, rows, about=lower)
    assert verdict(found, "Tier 5, strategic interaction").holds is not True
    assert level(found, "tier").value == 4


def rated(rows: list[dict[str, Any]], arm: str, share: int) -> list[dict[str, Any]]:
    """Two raters, who label so many outcomes of an arm differently."""
    found = []
    for row in rows:
        open_ = row["arm"] == arm and row["family"] == "T5-a" and int(row["instance"]) < share
        found += [{**row, "rater": "ann"}]
        found += [{**row, "rater": "bob", **({"outcome": _other(row["outcome"])} if open_ else {})}]
    return found


def _other(outcome: str) -> str:
    return "failure" if outcome == "success" else "success"


def test_what_raters_leave_open_favours_neither_side_of_the_claim(tmp_path: Path) -> None:
    """In the arm that is to be worse it counts as success, in the permuted arm, which is to be better, as failure."""
    doubted = scored(tmp_path, [*rated(partners(), "permuted", 30), *rated(SEVERE, "", 0)])
    assert "permuted less non_social: 60.0 points (12/120" in verdict(doubted, "Tier 5, attribution").because
    lower = scored(tmp_path, [*rated(partners(non_social=0), "non_social", 30), *rated(SEVERE, "", 0)])
    assert "as it is less non_social: 66.7 points" in verdict(lower, "Tier 5, multi-agent gain").because


def test_a_tier_that_rests_on_g1_by_plain_rates_is_another_one_by_the_text(tmp_path: Path) -> None:
    """30 of 40 are 75 %, and their interval does not reach 70 % (11.4.2): G1 = 3 by the rule point alone."""
    case = {"rows": ["tier4"]}
    declared = declaration_of(case)
    assert declared is not None
    declared["regimes"] = {name: REGIMES[name] for name in ("Baseline", "Moderate", "Severe")}
    rows = rows_of(case)
    for number, row in enumerate(row for row in rows if row["dimension"] == "G1"):
        row["outcome"] = "success" if number % 4 else "failure"
    path = tmp_path / "declaration.yaml"
    path.write_text(yaml.safe_dump({**declared, "rule": "point"}), encoding="utf-8")
    found = level(assay.score("agency", rows, declaration=str(path)).result, "tier")
    assert (found.value, found.spec_value) == (4, 3)
