"""What instruments share: the base, measures and verdicts, requirements, rows, calibration."""

from __future__ import annotations

from .analysis import ANALYSIS, analysis_options
from .base import InstrumentBase, Options, caveats_of, option_error
from .measures import (
    Labelled,
    Labels,
    exclusion_flags,
    find_measure,
    find_verdict,
    lost_of,
    measure_of,
    percent,
    plain_measure,
    share_of_outcomes,
    with_flags,
)
from .outcomes import LostTrials, OutcomeCounts, read_trials, trial_records
from .requirements import Bound, Target, flawless
from .rows import Rows
from .scored import ScoredRows
from .verdicts import against, unless_invalid, word

__all__ = [
    "ANALYSIS",
    "Bound",
    "InstrumentBase",
    "Labelled",
    "Labels",
    "LostTrials",
    "Options",
    "OutcomeCounts",
    "Rows",
    "ScoredRows",
    "Target",
    "against",
    "analysis_options",
    "caveats_of",
    "exclusion_flags",
    "find_measure",
    "find_verdict",
    "flawless",
    "lost_of",
    "measure_of",
    "option_error",
    "percent",
    "plain_measure",
    "read_trials",
    "share_of_outcomes",
    "trial_records",
    "unless_invalid",
    "with_flags",
    "word",
]
