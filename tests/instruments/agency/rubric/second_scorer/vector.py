"""Levels, flags and tier: validity (11.2, 11.3, 11.7, 15.3), caps (6.3, 11.7.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .design import Design, Row
from .learning import learning
from .levels import assigned, level_test
from .robustness import robustness
from .tiers import Late, highest_tier

__all__ = ["Scores", "second_reading", "undisclosed"]


class Scores(NamedTuple):
    """``text``: what the text's own rules give, whatever rule was declared: the interval of 11.4.2 for a rate; where a
    drop is judged, its plain difference (10.9.2) and observed rates (11.6.2: "p̂ ≥ 0.70"). L
    and Tier 2 by plain gains (10.8.3, 12.5.2). ``doubted``: L is Provisional by the text, too.
    """

    vector: dict[str, int | None]
    flags: dict[str, set[str]]
    tier: int | None
    text: dict[str, int | None]
    doubted: bool


def invalid(name: str, rows: Sequence[Row], design: Design, late: Late) -> set[str]:
    """What makes a dimension Invalid, but for what makes the whole report so."""
    mine = [r for r in rows if r["dimension"] == name]
    met = [r for r in mine if r["outcome"] != "excluded"]
    frames = [design.frame(r) for r in mine]
    unknown = any(r["family"] not in design.families for r in mine)
    optional = {
        "includes": design.choices.includes_is_input,
        "human_assistance": design.choices.policy_is_input,
    }
    general = any(optional.get(field, True) for field in design.missing)
    found = {
        "Missing Inputs": mine and (general or unknown or any(f.missing for f in frames)),  # 11.2
        "Schema": any(f.incomplete for f in frames),  # 11.7.2
        "Post-Hoc Criteria": sum(map(late, met)) > design.post_hoc * len(met),  # 11.3.2
        "Verification Infrastructure": len(mine) - len(met) > design.lost * len(mine),  # 11.7.3
    }
    return {f"Invalid ({reason})" for reason, holds in found.items() if holds}


def second_reading(rows: Sequence[Row], design: Design, late: Late) -> Scores:
    for row in rows:
        row["scored"] = row["outcome"] != "excluded" and not late(row)
        row["bare"] = row["dimension"] == "E" and row["outcome"] == "success" and not row["artifact"]
        row["hit"] = row["outcome"] == "success" and not row["bare"]
    vector: dict[str, int | None] = {}
    text: dict[str, int | None] = {"L": None}
    flags: dict[str, set[str]] = {}
    sources, scored = [], [r for r in rows if r["scored"]]
    for name in "SMDE":
        own = [r for r in scored if r["dimension"] == name]
        vector[name], text[name], flags[name] = None, None, invalid(name, rows, design, late)
        if flags[name]:
            continue
        if any(r["dimension"] == name for r in rows):
            sources.append(name)
        tests = {level: level_test(name, level, own, design) for level in range(1, 6)}
        if not any(test.n for test in tests.values()):
            flags[name].add("Provisional")
            continue
        value, provisional = assigned(tests, design.choices)
        rules = {level: "point" if (name, level) == ("M", 4) else "strict" for level in tests}
        literal = {level: level_test(name, level, own, design._replace(rule=rules[level])) for level in tests}
        caps = [2] * any(r["bare"] for r in own) + [3] * (not design.tools)  # 11.7.1, 6.3
        most = min(caps) if name == "E" and caps else 5
        vector[name], text[name] = min(value, most), min(assigned(literal, design.choices)[0], most)
        flags[name] |= {"Provisional"} if provisional or value > most else set()
    fair = [r for r in scored if r["dimension"] in sources]
    vector["R"], text["R"], flags["R"] = None, None, set()
    if rows and not sources:
        flags["R"] = set.union(*(flags[n] for n in "SMDE")) - {"Provisional"}
    else:
        vector["R"], provisional = robustness(fair, design)
        if vector["R"] is not None:
            text["R"] = by_point = robustness(fair, design._replace(rule="point"))[0]
            if by_point is not None and by_point < vector["R"]:
                vector["R"], provisional = by_point, True
        flags["R"] |= {"Provisional"} if provisional else set()
    plain, doubted = design._replace(plain=True), False
    vector["L"], flags["L"] = None, invalid("L", rows, design, late)
    if not flags["L"]:
        own = [r for r in scored if r["dimension"] == "L"]
        vector["L"], provisional = learning(own, design)
        text["L"], doubted = learning(own, plain)
        flags["L"] |= {"Provisional"} if provisional else set()
    tier = highest_tier(vector, rows, fair, design, late)
    text["tier"] = highest_tier({**vector, "L": text["L"]}, rows, fair, plain, late)
    if undisclosed(rows, design):
        vector, tier, text = dict.fromkeys(vector), None, dict.fromkeys(text)
        flags = {name: {*flags[name] - {"Provisional"}, "Invalid (Selective Disclosure)"} for name in vector}
    return Scores(vector, flags, tier, text, doubted)


def undisclosed(rows: Sequence[Row], design: Design) -> bool:
    """11.8, 15.3: the report is flagged, not a dimension."""
    found, declared = {r["family"] for r in rows}, set(design.families) - set(design.left_out)
    return bool(found - set(design.families) or (design.choices.silent_is_undisclosed and declared - found))
