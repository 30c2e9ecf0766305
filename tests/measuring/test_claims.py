"""Claims judged by tests: what holds, what fails, and what unreadable answers leave open."""

from __future__ import annotations

import numpy as np
import pytest

from assay.measuring.building import Ends, MeasureBuilder
from assay.measuring.claims import Bar, Claim, ReadableMean, claim_verdicts
from assay.stats import ClusterTerm, cluster_contrast

SAY = MeasureBuilder({})


def mean(right: int, of: int = 40, bounds: Ends | None = None) -> ReadableMean:
    hits = (np.arange(of) < right).astype(np.float64)
    return ReadableMean(cluster_contrast(ClusterTerm(np.ones(of), hits)), bounds)


def decided(*bars: Bar) -> bool | None:
    [found] = claim_verdicts("c", "prediction", [Claim({"subject": "s"}, bars, "it is so")], SAY, "; so what")
    assert found.claim == "s: it is so"
    assert found.because.endswith("; so what") == (found.holds is False)
    return found.holds


@pytest.mark.parametrize(
    ("bar", "side", "holds"),
    [
        (Bar(mean(38), 0.5), 1, True),
        (Bar(mean(2), 0.5), -1, False),
        (Bar(mean(21), 0.5), 1, None),
        (Bar(mean(20), 0.5), -1, None),
        (Bar(mean(20), 0.5, reached=True), 1, None),
        (Bar(mean(38, bounds=(0.4, 0.97)), 0.5), 0, None),  # unreadable answers could turn it round
        (Bar(mean(38, bounds=(0.6, 0.97)), 0.5), 1, True),
        (Bar(None, 0.5), 0, None),
    ],
)
def test_a_bar_is_passed_by_a_test_whatever_was_unreadable(bar: Bar, side: int, holds: bool | None) -> None:
    assert bar.side() == side
    assert decided(bar) is holds


def test_all_bars_must_be_passed_and_one_below_is_enough_to_fail() -> None:
    high, low = Bar(mean(38), 0.5), Bar(mean(2), 0.5)
    assert decided(high, high) is True
    assert decided(high, low) is decided(low, Bar(None, 0.5)) is False
    assert decided(high, Bar(mean(22), 0.5)) is decided(high, Bar(None, 0.5)) is None


def test_claims_of_one_family_are_adjusted_together() -> None:
    claim = Claim({"subject": "s"}, [Bar(mean(27), 0.5)], "it is so")
    [alone] = claim_verdicts("c", "comparison", [claim], SAY)
    many = [*claim_verdicts("c", "comparison", [claim] * 9, SAY)]
    assert alone.holds is True
    assert {one.holds for one in many} == {None}
    assert "Holm over 9 subjects" in many[0].rule


def test_a_mean_without_readable_answers_says_why() -> None:
    nothing = ReadableMean(cluster_contrast(ClusterTerm(np.zeros(2), np.zeros(2))), (0.0, 1.0))
    assert nothing.measure(SAY, "rate", {}).notes == ("no answer could be read",)
    assert Bar(nothing, 0.5, name="forward ").text(SAY) == "forward no answer could be read"
    assert Bar(None, 0.5, why="not asked").text(SAY) == "not asked"
