"""Simulation: subjects of known truth whose conversations the calibration draws from.

``ways`` has what they can do and what each way is meant to show, ``pool`` plays and judges every way, ``profiles``
says how often a subject takes which way and draws cells, and ``cells`` scores these and gives the truth beside them.
"""

from __future__ import annotations
