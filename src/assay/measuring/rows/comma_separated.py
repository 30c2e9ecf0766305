"""CSV: comma, semicolon or tab, as spreadsheets, pandas and databases write it. Every cell is text."""

from __future__ import annotations

import csv
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from assay.errors import InputError

from .base import NO_ROWS, Rows
from .formats import SEPARATORS
from .lines import MARK, open_bytes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CommaSeparated"]

AT_ONCE = 50_000  # rows that become columns together
FAULTS = {  # what the parser says, and what is to be done
    "new-line character": "a carriage return stands alone; save the file with ordinary line ends",
    "unexpected end": "a quote is opened and not closed",
}
_QUOTED = re.compile('"[^"]*"')


class _Header(NamedTuple):
    names: tuple[str, ...]
    separator: str
    marked: bool  # the first line is ``sep=;``


class CommaSeparated(Rows):
    """A header, then one record a row."""

    place: ClassVar[str] = "line"
    cells: ClassVar[bool] = True

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path

    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]:
        names = self._header().names
        for number, record in self._records():
            yield number, {name: cell for name, cell in zip(names, record, strict=True) if name}

    def _lines(self) -> Iterator[str]:
        with open_bytes(self.path) as file:
            for number, line in enumerate(file, 1):
                try:
                    text = (line.removeprefix(MARK) if number == 1 else line).decode()
                except UnicodeDecodeError:
                    raise self.error(number, "", "is not UTF-8 text; save the file in UTF-8") from None
                if "\0" in text:
                    raise self.error(number, "", "holds a NUL character, which CSV has no place for")
                yield text

    def _header(self) -> _Header:
        lines = self._lines()
        first = next((line for line in lines if line.strip()), "")
        marked = (
            first.lower().startswith("sep=") and len(first.rstrip("\r\n")) == 5
        )  # as spreadsheets write it
        bare = _QUOTED.sub("", first)
        tabs = "\t" in bare and self.path.name.lower().removesuffix(".gz").endswith(".tsv")
        separator = first[4] if marked else "\t" if tabs else max(SEPARATORS, key=bare.count)
        found = (
            (number, record) for number, record in self._parsed(separator, marked) if not _is_empty(record)
        )
        number, record = next(found, (1, []))
        names = tuple(name.strip() for name in record)
        for place, name in enumerate(names):
            if name and name in names[:place]:
                raise self.error(number, name, "the column is there twice")
        return _Header(names, separator, marked)

    def _parsed(self, separator: str, marked: bool) -> Iterator[tuple[int, list[str]]]:
        """Every record, with the line on which it begins. A blank line is none."""
        csv.field_size_limit(sys.maxsize)  # a text may be long; the limit is the module's, not a reader's
        lines = self._lines()
        begins = 1
        if marked:
            begins += sum(1 for _ in itertools.takewhile(lambda line: not line.strip(), lines)) + 1
        offset = begins - 1
        reader = csv.reader(lines, delimiter=separator, strict=True)
        while True:
            try:
                record = next(reader, None)
            except csv.Error as error:
                why = next((said for sign, said in FAULTS.items() if sign in str(error)), str(error))
                raise self.error(begins, "", f"cannot be read as CSV: {why}") from None
            if record is None:
                return
            if record:
                yield begins, record
            begins = offset + reader.line_num + 1

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """The records below the header; one of another width is refused.

        A row without content is left out, as spreadsheets leave many below a table. Of one column it is an empty text.
        """
        header = self._header()
        width = len(header.names)
        records = self._parsed(header.separator, header.marked)
        next((record for _, record in records if not _is_empty(record)), None)  # the header
        for number, record in records:
            if width > 1 and _is_empty(record):
                continue
            if len(record) != width:
                if len(record) < width or any(cell.strip() for cell in record[width:]):
                    at = header.names[len(record)] if len(record) < width else ""
                    raise self.error(number, at, f"the row has {len(record)} cells, the header has {width}")
                record = record[:width]
            yield number, record

    def frame(self, columns: Sequence[str] | None = None, own: Sequence[str] | None = None) -> pl.DataFrame:
        """All cells as text without spaces around them."""
        import polars as pl

        from .frames import named_columns

        header = self._header()
        names = named_columns(self, header.names, columns, own)
        frame = self._fast_frame(header)
        if frame is None:
            frame = self._slow_frame().with_columns(pl.all().str.strip_chars())
        if not frame.height:
            raise InputError(NO_ROWS, file=self.name)
        return frame.select(pl.col(str(place)).alias(name) for place, name in names.items())

    def _slow_frame(self) -> pl.DataFrame:
        import polars as pl

        frame = pl.DataFrame()
        records = (record for _, record in self._records())
        while chunk := list(itertools.islice(records, AT_ONCE)):
            cells = enumerate(zip(*chunk, strict=True))
            frame.vstack(
                pl.DataFrame([pl.Series(str(n), column, dtype=pl.String) for n, column in cells]),
                in_place=True,
            )
        return frame

    def _fast_frame(self, header: _Header) -> pl.DataFrame | None:
        """The frame as polars reads it. None where there may be a fault, which ``_records`` explains."""
        import polars as pl

        with open_bytes(self.path) as file:
            data = file.read().removeprefix(MARK)
        if header.marked:
            data = data.lstrip().partition(b"\n")[2]
        if not _is_regular(data, header.separator.encode(), len(header.names)):
            return None
        try:
            frame = pl.read_csv(
                data,
                infer_schema=False,
                separator=header.separator,
                has_header=False,
                new_columns=[str(place) for place in range(len(header.names))],
            )
        except pl.exceptions.PolarsError:
            return None
        frame = frame.with_columns(pl.all().str.strip_chars().fill_null(""))
        return frame.filter(pl.any_horizontal(pl.all() != ""))[1:]

    def numbers(self) -> Iterator[int]:
        return (number for number, _ in self._records())


def _is_empty(record: Sequence[str]) -> bool:
    return not any(cell.strip() for cell in record)


def _is_regular(data: bytes, separator: bytes, width: int) -> bool:
    """Has every row that many cells, and does every quote open or close a whole cell? Then all readers agree."""
    if b"\0" in data:
        return False
    bare = _without_quoted(data) if b'"' in data else data
    if b"\r" in bare:
        bare = bare.replace(b"\r\n", b"\n")
    bare = bare.strip(b"\n")
    while b"\n\n" in bare:
        bare = bare.replace(b"\n\n", b"\n")
    if b"\r" in bare or (b'"' in data and not _whole_cells(data, b"\n" + bare + b"\n", separator)):
        return False
    lines = bare.count(b"\n") + 1
    return lines > 1 and width > 1 and bare.count(separator) == lines * (width - 1)


def _without_quoted(data: bytes) -> bytes:
    """Each quoted text as one quote: where the quotes so far are odd in number, a text is open."""
    import numpy as np

    signs = np.frombuffer(data, np.uint8)
    quotes = np.cumsum(signs == ord('"'), dtype=np.uint8)  # modulo 256, which keeps odd and even
    return bytes(signs[quotes % 2 == 0])


def _whole_cells(data: bytes, bare: bytes, separator: bytes) -> bool:
    """Does every quoted text stand between separators or line ends?"""
    while b'""' in bare:  # a quote within quotes is written twice
        bare = bare.replace(b'""', b'"')
    opened = bare.count(separator + b'"') + bare.count(b'\n"')
    closed = bare.count(b'"' + separator) + bare.count(b'"\n')
    return data.count(b'"') % 2 == 0 and bare.count(b'"') == opened == closed
