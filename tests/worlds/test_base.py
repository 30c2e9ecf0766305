"""The bases of families and worlds: a description from data, actions as methods, one entry judged."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from assay.worlds import Effect, FamilyBase, Refused, WorldBase, finish
from assay.worlds.base import entry_failures

TABLE: dict[str, Any] = {
    "family": {
        "name": "kettles",
        "version": "1",
        "title": "Boil water",
        "dimension": "D",
        "environment": "static",
        "verification": "the kettles",
        "levels": {1: "one kettle"},
        "chance": {1: 0.1},
        "held_out": ["ship"],
    },
    "situations": {"inn": {}, "ship": {}, "camp": {}},
}


class Kettle(WorldBase):
    on = False

    def do_switch(self, on: bool) -> None:
        if on == self.on:
            raise Refused("it is so already")
        self.on = on

    def do_pour(self) -> Effect:
        return Effect(done=True)


def kettle() -> Kettle:
    class Kettles(FamilyBase, table=TABLE):
        world = Kettle

    task = Kettles().task(
        1,
        "inn",
        goal="Boil.",
        observation={},
        actions=(),
        criterion="it boils",
        expected=True,
        setup={},
        needed=3,
    )
    assert task.most == 10
    opened = Kettles().open(task, drift=False)
    assert isinstance(opened, Kettle)
    return opened


def test_a_description_is_taken_from_the_table_and_situations_from_its_stories() -> None:
    class Kettles(FamilyBase, table=TABLE):
        pass

    assert (Kettles.name, Kettles.levels, Kettles.real) == ("kettles", {1: "one kettle"}, False)
    assert (Kettles.situations, Kettles.held_out) == (("inn", "camp"), ("ship",))


@pytest.mark.parametrize("part", ["titel", "chances"])
def test_a_misspelled_part_of_a_description_is_refused(part: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=part):

        class Kettles(FamilyBase, table={**TABLE, "family": {**TABLE["family"], part: "x"}}):
            pass


def test_an_action_is_the_method_of_its_name_and_a_refusal_is_its_error() -> None:
    world = kettle()
    assert world.act("switch", {"on": True}) == Effect()
    assert world.on
    assert world.act("switch", {"on": True}) == Effect(error="it is so already")
    assert world.act("pour", {}) == Effect(done=True)


@pytest.mark.parametrize(
    ("entries", "because"),
    [
        ([], ["nothing"]),
        ([{"a": 1, "b": 2}], []),
        ([{"a": 1, "b": 3}], ["the second is wrong"]),
        ([{"a": 0, "b": 3}], ["the first is wrong", "the second is wrong"]),
        ([{"a": 1, "b": 2}] * 2, ["several"]),
    ],
)
def test_a_register_should_hold_the_one_right_entry(
    entries: list[dict[str, Any]], because: list[str]
) -> None:
    fields = {"a": "the first", "b": "the second"}
    found = entry_failures(entries, {"a": 1, "b": 2}, fields, none="nothing", several="several")
    assert list(found) == because


def test_to_finish_is_to_say_whether_it_was_achieved() -> None:
    assert finish().arguments == {"achieved": True}
    assert finish(False).arguments == {"achieved": False}
