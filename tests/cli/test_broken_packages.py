"""One broken package is named with its error, and takes nothing else down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import registry
from assay.worlds import registry as families

from .conftest import Assay

GROUPS = ("instruments", "subjects", "references", "families", "detectors", "commands")
RUN = ("run", "ping", "-s", "reference:mumbler", "--trials", "2")


@pytest.fixture(params=["import no_such_module_at_all", "raise SystemExit(3)", "raise KeyboardInterrupt"])
def broken(
    request: pytest.FixtureRequest, assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """An installed package that offers something of every kind, and cannot be imported."""
    site = tmp_path / "site"
    info = site / "rusty-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "rusty.py").write_text(f"{request.param}\n")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rusty\nVersion: 1.0\n")
    points = "".join(f"[assay.{group}]\nrusty = rusty:thing\n" for group in GROUPS)
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(site)
    forget()
    yield
    forget()


def forget() -> None:
    registry._points.cache_clear()
    families._found.cache_clear()


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    ("what", "other"),
    [
        ("instruments", "repeatability"),
        ("subjects", "openai:MODEL"),
        ("references", "reference:steady"),
        ("families", "inbox"),
        ("detectors", "answer"),
        ("commands", "drill-count"),
    ],
)
def test_a_list_names_it_beside_the_others(assay: Assay, what: str, other: str) -> None:
    ended = assay("list", what)
    assert ended.code == 0, ended.err
    (line,) = [line for line in ended.out.splitlines() if line.startswith("rusty")]
    assert "could not be loaded: " in line
    assert any(line.startswith(other) for line in ended.out.splitlines())


@pytest.mark.usefixtures("broken")
def test_everything_else_runs(assay: Assay) -> None:
    assert assay(*RUN).code == 0
    assert assay("plan", "agency", "-s", "reference:solver", "--quick").code == 0


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    "line",
    [
        "run rusty -s reference:mumbler",
        "run ping -s rusty:x",
        "run ping -s reference:rusty",
        "run agency -s reference:solver --families rusty",
        "detect rusty rows.jsonl",
        "rusty",
    ],
)
def test_asking_for_it_gives_its_error(assay: Assay, line: str) -> None:
    ended = assay(*line.split())
    assert (ended.code, "could not be loaded: " in ended.err) == (2, True)


def test_a_name_that_two_packages_claim_stops_only_itself(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "site" / "greedy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greedy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[assay.instruments]\nagency = greedy:Agency\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    forget()
    try:
        assert assay(*RUN).code == 0
        ended = assay("plan", "agency", "-s", "reference:solver")
        assert (ended.code, "claimed by both" in ended.err) == (2, True)
        assert "claimed by both" in assay("list", "instruments").out
    finally:
        forget()
