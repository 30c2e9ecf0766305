"""The declaration: study, its validation, and the lock."""

from __future__ import annotations

from .lock import Lock, LockedFile, make_lock, read_lock, write_lock
from .model import Budget, Limits, Price, SamplingDefaults, Study, SubjectSpec
from .source import Source, convert, parse_source, read_source

__all__ = [
    "Budget",
    "Limits",
    "Lock",
    "LockedFile",
    "Price",
    "SamplingDefaults",
    "Source",
    "Study",
    "SubjectSpec",
    "convert",
    "make_lock",
    "parse_source",
    "read_lock",
    "read_source",
    "write_lock",
]
