"""No level and no tier leaves without its tuple (2.3, 11.9.1), whatever the format."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import assay as api
from assay.errors import RequirementFailed

from .conftest import Assay
from .test_agency import DECLARATION, rows

TUPLE = "(Framework v.10, "
# "Tier 1", "S = 3", "S is at least 1", "level 2 of 5", and a level as a measure in JSON.
CLAIM = re.compile(
    r"\bTier [1-6]\b|\b(?:[SMDELRG]|tier) is at least \d|\b[SMDELRG] ?(?:=|is|:) ?[0-5]\b|\blevel [0-5] of 5\b"
    r'|"name":"(?:[SMDELRG]|tier)"|\bA = \['
)


class Output(NamedTuple):
    name: str
    text: str


def bare(outputs: list[Output]) -> list[str]:
    """Outputs that claim a level and do not have the tuple. Of tables every row is one."""
    return [
        f"{one.name}: {found[0]!r} in {one.text[max(0, found.start() - 60) : found.end() + 60]!r}"
        for one in outputs
        if (found := CLAIM.search(one.text)) and TUPLE not in one.text
    ]


def lines(name: str, text: str) -> Iterator[Output]:
    for number, line in enumerate(text.splitlines(), 1):
        yield Output(f"{name}:{number}", line)


def files(root: Path) -> Iterator[Output]:
    """Every file of a folder; a measure of a reading is looked at on its own, a PDF as its text."""
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        if path.suffix in (".csv", ".jsonl") and path.parent.name != "ledger":
            yield from lines(str(path), path.read_text())
        elif path.suffix == ".pdf":
            ran = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=True)
            yield Output(str(path), " ".join(ran.stdout.split()))
        elif path.suffix in (".html", ".json", ".xml"):
            text = path.read_text()
            yield Output(str(path), text)
            if path.name.startswith("reading"):
                yield from measures(str(path), json.loads(text))


def measures(name: str, reading: Any) -> Iterator[Output]:
    for one in reading["result"]["measures"]:
        yield Output(f"{name} {one['name']}", json.dumps(one, separators=(",", ":")))


def frames(name: str, frame: Any) -> Iterator[Output]:
    """The rows of a frame, as they are written to CSV."""
    for number, row in enumerate(csv.DictReader(io.StringIO(frame.write_csv()))):
        yield Output(f"{name} {number}", json.dumps(row, separators=(",", ":")))


def test_the_search_finds_what_is_prohibited() -> None:
    """The examples of 2.3 and 11.9.1."""
    for claim in ("System X is Tier 4", "System X has M = 4", '{"name":"tier","value":1.0}'):
        assert bare([Output("x", claim)])
        assert not bare([Output("x", f"{claim} {TUPLE}Core Boundary")])
    assert not bare([Output("x", "Tier None; nothing = 4 is claimed")])


@pytest.fixture
def run(assay: Assay, tmp_path: Path) -> Path:
    study = tmp_path / "study.yaml"
    study.write_text(
        "subjects: [reference:solver]\ninstruments:\n  agency:\n    families: [inbox, allocation, workspace]\n"
        "    levels: [1]\n    instances: 10\n    regimes: [Baseline, Moderate-Standard]\n"
        "    robustness_instances: 2\n    require: {tier: 1, S: 1, E: 2}\n"
    )
    done = assay("run", study, "--name", "one")
    assert done.code == 0
    (tmp_path / "run.txt").write_text(done.out)
    return tmp_path / "runs" / "one"


def test_a_run_tells_no_bare_level(assay: Assay, run: Path, tmp_path: Path) -> None:
    assert "Tier 1," in (run / "reading-agency.json").read_text(), "there is a tier to be told"
    said = [Output("run", (tmp_path / "run.txt").read_text())]
    commands: list[list[str | Path]] = [
        ["status", run], ["view", run], ["audit", run], ["report", run], ["report", run, "--json"],
        ["check", run], ["check", run, "--all"], ["check", run, "--json"], ["check", run, "--all", "--json"],
        ["check", run, "--junit", "check.xml"], ["score", run], ["score", run, "--all"], ["score", run, "--json"],
        ["score", run, "--set", "rule=point", "--out", "reading-again.json"],
        ["compare", run, run], ["compare", run, run, "--all"], ["compare", run, run, "--json"],
        ["compare", run, run, "--report", "compare.html"], ["list", "runs"], ["list", "runs", "--json"],
        ["report", run, "--document", "agency-card"], ["report", run, "--document", "technical-report"],
        ["challenge", run], ["challenge", run, "--json"],
        *(["export", run, "--what", what, "--out", f"{what}.csv"] for what in ("trials", "records", "rows")),
    ]  # fmt: skip
    for command in commands:
        done = assay(*command)
        assert done.code in (0, 1), (command, done.err)
        said.append(Output(" ".join(map(str, command)), done.out))
    loaded = api.load(run)
    said += [Output("str", str(loaded)), Output("html", loaded._repr_html_())]
    said += [*frames("frame", loaded.frame()), *frames("verdicts", loaded.verdicts())]
    compared = api.compare(run, run)
    said += [Output("compared", str(compared)), Output("compared html", compared._repr_html_())]
    said += frames("compared frame", compared.frame(further=True))
    with pytest.raises(RequirementFailed) as failed:
        loaded.check()
    said.append(Output("requirement", str(failed.value)))
    (tmp_path / "study.yaml").unlink()
    found = bare([*said, *files(tmp_path)])
    assert not found, "\n".join(found)


def test_rows_tell_no_bare_level(assay: Assay, tmp_path: Path) -> None:
    rows(tmp_path / "rows.jsonl", 20)
    (tmp_path / "declaration.yaml").write_text(DECLARATION)
    given = ["score", "agency", "rows.jsonl", "--declaration", "declaration.yaml"]
    said = []
    for more in ([], ["--all"], ["--json"]):
        done = assay(*given, *more)
        assert done.code == 0
        said.append(Output(f"score {more}", done.out))
    out = tmp_path / "out"
    out.mkdir()
    documents = ["--document", "agency-card=out/card.html", "--document", "technical-report=out/report.html"]
    files_ = ["--out", "out/reading.json", "--records", "out/records.csv", "--report", "out/page.html"]
    assert assay(*given, *files_, *documents).code == 0
    assert assay("compare", "out/reading.json", "out/reading.json", "--report", "out/compare.html").code in (
        0,
        4,
    )
    scored = api.score("agency", tmp_path / "rows.jsonl", declaration=str(tmp_path / "declaration.yaml"))
    said += [Output("str", str(scored)), Output("html", scored._repr_html_())]
    said += [*frames("frame", scored.frame()), *frames("verdicts", scored.verdicts())]
    found = bare([*said, *files(out)])
    assert not found, "\n".join(found)


def test_documents_as_pdf_tell_no_bare_level(assay: Assay, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    if not shutil.which("pdftotext"):
        pytest.skip("there is no pdftotext")
    rows(tmp_path / "rows.jsonl", 20)
    (tmp_path / "declaration.yaml").write_text(DECLARATION)
    out = tmp_path / "out"
    out.mkdir()
    given = ["score", "agency", "rows.jsonl", "--declaration", "declaration.yaml"]
    documents = ["--document", "agency-card=out/card.pdf", "--document", "technical-report=out/report.pdf"]
    assert assay(*given, *documents).code == 0
    assert len(found := [*files(out)]) == 2
    assert bare(found) == []
