"""Families of tier 3: what was observed earlier is needed for a plan whose reward comes later (12.6)."""
