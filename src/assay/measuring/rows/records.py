"""Rows that are values already: a list of mappings, or one JSON array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .base import Rows
from .json_text import decode_json, why_not_json
from .lines import MARK, open_bytes
from .values import FieldError

__all__ = ["JsonArray", "RecordList"]


class RecordList(Rows):
    """A list of mappings."""

    def __init__(self, records: Sequence[Any], name: str = "rows") -> None:
        super().__init__(name)
        self._records = records

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, record in enumerate(self._records, 1):
            if not isinstance(record, Mapping):
                raise self.error(number, "", f"must be a mapping, not {type(record).__name__}")
            if any(not isinstance(name, str) for name in record):
                raise self.error(number, "", "the names of fields must be text")
            yield number, dict(record)


class JsonArray(RecordList):
    """A file with one JSON array of objects."""

    def __init__(self, path: Path) -> None:
        with open_bytes(path) as file:
            data = file.read().removeprefix(MARK)
        super().__init__((), str(path))
        try:
            found = decode_json(data)
        except FieldError as error:
            row, _, field = error.field.removeprefix("[").partition("]")
            raise self.error(int(row) + 1, field.removeprefix("."), error.message) from None
        except ValueError as error:
            raise self.error(None, "", f"not JSON: {why_not_json(error)}") from None
        except RecursionError:
            raise self.error(None, "", "not JSON: nested too deeply") from None
        if not isinstance(found, list):
            raise self.error(None, "", "must be one JSON array of rows, or JSON Lines")
        self._records = found
