"""The spec, section by section, and the tests that hold the instrument to it.

* Core Principle: Single Canon
    definitions: test_the_canon_is_the_first_output_that_passes
    definitions: test_the_canon_is_found_by_repetition_number_not_by_arrival
    cells.canons: test_whatever_defines_a_canon_is_in_its_digest
    cells.canons: test_a_canon_that_was_changed_under_its_name_is_found_out
    scoring: test_by_default_every_cell_has_its_own_canon
    spec: test_a_later_passing_output_never_moves_the_canon
* R_raw: Raw LLM Repeatability
    definitions: test_R_raw_is_the_share_of_the_most_frequent_program
    definitions: test_R_raw_of_an_empty_output_set_is_null_and_by_the_spec_zero
    definitions: test_R_raw_of_a_single_output_is_one
    definitions: test_R_raw_of_outputs_that_are_all_the_same_is_one
    definitions: test_R_raw_of_outputs_that_are_all_unique_is_one_over_n
    spec: test_R_raw_looks_at_outputs_before_repair
* R_anchor: Canonical Repeatability
    spec: test_R_anchor_is_the_share_at_distance_zero_after_repair
    spec: test_R_anchor_is_one_when_all_outputs_reach_the_canon
    spec: test_R_anchor_is_zero_when_no_output_reaches_a_declared_canon
    spec: test_R_anchor_is_zero_by_convention_without_a_canon
    spec: test_R_anchor_without_outputs_is_null_and_says_why
* Rescue Rate: Repair Effectiveness
    spec: test_rescue_rate_counts_transitions_from_noncanonical_to_canonical
    spec: test_all_outputs_already_canonical_means_rescue_rate_zero
    spec: test_no_repair_attempt_means_rescue_rate_zero
    spec: test_rescue_rate_is_a_share_of_all_outputs_not_of_those_repaired
    spec: test_an_output_that_fails_the_oracle_never_counts_as_rescued
* μ_pre, μ_post: Mean Distances
    definitions: test_mu_pre_is_the_mean_distance_to_the_canon
    spec: test_mu_post_is_the_mean_distance_after_repair
    spec_validation: test_mu_post_never_exceeds_mu_pre
* P_τ: Threshold Success Rate
    definitions: test_P_tau_is_the_share_within_tau_and_its_default_is_a_tenth
    scoring: test_a_distance_of_exactly_tau_is_within_it
    spec: test_P_tau_post_is_the_share_within_tau_after_repair
    spec: test_tau_is_configurable_and_named_with_every_P_tau
* ΔR_anchor: Anchor Repeatability Improvement
    spec: test_delta_R_anchor_is_R_anchor_as_the_spec_simplifies
    spec: test_delta_R_anchor_observed_is_R_anchor_less_R_anchor_pre
* Δμ: Mean Distance Improvement
    spec: test_delta_mu_is_mu_post_less_mu_pre
    spec_validation: test_delta_mu_is_never_positive
* ΔP_τ: Threshold Success Improvement
    spec: test_delta_P_tau_is_P_tau_post_less_P_tau_pre
    spec: test_delta_P_tau_is_zero_when_nothing_crosses_tau
* Normalized Levenshtein Distance
    programs.distance: test_it_is_edits_over_the_longer_length_on_code_points
    programs.distance: test_two_empty_texts_are_at_distance_zero
    programs.distance: test_the_distance_has_a_version
    programs.distance: test_zero_distance_and_equal_signatures_are_the_same_thing
    programs.spec_programs: test_distance_is_zero_to_itself_symmetric_and_within_bounds
* SHA-256 Over Normalized Text
    programs.normalisation: test_a_signature_is_the_sha256_of_the_utf8_text
    programs.normalisation: test_every_level_gives_the_same_again
    programs.spec_programs: test_equal_signatures_and_zero_distance_are_the_same_at_every_level
* Normalization Version Impact
    definitions: test_rows_carry_the_versions_that_define_their_numbers
    cells.canons: test_a_canon_of_another_version_of_any_rule_is_refused_and_both_are_named
    spec: test_every_version_that_defines_a_number_is_recorded
* Oracle Version Impact
    cells.canons: test_a_canon_of_another_version_of_any_rule_is_refused_and_both_are_named
    spec: test_every_version_that_defines_a_number_is_recorded
* Empty or Invalid Inputs
    programs.normalisation: test_empty_normalised_text_has_the_sha256_of_the_empty_string
    definitions: test_empty_normalised_text_is_at_distance_one_from_text_and_zero_from_itself
    definitions: test_syntax_errors_are_compared_by_their_text_and_said_to_be_so
    programs.normalisation: test_syntax_errors_fall_back_to_the_text_level
    definitions: test_no_canon_gives_null_with_the_conventional_values_and_the_reason
    spec: test_syntax_errors_establish_no_canon_and_are_not_repaired
    spec: test_without_a_canon_repair_effectiveness_is_unmeasurable
* Computational Limits
    programs.distance: test_texts_of_150_000_characters_are_compared_by_lines
    programs.distance: test_two_lines_of_a_million_characters_are_compared_at_once
    rows: test_a_million_characters_are_scored
* Metric Consistency
    definitions: test_ranges_and_consistency_hold_for_whatever_comes
    definitions: test_a_breach_of_the_validation_rules_is_never_reported_as_a_result
    definitions: test_repeated_computation_yields_identical_bytes
    spec_validation: test_every_measure_after_repair_is_within_its_range
    spec_validation: test_a_repair_that_moved_an_output_away_is_never_reported
* Precision Requirements
    definitions: test_rows_keep_full_precision_and_results_twelve_digits
    rows: test_the_command_line_shows_three_decimals_and_machines_get_all
    spec: test_rows_hold_the_distances_before_and_after_repair_at_full_precision
"""

from __future__ import annotations

import importlib
import re
from fractions import Fraction
from typing import Any

import pytest

from assay.instruments.repeatability.cells.cell import Cell
from assay.instruments.repeatability.cells.records import record_rows
from assay.instruments.repeatability.measures.settings import NO_CANON, NO_OUTPUTS
from assay.instruments.repeatability.programs.repair import Repair
from assay.instruments.repeatability.scoring import Settings
from assay.vocabulary import Result
from tests.support import SHARED

from .making import anchors_of, canon_of, cell_of, contract, measure, score

SPEC = SHARED.parent / "specs" / "repeatability.md"
REPAIRED = Settings(repair=True)
LEVELS = ("text", "ast")
AFTER = (
    "R_anchor",
    "rescue_rate",
    "mu_post",
    "P_tau_post",
    "delta_R_anchor",
    "delta_R_anchor_observed",
    "delta_mu",
    "delta_P_tau",
)

# One word each, so that text and tree print alike: of ten letters, this many differ from the canon.
CANON, ONE_OFF, TWO_OFF, FIVE_OFF, ALL_OFF = (
    "abcdefghij",
    "abcdefghiX",
    "abcdefghXY",
    "abcdeVWXYZ",
    "ABCDEFGHIJ",
)


def planted(cell: Cell, repairs: dict[str, str]) -> Cell:
    """The cell, with repairs that are known beforehand."""
    cell.repairs.update({code: Repair(source=source) for code, source in repairs.items()})
    return cell


def four() -> Cell:
    """The canon; one brought to it; one brought near it; one that fails, which no repair may touch."""
    cell = cell_of(CANON, TWO_OFF, FIVE_OFF, (ALL_OFF, "wrong"))
    return planted(cell, {TWO_OFF: CANON, FIVE_OFF: ONE_OFF, ALL_OFF: CANON})


def value(result: Result, name: str, level: str = "text") -> float | None:
    return measure(result, name, level).value


def at_both_levels(
    cell: Cell, name: str, expected: float, settings: Settings = REPAIRED, **more: Any
) -> None:
    result = score(cell, settings=settings, **more)
    for level in LEVELS:
        assert value(result, name, level) == pytest.approx(expected, abs=1e-12)


def test_every_section_of_the_spec_that_defines_something_names_tests_that_are_there() -> None:
    assert __doc__ is not None
    sections: dict[str, list[str]] = {}
    for line in __doc__.splitlines():
        if line.startswith("* "):
            named = sections.setdefault(line[2:], [])
        elif found := re.fullmatch(r"    ((?:programs|cells)\.)?(\w+): (test_\w+)", line):
            module = importlib.import_module(f"{__package__}.{found[1] or ''}test_{found[2]}")
            assert callable(getattr(module, found[3], None)), line
            named.append(found[3])
    assert all(sections.values())
    if not SPEC.exists():
        pytest.skip(f"the spec is not at {SPEC}")
    apart = ("Overview", "Performance Considerations", "Memory Management")  # nothing of it is a number
    chapters = re.split(r"^## ", SPEC.read_text(), flags=re.M)[1:]
    wanted: list[str] = []
    for chapter in chapters:
        below = re.findall(r"^### (.+)$", chapter, flags=re.M)
        wanted += below or [chapter.partition("\n")[0]]
    assert [heading for heading in wanted if heading not in apart] == list(sections)


# The canon


def test_a_later_passing_output_never_moves_the_canon() -> None:
    first = cell_of(CANON, TWO_OFF)
    later = cell_of(CANON, TWO_OFF, *[FIVE_OFF] * 9)
    canons = [measure(score(cell), "canon_index").labels["canon"] for cell in (first, later)]
    assert canons[0] == canons[1]


# R_raw, R_anchor, rescue rate


def test_R_raw_looks_at_outputs_before_repair() -> None:
    cell = cell_of(CANON, TWO_OFF)
    before = measure(score(cell, settings=REPAIRED), "R_raw")
    after = measure(score(planted(cell, {TWO_OFF: CANON}), settings=REPAIRED), "R_raw")
    assert before.value == 0.5
    assert before == after


def test_R_anchor_is_the_share_at_distance_zero_after_repair() -> None:
    at_both_levels(four(), "R_anchor_pre", 1 / 4)
    at_both_levels(four(), "R_anchor", 2 / 4)


def test_R_anchor_is_one_when_all_outputs_reach_the_canon() -> None:
    cell = planted(cell_of(CANON, TWO_OFF, FIVE_OFF, CANON), {TWO_OFF: CANON, FIVE_OFF: CANON})
    at_both_levels(cell, "R_anchor", 1.0)


def test_R_anchor_is_zero_when_no_output_reaches_a_declared_canon() -> None:
    declared = {"c": canon_of(CANON, contract().snapshot, "c")}
    cell = planted(cell_of(TWO_OFF, FIVE_OFF), {FIVE_OFF: ONE_OFF})
    at_both_levels(cell, "R_anchor", 0.0, declared=declared)
    at_both_levels(cell, "rescue_rate", 0.0, declared=declared)


def test_R_anchor_is_zero_by_convention_without_a_canon() -> None:
    result = score(cell_of((CANON, "wrong"), (TWO_OFF, "exception")), settings=REPAIRED)
    for level in LEVELS:
        found = measure(result, "R_anchor", level)
        assert (found.value, found.spec_value, found.notes, found.n) == (None, 0.0, (NO_CANON,), 2)


def test_R_anchor_without_outputs_is_null_and_says_why() -> None:
    declared = {"c": canon_of(CANON, contract().snapshot, "c")}
    found = measure(score(cell_of(), settings=REPAIRED, declared=declared), "R_anchor", "ast")
    assert (found.value, found.spec_value, found.notes) == (None, 0.0, (NO_OUTPUTS,))


def test_rescue_rate_counts_transitions_from_noncanonical_to_canonical() -> None:
    at_both_levels(four(), "rescue_rate", 1 / 4)


def test_all_outputs_already_canonical_means_rescue_rate_zero() -> None:
    at_both_levels(cell_of(CANON, CANON, CANON), "rescue_rate", 0.0)
    at_both_levels(cell_of(CANON, CANON, CANON), "R_anchor", 1.0)


def test_no_repair_attempt_means_rescue_rate_zero() -> None:
    cell = cell_of(CANON, TWO_OFF, FIVE_OFF)
    at_both_levels(cell, "rescue_rate", 0.0)
    at_both_levels(cell, "delta_mu", 0.0)
    result = score(cell, settings=Settings(repair=False))
    assert not {m.name for m in result.measures} & set(AFTER)


def test_rescue_rate_is_a_share_of_all_outputs_not_of_those_repaired() -> None:
    cell = planted(cell_of(*[CANON] * 9, TWO_OFF), {TWO_OFF: CANON})
    at_both_levels(cell, "rescue_rate", 1 / 10)


def test_an_output_that_fails_the_oracle_never_counts_as_rescued() -> None:
    cell = planted(
        cell_of(CANON, (TWO_OFF, "wrong"), (FIVE_OFF, "timeout")), {TWO_OFF: CANON, FIVE_OFF: CANON}
    )
    at_both_levels(cell, "rescue_rate", 0.0)
    at_both_levels(cell, "mu_post", 0.7 / 3)


def test_the_same_program_that_passed_once_and_timed_out_once_is_rescued_once() -> None:
    cell = planted(cell_of(CANON, TWO_OFF, (TWO_OFF, "timeout")), {TWO_OFF: CANON})
    at_both_levels(cell, "rescue_rate", 1 / 3)
    at_both_levels(cell, "R_anchor", 2 / 3)


def test_reaching_the_tree_of_the_canon_is_a_rescue_there_and_not_at_text() -> None:
    canon = "def f(x):\n    return x"
    other, commented = canon.replace("x", "something"), f"{canon}  # so"
    result = score(planted(cell_of(canon, other), {other: commented}), settings=REPAIRED)
    assert (value(result, "rescue_rate", "ast"), value(result, "rescue_rate", "text")) == (0.5, 0.0)
    assert (value(result, "R_anchor", "ast"), value(result, "R_anchor", "text")) == (1.0, 0.5)


# Distances


def test_mu_post_is_the_mean_distance_after_repair() -> None:
    at_both_levels(four(), "mu_pre", (0 + 0.2 + 0.5 + 1) / 4)
    at_both_levels(four(), "mu_post", (0 + 0 + 0.1 + 1) / 4)


def test_P_tau_post_is_the_share_within_tau_after_repair() -> None:
    at_both_levels(four(), "P_tau_pre", 1 / 4)
    at_both_levels(four(), "P_tau_post", 3 / 4)  # a tenth is within a tenth


def test_tau_is_configurable_and_named_with_every_P_tau() -> None:
    chosen = Settings(repair=True, tau=Fraction(1, 5))
    at_both_levels(four(), "P_tau_pre", 2 / 4, settings=chosen)
    at_both_levels(four(), "delta_P_tau", 1 / 4, settings=chosen)
    for found in score(four(), settings=chosen).measures:
        assert ("tau" in found.labels) == ("P_tau" in found.name)
        assert found.labels.get("tau", 0.2) == 0.2


# Differences


def test_delta_R_anchor_is_R_anchor_as_the_spec_simplifies() -> None:
    result = score(four(), settings=REPAIRED)
    for level in LEVELS:
        assert value(result, "delta_R_anchor", level) == value(result, "R_anchor", level) == 0.5


def test_delta_R_anchor_observed_is_R_anchor_less_R_anchor_pre() -> None:
    at_both_levels(four(), "delta_R_anchor_observed", 2 / 4 - 1 / 4)


def test_delta_mu_is_mu_post_less_mu_pre() -> None:
    at_both_levels(four(), "delta_mu", 0.275 - 0.425)


def test_delta_mu_is_minus_one_at_the_most() -> None:
    declared = {"c": canon_of(CANON, contract().snapshot, "c")}
    cell = planted(cell_of(ALL_OFF, ALL_OFF), {ALL_OFF: CANON})
    at_both_levels(cell, "delta_mu", -1.0, declared=declared)
    found = measure(score(cell, settings=REPAIRED, declared=declared), "delta_mu", "text")
    assert found.low is not None
    assert found.high is not None
    assert -1 <= found.low <= found.high <= 0


def test_delta_P_tau_is_P_tau_post_less_P_tau_pre() -> None:
    at_both_levels(four(), "delta_P_tau", 3 / 4 - 1 / 4)


def test_delta_P_tau_is_zero_when_nothing_crosses_tau() -> None:
    cell = planted(cell_of(CANON, ONE_OFF, FIVE_OFF), {ONE_OFF: CANON, FIVE_OFF: TWO_OFF})
    at_both_levels(cell, "delta_P_tau", 0.0)


# Edge cases and versions


def test_syntax_errors_establish_no_canon_and_are_not_repaired() -> None:
    broken = "def f(:"
    result = score(planted(cell_of((broken, "exception")), {broken: CANON}), settings=REPAIRED)
    assert measure(result, "canon_index").value is None
    cell = planted(cell_of(CANON, (broken, "exception")), {broken: CANON})
    at_both_levels(cell, "R_anchor", 0.5)
    at_both_levels(cell, "rescue_rate", 0.0)


def test_without_a_canon_repair_effectiveness_is_unmeasurable() -> None:
    result = score(cell_of((CANON, "wrong")), settings=REPAIRED)
    conventional = dict.fromkeys(AFTER) | {
        "R_anchor": 0.0,
        "rescue_rate": 0.0,
        "mu_post": 1.0,
        "P_tau_post": 0.0,
        "delta_R_anchor": 0.0,
    }
    for name, spec_value in conventional.items():
        for level in LEVELS:
            found = measure(result, name, level)
            assert (found.value, found.spec_value, found.notes) == (None, spec_value, (NO_CANON,))
            assert (found.low, found.high) == (None, None)


def test_every_version_that_defines_a_number_is_recorded() -> None:
    versions = score(cell_of(CANON), settings=REPAIRED).versions
    assert versions["normalisation.text"] == "text/2"
    assert versions["normalisation.ast"].startswith("ast/1+py")
    assert (versions["oracle"], versions["distance"], versions["repair"]) == (
        "oracle/1",
        "levenshtein/1",
        "repair/3",
    )
    assert (versions["rung.behaviour"], versions["inputs"], versions["pairs"]) == (
        "behaviour/2",
        "inputs/1",
        "words/1",
    )
    assert "repair" not in score(cell_of(CANON)).versions


# Precision


def test_rows_hold_the_distances_before_and_after_repair_at_full_precision() -> None:
    cell = planted(cell_of("abc", "aXY", ("XYZ", "wrong")), {"aXY": "abX", "XYZ": "abc"})
    _, near, failing = record_rows([cell], anchors_of([cell]), repaired=True)
    assert (near["distance_text"], near["distance_text_post"]) == (2 / 3, 1 / 3)
    assert (failing["distance_text"], failing["distance_text_post"]) == (1.0, 1.0)
    assert near["repair"] == "repair/3"
    (_, plain, _) = record_rows([cell], anchors_of([cell]))
    assert (plain["distance_text_post"], plain["repair"], plain["repair_steps"]) == (None, None, None)
