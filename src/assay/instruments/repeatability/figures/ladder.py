"""How often the same output comes back: in which sense of "same", and under which condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from assay.instruments.repeatability.cells.cell import Cell, CellKey, key_of
from assay.instruments.repeatability.kinds import JsonOutputs, TextOutputs
from assay.instruments.repeatability.programs.ladder import RUNGS
from assay.report.figures import panels
from assay.report.presentation import Picture
from assay.vocabulary import Measure

from .cell_measures import CellMeasures, condition_text, noun_of

__all__ = ["draw_ladders", "draw_sweeps"]

PROGRAMS = (
    "bytes: every byte counts; text: line ends and trailing blanks do not; layout: nor do spacing and comments; ast: "
    "nor docstrings and whatever else leaves the syntax tree the same; names: nor the names of variables; behaviour: "
    "only the results do"
)
JSON = (
    "bytes: every byte counts; text: line ends and trailing blanks do not; layout: nor does white space between "
    "tokens; keys: nor the order of keys; value: nor formats of numbers"
)
TEXT = (
    "bytes: every byte counts; text: line ends and trailing blanks do not; space: nor does white space; case: nor "
    "large and small letters; answer: only the answer that is read does, where the contract says how"
)
# By the kind of outputs: what follows the title, what the rungs mean, and their order.
LADDERS = {
    "program": ("", PROGRAMS, RUNGS),
    "json": (": JSON", JSON, JsonOutputs.rungs),
    "text": (": texts", TEXT, TextOutputs.all_rungs),
}
AXES = ("temperature", "top_p", "wording")


def draw_ladders(found: CellMeasures, cells: Sequence[Cell]) -> Iterator[Picture]:
    """For each kind of outputs R at every rung, from the narrowest sense of "same" to the widest."""
    kinds: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.n:
            kinds.setdefault("program" if cell.kind.noun == "program" else cell.kind.name, []).append(cell)
    for name in LADDERS:
        picture = _ladder(found, kinds[name], name) if name in kinds else None
        if picture is not None:
            yield picture


def _ladder(found: CellMeasures, cells: Sequence[Cell], kind: str) -> Picture | None:
    after, meaning, rungs = LADDERS[kind]
    measured = {cell.key: cell for cell in cells}
    shares = [m for m in found.named("R") if key_of(m) in measured]
    shares.sort(key=lambda m: (str(m.labels["subject"]), key_of(m).condition))
    languages = len({cell.kind.name for cell in cells}) > 1
    several = len({key.condition for key in measured}) > 1

    def line(measure: Measure) -> str:
        key = key_of(measure)
        name = condition_text(key) if several else key.subject
        return f"{name} ({measured[key].kind.name})" if languages else name

    caption = (
        f"R, the share of the most common {noun_of(cells)}, when less and less counts as a difference ({meaning}). "
        "Where a line rises, outputs differ in that respect only."
    )
    if kind == "program" and any(cell.rungs != RUNGS for cell in cells):
        caption += " Of programs that are not in Python only bytes, text and behaviour are compared."
    return panels(
        sorted(shares, key=lambda m: rungs.index(str(m.labels["rung"]))),
        title=f"In which sense the answers are the same{after}",
        caption=caption,
        x="rung",
        panel="subject" if several else lambda m: condition_text(key_of(m)),
        line=line,
        axis="R",
        over="contracts",
    )


def draw_sweeps(found: CellMeasures, cells: Sequence[Cell]) -> Iterator[Picture]:
    """The same by temperature, and by whatever else was varied."""
    keys = [cell.key for cell in cells if cell.n]
    varied = [axis for axis in AXES if len({getattr(key, axis) for key in keys}) > 1]
    senses = {id(m): sense for key in keys for sense, m in _senses(found, key) if m is not None}
    shown = [m for key in keys for _, m in _senses(found, key) if m is not None]
    order = list(dict.fromkeys(sense for sense, _ in _senses(found, keys[0]))) if keys else []
    shown.sort(key=lambda m: order.index(senses[id(m)]))
    for axis in varied or AXES[:1]:
        picture = panels(
            shown,
            title=f"How often the same comes back, by {axis}",
            caption="At 1 every answer is the same. A value against the canon counts the canon, its interval does not.",
            x=_step(axis),
            panel=lambda m: senses[id(m)],
            axis="share",
            x_axis=axis,
            over="contracts",
        )
        if picture is not None:
            yield picture


def _step(axis: str) -> Callable[[Measure], str | float]:
    return lambda measure: measure.labels.get(axis, "default")


def _senses(found: CellMeasures, key: CellKey) -> Iterator[tuple[str, Measure | None]]:
    yield "same bytes", found.get("R_raw", key)
    form, result = (
        ("same program", "same behaviour") if found.programs else ("same but for form", "same result")
    )
    yield form, found.form(key)
    yield result, found.result(key)
    if found.repaired:
        yield "equal to canon, repaired", found.anchored("R_anchor", key)
    else:
        yield "equal to canon", found.anchored("R_anchor_pre", key)
