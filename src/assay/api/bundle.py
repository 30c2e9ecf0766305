"""`assay.bundle`: a closed run as one signed file that anyone can audit."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.bench import RunFolder
from assay.errors import InputError
from assay.evidence.bundle import write_bundle
from assay.evidence.manifest import file_digest, sealed_files
from assay.report.crate import CRATE_NAME, describe_crate
from assay.report.document import is_document
from assay.signing import load_key
from assay.study import Lock
from assay.vocabulary import Reading

from .arguments import signers_of

__all__ = ["BundleReport", "bundle"]

_PATH = re.compile(r"(?:/|~|[A-Za-z]:[\\/])[^\s]*[^\s/]")
_CHUNK = 1 << 20


class BundleReport(Struct, frozen=True, kw_only=True):
    """What was packed, and who signed it. ``notes`` says what a reader of it learns of this machine."""

    file: str
    files: int
    bytes: int  # of the files together
    packed: int  # of the bundle
    keyid: str
    notes: tuple[str, ...] = ()


def bundle(
    run: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    signed_by: str | Sequence[str] | None = None,
    force: bool = False,
) -> BundleReport:
    """Pack a closed run that is what was signed into one file, RUN-bundle.zip by default, for ``assay audit``."""
    folder = RunFolder.find(Path(run))
    place = Path(out) if out is not None else Path(f"{folder.path.resolve().name}-bundle.zip")
    if place.exists() and not force:
        raise InputError(f"{place} exists already; name another file, or replace it with --force")
    if place.is_dir():
        raise InputError(f"{place} is a folder; name a file")
    sealed = folder.read_sealed(signers_of(signed_by, folder))
    paths = sealed_files(folder.ledger, folder.path)
    drawn = (folder.report_path, *sorted(folder.path.glob("documents/*")))
    for path in drawn:
        name = path.relative_to(folder.path).as_posix()
        if path.is_file() and not path.is_symlink() and (path == folder.report_path or is_document(name)):
            paths[name] = path
    sizes = {name: path.stat().st_size for name, path in paths.items()}
    digests = {name: file_digest(path) for name, path in paths.items()}
    crate = describe_crate(sealed.lock, sealed.readings, sizes, digests)
    signer = load_key(None if key is None else Path(key))
    seal = write_bundle(place, folder.ledger, sealed.lock.digest, {**paths, CRATE_NAME: crate}, signer)
    return BundleReport(
        file=str(place),
        files=len(seal.digests) + 1,
        bytes=sum(seal.manifest.sizes.values()),
        packed=place.stat().st_size,
        keyid=seal.keyid,
        notes=tuple(_notes(sealed.lock, sealed.readings, paths, seal.keyid)),
    )


def _notes(
    lock: Lock, readings: Mapping[str, Reading], paths: Mapping[str, Path], keyid: str
) -> Iterator[str]:
    if keyid != lock.keyid:
        both = f"--signed-by {lock.keyid[:16]} --signed-by {keyid[:16]}"
        yield f"signed by another key than the run; who audits it has to name both: {both}"
    for name, file in lock.files.items():
        yield f"{name} is the file {file.file}, and no part of the bundle: send it along (--instrument)"
    told = [("the lock", msgspec.to_builtins(lock))]
    told += [
        (f"the reading of {n}", {k: r.envelope.get(k) for k in ("environment", "subjects")})
        for n, r in readings.items()
    ]
    for what, value in told:
        for where, path in _machine_paths(value):
            yield f"{what} names a path of a machine, {where}: {path}"
    home, host = str(Path.home()), platform.node()
    for word, what in ((home, "your home folder"), (host, "this machine's name")):
        if len(word) >= 6 and word not in ("localhost", "/"):
            found = sorted(name for name, path in paths.items() if _holds(path, word.encode()))
            if found:
                yield f"{what} ({word}) stands in {', '.join(found[:5])}{' and others' if len(found) > 5 else ''}"


def _machine_paths(value: Any, where: str = "") -> Iterator[tuple[str, str]]:
    """Texts that are nothing but an absolute path, with the fields they stand in."""
    if isinstance(value, str):
        if _PATH.fullmatch(value):
            yield where, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name != "materials":  # items and prompts, which may speak of any path
                yield from _machine_paths(inner, f"{where}.{name}" if where else str(name))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _machine_paths(inner, f"{where}[{number}]")


def _holds(path: Path, word: bytes) -> bool:
    """Whether a file holds a word, a piece in memory at a time."""
    with path.open("rb") as file:
        before = b""
        while chunk := file.read(_CHUNK):
            if word in before + chunk:
                return True
            before = chunk[-len(word) :]
    return False
