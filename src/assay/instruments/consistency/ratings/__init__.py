"""Ratings: people and models label replies beside the rules, and their agreement is measured."""

from __future__ import annotations
