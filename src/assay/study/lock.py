"""The lock: digest, time and signature over the study and everything it draws in.

A lock is portable. It carries the materials themselves (items, contracts, an older canon), so it can be made
on one machine and run on another. Its digest covers study, materials, versions and the digests of instruments' files,
but not the time, so the same declaration has the same digest everywhere.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from assay import __version__
from assay.canonical import decode, digest, encode
from assay.errors import InputError, IntegrityError
from assay.evidence.files import read_whole
from assay.signing import load_key, open_envelope, sign_statement

from .model import Study
from .source import convert

__all__ = ["Lock", "LockedFile", "make_lock", "read_lock", "write_lock"]

PREDICATE = "urn:assay:lock:2"  # 2: a trial has a stage and factors
T = TypeVar("T")


class LockedFile(Struct, frozen=True):
    """An instrument that is a file of the user's own: how it was called, and what was in it."""

    file: str
    sha256: str


class Lock(Struct, frozen=True, kw_only=True):
    """What a run starts from. A changed study is a new lock."""

    study: Study
    materials: dict[str, Any]  # instrument → what it draws in
    versions: dict[str, str]  # assay and each instrument
    files: dict[str, LockedFile] = {}  # instrument → its file, where it is not an installed one
    created: str
    digest: str
    keyid: str = ""

    def options(self, instrument: str, to: type[T]) -> T:
        return convert(self.study.options[instrument], to, at=("instruments", instrument))


def make_lock(
    study: Study,
    materials: dict[str, Any],
    versions: dict[str, str],
    files: Mapping[str, LockedFile] = MappingProxyType({}),
) -> Lock:
    lock = Lock(
        study=study,
        materials=decode(encode(materials)),  # as whoever reads the lock will find them
        versions={"assay": __version__, **versions},
        files=dict(files),
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        digest="",
    )
    return msgspec.structs.replace(lock, digest=_digest(msgspec.to_builtins(lock)))


def _digest(lock: dict[str, Any]) -> str:
    return digest({part: lock[part] for part in ("study", "materials", "versions", "files")})


def write_lock(lock: Lock, path: Path, key: Path | None = None) -> Path:
    """Sign it and write it. An existing lock is never overwritten."""
    predicate = msgspec.to_builtins(lock)
    del predicate["digest"], predicate["keyid"]
    data = sign_statement(load_key(key), {"study": lock.digest}, PREDICATE, predicate)
    try:
        _write_once(path, data)
    except FileExistsError:
        raise InputError(f"{path} exists already; a lock is never overwritten") from None
    except OSError as error:
        raise InputError(f"the lock {path} cannot be written: {error.strerror}") from None
    return path


def _write_once(path: Path, data: bytes) -> None:
    """All of it or nothing: a lock that was cut short could be neither run nor made again."""
    with path.open("xb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            path.unlink()
            raise


def _maker(predicate: Any) -> str:
    """The version of Assay that a lock says it was made by."""
    versions = predicate.get("versions") if isinstance(predicate, dict) else None
    found = versions.get("assay") if isinstance(versions, dict) else None
    return found if isinstance(found, str) else "of an unknown version"


def read_lock(path: Path, *, signers: Sequence[str] = ()) -> Lock:
    """Read a lock, its signature and its digest checked."""
    try:
        data = read_whole(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    signed = open_envelope(data, path.name, signers=signers)
    if signed.predicate_type != PREDICATE:
        if signed.predicate_type.startswith(PREDICATE.rpartition(":")[0]):
            raise InputError(
                f"{path}: made by Assay {_maker(signed.predicate)}, whose runs Assay {__version__} cannot read; "
                "install that version, or lock the study anew"
            )
        raise InputError(f"{path} is a signed file, but not a lock")
    try:
        body = signed.predicate
        lock = convert({**body, "digest": signed.subjects["study"], "keyid": signed.keyid}, Lock)
        found = _digest(body)
    except (InputError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path}: made by Assay {_maker(signed.predicate)}, and Assay {__version__} cannot read it "
            f"({error}); install that version, or lock the study anew"
        ) from None
    if found != lock.digest:
        raise IntegrityError(f"{path.name}: the content does not have the digest that was signed")
    return lock
