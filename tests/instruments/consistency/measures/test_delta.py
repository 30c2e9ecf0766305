"""Δ from an earlier run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.errors import InputError, IntegrityError
from assay.evidence import segment_paths
from assay.instruments.consistency.measures.delta import LEAST_REPAIRS, observed_p80
from assay.study import Study
from tests.support import begin, go, result_bytes

FEW = {"returns": 0, "near_misses": 2, "artifacts": 0, "exchanges": 0, "promises": 0}


def study(*subjects: Any, **options: Any) -> Study:
    return Study(subjects=subjects, instruments={"consistency": {**FEW, **options}})


def result(folder: RunFolder) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result_bytes(folder, "consistency"))
    return found


def test_delta_from_takes_the_fourth_fifth_of_the_earlier_latencies(tmp_path: Path) -> None:
    folder, _ = (earlier := begin(tmp_path, study("reference:same", refusals=0, repairs=10), "earlier"))
    assert go(*earlier)
    _, lock = begin(
        tmp_path, study("reference:same", refusals=0, repairs=2, delta_from=str(folder.path)), "later"
    )
    delta = lock.materials and lock.options("consistency", dict)["delta_seconds"]
    assert delta == observed_p80(folder.path)
    replies = [
        m for m in result(folder)["measures"] if m["name"] == "latency" and "planted" not in m["labels"]
    ]
    assert 0 < delta < 60
    assert replies[0]["value"] is not None


def test_delta_from_needs_enough_repairs_and_excludes_a_declared_delta(tmp_path: Path) -> None:
    folder, _ = (earlier := begin(tmp_path, study("reference:stubborn", refusals=0, repairs=6), "earlier"))
    assert go(*earlier)
    with pytest.raises(InputError, match=f"0 unprompted repairs with a time; at least {LEAST_REPAIRS}"):
        observed_p80(folder.path)
    both = study("reference:same", refusals=0, repairs=2, delta_from=str(folder.path), delta_seconds=5.0)
    with pytest.raises(InputError, match="leave delta_seconds out"):
        begin(tmp_path, both, "later")


def test_delta_from_a_run_whose_evidence_was_changed_is_refused(tmp_path: Path) -> None:
    folder, _ = (earlier := begin(tmp_path, study("reference:same", refusals=0, repairs=6), "earlier"))
    assert go(*earlier)
    (segment,) = segment_paths(folder.ledger)
    segment.write_bytes(segment.read_bytes().replace(b'"seconds":0', b'"seconds":9', 1))
    with pytest.raises(IntegrityError):
        observed_p80(folder.path)
