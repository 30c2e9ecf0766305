"""Figures: headline and verdict tables, pictures of the components and the order of replies, marked transcripts."""

from __future__ import annotations
