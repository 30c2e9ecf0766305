"""Drift against an earlier run: then and now against one canon."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats as scipy_stats

from assay.canonical import decode, encode
from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.measures.drift import Earlier, canon_for, drift_measures, earlier_cells
from assay.instruments.repeatability.measures.settings import Settings
from assay.vocabulary import Flag, Measure
from tests.instruments.repeatability.drifting import CONTRACTS, cell, run_of
from tests.instruments.repeatability.making import canon_of

__all__: list[str] = []


def counts(found: Sequence[Earlier]) -> list[tuple[int, int]]:
    return [(earlier.equal, earlier.outputs) for earlier in found]


@pytest.mark.parametrize(
    ("programs", "equal", "outputs"),
    [
        ("AABA", 2, 3),  # the canon itself is left out
        ("bBAB", 1, 2),  # b is the canon's tree, but came before it and did not pass
        ("babABA", 1, 2),
        ("zzA", 0, 0),  # nothing came after it
        ("A", 0, 0),
        ("ABCDE", 0, 4),
    ],
)
def test_outputs_that_equalled_the_canon_are_counted_after_it(
    tmp_path: Path, programs: str, equal: int, outputs: int
) -> None:
    (found,) = earlier_cells(run_of(tmp_path / "run", cell(programs)), CONTRACTS)
    assert (found.equal, found.outputs) == (equal, outputs)
    assert found.key == CellKey("c", "m", 0.0)
    assert found.canon.code == f"x = {next(p for p in programs if p.isupper()).lower()!r}\n"


def test_against_a_canon_from_elsewhere_all_outputs_count(tmp_path: Path) -> None:
    shared = run_of(
        tmp_path / "shared", cell("AAB"), cell("BAA", temperature=0.7), settings=Settings(scope="subject")
    )
    assert counts(earlier_cells(shared, CONTRACTS)) == [(1, 2), (2, 3)]
    canon = canon_of("x = 'a'\n", CONTRACTS["c"].snapshot, "c")
    declared = run_of(tmp_path / "declared", cell("aab"), declared={"c": canon})
    assert counts(earlier_cells(declared, CONTRACTS)) == [(2, 3)]


def test_an_earlier_cell_survives_the_lock(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AAB", wording=1, top_p=0.5, planned=4))
    found = earlier_cells(folder, CONTRACTS)
    assert found[0].key == CellKey("c", "m", 0.0, 0.5, 1)
    assert found[0].flags[0].kind == "Invalid"
    assert msgspec.convert(decode(encode(msgspec.to_builtins(found))), list[Earlier]) == found


def test_cells_without_a_canon_and_other_contracts_are_left_alone(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("aaa"), cell("AB", "d"), cell("AB", temperature=0.7))
    assert [e.key.contract for e in earlier_cells(folder, {"c": CONTRACTS["c"]})] == ["c"]


def earlier(
    model: str = "m", *, alone: bool = True, equal: int = 9, outputs: int = 9, **more: Any
) -> Earlier:
    key = CellKey(**{"contract": "c", "subject": model, "temperature": 0.0, **more})
    canon = canon_of("x = 'a'\n", CONTRACTS["c"].snapshot, "c")
    return Earlier(key=key, canon=canon, equal=equal, outputs=outputs, alone=alone)


def test_the_same_cell_is_found_and_else_that_of_the_only_model() -> None:
    mine, other = earlier("m", alone=False), earlier("n", alone=False)
    assert canon_for(CellKey("c", "n", 0.0), [mine, other]) is other
    assert canon_for(CellKey("c", "new", 0.0), [mine, other]) is None
    assert canon_for(CellKey("c", "m", 0.7), [mine, other]) is None
    assert canon_for(CellKey("d", "m", 0.0), [mine, other]) is None
    only = earlier("m-1")
    assert canon_for(CellKey("c", "m-2", 0.0), [only]) is only
    assert canon_for(CellKey("c", "m-2", 0.0, None, 0), [only]) is only  # wording 0 is the prompt itself
    assert canon_for(CellKey("c", "m-2", 0.0, None, 1), [only]) is None


def test_a_model_that_never_passed_was_measured_all_the_same(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AA", subject="one"), cell("bb", subject="two"))
    (found,) = earlier_cells(folder, CONTRACTS)
    assert found.key.subject == "one"
    assert canon_for(CellKey("c", "three", 0.0), [found]) is None


def fisher(a: int, b: int, c: int, d: int) -> float:
    return float(scipy_stats.fisher_exact(np.array([[a, b], [c, d]])).pvalue)


def drift_of(cell: Cell, then: Earlier, settings: Settings | None = None) -> tuple[Measure, Any]:
    found = drift_measures([(cell, then)], settings or Settings())
    return found.measures[0], found.verdicts[0]


def test_a_canon_that_is_no_longer_given_is_drift() -> None:
    measure, verdict = drift_of(cell("B" * 8 + "A" * 2), earlier())
    assert (measure.name, measure.value, measure.n, measure.units) == ("drift", -0.8, 19, "difference")
    assert measure.labels["level"] == "ast"
    assert measure.labels["canon"] == earlier().canon.digest
    assert measure.low is not None
    assert measure.high is not None
    assert -1 <= measure.low < measure.high < 0
    p = fisher(2, 8, 9, 0)
    assert (verdict.claim, verdict.holds) == (
        "no drift is shown: m on c against its earlier canon at temperature 0",
        False,
    )
    assert "then 9 of 9 outputs equalled the canon, now 2 of 10" in verdict.because
    assert f"p = {p:.3g}, {p:.3g} after Holm; 9 and 10 outputs" in verdict.because
    assert verdict.rule.endswith("Holm over 1 cells at .05")


def test_the_same_share_shows_no_drift_and_a_limit_wants_the_whole_interval() -> None:
    measure, verdict = drift_of(cell("A" * 10), earlier())
    assert (measure.value, verdict.holds) == (0.0, True)
    assert (verdict.name, verdict.kind) == ("no_drift", "requirement")
    for limit, holds in ((0.5, True), (0.05, None)):
        found = drift_measures([(cell("A" * 10), earlier())], Settings(drift_at_most=limit))
        assert found.verdicts[0].holds is holds
    gone = drift_measures([(cell("B" * 10), earlier())], Settings(drift_at_most=0.1))
    assert gone.verdicts[0].holds is False


def test_a_new_version_of_the_subject_is_named_with_the_old_one() -> None:
    measure, verdict = drift_of(cell("B" * 10, subject="m-2"), earlier("m-1"))
    assert measure.labels["earlier_subject"] == "m-1"
    assert verdict.claim == "no drift is shown: m-2 on c against the earlier canon of m-1 at temperature 0"


def test_comments_and_layout_are_no_drift() -> None:
    restyled = Cell(
        CellKey("c", "m", 0.0), [Output(i, f"x  =  'a'  # {i}\n", "pass", 1, 1) for i in range(10)]
    )
    assert drift_of(restyled, earlier())[0].value == 0.0


def test_too_few_outputs_show_nothing_and_it_says_so() -> None:
    verdict = drift_of(cell("BBB"), earlier(equal=3, outputs=3))[1]
    assert verdict.holds is None
    # all against none: 2 of the C(6, 3) = 20 splits
    assert verdict.because.endswith(
        "p = 0.1, 0.1 after Holm; 3 and 3 outputs: too few, no p below 0.1 is possible"
    )


def test_no_table_has_a_smaller_p_than_all_against_none() -> None:
    for n1, n2 in itertools.product(range(1, 7), repeat=2):
        least = min(fisher(a, n2 - a, b, n1 - b) for a in range(n2 + 1) for b in range(n1 + 1))
        assert least == pytest.approx(fisher(n2, 0, 0, n1))


@pytest.mark.parametrize(
    ("now", "then", "why"),
    [
        ("", earlier(), "no outputs"),
        ("AA", earlier(equal=0, outputs=0), "no outputs came after the canon then"),
    ],
)
def test_without_outputs_on_one_side_there_is_no_value(now: str, then: Earlier, why: str) -> None:
    measure, verdict = drift_of(cell(now), then)
    assert (measure.value, measure.low, measure.notes) == (None, None, (why,))
    assert (verdict.holds, verdict.because) == (None, why)


def test_holm_goes_over_the_cells() -> None:
    alone = drift_of(cell("AABBBB"), earlier(equal=9, outputs=9))[1]
    assert alone.holds is False
    steady = [(cell("A" * 6, temperature=t), earlier(temperature=t)) for t in (0.1, 0.2, 0.3, 0.4)]
    found = drift_measures([(cell("AABBBB"), earlier(equal=9, outputs=9)), *steady], Settings())
    assert [v.holds for v in found.verdicts] == [True] * 5
    assert found.verdicts[0].rule.endswith("Holm over 5 cells at .05")


def test_losses_then_and_now_flag_the_drift() -> None:
    then = msgspec.structs.replace(earlier(), flags=(Flag("Provisional", "1 of 10 outputs excluded"),))
    flags = drift_of(cell("A" * 19, planned=20), then)[0].flags
    assert [str(f) for f in flags] == [
        "Provisional (1 of 20 outputs excluded)",
        "Provisional (then: 1 of 10 outputs excluded)",
    ]


@pytest.mark.slow
def test_equal_subjects_are_said_to_drift_no_oftener_than_declared() -> None:
    """Over all counts, weighed by their chance: the exact rate, not a simulated one."""
    counts = list(itertools.product(range(9), range(8)))  # of 8 then, of 7 now
    shown = [
        drift_of(cell("A" * b + "B" * (7 - b)), earlier(equal=a, outputs=8))[1].holds is False
        for a, b in counts
    ]
    assert any(shown)
    for p in (0.2, 0.5, 0.9):
        chances = [
            math.comb(8, a) * math.comb(7, b) * p ** (a + b) * (1 - p) ** (15 - a - b) for a, b in counts
        ]
        assert sum(chances) == pytest.approx(1)
        assert sum(itertools.compress(chances, shown)) <= 0.05


def test_programs_in_another_language_are_compared_as_text(tmp_path: Path) -> None:
    (then,) = earlier_cells(run_of(tmp_path / "run", cell("AABA", language="javascript")), CONTRACTS)
    assert (then.level, then.equal, then.outputs) == ("text", 2, 3)
    measure = drift_of(cell("AB", language="javascript"), then)[0]
    assert measure.labels["level"] == "text"
    assert measure.value == pytest.approx(1 / 2 - 2 / 3)
