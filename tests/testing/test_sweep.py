"""Everything that is registered keeps its contract: Assay's own and what other packages brought along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.registry import names
from assay.study import SubjectSpec
from assay.subjects.recipes import RECIPES
from assay.subjects.reference import references
from assay.testing import Faults, check_family, check_instrument, check_subject, stub_process
from assay.worlds import all_families, shipped_regimes

# Of each instrument: a subject, options of a run of a second, and what of its plan depends on the subject.
SMALL: dict[str, tuple[str, dict[str, Any] | None, tuple[Any, ...]]] = {
    "agency": (
        "reference:apprentice",
        {"families": ["inbox"], "dimensions": ["S"], "levels": [1], "instances": 2, "regimes": ["Baseline"]},
        ("calls",),
    ),
    "bias": (
        "reference:rising",
        {"biases": ["loss_aversion"], "domains": ["risk"], "intensities": ["weak", "strong"], "instances": 1},
        (),
    ),
    "consistency": (
        "reference:same",
        dict.fromkeys(("returns", "refusals", "repairs", "artifacts", "exchanges", "promises"), 1),
        ("calls",),
    ),
    "drill": ("reference:mumbler", {"trials": 2, "turns": 3}, ("calls",)),
    "ping": ("reference:mumbler", {"trials": 3}, ()),
    "recognition": (
        "reference:knowing_75",
        {
            "probes": ["impersonation", "inner_voice", "neighbour_bread"],
            "lineups": 2,
            "gold": 1,
            "inverse": 2,
            "bidirectional": 1,
            "baseline_turns": 2,
        },
        (),
    ),
    "repeatability": (
        "reference:mixed",
        {"contracts": ["add"], "repetitions": 3, "temperatures": [0.0]},
        ("trials", "calls"),
    ),
}
DEAR = {"release"}  # a repository and several test runs an episode
UNKNOWN = ("reference:mumbler", None, ("trials", "calls"))  # an instrument that this file has not heard of


@pytest.mark.parametrize("name", names("assay.instruments"))
def test_every_instrument_keeps_its_contract(name: str) -> None:
    subject, options, estimated = SMALL.get(name, UNKNOWN)
    check_instrument(name, subject, options=options, estimated=estimated, other_process=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", names("assay.instruments"))
def test_every_instrument_keeps_its_contract_in_its_quick_form_and_under_another_hash_seed(name: str) -> None:
    subject, _, estimated = SMALL.get(name, UNKNOWN)
    check_instrument(name, subject, estimated=estimated)


@pytest.mark.parametrize("name", sorted(references()))
def test_every_reference_keeps_the_contract_of_a_subject(name: str) -> None:
    check_subject(f"reference:{name}")


class TestSubjects:
    def test_an_endpoint(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STUB_KEY", "sk-stub-0123456789")
        with stub_process(required_key="sk-stub-0123456789") as stub:
            check_subject(SubjectSpec("openai:stub", base_url=stub.url, key_env="STUB_KEY"))

    def test_an_endpoint_in_a_storm(self) -> None:
        with stub_process(faults=Faults.storm(0.5)) as stub:
            check_subject(SubjectSpec("openai:stub", base_url=stub.url), seconds=2.0)

    @pytest.mark.parametrize("stateful", [True, False])
    def test_a_callable(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stateful: bool) -> None:
        (tmp_path / "shouting.py").write_text(
            "def answer(messages): return messages[-1]['content'].upper()\n"
        )
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        check_subject(SubjectSpec("python:shouting:answer", stateful=stateful, connections=2))

    @pytest.mark.slow
    def test_a_model_on_this_machine(self) -> None:
        pytest.importorskip("xllamacpp")
        check_subject("local:smollm2")

    def test_are_all_here(self) -> None:
        assert set(names("assay.subjects")) == {*RECIPES, "local", "python", "reference"}


@pytest.mark.parametrize("name", sorted(all_families()))
def test_every_family_keeps_its_contract(name: str) -> None:
    family = all_families()[name]
    if name in DEAR:
        check_family(family, instances=1, regimes=[shipped_regimes()["Baseline"]])
    else:
        ends = [shipped_regimes()[id_] for id_ in ("Baseline", "Severe-Adversarial")]
        check_family(family, instances=3, regimes=ends)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(all_families()))
def test_every_family_keeps_its_contract_over_many_instances(name: str) -> None:
    family = all_families()[name]
    check_family(family, instances=20 if family.real else 200)
