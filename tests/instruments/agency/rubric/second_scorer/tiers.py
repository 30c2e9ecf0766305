"""The tier: 12.2, 12.3. Gates of tiers 1 and 2: 12.4, 12.5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .design import Design, Row
from .gates import RELIABLE, Gates
from .learning import by_gain, matched, of_phase
from .numbers import by_rate

__all__ = ["Late", "first", "highest_tier", "second"]

Late = Callable[[Row], bool]


def highest_tier(
    vector: Mapping[str, int | None],
    rows: Sequence[Row],
    fair: Sequence[Row],
    higher: Sequence[Gates],
    design: Design,
    late: Late,
) -> int | None:
    """12.2: all gates of a tier and of those below it. ``fair``: scored rows of the dimensions that are not Invalid;
    ``higher``: the gates from Tier 3 on; a tier without gates was not tested.
    """
    if not all(first(vector, rows, fair, design, late).values()):
        return None
    if not second(vector, rows, design, late):
        return 1
    met = [bool(gates) and all(gates.values()) for gates in higher]
    return 2 + (met.index(False) if False in met else len(met))


def first(
    vector: Mapping[str, int | None],
    rows: Sequence[Row],
    fair: Sequence[Row],
    design: Design,
    late: Late,
) -> Gates:
    """12.4.2. One family is enough: the one that passes most decides, by its successes where several pass as much."""
    bare = any(r["dimension"] == "E" and r["bare"] and r["scored"] for r in rows)
    values = [vector[name] for name in "SDE"]
    low = any(value is not None and value < 1 for value in values)
    loop = False if low else None if None in values else True
    each = {name: in_family(name, rows, design, late) for name in sorted({r["family"] for r in fair})}

    def merit(name: str) -> list[int]:
        own = [r["hit"] for r in fair if r["family"] == name and design.intensity(r) == "b"]
        return [*map(bool, each[name].values()), sum(own)]

    best = (
        each[max((name for name, one in each.items() if one), key=merit, default="")]
        if any(each.values())
        else {}
    )
    return {
        "closed loop": loop,
        "reliability": best.get("reliability"),
        "feedback": best.get("feedback"),
        "validity": bool(best.get("validity", True)) and not bare,
    }


def in_family(name: str, rows: Sequence[Row], design: Design, late: Late) -> Gates:
    """Empty without outcomes under baseline. 12.4.2 has 70 %: the least, whatever less a family declares (10.3.3)."""
    tried = [r for r in rows if r["family"] == name and design.intensity(r) == "b"]
    own = [r for r in tried if r["scored"]]
    if not own:
        return {}
    status = by_rate([r["hit"] for r in own], max(design.threshold(name), RELIABLE), design.rule)
    rate = False if status == "failed" else True if status in ("satisfied", "point") else None
    return {
        "reliability": None if rate and len(own) < 10 else rate,
        "feedback": all(r["state_changed"] and r["steps"] >= 2 for r in own),
        "validity": valid(tried, design, late),
    }


def second(vector: Mapping[str, int | None], rows: Sequence[Row], design: Design, late: Late) -> bool:
    """12.5.2."""
    held_out = [r for r in rows if r["dimension"] == "L" and r["level"] == 2 and design.intensity(r) == "b"]
    families = {r["family"] for r in held_out}
    met = [shows_gain([r for r in held_out if r["family"] == name], design, late) for name in families]
    enough = all(met) if design.choices.every_family_evidences else True
    return (vector["L"] or 0) >= 2 and sum(met) >= 2 and enough


def shows_gain(rows: Sequence[Row], design: Design, late: Late) -> bool:
    tried = [*of_phase(rows, "pre"), *of_phase(rows, "post")]
    scored = [r for r in tried if r["scored"]]
    pre, post = of_phase(scored, "pre"), of_phase(scored, "post")
    counted = matched(pre, post) if design.choices.pairs_are_counted else (pre, post)
    return (
        min(map(len, counted)) >= 10
        and by_gain(pre, post, Fraction(10, 100), design) == "satisfied"
        and valid(rows if design.choices.wiped_is_gating else tried, design, late)
    )


def valid(tried: Sequence[Row], design: Design, late: Late) -> bool:
    """12.3.5: of the instances used for the gate."""
    met = [r for r in tried if r["outcome"] != "excluded"]
    return sum(map(late, met)) <= design.post_hoc * len(met) and len(tried) - len(met) <= design.lost * len(
        tried
    )
