"""The pages about Python and pytest hold: their blocks run, and every keyword, column and attribute is named."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import assay
from assay.api.frames import measure_frame
from assay.api.load import LoadedRun
from assay.report.trial_rows import CALL_COLUMNS, TRIAL_COLUMNS
from tests.pages import ROOT, blocks, text_of
from tests.support import environment


def test_the_blocks_of_the_page_run_top_to_bottom_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "page.py").write_text("\n".join(blocks(text_of("python"), "python")))
    ran = subprocess.run(
        [sys.executable, "-W", "error", "page.py"], cwd=tmp_path, env=environment(tmp_path),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("Repeatability by contract, subject and temperature") == 2
    assert "what is recorded is safe, go on with: assay.run('runs/short')" in ran.stdout
    assert "4 of 4 trials, 4 calls" in ran.stdout


def test_every_keyword_column_and_part_of_a_run_is_on_the_page(tmp_path: Path) -> None:
    text = text_of("python")
    keywords = {*inspect.signature(assay.run).parameters} - {"study", "options"}
    assert not [word for word in keywords if f"`{word}" not in text]
    assert not [column for column in measure_frame([]).columns if f"`{column}`" not in text]
    parts = [name for name in vars(LoadedRun) if not name.startswith("_") and name != "results"]
    assert not [part for part in parts if f"`{part}" not in text]


def test_every_column_of_an_export_is_on_its_page() -> None:
    trials, calls = text_of("export").split("## Columns of calls")
    assert not [column for column in TRIAL_COLUMNS if f"`{column}`" not in trials]
    assert not [column for column in CALL_COLUMNS if f"`{column}`" not in trials + calls]


def test_the_test_on_the_page_about_pytest_uses_the_fixture_as_the_example_does() -> None:
    (block,) = blocks(text_of("pytest"), "python")
    (test,) = ast.parse(block).body
    assert isinstance(test, ast.FunctionDef)
    assert [argument.arg for argument in test.args.args] == ["assay"]
    calls = [ast.unparse(node.func) for node in ast.walk(test) if isinstance(node, ast.Call)]
    assert sorted(calls) == ["assay.run", "run.check"]
    example = (ROOT / "examples/pytest/test_gate.py").read_text("utf-8")
    assert all(call in example for call in calls)
