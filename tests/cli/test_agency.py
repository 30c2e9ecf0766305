"""The command line of agency: list, show, plan, score; no level without its tuple."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.worlds import all_families, shipped_regimes

from .conftest import Assay

ROW = {
    "dimension": "M", "level": 3, "family": "debugging", "regime": "Baseline", "boundary": "core",
    "criterion_time": "2026-01-01T00:00:00Z", "artifact": "a" * 64, "compliant": True, "steps": 3,
    "state_changed": True,
}  # fmt: skip


def rows(path: Path, successes: int, n: int = 20) -> None:
    lines = [
        json.dumps({**ROW, "instance": f"i{i}", "outcome": "success" if i < successes else "failure"})
        for i in range(n)
    ]
    path.write_text("\n".join(lines) + "\n")


DECLARATION = """
system: {name: mine, version: "1", architecture: transformer}
boundary: core
tools: []
began: "2026-01-02T00:00:00Z"
rule: point
suite: debugging-2
regimes:
  Baseline: {level: baseline}
families:
  debugging: {dimension: M, version: "2.1", levels: [3], criterion: tests pass, verification: test run,
              environment: tool-augmented, observation_schema: v1, action_schema: v1}
  other: {dimension: M, version: "1", levels: [3], criterion: tests pass, verification: test run,
          environment: tool-augmented, observation_schema: v1, action_schema: v1, included: false,
          exclusion_reason: not run here}
"""


def test_list_families_shows_dimension_levels_environment_and_regimes(assay: Assay) -> None:
    found = json.loads(assay("list", "families", "--json").out)
    assert {row["id"] for row in found} == set(all_families())
    for row in found:
        family = all_families()[row["id"]]
        assert row["dimension"] == family.dimension
        assert row["levels"] == sorted(family.levels)
        assert row["environment"] == family.environment
        assert row["regimes"] == list(shipped_regimes())
    assert "inbox" in assay("list", "families").out


def test_list_regimes_shows_exact_parameters(assay: Assay) -> None:
    out = assay("list", "regimes").out
    assert "noise_rate=0.2" in out
    assert {row["id"] for row in json.loads(assay("list", "regimes", "--json").out)} == set(shipped_regimes())


def test_show_prints_one_instance_in_full(assay: Assay) -> None:
    found = json.loads(assay("show", "agency", "inbox", "--seed", "5", "--json").out)
    for key in ("goal", "observation_schema", "action_schema", "first_observation", "criterion", "levels"):
        assert found[key]
    assert json.loads(assay("show", "agency", "inbox", "--seed", "5", "--json").out) == found
    assert found["goal"] in assay("show", "agency", "inbox", "--seed", "5").out


def test_a_mistyped_family_is_told_with_the_nearest(assay: Assay) -> None:
    ended = assay("show", "agency", "inbx")
    assert ended.code == 2
    assert "inbox" in ended.err


def test_score_reads_rows_and_a_declaration(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows(tmp_path / "rows.jsonl", 15)
    (tmp_path / "declaration.yaml").write_text(DECLARATION)
    found = json.loads(
        assay("score", "agency", "rows.jsonl", "--declaration", "declaration.yaml", "--json").out
    )
    measures = {m["name"]: m for m in found["result"]["measures"] if m["name"] in "SMDELRG"}
    assert set(measures) == set("SMDELRG")
    assert measures["S"]["value"] is None
    assert measures["S"]["spec_value"] == 0
    assert all(m["notes"][0].startswith("(Framework v.10, ") for m in measures.values())


def test_no_level_is_printed_without_its_tuple(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows(tmp_path / "rows.jsonl", 15)
    assert "(Framework v.10, " in assay("score", "agency", "rows.jsonl").out


def test_without_a_declaration_it_says_that_nothing_comparable_can_be_claimed(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows(tmp_path / "rows.jsonl", 15)
    assert "nothing comparable can be claimed" in assay("score", "agency", "rows.jsonl").out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("rows.jsonl", "--tau", "0.2"),
            "--tau is no option of agency; assay score agency --help lists them",
        ),
        (("none.jsonl",), "none.jsonl"),
        (("rows.jsonl", "--declaration", "none.yaml"), "none.yaml"),
    ],
)
def test_wrong_input_is_told(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    rows(tmp_path / "rows.jsonl", 15)
    ended = assay("score", "agency", *arguments)
    assert ended.code == 2
    assert told in ended.err


def test_run_takes_boundary_dimensions_and_regimes(assay: Assay, tmp_path: Path) -> None:
    ended = assay(
        "plan", "agency", "-s", "reference:solver", "--boundary", "extended", "--dimensions", "S",
        "--regimes", "Baseline",
        "--set", "levels=1", "--set", "instances=5", "--json",
    )  # fmt: skip
    assert json.loads(ended.out)["instruments"]["agency"]["trials"] == 5
    assert assay("plan", "agency", "-s", "reference:solver", "--boundary", "inner").code == 2


def test_a_gate_prints_no_level_without_its_tuple(assay: Assay) -> None:
    ended = assay(
        "run", "agency", "-s", "reference:solver", "--dimensions", "S", "--regimes", "Baseline", "--name", "one",
        "--set", "levels=1", "--set", "families=inbox", "--set", "instances=5",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    checked = assay("check", "one", "--all")
    assert "S ≥ 1" in checked.out
    assert "Core Boundary" in checked.out
    (shown,) = json.loads(assay("check", "one", "--json").out)["accompanying"]
    assert "Core Boundary" in shown
