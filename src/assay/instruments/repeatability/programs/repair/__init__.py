"""Repair: named steps that keep a program's meaning and bring it nearer to the canon."""

from .model import Program, Step
from .repairing import LEVELS, LONGEST, repair_program
from .search import REPAIR, Proposal, Repair, Tried, search
from .steps import STEPS

__all__ = [
    "LEVELS",
    "LONGEST",
    "REPAIR",
    "STEPS",
    "Program",
    "Proposal",
    "Repair",
    "Step",
    "Tried",
    "repair_program",
    "search",
]
