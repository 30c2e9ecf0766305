"""Rows that somebody brings: one reader for JSON Lines, CSV, Parquet, lists and frames.

``open_rows`` gives ``Rows`` of anything. ``Rows`` gives numbered mappings, typed values or a frame, and names the
place of whatever is wrong.
"""

from __future__ import annotations

from .base import Rows, refuse_duplicates
from .fields import OLD_NAMES
from .opening import RowData, open_rows

__all__ = ["OLD_NAMES", "RowData", "Rows", "open_rows", "refuse_duplicates"]
