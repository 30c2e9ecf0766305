"""Bad input is told clearly, with its place, and nothing is scored in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError
from assay.instruments.repeatability.measures.settings import NO_CANON, NO_OUTPUTS
from assay.instruments.repeatability.rows import score_rows
from assay.study import Study
from assay.vocabulary import Result
from tests.support import begin, command, go

from .making import measure

CONTRACT: dict[str, Any] = {
    "prompt": "Write f.",
    "entry_point": "f",
    "kind": "function",
    "test_cases": [{"args": [1], "expected": 2}, {"args": [5], "expected": 6}],
}
RIGHT = "def f(x):\n    return x + 1\n"


def files(folder: Path, outputs: Any, **more: Any) -> tuple[Path, Path]:
    """Rows and contracts; a field that is None is left out."""
    whole = {**CONTRACT, **more}
    contracts = folder / "contracts.json"
    contracts.write_text(json.dumps({"c": {k: v for k, v in whole.items() if v is not None}}, indent=1))
    rows = folder / "rows.jsonl"
    first = json.dumps({"contract": "c", "subject": "before", "outputs": [RIGHT]})
    rows.write_text(f"{first}\n{json.dumps({'contract': 'c', 'model': 'm', 'outputs': outputs})}\n")
    return rows, contracts


def scored(folder: Path, outputs: Any, **more: Any) -> Result:
    return score_rows(*files(folder, outputs, **more), workers=1)


def refused(folder: Path, outputs: Any, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        scored(folder, outputs, **more)
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("field", ["prompt", "entry_point", "kind", "test_cases"])
def test_a_contract_without_a_needed_field_names_it(tmp_path: Path, field: str) -> None:
    assert refused(tmp_path, [RIGHT], **{field: None}) == f"contracts.json:2: c: '{field}' is missing"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"test_cases": []}, "c.test_cases: a contract without tests has no oracle"),
        (
            {"test_cases": [{"args": [1], "expected": 2}, {"args": [1], "expected": 3}]},
            "c.test_cases[1]: contradicts test case 0: same call, another expectation",
        ),
        (
            {"test_cases": [{"args": [1], "expected": 2}, {"args": [1], "raises": "ValueError"}]},
            "c.test_cases[1]: contradicts test case 0: same call, another expectation",
        ),
        ({"test_cases": [{"args": [1]}]}, "c.test_cases[0]: give either expected or raises"),
        ({"entry_point": "f g"}, "c.entry_point: 'f g' is not a Python name"),
        ({"entry_point": "class"}, "c.entry_point: 'class' is not a Python name"),
        (
            {"inputs": [{"args": [1], "expected": 2}]},
            "c.inputs[0]: an input has no expectation; with one it is a test case",
        ),
        (
            {"inputs": [{"args": [1], "raises": "ValueError"}]},
            "c.inputs[0]: an input has no expectation; with one it is a test case",
        ),
        (
            {"inputs": [{"init": [1]}]},
            "c.inputs[0]: an input is a call as in test_cases, without its expectation",
        ),
    ],
)
def test_a_contract_that_contradicts_itself_is_refused_with_its_place(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    told = refused(tmp_path, [RIGHT], **more)
    place, _, what = told.partition(": ")
    assert what == message
    assert place.startswith("contracts.json:")


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([RIGHT, 7], "outputs[1]: must be text, not a whole number"),
        ([None], "outputs[0]: must be text; nothing is given"),
        ([[RIGHT]], "outputs[0]: must be text, not a list"),
        ([{"code": RIGHT}], "outputs[0]: must be text, not a mapping"),
        (RIGHT, "outputs: must be a list, not text"),
        (None, "outputs: is missing"),
    ],
)
def test_outputs_that_are_not_text_are_refused_with_their_line_and_place(
    tmp_path: Path, outputs: Any, message: str
) -> None:
    assert refused(tmp_path, outputs) == f"rows.jsonl:2: {message}"


def test_an_entry_point_that_no_output_defines_gives_no_canon_and_says_why(tmp_path: Path) -> None:
    result = scored(tmp_path, ["def g(x):\n    return x + 1\n", "x = 1\n", "f = 3\n"])
    passed = measure(result, "pass_rate", subject="m")
    assert (passed.value, passed.n) == (0.0, 3)
    for level in ("text", "ast"):
        for name in ("R_anchor_pre", "R_anchor", "mu_post", "delta_mu"):
            found = measure(result, name, level, subject="m")
            assert (found.value, found.notes) == (None, (NO_CANON,))
    assert measure(result, "R_raw", subject="m").value == pytest.approx(1 / 3)


def test_an_empty_list_of_outputs_is_a_cell_without_values(tmp_path: Path) -> None:
    result = scored(tmp_path, [])
    mine = [m for m in result.measures if m.labels.get("subject") == "m"]
    assert mine
    assert {m.value for m in mine} == {None}
    assert {m.n for m in mine} == {0}
    assert {note for m in mine for note in m.notes} == {NO_OUTPUTS, NO_CANON}


def test_a_million_characters_that_pass_are_scored_and_not_repaired_which_is_said(tmp_path: Path) -> None:
    long = f"# {'a' * 999_000}\n{RIGHT}"
    result = scored(tmp_path, [RIGHT, long])
    assert measure(result, "rescue_rate", "text", subject="m").value == 0.0
    assert measure(result, "R_anchor", "text", subject="m").value == 0.5
    assert "1 programs of more than 50,000 characters were not repaired" in result.notes


def test_a_million_characters_of_nonsense_are_scored(tmp_path: Path) -> None:
    result = scored(tmp_path, [RIGHT, "(" * 1_000_000, "ab " * 333_333])
    assert measure(result, "pass_rate", subject="m").value == pytest.approx(1 / 3)
    found = measure(result, "mu_post", "ast", subject="m").value
    assert found is not None
    assert found > 0.66


def test_fewer_paraphrases_than_were_asked_for_are_noted(tmp_path: Path) -> None:
    _, contracts = files(tmp_path, [], paraphrases=["Please write f."])
    options = {"contracts_file": str(contracts), "paraphrases": 3, "repetitions": 1, "temperatures": [0.0]}
    folder, lock = begin(
        tmp_path, Study(subjects=("reference:steady",), instruments={"repeatability": options})
    )
    assert go(folder, lock)
    result = folder.read_reading("repeatability").result
    assert "c has 1 of 3 paraphrases asked for" in result.notes
    assert {m.labels["wording"] for m in result.measures if m.name == "pass_rate"} == {0, 1}


def test_the_command_line_tells_bad_input_in_one_line_and_ends_with_2(tmp_path: Path) -> None:
    rows, contracts = files(tmp_path, [RIGHT, 7])
    done = command("score", "repeatability", rows, "--contracts", contracts, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"assay: {rows}:2: outputs[1]: must be text, not a whole number\n"
