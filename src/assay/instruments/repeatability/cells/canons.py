"""Canons as files: content-addressed, never rewritten."""

from __future__ import annotations

from pathlib import Path

from assay.canonical import encode
from assay.errors import InputError, IntegrityError
from assay.instruments.repeatability.kinds import OutputKind, kind_of
from assay.instruments.repeatability.programs.contracts import Contract, read_data
from assay.instruments.repeatability.programs.normalisation import signature
from assay.study import convert

from .cell import PYTHON, Canon
from .records import rule_versions

__all__ = ["canon_bytes", "load_canons", "make_canon", "read_canon"]

AGAIN = "run its study again with this version, and declare the canons of that run"


def make_canon(contract: str, snapshot: str, code: str, kind: OutputKind = PYTHON) -> Canon:
    """A canon of the present versions."""
    normalised = kind.forms(code).text
    return Canon(
        contract=contract,
        snapshot=snapshot,
        code=code,
        normalised=normalised,
        signature=signature(normalised),
        versions=rule_versions([kind]),
    )


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
    given = source.value
    if isinstance(given, dict) and "normalisation" in given and "versions" not in given:
        made = f"{given.get('oracle')}, {given['normalisation']}"
        raise InputError(
            f"{file}: a canon of an earlier version of Assay ({made}), without its normalised code, signature and "
            f"versions; {AGAIN}"
        )
    canon = convert(given, Canon, source)
    if file.stem != canon.digest and len(file.stem) == 64:
        raise IntegrityError(f"{file} is not the canon that its name says")
    contract = contracts.get(canon.contract)
    if contract is None:
        return None
    if canon.snapshot != contract.snapshot:
        raise InputError(f"{file}: was made for another version of the contract {canon.contract!r}")
    kind = kind_of(contract)
    _check_versions(file, canon, rule_versions([kind]))
    normalised = kind.forms(canon.code).text
    if (canon.normalised, canon.signature) != (normalised, signature(normalised)):
        raise IntegrityError(f"{file}: its normalised code or its signature is not that of its code")
    return canon


def _check_versions(file: Path, canon: Canon, present: dict[str, str]) -> None:
    """Spec, Version Requirements: "Canon established with version X only valid for version X"."""
    names = sorted(present.keys() | canon.versions.keys())
    other = [
        f"{name} {canon.versions.get(name, 'unknown')}, here it is {present.get(name, 'unknown')}"
        for name in names
        if canon.versions.get(name) != present.get(name)
    ]
    if other:
        raise InputError(
            f"{file}: was made with {'; '.join(other)}. A canon holds within its versions only: {AGAIN}"
        )
