"""Scoring outputs that somebody already has: JSON Lines in, a result out.

A row is ``{"contract": …, "model": …, "temperature": …, "outputs": […]}``, the outputs in the order in which they
were made. They are taken as they are: nothing is extracted unless asked for.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from assay.canonical import clean_text
from assay.errors import InputError, UnknownName
from assay.sandbox import Job, run_all
from assay.vocabulary import Flag, Result

from .cells import Cell, CellKey, Output, sorted_cells
from .contracts import Contract, load_contracts, shipped_contracts
from .extraction import extract_code
from .oracle import job_for, judge
from .protocol import Repeatability
from .scoring import Settings, find_anchors, score_cells

__all__ = ["InputRow", "read_rows", "score_rows"]


class InputRow(Struct, frozen=True):
    contract: Annotated[str, Meta(min_length=1)]
    model: str
    outputs: tuple[str, ...]
    temperature: float | None = None


def read_rows(path: Path) -> list[InputRow]:
    """JSON Lines, plain or gzipped; a line that cannot be read is named."""
    rows = []
    for number, line in _lines(path):
        try:
            rows.append(_decode_row(line))
        except RecursionError:
            raise InputError("not a row: nested too deeply", file=str(path), line=number) from None
        except ValueError as error:  # of msgspec, of json, or text that is not UTF-8
            what = str(error).replace("`", "").replace("$.", "")
            raise InputError(f"not a row: {what}", file=str(path), line=number) from None
    if not rows:
        raise InputError("there are no rows", file=str(path))
    return rows


def _decode_row(line: bytes) -> InputRow:
    try:
        return msgspec.json.decode(line, type=InputRow)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        import json  # takes escaped lone surrogates, which real outputs now and then hold

        value: Any = json.loads(line)
        row = msgspec.convert(value, InputRow)
        if row.temperature is not None and not math.isfinite(row.temperature):
            raise ValueError(f"temperature {row.temperature} is not a finite number") from None
        return row


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"the gzip file is damaged: {error}", file=str(path)) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None


def score_rows(
    path: Path,
    contracts_path: Path | None,
    *,
    settings: Settings | None = None,
    workers: int = 2,
    extract: bool = False,
    allow_unconfined_code: bool = False,
) -> Result:
    """Run every output against its contract's tests, then score the cells."""
    rows = read_rows(path)
    contracts = load_contracts(contracts_path) if contracts_path else shipped_contracts()
    seen: set[CellKey] = set()
    for row in rows:
        key = CellKey(row.contract, row.model, row.temperature)
        if row.contract not in contracts:
            raise UnknownName("contract", row.contract, contracts, file=str(path))
        if key in seen:
            raise InputError(
                f"two rows for {key.labels}; put the outputs of a cell into one row", file=str(path)
            )
        seen.add(key)
    cells = _run_oracle(rows, contracts, workers, extract, allow_unconfined_code)
    chosen = settings or Settings()
    anchors = find_anchors(cells, contracts, chosen, {})
    flags = [Flag("Limited Comparability", "not declared first")]
    return score_cells(
        cells,
        anchors,
        chosen,
        source="rows",
        version=Repeatability.version,
        extracted=extract,
        flags=flags,
    )


def _run_oracle(
    rows: Sequence[InputRow], contracts: dict[str, Contract], workers: int, extract: bool, unconfined: bool
) -> list[Cell]:
    codes: list[list[tuple[str, str]]] = []
    jobs: list[Job] = []
    for row in rows:
        contract = contracts[row.contract]
        texts = [clean_text(text)[0] for text in row.outputs]
        pairs = [(extract_code(t, contract.entry_point) if extract else t, t) for t in texts]
        codes.append(pairs)
        jobs += [job_for(contract, code) for code, _ in pairs]
    runs = iter(run_all(jobs, workers=workers, allow_unconfined_code=unconfined))
    cells = []
    for row, pairs in zip(rows, codes, strict=True):
        contract = contracts[row.contract]
        outputs = []
        for number, (code, text) in enumerate(pairs):
            found = judge(contract, next(runs).comparable())
            reply = None if code == text else text
            outputs.append(Output(number, code, found.state, found.passed, found.tests, reply))
        cells.append(Cell(CellKey(row.contract, row.model, row.temperature), outputs))
    return sorted_cells(cells)
