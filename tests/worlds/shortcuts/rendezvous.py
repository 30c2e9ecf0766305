"""Shortcuts to `rendezvous`: a place that is right for some colleagues, whoever comes."""

from __future__ import annotations

from typing import Any

from assay.worlds import Act
from assay.worlds.families.social.partners import Modeller
from assay.worlds.families.social.rendezvous import Colleague

from .running_partners import Rule, by_rule

__all__ = ["SHORTCUTS"]


def _fixed(place: int) -> Rule:
    return lambda reader, case, log: Act("go", {"place": case["places"][place]})


def _where(reader: Modeller, case: dict[str, Any], log: list[dict[str, Any]]) -> list[str]:
    return [case["places"][reader.past(entry)[1]] for entry in log]


def _commonest(reader: Modeller, case: dict[str, Any], log: list[dict[str, Any]]) -> Act:
    seen = _where(reader, case, log)
    return Act("go", {"place": max(case["places"], key=seen.count)})


RULES: dict[str, Rule] = {
    **{f"place {place + 1} of the list": _fixed(place) for place in range(4)},
    "the commonest place": _commonest,
    "where the last one was": lambda reader, case, log: Act("go", {"place": _where(reader, case, log)[-1]}),
    "where this one was the last time": lambda reader, case, log: Act(
        "go", {"place": _where(reader, case, [e for e in log if e["who"] == case["who"]])[-1]}
    ),
    "where I was the last time": lambda reader, case, log: Act("go", {"place": log[-1]["place"]}),
}
SHORTCUTS = {5: by_rule(Colleague, RULES)}
