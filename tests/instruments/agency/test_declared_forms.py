"""A declaration as somebody writes it who knows what must be in it, and not how it is called here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.agency.declaration import Declaration, read_declaration
from assay.instruments.agency.outcome import Outcome
from assay.instruments.agency.scoring import score_outcomes
from assay.worlds import shipped_regimes

from .made_outcomes import declared, level, made, stressed

ROWS = [
    *made("S", 1, 58, 60, families=["inbox", "helpdesk"]),
    *made("S", 1, 57, 60, families=["inbox", "helpdesk"], regime="Moderate"),
    *made("D", 1, 60, 60, families=["thermostat"]),
]
FLAT = """\
system: desk-agent-1.2
boundary: {type: Core, includes: [model weights]}
environment: tool-augmented
verification: the harness reads the state
regimes:
  Baseline: {max_actions: 50, context: 8K tokens}
  Moderate: {observation_noise: 0.2, max_actions: 10, timeouts: 0}
schemas: {observation: {type: object}, action: {type: object}}
families: [inbox, helpdesk, thermostat]
criteria: {inbox: all fields, helpdesk: the category, thermostat: the action}
"""
NAMED = {
    "system_id": "desk-agent",
    "system_version": 3,
    "boundary_type": "Core Boundary",
    "inclusion_list": [],
    "regimes": [
        {"name": "Baseline", "parameters": {}},
        {"name": "Moderate", "intensity": "Moderate", "parameters": {"tool_timeouts": 0.15}},
    ],
    "families_attempted": {"S": ["inbox", "helpdesk"], "Decision coherence": ["thermostat"]},
    "schemas": {name: {"input": "o", "output": "a"} for name in ("inbox", "helpdesk", "thermostat")},
    "success_criteria": "the final state equals the target",
    "environment_class": "tool-augmented",
    "verification_method": {"inbox": "state", "helpdesk": "state", "thermostat": "state"},
}
LISTED = """\
system: {id: desk-agent, version: "1", hash: 4f1c}
boundary: {kind: extended, inclusion_list: [planner], tools: [browser], human_assistance_policy: false}
constraint_regimes:
  Baseline: baseline
  Moderate: {constraints: {information: {noise: 0.2}, stability: none}}
task_families:
  - {name: inbox, dimension: sensing, level: S1, environment_class: static, criteria: {text: all, time: "2026-01-01"}}
  - {name: helpdesk, dimension: S, level: 1, environment: static, criterion: all}
  - {name: thermostat, dimensions: [D], levels: [1], env: static, success_criterion: the action}
schemas: {observation_schema: o, action_schema: a}
verification: state
"""


def read(folder: Path, text: str) -> Declaration:
    path = folder / "declaration.yaml"
    path.write_text(text)
    return read_declaration(path)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as told:
        read(folder, text)
    return str(told.value).removeprefix(str(folder / "declaration.yaml"))


@pytest.mark.parametrize("text", [FLAT, json.dumps(NAMED), LISTED], ids=["flat", "named", "listed"])
def test_a_natural_first_declaration_scores(tmp_path: Path, text: str) -> None:
    declaration = read(tmp_path, text)
    rows: list[Outcome] = [msgspec.structs.replace(row, boundary="") for row in ROWS]
    result = score_outcomes(rows, declaration, source="rows", version="1")
    for name, value in {"S": 1, "D": 1, "R": 3}.items():
        assert (name, level(result, name).value, level(result, name).flags) == (name, value, ())


def test_what_is_flat_lies_on_its_axis_and_what_limits_nothing_beside(tmp_path: Path) -> None:
    found = read(tmp_path, FLAT).regimes
    assert found["Baseline"].scarce == ()
    assert found["Baseline"].parameters == {"max_actions": 50, "context": "8K tokens"}
    assert found["Moderate"].scarce == ("information", "action")
    assert found["Moderate"].parameters == {"timeouts": 0}
    assert (found["Baseline"].level, found["Moderate"].level) == ("baseline", "moderate")


def test_names_become_fields(tmp_path: Path) -> None:
    found = read(tmp_path, LISTED)
    assert (found.system.name, found.system.version) == ("desk-agent", "1+4f1c")
    assert (found.boundary, found.includes, found.tools) == ("extended", ("planner",), ("browser",))
    assert found.human_assistance == "none"
    inbox = found.families["inbox"]
    assert (inbox.dimensions, inbox.levels, inbox.criterion, inbox.criterion_time) == (
        ("S",),
        (1,),
        "all",
        "2026-01-01",
    )
    assert (inbox.observation_schema, inbox.action_schema, inbox.verification) == ("o", "a", "state")


@pytest.mark.parametrize(
    ("name", "version"),
    [("agent@1.2", "1.2"), ("agent v3", "v3"), ("acme/agent:2026-01-30", "2026-01-30"), ("agent", "")],
)
def test_a_system_that_is_a_text_has_the_version_that_it_ends_with(
    tmp_path: Path, name: str, version: str
) -> None:
    found = read(tmp_path, f"system: {name!r}").system
    assert (found.name, found.version) == (name, version)


def test_raters_and_systems_may_be_names_alone(tmp_path: Path) -> None:
    found = read(tmp_path, "system: a\nraters: {ann: {calibrated: true, agreement: 0.9}}\nsystems: [b]")
    assert [(one.name, one.calibrated, one.agreement) for one in found.evaluators] == [("ann", True, 0.9)]
    assert [(one.name, one.version) for one in found.systems] == [("b", "")]


def test_a_published_id_stands_for_its_parameters(tmp_path: Path) -> None:
    found = read(tmp_path, "system: a\nregimes: [Baseline, Severe-Standard]").regimes
    shipped = shipped_regimes()["Severe-Standard"].parameters()
    assert {axis: getattr(found["Severe-Standard"], axis) for axis in shipped} == shipped


def test_the_core_boundary_may_list_the_model_and_nothing_more(tmp_path: Path) -> None:
    assert read(tmp_path, "system: a\nboundary: core\nincludes: [policy weights, internal state]").includes
    for more in ("planner", "model with tools", "search API"):
        assert "(6.1)" in refused(tmp_path, f"system: a\nboundary: core\nincludes: [{more}]")


def test_a_declaration_survives_its_own_form(tmp_path: Path) -> None:
    for rows in (ROWS, stressed(3, 3, 3, 3)):
        whole = declared(rows)
        assert read(tmp_path, msgspec.json.encode(whole).decode()) == whole


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("system: a\nsystem_id: b", ":2: system_id: is the same as 'system'; give it once"),
        ("system: {name: a, version: 1.10}", ":1: system.version: 1.1 is read as a number; put it in quotes"),
        ("system: a\nboundary: both", ":2: boundary: 'both' is not a choice; known: core, extended"),
        (
            "system: a\nboundary: {type: core, colour: red}",
            ":2: boundary.colour: unknown field; known: type, includes, tools, human_assistance, memory",
        ),
        (
            "system: a\nregimes: {Moderate: {strange: 3}}",
            ":2: regimes.Moderate.strange: which axis does it constrain (8.1)? Put it under information, action, "
            "compute or stability, such as `stability: {strange: ...}`",
        ),
        (
            "system: a\nregimes: {Moderate: {}}",
            ":2: regimes.Moderate: a moderate regime has scarcity on one or two axes (8.2); scarce here: none. Exact "
            "parameters go under information, action, compute or stability (8.1)",
        ),
        (
            "system: a\nfamilies: [inbox]\ncriteria: {inbox: x, other: y}",
            ":3: criteria.other: no such family (11.8); declared: inbox",
        ),
        (
            "system: a\nfamilies: [inbox]\nschemas: some",
            ":3: schemas: must be a mapping {observation: ..., action: ...}, once for all families or for each",
        ),
        (
            "system: a\nschemas: {observation: o, action: a}",
            ":2: schemas: is of no family; list those that were attempted under `families` (11.8)",
        ),
    ],
)
def test_what_can_be_read_in_two_ways_is_told(tmp_path: Path, text: str, told: str) -> None:
    assert refused(tmp_path, text) == told


@pytest.mark.parametrize("value", [None, 3, "text", [], {"system": None}, {"families": 3}, {"regimes": [1]}])
def test_nonsense_is_an_error_of_input(tmp_path: Path, value: Any) -> None:
    with pytest.raises(InputError):
        read(tmp_path, json.dumps(value))
