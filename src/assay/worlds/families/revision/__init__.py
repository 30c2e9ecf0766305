"""Families of goal revision (10.10.2 of the agency specification)."""
