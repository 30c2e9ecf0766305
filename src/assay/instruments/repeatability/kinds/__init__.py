"""Kinds of output: programs, JSON, texts. ``kind_of`` gives the one that a contract asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import Examination, Examined, NormalForms, OutputKind, SandboxRun, examined_by, examined_from
from .json_outputs import JsonOutputs
from .programs import PythonPrograms, programs_in
from .text_outputs import TextOutputs

if TYPE_CHECKING:
    from assay.instruments.repeatability.programs.contracts import Contract

__all__ = [
    "Examination",
    "Examined",
    "JsonOutputs",
    "NormalForms",
    "OutputKind",
    "PythonPrograms",
    "SandboxRun",
    "TextOutputs",
    "examined_by",
    "examined_from",
    "kind_of",
    "programs_in",
]


def kind_of(contract: Contract) -> OutputKind:
    if contract.kind == "json":
        return JsonOutputs.of(contract)
    if contract.kind == "text":
        return TextOutputs(contract.answer)
    return programs_in(contract.language, contract.keep)
