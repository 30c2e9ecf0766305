"""The table of families: one line a level, and the same line every time."""

from __future__ import annotations

from assay.worlds import all_families
from tests.worlds.shortcuts.__main__ import HEAD, cases, row, shortcuts_of


def test_every_level_of_every_family_has_a_line() -> None:
    found = cases(60, 20)
    assert {(family, level) for family, level, _ in found} == {
        (name, level) for name, family in all_families().items() for level in family.levels
    }
    assert {count for family, _, count in found if all_families()[family].real} == {20}


def test_a_line_says_what_policies_reach_and_is_the_same_every_time() -> None:
    line = dict(zip(HEAD, row(("filing", 4, 10)), strict=True))
    assert tuple(line.values()) == row(("filing", 4, 10))
    assert (line["family"], line["regime"], line["n"]) == ("`filing`", "`Moderate-Standard`", "10")
    assert (line["solver"], line["declared"]) == ("1.00", "0.15")
    assert line["best shortcut"] in shortcuts_of("filing", 4)
    assert 0.05 < float(line["failed calls"]) < 0.25
