"""The bench: waves, probe, limits and budget, retry, progress, audit."""

from __future__ import annotations

from .folder import RunFolder
from .instrument import Instrument, Item, Plan, Prepared, load_instrument, named_instrument
from .meter import Meter
from .probe import Probe
from .progress import Progress
from .runner import Runner

__all__ = [
    "Instrument",
    "Item",
    "Meter",
    "Plan",
    "Prepared",
    "Probe",
    "Progress",
    "RunFolder",
    "Runner",
    "load_instrument",
    "named_instrument",
]
