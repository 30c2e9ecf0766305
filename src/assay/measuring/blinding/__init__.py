"""Texts made alike for those who judge them: without names of models, makers and products, and of one length."""

from __future__ import annotations

from .claims import blind
from .matching import match_lengths
from .redaction import Redacted, redact

__all__ = ["Redacted", "blind", "match_lengths", "redact"]
