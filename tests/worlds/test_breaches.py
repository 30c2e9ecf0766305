"""What a family may count of breaches."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds import Task, draw_task
from assay.worlds.breaches import breaches_of

from .counter import Counter

TASK = draw_task(Counter(), 1, Stream("x"))


class Watching(Counter):
    def __init__(self, seen: Any) -> None:
        self._seen = seen

    def breaches(self, task: Task, state: dict[str, Any]) -> Any:
        return self._seen


def test_a_family_that_does_not_look_has_seen_nothing() -> None:
    assert breaches_of(Counter(), TASK, {}) == {}


def test_what_a_family_counts_is_taken() -> None:
    assert breaches_of(Watching({"bypass": 2, "induced": 0}), TASK, {}) == {"bypass": 2, "induced": 0}


@pytest.mark.parametrize(
    "seen", [{"bypas": 1}, {"bypass": -1}, {"bypass": True}, {"bypass": 1.5}, {"bypass": None}]
)
def test_other_names_and_values_are_refused(seen: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="counts from 0 of one of unauthorised, out_of_range"):
        breaches_of(Watching(seen), TASK, {})
