"""Families with a structural bottleneck: the solver fails with the clean structure, and succeeds with the right one."""

from __future__ import annotations

from itertools import pairwise

import pytest

from assay.streams import Stream
from assay.worlds import draw_task, play, shipped_regimes
from assay.worlds.families.structural.dials import Dials
from assay.worlds.families.structural.handover import Handover
from assay.worlds.families.structural.signals import Signals
from assay.worlds.families.structural.transcription import Transcription
from assay.worlds.structure import (
    BOTTLENECKS,
    AgreementCheck,
    MemorySlot,
    StructuralFamily,
    Structure,
    WrappedCall,
    Wrapper,
)

FAMILIES: list[StructuralFamily] = [Dials(), Handover(), Signals(), Transcription()]


def rate(family: StructuralFamily, structure: Structure, regime: str, n: int = 40) -> float:
    won = 0
    for number in range(n):
        task = draw_task(family, 5, Stream("structural", family.name, str(number)), held_out=True)
        task = family.restructured(task, structure)
        faults = Stream("structural faults", family.name, str(number))
        won += play(family, task, shipped_regimes()[regime], faults, family.oracle).judgement.success
    return won / n


@pytest.mark.parametrize("regime", ["Baseline", "Moderate-Standard", "Severe-Standard"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
def test_only_the_right_change_of_the_structure_helps(family: StructuralFamily, regime: str) -> None:
    assert rate(family, family.baseline, regime) <= 0.2
    assert rate(family, family.remedy, regime) >= 0.95


def twice(action: str, *arguments: str) -> Structure:
    call = WrappedCall(action=action, arguments={name: f"${name}" for name in arguments}, times=2)
    return Structure(wrappers=(Wrapper(name="twice", does=(call,)),))


@pytest.mark.parametrize(
    ("family", "structure"),
    [
        (Dials(), Structure(slots=(MemorySlot(name="all", keeps="dials"),))),
        (Dials(), twice("turn", "name")),
        (Handover(), Structure(slots=(MemorySlot(name="sheet", keeps="sheet"),))),
        (Handover(), twice("enter", "name", "reading")),
        (Signals(), Structure(steps=Signals.baseline.steps, slots=(MemorySlot(name="due", keeps="due"),))),
        (Signals(), Structure(steps=("observe", "decide", "act", "decide", "act"))),
        (Transcription(), Structure(checks=(AgreementCheck(name="own", compare="sent", equals="document"),))),
        (Transcription(), Structure(slots=(MemorySlot(name="sent", keeps="sent"),))),
    ],
)
def test_another_change_of_the_structure_does_not_help(
    family: StructuralFamily, structure: Structure
) -> None:
    assert rate(family, structure, "Moderate-Standard", 20) <= 0.2


def test_every_bottleneck_has_its_family() -> None:
    assert {family.bottleneck for family in FAMILIES} == set(BOTTLENECKS)


def test_dials_allow_fewer_actions_than_notches_in_every_instance() -> None:
    for number in range(100):
        task = draw_task(Dials(), 5, Stream("dials", str(number)))
        notches = sum((to - task.setup["at"][name]) % 12 for name, to in task.setup["wanted"].items())
        assert notches > 2 * task.most


def test_a_signal_is_never_the_one_before() -> None:
    for number in range(50):
        due = draw_task(Signals(), 5, Stream("signals", str(number))).setup["due"]
        assert all(one != other for one, other in pairwise(due))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: one.name)
def test_reasons_of_failure_name_nothing_of_the_instance(family: StructuralFamily) -> None:
    """They are shown in the log before the structure is changed, and the same instances are met again after it."""
    for number in range(20):
        task = draw_task(family, 5, Stream("reasons", family.name, str(number)), held_out=True)
        played = play(family, task, shipped_regimes()["Baseline"], Stream("f"), family.oracle)
        assert played.judgement.because
        names = task.actions[0].parameters["properties"]
        options = next(part["enum"] for part in names.values() if "enum" in part)
        assert not [name for name in options if any(name in said for said in played.judgement.because)]
