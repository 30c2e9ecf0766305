"""Families of tier 4: which way of working suits follows from the features of the task (12.7)."""
