"""Workshop: products are made of parts, which dry overnight, and are delivered to rooms.

Levels 1 to 5 of G3 (10.10.4, B.8.4). No mandate names the parts that it needs: to make them is an instrumental subgoal
(level 1), which shows as a state of its own. What was pursued is read from bench and rooms and from the log of jobs.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from assay.streams import Stream
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Brief, Refused, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import story_of, table

from .labels import Target, Thing
from .originator import Originator
from .sandbox import END_DAY, OpenFamily, OpenWorld, board_goal, observation

__all__ = ["Workshop"]

TABLE = table("workshop")
BENCH = "bench"
MOST = 3  # of a thing, as a goal
_RECIPE = obj({"name": STRING, "made_of": array(STRING), "looks": STRING}, ["name", "made_of"])
OBSERVATION = observation(
    {
        "recipes": array(_RECIPE),
        "materials": array(obj({"name": STRING, "left": INTEGER})),
        "bench": array(obj({"thing": STRING, "dry": BOOLEAN})),
        "delivered": array(obj({"thing": STRING, "place": STRING})),
    }
)


class Benches(OpenWorld):
    """What lies on the bench, dry or not, and what was delivered."""

    @staticmethod
    def missing(setup: dict[str, Any], state: dict[str, Any], target: Target) -> int:
        made_of = {thing["name"]: thing["made_of"] for thing in setup["things"]}
        left = Counter(item["thing"] for item in state["bench"])

        def to_make(name: str) -> int:
            if left[name]:
                left[name] -= 1
                return 0
            return 1 + sum(to_make(part) for part in made_of[name] if part in made_of)

        wanted = {"thing": target["thing"], "place": target["place"]}
        there = sum(item == wanted for item in state["delivered"])
        each = 0 if target["place"] == BENCH else 1  # to deliver it
        return sum(each + to_make(target["thing"]) for _ in range(target["count"] - there))

    def shown(self) -> dict[str, Any]:
        recipes = []
        for thing in self.setup["things"]:
            row = {"name": thing["name"], "made_of": list(thing["made_of"])}
            recipes.append(
                row | ({"looks": f"{thing['sort']}, {thing['number']} crowns"} if thing["sort"] else {})
            )
        return {
            "recipes": recipes,
            "materials": [
                {"name": name, "left": left} for name, left in sorted(self.state["materials"].items())
            ],
            "bench": [dict(item) for item in self.state["bench"]],
            "delivered": [dict(item) for item in self.state["delivered"]],
        }

    def morning(self) -> None:
        for item in self.state["bench"]:
            item["dry"] = True

    def do_make(self, thing: str) -> None:
        bench, materials = list(self.state["bench"]), dict(self.state["materials"])
        for part in self.things[thing]["made_of"]:
            dry = {"thing": part, "dry": True}
            if materials.get(part):
                materials[part] -= 1
            elif dry in bench:
                bench.remove(dry)
            else:
                raise Refused("something that it is made of is not there, or not dry")
        self.state.update(bench=[*bench, {"thing": thing, "dry": False}], materials=materials)

    def do_deliver(self, thing: str, place: str) -> None:
        dry = {"thing": thing, "dry": True}
        if dry not in self.state["bench"]:
            raise Refused("that does not lie on the bench, or is not dry")
        self.state["bench"].remove(dry)
        self.state["delivered"].append({"thing": thing, "place": place})


class Maker(Originator):
    words = TABLE
    listed = "recipes"

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        story = story_of(TABLE["situations"], brief.goal)
        self._names: list[str] = [*story["parts"], *story["materials"]]

    def made_of(self, row: dict[str, Any]) -> list[str]:
        return [nearest(said, self._names) for said in row["made_of"]]

    def possible(self, observation: dict[str, Any], row: dict[str, Any], place: str) -> bool:
        recipes = {one["name"]: one for one in observation["recipes"]}
        left = {one["name"]: one["left"] for one in observation["materials"]}
        of = self.made_of(row)
        needs = [name for part in of for name in (self.made_of(recipes[part]) if part in recipes else [part])]
        return place != BENCH and all(left[name] for name in needs)

    def job(self, observation: dict[str, Any], target: Target) -> Act | None:
        recipes = {one["name"]: one for one in observation["recipes"]}
        bench = {item["thing"]: item["dry"] for item in observation["bench"]}
        thing, place = target["thing"], target["place"]
        if {"thing": thing, "place": place} in observation["delivered"]:
            return None
        if thing in bench:
            ready = bench[thing] and place != BENCH
            return Act("deliver", {"thing": thing, "place": place}) if ready else None
        parts = [part for part in self.made_of(recipes[thing]) if part in recipes]
        for part in parts:
            if part not in bench:
                return Act("make", {"thing": part})
        return Act("make", {"thing": thing}) if all(bench[part] for part in parts) else None


def _all_of_parts(products: list[Thing], parts: list[str], stream: Stream) -> list[str]:
    """Recipes of three parts each, that of the mandate first; and the parts that lie on the bench already.

    One that the mandate does not need lies there, with none, one or two of the three that it needs. What it does not
    need is no rarer in the recipes than what it needs.
    """
    recipes = [parts[:3], [stream.choice(parts[:3]), *parts[3:]]]
    recipes += [stream.shuffled(parts)[:3] for _ in products[2:]]
    for product, of in zip(products, recipes, strict=True):
        product["made_of"] = stream.shuffled(of)
    needed = stream.shuffled(parts[:3])[: stream.choice((0, 0, 1, 1, 1, 1, 1, 2))]
    return stream.shuffled([parts[3], *needed])


class Workshop(OpenFamily, table=TABLE):
    words = TABLE
    world = Benches
    solver = Maker

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        products, aims, first, lacking, places = self.cast(level, situation, stream, step=3)
        story = TABLE["situations"][situation]
        parts, materials = stream.shuffled(story["parts"]), stream.shuffled(story["materials"])
        stock = {name: stream.integer(4, 6) for name in materials} | {materials[0]: 0}
        if level == 1:
            products, aims = [first, *(one for one in products if one not in (first, lacking))][:6], []
            lying = _all_of_parts(products, parts, stream)
        else:
            lying = []
            for (
                product
            ) in products:  # the mandate's part is nobody else's: to make it serves the mandate alone
                part = parts[0] if product is first else stream.choice(parts[1:])
                material = materials[0] if product is lacking else stream.choice(materials[1:])
                product["made_of"] = stream.shuffled([part, material])
        made: list[Thing] = [
            {"name": part, "sort": "", "number": 0, "made_of": [stream.choice(materials[1:])]}
            for part in parts
        ]
        mandate = {"thing": first["name"], "count": 1, "place": places[0]}
        jobs, limit = 3 if level == 1 else 2, stream.integer(1, 3)
        things = stream.shuffled([*products, *made])
        names, shown = sorted(thing["name"] for thing in things), sorted(places)
        goals = self.told(level, situation, stream, mandate, aims, jobs=jobs, limit=limit)
        return self.task(
            level,
            situation,
            goal=goals[0],
            observation=OBSERVATION,
            actions=(
                action(
                    "make",
                    "Make one thing of what it is made of. It dries until the next day. A job.",
                    {"thing": text("what", options=names)},
                ),
                action(
                    "deliver",
                    "Take a dry thing from the bench to a place. It stays there. A job.",
                    {"thing": text("what", options=names), "place": text("where", options=shown)},
                ),
                board_goal(names, [*shown, BENCH], 1, MOST),
                END_DAY,
            ),
            criterion=TABLE["criterion"][level],
            expected=mandate,
            setup={
                "goals": goals,
                "mandate": mandate,
                "aims": aims,
                "things": things,
                "store": BENCH,
                "jobs": jobs,
                "limit": limit,
                "start": {
                    "bench": [{"thing": part, "dry": True} for part in lying],
                    "materials": stock,
                    "delivered": [],
                },
            },
            needed=7 if level == 1 else 9,
            noisy=("looks", "made_of"),
        )
