"""Rules and a linear model over text: what a reply does, and the words that show it.

``triple/7`` reads refusals: does the reply decline, does it name the limit, stay near, offer something adjacent.
"""

from __future__ import annotations

from .rule import Rule, Span
from .triple import COMPONENTS, NGRAM, VERSION, Triple, detect_triple, rules_of

__all__ = ["COMPONENTS", "NGRAM", "VERSION", "Rule", "Span", "Triple", "detect_triple", "rules_of"]
