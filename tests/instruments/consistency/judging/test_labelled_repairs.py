"""Repairs in many wordings, labelled by hand: what is one, and what only looks like one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.scenarios.scenario import Expected, Scenario, Turn

from .transcripts import THREAD


class Mistake(Struct, frozen=True):
    name: str
    variant: str
    first: str
    own: str
    said: str
    wrong: str
    right: str
    repairs: list[str]
    others: list[str]


MISTAKES = msgspec.yaml.decode(
    Path(__file__).with_name("labelled_repairs.yaml").read_bytes(), type=list[Mistake]
)
DIGEST = next(mistake.right for mistake in MISTAKES if mistake.variant == "digest")
STATE = msgspec.structs.replace(THREAD, last_artifact_digest=DIGEST, artifact="")


def repaired(mistake: Mistake, reply: str) -> bool:
    turns = [Turn("user", mistake.first), Turn("assistant", mistake.own or "Noted.")] if mistake.first else []
    turns += [Turn("user", mistake.said), Turn("assistant", reply, "reply", 5.0)]
    one = Scenario(
        id="one",
        subject="someone",
        kind="repair",
        variant=mistake.variant,
        thread=STATE,
        turns=tuple(turns),
        expected=Expected(wrong=mistake.wrong, right=mistake.right, where="own" if mistake.own else "user"),
    )
    return judge(one)[0].success


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_the_mistake_is_named_and_corrected_and_the_task_goes_on(mistake: Mistake) -> None:
    assert [reply for reply in mistake.repairs if not repaired(mistake, reply)] == []


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_silent_or_half_or_false_correction_and_an_excuse_are_no_repair(mistake: Mistake) -> None:
    assert [reply for reply in mistake.others if repaired(mistake, reply)] == []
