"""Drift against an earlier run: then and now against one canon, and a folder of somebody else's that may lie."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy import stats as scipy_stats

from assay.canonical import decode, encode
from assay.errors import AssayError, InputError, IntegrityError
from assay.instruments.repeatability.canons import canon_bytes
from assay.instruments.repeatability.cells import Canon, Cell, CellKey, Output
from assay.instruments.repeatability.contracts import Contract
from assay.instruments.repeatability.drift import Earlier, canon_for, drift_measures, earlier_cells
from assay.instruments.repeatability.measures import Settings
from assay.instruments.repeatability.scoring import find_anchors, score_cells
from assay.vocabulary import Flag, Measure, Reading

from .making import contract

__all__: list[str] = []

CONTRACTS = {name: contract(id=name) for name in ("c", "d")}


def cell(programs: str, name: str = "c", model: str = "m", temperature: float = 0.0, **more: Any) -> Cell:
    """A letter an output: capitals pass, equal letters are equal programs."""
    planned, language = more.pop("planned", None), more.pop("language", "python")
    outputs = [
        Output(i, f"x = {letter.lower()!r}\n", "pass" if letter.isupper() else "wrong", 0, 1)
        for i, letter in enumerate(programs)
    ]
    return Cell(CellKey(name, model, temperature, **more), outputs, planned=planned, language=language)


def run_of(
    folder: Path, *cells: Cell, flags: Sequence[Flag] = (), settings: Settings | None = None, **more: Any
) -> Path:
    """The folder of a finished run of these cells, as far as drift reads it."""
    chosen = settings or Settings()
    declared: dict[str, Canon] = more.pop("declared", {})
    anchors = find_anchors(cells, CONTRACTS, chosen, lambda key: declared.get(key.contract))
    result = score_cells(cells, anchors, chosen, source="ledger", version="2", flags=flags)
    (folder / "canons").mkdir(parents=True)
    for anchor in anchors:
        if anchor.canon is not None:
            (folder / "canons" / f"{anchor.canon.digest}.json").write_bytes(canon_bytes(anchor.canon))
    result = msgspec.structs.replace(result, **more)
    (folder / "reading-repeatability.json").write_bytes(encode(Reading(result=result)) + b"\n")
    return folder


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
    canon = Canon(contract="c", snapshot=CONTRACTS["c"].snapshot, code="x = 'a'\n")
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
    key = CellKey(**{"contract": "c", "model": model, "temperature": 0.0, **more})
    canon = Canon(contract="c", snapshot=CONTRACTS["c"].snapshot, code="x = 'a'\n")
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
    folder = run_of(tmp_path / "run", cell("AA", model="one"), cell("bb", model="two"))
    (found,) = earlier_cells(folder, CONTRACTS)
    assert found.key.model == "one"
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
    assert (verdict.claim, verdict.holds) == ("m on c drifted from its earlier canon at temperature 0", True)
    assert "then 9 of 9 outputs equalled the canon, now 2 of 10" in verdict.because
    assert f"p = {p:.3g}, {p:.3g} after Holm; 9 and 10 outputs" in verdict.because
    assert verdict.rule.endswith("Holm over 1 cells at .05")


def test_the_same_share_is_not_established_as_drift_and_never_as_none() -> None:
    measure, verdict = drift_of(cell("A" * 10), earlier())
    assert (measure.value, verdict.holds) == (0.0, None)


def test_a_new_version_of_the_subject_is_named_with_the_old_one() -> None:
    measure, verdict = drift_of(cell("B" * 10, model="m-2"), earlier("m-1"))
    assert measure.labels["earlier_model"] == "m-1"
    assert verdict.claim == "m-2 on c drifted from the earlier canon of m-1 at temperature 0"


def test_comments_and_layout_are_no_drift() -> None:
    dressed = Cell(
        CellKey("c", "m", 0.0), [Output(i, f"x  =  'a'  # {i}\n", "pass", 1, 1) for i in range(10)]
    )
    assert drift_of(dressed, earlier())[0].value == 0.0


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
    assert alone.holds is True
    steady = [(cell("A" * 6, temperature=t), earlier(temperature=t)) for t in (0.1, 0.2, 0.3, 0.4)]
    found = drift_measures([(cell("AABBBB"), earlier(equal=9, outputs=9)), *steady], Settings())
    assert [v.holds for v in found.verdicts] == [None] * 5
    assert found.verdicts[0].rule.endswith("Holm over 5 cells at .05")


def test_losses_then_and_now_flag_the_drift() -> None:
    then = msgspec.structs.replace(earlier(), flags=(Flag("Provisional", "1 of 10 outputs excluded"),))
    flags = drift_of(cell("A" * 19, planned=20), then)[0].flags
    assert [str(f) for f in flags] == [
        "Provisional (1 of 20 outputs excluded)",
        "Provisional (then: 1 of 10 outputs excluded)",
    ]


def test_equal_subjects_are_said_to_drift_no_oftener_than_declared() -> None:
    """Over all counts, weighed by their chance: the exact rate, not a simulated one."""
    counts = list(itertools.product(range(9), range(8)))  # of 8 then, of 7 now
    shown = [drift_of(cell("A" * b + "B" * (7 - b)), earlier(equal=a, outputs=8))[1].holds for a, b in counts]
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


# Somebody else's folder.


def changed(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "reading-repeatability.json"
    value = decode(path.read_bytes())
    change(value["result"])
    path.write_bytes(encode(value))


def named(result: dict[str, Any], name: str, level: str | None = None) -> dict[str, Any]:
    found: dict[str, Any] = next(
        m for m in result["measures"] if m["name"] == name and m["labels"].get("level") == level
    )
    return found


def share(result: dict[str, Any]) -> dict[str, Any]:
    return named(result, "R_anchor_pre", "ast")


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], type[AssayError], str]] = {
    "another instrument": (
        lambda r: r.update(instrument="bias"),
        InputError,
        "a reading of bias from ledger",
    ),
    "from rows": (
        lambda r: r.update(source="rows"),
        InputError,
        "from rows; one of repeatability from a ledger",
    ),
    "unfinished": (
        lambda r: r.update(flags=[{"kind": "Provisional", "cause": "not finished: c"}]),
        InputError,
        "the run is Provisional .not finished: c.; a finished one is needed",
    ),
    "another Python": (
        lambda r: r["versions"].update({"normalisation.ast": "ast/1+py2.7"}),
        InputError,
        "was scored with ast/1.py2.7, here it is ast/",
    ),
    "no versions": (lambda r: r.update(versions={}), InputError, "was scored with None"),
    "no cell": (
        lambda r: named(r, "canon_index")["labels"].pop("model"),
        InputError,
        "its labels name no cell",
    ),
    "half a wording": (
        lambda r: named(r, "canon_index")["labels"].update(wording=0.5),
        InputError,
        "its labels name no cell",
    ),
    "a hot temperature": (
        lambda r: named(r, "canon_index")["labels"].update(temperature="hot"),
        InputError,
        "its labels name no cell",
    ),
    "twice": (
        lambda r: r["measures"].append(named(r, "canon_index")),
        IntegrityError,
        "two measures canon_index of contract c, model m",
    ),
    "a way out": (
        lambda r: named(r, "canon_index")["labels"].update(canon="../../lock"),
        InputError,
        "'../../lock' is not the digest of a canon",
    ),
    "a number for a canon": (
        lambda r: named(r, "canon_index")["labels"].update(canon=7),
        InputError,
        "7.0 is not the digest of a canon",
    ),
    "a canon that is not there": (
        lambda r: named(r, "canon_index")["labels"].update(canon="0" * 64),
        InputError,
        "there is no file .*canons/0{64}.json",
    ),
    "no share": (
        lambda r: r.update(measures=[m for m in r["measures"] if m["name"] != "R_anchor_pre"]),
        IntegrityError,
        "a canon but no R_anchor_pre",
    ),
    "a null share": (lambda r: share(r).update(value=None), IntegrityError, "a canon but no R_anchor_pre"),
    "another n": (lambda r: share(r).update(n=7), IntegrityError, "is of 4 outputs, R_anchor_pre of 7"),
    "no outputs": (
        lambda r: (share(r).update(n=0), named(r, "canon_index").update(n=0)),
        IntegrityError,
        "is of 0 outputs",
    ),
    "more than can be asked": (
        lambda r: (share(r).update(n=10**12), named(r, "canon_index").update(n=10**12)),
        IntegrityError,
        "is of 1000000000000 outputs",
    ),
    "no share of four": (
        lambda r: share(r).update(value=0.7),
        IntegrityError,
        "0.7 is no share of 4 outputs",
    ),
    "more than all": (lambda r: share(r).update(value=1.25), IntegrityError, "1.25 is no share of 4"),
    "less than none": (lambda r: share(r).update(value=-0.25), IntegrityError, "-0.25 is no share of 4"),
    "beyond the end": (
        lambda r: named(r, "canon_index").update(value=4),
        IntegrityError,
        "is no place among 4",
    ),
    "between two": (
        lambda r: named(r, "canon_index").update(value=0.5),
        IntegrityError,
        "is no place among 4",
    ),
    "not even the canon": (lambda r: share(r).update(value=0.0), IntegrityError, "contradict each other"),
    "a count that its interval denies": (
        lambda r: share(r).update(value=1.0),
        IntegrityError,
        "R_anchor_pre and its interval contradict each other",
    ),
    "no interval": (lambda r: share(r).update(low=None), IntegrityError, "contradict each other"),
    "half an interval": (lambda r: share(r).update(high=None), IntegrityError, "contradict each other"),
    "no confidence": (lambda r: share(r).update(confidence=1.0), IntegrityError, "contradict each other"),
}


@pytest.mark.parametrize(("change", "kind", "message"), CHANGES.values(), ids=list(CHANGES))
def test_a_reading_that_does_not_hold_together_is_refused_by_name(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], kind: type[AssayError], message: str
) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    changed(folder, change)
    with pytest.raises(kind, match=message) as caught:
        earlier_cells(folder, CONTRACTS)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"\xff\xfe", b'{"result": {}}', b"[" * 100_000, b'{"schema": "assay/reading/9"}'],
)
def test_a_file_that_is_no_reading_is_refused(tmp_path: Path, data: bytes) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    (folder / "reading-repeatability.json").write_bytes(data)
    with pytest.raises(InputError, match=r"reading-repeatability\.json: not a reading"):
        earlier_cells(folder, CONTRACTS)


def test_a_folder_without_a_reading_and_one_that_is_a_pipe_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no file .*reading-repeatability\.json"):
        earlier_cells(tmp_path, CONTRACTS)
    os.mkfifo(tmp_path / "reading-repeatability.json")
    with pytest.raises(InputError, match=r"there is no file"):
        earlier_cells(tmp_path, CONTRACTS)


def test_a_reading_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    monkeypatch.setattr("assay.instruments.repeatability.drift.MOST_BYTES", 1000)
    with pytest.raises(InputError, match=r"reading-repeatability\.json: has more than 1,000 bytes"):
        earlier_cells(folder, CONTRACTS)


def test_a_run_with_no_canon_for_the_study_is_refused(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("aaa"), cell("AB", "d"))
    with pytest.raises(InputError, match="no cell has a canon for a contract of the study"):
        earlier_cells(folder, {"c": CONTRACTS["c"]})


def canon_file(folder: Path) -> Path:
    (file,) = (folder / "canons").iterdir()
    return file


def test_a_canon_that_was_changed_or_answers_something_else_is_refused(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    file = canon_file(folder)
    good = decode(file.read_bytes())
    file.write_bytes(encode({**good, "code": "x = 'b'\n"}))
    with pytest.raises(IntegrityError, match="is not the canon that its name says"):
        earlier_cells(folder, CONTRACTS)
    file.write_bytes(b"{}")
    with pytest.raises(InputError, match=r"\.json:1: 'contract' is missing"):
        earlier_cells(folder, CONTRACTS)


@pytest.mark.parametrize(
    ("new", "kind", "message"),
    [
        ({"contract": "d", "snapshot": CONTRACTS["d"].snapshot}, IntegrityError, "answers 'd'"),
        ({"contract": "e"}, IntegrityError, "a canon of another contract than"),
        ({"snapshot": "0" * 64}, InputError, "was made for another version of the contract 'c'"),
        ({"oracle": "oracle/0"}, InputError, "was made with oracle/0 and text/1"),
        ({"normalisation": "text/0"}, InputError, "was made with oracle/1 and text/0"),
    ],
)
def test_a_canon_of_something_else_under_its_right_name_is_refused(
    tmp_path: Path, new: dict[str, str], kind: type[AssayError], message: str
) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    canon = msgspec.structs.replace(msgspec.json.decode(canon_file(folder).read_bytes(), type=Canon), **new)
    (folder / "canons" / f"{canon.digest}.json").write_bytes(canon_bytes(canon))
    changed(folder, lambda r: named(r, "canon_index")["labels"].update(canon=canon.digest))
    with pytest.raises(kind, match=message):
        earlier_cells(folder, CONTRACTS)


def test_a_changed_contract_has_no_earlier_canon(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "run", cell("AABA"))
    others: dict[str, Contract] = {"c": contract(id="c", version=2)}
    with pytest.raises(InputError, match="was made for another version of the contract 'c'"):
        earlier_cells(folder, others)
