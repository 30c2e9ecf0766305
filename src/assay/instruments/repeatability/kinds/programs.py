"""Programs: Python is read as a syntax tree, and can be repaired; other languages are text that does something."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from assay.instruments.repeatability.programs.distance import DISTANCE
from assay.instruments.repeatability.programs.extraction import find_code
from assay.instruments.repeatability.programs.inputs import INPUTS
from assay.instruments.repeatability.programs.ladder import RUNGS, TEXT_RUNGS
from assay.instruments.repeatability.programs.normalisation import VERSIONS, Forms, normal_forms
from assay.instruments.repeatability.programs.oracle import behaviour_of, job_for, judge, read_run, was_loaded

from .base import Examination, Examined, Inputs, NormalForms, OutputKind, SandboxRun

if TYPE_CHECKING:
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = ["OtherPrograms", "PythonPrograms", "programs_in"]

ORACLE = "oracle/1"
BEHAVIOUR = "behaviour/2"


class PythonPrograms(OutputKind):
    """``keep`` are names that the contract's own calls use."""

    name, noun, oracle, repairs = "python", "program", ORACLE, True
    judged_by = ("extraction", "normalisation.text", "oracle")
    rungs: tuple[str, ...] = RUNGS
    levels: tuple[str, ...] = ("text", "ast")
    versions = MappingProxyType(
        {
            "normalisation.text": VERSIONS["text"],
            "normalisation.ast": VERSIONS["ast"],
            "agreement.ast": VERSIONS["astdump"],
            "rung.layout": VERSIONS["layout"],
            "rung.names": VERSIONS["names"],
            "rung.behaviour": BEHAVIOUR,
            "inputs": INPUTS,
            "oracle": ORACLE,
            "distance": DISTANCE,
        }
    )

    def __init__(self, keep: frozenset[str] = frozenset()) -> None:
        self.keep = keep

    def forms(self, output: str) -> Forms:
        return normal_forms(output, self.keep, python=self.name == "python")

    def same(self, forms: NormalForms) -> str:
        assert isinstance(forms, Forms)
        return forms.tree

    def find(self, reply: str, contract: Contract) -> tuple[int, int]:
        return find_code(reply, contract.entry_point, contract.language)

    def examine(self, output: str, contract: Contract, inputs: Inputs) -> Examination:
        """On the contract's tests, and where it runs on further inputs, to see how it behaves."""
        tests = read_run(contract, output, (yield SandboxRun(job_for(contract, output))))
        further = None
        if tests["state"] == "ran" and inputs:
            run = yield SandboxRun(job_for(contract, output, inputs), shared=True)
            further = read_run(contract, output, run, inputs)
        return Examined(judge(contract, tests), behaviour_of(tests, further), was_loaded(tests))


class OtherPrograms(PythonPrograms):
    """In a language whose grammar Assay does not read."""

    repairs = False
    rungs, levels = TEXT_RUNGS, ("text",)

    def __init__(self, language: str) -> None:
        super().__init__()
        self.name = language
        self.caveat = f"is in {language}: compared as text and by behaviour only, and not repaired"


def programs_in(language: str, keep: frozenset[str] = frozenset()) -> OutputKind:
    return PythonPrograms(keep) if language == "python" else OtherPrograms(language)
