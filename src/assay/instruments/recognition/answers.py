"""From the records of a run to the table of answers that ``assay score recognition`` takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from assay.evidence.records import Record
from assay.measuring.lineups import SCHEMA, longest_of

from .design.fleet import Origin
from .design.lineups import GOLD
from .design.prompts import CHARACTERISTICS, UNKNOWN
from .design.replies import explanation_of
from .design.schedule import FORWARD, INVERSE, LINEUP
from .design.texts import CollectedText
from .signature import DIMENSIONS

__all__ = ["answer_rows", "answer_table"]

PARTS = {
    FORWARD: (DIMENSIONS, 3),
    "characteristics": (tuple(CHARACTERISTICS), 2),
}  # answers of one trial, options of each


def answer_rows(
    records: Iterable[Record], texts: Sequence[CollectedText], origins: Mapping[str, Origin]
) -> Iterator[tuple[Record, dict[str, Any]]]:
    """Every answer of every judging trial, with its record. An answer that was lost has a row without a choice."""
    known = {(one.reference, one.turn): one for one in texts}
    for record in records:
        trial, found = record.trial, record.report or {}
        if trial.stage == LINEUP:
            yield record, _lineup_row(record, known)
        elif trial.stage == INVERSE:
            author = known[trial.inputs[0], 0].author
            sources = found.get("sources") or []
            choice = found.get("choice")
            more = {"named": len(sources) or None, "source": origins[author].maker}
            more["chosen"] = "" if choice is None else [*sources, UNKNOWN][choice - 1]
            yield record, _row(record, INVERSE, f"{trial.instance.repetition}", trial.inputs[0], found, more)
        elif trial.stage in PARTS:
            names, options = PARTS[trial.stage]
            blank = [None] * len(names)
            columns = [found.get(part) or blank for part in ("choices", "own", "estimates", "vector")]
            for name, choice, own, estimate, true in zip(names, *columns, strict=True):
                one = {"options": options, "own": own, "choice": choice}
                more = {} if estimate is None else {"dimension": name, "error": abs(estimate - true)}
                lineup = f"{trial.instance.repetition}/{name}"
                yield record, _row(record, trial.stage, lineup, trial.inputs[0], one, more)


def _row(
    record: Record, phase: str, lineup: str, cluster: str, found: Mapping[str, Any], more: Mapping[str, Any]
) -> dict[str, Any]:
    trial = record.trial
    return {
        "subject": trial.subject,
        "target": trial.subject,
        "phase": phase,
        "condition": "",
        "asked": "",
        "lineup": lineup,
        "trial": record.id,
        "cluster": cluster,
        **{name: found.get(name) for name in ("options", "own", "choice", "confidence", "lengths", "cut")},
        "named": None,
        "source": "",
        "chosen": "",
        "explanation": "",
        "question": "",
        **more,
    }


def _lineup_row(record: Record, known: Mapping[tuple[str, int], CollectedText]) -> dict[str, Any]:
    trial, found = record.trial, record.report or {}
    phase, _, probe = trial.instance.item.partition("/")
    factors = trial.factors
    target, condition = str(factors["target"]), str(factors.get("condition", ""))
    more: dict[str, Any] = {"target": target, "condition": condition}
    more["asked"] = "best" if factors["question"] == "best" else ""
    if found.get("choice") is not None:
        # The texts stand in the order of the inputs, rotated: the first of them is at ``own``.
        place = (int(found["choice"]) - int(found["own"])) % int(found["options"])
        more["chosen"] = _chosen(trial.inputs, place, factors, known, phase, target)
    asks = record.asks
    if asks and record.replies:
        more["explanation"] = explanation_of(record.replies[-1].text)
        sent = asks[-1].wire.get("messages")
        more["question"] = str(sent[-1]["content"]) if sent else ""
    return _row(record, phase, f"{target}/{condition}/{trial.instance.repetition}", probe, found, more)


def _chosen(
    inputs: Sequence[str],
    place: int,
    factors: Mapping[str, str | float],
    known: Mapping[tuple[str, int], CollectedText],
    phase: str,
    target: str,
) -> str:
    """Whose text was chosen, numbered where its author has several; of gold lineups which of the four."""
    if place == 0:
        return target
    if phase == "gold":
        return GOLD[place]
    author = known[inputs[place], int(factors.get(f"turn_{place}", 0))].author
    before = [known[one, 0].author for one in inputs[:place]]
    return author if author not in before else f"{author}, text {before.count(author) + 1}"


def answer_table(rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    """Answers as mappings, put into the columns that are scored."""
    columns = {name: kind for name, kind in SCHEMA.items() if name != "longest"}
    table = pl.DataFrame([{name: row.get(name) for name in columns} for row in rows], schema=dict(columns))
    texts = [name for name, kind in columns.items() if kind == pl.String()]
    longest = pl.Series("longest", [longest_of(row.get("lengths") or ()) for row in rows], dtype=pl.Int64())
    return table.with_columns(pl.col(texts).fill_null("")).with_columns(longest).select(*SCHEMA)
