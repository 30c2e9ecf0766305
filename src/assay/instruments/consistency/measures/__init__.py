"""Measures: shares by scenario, the composite M5, subjects compared, and what a study's counts can show."""

from __future__ import annotations
