"""A second scorer, written from the specification alone: plain rows, plain loops, scipy's numbers.

It shares no code with the instrument, but the intervals of a paired gain and of a correlation (``assay.stats``), which
have oracles of their own. One subject, one boundary; raters of tiers alone; every content once a regime.
``choices`` lists where the text is open and what is taken there.
"""

from .choices import CHOICES, Choices
from .design import Design, Frame, Intervention, Row
from .vector import Scores, second_reading, undisclosed

__all__ = [
    "CHOICES",
    "Choices",
    "Design",
    "Frame",
    "Intervention",
    "Row",
    "Scores",
    "second_reading",
    "undisclosed",
]
