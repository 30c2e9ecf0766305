"""Experiment: fixed ways to go on after an error, and calls that are made twice instead of checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen
from assay.worlds.families.experiment import Scientist
from tests.worlds.shortcuts.running_scripts import Script, scripted

MEASURE, RINSE, STRIKE = Act("measure", {}), Act("rinse", {}), Act("strike", {})


def _prepare(setting: int) -> Act:
    return Act("prepare", {"setting": setting})


def _record(brief: Brief, setting: int, reading: dict[str, Any]) -> Act:
    return Act("record", {"setting": setting, "value": Scientist(brief).result(reading)})


def recovering(measured: Sequence[Act], recorded: Sequence[Act], again: bool) -> Callable[[Brief], Policy]:
    """After an error always the same: these calls first, and then the failed one again, or not."""

    def script(brief: Brief, seen: Seen) -> Script:
        for setting in Scientist(brief)._wanted:
            yield _prepare(setting)
            while (seen := (yield MEASURE)).error:
                for act in measured:
                    seen = yield act
                if not again:
                    break
            readings = seen.observation["readings"]
            if not readings:
                return
            while (yield _record(brief, setting, readings[-1])).error:
                for act in recorded:
                    yield act
                if not again:
                    break

    return scripted(script)


def rinsed_before(brief: Brief, seen: Seen) -> Script:
    """Rinses before each measurement, whether it has to or not."""
    for setting in Scientist(brief)._wanted:
        yield _prepare(setting)
        yield RINSE
        while (seen := (yield MEASURE)).error:
            yield RINSE
        yield _record(brief, setting, seen.observation["readings"][-1])


def repeated(prepares: int, measures: int, records: int, steadiest: bool) -> Callable[[Brief], Policy]:
    """So many calls of each kind; the last reading, or the one with the smallest spread."""

    def script(brief: Brief, seen: Seen) -> Script:
        setting = Scientist(brief)._wanted[0]
        for _ in range(prepares):
            yield _prepare(setting)
        for _ in range(measures):
            seen = yield MEASURE
        readings = seen.observation["readings"]
        reading = min(readings, key=lambda one: one["spread"]) if steadiest else readings[-1]
        for _ in range(records):
            yield _record(brief, setting, reading)

    return scripted(script)


SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    4: {
        "retry": recovering([], [], again=True),
        "believe": recovering([], [], again=False),
        "rinse, strike and retry": recovering([RINSE], [STRIKE], again=True),
        "rinse and retry": recovering([RINSE], [], again=True),
        "rinse before": scripted(rinsed_before),
    },
    5: {
        "once each": repeated(1, 1, 1, steadiest=False),
        "record three times": repeated(1, 1, 3, steadiest=False),
        "measure twice, record twice": repeated(1, 2, 2, steadiest=False),
        "the steadiest of two": repeated(1, 2, 2, steadiest=True),
        "the steadiest of three": repeated(1, 3, 1, steadiest=True),
        "prepare twice, record twice": repeated(2, 1, 2, steadiest=False),
    },
}
