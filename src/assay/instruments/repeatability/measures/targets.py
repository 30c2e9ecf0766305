"""What a study may require of repeatability: a measure, with its rung or level where it has one.

``R behaviour``, ``R_anchor ast``; ast where none is named, which only programs have. Shares must be at least the
bound, distances at most.
"""

from __future__ import annotations

from assay.instruments.repeatability.kinds import JsonOutputs, TextOutputs
from assay.instruments.repeatability.programs.ladder import RUNGS
from assay.measuring import Target

__all__ = ["TARGETS"]

DISTANCES = ("mu_pre", "mu_post", "pairwise_distance")
ON_RUNGS = ("R", "pairwise_agreement")
BEFORE_REPAIR = ("R_anchor_pre", "P_tau_pre", "mu_pre")
AT_LEVELS = ("R_anchor_pre", "P_tau_pre", "R_anchor", "rescue_rate", "P_tau_post", "mu_pre", "mu_post")
ALONE = ("R_raw", "R_ast", "R_reply", "pass_rate", "pairwise_distance")


def _target(measure: str, **labels: str) -> Target:
    return Target(measure=measure, labels=labels, side="at most" if measure in DISTANCES else "at least")


_RUNGS = dict.fromkeys((*RUNGS, *JsonOutputs.rungs, *TextOutputs.all_rungs))
_OTHER_LEVELS = (*JsonOutputs.levels[1:], *TextOutputs.levels[1:])  # without repair
TARGETS: dict[str, Target] = {
    **{name: _target(name) for name in ALONE},
    **{name: _target(name, rung="ast") for name in ON_RUNGS},
    **{name: _target(name, level="ast") for name in AT_LEVELS},
    **{f"{name} {rung}": _target(name, rung=rung) for name in ON_RUNGS for rung in _RUNGS},
    **{f"{name} {level}": _target(name, level=level) for name in AT_LEVELS for level in ("text", "ast")},
    **{f"{name} {level}": _target(name, level=level) for name in BEFORE_REPAIR for level in _OTHER_LEVELS},
}
