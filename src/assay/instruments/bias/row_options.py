"""The options of ``assay score bias``, and what a row looks like; light, for the command line reads them at once."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from .measures.constants import UNKNOWN_THRESHOLD

__all__ = ["ROW_HELP", "BiasRowOptions"]

ROW_HELP = (
    '{"subject": NAME, "bias": ID, "domain": "individual", "condition": "control", "treatment" or "debias", '
    '"intensity": "weak" (empty for control), "method": ID, "kind": "warning" (of debias), "instance": ID, "trial": 1, '
    '"score": 0 to 1 (empty if unreadable), "confidence": 0 to 1, "correct": 0 or 1}'
)


class BiasRowOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    intervals: Annotated[bool, Meta(description="Intervals and tests, not point values only.")] = True
    confidence: Annotated[float, Meta(gt=0, lt=1, description="Of the intervals.")] = 0.95
    baselines: Annotated[str, Meta(description="A file of human rates, YAML or JSON: bias → rate.")] = ""
    unknown_threshold: Annotated[
        float, Meta(ge=0, le=1, description="Share of unreadable answers past which a bias is not ranked.")
    ] = UNKNOWN_THRESHOLD
