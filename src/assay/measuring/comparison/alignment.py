"""Whether two measurements may be compared: exactly one label, and every divergence by name.

The rules are those of the agency specification (2.6, 13.5, 15.5), used for all instruments. What they leave open:

- Overlap of families is the number that both have, with the same content, over the number that either has.
- Non-Comparable is a major version that differs (15.5: no normalisation is declared), a condition that leaves
  nothing in common, and a reading that is Invalid.
- What a vendor evaluated itself is of Limited Comparability beside another vendor's system as soon as anything at all
  differs in the protocols (15.2.1).
- Anything else that fails is Limited Comparability. Compared is what both have: shared families, shared regimes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from msgspec import Struct

from assay.canonical import digest
from assay.measuring.analysis import analysis_options
from assay.report.wording import listed
from assay.study import Lock, SubjectSpec
from assay.vocabulary import Flag, Result, Trial

__all__ = [
    "LEAST_OVERLAP",
    "Frame",
    "FrameAlignment",
    "FrameContents",
    "FrameDivergence",
    "Label",
    "align",
    "frame_of",
]

Label = Literal["Comparable", "Limited Comparability", "Non-Comparable"]
LABELS: tuple[Label, ...] = ("Comparable", "Limited Comparability", "Non-Comparable")
LEAST_OVERLAP = Fraction(7, 10)  # 13.5
SAMPLING = ("temperature", "top_p", "max_tokens", "seeding")
MOST_NAMED = 6


class FrameContents(Struct, frozen=True):
    """What an instrument puts to subjects, as plain data: by family, by regime, and what all of them share."""

    families: dict[str, Any] = {}
    regimes: dict[str, Any] = {}
    common: Any = None
    vendor_evaluated: bool = False  # by whoever made the system
    evaluator: str = ""  # the organisation


class Frame(Struct, frozen=True, kw_only=True):
    """Under what conditions one subject was measured. Of a reading alone, as of plain rows, most of it is unknown."""

    instrument: str
    version: str
    source: str
    rules: dict[str, str] = {}
    flags: tuple[Flag, ...] = ()
    boundary: str | None = None
    includes: tuple[str, ...] = ()
    families: dict[str, str] | None = None  # name → digest of its content
    regimes: dict[str, str] = {}
    common: str = ""
    sampling: dict[str, tuple[str | float | None, ...]] = {}
    options: dict[str, Any] = {}
    seed: int | None = None
    vendor: str = ""  # of the system, where it is known
    vendor_evaluated: bool = False

    @property
    def known(self) -> bool:
        """Whether a lock and its evidence are at hand, and not only a reading."""
        return self.seed is not None


class FrameDivergence(Struct, frozen=True):
    """One difference in the conditions. ``label`` is the best one that is possible with it."""

    kind: str
    detail: str
    label: Label

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class FrameAlignment(Struct, frozen=True, kw_only=True):
    """The label with its divergences, and what the two have in common. ``families`` is None where that is unknown."""

    label: Label
    divergences: tuple[FrameDivergence, ...]
    families: frozenset[str] | None = None
    regimes: frozenset[str] = frozenset()
    paired: bool = True
    whole: bool = True  # nothing that one of them measured is missing in the other


def frame_of(
    result: Result,
    spec: SubjectSpec,
    lock: Lock,
    contents: FrameContents,
    own: Sequence[Trial],
    kind: type[Any],
) -> Frame:
    """The conditions of one subject of a run, of which ``own`` are the trials. ``kind`` is the type of options."""
    name = result.instrument
    items = {trial.instance.item for trial in own}
    met = {trial.regime for trial in own}
    analysed = analysis_options(kind)
    sampled = {field: {getattr(trial.sampling, field) for trial in own} for field in SAMPLING}
    for trial in own:
        for factor, value in trial.factors.items():
            if isinstance(value, str):  # numbers are repetitions, or stand in the sampling
                sampled.setdefault(factor, set()).add("itself" if value == spec.title else value)
    sampling = {field: tuple(sorted(values, key=_in_order)) for field, values in sampled.items()}
    return Frame(
        instrument=name,
        version=result.version,
        source=result.source,
        rules=result.versions,
        flags=result.flags,
        boundary=spec.boundary,
        includes=spec.includes,
        families={key: digest(value) for key, value in contents.families.items()} or dict.fromkeys(items, ""),
        regimes={key: digest(contents.regimes.get(key)) for key in met},
        common=digest(contents.common),
        sampling=sampling,
        options={key: value for key, value in lock.study.options[name].items() if key not in analysed},
        seed=lock.study.seed,
        vendor=spec.maker or (contents.evaluator if contents.vendor_evaluated else ""),
        vendor_evaluated=contents.vendor_evaluated,
    )


def _in_order(value: Any) -> tuple[str, Any]:
    return type(value).__name__, 0 if value is None else value


def align(
    first: Frame, second: Frame, *, selecting: Iterable[str] = (), labels: Iterable[str] = ()
) -> FrameAlignment:
    """The label of two measurements by one instrument.

    ``selecting`` are options and factors that choose which trials there are, not how one is conducted; ``labels`` are
    what the compared values are told apart by, so that only like is set beside like.
    """
    shared = _shared_families(first, second)
    regimes = frozenset(k for k, v in first.regimes.items() if second.regimes.get(k) == v)
    found = [
        *_version(first, second),
        *_sources(first, second),
        *_boundary(first, second),
        *_families(first, second, shared),
        *_regimes(first, second, regimes),
        *_sampling(first, second, frozenset(labels), frozenset(selecting)),
        *_options(first, second, frozenset(selecting)),
        *_content(first, second),
    ]
    found += _vendors(first, second, found)
    label = LABELS[max((LABELS.index(one.label) for one in found), default=0)]
    paired = first.common == second.common and first.known and second.known
    whole = bool(shared) and first.families == second.families and first.regimes == second.regimes
    return FrameAlignment(
        label=label, divergences=tuple(found), families=shared, regimes=regimes, paired=paired, whole=whole
    )


def _vendors(first: Frame, second: Frame, others: Sequence[FrameDivergence]) -> Iterator[FrameDivergence]:
    """15.2.1: cross-vendor comparisons are limited unless protocols align. A vendor that is not named may be any."""
    same = first.vendor == second.vendor != ""
    if (first.vendor_evaluated or second.vendor_evaluated) and not same and others:
        named = [frame.vendor or "not named" for frame in (first, second)]
        apart = listed(dict.fromkeys(one.kind for one in others))
        detail = f"{named[0]} against {named[1]}, evaluated by a vendor, and the protocols differ in: {apart}"
        yield FrameDivergence("vendor", detail, "Limited Comparability")


def major(version: str) -> str:
    """2 of 2 and of 2.1 (15.5: results remain comparable if the major version matches).

    Of a framework it is what stands before the point: v.11 is a minor update of v.10, and v2.0 a major one.
    """
    return version.partition(".")[0]


def _version(first: Frame, second: Frame) -> Iterator[FrameDivergence]:
    if first.version != second.version:
        same = major(first.version) == major(second.version)
        detail = f"{first.instrument} {first.version} against {second.version}"
        yield FrameDivergence("version", detail, "Comparable" if same else "Non-Comparable")
    for name in sorted(first.rules.keys() & second.rules.keys()):
        if first.rules[name] != second.rules[name]:
            detail = f"{name} {first.rules[name]} against {second.rules[name]}"
            other = name == "framework" and major(first.rules[name]) != major(second.rules[name])
            yield FrameDivergence("rules", detail, "Non-Comparable" if other else "Limited Comparability")


def _sources(first: Frame, second: Frame) -> Iterator[FrameDivergence]:
    """What the readings say of themselves."""
    for flag in dict.fromkeys((*first.flags, *second.flags)):
        label: Label = "Non-Comparable" if flag.kind == "Invalid" else "Limited Comparability"
        whose = [name for name, one in (("the first", first), ("the second", second)) if flag in one.flags]
        which = f"{whose[0]} is" if len(whose) == 1 else "both are"
        yield FrameDivergence("reading", f"{which} {flag}", label)


def _boundary(first: Frame, second: Frame) -> Iterator[FrameDivergence]:
    if None in (first.boundary, second.boundary):
        return
    if first.boundary != second.boundary:
        yield FrameDivergence(
            "boundary", f"{first.boundary} against {second.boundary}", "Limited Comparability"
        )
    elif first.includes != second.includes:
        said = [listed(frame.includes) or "nothing listed" for frame in (first, second)]
        yield FrameDivergence("boundary includes", f"{said[0]} against {said[1]}", "Comparable")


def _shared_families(first: Frame, second: Frame) -> frozenset[str] | None:
    if first.families is None or second.families is None:
        return None
    return frozenset(name for name, content in first.families.items() if second.families.get(name) == content)


def _families(first: Frame, second: Frame, shared: frozenset[str] | None) -> Iterator[FrameDivergence]:
    if shared is None or first.families is None or second.families is None:
        yield FrameDivergence(
            "families", "only a reading is at hand, which does not have them", "Limited Comparability"
        )
        return
    both = first.families.keys() & second.families.keys()
    every = first.families.keys() | second.families.keys()
    if shared == every:
        return
    overlap = Fraction(len(shared), len(every))
    label: Label = "Comparable" if overlap >= LEAST_OVERLAP else "Limited Comparability"
    parts = [
        f"{len(shared)} of {len(every)} are shared ({float(overlap):.0%}, {float(LEAST_OVERLAP):.0%} is enough)"
    ]
    if other := sorted(both - shared):
        parts.append(f"other content under the same name: {_named(other)}")
    for which, names in (("first", first.families.keys() - both), ("second", second.families.keys() - both)):
        if names:
            parts.append(f"only in the {which}: {_named(names)}")
    yield FrameDivergence("families", "; ".join(parts), label if shared else "Non-Comparable")


def _regimes(first: Frame, second: Frame, shared: frozenset[str]) -> Iterator[FrameDivergence]:
    if not (first.known and second.known) or first.regimes == second.regimes:
        return
    both = first.regimes.keys() & second.regimes.keys()
    parts = []
    if other := sorted(both - shared):
        parts.append(f"other parameters under the same name: {_named(other)}")
    for which, names in (("first", first.regimes.keys() - both), ("second", second.regimes.keys() - both)):
        if names:
            parts.append(f"only in the {which}: {_named(names)}")
    yield FrameDivergence("regime", "; ".join(parts), "Limited Comparability" if shared else "Non-Comparable")


def _sampling(
    first: Frame, second: Frame, labels: frozenset[str], selecting: frozenset[str]
) -> Iterator[FrameDivergence]:
    """How answers were sampled, and what else was varied. Where values are told apart by it, like is beside like."""
    if not first.sampling or not second.sampling:
        return
    for field in [*SAMPLING, *sorted((first.sampling.keys() | second.sampling.keys()) - {*SAMPLING})]:
        one, two = first.sampling.get(field, ()), second.sampling.get(field, ())
        if one == two or field in selecting:
            continue
        detail = f"{field} {_values(one)} against {_values(two)}"
        kind = "sampling" if field in SAMPLING else "condition"
        if field in labels:
            yield FrameDivergence(kind, detail, "Comparable" if {*one} & {*two} else "Non-Comparable")
        else:
            yield FrameDivergence(kind, detail, "Limited Comparability")


def _options(first: Frame, second: Frame, selecting: frozenset[str]) -> Iterator[FrameDivergence]:
    """Options that decide how a trial is conducted. What they choose is compared as families, regimes and sampling."""
    if not first.options or not second.options:
        return
    for name in sorted(first.options.keys() | second.options.keys()):
        one, two = first.options.get(name), second.options.get(name)
        if one != two and name not in selecting:
            yield FrameDivergence(
                "option", f"{name} {_plain(one)} against {_plain(two)}", "Limited Comparability"
            )


def _content(first: Frame, second: Frame) -> Iterator[FrameDivergence]:
    """Another seed puts other instances of the same families: two samples, which cannot be paired."""
    if not (first.known and second.known):
        return
    if first.common != second.common:
        detail = "what all families draw on is not the same; nothing is paired"
        yield FrameDivergence("contents", detail, "Limited Comparability")
    if first.seed != second.seed:
        detail = f"{first.seed} against {second.seed}: other instances of the same families"
        yield FrameDivergence("seed", detail, "Comparable")


def _named(names: Iterable[str]) -> str:
    found = sorted(names)
    more = [f"{len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return listed([*found[:MOST_NAMED], *more])


def _values(values: Iterable[Any]) -> str:
    return ", ".join(_plain(value) for value in values) or "none"


def _plain(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_plain, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_plain(one)}" for key, one in value.items()) + "}"
    return f"{value:g}" if isinstance(value, float) else str(value)
