"""The instrument against a scorer that shares no code with it: levels, flags and tier of random data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from assay.vocabulary import Measure
from tests.instruments.agency.made_outcomes import level

from .drawn_outcomes import drawn
from .instrument_reading import by_text, instrument_reading, late
from .second_scorer import CHOICES, Choices, Scores, second_reading, undisclosed


def learning_differences(found: Measure, second: Scores) -> Iterator[str]:
    """The text fixes no interval of a gain: its level must be the same, the instrument's own not higher, and flagged
    where it is lower or where the text's is Provisional. What was not tested is 0 by the text.
    """
    text, told = second.text["L"], {str(flag) for flag in found.flags if flag.kind == "Invalid"}
    flagged = any(flag.kind == "Provisional" for flag in found.flags)
    if (by_text(found) or 0) != (text or 0):
        yield f"{by_text(found)} by the text, {text}"
    if (found.value is None) != (text is None) or (found.value or 0) > (text or 0):
        yield f"{found.value} by interval, {text} by the text"
    if told != second.flags["L"] - {"Provisional"}:
        yield f"{told}, {second.flags['L']}"
    if not told and not flagged and (second.doubted or found.value != text):
        yield f"{found.value} is not Provisional, {text} {'is' if second.doubted else 'is not'}"


def compare(seeds: range) -> Counter[tuple[str, float | None]]:
    """How often each value was read. Every set must be read alike by both."""
    met: Counter[tuple[str, float | None]] = Counter()
    differences: list[str] = []
    for seed in seeds:
        rows, design = drawn(seed)
        second, result = second_reading(rows, design, late), instrument_reading(rows, design)
        tier = level(result, "tier")
        met["tier", by_text(tier)] += 1
        if by_text(tier) != second.text["tier"] or (tier.value or 0) > (second.text["tier"] or 0):
            differences.append(f"{seed}: tier {tier.value}, {by_text(tier)}, {second.text['tier']}")
        if undisclosed(rows, design):
            met["undisclosed", None] += 1
            if not re.search(r"(?<!=)Invalid \(Selective Disclosure\)", tier.notes[0]):
                differences.append(f"{seed}: undisclosed, {tier.notes[0]}")
            shown_all_the_same = [name for name in "SMDER" if level(result, name).value is not None]
            differences += [f"{seed}: {name} of a report that is Invalid" for name in shown_all_the_same]
            continue
        for name in sorted({row["dimension"] for row in rows} | {"R"}):
            found = level(result, name)
            if name == "L":
                differences += [f"{seed}: L {one}" for one in learning_differences(found, second)]
                met["L", second.text["L"]] += 1
                continue
            told = {str(flag) if flag.kind == "Invalid" else flag.kind for flag in found.flags}
            told -= {"Limited Comparability"}
            text = found.value if found.value is None or found.spec_value is None else found.spec_value
            one = (found.value, text, told)
            other = (second.vector[name], second.text[name], second.flags[name])
            if one != other:
                differences.append(f"{seed}: {name} {one}, {other}")
            met[name, found.value] += 1
            met["text differs", None] += text != found.value
    shown = "\n".join(differences[:20])
    assert not differences, f"{len(differences)} differ (instrument, second scorer):\n{shown}"
    return met


def test_a_second_scorer_reads_the_same_levels_flags_and_tier() -> None:
    met = compare(range(30))
    assert len(met) >= 30  # the data are not all alike
    assert met["undisclosed", None]
    assert met["text differs", None]


@pytest.mark.proof
def test_it_does_so_on_many_more_data() -> None:
    met = compare(range(30, 2000))
    for name in "SMDELR":
        assert {value for of, value in met if of == name} == {None, 0, 1, 2, 3, 4, 5}
    assert {value for of, value in met if of == "tier"} == {None, 1, 2}


@pytest.mark.proof
def test_every_open_point_of_the_text_makes_a_difference_to_some_data() -> None:
    """``choices`` lists no point that settles nothing."""
    idle = set(Choices._fields[: Choices._fields.index("unknown_goals_first")])
    for rows, design in map(drawn, range(600)):
        taken = second_reading(rows, design, late)
        others = {name: CHOICES._replace(**{name: not getattr(CHOICES, name)}) for name in idle}
        idle -= {
            name
            for name, other in others.items()
            if second_reading(rows, design._replace(choices=other), late) != taken
        }
    assert not idle
