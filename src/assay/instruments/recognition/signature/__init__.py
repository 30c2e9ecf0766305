"""The 5D signature of a text, version 1 (the public definition) and version 2 (ours), and its reference corpus."""

from __future__ import annotations

from .definition import DIMENSIONS, VERSIONS, Norms, Version, definition, norms, tercile
from .signing import sign, word_rates

__all__ = [
    "DIMENSIONS",
    "VERSIONS",
    "Norms",
    "Version",
    "definition",
    "norms",
    "sign",
    "tercile",
    "word_rates",
]
