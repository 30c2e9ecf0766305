"""Subjects of known truth for repeatability: they answer with programs whose make is known.

Each draws, for every request, one of the shipped solutions with declared probabilities, so that the true
repeatability, pass rate and distances can be worked out beforehand.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.streams import Stream

from .contracts import Contract, shipped_contracts

__all__ = ["REFERENCES", "Drawn"]


@cache
def _by_prompt() -> dict[str, Contract]:
    return {contract.prompt: contract for contract in shipped_contracts().values()}


class Drawn:
    """Draws a variant by its declared weight.

    Variants: ``plain`` and ``dressed`` (the same program in other clothes), ``other`` (another correct
    program), ``wrong``, ``unparseable``, ``marked`` (plain with a comment that never repeats) and ``prose``.
    """

    def __init__(self, about: str, **weights: float) -> None:
        self.about, self.weights = about, weights

    def answer(self, messages: list[dict[str, Any]], stream: Stream) -> str:
        contract = _by_prompt().get(messages[-1]["content"])
        variant = stream.weighted(list(self.weights), list(self.weights.values()))
        if contract is None or variant == "prose":
            return "I would rather talk about the weather than write this program."
        return f"```python\n{_code(contract, variant, stream)}```\n"


def _code(contract: Contract, variant: str, stream: Stream) -> str:
    named = {solution.name: solution.code for solution in contract.solutions}
    if variant in ("plain", "dressed"):
        return named[variant]
    if variant == "marked":
        return f"{named['plain']}# {stream.bits64():016x}\n"
    kind = "correct" if variant == "other" else variant
    rest = [s.code for s in contract.solutions if s.kind == kind and s.name not in ("plain", "dressed")]
    return stream.choice(rest)


REFERENCES = {
    "steady": Drawn("always the same correct program: every measure reads 1, every distance 0", plain=1),
    "dressed": Drawn(
        "one correct program in two dresses: R_raw near .5, R_ast 1 but for docstrings", plain=1, dressed=1
    ),
    "scattered": Drawn("a correct program that never repeats byte for byte: R_raw is 1/n", marked=1),
    "mixed": Drawn(
        "half plain, the rest dressed, other, wrong or not parseable",
        plain=0.5,
        dressed=0.2,
        other=0.15,
        wrong=0.1,
        unparseable=0.05,
    ),
    "wrong": Drawn("never passes: there is no canon", wrong=0.8, unparseable=0.2),
    "talker": Drawn("never writes a program", prose=1),
}
