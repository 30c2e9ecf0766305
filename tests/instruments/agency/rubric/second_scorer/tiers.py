"""The tier: 12.2, 12.3. Gates of tiers 1 and 2: 12.4, 12.5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from .design import Design, Row
from .gates import RELIABLE, Gates
from .learning import by_gain, matched, of_phase
from .numbers import by_rate

__all__ = ["Late", "highest_tier"]

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
    if not first(vector, rows, fair, design, late):
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
) -> bool:
    """12.4.2: 70 %; taken as the least, whatever less a family declares with its reason (10.3.3). No drawn set turns on
    it, so it is no entry of ``choices``.
    """
    if not all((vector[name] or 0) >= 1 for name in "SDE") or any(
        r["dimension"] == "E" and r["bare"] and r["scored"] for r in rows
    ):
        return False
    for name in {r["family"] for r in fair}:
        tried = [r for r in rows if r["family"] == name and design.intensity(r) == "b"]
        own = [r for r in tried if r["scored"]]
        if (
            len(own) >= 10
            and by_rate([r["hit"] for r in own], max(design.threshold(name), RELIABLE), design.rule)
            in ("satisfied", "point")
            and all(r["state_changed"] and r["steps"] >= 2 for r in own)
            and valid(tried, design, late)
        ):
            return True
    return False


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
        and valid(tried, design, late)
    )


def valid(tried: Sequence[Row], design: Design, late: Late) -> bool:
    """12.3.5: of the instances used for the gate."""
    met = [r for r in tried if r["outcome"] != "excluded"]
    return sum(map(late, met)) <= design.post_hoc * len(met) and len(tried) - len(met) <= design.lost * len(
        tried
    )
