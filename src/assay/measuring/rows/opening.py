"""Opening rows: which reader a file, a list or a frame needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import InputError

from .base import Rows
from .formats import format_of
from .lines import JsonLines

__all__ = ["RowData", "open_rows"]

RowData = Any  # Rows, a path, a sequence of mappings, or a frame of polars, pandas or Arrow


def open_rows(data: RowData) -> Rows:
    """Rows of a file, of a list of mappings, or of a frame. What is none of these is said plainly."""
    if isinstance(data, Rows):
        return data
    if isinstance(data, str | Path):
        return _open_file(Path(data))
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "to_dict"):
        from .frames import frame_rows

        return frame_rows(data)
    if isinstance(data, Sequence) and not isinstance(data, bytes | bytearray):
        from .records import RecordList

        return RecordList(data)
    if isinstance(data, Mapping):
        raise InputError("rows are a list of mappings, not one mapping")
    raise InputError(f"rows are a file, a list of mappings or a frame, not {type(data).__name__}")


def _open_file(path: Path) -> Rows:
    found = format_of(path)
    if found == "json lines":
        return JsonLines(path)
    if found == "json":
        from .records import JsonArray

        return JsonArray(path)
    if found == "csv":
        from .comma_separated import CommaSeparated

        return CommaSeparated(path)
    from .frames import read_parquet

    return read_parquet(path)
