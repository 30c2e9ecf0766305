"""Repair: named steps that keep a program's meaning and bring it nearer to the canon."""

from .program import ProgramText, Step
from .search import LEVELS, REPAIR, Proposal, Repair, Tried, search
from .steps import LONGEST, STEPS, repair_program

__all__ = [
    "LEVELS",
    "LONGEST",
    "REPAIR",
    "STEPS",
    "ProgramText",
    "Proposal",
    "Repair",
    "Step",
    "Tried",
    "repair_program",
    "search",
]
