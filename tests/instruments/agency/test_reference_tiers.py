"""Subjects of known truth for every tier, conducted and read in one run: minutes of two cores."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import assay

TIERS = {"reactive": 1, "adaptive": 2, "predictive": 3, "aloof": 4, "social": 5, "meta": 6}
STUDY = {
    "study": 1,
    "name": "all-tiers",
    "seed": 1,
    "subjects": [
        {"subject": f"reference:{name}", "boundary": "extended", "includes": ["notes"]} for name in TIERS
    ],
    "instruments": {
        "agency": {
            "dimensions": ["S", "M", "D", "E", "L", "G"],
            "levels": [1, 2, 3],
            "instances": 30,
            "regimes": ["Baseline", "Moderate-Standard", "Severe-Standard"],
            "tiers": [3, 4, 5, 6],
            "learning": {"memory": "notes"},
            "self_modification": {
                "allowed": ["tools.json", "graph.json", "memory.json", "checks.json"],
                "forbidden": ["criteria.json", "harness"],
            },
            "pre_registration": "the lock of this study",
        }
    },
}


@pytest.mark.proof
def test_a_reference_of_every_tier_is_read_as_what_it_is_and_the_audit_holds(tmp_path: Path) -> None:
    path = tmp_path / "all-tiers.yaml"
    path.write_text(yaml.safe_dump(STUDY), "utf-8")
    run = assay.run(path, out=tmp_path, report=False)
    (result,) = run.results
    read = {str(m.labels["subject"]): m for m in result.measures if m.name == "tier"}
    assert {name.removeprefix("reference:"): m.value for name, m in read.items()} == TIERS
    assert not any(m.flags for m in read.values())
    assert assay.audit(run.path).holds
