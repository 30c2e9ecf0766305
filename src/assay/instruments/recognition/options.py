"""The instrument's part of a study: what is collected, how lineups are made, and how many of each."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from assay.measuring import ANALYSIS
from assay.measuring import Options as BaseOptions

from .signature import Version

__all__ = ["RecognitionOptions"]

Count = Annotated[int, Meta(ge=0, le=10_000)]


class RecognitionOptions(BaseOptions, frozen=True, kw_only=True):
    """The counts of phases 2 to 4 are those of the specification. Of phase 1 it says 10 lineups; here 20, in four
    orders each, because orders of one lineup are alike and 10 prompts show no accuracy to be at least .75."""

    probes: Annotated[
        Literal["all", "spec"] | tuple[str, ...],
        Meta(description="Prompts that are answered: all, spec (the ten of the specification), or ids."),
    ] = "all"
    samples: Annotated[int, Meta(ge=1, le=100, description="Answers to each prompt.")] = 2
    words: Annotated[
        Annotated[int, Meta(ge=10, le=1000)] | None,
        Meta(description="Ask for answers of about so many words; without it, nothing is said of length."),
    ] = None
    fleet: Annotated[
        str | None, Meta(description="Rows of answers collected earlier: subject, probe, response.")
    ] = None
    lineups: Annotated[Count, Meta(description="Of a subject, on identity probes.")] = 20
    ordinary_lineups: Annotated[Count, Meta(description="On ordinary prompts.")] = 5
    family_lineups: Annotated[Count, Meta(description="With texts of the same family.")] = 5
    token_lineups: Annotated[
        Count,
        Meta(description="Of its own texts alone, one drawn by lot: a control, for nobody can know which."),
    ] = 5
    forgery_lineups: Annotated[Count, Meta(description="With texts that others wrote in its manner.")] = 5
    texts: Annotated[int, Meta(ge=2, le=20, description="In a lineup, as far as the fleet has them.")] = 4
    orders: Annotated[
        int, Meta(ge=1, le=20, description="In which a lineup is shown; at most one for each of its texts.")
    ] = 4
    judges: Annotated[
        int, Meta(ge=0, le=20, description="Neutral judges of a lineup, at most: they have no text in it.")
    ] = 3
    preference: Annotated[
        bool, Meta(description="Ask once a lineup without condition which text is best.")
    ] = True
    gold: Annotated[Count, Meta(description="Gold-standard lineups, and conversations that drift.")] = 5
    inverse: Annotated[Count, Meta(description="Signatures whose source is asked for.")] = 10
    bidirectional: Annotated[Count, Meta(description="Texts asked for in both directions.")] = 5
    baseline_turns: Annotated[int, Meta(ge=2, le=8, description="Of a conversation that drifts.")] = 3
    perturbation_turns: Annotated[int, Meta(ge=1, le=10, description="Of the same.")] = 4
    recovery_turns: Annotated[int, Meta(ge=1, le=8, description="Of the same.")] = 4
    signature: Annotated[Version, Meta(description="Of the vectors in phases 3 and 4.")] = 1
    drift_signature: Annotated[Version, Meta(description="Of the drift."), ANALYSIS] = 2
    redact: Annotated[bool, Meta(description="Take names of models, makers, products out of texts.")] = True
    length_tolerance: Annotated[
        float, Meta(ge=0, le=10, description="By how much the longest text may exceed the shortest, a share.")
    ] = 0.25
    most_characters: Annotated[int, Meta(ge=20, le=100_000, description="Of a text in a lineup.")] = 2_000
    confidence: Annotated[float, Meta(gt=0, lt=1, description="Of the intervals."), ANALYSIS] = 0.95
    temperature: Annotated[float, Meta(ge=0, le=2, description="Of what is collected and forged.")] = 0.7
    judge_temperature: Annotated[float, Meta(ge=0, le=2, description="Of answers to lineups.")] = 0.0
    max_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="The longest reply; without it, the study's own."),
    ] = None
    judge_max_tokens: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="The longest answer to a lineup; without it, the study's own."),
    ] = None

    @property
    def turns(self) -> tuple[str, ...]:
        """The phase of every turn of a conversation that drifts."""
        return (
            *["baseline"] * self.baseline_turns,
            *["perturbation"] * self.perturbation_turns,
            *["recovery"] * self.recovery_turns,
        )
