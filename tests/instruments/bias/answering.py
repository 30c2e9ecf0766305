"""Rows for the tests of bias, written briefly, and their scores found by name and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.instruments.bias.protocol import Bias
from assay.instruments.bias.row_options import BiasRowOptions
from assay.measuring.rows import open_rows
from assay.vocabulary import Measure, Result

Row = dict[str, Any]
BIAS = "anchoring_effect"


def answers(
    condition: str,
    scores: Sequence[float | None],
    intensity: str = "",
    *,
    bias: str = BIAS,
    subject: str = "s",
    domain: str = "individual",
    method: str = "",
    kind: str = "",
    instances: int | None = None,
    start: int = 0,
    **more: Any,
) -> list[Row]:
    """One row a score. With ``instances``, the scores go round them; else each score is an instance of its own."""
    rows = []
    for at, score in enumerate(scores):
        place = at if instances is None else at % instances
        row: Row = {
            "subject": subject,
            "bias": bias,
            "domain": domain,
            "condition": condition,
            "intensity": intensity,
        }
        row |= {"method": method, "kind": kind, "instance": f"i{start + place}", "score": score, **more}
        rows.append({**row, "trial": at if instances is None else at // instances})
    return rows


def scored(rows: Iterable[Row], **options: Any) -> Result:
    return Bias().score_rows(open_rows(list(rows)), BiasRowOptions(**options)).result


def find(result: Result, name: str, bias: str = BIAS, subject: str = "s", **labels: str) -> Measure:
    """The one measure with exactly these labels."""
    wanted = {"subject": subject, **({"bias": bias} if bias else {}), **labels}
    found = [m for m in result.measures if m.name == name and m.labels == wanted]
    assert len(found) == 1, (name, wanted, len(found))
    return found[0]


def value(result: Result, name: str, bias: str = BIAS, subject: str = "s", **labels: str) -> float | None:
    return find(result, name, bias, subject, **labels).value
