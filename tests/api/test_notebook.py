"""The example notebook, run headless by a kernel of its own, as a reader would run it from top to bottom."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from assay.api.progress import notebook_display
from tests.pages import ROOT
from tests.support import environment


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook after it was run, in a home of its own."""
    home = tmp_path_factory.mktemp("notebook")
    source, target = ROOT / "examples/notebook.ipynb", home / "run.ipynb"
    names = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    places = {name: str(home / name.lower()) for name in names}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.api.execute_notebook", source, target, home],
        cwd=ROOT, env=environment(home, **places), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(target.read_text("utf-8"))


def test_the_notebook_is_kept_without_what_came_of_it() -> None:
    kept = json.loads((ROOT / "examples/notebook.ipynb").read_text("utf-8"))
    assert not [cell for cell in kept["cells"] if cell.get("outputs") or cell.get("execution_count")]


def outputs(notebook: Any, kind: str) -> list[str]:
    return [
        "".join(output["data"][kind])
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
        if kind in output.get("data", {})
    ]


def test_every_cell_runs_and_prints_no_warning(notebook: Any) -> None:
    said = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    assert [output for output in said if output["output_type"] in ("error", "stream")] == []


def test_runs_scores_and_frames_are_shown_as_tables(notebook: Any) -> None:
    pages = outputs(notebook, "text/html")
    assert sum("Repeatability by contract, subject and temperature" in page for page in pages) == 2
    assert any("Requirements: 2 hold" in page for page in pages)
    assert any("not declared first" in page for page in pages)
    assert any("What a run would ask" in page for page in pages)
    assert outputs(notebook, "text/plain")[-2] == "True"


def test_progress_is_one_line_that_was_updated_to_the_end(notebook: Any) -> None:
    shown = [page for page in outputs(notebook, "text/html") if "<progress" in page]
    assert len(shown) == 1
    done, planned = shown[0].split(" trials")[0].split()[-1].split("/")
    assert done == planned


def test_where_there_is_no_notebook_nothing_is_displayed() -> None:
    assert notebook_display() is None
