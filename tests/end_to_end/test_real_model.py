"""The whole way with a real model: run it, then audit it where there is neither network nor model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.subjects.models import MODELS, cache_folder
from tests.support import ASSAY, command, environment, ledger_events

WEIGHTS = cache_folder() / f"{MODELS['smollm2'].sha256[:16]}.gguf"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None, reason="xllamacpp is not installed (the extra 'local')"
    ),
    pytest.mark.skipif(not WEIGHTS.is_file(), reason="the model is not on this machine (assay pull smollm2)"),
]
TINY = ("--quick", "--set", "contracts=add", "--set", "repetitions=2", "--max-tokens", "40")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of the embedded model in it."""
    home = tmp_path_factory.mktemp("real")
    cache = {"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]} if "XDG_CACHE_HOME" in os.environ else {}
    ended = command(
        "run", "repeatability", "-s", "local:smollm2", *TINY, "--name", "r", cwd=home, timeout=300,
        env=environment(home, **cache),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("Audit    assay audit runs/r\n")
    return home


def _unplugged(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``assay`` in a network namespace of its own with nothing in it, and with an empty cache."""
    for flags in ("-n", "-rn"):
        if (
            shutil.which("unshare")
            and not subprocess.run(["unshare", flags, "true"], capture_output=True).returncode
        ):
            break
    else:
        pytest.skip("the network cannot be unplugged here: network namespaces are not permitted")
    env = environment(folder, XDG_CACHE_HOME=str(folder / "empty"))
    ended = subprocess.run(
        ["unshare", flags, *ASSAY, *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if flags == "-rn" and "untrusted code cannot be confined here" in ended.stderr:
        pytest.skip("no sandbox can be had inside a user namespace here")
    return ended


def test_the_reading_is_of_what_the_model_said(ran: Path) -> None:
    folder = RunFolder(ran / "runs/r")
    replies = [e["data"]["reply"] for e in ledger_events(folder) if e["kind"] == "received"]
    assert len(replies) == 4
    assert all(reply["text"] and reply["usage"]["output"] <= 40 for reply in replies)
    reading = json.loads(folder.reading_path("repeatability").read_bytes())
    assert reading["envelope"]["subjects"]["local:smollm2"]["weights_sha256"] == MODELS["smollm2"].sha256
    [raw] = [
        m for m in reading["result"]["measures"] if m["name"] == "R_raw" and m["labels"]["temperature"] == 0.0
    ]
    coldest = [
        e["data"]["wire"]
        for e in ledger_events(folder)
        if e["kind"] == "sent" and e["data"]["wire"]["temperature"] == 0
    ]
    assert len(coldest) == raw["n"] == 2


def test_an_audit_needs_neither_network_nor_model(ran: Path) -> None:
    ended = _unplugged(ran, "audit", "r", "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    told = json.loads(ended.stdout)
    assert (told["holds"], told["trials"], told["asks"]) == (True, 4, 4)
    assert told["recomputed"] >= 4  # each program on its tests, and those that pass on further inputs


def test_a_report_needs_neither_network_nor_model(ran: Path) -> None:
    before = (ran / "runs/r/report.html").stat().st_size
    assert _unplugged(ran, "report", "r").returncode == 0
    assert (ran / "runs/r/report.html").stat().st_size == before


def test_without_the_model_a_run_says_how_to_get_it(ran: Path) -> None:
    ended = _unplugged(ran, "run", "repeatability", "-s", "local:smollm2", *TINY, "--name", "none")
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        "assay: the model 'smollm2' is not on this machine yet; fetch it with: assay pull smollm2"
    )
