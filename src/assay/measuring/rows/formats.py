"""Which format a file has: by its ending, checked against its content; without a known ending, by its content."""

from __future__ import annotations

from gzip import GzipFile
from pathlib import Path
from typing import Literal

from assay.errors import InputError

from .lines import MARK, open_bytes

__all__ = ["SEPARATORS", "Format", "format_of"]

Format = Literal["json lines", "json", "csv", "parquet"]
EXPECTED = "rows are JSON Lines, CSV or Parquet"
ENDINGS: dict[str, Format] = {
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
SEPARATORS = (",", ";", "\t")
HEAD = 4096
PARQUET = b"PAR1"
SIGNS = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"SQLite format 3": "an SQLite database",
    b"ARROW1": "an Arrow file",
    b"Obj\x01": "an Avro file",
    b"BZh": "packed with bzip2",
    b"\xfd7zXZ": "packed with xz",
    b"\x28\xb5\x2f\xfd": "packed with zstd",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
}


def format_of(path: Path) -> Format:
    """The format of a file's rows. A file of another kind is said to be that."""
    with open_bytes(path) as file:
        head = file.read(HEAD)
        packed = isinstance(file, GzipFile)
    name = path.name.lower().removesuffix(".gz")
    ending = next((one for one in ENDINGS if name.endswith(one)), "")
    named = ENDINGS.get(ending)
    _refuse_other_kinds(head, path, packed, ending)
    text = head.removeprefix(MARK).lstrip()
    if head.startswith(PARQUET):
        return "parquet"
    if not text:
        return named if named in ("csv", "json lines") else "json lines"
    seen = _seen(text)
    if named is None:
        if seen is None:
            raise InputError(f"is nothing that is known here; {EXPECTED}", file=str(path))
        return seen
    if named == "parquet":
        looks = f"; it looks like {_TITLES[seen]}" if seen else ""
        raise InputError(f"is no Parquet file{looks}", file=str(path))
    if named == "csv" and seen in ("json", "json lines"):
        raise InputError(f"holds JSON, not CSV; name it {path.stem}.jsonl", file=str(path))
    if named == "json lines" and seen == "csv":
        line = head.removeprefix(MARK).count(b"\n", 0, len(head) - len(text)) + 1
        raise InputError("not a row: it looks like CSV; name the file .csv", file=str(path), line=line)
    return "json lines" if named == "json" and seen != "json" else named


_TITLES = {"json lines": "JSON Lines", "json": "JSON", "csv": "CSV"}


def _seen(text: bytes) -> Format | None:
    """What a text looks like."""
    if text.startswith(b"{"):
        return "json lines"
    if text.startswith(b"["):
        return "json"
    first = text.splitlines()[0]
    return "csv" if any(sign.encode() in first for sign in SEPARATORS) and b"{" not in first else None


def _refuse_other_kinds(head: bytes, path: Path, packed: bool, ending: str) -> None:
    def refusal(what: str) -> InputError:
        inside = ", packed with gzip" if packed else ""
        return InputError(f"is {what}{inside}; {EXPECTED}", file=str(path))

    if head.startswith((b"\xff\xfe", b"\xfe\xff")) or head[1:8:2] == b"\0\0\0\0" or head[:8:2] == b"\0\0\0\0":
        raise InputError(f"is UTF-16 text; save it as {_said(ending)} in UTF-8", file=str(path))
    if head.startswith(PARQUET):
        if packed:
            raise InputError("is a Parquet file, packed with gzip; unpack it", file=str(path))
        if ending not in ("", ".parquet"):
            raise InputError(
                f"is a Parquet file, though its name ends in {ending}; name it .parquet", file=str(path)
            )
        return
    for sign, what in SIGNS.items():
        if head.startswith(sign):
            excel = sign.startswith(b"PK") and (b"[Content_Types].xml" in head or b"xl/" in head)
            raise refusal("an Excel file" if excel else what)
    start = head.removeprefix(MARK).lstrip()[:20].lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        raise refusal("an HTML page")
    if start.startswith(b"<?xml"):
        raise refusal("an XML file")
    if b"\0" in head.partition(b"\n")[0]:  # further down, the reader names the line
        raise refusal("a binary file")


def _said(ending: str) -> str:
    return _TITLES.get(ENDINGS.get(ending, "csv"), "CSV")
