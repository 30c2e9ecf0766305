"""Texts made alike for those who judge them: without names of models, makers and products, and of one length."""

from __future__ import annotations

from .matching import match_lengths
from .redaction import Redacted, redact

__all__ = ["Redacted", "match_lengths", "redact"]
