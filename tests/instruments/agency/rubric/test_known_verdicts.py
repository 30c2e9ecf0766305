"""Outcome files made by hand against the verdict of the text: by the instrument, and by the second scorer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import assay
from assay.errors import InputError
from assay.vocabulary import Measure, Result
from assay.worlds import family_named

from .instrument_reading import GOALS, gates_of
from .known_cases import EARLY, LATE, all_cases, declaration_of, design_of, rows_of
from .second_scorer import second_reading

CASES = list(all_cases())
NAMES = [f"{case['file']}: {case['case']}" for case in CASES]
TEXT_ONLY = (
    "refused",
    "said",
    "verdicts",
    "rates",
    "report",
    "notes",
    "tier_flag",
)  # of the instrument alone


class Found(NamedTuple):
    """What a scorer says by the text; ``ours``: by intervals of gains and drops. ``result`` is the instrument's."""

    values: Mapping[str, float | None]
    flags: Mapping[str, set[str]]
    tier: float | None = None
    ours: Mapping[str, float | None] = {}
    refusal: str = ""
    result: Result | None = None
    gates: Mapping[int, Mapping[str, bool | None]] = {}


def by_instrument(case: dict[str, Any], folder: Path) -> Found:
    declared, more = declaration_of(case), {}
    if declared is not None:
        path = folder / "declaration.yaml"
        path.write_text(yaml.safe_dump(declared), encoding="utf-8")
        more["declaration"] = str(path)
    try:
        result = assay.score("agency", rows_of(case), **more).result
    except InputError as error:
        return Found({}, {}, refusal=str(error))
    of = {m.name: m for m in result.measures if m.name in ("S", "M", "D", "E", "L", "R", *GOALS, "tier")}
    gates = {
        tier: {name: holds for (at, name), holds in gates_of(result).items() if at == tier} for tier in (3, 4)
    }
    return Found(
        {name: by_text(measure) for name, measure in of.items()},
        {name: set(flags_of(measure)) for name, measure in of.items()},
        by_text(of["tier"]),
        {name: measure.value for name, measure in of.items()},
        result=result,
        gates=gates,
    )


def by_text(measure: Measure) -> float | None:
    """The value that the text defines, where the instrument's own stands beside it."""
    return measure.value if measure.spec_value is None else measure.spec_value


def flags_of(measure: Measure) -> Iterator[str]:
    """Flags, but for the one that all rows have: nobody declared them first."""
    for flag in measure.flags:
        if flag.kind != "Limited Comparability":
            yield str(flag) if flag.kind == "Invalid" else flag.kind


def by_second_scorer(case: dict[str, Any]) -> Found:
    found = second_reading(rows_of(case), design_of(case), lambda row: bool(row["criterion_time"] == LATE))
    ours = {**found.vector, "tier": found.tier}
    return Found({**found.vector, **found.text}, found.flags, found.text["tier"], ours, gates=found.gates)


def differences(expected: Mapping[str, Any], found: Found) -> Iterator[str]:
    if ("refused" in expected) != bool(found.refusal):
        yield f"refused: {found.refusal or 'no'}"
        return
    for key, wanted in expected.items():
        match key:
            case "tier":
                if found.tier != wanted:
                    yield f"tier {found.tier}, not {wanted}"
            case "ours":
                yield from (
                    f"{name} = {found.ours[name]} by interval, not {one}"
                    for name, one in wanted.items()
                    if found.ours[name] != one
                )
            case "clean":
                yield from (f"{d} has {found.flags[d]}" for d in dimensions_of(wanted) if found.flags[d])
            case "gates":
                yield from (
                    f"Tier {tier}, {name}: {found.gates[tier].get(name, 'absent')}, not {holds}"
                    for tier, gates in wanted.items()
                    for name, holds in gates.items()
                    if found.gates[tier].get(name, "absent") is not holds
                )
            case "flags":
                yield from (
                    f"{d} has {found.flags[d]}, not {only}"
                    for d, only in wanted.items()
                    if found.flags[d] != set(only)
                )
            case "has":
                yield from (
                    f"{d} has {found.flags[d]}, not {flag}"
                    for several, flag in wanted.items()
                    for d in dimensions_of(several)
                    if flag not in found.flags[d]
                )
            case "at_most":
                yield from (
                    f"{d} = {found.values[d]}, above {most}"
                    for d, most in wanted.items()
                    if (found.values[d] or 0) > most
                )
            case _ if key in TEXT_ONLY:
                yield from told(key, wanted, found)
            case _:
                several = wanted if isinstance(wanted, list) else [wanted]
                yield from (
                    f"{d} = {found.values[d]}, not {wanted}"
                    for d in dimensions_of(key)
                    if found.values[d] not in several
                )


def dimensions_of(key: str) -> Iterator[str]:
    """ "SDE" are three, "G1" is one."""
    yield from re.findall("[A-Z][0-9]?", key)


def told(key: str, wanted: Any, found: Found) -> Iterator[str]:
    """What only the instrument says: notes, verdicts, measures, the refusal."""
    result = found.result
    if key == "refused":
        if not re.search(wanted, found.refusal):
            yield f"refused for another reason: {found.refusal}"
        return
    assert result is not None
    of = {m.name: m for m in result.measures}
    match key:
        case "verdicts":
            for name, holds in wanted.items():
                verdicts = [v.holds for v in result.verdicts if v.name == name]
                if not verdicts or any(one is not holds for one in verdicts):
                    yield f"verdict {name}: {verdicts}, not {holds}"
        case "rates":
            rates = [m for m in result.measures if m.name in ("rate", "level_rate")]
            if any(m.value is None and (m.low, m.high) != (None, None) for m in rates):
                yield f"an interval without a rate: {rates}"
        case "report":
            tuples = [note for note in of["tier"].notes if "[Flags:" in note]
            if not any(re.search(rf"(?<!=){re.escape(wanted)}", note) for note in tuples):
                yield f"the report is not flagged {wanted}: {tuples}"
        case "tier_flag":
            if wanted not in {flag.kind for flag in of["tier"].flags}:
                yield f"the tier is not {wanted}: {of['tier'].flags}"
        case "notes":
            for name, pattern in wanted.items():
                if not any(re.search(pattern, note) for note in of[name].notes[1:]):  # the first is the tuple
                    yield f"{name} does not say {pattern!r}: {of[name].notes[1:]}"
        case "said":
            texts = [*result.notes, *(str(flag) for m in result.measures for flag in m.flags)]
            texts += [note for m in result.measures for note in m.notes]
            texts += [v.because for v in result.verdicts if v.holds is not True]
            if not any(re.search(wanted, text) for text in texts):
                yield f"nothing says {wanted!r}"


def check(case: dict[str, Any], found: Found, keys: tuple[str, ...] = ()) -> None:
    """One of the readings must be met; ``keys`` are not looked at."""
    readings = case["open"] if "open" in case else [case["expect"]]
    tried = [list(differences({key: one[key] for key in one if key not in keys}, found)) for one in readings]
    assert not all(tried), f"{case['section']}: {case['reason']}\n{tried}"


def _some(cases: list[Any]) -> list[Any]:
    """A third of them in the ordinary run."""
    return [
        pytest.param(one, marks=pytest.mark.slow) if place % 3 else one for place, one in enumerate(cases)
    ]


@pytest.mark.parametrize("case", _some(CASES), ids=NAMES)
def test_the_instrument_gives_the_verdict_of_the_text(case: dict[str, Any], tmp_path: Path) -> None:
    check(case, by_instrument(case, tmp_path))


# It refuses no declaration and knows no raters.
SECOND = [
    (name, case)
    for name, case in zip(NAMES, CASES, strict=True)
    if not any("refused" in one for one in (case.get("expect", {}), *case.get("open", ())))
    and "rater" not in rows_of(case)[0]
]


@pytest.mark.parametrize("case", _some([case for _, case in SECOND]), ids=[name for name, _ in SECOND])
def test_the_second_scorer_gives_the_verdict_of_the_text(case: dict[str, Any]) -> None:
    check(case, by_second_scorer(case), TEXT_ONLY)


def test_the_cases_are_well_formed() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for case in CASES:
        assert ("expect" in case) != ("open" in case), case["case"]
        assert isinstance(case["section"], str), case["case"]
        assert case["reason"], case["case"]
        assert len(case.get("open", (1, 2))) >= 2, case["case"]
        assert all(row["criterion_time"] in (EARLY, LATE) for row in rows_of(case))


@pytest.mark.parametrize("name", ["accounts", "allocation", "courier", "dispatch", "stockroom", "thermostat"])
def test_a_family_whose_state_changes_is_not_static(name: str) -> None:
    """7.1: "Static/Text-Only: No state changes"."""
    assert family_named(name).environment != "static"
