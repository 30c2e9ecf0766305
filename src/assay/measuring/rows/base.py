"""``Rows``: numbered mappings from any source, typed or as a frame, and errors that name their place."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from assay.errors import InputError
from assay.study.labels import LabelBook

from .fields import convert_row
from .values import FieldError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NO_ROWS", "Rows", "refuse_duplicates"]

T = TypeVar("T")
NO_ROWS = "there are no rows"
LONGEST = 500  # characters of a message


class Rows(ABC):
    """Rows that somebody brings. They can be gone through several times.

    A row's number is its line where the source has lines (of a record over several lines, the first), else its
    place from 1. ``cells``: every value is the text of a cell.
    """

    place: ClassVar[str] = "row"  # what is numbered: "line" or "row"
    cells: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name  # of the file as it was given, or what stands for one
        self._labels = LabelBook()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every row with its number, as it was written. A source without rows is an error."""
        number = 0
        for number, row in self._read():
            yield number, row
        if not number:
            raise InputError(NO_ROWS, file=self.name)

    @abstractmethod
    def _read(self) -> Iterator[tuple[int, dict[str, Any]]]: ...

    def typed(self, kind: type[T]) -> list[tuple[int, T]]:
        """Every row as a value of ``kind``, a struct of msgspec, with its number.

        A field that is empty is absent. A field that is nearly one of ``kind``'s is refused; other fields are let
        pass, unless ``kind`` forbids them.
        """
        return [(number, self.convert(number, row, kind)) for number, row in self]

    def convert(self, number: int, row: Mapping[str, Any], kind: type[T]) -> T:
        """One row of these as a value of ``kind``."""
        try:
            found = convert_row(row, kind, cells=self.cells)
        except FieldError as error:
            raise self.error(number, error.field, error.message) from None
        except RecursionError:
            raise self.error(number, "", "not a row: nested too deeply") from None
        subject = getattr(found, "subject", None)
        if isinstance(subject, str) and (fault := self._labels.fault(subject, number, self.place)):
            raise self.error(number, "subject", fault)
        return found

    def frame(self, columns: Sequence[str] | None = None, own: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows as a frame, for whoever works on a million. ``number_at`` gives a row's number by its index.

        With ``columns``, every value of them must be a single one, and any other column is refused. With ``own`` it
        is let pass instead, whatever it holds: fields of a user's own, as far as their names are known.
        """
        from .frames import frame_of_rows

        return frame_of_rows(self, columns, own)

    def numbers(self) -> Iterator[int]:
        """The numbers of the rows of ``frame``, in order; maybe more than there are rows."""
        return itertools.count(1)

    def number_at(self, index: int) -> int:
        """The number of the row at an index of ``frame``."""
        return next(itertools.islice(self.numbers(), index, None))

    def error(self, number: int | None, field: str, message: str) -> InputError:
        """An error that names the place: file, line or row, and field."""
        what = _cut(f"{field}: {message}" if field else message)
        if number is None:
            return InputError(what, file=self.name)
        if self.place == "line":
            return InputError(what, file=self.name, line=number)
        return InputError(f"row {number}{', ' if field else ': '}{what}", file=self.name)


def _cut(text: str) -> str:
    """One line, whatever a field holds; a long text loses its middle, for names and advice stand at the ends."""
    line = " ".join(text.splitlines())
    return line if len(line) <= LONGEST else f"{line[: LONGEST // 2]} … {line[-LONGEST // 4 :]}"


def refuse_duplicates(
    rows: Rows,
    numbered: Iterable[tuple[int, T]],
    key: Callable[[T], Hashable],
    field: str = "",
    *,
    message: Callable[[T], str] = lambda row: "the same row again",
    advice: str = "",
) -> None:
    """Refuse a second row with the same key, naming both places."""
    seen: dict[Hashable, int] = {}
    for number, row in numbered:
        first = seen.setdefault(key(row), number)
        if first != number:
            raise rows.error(number, field, f"{message(row)}, after {rows.place} {first}{advice}")
