"""Reading a declaration, and refusing one that contradicts itself, with the section of the specification."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from assay.errors import InputError, nearest
from assay.instruments.agency.rubric.criteria import rubric
from assay.stats import fraction
from assay.study.source import convert, read_source
from assay.worlds.regimes import Regime, shipped_regimes

from .declaration import AXES, UPDATES, Conditions, Declaration, DeclaredFamily, DeclaredRegime, moment
from .intensities import wrong_strength
from .outcome import APART, PARTS, RATED, SCORED

__all__ = ["check_declaration", "read_declaration"]

# The five classes of 7.1, and other words for them.
_CLASSES = {
    "static": ("static/text-only", "text-only", "text"),
    "tool-augmented": ("tools",),
    "stochastic": ("stochastic/noisy", "noisy"),
    "multi-agent": (),
    "adversarial": (),
}
# 6.1, core: "policy/model weights and internal state only. No external tools or scaffolding."
_MODEL = re.compile(r"model|weight|policy|state|prompt|context|checkpoint|\bllm\b", re.IGNORECASE)
_MORE = re.compile(r"tool|scaffold|plug-?in|\bapi\b|orchestrat|human|extern|retriev|database", re.IGNORECASE)


def read_declaration(path: Path) -> Declaration:
    """Read YAML or JSON. A mistake is reported with file, line and field."""
    source = read_source(path)
    found = convert(source.value, Declaration, source)
    for at, message in _contradictions(found):
        raise source.error(at, message)
    return found


def check_declaration(declaration: Declaration) -> None:
    """Refuse a declaration that contradicts itself."""
    for at, message in _contradictions(declaration):
        raise InputError(f"declaration, {'.'.join(map(str, at))}: {message}")


_Problem = tuple[tuple[str | int, ...], str]


def _contradictions(declared: Declaration) -> Iterator[_Problem]:
    yield from _shares(declared)
    if declared.boundary == "core":
        yield from _core(declared)
    for name, text in (("began", declared.began), ("date", declared.date)):
        yield from _time((name,), text)
    yield from _time(("demonstrations", "declared"), declared.demonstrations.declared)
    for id_, regime in declared.regimes.items():
        yield from _regime(id_, regime)
    for id_, family in declared.families.items():
        yield from _family(id_, family)
    for number, gap in enumerate(declared.schema_gaps):
        if gap.family not in declared.families:
            yield ("schema_gaps", number, "family"), f"{gap.family!r} is not among the families (11.7.2)"
    yield from _decided(declared)
    scope = declared.self_modification
    for name in scope.allowed if scope is not None else ():
        if scope is not None and name in scope.forbidden:
            yield ("self_modification", "allowed"), f"{name!r} is both allowed and forbidden (12.9.2)"
    if declared.protocol.parameter_updates and (scope is None or UPDATES not in scope.allowed):
        yield (
            ("protocol", "parameter_updates"),
            f"what it defines is an allowed operation (12.9.3): list {UPDATES!r} under self_modification.allowed",
        )
    systems = [declared.system.name, *(system.name for system in declared.systems)]
    for number, name in enumerate(systems):
        if name in systems[:number]:
            yield ("systems", number - 1, "name"), f"{name!r} is declared twice (11.2)"
    names = [evaluator.name for evaluator in declared.evaluators]
    for number, name in enumerate(names):
        if name in names[:number]:
            yield ("evaluators", number, "name"), f"{name!r} is listed twice (10.3.4)"


def _core(declared: Declaration) -> Iterator[_Problem]:
    more = [one for one in declared.includes or () if not _MODEL.search(one) or _MORE.search(one)]
    for name, given in (("includes", more), ("tools", list(declared.tools or ()))):
        if given:
            message = (
                "the core boundary is the model alone (6.1); declare the extended one, or leave this empty"
            )
            yield (name,), f"{message}: {', '.join(given)}"


def _decided(declared: Declaration) -> Iterator[_Problem]:
    for id_, one in declared.decided.items():
        at = ("decided", id_)
        if id_[:-1] not in RATED or id_[-1:] not in (*"12345",):
            yield at, f"{id_!r} is no level such as S3 (11.5.1)"
        if one.successes > one.n:
            yield (*at, "successes"), f"{one.successes} of {one.n} outcomes cannot be (11.5.1)"
        if fraction(one.alternative) <= fraction(rubric().threshold):
            line = f"{rubric().threshold:g}"
            yield (*at, "alternative"), f"must be above the threshold {line} (11.5.1), not {one.alternative}"


def _shares(declared: Declaration) -> Iterator[_Problem]:
    ranges = {
        "post_hoc_share": (0.15, 0.25, "11.3.2"),
        "infrastructure_share": (0.25, 0.35, "11.7.3"),
        "disagreement_share": (0.15, 0.25, "11.5.3"),
    }
    for name, (low, high, section) in ranges.items():
        if not low <= getattr(declared, name) <= high:
            yield (name,), f"must lie between {low} and {high} ({section}), not {getattr(declared, name)}"


def _time(at: tuple[str | int, ...], text: str) -> Iterator[_Problem]:
    if text:
        try:
            moment(text)
        except ValueError:
            yield at, f"{text!r} is not an ISO 8601 time such as 2026-01-23T09:00:00Z"


def _regime(id_: str, regime: DeclaredRegime) -> Iterator[_Problem]:
    scarce, at = regime.scarce, ("regimes", id_)
    named = ", ".join(scarce) or "none"
    hint = f"Exact parameters go under {', '.join(AXES[:-1])} or {AXES[-1]} (8.1)"
    if regime.level == "baseline" and scarce:
        yield (
            at,
            f"a baseline regime has no scarcity (8.2); scarce here: {named}. Standard budgets go under `parameters`",
        )
    if regime.level == "moderate" and not 1 <= len(scarce) <= 2:
        yield at, f"a moderate regime has scarcity on one or two axes (8.2); scarce here: {named}. {hint}"
    if regime.level == "severe" and len(scarce) < 2:
        yield at, f"a severe regime has scarcity on two axes or more (8.2); scarce here: {named}. {hint}"
    if wrong := wrong_strength(regime.level, {axis: getattr(regime, axis) for axis in scarce}):
        yield at, f"it claims to be {regime.level}, and {wrong}"
    yield from _conditions((*at, "conditions"), regime.conditions)
    if id_ in shipped_regimes() and not _as_published(id_, regime):
        published = shipped_regimes()[id_]
        yield (
            at,
            f"{id_!r} is the id of a published regime with other parameters (13.2.2): {published.level}, "
            f"{published.text()}; give this one another id",
        )


def _as_published(id_: str, regime: DeclaredRegime) -> bool:
    """Does a regime say what the published one of its id says? What a parameter is by default need not be said.

    Standard budgets, under ``parameters``, make nothing scarce.
    """
    published = shipped_regimes()[id_]
    given = {axis: getattr(regime, axis) for axis in AXES}
    try:
        found = msgspec.convert({"id": id_, "level": regime.level, **given}, Regime)
    except msgspec.ValidationError:  # parameters that no published regime has
        return False
    same = (found.level, found.parameters()) == (published.level, published.parameters())
    return same and regime.adversarial == published.adversarial and not regime.conditions


def _family(id_: str, family: DeclaredFamily) -> Iterator[_Problem]:
    at = ("families", id_)
    for dimension in family.dimensions:
        if dimension not in (known := (*SCORED, "L", "G", *PARTS, *APART)):
            yield (
                (*at, "dimension"),
                f"{dimension!r} is none of {', '.join(known)} (9.2, 12); R is derived from S, M, D and E",
            )
    for level in family.levels:
        if not 1 <= level <= 5:
            yield (*at, "levels"), f"a level is 1 to 5 (10.1), not {level}"
    if family.environment and family.environment not in (classes := _class_of()):
        guess = classes.get(family.environment.casefold().split("/")[0].strip())
        nearby = f"; did you mean {guess!r}?" if guess else nearest(family.environment, _CLASSES)
        yield (*at, "environment"), f"{family.environment!r} is no class of environment (7.1){nearby}"
    other = family.threshold is not None and family.threshold != rubric().threshold
    if other and not family.threshold_reason:
        yield (*at, "threshold"), "another threshold needs a threshold_reason (10.3.3)"
    if family.included and family.exclusion_reason:
        yield (
            (*at, "exclusion_reason"),
            "the family is included, so there is nothing to give a reason for (11.8)",
        )
    yield from _time((*at, "criterion_time"), family.criterion_time)
    for part in ("conditions", "untouched"):
        given: Conditions = getattr(family, part)
        for names in given.values() if isinstance(given, dict) else [given]:
            yield from _conditions((*at, part), names)


def _class_of() -> dict[str, str]:
    """Word → class of environment."""
    return {word: name for name, others in _CLASSES.items() for word in (name, *others)}


def _conditions(at: tuple[str | int, ...], names: tuple[str, ...]) -> Iterator[_Problem]:
    known = rubric().conditions
    for name in names:
        if name not in known:
            yield at, f"{name!r} is none of {', '.join(known)}{nearest(name, known)}"
