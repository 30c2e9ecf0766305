"""Families of tier 5: other agents, met again and again under their names (12.8)."""
