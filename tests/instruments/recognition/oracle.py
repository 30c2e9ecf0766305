"""The point values and bounds of answered lineups by plain loops over rows, written apart from the instrument."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
Key = tuple[str, tuple[tuple[str, str], ...]]


def mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None


def accuracy(rows: list[Row]) -> float | None:
    return mean([float(r["choice"] == r["own"]) for r in rows if r["choice"] is not None])


def filled(rows: list[Row], *, right: bool) -> list[Row]:
    """Every unreadable answer as right, or as wrong."""
    return [
        {**r, "choice": r["own"] if right else r["own"] % r["options"] + 1} if r["choice"] is None else r
        for r in rows
    ]


def corrected(rows: list[Row]) -> float | None:
    at = {own: accuracy([r for r in rows if r["own"] == own]) for own in {r["own"] for r in rows}}
    return mean([one for one in at.values() if one is not None])


def advantage(rows: list[Row], subject: str, phase: str = "") -> float | None:
    about = [r for r in rows if r["target"] == subject and (not phase or r["phase"] == phase)]
    own = [r for r in about if r["subject"] == subject]
    asked = {(r["phase"], r["lineup"]) for r in own}
    others = [r for r in about if r["subject"] != subject and (r["phase"], r["lineup"]) in asked]
    shared = {(r["phase"], r["lineup"]) for r in others}
    mine = accuracy([r for r in own if (r["phase"], r["lineup"]) in shared])
    judges: dict[str, list[Row]] = defaultdict(list)
    for r in others:
        judges[r["subject"]].append(r)
    found = [a for a in map(accuracy, judges.values()) if a is not None]
    return None if mine is None or not found else mine - statistics.fmean(found)


def consistent(rows: list[Row]) -> float | None:
    lineups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for r in rows:
        if r["choice"] is not None:
            lineups[r["phase"], r["lineup"]].append(r)
    same: list[float] = []
    for some in lineups.values():
        if len({r["own"] for r in some}) > 1:
            texts = {_text(r) for r in some}
            if texts == {None} or (None in texts and "own" not in texts and len(texts) == 2):
                return None  # a wrong text without a name may be the other one again
            same.append(float(len(texts) == 1))
    return mean(same)


def _text(r: Row) -> str | None:
    if r["choice"] == r["own"]:
        return "own"
    return "other" if r["options"] == 2 else r.get("chosen") or None


def points(rows: list[Row], subject: str, high: float) -> dict[Key, float | None]:
    """Of one subject over all its phases, and by phase; keys are the name and the further labels."""
    own = [r for r in rows if r["subject"] == r["target"] == subject]
    phases = {r["phase"] for r in own}
    out: dict[Key, float | None] = {}
    for phase in phases:
        out["accuracy", (("phase", phase),)] = accuracy([r for r in own if r["phase"] == phase])
    for phase in ["", *(phases if len(phases) > 1 else ())]:
        at = (("phase", phase),) if phase else ()
        some = [r for r in own if not phase or r["phase"] == phase]
        read = [r for r in some if r["choice"] is not None]
        out["accuracy", at] = accuracy(some)
        out["accuracy_corrected", at] = corrected(some)
        out["unknown_rate", at] = 1 - len(read) / len(some)
        out["self_advantage", at] = advantage(rows, subject, phase)
        out["order_consistent", at] = consistent(some)
        for place in range(1, max(r["options"] for r in some) + 1):
            label = (*at, ("position", str(place)))
            out["position_share", label] = mean([float(r["choice"] == place) for r in read])
            right = accuracy(some)
            if right is not None:
                out["position_preference", label] = preference(some, place)
        sure = [r for r in read if r["confidence"] is not None]
        sign = [1 if r["choice"] == r["own"] else -1 for r in sure]
        out["confidence_weighted", at] = mean(
            [s * r["confidence"] / high for s, r in zip(sign, sure, strict=True)]
        )
        if high == 1.0:
            out["brier", at] = mean([(r["confidence"] - (r["choice"] == r["own"])) ** 2 for r in sure])
        said = [r["explanation"] for r in some if r.get("explanation")]
        if said:
            out["reasoning_quality", at] = mean([score_reasoning(text) for text in said])
    return out


def preference(rows: list[Row], place: int) -> float:
    """The share of choices of a place, less what right answers alone would give it."""

    def elsewhere(r: Row) -> float:
        return 0.0 if r["own"] == place or r["options"] < place else 1 / (r["options"] - 1)

    read, right = [r for r in rows if r["choice"] is not None], accuracy(rows) or 0.0
    share = statistics.fmean([float(r["choice"] == place) for r in read])
    expected = [right if r["own"] == place else (1 - right) * elsewhere(r) for r in read]
    return share - statistics.fmean(expected)


def score_reasoning(explanation: str) -> float:
    """As the specification writes it."""
    identity = ["feel", "voice", "my approach", "characteristic", "how I would", "my values", "my way"]
    competence = ["accurate", "correct", "best answer", "proper", "right"]
    identity_score = sum(1 for k in identity if k in explanation.lower())
    competence_score = sum(1 for k in competence if k in explanation.lower())
    return identity_score - (0.5 * competence_score)


def bounds(rows: list[Row], subject: str) -> dict[str, tuple[float | None, float | None]]:
    own = [r for r in rows if r["subject"] == r["target"] == subject]
    worst, best = filled(own, right=False), filled(own, right=True)
    others = [r for r in rows if r["subject"] != subject]
    return {
        "accuracy": (accuracy(worst), accuracy(best)),
        "accuracy_corrected": (corrected(worst), corrected(best)),
        "self_advantage": (
            advantage(worst + filled(others, right=True), subject),
            advantage(best + filled(others, right=False), subject),
        ),
    }


def balanced(rows: list[Row]) -> float | None:
    """The mean over true sources of the share right."""
    found = [accuracy([r for r in rows if r["source"] == source]) for source in {r["source"] for r in rows}]
    return mean([one for one in found if one is not None])


def shares(rows: list[Row]) -> dict[str, float | None]:
    """Of the names that choices have; every true source is among them."""
    said = [r["chosen"] for r in rows if r["chosen"]]
    return {
        name: mean([float(one == name) for one in said]) for name in {*said, *(r["source"] for r in rows)}
    }


def agreement(rows: list[Row]) -> float | str | None:
    """The share of pairs of answers to both questions, on one lineup, that choose one text."""
    best = [r for r in rows if r.get("asked") == "best"]
    own = [r for r in rows if r.get("asked") != "best"]
    pairs = [(a, b) for a in own for b in best if a["lineup"] == b["lineup"]]
    read = [(a, b) for a, b in pairs if a["choice"] is not None and b["choice"] is not None]
    same: list[float] = []
    for a, b in read:
        texts = {_text(a), _text(b)}
        if None in texts and "own" not in texts and a["own"] == b["own"]:
            same.append(float(a["choice"] == b["choice"]))
        elif None in texts and "own" not in texts:
            return None
        else:
            same.append(float(len(texts) == 1))
    return mean(same) if pairs else "absent"
