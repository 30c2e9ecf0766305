"""Rows of trials are scored as a run's trials are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from assay_drill import Drill, Ping

from assay.canonical import encode
from assay.errors import InputError
from assay.measuring.building import MeasureBuilder
from assay.measuring.outcomes import LostTrials
from assay.measuring.rows import open_rows
from assay.vocabulary import Exclusion, Flag, Measure, Result

TRIALS = [
    *[{"subject": "b", "outcome": "success", "item": "x"}] * 3,
    {"subject": "b", "outcome": "failure"},
    {"subject": "b", "outcome": "unknown"},
    *[{"subject": "a", "outcome": "failure"}] * 10,
    {"subject": "a", "outcome": "excluded", "reason": "net"},
]


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scored(folder: Path, rows: list[dict[str, Any]], instrument: Any = Ping) -> Result:
    result: Result = instrument().score_rows(open_rows(written(folder, rows)), None).result
    return result


def test_the_share_of_successes_has_bounds_and_lost_trials_are_counted(tmp_path: Path) -> None:
    result = scored(tmp_path, TRIALS)
    a, b = result.measures
    assert (a.name, a.labels, a.value, a.n, a.bound_low) == ("success", {"subject": "a"}, 0.0, 10, None)
    assert a.flags == (Flag("Provisional", "1 of 11 trials excluded"),)
    assert (b.value, b.k, b.n, b.bound_low, b.bound_high) == (0.75, 3, 4, 0.6, 0.8)
    assert result.excluded == (Exclusion("net", 1, {"subject": "a"}),)
    assert (result.source, result.flags) == ("rows", (Flag("Limited Comparability", "not declared first"),))
    assert not result.notes


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    assert encode(scored(tmp_path, TRIALS)) == encode(scored(tmp_path, TRIALS[::-1]))


def test_a_row_may_have_further_fields_and_its_records_say_what_was_read(tmp_path: Path) -> None:
    rows = [{"subject": "a", "outcome": "failure", "reason": "late", "reply": "x", "repetition": 3}]
    found = Ping().score_rows(open_rows(written(tmp_path, rows)), None)
    assert list(found.records()) == [
        {"row": 1, "subject": "a", "item": "", "outcome": "failure", "reason": "late"}
    ]
    assert found.present().headline == Ping().headline(found.result)


@pytest.mark.parametrize(
    "row",
    [
        {"outcome": "success"},
        {"subject": "a"},
        {"subject": "a", "outcome": "won"},
        {"subject": "", "outcome": "success"},
    ],
)
def test_a_row_without_a_subject_or_an_outcome_is_refused(tmp_path: Path, row: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"rows\.jsonl"):
        scored(tmp_path, [{"subject": "a", "outcome": "success"}, row])


def test_an_instrument_with_measures_of_its_own_scores_its_rows_by_them(tmp_path: Path) -> None:
    (measure,) = scored(tmp_path, TRIALS[:4], Drill).measures
    assert (measure.name, measure.value) == ("reached", 0.75)


def test_an_instrument_that_scores_runs_otherwise_says_that_its_rows_are_shares(tmp_path: Path) -> None:
    class Other(Ping):
        def score(self, evidence: Any) -> Result:
            raise NotImplementedError

    result = scored(tmp_path, TRIALS, Other)
    assert [measure.name for measure in result.measures] == ["success", "success"]
    assert len(result.notes) == 1


def test_unknown_outcomes_alone_have_bounds_and_no_value(tmp_path: Path) -> None:
    (measure,) = scored(tmp_path, [{"subject": "a", "outcome": "unknown"}]).measures
    found: Measure = measure
    assert (found.value, found.bound_low, found.bound_high) == (None, 0.0, 1.0)


def test_lost_trials_flag_the_measures_that_have_their_labels() -> None:
    lost = LostTrials("subject", "bias")
    for bias, outcome in (("x", "success"), ("x", "excluded"), ("y", "excluded"), ("z", "failure")):
        lost.add({"subject": "a", "bias": bias}, outcome, "net" if outcome == "excluded" else "")  # type: ignore[arg-type]
    assert lost.excluded == [Exclusion("net", 1, {"subject": "a", "bias": bias}) for bias in "xy"]
    assert lost.wholly == [{"subject": "a", "bias": "y"}]
    say = MeasureBuilder({"subject": "a"})
    found = [say("rate", 0.5, {"bias": bias, "kind": "k"}) for bias in ("x", "z", "")]
    flags = [[str(flag) for flag in lost.flagged(measure, 0.9).flags] for measure in found]
    assert [bool(some) for some in flags] == [True, False, True]
    assert "1 of 2 trials" in flags[0][0]
    assert "2 of 4 trials" in flags[2][0]
