"""Worlds: closed-loop environments with real state, seeded faults and verification from outside."""

from .base import FamilyBase, Fixed, Steady, WorldBase, finish
from .conformance import Violation, check_family
from .episode import FINISH, LOOK, Episode
from .family_calls import FamilyFault, drawn_task, guarded, plain
from .model import (
    Act,
    Action,
    Brief,
    Criterion,
    Dimension,
    Effect,
    Environment,
    Family,
    Judgement,
    Policy,
    Program,
    PursuedGoal,
    Refused,
    Seen,
    Task,
    World,
    WorldSource,
)
from .regimes import Regime, check_regime, shipped_regimes
from .registry import all_families, family_named, left_out
from .rollout import Claims, Played, Runs, draw_task, play

__all__ = [
    "FINISH",
    "LOOK",
    "Act",
    "Action",
    "Brief",
    "Claims",
    "Criterion",
    "Dimension",
    "Effect",
    "Environment",
    "Episode",
    "Family",
    "FamilyBase",
    "FamilyFault",
    "Fixed",
    "Judgement",
    "Played",
    "Policy",
    "Program",
    "PursuedGoal",
    "Refused",
    "Regime",
    "Runs",
    "Seen",
    "Steady",
    "Task",
    "Violation",
    "World",
    "WorldBase",
    "WorldSource",
    "all_families",
    "check_family",
    "check_regime",
    "draw_task",
    "drawn_task",
    "family_named",
    "finish",
    "guarded",
    "left_out",
    "plain",
    "play",
    "shipped_regimes",
]
