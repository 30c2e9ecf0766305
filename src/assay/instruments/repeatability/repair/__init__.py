"""Repair: named steps that keep a program's meaning and bring it nearer to the canon."""

from .model import Program, Step
from .search import REPAIR, Proposal, Repair, Tried, search
from .steps import STEPS

__all__ = ["REPAIR", "STEPS", "Program", "Proposal", "Repair", "Step", "Tried", "search"]
