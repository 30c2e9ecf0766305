"""The ledger and what hangs on it: events, chain, manifest, signatures, and evidence as instruments see it."""

from __future__ import annotations

from .chain import find_tail, genesis, read_lines
from .events import Event
from .ledger import Ledger, recover, segment_paths
from .manifest import Manifest, manifest_paths, verify_closed, write_manifest
from .records import Ask, Evidence, LedgerIndex, Record, Wave, scan
from .redaction import Redactor, has_userinfo
from .signing import Signed, default_key_path, load_key, open_envelope, sign_statement

__all__ = [
    "Ask",
    "Event",
    "Evidence",
    "Ledger",
    "LedgerIndex",
    "Manifest",
    "Record",
    "Redactor",
    "Signed",
    "Wave",
    "default_key_path",
    "find_tail",
    "genesis",
    "has_userinfo",
    "load_key",
    "manifest_paths",
    "open_envelope",
    "read_lines",
    "recover",
    "scan",
    "segment_paths",
    "sign_statement",
    "verify_closed",
    "write_manifest",
]
