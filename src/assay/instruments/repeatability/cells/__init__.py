"""Cells: the outputs of one subject for one contract under one condition, and their canons."""
