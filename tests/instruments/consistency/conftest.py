"""One finished run and its transcripts, shared by the tests of the protocol."""

from __future__ import annotations

import pytest

from assay.bench import RunFolder
from assay.instruments.consistency.scenarios.scenario import Scenario
from assay.instruments.consistency.scenarios.transcripts import scenarios_of
from assay.study import Lock
from tests.instruments.consistency.running import KEEPER, evidence, study
from tests.support import begin, go


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    """One run of three subjects, one of them extended."""
    root = tmp_path_factory.mktemp("finished")
    folder, lock = begin(root, study("reference:same", "reference:drifting", KEEPER))
    assert go(folder, lock)
    return folder, lock


@pytest.fixture(scope="session")
def transcripts(finished: tuple[RunFolder, Lock]) -> tuple[Scenario, ...]:
    folder, lock = finished
    return tuple(scenarios_of(evidence(folder, lock)))
