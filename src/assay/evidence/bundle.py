"""A bundle: a closed run as one file, with a signed manifest of everything in it.

The manifest, ``bundle.json``, is signed as a run's own manifests are: an in-toto statement in a DSSE envelope whose
subjects are the files with their digests. It holds no time, so the same run packed by the same key is the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from assay import __version__
from assay.canonical import sha256_hex
from assay.errors import InputError, IntegrityError
from assay.signing import open_envelope, sign_statement

from .archive import write_archive
from .files import read_whole
from .manifest import file_digest, manifest_paths

__all__ = ["BUNDLE_NAME", "BundleManifest", "BundleSeal", "check_bundle", "read_bundle", "write_bundle"]

BUNDLE_NAME = "bundle.json"
PREDICATE = "urn:assay:bundle:1"
LARGEST = 64 << 20  # bytes of the manifest


class BundleManifest(Struct, frozen=True):
    lock: str  # digest of the run's lock
    sealed: str  # SHA-256 of the run's last manifest
    assay: str  # version that packed it
    sizes: dict[str, int]  # bytes of every file


class BundleSeal(NamedTuple):
    """A bundle's manifest as it was signed."""

    manifest: BundleManifest
    digests: dict[str, str]
    keyid: str


def write_bundle(
    path: Path, folder: Path, lock: str, files: Mapping[str, Path | bytes], signer: Any
) -> BundleSeal:
    """Pack files of a run whose ledger is in ``folder``, and sign what was packed."""
    digests, sizes = {}, {}
    for name, content in sorted(files.items()):
        if name == BUNDLE_NAME:
            raise InputError(f"{name}: no file of a run can have this name in a bundle")
        if isinstance(content, bytes):
            digests[name], sizes[name] = sha256_hex(content), len(content)
        elif content.is_symlink():
            raise InputError(f"{name}: a link, and a bundle has ordinary files only")
        else:
            digests[name], sizes[name] = file_digest(content), content.stat().st_size
    manifest = BundleManifest(lock, _sealed(folder), __version__, sizes)
    seal = sign_statement(signer, digests, PREDICATE, msgspec.to_builtins(manifest))
    try:
        packed = write_archive(path, {**files, BUNDLE_NAME: seal})
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    if changed := [name for name in digests if packed[name] != digests[name]]:
        path.unlink()
        raise IntegrityError(f"{changed[0]}: was changed while it was being packed")
    return BundleSeal(manifest, digests, signer.public_key.keyid)


def _sealed(folder: Path) -> str:
    paths = manifest_paths(folder)
    return sha256_hex(read_whole(paths[-1])) if paths else ""


def read_bundle(root: Path, signers: Sequence[str] = ()) -> BundleSeal:
    """The manifest of an unpacked bundle, its signature checked."""
    try:
        data = read_whole(root / BUNDLE_NAME, LARGEST)
    except FileNotFoundError:
        raise IntegrityError(f"there is no {BUNDLE_NAME}: nobody signed what is in it") from None
    envelope = open_envelope(data, BUNDLE_NAME, signers=signers)
    if envelope.predicate_type != PREDICATE:
        raise IntegrityError(f"{BUNDLE_NAME}: a signed file, but not the manifest of a bundle")
    try:
        manifest = msgspec.convert(envelope.predicate, BundleManifest)
    except msgspec.ValidationError as error:
        raise IntegrityError(
            f"{BUNDLE_NAME}: not the manifest of a bundle of this version ({error})"
        ) from None
    if manifest.sizes.keys() != envelope.subjects.keys():
        raise IntegrityError(f"{BUNDLE_NAME}: has sizes of other files than it signs")
    return BundleSeal(manifest, envelope.subjects, envelope.keyid)


def check_bundle(root: Path, ledger: Path, lock: str, seal: BundleSeal) -> list[str]:
    """Everything in which an unpacked bundle is not what its manifest says, in words."""
    faults = []
    if seal.manifest.lock != lock or seal.manifest.sealed != _sealed(ledger):
        faults.append(f"{BUNDLE_NAME}: was made for another run")
    there = {path.relative_to(root).as_posix(): path for path in _files(root)}
    there.pop(BUNDLE_NAME, None)
    faults += [f"{name}: is not in the bundle" for name in sorted(seal.digests.keys() - there.keys())]
    faults += [
        f"{name}: {BUNDLE_NAME} does not name it" for name in sorted(there.keys() - seal.digests.keys())
    ]
    for name in sorted(there.keys() & seal.digests.keys()):
        if there[name].stat().st_size != seal.manifest.sizes[name]:
            faults.append(f"{name}: does not have the size that was signed with the bundle")
        elif file_digest(there[name]) != seal.digests[name]:
            faults.append(f"{name}: not the file that was signed with the bundle")
    return faults


def _files(root: Path) -> list[Path]:
    return [Path(where, name) for where, _, names in os.walk(root) for name in names]
