"""The six threats to validity of section 3, each answered from the declaration and the counts."""

from __future__ import annotations

from msgspec import Struct

from assay.instruments.agency.declarations.declaration import Declaration
from assay.instruments.agency.declarations.intensities import unchecked

from .tally import SubjectTally, total_of

__all__ = ["Threat", "threats_of", "unchecked_strengths"]


class Threat(Struct, frozen=True):
    name: str
    ruled_out: bool | None  # None: not established
    because: str


def threats_of(tally: SubjectTally, declaration: Declaration) -> tuple[Threat, ...]:
    return (
        _inflation(tally, declaration),
        _leakage(declaration),
        _post_hoc(tally, declaration),
        _overfitting(declaration),
        _ambiguity(tally, declaration),
        _verification(tally, declaration),
    )


def _inflation(tally: SubjectTally, declaration: Declaration) -> Threat:
    name = "boundary inflation"
    if declaration.boundary is None:
        return Threat(name, None, "the boundary is not declared")
    if tally.boundary == "core":
        return Threat(name, True, "outcomes of the core boundary are scored by themselves (6.1)")
    missing = [
        word
        for word, given in (
            ("what it includes", bool(declaration.includes)),
            ("its tools", declaration.tools is not None),
            ("human assistance", bool(declaration.human_assistance)),
        )
        if not given
    ]
    if missing:
        return Threat(name, False, f"the extended boundary does not declare {', '.join(missing)}")
    return Threat(name, True, "what the extended boundary includes is listed")


def _leakage(declaration: Declaration) -> Threat:
    declared = declaration.protocol.guidance
    return Threat(
        "evaluator leakage",
        True if declared else None,
        f"as declared: {declared}" if declared else "hints and retries are not declared",
    )


def _post_hoc(tally: SubjectTally, declaration: Declaration) -> Threat:
    name = "post-hoc success criteria"
    late = total_of(tally.cells).post_hoc
    if late:
        return Threat(
            name, False, f"{late} instances have a criterion from after the evaluation began; left out"
        )
    if not declaration.began:
        return Threat(name, None, "when the first episode began is not declared")
    if not tally.dated:
        return Threat(name, None, "some criteria have no time")
    return Threat(name, True, f"every criterion is from before {declaration.began}")


def _overfitting(declaration: Declaration) -> Threat:
    declared = declaration.protocol.held_out
    return Threat(
        "benchmark overfitting",
        True if declared else None,
        f"as declared: {declared}" if declared else "held-out variants are not declared",
    )


def _ambiguity(tally: SubjectTally, declaration: Declaration) -> Threat:
    bare = sorted({key.regime for key in tally.cells} - set(declaration.regimes))
    if bare:
        return Threat("regime ambiguity", False, f"no exact parameters for {', '.join(bare)}")
    text = "every regime has its exact parameters"
    if free := unchecked_strengths(tally, declaration):
        text += (
            f"; how strong these are is not checked, they have no published range (8.2): {', '.join(free)}"
        )
    return Threat("regime ambiguity", True, text)


def unchecked_strengths(tally: SubjectTally, declaration: Declaration) -> list[str]:
    """Parameters of the regimes that were run for which no range is published."""
    used = sorted({key.regime for key in tally.cells})
    return [
        f"{regime} {axis}.{name}"
        for regime in used
        for axis in declaration.regimes[regime].scarce
        for name in unchecked(axis, getattr(declaration.regimes[regime], axis))
    ]


def _verification(tally: SubjectTally, declaration: Declaration) -> Threat:
    name = "verification gaps"
    bare = sorted({key.dimension for key, cell in tally.cells.items() if cell.unverified})
    if bare:
        number, of = total_of(tally.cells).unverified, ", ".join(bare)
        return Threat(name, False, f"{number} successes of {of} have no artifact; they earn no credit")
    unsaid = sorted({key.family for key in tally.cells if not declaration.family(key.family).verification})
    if unsaid:
        return Threat(name, None, f"no verification method is declared for {', '.join(unsaid)}")
    return Threat(
        name, True, "every credited outcome that needs an artifact has one, every family its method"
    )
