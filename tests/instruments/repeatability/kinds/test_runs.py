"""JSON and texts on the bench and from rows: the same measures, canons, drift and records as programs have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.canonical import encode
from assay.errors import InputError
from assay.instruments.repeatability import Repeatability
from assay.instruments.repeatability.cells.records import record_rows
from assay.instruments.repeatability.present import present
from assay.instruments.repeatability.rows import score_rows, scored_cells
from assay.instruments.repeatability.scoring import Settings
from assay.sandbox import Sandbox
from assay.vocabulary import Measure
from tests.instruments.repeatability.running import conducted, locked, measures, result, study, values
from tests.support import audit_run, begin, go

BOTH = ["invoice", "review_sentiment"]


@pytest.fixture(autouse=True)
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run, so no sandbox is opened."""

    async def refuse(self: Sandbox) -> Sandbox:
        raise AssertionError("a sandbox was opened")

    monkeypatch.setattr(Sandbox, "__aenter__", refuse)


def of_rung(folder: RunFolder, rung: str) -> dict[str, float | None]:
    found = [m for m in result(folder).measures if m.name == "R" and m.labels.get("rung") == rung]
    return {str(m.labels["contract"]): m.value for m in found}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return conducted(tmp_path_factory.mktemp("runs"), "mixed", contracts=BOTH, repetitions=12, paraphrases=1)


def test_steady_reads_one_everywhere(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady", contracts=BOTH)
    for name in ("R_raw", "R_reply", "pass_rate", "R", "field_agreement"):
        assert {m.value for m in result(folder).measures if m.name == name} == {1.0}
    for level in ("text", "value", "case"):
        assert values(folder, "R_anchor_pre", level) == {1.0}
        assert values(folder, "mu_pre", level) == {0.0}
    assert not [m for m in result(folder).measures if m.name in ("R_ast", "R_anchor", "rescue_rate")]


@pytest.mark.parametrize(
    ("subject", "below", "above"),
    [
        ("formatting", ("text", "text"), ("layout", "space")),
        ("renamed", ("keys", "space"), ("value", "case")),
        ("reordered", ("layout", "case"), ("keys", "answer")),
    ],
)
def test_references_are_the_same_from_their_rung_on(
    tmp_path: Path, subject: str, below: tuple[str, str], above: tuple[str, str]
) -> None:
    folder = conducted(tmp_path, subject, contracts=BOTH, temperatures=[0.0], repetitions=12)
    for contract, low, high in zip(BOTH, below, above, strict=True):
        before = of_rung(folder, low)[contract]
        assert before is not None
        assert before < 1
        assert of_rung(folder, high)[contract] == 1


def test_no_code_is_run_and_the_audit_holds(tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, study("reference:mixed", contracts=BOTH))
    assert not Repeatability().runs_code(lock)
    assert go(folder, lock)
    assert audit_run(folder, lock).holds


def test_versions_of_both_kinds_stand_in_the_result(mixed: RunFolder) -> None:
    found = result(mixed).versions
    assert {"json.value", "json.oracle", "text.case", "text.answer", "lines"} <= found.keys()
    assert not {"normalisation.ast", "repair", "inputs"} & found.keys()


def test_wordings_are_compared_at_the_rungs_of_their_kind(mixed: RunFolder) -> None:
    compared = [m for m in result(mixed).measures if m.name == "difference" and m.labels["axis"] == "wording"]
    assert {m.labels.get("rung") for m in compared} == {None, "bytes", "value", "case", "answer"}
    assert all(m.n == 1 for m in compared if m.labels.get("rung") in ("value", "answer"))


def test_a_later_run_is_held_against_the_canons_of_an_earlier_one(mixed: RunFolder, tmp_path: Path) -> None:
    options: dict[str, Any] = {"contracts": BOTH, "repetitions": 12, "paraphrases": 1}
    again = conducted(tmp_path, "mixed", **options, drift_from=str(mixed.path))
    drifts = [m for m in result(again).measures if m.name == "drift"]
    assert {m.labels["level"] for m in drifts} == {"value", "case"}
    assert all(m.value is not None for m in drifts)


def test_a_canon_made_by_another_oracle_is_refused(mixed: RunFolder, tmp_path: Path) -> None:
    path = next((mixed.path / "canons").glob("*.json"))
    canon = json.loads(path.read_text("utf-8"))
    (oracle,) = {"json.oracle", "text.oracle"} & canon["versions"].keys()
    changed = tmp_path / "canon.json"
    changed.write_text(json.dumps({**canon, "versions": {**canon["versions"], oracle: "0"}}), "utf-8")
    with pytest.raises(InputError, match="was made with"):
        locked(tmp_path, contracts=BOTH, canons_file=changed.name)


ROWS = [
    {
        "contract": "ball_count",
        "subject": "m",
        "outputs": ['{"red": 2, "blue": 3}', '{"blue":3.0,"red":2}', 'Here:\n```json\n{"red": 3}\n```', "no"],
    },
    {"contract": "did_she_swim", "subject": "m", "outputs": ["No", "no.", "Yes", "It depends."]},
]


def scored(name: str, contract: str, extract: bool = False, **labels: str) -> Measure:
    (found,) = [
        m
        for m in score_rows(ROWS, None, extract=extract).measures
        if m.name == name and m.labels.get("contract") == contract and labels.items() <= m.labels.items()
    ]
    return found


def test_rows_are_scored_without_a_sandbox() -> None:
    assert scored("pass_rate", "ball_count").k == 2
    assert scored("R", "ball_count", rung="keys").value == 0.25
    assert scored("R", "ball_count", rung="value").value == 0.5
    assert scored("field_agreement", "ball_count", field="/blue").k is None
    assert scored("field_agreement", "ball_count", field="/blue").value == pytest.approx(1 / 6)
    assert scored("R", "did_she_swim", rung="case").value == 0.25
    assert scored("R", "did_she_swim", rung="answer").value == 0.5
    assert scored("mu_pre", "ball_count", extract=True, level="value").value == pytest.approx((1 + 1) / 4)


def test_fences_are_noticed_where_nothing_is_taken_out() -> None:
    (note,) = score_rows(ROWS, None).notes
    assert "2 of 4 outputs are not JSON; 1 row has fenced blocks" in note


def test_records_say_how_each_was_read() -> None:
    found = scored_cells(ROWS, None, settings=Settings(repair=True), extract=True)
    rows = list(record_rows(found.cells, found.anchors, repaired=True, rows=found.rows))
    assert len({tuple(row) for row in rows}) == 1  # the same columns in every row
    values, texts = rows[:4], rows[4:]
    assert [row["state"] for row in values] == ["pass", "pass", "invalid", "unparseable"]
    assert [row["unparseable"] for row in values] == [False, False, False, True]
    assert [row["class_value"] for row in values] == [0, 0, 1, 2]
    assert values[2]["program"] == '{"red": 3}\n'
    assert [row["answer"] for row in texts] == ["no", "no", "yes", None]
    assert [row["state"] for row in texts] == ["pass", "pass", "wrong", "unread"]
    assert [row["distance_case"] for row in texts][:1] == [0.0]


def test_the_report_speaks_of_outputs() -> None:
    found = scored_cells(ROWS, None, settings=Settings(repair=True), extract=True)
    shown = present(found.result, found.cells, found.anchors)
    page = encode(shown.drawn()).decode()
    for words in ("Which outputs came", "Agreement by field", "same but for form", "same result", "/blue"):
        assert words in page
    bare = encode([shown.headline, shown.summary, shown.tables, [p.caption for p in shown.pictures]]).decode()
    assert "repaired" not in bare
    for words in ("Which programs came", "same program", "as a program", "most common program"):
        assert words not in page


def test_contracts_are_chosen_by_their_kind(tmp_path: Path) -> None:
    for group in ("programs", "json", "text"):
        chosen = locked(tmp_path, contracts=group).materials["repeatability"]["contracts"]
        assert len(chosen) >= 10
        assert {c["kind"] in ("function", "class") for c in chosen.values()} == {group == "programs"}


def test_requirements_name_the_rungs_of_each_kind(tmp_path: Path) -> None:
    folder = conducted(
        tmp_path, "steady", contracts=BOTH, require={"R value": 0.1, "R answer": 0.1, "pass_rate": 0.1}
    )
    held = [v for v in result(folder).verdicts if v.kind == "requirement"]
    assert sum(v.holds is True for v in held) == 2 * 2 + 2 + 2


def test_measures_of_a_kind_have_its_levels(mixed: RunFolder) -> None:
    for contract, level in zip(BOTH, ("value", "case"), strict=True):
        found = {m.labels["level"] for m in measures(mixed, "pairwise_distance", level)}
        assert found == {level}
        levels = {
            m.labels["level"]
            for m in result(mixed).measures
            if m.name == "mu_pre" and m.labels["contract"] == contract
        }
        assert levels == {"text", level}
