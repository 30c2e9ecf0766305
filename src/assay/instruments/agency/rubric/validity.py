"""Whether a score may be reported, and up to which level (2.5, 6.3, 11.2, 11.3.2, 11.7, 11.8).

An invalid dimension has no value. The reasons are the spec's own words, each with its details.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from assay.errors import nearest
from assay.instruments.agency.declarations.declaration import Declaration, DeclaredFamily
from assay.measuring.raters.joint import JointRatings
from assay.stats import fraction

from .criteria import Rubric
from .levels import percent
from .tally import CellCounts, SubjectTally, total_of

__all__ = [
    "Invalid",
    "Reason",
    "caps",
    "invalid",
    "lost_shares",
    "missing_inputs",
    "too_far_apart",
    "undeclared_parts",
    "undisclosed",
    "unrepresentative",
]

Reason = Literal[
    "Missing Inputs", "Post-Hoc Criteria", "Schema", "Verification Infrastructure", "Selective Disclosure"
]


class Invalid(NamedTuple):
    reason: Reason
    because: str


def invalid(
    tally: SubjectTally, dimensions: Sequence[str], declaration: Declaration, rubric: Rubric
) -> list[Invalid]:
    """All reasons why these dimensions, taken together, are invalid."""
    found = [
        Invalid("Missing Inputs", f"11.2: not declared: {text}")
        for text in missing_inputs(tally, dimensions, declaration)
    ]
    found += lost_shares(total_of(tally.of(*dimensions)), declaration)
    found += _schema(tally, dimensions, declaration, rubric)
    found += _of_others(tally, dimensions, declaration)
    return found


def _families(tally: SubjectTally, dimensions: Sequence[str]) -> list[str]:
    return sorted({key.family for key in tally.of(*dimensions)})


def missing_inputs(tally: SubjectTally, dimensions: Sequence[str], declaration: Declaration) -> list[str]:
    """The inputs of 11.2 that are not declared."""
    found = [*_boundary(tally.boundary, declaration)]
    if not declaration.declares(tally.subject):
        found.append(f"the system {tally.subject!r}")
    elif not declaration.system_of(tally.subject).version:
        found.append(f"the version of {tally.subject} (`version`)")
    regimes = sorted({key.regime for key in tally.of(*dimensions)})
    bare = [name for name in regimes if name not in declaration.regimes]
    if bare:
        found.append(f"the exact parameters of the regimes {', '.join(bare)}")
    names = _families(tally, dimensions)
    if not declaration.families:
        return [*found, "the task families with criteria, schemas and verification"]
    for name in names:
        if name in declaration.families:
            lacking = list(_undeclared(declaration.families[name]))
            if lacking:
                found.append(f"family {name}: {', '.join(lacking)}")
    return found


def _boundary(boundary: str, declaration: Declaration) -> Iterator[str]:
    if declaration.boundary is None:
        yield "the boundary"
    elif boundary == "extended":
        if declaration.boundary == "core":
            yield "the extended boundary, although there are outcomes of it"
        elif not declaration.includes:
            yield "what the extended boundary includes"
        if not declaration.human_assistance:
            yield "the human assistance policy (6.3)"


NEEDED = {
    "observation schema": "observation_schema",
    "action schema": "action_schema",
    "success criterion": "criterion",
    "environment class": "environment",
    "verification method": "verification",
}


def _undeclared(family: DeclaredFamily) -> Iterator[str]:
    yield from (f"{name} (`{field}`)" for name, field in NEEDED.items() if not getattr(family, field))


def lost_shares(total: CellCounts, declaration: Declaration) -> Iterator[Invalid]:
    """Too many instances with post-hoc criteria, or lost to infrastructure (11.3.2, 11.7.3)."""
    met = total.attempted - total.excluded
    if met and Fraction(total.post_hoc, met) > fraction(declaration.post_hoc_share):
        limit = f"{100 * declaration.post_hoc_share:g} %"
        because = f"11.3.2: criteria written after the evaluation began: {percent(total.post_hoc, met)}, most {limit}"
        yield Invalid("Post-Hoc Criteria", because)
    if total.attempted and Fraction(total.excluded, total.attempted) > fraction(
        declaration.infrastructure_share
    ):
        limit = f"{100 * declaration.infrastructure_share:g} %"
        because = f"11.7.3: lost to infrastructure: {percent(total.excluded, total.attempted)}, most {limit}"
        yield Invalid("Verification Infrastructure", because)


def _schema(
    tally: SubjectTally, dimensions: Sequence[str], declaration: Declaration, rubric: Rubric
) -> Iterator[Invalid]:
    names = _families(tally, dimensions)
    for gap in declaration.schema_gaps:
        why = [
            text
            for text, holds in (
                ("used for credited outcomes", gap.used_for_credit),
                (f"{100 * gap.share:g} % of actions or observations", _over(gap.share, rubric)),
                ("needed to reproduce the claim", gap.needed),
            )
            if holds
        ]
        if gap.family in names and why:
            yield Invalid("Schema", f"11.7.2: {gap.family} leaves out {gap.what}: {', '.join(why)}")


def _over(share: float, rubric: Rubric) -> bool:
    return fraction(share) > fraction(rubric.material_schema_share)


def undisclosed(tally: SubjectTally, declaration: Declaration) -> list[str]:
    """Families that are not declared as attempted, or are declared and neither reported nor left out for a reason.

    Any of them makes the whole report Invalid (Selective Disclosure) (11.8, 15.3). One that was reported of another
    subject alone invalidates its own dimensions here.
    """
    if not declaration.families:
        return []  # nothing is declared: inputs are missing (11.2)
    found = [
        f"family {name!r} is not declared as attempted{nearest(name, declaration.families)}"
        for name in sorted({key.family for key in tally.cells} - set(declaration.families))
    ]
    for name, family in sorted(declaration.families.items()):
        if not family.included and not family.exclusion_reason:
            found.append(f"family {name!r} is excluded without a reason")
        if family.included and name not in tally.of_any:
            found.append(f"family {name!r} was attempted and has no outcomes here")
    return found


def unrepresentative(declaration: Declaration) -> Iterator[str]:
    """What 11.8 asks of research claims and procurement, and is not declared."""
    if declaration.purpose != "research" and not declaration.for_procurement:
        return
    if not (declaration.inclusion and declaration.exclusion):
        yield "inclusion or exclusion criteria not disclosed"
    if not declaration.suite:
        yield "the task suite is not named"
    elif not declaration.suite_is_standard and not declaration.suite_justification.strip():
        yield f"the suite {declaration.suite} is not justified"


def _of_others(tally: SubjectTally, dimensions: Sequence[str], declaration: Declaration) -> Iterator[Invalid]:
    for name, family in sorted(declaration.families.items()):
        if (
            family.included
            and name in tally.of_any - tally.reported
            and set(family.dimensions) & set(dimensions)
        ):
            because = f"11.8: family {name!r} was attempted and has outcomes of other systems alone"
            yield Invalid("Selective Disclosure", because)


def caps(
    dimension: str, tally: SubjectTally, declaration: Declaration, rubric: Rubric
) -> list[tuple[int, str]]:
    """Upper limits on a dimension whose outcomes are verified from outside, with their reasons."""
    found = []
    bare = total_of(tally.of(dimension)).unverified
    section = {"E": "11.7.1", "G3": "10.10.4"}.get(dimension, "")
    if bare:
        found.append(
            (
                rubric.verification_cap,
                f"{bare} outcomes said to be successes have no verification artifact: they count as failures, "
                f"and {dimension} is capped at {rubric.verification_cap} ({section})",
            )
        )
    if dimension == "E" and declaration.tools is None:
        found.append(
            (rubric.tools_cap, f"no tool access list is declared: E is capped at {rubric.tools_cap} (6.3)")
        )
    return found


def undeclared_parts(declaration: Declaration) -> list[str]:
    """The declarations of 2.5 that are missing."""
    families = [family for family in declaration.families.values() if family.included]
    protocol = declaration.protocol
    wanted = {
        "boundary": declaration.boundary is not None,
        "task families with environment and criteria": bool(families)
        and all(family.environment and family.criterion for family in families),
        "constraint regimes": bool(declaration.regimes),
        "protocol (approach, sampling, scoring)": bool(
            protocol.approach and protocol.sampling and protocol.scoring
        ),
        "artifacts for replication": bool(declaration.artifacts),
    }
    return [name for name, given in wanted.items() if not given]


def too_far_apart(ratings: JointRatings | None, declaration: Declaration) -> str | None:
    """The reason not to aggregate, or None (11.5.3)."""
    apart = None if ratings is None else ratings.disagreement
    if ratings is None or apart is None or apart <= fraction(declaration.disagreement_share):
        return None
    return (
        f"11.5.3: raters disagree on {percent(ratings.disagreed, ratings.rated)} of the instances, most "
        f"{100 * declaration.disagreement_share:g} %; the criteria must be refined, nothing is aggregated"
    )
