"""Assay: a measuring bench for the behaviour of AI systems.

The nouns are in :mod:`assay.vocabulary`, the errors in :mod:`assay.errors`. Importing the package loads
nothing heavy: each room is imported when it is used.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.4.0"
