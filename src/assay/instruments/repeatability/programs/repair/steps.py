"""The steps of repair in the order in which they are tried, and a program's repair by them.

What is not needed goes first, then trees become alike, then the writing. Formatting comes before docstrings and
comments: where trees are equal it brings all of them at once.
"""

from __future__ import annotations

from collections.abc import Generator

from .annotations import propose_annotations
from .examples import propose_examples
from .formatting import propose_comments, propose_docstrings, propose_formatting
from .imports import propose_imports
from .names import propose_names
from .program import ProgramText, Step
from .reflection import reads_source
from .returns import propose_returns
from .search import Proposal, Repair, search, to_canon
from .unused import propose_unused

__all__ = ["LONGEST", "STEPS", "repair_program", "repairable"]

LONGEST = 50_000  # characters; a longer program is left as it is, for repair would take minutes

STEPS: tuple[Step, ...] = (
    Step(
        "examples",
        "without guards and examples below the program, or with the canon's guard",
        propose_examples,
    ),
    Step("unused", "without functions and variables that nothing uses", propose_unused),
    Step("imports", "imports as in the canon, without those that nothing uses", propose_imports),
    Step("annotations", "annotations as in the canon, where nothing can see them", propose_annotations),
    Step("names", "variables called as in the canon, scope by scope", propose_names),
    Step(
        "returns",
        "what follows a branch that leaves, and values named before they are returned",
        propose_returns,
    ),
    Step(
        "formatting", "statements with the canon's tree written as in the canon", propose_formatting, "text"
    ),
    Step("docstrings", "docstrings as in the canon, or none where it has none", propose_docstrings, "text"),
    Step("comments", "without the comments that the canon does not have", propose_comments, "text"),
)


def repair_program(source: str, canon: str, keep: frozenset[str]) -> Generator[Proposal, bool, Repair]:
    """Yields what is to be put to the oracle; is sent whether it passes; returns the repair."""
    return search(source, canon, keep, to_canon(canon), STEPS if repairable(source, canon) else ())


def repairable(source: str, canon: str) -> bool:
    """Whether both parse, neither is too long, and the program cannot see how it is written."""
    if max(len(source), len(canon)) > LONGEST or ProgramText(canon).read is None:
        return False
    found = ProgramText(source).read
    return found is not None and not reads_source(found)
