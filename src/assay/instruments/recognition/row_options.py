"""The options of ``assay score recognition``, and what a row looks like; light: the command line reads them at once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

__all__ = ["INVERSE", "PHASES", "ROW_HELP", "RecognitionRowOptions"]

INVERSE = "inverse"  # the phase whose options name sources
PHASES = ("self", "gold", INVERSE, "forward", "characteristics")
ROW_HELP = (
    '{"subject": NAME (the judge), "target": NAME (whose text stands at own: the subject itself, or another for a '
    'neutral judge), "phase": "self", "gold", "inverse", "forward" or "characteristics", "lineup": ID (of the set of '
    'texts), "options": 2 to 20, "own": 1 to options, "choice": 1 to options (empty if unreadable), "confidence": 1 to '
    '5, or on --scale, "cluster": ID (of the prompt; the lineup if empty), "explanation": TEXT, "question": TEXT, '
    '"chosen": NAME (whose text was chosen), "lengths": [120, 95], "trial": ID (of a repetition), "condition": TEXT '
    '(lineups of another kind, scored apart), "named": 1 to options (how many name a source; the others are '
    '"Unknown"), "source": NAME (the true one, phase inverse), "asked": "own" or "best" (which was asked for)}'
)


class RecognitionRowOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The scale of the specification is 1 to 5 ("Confidence-Weighted Accuracy")."""

    scale: Annotated[
        tuple[float, float], Meta(description="Of the stated confidence, LOW,HIGH; 0,1 is a probability.")
    ] = (1.0, 5.0)
    intervals: Annotated[bool, Meta(description="Intervals and tests; without them values only.")] = True
    confidence: Annotated[float, Meta(gt=0, lt=1, description="Of the intervals.")] = 0.95
