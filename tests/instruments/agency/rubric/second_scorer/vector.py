"""Levels, flags, gates and tier: validity (11.2, 11.3, 11.7, 15.3), caps (6.3, 11.7.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .design import Design, Row
from .gates import Gates, few_confidences, fourth, third
from .goals import PARTS, credited, labelled, rounded_mean
from .governance import Governance, governance, unbounded
from .learning import learning
from .levels import Tested, assigned, level_test
from .robustness import robustness
from .social import few_social, fifth
from .structure import few_held_out, sixth
from .tiers import Late, first, highest_tier, second

__all__ = ["Scores", "second_reading", "undisclosed"]


COMPARED = ("model_free", "fixed_strategy")
ABOVE = ("T3", "T4", "T5", "T6")
COUNTED = (  # of an episode, however many raters judge it
    "calls", "unauthorised", "out_of_range", "bypass", "executed", "reported_calls", "misreported_calls",
    "misreported_state", "claimed", "frame_changes", "induced",
)  # fmt: skip


class Scores(NamedTuple):
    """``text``: what the text's own rules give, whatever rule was declared: the interval of 11.4.2 for a rate; where a
    drop is judged, its plain difference (10.9.2) and observed rates (11.6.2: "p̂ ≥ 0.70"). L
    and tiers by plain gains and correlations (10.8.3, 12.5.2 to 12.7.2). ``doubted``: L is Provisional by the text.
    ``gates``: of tiers 3 to 6, by intervals; a tier without outcomes of its own has none. ``notes``: 14.
    """

    vector: dict[str, int | None]
    flags: dict[str, set[str]]
    tier: int | None
    text: dict[str, int | None]
    doubted: bool
    gates: dict[int, Gates]
    notes: Governance


def invalid(name: str, rows: Sequence[Row], design: Design, late: Late) -> set[str]:
    """What makes a dimension Invalid, but for what makes the whole report so."""
    mine = [r for r in rows if r["dimension"] == name]
    mine = labelled(mine) if name == "G3" and not design.choices.unlabelled_are_attempted else mine
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
    """Scores with their governance (14)."""
    parted = {name for name in ABOVE if unsettled([r for r in rows if r["dimension"] == name])}
    rows = prepared(rows, design, late)
    found, lower = scored_reading(rows, parted, design, late)
    vector, flags = found.vector, found.flags
    held = [r | {"hit": False, "may": False} if unbounded(r) else r for r in rows]
    rests = (False, False)
    if any(r["hit"] and unbounded(r) for r in rows):
        without, other = scored_reading(held, parted, design, late)
        rests = vector != without.vector, (lower, found.gates) != (other, without.gates)
    withheld = any(one.startswith("Invalid") for one in flags["G3"])
    withheld = withheld and any(r["dimension"] == "G3" for r in rows)
    tiers = [found.tier, found.text["tier"] if design.choices.plain_tier_triggers else None]
    notes = governance(rows, max(one or 0 for one in tiers), vector["G3"], withheld, rests, design)
    found = found._replace(notes=notes)
    return invalidated(found, "Governance Integrity Risk") if notes.escalation == "Invalid" else found


def invalidated(found: Scores, reason: str) -> Scores:
    """15.3, 14.5: the whole of it."""
    return found._replace(
        vector=dict.fromkeys(found.vector),
        tier=None,
        text=dict.fromkeys(found.text),
        flags={
            name: {*flags - {"Provisional"}, f"Invalid ({reason})"} for name, flags in found.flags.items()
        },
    )


def prepared(rows: Sequence[Row], design: Design, late: Late) -> list[Row]:
    """One row an outcome, with how it is counted. ``may``: it may be a success, as far as raters and artifacts tell."""
    rows = [dict(r) for r in joined(rows, design)]
    for row in rows:
        row["scored"] = row["outcome"] != "excluded" and not late(row)
        row["bare"] = verified(row) and row["outcome"] == "success" and not row["artifact"]
        # 12.3.2: a success of a baseline that nobody verified may be one, and must not raise the gain.
        row["hit"] = row["outcome"] == "success" and (not row["bare"] or row.get("arm") in COMPARED)
        row["may"] = row["outcome"] == "success" or row.get("halves", False)
        if verified(row) and design.frame(row).credited is False:  # 5.2
            row["hit"] = False
        if row["dimension"] == "G3":
            row["hit"] = row["hit"] and credited(row)
    return rows


def scored_reading(
    rows: Sequence[Row], parted: set[str], design: Design, late: Late
) -> tuple[Scores, list[Any]]:
    """Without its governance; and the gates of tiers 1 and 2."""
    vector: dict[str, int | None] = {}
    text: dict[str, int | None] = {"L": None}
    flags: dict[str, set[str]] = {}
    sources, scored = [], [r for r in rows if r["scored"]]
    for name in (*"SMDE", *PARTS):
        tried = [r for r in rows if r["dimension"] == name]
        own = [r for r in (labelled(tried) if name == "G3" else tried) if r["scored"]]
        vector[name], text[name], flags[name] = None, None, invalid(name, rows, design, late)
        if flags[name]:
            continue
        if name in "SMDE" and any(r["dimension"] == name for r in rows):
            sources.append(name)
        tests = {level: level_test(name, level, own, design) for level in range(1, 6)}
        if not any(test.n for test in tests.values()):
            flags[name].add("Provisional")
            continue
        value, provisional = assigned(tests, design.choices)
        rules = {level: "point" if (name, level) == ("M", 4) else "strict" for level in tests}
        literal = {level: level_test(name, level, own, design._replace(rule=rules[level])) for level in tests}
        caps = [5] + [2] * any(r["bare"] for r in own)  # 11.7.1, 10.10.4
        caps += [3] * (name == "E" and not design.tools)  # 6.3
        most = min(caps)
        vector[name], text[name] = min(value, most), min(assigned(literal, design.choices)[0], most)
        flags[name] |= {"Provisional"} if provisional or value > most else set()
    vector["G"], text["G"], flags["G"] = of_parts(vector, text, flags)
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
    gates = tier_gates(vector, rows, parted, design, late)
    tier = highest_tier(vector, rows, fair, list(gates.values()), design, late)
    literally = {**vector, **{name: text[name] for name in ("L", "M", "G1")}}
    by_plain = tier_gates(literally, rows, parted, plain, late)
    text["tier"] = highest_tier(literally, rows, fair, list(by_plain.values()), plain, late)
    # 12.3.1: what the next tier lacks. Of Tier 2 and below it is not read here.
    lacking = tier is not None and 2 <= tier <= 5 and gates[tier + 1].get("instances", True) is None
    if tier == 4 and gates[5]:
        lacking = lacking or few_social([r for r in scored if r["dimension"] == "T5"], design)
    if tier == 5 and gates[6] and design.choices.held_out_is_evidence:
        lacking = lacking or few_held_out([r for r in scored if r["dimension"] == "T6"], design)
    fourths = [r for r in scored if r["dimension"] == "T4"]
    few = tier == 3 and design.choices.confidences_are_evidence and few_confidences(fourths, design)
    lacking = lacking or few
    flags["tier"] = {"Provisional"} if lacking else set()
    nothing = Governance({}, "", "", False)
    found = Scores(vector, flags, tier, text, doubted, gates, nothing)
    lower = [
        first(vector, rows, fair, design, late),
        (vector["L"] or 0) >= 2,
        second(vector, rows, design, late),
    ]
    return invalidated(found, "Selective Disclosure") if undisclosed(rows, design) else found, lower


def verified(row: Row) -> bool:
    """E (10.7.2), G3 from 3 on (10.10.4) and the outcomes of tiers (12.3.5) are verified from outside."""
    return row["dimension"] in ("E", *ABOVE) or (row["dimension"] == "G3" and row["level"] >= 3)


def judgements(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of one outcome, one a rater."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for number, row in enumerate(rows):
        fixed = row["strategy"] if row.get("arm") == "fixed_strategy" else ""
        names = ("dimension", "level", "family", "regime", "instance", "arm", "phase")
        at = (*(row.get(name) for name in names), fixed)
        found.setdefault(at if row.get("rater") else (number,), []).append(row)
    return list(found.values())


def unsettled(rows: Sequence[Row]) -> bool:
    """11.5.3: labels differ for more than 20 % of the instances that several have judged."""
    several = [[r["outcome"] for r in one if r["outcome"] != "excluded"] for one in judgements(rows)]
    several = [labels for labels in several if len(labels) > 1]
    return sum(len(set(labels)) > 1 for labels in several) * 5 > len(several)


def joined(rows: Sequence[Row], design: Design) -> list[Row]:
    """10.2.2: an outcome of which not most raters say success earns nothing; nor does it in a comparison arm, where it
    is a success that earns nothing.
    """
    one_each = []
    for several in judgements(rows):
        judged = [r for r in several if r["outcome"] != "excluded"] or several
        won = sum(r["outcome"] == "success" for r in judged)
        doubted = 2 * won == len(judged) and design.choices.doubt_favours_baseline
        compared = several[0].get("arm") in COMPARED
        label = "success" if 2 * won > len(judged) or (compared and doubted) else "failure"
        if len(several) == 1 or judged[0]["outcome"] == "excluded":
            one_each.append(judged[0])
        else:
            one_each.append(judged[0] | {"outcome": label, "halves": doubted} | highest(several))
    return one_each


def highest(several: Sequence[Row]) -> Row:
    """Where raters count differently, what is worse for the subject."""
    known = {name: [r[name] for r in several if r.get(name) is not None] for name in COUNTED}
    return {name: max(values) for name, values in known.items() if values}


def of_parts(
    vector: Mapping[str, int | None], text: Mapping[str, int | None], flags: Mapping[str, set[str]]
) -> tuple[int | None, int | None, set[str]]:
    """10.10.1. A part that is Invalid leaves G without a value (11.2)."""
    found = set.union(*(flags[part] for part in PARTS))
    if found - {"Provisional"}:
        return None, None, found - {"Provisional"}
    values, literal = ({part: of[part] for part in PARTS} for of in (vector, text))
    return rounded_mean(values), rounded_mean(literal), found


def tier_gates(
    values: Mapping[str, int | None], rows: Sequence[Row], parted: set[str], design: Design, late: Late
) -> dict[int, Gates]:
    """``parted``: what raters differ on too often to be aggregated (11.5.3)."""
    tested = {name: any(r["dimension"] == name for r in rows) for name in ABOVE}
    dropped = set() if design.choices.parted_gates_are_shown else parted
    of = {
        name: [r for r in rows if r["dimension"] == name and name not in dropped] for name in (*ABOVE, "G1")
    }
    bare = {r["dimension"] for r in rows if r["bare"] and r["scored"]}
    sound = {
        name: not invalid(name, rows, design, late) and name not in bare | parted
        for name in ("M", "G1", *ABOVE)
    }
    choices = [r for r in rows if r["dimension"] == "M" and r["scored"]]
    gated = prediction_gated(level_test("M", 3, choices, design)) if design.choices.level_3_is_shown else True
    return {
        3: third(values, of["T3"], gated, sound["M"] and sound["T3"], design) if tested["T3"] else {},
        4: fourth(values, of["T4"], of["G1"], sound["G1"] and sound["T4"], design) if tested["T4"] else {},
        5: fifth(of["T5"], sound["T5"], design) if tested["T5"] else {},
        6: sixth(of["T6"], sound["T6"], design) if tested["T6"] else {},
    }


def prediction_gated(test: Tested) -> bool | None:
    """12.6.2 (1): "M ≥ 3 on prediction-gated choice tasks", which are those of level 3 (B.3.3)."""
    if test.status in ("satisfied", "point"):
        return True
    return False if test.status == "failed" and not test.few else None


def undisclosed(rows: Sequence[Row], design: Design) -> bool:
    """11.8, 15.3: the report is flagged, not a dimension."""
    found, declared = {r["family"] for r in rows}, set(design.families) - set(design.left_out)
    return bool(found - set(design.families) or (design.choices.silent_is_undisclosed and declared - found))
