"""Scoring outputs that somebody already has: what is read, what is refused, and in which words."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from assay.canonical import encode
from assay.errors import InputError
from assay.instruments.repeatability.rows import InputRow, read_rows, score_rows
from assay.instruments.repeatability.scoring import Settings
from assay.vocabulary import Flag
from tests.support import command, environment

from .making import measure

ADD = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"


def row(*outputs: Any, **more: Any) -> dict[str, Any]:
    return {"contract": "add", "subject": "m", "temperature": 0.0, "outputs": list(outputs), **more}


def written(folder: Path, *rows: dict[str, Any], name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_rows(path)
    return str(caught.value)


# Reading


def test_rows_are_read_plain_and_gzipped_whatever_the_name(tmp_path: Path) -> None:
    plain = written(tmp_path, row(ADD), row(temperature=None, subject="n"))
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    expected = [InputRow("add", "m", (ADD,), 0.0), InputRow("add", "n", (), None)]
    assert read_rows(plain) == read_rows(packed) == expected


def test_two_gzip_files_put_together_are_one_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    lines = [json.dumps(row(ADD, subject=model)).encode() + b"\n" for model in "ab"]
    path.write_bytes(b"".join(gzip.compress(line) for line in lines))
    assert [one.subject for one in read_rows(path)] == ["a", "b"]


def test_blank_lines_and_a_missing_last_line_end_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n" + json.dumps(row(ADD)) + "\n  \n" + json.dumps(row(ADD, subject="n")))
    assert len(read_rows(path)) == 2


def test_fields_that_are_not_ours_are_passed_over(tmp_path: Path) -> None:
    assert read_rows(written(tmp_path, row(ADD, canon="x", run=[1, {"deep": 2}], top_k=3))) == [
        InputRow("add", "m", (ADD,), 0.0)
    ]


GOOD = json.dumps(row(ADD)).encode()
BAD_LINES: dict[str, tuple[bytes, str]] = {
    "not JSON": (
        b"{nope}",
        "not a row: Expecting property name enclosed in double quotes (character 2)",
    ),
    "cut short": (GOOD[:40], "not a row: Unterminated string starting (character 37)"),
    "not a mapping": (b"[1]", "not a row: write a JSON object on each line"),
    "no outputs": (
        b'{"contract": "add", "subject": "m"}',
        "output: is missing; a row has either 'outputs', a list, or 'output', one text",
    ),
    "no subject": (b'{"contract": "add", "outputs": []}', "subject: is missing"),
    "no contract": (b'{"subject": "m", "outputs": []}', "contract: is missing"),
    "outputs are text": (
        b'{"contract": "add", "subject": "m", "outputs": "x"}',
        "outputs: must be a list, not text",
    ),
    "an output is a number": (
        b'{"contract": "add", "subject": "m", "outputs": ["x", 3]}',
        "outputs[1]: must be text, not a whole number",
    ),
    "an output is missing": (
        b'{"contract": "add", "subject": "m", "outputs": [null]}',
        "outputs[0]: must be text; nothing is given",
    ),
    "temperature in words": (
        b'{"contract": "add", "subject": "m", "outputs": [], "temperature": "hot"}',
        "temperature: must be a number or nothing, not text",
    ),
    "temperature without end": (
        b'{"contract": "add", "subject": "m", "outputs": [], "temperature": Infinity}',
        "temperature: must be a finite number, not inf",
    ),
    "top_p without end": (
        b'{"contract": "add", "subject": "m", "outputs": [], "top_p": -Infinity}',
        "top_p: must be a finite number, not -inf",
    ),
    "temperature below zero": (
        b'{"contract": "add", "subject": "m", "outputs": [], "temperature": -1}',
        "temperature: must be a number, at least 0",
    ),
    "top_p above one": (
        b'{"contract": "add", "subject": "m", "outputs": [], "top_p": 1.5}',
        "top_p: must be a number, at most 1",
    ),
    "wording below zero": (
        b'{"contract": "add", "subject": "m", "outputs": [], "wording": -1}',
        "wording: must be a whole number, at least 0",
    ),
    "a subject without a name": (
        b'{"contract": "add", "subject": "", "outputs": []}',
        "subject: is missing",
    ),
    "a field that is misspelt": (
        b'{"contract": "add", "subject": "m", "outputs": [], "temprature": 0.7}',
        "temprature: unknown field; did you mean 'temperature'?",
    ),
    "a field with a capital": (
        b'{"contract": "add", "subject": "m", "outputs": [], "Temperature": 0.7}',
        "Temperature: unknown field; did you mean 'temperature'?",
    ),
    "not UTF-8": (
        b'{"contract": "add", "subject": "m\xff", "outputs": []}',
        "not a row: it is not UTF-8 text",
    ),
    "nested without end": (
        b'{"contract": "add", "subject": "m", "outputs": [], "x": ' + b"[" * 100_000,
        "not a row: nested too deeply",
    ),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, name: str) -> None:
    bad, message = BAD_LINES[name]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(GOOD + b"\n\n" + bad + b"\n" + GOOD + b"\n")
    assert refused(path) == f"{path}:3: {message}"


def test_a_file_without_rows_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"\n \n", gzip.compress(b"")):
        path = tmp_path / "rows.jsonl"
        path.write_bytes(data)
        assert refused(path) == f"{path}: there are no rows"


def test_a_file_that_is_not_there_or_is_a_folder_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "none") == f"there is no file {tmp_path / 'none'}"
    assert refused(tmp_path) == f"{tmp_path} cannot be read: Is a directory"


@pytest.mark.parametrize("damage", ["cut", "flipped", "head only", "checksum"])
def test_a_damaged_gzip_file_is_said_to_be_damaged(tmp_path: Path, damage: str) -> None:
    data = bytearray(gzip.compress(b"".join(GOOD + b"\n" for _ in range(50)), mtime=0))
    if damage == "cut":
        del data[-20:]
    elif damage == "flipped":
        data[30] ^= 0xFF
    elif damage == "head only":
        del data[6:]
    else:
        data[-6] ^= 0xFF
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(bytes(data))
    assert refused(path).startswith(f"{path}: the gzip file is damaged: ")


# Scoring


def test_cells_are_run_and_scored(tmp_path: Path) -> None:
    path = written(tmp_path, row(WRONG, ADD, ADD + "\n", "nonsense ("))
    result = score_rows(path, None, workers=1)
    assert (result.source, result.version) == ("rows", "2")
    assert result.flags == (Flag("Limited Comparability", "not declared first"),)
    assert measure(result, "canon_index").value == 1
    assert measure(result, "R_anchor_pre", "text").value == 0.5
    assert measure(result, "pass_rate").value == 0.5
    assert "extraction" not in result.versions


def test_programs_are_taken_as_they_are_unless_extraction_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, row(f"Sure:\n```python\n{ADD}```", ADD))
    plain, extracted = score_rows(path, None), score_rows(path, None, extract=True)
    assert [measure(r, "pass_rate").value for r in (plain, extracted)] == [0.5, 1.0]
    assert measure(extracted, "R_raw").value == 1.0
    assert extracted.versions["extraction"] == "extract/1"


def test_two_rows_for_one_cell_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, row(ADD), row(ADD, subject="n"), row(WRONG, temperature=-0.0))
    with pytest.raises(InputError) as caught:
        score_rows(path, None)
    assert str(caught.value) == (
        f"{path}:3: a second row for contract add, subject m, temperature -0.0, after line 1; "
        "put the outputs of a cell into one row"
    )


def test_an_unknown_contract_is_answered_with_the_nearest(tmp_path: Path) -> None:
    path = written(tmp_path, row(ADD), row(ADD, contract="squares"))
    with pytest.raises(InputError) as caught:
        score_rows(path, None)
    assert str(caught.value) == f"{path}:2: contract: unknown contract 'squares'; did you mean 'square'?"


def test_a_cell_without_outputs_has_no_values(tmp_path: Path) -> None:
    result = score_rows(written(tmp_path, row()), None)
    assert {m.value for m in result.measures} == {None}
    assert {m.n for m in result.measures} == {0}


def test_a_missing_temperature_is_a_condition_of_its_own_and_order_does_not_matter(tmp_path: Path) -> None:
    rows = [row(ADD), row(WRONG), row(ADD, WRONG)]
    rows[1].pop("temperature")
    rows[2]["temperature"] = 1
    results = {
        encode(score_rows(written(tmp_path, *order, name=f"{number}.jsonl"), None))
        for number, order in enumerate((rows, rows[::-1], rows[1:] + rows[:1]))
    }
    assert len(results) == 1
    result = score_rows(written(tmp_path, *rows), None)
    temperatures = [m.labels.get("temperature") for m in result.measures if m.name == "R_raw"]
    assert temperatures == [None, 0.0, 1.0]


def test_lone_surrogates_are_read_and_counted_as_what_can_be_recorded(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row("x = '\ud83d'", "x = '\ud83d\ude00'", "x = '\ufffd'")))
    assert "\\ud83d" in path.read_text()
    assert read_rows(path)[0].outputs[0] == "x = '\ufffd'"
    result = score_rows(path, None)
    assert measure(result, "R_raw").value == pytest.approx(2 / 3)
    encode(result)


def test_a_million_characters_are_scored(tmp_path: Path) -> None:
    long = ADD + "# " + "é" * 999_000
    result = score_rows(written(tmp_path, row(ADD, long, long + "!")), None)
    assert measure(result, "pass_rate").value == 1.0
    assert measure(result, "R_anchor_pre", "ast").value == 1.0
    mean = measure(result, "mu_pre", "text").value
    assert mean is not None
    assert mean == pytest.approx(2 / 3, abs=1e-4)


def test_programs_nobody_can_parse_or_print_do_not_end_the_scoring(tmp_path: Path) -> None:
    odd = [
        "x = 0x" + "f" * 5000,
        "-" * 50_000 + "1",
        "\0",
        "x" + ".a" * 5000,
        "",
        "\ud800",
        "```" + " " * 50_000,
    ]
    result = score_rows(written(tmp_path, row(ADD, *odd)), None)
    assert measure(result, "R_raw").value == 0.125
    assert measure(result, "R_ast").value == 0.125


def test_scope_and_threshold_are_taken_from_the_settings(tmp_path: Path) -> None:
    path = written(tmp_path, row(ADD), row(ADD, temperature=1.0))
    result = score_rows(path, None, settings=Settings(scope="subject"))
    assert measure(result, "canon_index", temperature=1.0).notes == ("the canon comes from another cell",)


def test_a_shared_canon_is_that_of_the_first_row_that_has_one(tmp_path: Path) -> None:
    """Not that of the first name by the alphabet, nor of the lowest temperature."""
    other = "def add(x, y):\n    return y + x\n"
    rows = [
        row(WRONG, subject="n"),
        row(other, subject="z", temperature=1.0),
        row(ADD, subject="z"),
        row(ADD, subject="a"),
    ]
    result = score_rows(written(tmp_path, *rows), None, settings=Settings(scope="contract"))
    indices = [m for m in result.measures if m.name == "canon_index"]
    assert [m.labels["subject"] for m in indices] == ["a", "n", "z", "z"]
    assert [m.value for m in indices] == [None, None, None, 0]
    flat = [{**one, "output": one["outputs"][0]} for one in rows]
    for one in flat:
        del one["outputs"]
    flattened = score_rows(written(tmp_path, *flat), None, settings=Settings(scope="contract"))
    assert encode(flattened) == encode(result)
    result = score_rows(written(tmp_path, *rows), None, settings=Settings(scope="subject"))
    assert [m.value for m in result.measures if m.name == "canon_index"] == [0, None, None, 0]


@pytest.mark.slow
def test_no_byte_depends_on_the_hash_seed_the_workers_or_the_order_of_rows(tmp_path: Path) -> None:
    """A distance over ``list(set(...))`` once gave a published R_anchor of .40 for a true .97."""
    rows = [
        row(
            ADD,
            WRONG,
            ADD + "# x\n",
            "def add(*n):\n    return sum(n)\n",
            subject=model,
            temperature=temperature,
        )
        for model in ("m", "n")
        for temperature in (0.0, None)
    ]
    outputs = set()
    for number, (seed, workers) in enumerate([("0", 1), ("1", 2), ("12345", 3)]):
        order = rows[number:] + rows[:number]
        path = written(tmp_path, *order, name=f"{number}.jsonl")
        arguments = ("score", "repeatability", path, "--json", "--workers", str(workers))
        done = command(*arguments, cwd=tmp_path, env=environment(tmp_path, PYTHONHASHSEED=seed))
        assert done.returncode == 0, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1


@pytest.mark.slow
def test_the_command_line_shows_three_decimals_and_machines_get_all(tmp_path: Path) -> None:
    path = written(tmp_path, row(ADD, ADD, WRONG))
    env = environment(tmp_path, COLUMNS="200")
    shown = command("score", "repeatability", path, cwd=tmp_path, env=env)
    assert "0.667" in shown.stdout
    assert "0.6667" not in shown.stdout
    exact = command("score", "repeatability", path, "--json", cwd=tmp_path, env=env)
    assert '"value":0.666666666667' in exact.stdout


def test_the_command_line_refuses_bad_rows_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("{}\n")
    done = command("score", "repeatability", path, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{path.name}:1: output: is missing" in done.stderr.replace("\n", "")
    assert "Traceback" not in done.stderr
