"""Functions in steps: what is said is what is meant, and a fault is another way of the same kind."""

from __future__ import annotations

from typing import Any

import pytest

from assay.streams import Stream
from assay.worlds.stepwise import MEANS, Module, ModuleStep, code_of, drawn_module, read_module
from assay.worlds.templates import table

THINGS = {"zones": "zone", "bags": "bag", "stops": "stop"}
PARTS = table("stepwise")


def test_a_function_is_read_back_from_its_words_whatever_its_code_does() -> None:
    for number in range(300):
        module = drawn_module("fare", THINGS, Stream("stepwise", number))
        faulty = module.with_ways({1: "plus", 0: "less"})
        found = read_module(faulty.source())
        assert [(s.kind, s.way, s.n) for s in found.steps] == [(s.kind, s.way, s.n) for s in module.steps]
        assert found.source() == module.source()
        assert code_of(faulty.source()) == [*faulty.code()]


@pytest.mark.parametrize(("kind", "way"), [(kind, way) for kind, ways in MEANS.items() for way in ways])
def test_the_code_does_what_the_reference_does(kind: str, way: str) -> None:
    module = Module(
        "f", "zones", "bags", "total", (ModuleStep("start", "times", 3, 0), ModuleStep(kind, way, 7, 11)), ()
    )
    scope: dict[str, Any] = {}
    exec(module.source(), scope)
    for case in ((0, 0), (6, 2), (7, 3), (8, 1), (20, 6)):
        assert scope["f"](*case) == module.value(case)


def test_every_way_is_said_in_six_ways() -> None:
    assert {kind: set(ways) for kind, ways in PARTS["words"].items()} == {k: set(w) for k, w in MEANS.items()}
    lists = [said for ways in PARTS["words"].values() for said in ways.values()]
    assert all(len(set(said)) >= 6 for said in (*lists, PARTS["bonus"], PARTS["names"]))
