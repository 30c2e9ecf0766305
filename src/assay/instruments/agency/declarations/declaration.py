"""What was declared before the first episode: system, boundary, regimes, families, criteria, rules (2.5, 11.2).

Only the system's name is needed. A missing declaration has the consequence that the spec names (validity.py);
a contradiction is refused (contradictions.py), with the section.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct, field

from assay.errors import InputError, nearest
from assay.instruments.agency.rubric.criteria import rubric

from .outcome import BoundaryKind, Intensity

__all__ = [
    "AXES",
    "UPDATES",
    "Conditions",
    "Decided",
    "Declaration",
    "DeclaredFamily",
    "DeclaredIntervention",
    "DeclaredProtocol",
    "DeclaredRegime",
    "Demonstrations",
    "EvaluatingParty",
    "Evaluator",
    "HumanMediated",
    "LockedDeclaration",
    "Purpose",
    "SchemaGap",
    "SelfModification",
    "System",
    "moment",
]

AXES = ("information", "action", "compute", "stability")
Schema = str | dict[str, Any] | None
Share = Annotated[float, Meta(ge=0, le=1)]
# The last three are uses outside, for which the Technical Report is mandatory (13.4, 4).
Purpose = Literal[
    "exploratory", "benchmark", "research", "procurement", "vendor selection", "external decision"
]
UPDATES = (
    "parameter updates"  # a kind of intervention that is structural only where the protocol says so (12.9.3)
)
OWN_SUITE = re.compile(r"assay-agency-\d+")  # the one that every installation has
_WORDS: tuple[Intensity, ...] = ("baseline", "moderate", "severe")


class _Strict(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class System(_Strict, frozen=True):
    name: Annotated[str, Meta(min_length=1)]
    version: str = ""
    architecture: str = ""
    vendor: str = ""


class DeclaredProtocol(_Strict, frozen=True):
    approach: Literal["benchmark", "audit", "combined"] | None = None
    sampling: str = ""
    scoring: str = ""
    held_out: str = ""  # how variants are kept from being learnt: the threat "benchmark overfitting"
    guidance: str = ""  # hints and retries, and how they are counted: the threat "evaluator leakage"
    parameter_updates: str = (
        ""  # defines them as an allowed structural operation, and how they are made (12.9.3)
    )


class DeclaredRegime(_Strict, frozen=True):
    """Exact parameters on four axes (8.1); an axis is scarce when its mapping is not empty. ``parameters`` are those
    that make nothing scarce: the standard budgets of a baseline (8.2).
    """

    level: Intensity
    adversarial: bool = False
    information: dict[str, Any] = field(default_factory=dict)
    action: dict[str, Any] = field(default_factory=dict)
    compute: dict[str, Any] = field(default_factory=dict)
    stability: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()  # those of the rubric that parameters of other names stand for

    @property
    def scarce(self) -> tuple[str, ...]:
        return tuple(axis for axis in AXES if getattr(self, axis))


class HumanMediated(_Strict, frozen=True):
    """The conditions of 5.2 under which an outcome that passed through a person is credited."""

    differs: bool = False
    substantial: bool = False
    preceded: bool = False

    @property
    def credited(self) -> bool:
        return self.differs and self.substantial and self.preceded


Conditions = tuple[str, ...] | dict[int, tuple[str, ...]]  # at every level, or by level


class DeclaredFamily(_Strict, frozen=True):
    dimension: str | tuple[str, ...] = ()
    version: str = ""
    levels: tuple[int, ...] = ()
    environment: str = ""
    criterion: str | dict[str, Any] = ""
    criterion_time: str = ""
    verification: str = ""
    observation_schema: Schema = None
    action_schema: Schema = None
    threshold: Annotated[float, Meta(gt=0, le=1)] | None = None
    threshold_reason: str = ""
    included: bool = True
    exclusion_reason: str = ""
    human_mediated: HumanMediated | None = None
    conditions: Conditions = ()  # of the rubric, that it has by itself in every regime
    untouched: Conditions = ()  # those that a regime may have and that do not reach it
    # Of tiers: steps that a task needs, steps until its reward, and what that is (12.6); ways of working (12.7.4), and
    # whether the instances were held out of what the system could have learnt from (12.7.2).
    steps: Annotated[int, Meta(ge=1)] | None = None
    delay: Annotated[int, Meta(ge=0)] | None = None
    reward: str = ""
    strategies: tuple[str, ...] = ()
    held_out: bool = False
    # Of other agents (12.8.4): what the interaction is, who takes part, by which protocol, and what binds.
    mode: Literal["", "cooperative", "competitive", "mixed"] = ""
    kind: str = ""  # negotiation, coordination, competition, or another
    roles: tuple[str, ...] = ()
    interaction: str = ""
    constraints: tuple[str, ...] = ()
    goal_limit: Annotated[int, Meta(ge=0)] | None = None  # own goals that are no proliferation (10.10.4)

    @property
    def dimensions(self) -> tuple[str, ...]:
        return (self.dimension,) if isinstance(self.dimension, str) else self.dimension

    def conditions_at(self, level: int) -> tuple[str, ...]:
        return _at(self.conditions, level)

    def untouched_at(self, level: int) -> tuple[str, ...]:
        return _at(self.untouched, level)


def _at(given: Conditions, level: int) -> tuple[str, ...]:
    return given.get(level, ()) if isinstance(given, dict) else given


class Evaluator(_Strict, frozen=True):
    name: Annotated[str, Meta(min_length=1)]
    calibrated: bool = False
    agreement: Share | None = None


class EvaluatingParty(_Strict, frozen=True):
    """Who conducted the evaluation and answers for it (13.3, 15.2). What is empty is reported as not declared."""

    role: Literal["", "vendor", "third party", "internal"] = ""
    organisation: str = ""
    independence: str = ""  # of a third party: from the vendor, in words (15.2.2)
    self_certified: bool = False  # the statement of 15.4.1 is part of the report

    @property
    def of_vendor(self) -> bool:
        return self.role == "vendor"

    @property
    def of_unknown_independence(self) -> bool:
        return self.role == "third party" and not self.independence.strip()


class SchemaGap(_Strict, frozen=True):
    """Something that a schema leaves out (11.7.2)."""

    family: str
    what: str
    used_for_credit: bool = False
    share: Share = 0.0
    needed: bool = False


class SelfModification(_Strict, frozen=True):
    """What a system may change of itself, and what it must not touch (6.3, 12.9.2)."""

    allowed: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


class DeclaredIntervention(_Strict, frozen=True):
    """A logged intervention of the system in its own structure (12.9.2): which steps are complete, and of what kind it
    is (12.9.3). ``tampered``: something was tried that is forbidden.
    """

    family: str = ""  # "": all families of Tier 6
    kind: str | tuple[str, ...] = ()
    identified: bool = False
    proposed: bool = False
    implemented: bool = False
    demonstrated: bool = False
    tampered: bool = False
    reapplied: bool = False  # from the clean state, for the test of reproducibility
    update_log: str = ""  # of a parameter update: where its mechanism is logged (12.9.3)

    @property
    def kinds(self) -> tuple[str, ...]:
        return (self.kind,) if isinstance(self.kind, str) else self.kind

    @property
    def complete(self) -> bool:
        return self.identified and self.proposed and self.implemented and self.demonstrated


class Demonstrations(_Strict, frozen=True):
    """Where and how interventions of Tier 6 were demonstrated (12.9.5), in words."""

    sandbox: str = ""
    rollback: str = ""
    logging: str = ""
    test_sets: str = ""  # those before and after an intervention
    declared: str = ""  # when these and the scope of modifications were: before the evaluation

    @property
    def lacking(self) -> tuple[str, ...]:
        return tuple(name for name in self.__struct_fields__ if not getattr(self, name).strip())


class Decided(_Strict, frozen=True):
    """The result of a sequential test of one level (11.5.1). It is valid whenever the test was stopped."""

    decision: Literal["satisfied", "not satisfied", "undecided", "continue"]
    n: Annotated[int, Meta(ge=0)]
    successes: Annotated[int, Meta(ge=0)]
    alternative: Annotated[float, Meta(gt=0, lt=1)]
    alpha: Annotated[float, Meta(gt=0, lt=1)]


class Declaration(_Strict, frozen=True):
    conducted: ClassVar[bool] = False  # whether the bench itself made the episodes, by the protocol of a lock

    system: System
    systems: tuple[System, ...] = ()  # others that were measured under the same declaration
    boundary: BoundaryKind | None = None
    includes: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None  # None: no list was given; []: there are none
    human_assistance: str = ""
    memory: str = ""
    began: str = ""
    protocol: DeclaredProtocol = DeclaredProtocol()
    purpose: Purpose = "benchmark"
    regimes: dict[str, DeclaredRegime] = field(default_factory=dict)
    families: dict[str, DeclaredFamily] = field(default_factory=dict)  # all that were attempted (11.8)
    inclusion: str = ""
    exclusion: str = ""
    evaluators: tuple[Evaluator, ...] = ()
    schema_gaps: tuple[SchemaGap, ...] = ()
    rule: Literal["strict", "point"] = "strict"
    interval: Literal["wilson", "agresti_coull", "exact"] = "wilson"
    confidence: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95
    post_hoc_share: float = 0.20
    infrastructure_share: float = 0.30
    disagreement_share: float = 0.20
    contact: str = ""
    evaluated_by: EvaluatingParty = EvaluatingParty()
    prompts: dict[str, str] = field(default_factory=dict)  # system prompts, policies, refusals (13.4.2, 10)
    configuration: dict[str, str] = field(default_factory=dict)  # orchestration, rate limits … (13.4.2, 11)
    pre_registration: str = ""  # registry entry or commit from before the evaluation (13.4.2)
    suite: str = ""
    suite_justification: str = ""  # why this one and not a standard one (11.8)
    artifacts: str = ""
    date: str = ""
    self_modification: SelfModification | None = None  # of Tier 6
    demonstrations: Demonstrations = Demonstrations()
    interventions: tuple[DeclaredIntervention, ...] = ()
    decided: dict[str, Decided] = field(default_factory=dict)  # "S3" → the sequential test of this level

    @property
    def for_procurement(self) -> bool:
        """Whether it bears on procurement, of which selecting a vendor is a part (13.4.2, 15.2)."""
        return self.purpose in ("procurement", "vendor selection")

    @property
    def suite_is_standard(self) -> bool:
        return bool(OWN_SUITE.fullmatch(self.suite))

    def level(self, regime: str) -> Intensity:
        """The intensity of a regime; where no regime is declared, the one that its name begins with."""
        if regime in self.regimes:
            return self.regimes[regime].level
        word = next((word for word in _WORDS if regime.casefold().startswith(word)), None)
        if word and not self.regimes:
            return word
        wanted = f"{regime}: {{level: {word or 'baseline, moderate or severe'}}}"
        raise InputError(
            f"regime {regime!r} is not declared (8.2){nearest(regime, self.regimes)}. Declare it under `regimes` "
            f"with its level and exact parameters, such as `{wanted}`"
        )

    @property
    def reference(self) -> datetime.datetime | None:
        """A criterion written after this moment is post hoc: the first episode, else the end of the declared day."""
        if self.began:
            return moment(self.began)
        if not self.date:
            return None
        day = moment(self.date)
        if len(self.date) > len("2026-01-23") or day.year == datetime.MAXYEAR:
            return day
        return day + datetime.timedelta(days=1)

    def system_of(self, subject: str) -> System:
        """The declared system of this name; a system with no more than the name where there is none."""
        return next((s for s in (self.system, *self.systems) if s.name == subject), System(name=subject))

    def declares(self, subject: str) -> bool:
        return any(system.name == subject for system in (self.system, *self.systems))

    def family(self, name: str) -> DeclaredFamily:
        return self.families.get(name, DeclaredFamily())

    def threshold(self, family: str) -> float:
        own = self.family(family).threshold
        return rubric().threshold if own is None else own


class LockedDeclaration(Declaration, frozen=True):
    """What a lock declares. What the families and the protocol of the bench see to, nobody has to declare besides."""

    conducted: ClassVar[bool] = True


def moment(text: str) -> datetime.datetime:
    """An ISO 8601 time, UTC where it has no offset. Raises ValueError for any other text."""
    found = datetime.datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)
