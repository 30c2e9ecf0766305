"""Every shipped family under arguments that are valid and were never meant: it stands, and a replay agrees."""

from __future__ import annotations

from typing import Any

import pytest

from assay.canonical import encode
from assay.streams import Stream
from assay.worlds import Act, Episode, Program, all_families, draw_task, shipped_regimes
from assay.worlds.schema import complaint

TEXTS = (
    "", " ", "\x00", "\x1b[31m", "<script>x</script>", "=1+1", "'; DROP TABLE t; --", "../../etc/passwd", "/etc/passwd",
    "-rf", "--upload-pack=x", "a" * 2000, "\u202e", "\u0663", "\u00b2", "1e400", "nan", "a\nb", "\x1f", "\u2028",
    "\U0001f642" * 400, ".git/config", "HEAD", "a/b", "a/../b", "{x}", "%s", "9" * 40, "1_000", "+1", " 1",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2, 3.0, 1.0, -0.0, 0.5, 2**31, 2**53, 1e300, -1e300, 1e-320, 10**30)


def not_run(program: Program) -> dict[str, Any]:
    return {"state": "timeout", "detail": "", "cases": []}


def any_of(schema: dict[str, Any], stream: Stream, known: list[str]) -> Any:
    if "enum" in schema:
        return stream.choice(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        return {name: any_of(part, stream, known) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [any_of(schema.get("items", {}), stream, known) for _ in range(stream.below(4))]
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", -10), schema.get("maximum", 10)
        return stream.choice((*NUMBERS, low, float(low), high, float(high)))
    if kind == "boolean":
        return stream.below(2) == 1
    return stream.choice(known) if known and stream.below(2) else stream.choice(TEXTS)


def texts_in(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        return [
            text for item in (value.values() if isinstance(value, dict) else value) for text in texts_in(item)
        ]
    return [value] if isinstance(value, str) else []


def played(name: str, level: int, number: int, acts: list[Act] | None = None) -> tuple[list[Act], bytes]:
    """One episode of such acts, or of those given; everything that was seen and judged, as bytes."""
    family, draws = all_families()[name], Stream("hostile", name, level, number)
    regime = draws.choice(list(shipped_regimes().values()))
    one = Episode(family, draw_task(family, level, draws), regime, Stream("faults", number))
    done: list[Act] = []
    told: list[Any] = []
    try:
        seen = one.begin()
        offered = one.brief.actions[:-1]
        while not one.done:
            if acts is None:
                action = draws.choice(offered)
                act = Act(action.name, any_of(action.parameters, draws, texts_in(seen.observation)))
            else:
                act = acts[len(done)]
            done.append(act)
            seen = one.act(act.name, act.arguments)
            while seen.program is not None:
                seen = one.settle(not_run(seen.program))
            told.append([seen.observation, seen.error, seen.fault, seen.left])
            assert not seen.observation or complaint(one.brief.observation, seen.observation) == ""
        state = one.snapshot()
        judged = one.judge(state, tuple(not_run(program) for program in one.checks(state)))
        return done, encode([told, state, judged.success, list(judged.because)])
    finally:
        one.close()


@pytest.mark.parametrize("name", sorted(all_families()))
def test_it_stands_and_a_replay_comes_to_the_same(name: str) -> None:
    for level in all_families()[name].levels:
        for number in range(1 if name == "release" else 8):
            acts, told = played(name, level, number)
            assert played(name, level, number, acts)[1] == told
