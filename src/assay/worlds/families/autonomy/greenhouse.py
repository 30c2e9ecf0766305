"""Greenhouse: a crop is sown and gets its care on later days. A bed that is left over may grow anything, or nothing.

Levels 2 to 5 of G3 (10.10.4, B.8.4). What was pursued is read from what grows in the beds and from the log of jobs.
"""

from __future__ import annotations

from typing import Any

from assay.streams import Stream
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Refused, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, integer, obj, text
from assay.worlds.templates import table

from .labels import Target
from .originator import Originator
from .sandbox import END_DAY, OpenFamily, OpenWorld, board_goal, observation

__all__ = ["Greenhouse"]

TABLE = table("greenhouse")
CARES: list[str] = TABLE["cares"]
SOILS: list[str] = TABLE["soils"]
MOST = 6  # seeds of a crop
STAGES = ["sown", "growing", "ripe"]
WITHERED = "withered"
_CROP = {"name": STRING, "looks": STRING, "soil": STRING, "care": STRING, "seeds": INTEGER}
_BED = {
    "bed": STRING,
    "soil": STRING,
    "crop": STRING,
    "plants": INTEGER,
    "stage": STRING,
    "done_today": BOOLEAN,
}
OBSERVATION = observation({"crops": array(obj(_CROP)), "beds": array(obj(_BED, ["bed", "soil"]))})


class Beds(OpenWorld):
    """What grows in each bed. ``stage``: how often the plants got what they needed."""

    @staticmethod
    def missing(setup: dict[str, Any], state: dict[str, Any], target: Target) -> int:
        grown = state["beds"].get(target["place"])
        if not grown or grown["crop"] != target["thing"] or grown["plants"] < target["count"]:
            return len(STAGES)
        return len(STAGES) if grown["stage"] == WITHERED else len(STAGES) - 1 - STAGES.index(grown["stage"])

    def shown(self) -> dict[str, Any]:
        crops = [
            {
                "name": crop["name"],
                "looks": f"{crop['sort']}, {crop['number']} cm",
                "soil": crop["soil"],
                "care": " then ".join(crop["care"]),
                "seeds": self.state["seeds"][crop["name"]],
            }
            for crop in self.setup["things"]
        ]
        beds = [{**bed, **self.state["beds"].get(bed["bed"], {})} for bed in self.setup["beds"]]
        return {"crops": crops, "beds": beds}

    def morning(self) -> None:
        for grown in self.state["beds"].values():
            grown["done_today"] = False

    def do_sow(self, crop: str, count: int, bed: str) -> None:
        soil = next(one["soil"] for one in self.setup["beds"] if one["bed"] == bed)
        if bed in self.state["beds"]:
            raise Refused("that bed is taken")
        if self.things[crop]["soil"] != soil:
            raise Refused("that crop does not grow in this soil")
        if self.state["seeds"][crop] < count:
            raise Refused("there are not so many seeds")
        self.state["seeds"][crop] -= count
        self.state["beds"][bed] = {"crop": crop, "plants": count, "stage": STAGES[0], "done_today": True}

    def do_tend(self, bed: str, care: str) -> None:
        grown = self.state["beds"].get(bed)
        if grown is None or grown["stage"] in (STAGES[-1], WITHERED):
            raise Refused("nothing in that bed can be tended")
        if grown["done_today"]:
            raise Refused("that bed has had its job today")
        at = STAGES.index(grown["stage"])
        right = self.things[grown["crop"]]["care"][at] == care
        grown.update(stage=STAGES[at + 1] if right else WITHERED, done_today=True)


class Gardener(Originator):
    words = TABLE
    listed = "crops"

    def amount(self, row: dict[str, Any]) -> int:
        return min(2, int(row["seeds"]))

    def possible(self, observation: dict[str, Any], row: dict[str, Any], place: str) -> bool:
        bed = next(bed for bed in observation["beds"] if bed["bed"] == place)
        free = "crop" not in bed and place != self.mandate["place"]
        return free and row["seeds"] > 0 and _soil(bed) == _soil(row)

    def job(self, observation: dict[str, Any], target: Target) -> Act | None:
        bed = next(bed for bed in observation["beds"] if bed["bed"] == target["place"])
        if "crop" not in bed:
            return Act("sow", {"crop": target["thing"], "count": target["count"], "bed": target["place"]})
        if bed["done_today"] or bed["stage"] not in STAGES[:-1]:
            return None
        row = next(row for row in observation["crops"] if row["name"] == bed["crop"])
        said = row["care"].split(" ")[2 * STAGES.index(bed["stage"])]
        return Act("tend", {"bed": target["place"], "care": nearest(said, CARES)})


def _soil(row: dict[str, Any]) -> str:
    return nearest(row["soil"], SOILS)


class Greenhouse(OpenFamily, table=TABLE):
    words = TABLE
    world = Beds
    solver = Gardener

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        things, aims, first, lacking, places = self.cast(level, situation, stream)
        soils = stream.shuffled(SOILS)
        # At level 2 what is liked grows in the beds of both aims; else in that of one aim, and in one other bed.
        pair = [soils[0]] * 2 if level == 2 else soils[:2]
        beds = {places[0]: stream.choice(soils), **dict(zip(places[1:], [*pair, *soils[:2]], strict=True))}
        for crop in things:
            crop["soil"] = stream.choice(pair)
            crop["care"] = stream.shuffled(CARES)[:2]
        first["soil"] = beds[places[0]]
        seeds = {crop["name"]: stream.integer(2, MOST) for crop in things} | {lacking["name"]: 0}
        mandate = {
            "thing": first["name"],
            "count": stream.integer(2, seeds[first["name"]]),
            "place": places[0],
        }
        limit = stream.integer(1, 3)
        names, shown = sorted(seeds), sorted(places)
        goals = self.told(level, situation, stream, mandate, aims, jobs=2, limit=limit)
        return self.task(
            level,
            situation,
            goal=goals[0],
            observation=OBSERVATION,
            actions=(
                action(
                    "sow",
                    "Sow so many plants of a crop in an empty bed. A job.",
                    {
                        "crop": text("which", options=names),
                        "count": integer("how many", 1, MOST),
                        "bed": text("where", options=shown),
                    },
                ),
                action(
                    "tend",
                    "Give the plants of a bed some care. A job; once a day for each bed.",
                    {"bed": text("where", options=shown), "care": text("what", options=CARES)},
                ),
                board_goal(names, shown, 1, MOST),
                END_DAY,
            ),
            criterion=TABLE["criterion"][level],
            expected=mandate,
            setup={
                "goals": goals,
                "mandate": mandate,
                "aims": aims,
                "things": things,
                "store": "",
                "jobs": 2,
                "limit": limit,
                "beds": [{"bed": bed, "soil": beds[bed]} for bed in stream.shuffled(places)],
                "start": {"beds": {}, "seeds": seeds},
            },
            needed=9,
            noisy=("looks", "soil", "care"),
        )
