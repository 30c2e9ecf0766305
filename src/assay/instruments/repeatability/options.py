"""The instrument's part of a study, and the options of plain rows."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from assay.measuring import ANALYSIS
from assay.measuring import Options as BaseOptions

__all__ = ["RepeatabilityOptions", "RepeatabilityRowOptions"]

Scope = Annotated[
    Literal["cell", "subject", "contract"], Meta(description="Whose first passing output is the canon.")
]
Tau = Annotated[float, Meta(ge=0, le=1, description="Threshold of P_tau.")]
Confidence = Annotated[float, Meta(gt=0, lt=1, description="Of the intervals.")]
Repaired = Annotated[bool, Meta(description="Repair what passes and differs from its canon.")]


class RepeatabilityOptions(BaseOptions, frozen=True, kw_only=True):
    """What is asked, how often, and what it is compared with."""

    contracts: Annotated[
        Literal["all", "quick", "programs", "json", "text"] | tuple[str, ...],
        Meta(description="Ids of contracts, all of them or of one kind, or quick."),
    ] = "all"
    contracts_file: Annotated[
        str | None, Meta(description="JSON or YAML of contracts keyed by id. Default: the shipped ones.")
    ] = None
    temperatures: Annotated[
        tuple[Annotated[float, Meta(ge=0, le=2)], ...], Meta(description="Each is a cell of its own.")
    ] = (0.0, 0.7)
    top_ps: Annotated[
        tuple[Annotated[float, Meta(gt=0, le=1)], ...],
        Meta(description="Each is a cell of its own. Empty: the study's, not varied."),
    ] = ()
    paraphrases: Annotated[int, Meta(ge=0, description="Other wordings asked beside the prompt.")] = 0
    repetitions: Annotated[int, Meta(ge=1, le=1_000_000, description="Outputs in a cell.")] = 20
    tau: Annotated[Tau, ANALYSIS] = 0.1
    confidence: Annotated[Confidence, ANALYSIS] = 0.95
    canon_scope: Scope = "cell"
    canons_file: Annotated[str | None, Meta(description="Measure against these canons.")] = None
    drift_from: Annotated[
        str | None, Meta(description="The folder of an earlier run: no drift from its canons.")
    ] = None
    drift_at_most: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="The drift that is allowed. Default: none shown."),
        ANALYSIS,
    ] = None
    repair: Repaired = True
    system: Annotated[str, Meta(description="A system message before every request.")] = ""


class RepeatabilityRowOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of ``assay score``."""

    contracts: Annotated[
        str | None, Meta(description="JSON or YAML of contracts keyed by id. Default: the shipped ones.")
    ] = None
    tau: Tau = 0.1
    confidence: Confidence = 0.95
    canon_scope: Scope = "cell"
    extract: Annotated[bool, Meta(description="Take the program or JSON out of a whole reply first.")] = False
    workers: (
        Annotated[int, Meta(ge=1, le=256, description="Programs run at once. Default: cores.")] | None
    ) = None
    repair: Repaired = True
    allow_unconfined_code: Annotated[
        bool, Meta(description="Run programs even where no sandbox can be had. Dangerous.")
    ] = False
