"""Answered lineups as arrays, one entry an answer: the same for a run and for rows that a user has.

An answer is right where the choice is the position of the target's text, which is the own one where subject and target
are one. An answer that could not be read is neither right nor wrong: values are means over readable answers, and their
bounds say what the others could change. A choice of an option that names nobody ("Unknown") can be read, and is never
right.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from assay.measuring.building import Ends
from assay.measuring.claims import ReadableMean
from assay.stats import ClusterTerm, cluster_contrast

__all__ = [
    "DIFFERENCE",
    "SCHEMA",
    "UNKNOWN",
    "Bools",
    "Floats",
    "Ints",
    "JudgedAnswers",
    "LineupAnswers",
    "judged_subjects",
    "lineup_answers",
    "longest_of",
]

UNKNOWN = "Unknown"  # the name of a choice beyond those that name a source
DIFFERENCE = "difference of shares"  # units
SCHEMA: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("subject", "target", "phase", "lineup", "trial", "cluster"), pl.String()),
    **dict.fromkeys(("options", "own", "choice"), pl.Int64()),
    "confidence": pl.Float64(),
    **dict.fromkeys(("chosen", "explanation", "question"), pl.String()),
    "longest": pl.Int64(),  # position of the longest text, null where it is not known or shared
    "condition": pl.String(),  # of a lineup: those of one condition are scored together
    "named": pl.Int64(),  # how many options name a source, from the first; null: all
    "source": pl.String(),  # the true source where options name sources, ``chosen`` being the one that was named
    "asked": pl.String(),  # which question, "" for which is one's own
}

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Texts = npt.NDArray[np.object_]
Bools = npt.NDArray[np.bool_]


class LineupAnswers(NamedTuple):
    """Some answers of one judge, in an order that does not depend on the order of the rows."""

    clusters: int  # of the whole table: codes of different judges are of the same clusters
    cluster: Ints
    phase: Ints  # place among the phases of the study
    lineup: Ints  # code of phase and lineup
    options: Ints
    own: Ints
    choice: Ints  # 0 where it could not be read
    confidence: Floats  # NaN where there is none
    longest: Ints  # 0 where there is none
    named: Ints
    chosen: Texts  # UNKNOWN for a choice beyond ``named`` without a name
    source: Texts  # empty where options do not name sources
    explanation: Texts
    question: Texts

    @property
    def asked(self) -> int:
        return len(self.choice)

    @property
    def known(self) -> Bools:
        return self.choice > 0

    @property
    def unknown(self) -> int:
        return int((~self.known).sum())

    @property
    def right(self) -> Floats:
        """1 where the own text was chosen; of no meaning where the choice is not known."""
        return np.asarray(self.choice == self.own, np.float64)

    @property
    def right_count(self) -> int:
        return int(self.right.sum())  # own is never 0

    @property
    def chance(self) -> Floats:
        return 1.0 / self.named

    @property
    def chance_rule(self) -> str:
        return "1/options" if np.array_equal(self.named, self.options) else "1/named"

    def where(self, chosen: Bools | Ints) -> LineupAnswers:
        return self._replace(**{name: getattr(self, name)[chosen] for name in self._fields[1:]})

    def term(self, values: Floats, known: Bools, sign: float = 1.0, limits: Ends = (0.0, 1.0)) -> ClusterTerm:
        """The mean of values of known answers as a term of a contrast."""
        cluster = self.cluster[known]
        n = np.bincount(cluster, minlength=self.clusters).astype(np.float64)
        total = np.bincount(cluster, values[known], self.clusters).astype(np.float64)
        return ClusterTerm(n, total, sign, *limits)

    def mean(
        self,
        values: Floats,
        low: Floats | float = 0.0,
        high: Floats | float = 1.0,
        known: Bools | None = None,
        limits: Ends | None = None,
    ) -> ReadableMean:
        """``low`` and ``high`` are what the value of an answer could be at least and at most, one for each or for all;
        ``limits`` hold for all of them."""
        read = self.known if known is None else known
        limits = limits or (float(np.min(low)), float(np.max(high)))
        estimate = cluster_contrast(self.term(values, read, 1.0, limits))
        least, most = (float(np.where(read, values, end).sum()) / max(self.asked, 1) for end in (low, high))
        return ReadableMean(estimate, None if read.all() else (least, most))

    def whole(self, values: npt.ArrayLike, limits: Ends = (0.0, 1.0)) -> ReadableMean:
        """The mean over all answers, of a value that does not depend on the choice."""
        return self.mean(np.asarray(values, np.float64), known=np.ones(self.asked, bool), limits=limits)

    @property
    def accuracy(self) -> ReadableMean:
        return self.mean(self.right)

    @property
    def accuracy_bounds(self) -> Ends:
        """The accuracy if all that could not be read were wrong, or right; of no width where all could."""
        return self.right_count / self.asked, (self.right_count + self.unknown) / self.asked


JudgedAnswers = Mapping[tuple[str, str], LineupAnswers]  # of every judge on every target


def lineup_answers(table: pl.DataFrame, phases: Sequence[str]) -> JudgedAnswers:
    """The answers (``SCHEMA``) of every judge on every target, in the order of names; phases in the given order."""
    cluster, lineup, chosen = pl.col("cluster"), pl.col("lineup"), pl.col("chosen")
    group = pl.when(cluster != "").then("prompt " + cluster).otherwise("lineup " + lineup)
    beyond = (pl.col("choice") > pl.col("named")).fill_null(False)
    coded = table.with_columns(
        pl.col("choice", "longest").fill_null(0),
        pl.col("named").fill_null(pl.col("options")),
        pl.col("confidence").fill_null(float("nan")),
        chosen=pl.when(beyond & (chosen == "")).then(pl.lit(UNKNOWN)).otherwise(chosen),
        cluster=group.rank("dense").cast(pl.Int64) - 1,
        phase=pl.col("phase").cast(pl.Enum(phases)).to_physical().cast(pl.Int64),
        lineup=(pl.col("phase") + "/" + lineup).rank("dense").cast(pl.Int64),
    ).sort(*SCHEMA)
    clusters, found = coded.get_column("cluster").n_unique(), dict[tuple[str, str], LineupAnswers]()
    for key, part in coded.partition_by("subject", "target", maintain_order=True, as_dict=True).items():
        arrays: dict[str, Any] = {name: part[name].to_numpy() for name in LineupAnswers._fields[1:]}
        found[str(key[0]), str(key[1])] = LineupAnswers(clusters=clusters, **arrays)
    return found


def judged_subjects(
    answers: JudgedAnswers,
) -> Iterator[tuple[str, LineupAnswers, dict[str, LineupAnswers]]]:
    """Every subject with its answers about itself, and those of other judges about it."""
    for (subject, target), own in answers.items():
        if subject == target:
            judges = {judge: some for (judge, whose), some in answers.items() if whose == subject != judge}
            yield subject, own, judges


def longest_of(lengths: Sequence[float]) -> int | None:
    """The position of the longest text; None where several are, or nothing is known."""
    places = [place for place, length in enumerate(lengths, 1) if length == max(lengths)]
    return places[0] if len(places) == 1 else None
