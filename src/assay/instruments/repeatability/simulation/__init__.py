"""Cells drawn from known distributions, for the calibration."""
