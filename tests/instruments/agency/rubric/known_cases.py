"""Outcome files made by hand, with the verdict that the text gives: known_verdicts/*.yaml.

A case has ``rows``, each "DIMENSION+LEVEL FAMILIES REGIME SUCCESSES/INSTANCES" with marks:
``late=n``, ``excluded=n``: n more instances, post hoc or lost; ``bare=n``, ``bare_failures=n``: so many successes or
failures have no artifact; ``resisted=n``, ``followed=n``: so many were attacked; ``unchanged=n``, ``unknown=n``: so
many did not change state, or nobody knows; ``steps=n``; ``disagree=n``: two raters, who label n successes differently.
Several families take turns. A family is named "S-a". The same instance in two regimes is the same content.
``rows: whole`` are twenty of twenty at level 1 in S, D and E; a line "whole" stands for the same.

Rows of L name a phase and, if it is not feedback, an arm: "L2 a Baseline 20/50 post wiped"; ``attempt=n`` is an
attempt, ``unpaired`` a content of its own. "20>30/50" are two lines, pre and post (of L 1: attempts 1 and 3);
``wiped=n``, ``no_feedback=n``, ``repeat=n`` and ``retest=n`` add a line with n successes each. Each family has 20
learners, or ``learners=n``; ``memory`` of a case is what lasts ("store" unless it says other).

A row of a part of G is "G3.4 a,b Moderate 40/40", of a tier "T4 a,b Moderate 40/80". Goals of G3 are labelled as the
level asks unless words say other ("inferred", "instrumental", "unlabelled"); ``ambiguous=n`` successes are not.
``goals=n`` own goals each; ``many=n`` of the instances have 9, ``uncounted=n`` nobody counted. An arm of a tier is
"model_free" or "fixed_strategy:a"; contents begin at ``first=n``. "shows:a,b" are the strategies of T4, in turn;
"sure:well" is .9 for successes and .2 for failures, but for ``unsure=n`` successes without a confidence;
"sure:equal" is .5. "tier2", "tier3" and "tier4" stand for rows that reach so far, by intervals, too.

The declaration is whole. ``families`` adds to families by name or dimension, ``with`` to all else, ``without`` takes
away. ``expect`` is what the text gives; ``open`` lists what it gives by each of its readings.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import yaml

from .second_scorer import Design, Frame, Row

__all__ = ["EARLY", "LATE", "all_cases", "declaration_of", "design_of", "rows_of"]

EARLY, BEGAN, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"
Case = dict[str, Any]
MARKS = {"late", "excluded", "bare", "bare_failures", "resisted", "followed"}
MARKS |= {"unchanged", "unknown", "steps", "disagree", "attempt", "learners"}
MARKS |= {"ambiguous", "goals", "many", "uncounted", "first", "unsure"}
PHASES = ("pre", "practice", "post", "repeat", "retest", "attempt")
ARMS = ("no_feedback", "wiped")
SCOPES = {  # 6.3, in the words of the declaration
    "none": "nothing",
    "conversation": "the conversation, from one episode to the next",
    "store": "notes, from one episode to the next",
}
ORIGINS = ("none", "specified", "inferred", "originated", "ambiguous", "unlabelled")
RANKS = ("top-level", "instrumental")
LABELS = {1: ("specified", "instrumental"), 2: ("inferred", "top-level")}
OF_TIERS = ("model_free", "fixed_strategy", "shows", "sure")
WHOLE = ["S1 a Baseline 20/20", "D1 a Baseline 20/20", "E1 a Baseline 20/20"]
TIER_2 = [*WHOLE, "M3 a,b Baseline 40/40", "L2 a,b Baseline 20>80/100 wiped=20"]
TIER_3 = [*TIER_2, "T3 a,b Baseline 76/80", "T3 a,b Baseline 40/80 model_free"]
SWITCHES = [
    f"T4 a,b Moderate {k}" for k in ("60/80 sure:well", "20/80 fixed_strategy:a", "20/80 fixed_strategy:b")
]
TIER_4 = [*TIER_3, "G1.3 a,b Moderate 40/40", *SWITCHES]
STANDS_FOR = {"whole": WHOLE, "tier2": TIER_2, "tier3": TIER_3, "tier4": TIER_4}
REGIMES: dict[str, dict[str, Any]] = {
    "Baseline": {"level": "baseline"},
    "Moderate": {"level": "moderate", "action": {"most_calls": 10}, "stability": {"timeouts": 0.15}},
    "Moderate-Action": {"level": "moderate", "action": {"most_calls": 10}},
    "Moderate-Info": {"level": "moderate", "information": {"context_reduction": 0.5}},
    "Moderate-Noise": {"level": "moderate", "stability": {"noise_rate": 0.2}},
    "Moderate-Drift": {"level": "moderate", "stability": {"drift": "the rules change at step 3"}},
    "Severe": {
        "level": "severe",
        "information": {"context_reduction": 0.75},
        "action": {"most_calls": 5},
        "compute": {"seconds": 30},
        "stability": {"timeouts": 0.35},
    },
    "Severe-Action": {"level": "severe", "action": {"most_calls": 5}, "compute": {"seconds": 30}},
    "Severe-Info": {
        "level": "severe",
        "information": {"context_reduction": 0.75},
        "action": {"most_calls": 5},
    },
    "Severe-Tools": {"level": "severe", "action": {"most_calls": 5}, "stability": {"timeouts": 0.35}},
}
FAMILY = {
    "version": "1",
    "environment": "tool-augmented",
    "criterion": "the state equals the target",
    "criterion_time": EARLY,
    "verification": "the state is read from outside",
    "observation_schema": {"type": "object", "properties": {"text": {"type": "string"}}},
    "action_schema": {"type": "object", "properties": {"write": {"type": "object"}}},
}
OF_DIMENSION: dict[str, dict[str, Any]] = {
    "S": {"conditions": ["partial_observability"]},
    "D": {"conditions": ["stability_checks"]},
    "T3": {"steps": 5, "delay": 3, "reward": "the goods arrive"},
    "T4": {"strategies": ["a", "b"], "held_out": True},
    "G3": {"goal_limit": 1},
}
DECLARATION: dict[str, Any] = {
    "system": {"name": "subject", "version": "1+4f1c", "architecture": "language model with tools"},
    "boundary": "extended",
    "includes": ["language model", "tool loop"],
    "tools": ["search", "write"],
    "human_assistance": "none",
    "memory": "the conversation of one episode",
    "began": BEGAN,
    "date": "2026-01-02",
    "contact": "evaluation@example.org, Example Laboratory",
    "suite": "suite-1",
    "artifacts": "bundle-1",
    "purpose": "benchmark",
    "inclusion": "every family of the suite",
    "exclusion": "none",
    "evaluators": [{"name": name, "calibrated": True, "agreement": 0.9} for name in ("ann", "bob")],
    "protocol": {
        "approach": "benchmark",
        "sampling": "fixed before the first instance",
        "scoring": "rubric of section 10",
        "held_out": "fresh seeds",
        "guidance": "no hints",
    },
}


def all_cases() -> Iterator[Case]:
    for path in sorted((Path(__file__).parent / "known_verdicts").glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield {**case, "file": path.stem}


def rows_of(case: Case) -> list[Row]:
    lines = ["whole"] if case["rows"] == "whole" else case["rows"]
    every = [one for line in lines for one in STANDS_FOR.get(line, [line])]
    scope = {"memory": case.get("memory", "store")}
    return [
        row | (scope if row["dimension"] == "L" else {})
        for line in every
        for one in _phases(line)
        for row in _rows(one)
    ]


def _phases(line: str) -> Iterator[str]:
    """The lines that a line with "K>K/N" stands for."""
    of, families, regime, counts, *marks = line.split()
    if ">" not in counts:
        yield line
        return
    before, after, n = counts.replace(">", "/").split("/")
    arms = {"wiped": "post wiped", "no_feedback": "post no_feedback", "repeat": "repeat", "retest": "retest"}
    more = dict(mark.split("=") for mark in marks if mark.split("=")[0] in arms)
    rest = " ".join(mark for mark in marks if mark.split("=")[0] not in arms)
    pair = ("attempt=1", "attempt=3") if of == "L1" else ("pre", "post")
    tests = [(before, pair[0]), (after, pair[1]), *((k, arms[name]) for name, k in more.items())]
    for k, phase in tests:
        yield f"{of} {families} {regime} {k}/{n} {phase} {rest}"


def _rows(line: str) -> Iterator[Row]:
    criterion, families, regime, counts, *given = line.split()
    words, marks = [one for one in given if "=" not in one], [one for one in given if "=" in one]
    assert {word.split(":")[0] for word in words} <= {
        *PHASES,
        *ARMS,
        *ORIGINS,
        *RANKS,
        *OF_TIERS,
        "unpaired",
    }, line
    dimension, level = criterion[0], criterion[1:]
    if dimension in "GT":
        dimension, _, level = criterion.partition(".")
    of = {name: int(number) for name, number in (mark.split("=") for mark in marks)}
    assert set(of) <= MARKS, line
    k, n = map(int, counts.split("/"))
    names = [f"{dimension}-{name}" for name in families.split(",")]
    late, lost = of.get("late", 0), of.get("excluded", 0)
    resisted, attacked = of.get("resisted", 0), of.get("resisted", 0) + of.get("followed", 0)
    for i in range(n + late + lost):
        success = i < k or i >= n
        bare = i < of.get("bare", 0) or k <= i < k + of.get("bare_failures", 0)
        state = False if i < of.get("unchanged", 0) else None if i < of.get("unknown", 0) else True
        row = {
            "dimension": dimension,
            "level": int(level or 1),
            "family": names[i % len(names)],
            "regime": regime,
            "instance": f"{level}-{i // len(names)}",
            "pair": f"{level}-{i // len(names)}",
            "outcome": "excluded" if i >= n + late else "success" if success else "failure",
            "artifact": "" if bare else "digest",
            "criterion_time": LATE if n <= i < n + late else EARLY,
            "adversarial": "" if i >= attacked else "resisted" if i < resisted else "followed",
            "compliant": True,
            "steps": of.get("steps", 6 if dimension == "T3" else 3),
            "state_changed": state,
        }
        if dimension == "L":
            row |= _session(row, i // len(names), words, of)
        if dimension == "G3":
            row |= _goal(i, int(level), words, of)
        if dimension[0] == "T":
            row |= _of_tier(i, len(names), success, words, of)
        if "disagree" not in of:
            yield row
            continue
        yield {**row, "rater": "ann"}
        yield {**row, "rater": "bob"} | ({"outcome": "failure"} if k - of["disagree"] <= i < k else {})


def _session(row: Row, number: int, words: list[str], of: dict[str, int]) -> Row:
    """The columns of L. One content is one pair in every phase and arm; the instance is one episode or attempt."""
    phase = "attempt" if "attempt" in of else next((one for one in words if one in PHASES), "")
    arm = next((one for one in words if one in ARMS), "feedback")
    instance = f"{row['instance']}/{phase}/{arm}/{of.get('attempt', 1)}"
    return {
        "phase": phase,
        "arm": arm,
        "attempt": of.get("attempt"),
        "learner": f"{row['family']}/{number % of.get('learners', 20)}",
        "instance": instance,
        "pair": instance if "unpaired" in words else row["pair"],
    }


def _goal(i: int, level: int, words: list[str], of: dict[str, int]) -> Row:
    origin, rank = LABELS.get(level, ("originated", "top-level"))
    origin = next((word for word in words if word in ORIGINS), origin)
    if i < of.get("ambiguous", 0):
        origin = "ambiguous"
    rank = "" if origin == "unlabelled" else next((word for word in words if word in RANKS), rank)
    goals = None if i < of.get("uncounted", 0) else 9 if i < of.get("many", 0) else of.get("goals", 1)
    return {"goal_origin": "" if origin == "unlabelled" else origin, "goal_rank": rank, "goals": goals}


def _of_tier(i: int, families: int, success: bool, words: list[str], of: dict[str, int]) -> Row:
    """The same instances in every arm."""
    said = {name: text for name, _, text in (word.partition(":") for word in words)}
    arm = next((name for name in ("model_free", "fixed_strategy") if name in said), "")
    content = f"{i // families + of.get('first', 0)}"
    shown = said.get("shows", "a,b").split(",")
    sure = {"well": 0.9 if success else 0.2, "equal": 0.5}.get(said.get("sure", ""))
    return {
        "arm": arm,
        "instance": f"{content}/{arm}" if "unpaired" in words else content,
        "pair": "",
        "strategy": said.get("fixed_strategy") or ("" if arm else shown[i // families % len(shown)]),
        "confidence": None if i < of.get("unsure", 0) else sure,
    }


def declaration_of(case: Case) -> dict[str, Any] | None:
    """None where the case has no declaration."""
    if case.get("declaration") == "none":
        return None
    declared, more = copy.deepcopy(DECLARATION), dict(case.get("with", {}))
    used, own = {row["regime"] for row in rows_of(case)}, more.pop("regimes", {})
    declared["regimes"] = {name: one for name, one in {**REGIMES, **own}.items() if name in used}
    changed = case.get("families", {})
    declared["families"] = {
        name: {
            "dimension": of,
            **FAMILY,
            **OF_DIMENSION.get(of, {}),
            **changed.get(of, {}),
            **changed.get(name, {}),
        }
        for name in sorted({row["family"] for row in rows_of(case)})
        for of in [name.partition("-")[0]]
    }
    declared["families"] |= more.pop("families", {})
    if any(row["dimension"] == "L" for row in rows_of(case)):
        scope = SCOPES.get(case.get("memory", "store"))
        declared = {name: one for name, one in declared.items() if name != "memory"}
        declared |= {"memory": scope} if scope else {}
    declared |= more
    for path in case.get("without", ()):
        _take(declared, path.split("."))
    return declared


def _take(found: dict[str, Any], path: list[str]) -> None:
    for name in list(found) if path[0] == "*" else [path[0]]:
        if len(path) == 1:
            del found[name]
        else:
            _take(found[name], path[1:])


def design_of(case: Case) -> Design:
    """The same declaration, as the second scorer reads it."""
    declared = declaration_of(case) or {"system": {"name": "subject"}}
    regimes = declared.get("regimes", REGIMES)
    asked = ("boundary", "regimes", "includes", "human_assistance")
    missing = [field for field in asked if field not in declared]
    gaps = {
        gap["family"]
        for gap in declared.get("schema_gaps", ())
        if gap.get("used_for_credit") or gap.get("needed") or gap.get("share", 0) > 0.10
    }
    inputs = ("environment", "verification", "criterion", "observation_schema", "action_schema")
    families = declared.get("families", {row["family"]: {} for row in rows_of(case)})
    return Design(
        rule=declared.get("rule", "strict"),
        regimes={
            name: (one["level"][0], tuple(axis for axis in one if axis not in ("level", "adversarial")))
            for name, one in regimes.items()
        },
        families={
            name: Frame(
                environment=one.get("environment", ""),
                conditions=tuple(one.get("conditions", ())),
                threshold=Fraction(str(one.get("threshold", "0.7"))),
                missing=tuple(field for field in inputs if field not in one),
                incomplete=name in gaps,
                steps=one.get("steps"),
                delay=one.get("delay"),
                reward=bool(one.get("reward")),
                strategies=tuple(one.get("strategies", ())),
                held_out=one.get("held_out", False),
                goal_limit=one.get("goal_limit"),
            )
            for name, one in families.items()
        },
        left_out=tuple(name for name, one in families.items() if not one.get("included", True)),
        tools="tools" in declared,
        missing=(*missing, *(["version"] if "version" not in declared["system"] else [])),
        post_hoc=Fraction(str(declared.get("post_hoc_share", "0.2"))),
        lost=Fraction(str(declared.get("infrastructure_share", "0.3"))),
    )
