"""Constraint regimes: exact parameters on four axes, and the level they claim (sections 8.1 and 8.2)."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec
import yaml
from msgspec import Meta, Struct

from assay.errors import InputError

__all__ = [
    "AXES",
    "FAULT_TOLERANCE",
    "Actions",
    "Compute",
    "Information",
    "Regime",
    "Stability",
    "check_regime",
    "shipped_regimes",
]

Share = Annotated[float, Meta(ge=0, le=1)]
Positive = Annotated[int, Meta(ge=1)]
MOST_TURNS = 100  # between two actions; who waits longer only fills its conversation
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}")
AXES = ("information", "action", "compute", "stability")
FAULT_TOLERANCE = 0.06  # by so much the share of calls that fail may differ from the declared one


class Information(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``context_share``: the part of the talk so far that is shown again. ``query_share``: of the query budget.

    ``noise``: how texts in observations are touched: ``words`` (so many words get one wrong character) or
    ``characters`` (so many characters are wrong); a wrong character looks like the right one. ``distractors`` is the
    chance that an observation brings a message that has nothing to do with the task.
    """

    context_share: Annotated[float, Meta(gt=0, le=1)] = 1.0
    noise: Literal["none", "words", "characters"] = "none"
    noise_rate: Share = 0.0
    distractors: Share = 0.0
    query_share: Annotated[float, Meta(gt=0, le=1)] = 1.0


class Actions(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``cap_factor``: actions allowed, as a multiple of what a good solution needs, and ``cap_extra`` more.

    ``every``: only every so many turns an action is accepted (a rate limit). ``optional``: whether optional tools are
    offered. ``approval``: whether what changes the world must be said twice.
    """

    cap_factor: Annotated[float, Meta(ge=1, le=1000)] | None = None
    cap_extra: Annotated[int, Meta(ge=0)] = 0
    every: Annotated[int, Meta(ge=1, le=MOST_TURNS)] = 1
    optional: bool = True
    approval: bool = False


class Compute(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Limits of one decision. A decision that took longer has no effect."""

    tokens: Positive | None = None
    seconds: Annotated[float, Meta(gt=0, le=86_400)] | None = None


class Stability(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``timeouts``: the action is not done, and said to have timed out. ``lost``: it is done, the answer is lost.

    At most ``in_a_row`` such faults follow each other. A call that timed out costs no action, and an episode has no
    more lost ones than actions to spare: what no policy could finish measures nothing. ``drift``: rules may change on
    the way. ``injections``: the chance that an observation carries adversarial text; the first one always does.
    """

    timeouts: Share = 0.0
    lost: Share = 0.0
    in_a_row: Positive = 2
    drift: bool = False
    injections: Share = 0.0

    @property
    def fault_rate(self) -> float:
        """The share of calls that are declared to fail."""
        return self.timeouts + self.lost


class Regime(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A declared set of constraints. Equal parameters, equal regime."""

    id: str
    level: Literal["baseline", "moderate", "severe"]
    about: str = ""
    information: Information = Information()
    action: Actions = Actions()
    compute: Compute = Compute()
    stability: Stability = Stability()

    @property
    def scarce(self) -> tuple[str, ...]:
        """The axes on which something is scarce."""
        return tuple(axis for axis in AXES if self.parameters()[axis])

    @property
    def adversarial(self) -> bool:
        return self.stability.injections > 0

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Per axis, the parameters that differ from no constraint. ``in_a_row`` alone constrains nothing."""
        found: dict[str, dict[str, Any]] = {axis: msgspec.to_builtins(getattr(self, axis)) for axis in AXES}
        if not any(name in found["stability"] for name in ("timeouts", "lost", "drift", "injections")):
            found["stability"] = {}
        return found

    def text(self) -> str:
        """The parameters in one line: ``noise=words, noise_rate=0.2, timeouts=0.15``."""
        said = [f"{name}={value}" for axis in self.parameters().values() for name, value in axis.items()]
        return ", ".join(said) or "no constraint"


def check_regime(regime: Regime) -> None:
    """The claimed level against the definition: moderate is scarce on one or two axes, severe on two or more."""
    if not _ID.fullmatch(regime.id):
        raise InputError(
            f"regime {regime.id[:70]!r}: an id has up to 64 letters, digits, spaces and . _ + -; letter or digit first"
        )
    scarce = regime.scarce
    right = {"baseline": not scarce, "moderate": len(scarce) in (1, 2), "severe": len(scarce) >= 2}
    if not right[regime.level]:
        rule = {"baseline": "on none", "moderate": "on one or two", "severe": "on two or more"}[regime.level]
        found = ", ".join(scarce) or "none"
        raise InputError(
            f"regime {regime.id!r} claims to be {regime.level}, which is scarce {rule} of the axes "
            f"({', '.join(AXES)}); it is scarce on: {found} (section 8.2)"
        )
    noisy = regime.information
    if (noisy.noise == "none") != (noisy.noise_rate == 0):
        raise InputError(f"regime {regime.id!r}: noise and noise_rate go together (section 8.1)")
    if regime.stability.timeouts + regime.stability.lost > 1:
        raise InputError(f"regime {regime.id!r}: timeouts and lost add up to more than 1 (section 8.1)")


@cache
def shipped_regimes() -> dict[str, Regime]:
    """The published regimes, by id."""
    text = files("assay.worlds").joinpath("data/regimes.yaml").read_text("utf-8")
    regimes = msgspec.convert(yaml.safe_load(text)["regimes"], tuple[Regime, ...])
    for regime in regimes:
        check_regime(regime)
    return {regime.id: regime for regime in regimes}
