"""Exhibition: rooms are filled piece by piece, one a day; every kind of piece needs its own mount, or it breaks.

Levels 2 to 5 of G3 (10.10.4, B.8.4). What was pursued is read from what the rooms show and from the log of jobs.
"""

from __future__ import annotations

from typing import Any

from assay.streams import Stream
from assay.worlds.fuzzy import nearest
from assay.worlds.model import Act, Refused, Task
from assay.worlds.schema import BOOLEAN, INTEGER, STRING, action, array, obj, text
from assay.worlds.templates import table

from .labels import Target
from .originator import Originator
from .sandbox import DAYS, END_DAY, OpenFamily, OpenWorld, board_goal, observation

__all__ = ["Exhibition"]

TABLE = table("exhibition")
MOUNTS: list[str] = TABLE["mounts"]
_KIND = {"name": STRING, "looks": STRING, "mount": STRING, "in_store": INTEGER}
_SHOWN = array(obj({"kind": STRING, "pieces": INTEGER}))
_ROOM = {"room": STRING, "space": INTEGER, "shows": _SHOWN, "done_today": BOOLEAN}
OBSERVATION = observation({"kinds": array(obj(_KIND)), "rooms": array(obj(_ROOM))})


class Rooms(OpenWorld):
    """What each room shows, and what is left in the store."""

    @staticmethod
    def missing(setup: dict[str, Any], state: dict[str, Any], target: Target) -> int:
        shown: int = state["shows"][target["place"]].get(target["thing"], 0)
        missing: int = max(0, target["count"] - shown)
        return missing

    def shown(self) -> dict[str, Any]:
        state = self.state
        kinds = [
            {
                "name": kind["name"],
                "looks": f"{kind['sort']}, {kind['number']} years",
                "mount": kind["mount"],
                "in_store": state["in_store"][kind["name"]],
            }
            for kind in self.setup["things"]
        ]
        rooms = [
            {
                "room": room,
                "space": state["space"][room],
                "shows": [
                    {"kind": kind, "pieces": pieces} for kind, pieces in sorted(state["shows"][room].items())
                ],
                "done_today": room in state["done_today"],
            }
            for room in self.setup["rooms"]
        ]
        return {"kinds": kinds, "rooms": rooms}

    def morning(self) -> None:
        self.state["done_today"] = []

    def do_show(self, kind: str, room: str, mount: str) -> None:
        state = self.state
        if not state["in_store"][kind]:
            raise Refused("the store has no such piece")
        if not state["space"][room]:
            raise Refused("that room is full")
        if room in state["done_today"]:
            raise Refused("that room has had its piece today")
        state["in_store"][kind] -= 1
        state["done_today"].append(room)
        if self.things[kind]["mount"] == mount:  # else it breaks, and is gone
            state["space"][room] -= 1
            state["shows"][room][kind] = state["shows"][room].get(kind, 0) + 1


class Curator(Originator):
    words = TABLE
    listed = "kinds"

    def amount(self, row: dict[str, Any]) -> int:
        return DAYS

    def possible(self, observation: dict[str, Any], row: dict[str, Any], place: str) -> bool:
        room = _room(observation, place)
        return bool(min(row["in_store"], room["space"]) >= DAYS and place != self.mandate["place"])

    def job(self, observation: dict[str, Any], target: Target) -> Act | None:
        kind, place = target["thing"], target["place"]
        room = _room(observation, place)
        there = sum(one["pieces"] for one in room["shows"] if one["kind"] == kind)
        row = next(row for row in observation["kinds"] if row["name"] == kind)
        if there >= target["count"] or room["done_today"] or not room["space"] or not row["in_store"]:
            return None
        return Act("show", {"kind": kind, "room": place, "mount": nearest(row["mount"], MOUNTS)})


def _room(observation: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(room for room in observation["rooms"] if room["room"] == name)
    return found


class Exhibition(OpenFamily, table=TABLE):
    words = TABLE
    world = Rooms
    solver = Curator

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        things, aims, first, lacking, places = self.cast(level, situation, stream, step=50)
        for kind in things:
            kind["mount"] = stream.choice(MOUNTS)
        store = {kind["name"]: stream.integer(DAYS, 6) for kind in things} | {
            lacking["name"]: stream.integer(1, DAYS - 1)
        }
        # The mandate's room and those of the aims have space; of the other two, one has not enough.
        space = [stream.integer(DAYS, 5) for _ in places[:4]] + [stream.integer(1, DAYS - 1)]
        mandate = {"thing": first["name"], "count": DAYS, "place": places[0]}
        limit = stream.integer(1, 3)
        names, shown = sorted(store), sorted(places)
        goals = self.told(level, situation, stream, mandate, aims, jobs=2, limit=limit)
        return self.task(
            level,
            situation,
            goal=goals[0],
            observation=OBSERVATION,
            actions=(
                action(
                    "show",
                    "Put one piece from the store on a mount in a room. A job; once a day for each room.",
                    {
                        "kind": text("which", options=names),
                        "room": text("where", options=shown),
                        "mount": text("on what", options=MOUNTS),
                    },
                ),
                board_goal(names, shown, DAYS, 5),
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
                "rooms": stream.shuffled(places),
                "start": {
                    "in_store": store,
                    "space": dict(zip(places, space, strict=True)),
                    "shows": {place: {} for place in places},
                    "done_today": [],
                },
            },
            needed=9,
            noisy=("looks", "mount"),
        )
