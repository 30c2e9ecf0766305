"""What the tests of equivalent forms need: the steps and rules by name, and what they make of a program."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from assay.instruments.repeatability.programs.repair.forms import FORMS
from assay.instruments.repeatability.programs.repair.forms_assignments import ASSIGNMENTS
from assay.instruments.repeatability.programs.repair.forms_expressions import LITERALS, RANGES, TESTS
from assay.instruments.repeatability.programs.repair.forms_facts import facts_of
from assay.instruments.repeatability.programs.repair.forms_lists import LISTS
from assay.instruments.repeatability.programs.repair.forms_statements import PASSES, RETURNS, SWAPS
from assay.instruments.repeatability.programs.repair.model import Program

__all__ = ["body", "every_rewrite", "proposed", "tree"]

STEPS = {step.name: step for step in FORMS}
RULES = (*LITERALS, *RANGES, *TESTS, *SWAPS, *LISTS, *RETURNS, *PASSES, *ASSIGNMENTS)


def body(text: str) -> str:
    return "def f(a=None, b=None):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ") + "\n"


def proposed(step: str, program: str, canon: str) -> list[str]:
    return list(STEPS[step].propose(Program(program), Program(canon)))


def tree(source: str) -> str:
    return ast.dump(ast.parse(source))


def every_rewrite(source: str, canon: str) -> Iterator[str]:
    """What any rule makes of the program anywhere, wanted or not."""
    facts, target = facts_of(Program(source)), facts_of(Program(canon))
    if facts is not None and target is not None:
        for rule in RULES:
            for rewrite in rule(facts, target):
                made = facts.sheet.apply([rewrite])
                if made is not None:
                    yield made
