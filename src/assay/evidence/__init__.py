"""The ledger and what hangs on it: events, chain, manifest, and evidence as instruments see it."""

from __future__ import annotations

from .chain import find_tail, genesis, read_lines
from .events import Event
from .ledger import Ledger, recover, segment_paths
from .manifest import Manifest, manifest_paths, verify_closed, write_manifest
from .records import Ask, Evidence, LedgerIndex, Record, scan
from .redaction import SHORTEST, Redactor, has_userinfo
from .waves import Wave

__all__ = [
    "SHORTEST",
    "Ask",
    "Event",
    "Evidence",
    "Ledger",
    "LedgerIndex",
    "Manifest",
    "Record",
    "Redactor",
    "Wave",
    "find_tail",
    "genesis",
    "has_userinfo",
    "manifest_paths",
    "read_lines",
    "recover",
    "scan",
    "segment_paths",
    "verify_closed",
    "write_manifest",
]
