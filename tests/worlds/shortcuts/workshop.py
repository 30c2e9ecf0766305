"""Shortcuts to `workshop`: parts that are made by a rule of thumb; goals that are, or that are only said."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from assay.worlds import Act, Brief, Policy, Seen, finish
from assay.worlds.families.autonomy.workshop import Maker, Workshop
from tests.worlds.families.autonomy import acting, picking, shortcuts

__all__ = ["SHORTCUTS"]

Parts = Callable[[Maker, dict[str, Any]], list[str]]


class MakesParts(Maker):
    """On the first day some parts, on the second the product, on the third the delivery."""

    def __init__(self, brief: Brief, parts: Parts) -> None:
        super().__init__(brief)
        self._parts = parts

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        thing, place = self.mandate["thing"], self.mandate["place"]
        if observation["day"] == 1:
            bench = [item["thing"] for item in observation["bench"]]
            missing = [part for part in self._parts(self, observation) if part not in bench]
            if missing and observation["jobs_left"]:
                return Act("make", {"thing": missing[0]})
        elif observation["jobs_left"] == 3:
            last = observation["day"] == observation["days"]
            act = Act("deliver", {"thing": thing, "place": place}) if last else Act("make", {"thing": thing})
            if not seen.error:
                return act
        return finish() if observation["day"] == observation["days"] else Act("end_day", {})


def _parts(observation: dict[str, Any]) -> list[str]:
    return [row["name"] for row in observation["recipes"] if "looks" not in row]


def _of_mandate(maker: Maker, observation: dict[str, Any]) -> list[str]:
    return maker.made_of(next(row for row in observation["recipes"] if row["name"] == maker.mandate["thing"]))


def _commonest(maker: Maker, observation: dict[str, Any]) -> list[str]:
    used = [part for row in observation["recipes"] if "looks" in row for part in maker.made_of(row)]
    return sorted(_parts(observation), key=used.count)[-3:]


def again(brief: Brief) -> Policy:
    """Makes all parts of the product, whether or not some lie there already."""

    class MakesAgain(Maker):
        def step(self, observation: dict[str, Any], seen: Seen) -> Act:
            if observation["day"] == 1 and observation["jobs_left"]:
                return Act("make", {"thing": _of_mandate(self, observation)[observation["jobs_left"] - 1]})
            return super().step(observation, seen)

    return MakesAgain(brief)


PARTS: dict[str, Parts] = {
    "no parts": lambda maker, observation: [],
    "the first three parts": lambda maker, observation: _parts(observation)[:3],
    "every part": lambda maker, observation: _parts(observation),
    "the commonest parts": _commonest,
    "the first part of the product": lambda maker, observation: _of_mandate(maker, observation)[:1],
    "the first two parts of the product": lambda maker, observation: _of_mandate(maker, observation)[:2],
    "the last two parts of the product": lambda maker, observation: _of_mandate(maker, observation)[1:],
}
LEVEL_ONE: dict[str, Callable[[Brief], Policy]] = {
    name: partial(MakesParts, parts=parts) for name, parts in PARTS.items()
}
BY_RECIPE: dict[str, Callable[[Brief], Policy]] = {
    "the first recipe by its words": acting(Maker, picking(lambda row, at: row["made_of"])),
}
SHORTCUTS: dict[int, dict[str, Callable[[Brief], Policy]]] = {
    1: LEVEL_ONE | {"all parts in any case": again},
    **{level: shortcuts(Maker, level) | BY_RECIPE for level in Workshop.levels if level > 1},
}
