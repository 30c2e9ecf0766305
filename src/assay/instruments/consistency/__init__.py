"""Consistency: does a subject keep the state of a conversation and what it committed itself to?

It is asked to return to a named thread, to refuse what lies outside its boundaries, to repair mistakes, to write with
provenance and in a given order and lexicon, and to keep promises. Whether it gives the same answer to a rephrased
question is not measured here.
"""

from __future__ import annotations

from .detectors import Span, Triple, detect_triple

__all__ = ["Span", "Triple", "detect_triple"]
