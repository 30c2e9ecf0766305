"""``assay new instrument``: what it writes works, keeps its contract, and overwrites nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Assay


def test_what_it_writes_runs_and_is_short(assay: Assay, tmp_path: Path) -> None:
    ended = assay("new", "instrument", "one_word")
    assert ended.code == 0
    assert len((tmp_path / "one_word.py").read_text().splitlines()) <= 40
    ran = assay("run", "one_word.py", "-s", "reference:mumbler", "--quick", "--name", "r")
    assert ran.code == 0, ran.err
    assert "One_word by subject" in ran.out


@pytest.mark.slow
def test_the_test_that_it_writes_passes(assay: Assay, tmp_path: Path) -> None:
    assay("new", "instrument", "trivia", "--out", "mine")
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "mine/test_trivia.py"]
    ran = subprocess.run(test, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 passed" in ran.stdout, ran.stdout


@pytest.mark.parametrize("taken", ["trivia.py", "test_trivia.py"])
def test_nothing_is_overwritten(assay: Assay, tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("mine")
    ended = assay("new", "instrument", "trivia")
    assert ended.code == 2
    assert f"{taken} exists already" in ended.err
    assert [path.name for path in tmp_path.glob("*.py")] == [taken]
    assert (tmp_path / taken).read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("new thing x", "unknown kind of thing to write 'thing'; known: instrument"),
        ("new instrument ping", "an installed instrument is called 'ping' already"),
        ("new instrument ../x", "small letters, digits and _ only"),
        ("new instrument Trivia", "small letters, digits and _ only"),
        ("new instrument random", "random.py would hide the module 'random'"),
        ("new instrument types", "choose another name, such as 'my_types'"),
        ("new instrument polars", "would hide the module 'polars'"),
    ],
)
def test_wrong_input_is_told(assay: Assay, arguments: str, said: str) -> None:
    ended = assay(*arguments.split())
    assert (ended.code, ended.out) == (2, "")
    assert said in " ".join(ended.err.split())


def test_a_keyword_cannot_be_imported(assay: Assay, tmp_path: Path) -> None:
    ended = assay("new", "instrument", "class")
    assert ended.code == 2
    assert "'class' is a word of Python's own" in " ".join(ended.err.split())
    assert not list(tmp_path.glob("*.py"))
