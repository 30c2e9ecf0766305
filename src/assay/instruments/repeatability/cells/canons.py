"""Canons as files: content-addressed, never rewritten."""

from __future__ import annotations

from pathlib import Path

from assay.canonical import encode
from assay.errors import InputError, IntegrityError
from assay.instruments.repeatability.kinds import kind_of
from assay.instruments.repeatability.programs.contracts import Contract, read_data
from assay.study import convert

from .cell import Canon

__all__ = ["canon_bytes", "load_canons", "read_canon"]


def canon_bytes(canon: Canon) -> bytes:
    """A canon's file. Its name is the canon's digest, so it can be made anew but never changed."""
    return encode(canon) + b"\n"


def load_canons(path: Path, contracts: dict[str, Contract]) -> dict[str, Canon]:
    """Declared canons, by contract: a canon file, or a folder of them. Each must answer the same contract."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"there are no canons in {path}")
    found: dict[str, Canon] = {}
    for file in files:
        canon = read_canon(file, contracts)
        if canon is None:
            continue
        if canon.contract in found:
            raise InputError(
                f"{file}: a second canon for {canon.contract!r}; a declared canon is the only one, so name its "
                "file (drift_from holds every cell against its own)"
            )
        found[canon.contract] = canon
    if not found:
        raise InputError(f"none of the canons in {path} belongs to a contract of the study")
    return found


def read_canon(file: Path, contracts: dict[str, Contract]) -> Canon | None:
    """A canon that is what its name says and answers one of the contracts as it is now; None for another's."""
    source = read_data(file)
    canon = convert(source.value, Canon, source)
    if file.stem != canon.digest and len(file.stem) == 64:
        raise IntegrityError(f"{file} is not the canon that its name says")
    contract = contracts.get(canon.contract)
    if contract is None:
        return None
    if canon.snapshot != contract.snapshot:
        raise InputError(f"{file}: was made for another version of the contract {canon.contract!r}")
    kind = kind_of(contract)
    if canon.oracle != kind.oracle or canon.normalisation != kind.normalisation:
        raise InputError(
            f"{file}: was made with {canon.oracle} and {canon.normalisation}; it holds within those only"
        )
    return canon
