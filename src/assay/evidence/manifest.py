"""Closing a ledger: a signed manifest of its chain, and the check of a closed run.

The manifest holds, for every segment, the number of events, the final head and the head at every 1,000th
event, and the digest of every attached file. A ledger that was altered and hashed anew agrees with itself but
not with the manifest, and the checkpoints say in which stretch it parted.
"""

from __future__ import annotations

import datetime
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from assay.canonical import sha256_hex
from assay.errors import InputError, IntegrityError, StorageFull
from assay.signing import Signed, open_envelope, sign_statement

from .chain import LONGEST, genesis, read_lines
from .events import decode_event
from .files import read_whole, write_whole
from .ledger import CHALLENGE, challenge_paths, segment_paths

__all__ = [
    "CHALLENGE_FILES",
    "Manifest",
    "SegmentSeal",
    "add_challenge",
    "check_ends",
    "check_name",
    "file_digest",
    "is_plain",
    "is_reopened",
    "keep_earlier",
    "manifest_paths",
    "sealed_challenges",
    "sealed_files",
    "sealing_time",
    "unsealed",
    "verify_closed",
    "write_manifest",
]

CHECKPOINT = 1000  # events between two heads that the manifest holds
PREDICATE = "urn:assay:manifest:1"
CHALLENGE_FILES = "challenge/"  # begins the names of files that came with a challenge


class SegmentSeal(Struct, frozen=True):
    name: str
    events: int
    head: str
    checkpoints: tuple[tuple[int, str], ...]


class Manifest(Struct, frozen=True):
    lock: str
    segments: tuple[SegmentSeal, ...]
    attachments: dict[str, str]
    previous: str | None
    created: str = ""  # when it was sealed, by the machine's own clock; manifests of 0.4.0 do not say


def manifest_paths(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("manifest-[0-9][0-9][0-9][0-9].json") if path.is_file())


def write_manifest(folder: Path, lock: str, attachments: dict[str, Path], signer: Any) -> Path:
    """Seal the ledger as it stands. Later evidence gets a new manifest that names this one."""
    for name in attachments:
        check_name(name)
    earlier = manifest_paths(folder)
    manifest = Manifest(
        lock=lock,
        segments=tuple(_seal(path, lock) for path in _all_segments(folder)),
        attachments={name: file_digest(path) for name, path in sorted(attachments.items())},
        previous=sha256_hex(earlier[-1].read_bytes()) if earlier else None,
        created=_now(),
    )
    subjects = {seal.name: seal.head for seal in manifest.segments}
    data = sign_statement(signer, subjects, PREDICATE, msgspec.to_builtins(manifest))
    number = int(earlier[-1].stem.removeprefix("manifest-")) + 1 if earlier else 1
    path = folder / f"manifest-{number:04d}.json"
    try:
        write_whole(path, data)
    except OSError as error:
        raise StorageFull(f"the manifest {path} could not be written: {error.strerror}") from error
    return path


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _all_segments(folder: Path) -> list[Path]:
    return [*segment_paths(folder), *challenge_paths(folder)]


def add_challenge(folder: Path, lock: str, attachments: Path, files: dict[str, Path], signer: Any) -> Path:
    """Seal what came after the run was closed. All that was sealed before stays, whoever signs this."""
    before = _open_manifest(manifest_paths(folder)[-1], ())[1].attachments
    return write_manifest(folder, lock, {name: attachments / name for name in before} | files, signer)


def _only_adds_challenge(before: Manifest | None, after: Manifest) -> bool:
    """Whether a manifest seals all that the one before it does, as it was, and more only of a challenge: such a one
    may be signed by anybody. Nothing that is scored is read from what it adds.
    """
    if before is None:
        return False
    more = [seal for seal in after.segments if seal not in before.segments]
    new = after.attachments.keys() - before.attachments.keys()
    return (
        set(before.segments) <= set(after.segments)
        and bool(more)
        and all(seal.name.startswith(CHALLENGE) for seal in more)
        and before.attachments.items() <= after.attachments.items()
        and all(name.startswith(CHALLENGE_FILES) for name in new)
    )


def sealed_challenges(folder: Path) -> dict[str, tuple[str, Manifest, Manifest]]:
    """Segment of a challenge → SHA-256 of the manifest before it, that manifest, and the one that seals it."""
    found: dict[str, tuple[str, Manifest, Manifest]] = {}
    before: tuple[str, Manifest] | None = None
    for path in manifest_paths(folder):
        manifest = _open_manifest(path, ())[1]
        if before is not None:
            for seal in manifest.segments:
                if seal.name.startswith(CHALLENGE):
                    found.setdefault(seal.name, (*before, manifest))
        before = (sha256_hex(read_whole(path)), manifest)
    return found


def check_name(name: str) -> str:
    """The name of an attachment, refused where it would lead out of the run's folder."""
    if not isinstance(name, str) or not is_plain(name):
        raise InputError(f"{name!r}: an attachment is named by its path below the run's folder")
    return name


def is_plain(name: str) -> bool:
    """A relative path in its normal spelling that stays below the folder it starts from."""
    pure = PurePosixPath(name)
    ordinary = not pure.is_absolute() and ".." not in pure.parts and "\0" not in name and "\\" not in name
    return ordinary and name not in ("", ".") and str(pure) == name


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seal(path: Path, lock: str) -> SegmentSeal:
    head, count, checkpoints = genesis(lock, path.name), 0, []
    for line in read_lines(path, head):
        head, count = line.hash, line.number
        if count % CHECKPOINT == 0:
            checkpoints.append((count, head.decode()))
    return SegmentSeal(path.name, count, head.decode(), tuple(checkpoints))


def is_reopened(folder: Path, lock: str) -> bool:
    """Whether a closed run was begun again to ask its lost trials, and is not closed yet."""
    paths = manifest_paths(folder)
    if not paths:
        return False
    try:
        sealed = {seal.name for seal in _open_manifest(paths[-1], ())[1].segments}
        sealed = {name for name in sealed if not name.startswith(CHALLENGE)}
        later = [path for path in segment_paths(folder) if path.name not in sealed]
        if not later or (sealed and later[0].name < max(sealed)):
            return False
        if _is_empty(later[0]):  # killed before anything was written
            return True
        event = decode_event(next(read_lines(later[0], genesis(lock, later[0].name))).event)
    except IntegrityError:
        return False
    return event.kind == "run" and isinstance(event.data, dict) and "retry" in event.data


def _is_empty(path: Path) -> bool:
    with path.open("rb") as file:
        return not file.readline(LONGEST).endswith(b"\n")


def check_ends(folder: Path) -> list[str]:
    """What is seen to be wrong with a sealed ledger by the ends of its segments alone, without reading all of it."""
    paths = manifest_paths(folder)
    if not paths:
        return []
    try:
        seals = _open_manifest(paths[-1], ())[1].segments
    except IntegrityError as error:
        return [str(error)]
    present = {path.name: path for path in _all_segments(folder)}
    faults = []
    for seal in seals:
        if seal.name not in present:
            faults.append(f"{seal.name}: a segment of the ledger is missing")
        elif seal.events and _last_head(present[seal.name]) != seal.head.encode():
            faults.append(f"{seal.name}: does not end as it was signed")
    return faults


def _last_head(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 67))
        return file.read(67)[:-3]


def verify_closed(
    folder: Path, lock: str, attachments: Path, *, signers: Sequence[str] = (), reopened: bool = False
) -> tuple[list[str], list[Signed]]:
    """Everything that is wrong with a closed ledger, in words; empty when nothing is.

    Of one that was ``reopened`` what is sealed is checked; there are later segments, and its files are not final.
    Given are also the manifests, with who signed them, but for those that only add a challenge: their signers are
    those of the challenge.
    """
    faults: list[str] = []
    signed: list[Signed] = []
    previous: str | None = None
    before: Manifest | None = None
    paths = manifest_paths(folder)
    if not paths:
        return ["the run was never closed: it has no manifest"], signed
    for number, path in enumerate(paths):
        try:
            envelope, manifest = _open_manifest(path, ())
            if not _only_adds_challenge(before, manifest):
                envelope, manifest = _open_manifest(path, signers)
                signed.append(envelope)
        except IntegrityError as error:
            faults.append(str(error))
            continue
        before = manifest
        if manifest.lock != lock:
            faults.append(f"{path.name}: was made for another lock")
        if manifest.previous != previous:
            faults.append(f"{path.name}: does not follow from the manifest before it")
        previous = sha256_hex(read_whole(path))
        last = number == len(paths) - 1
        faults += _check_segments(folder, lock, manifest, complete=last and not reopened)
        if last and not reopened:
            faults += _check_files(attachments, manifest.attachments)
        elif not last:
            faults += _check_kept(attachments, path, manifest)
    return faults, signed


def keep_earlier(folder: Path, attachments: Path) -> dict[str, Path]:
    """Before a run is closed again: what earlier manifests sealed and is there still, readings under ``earlier/NNNN``.

    All of it stays sealed. A reading is moved there by copying, as long as it is the one that was sealed.
    """
    found: dict[str, Path] = {}
    for manifest in manifest_paths(folder):
        for name, sha256 in _open_manifest(manifest, ())[1].attachments.items():
            path, kept = attachments / name, _kept_path(attachments, manifest, name)
            if not is_plain(name):
                continue
            if name.startswith("reading-"):
                if path.is_file() and file_digest(path) == sha256:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    write_whole(kept, read_whole(path))
                path = kept
            if path.is_file() and file_digest(path) == sha256:
                found[path.relative_to(attachments).as_posix()] = path
    return found


def _kept_path(attachments: Path, manifest: Path, name: str) -> Path:
    return attachments / "earlier" / manifest.stem.removeprefix("manifest-") / name


def _check_kept(attachments: Path, path: Path, manifest: Manifest) -> list[str]:
    """The readings of an earlier closing are kept as they were sealed, or are still the readings."""
    faults = []
    for name, sha256 in manifest.attachments.items():
        if name.startswith("reading-") and is_plain(name):
            places = (_kept_path(attachments, path, name), attachments / name)
            if not any(one.is_file() and file_digest(one) == sha256 for one in places):
                faults.append(f"{name}: the one that {path.name} sealed is not kept")
    return faults


def sealing_time(folder: Path) -> str:
    """When the last manifest was made, as it says; empty where it does not, or cannot be read."""
    try:
        return _open_manifest(manifest_paths(folder)[-1], ())[1].created
    except (IndexError, IntegrityError):
        return ""


def sealed_files(folder: Path, attachments: Path) -> dict[str, Path]:
    """All that makes up a closed run, by name: manifests, segments, and what the last manifest names."""
    manifests = manifest_paths(folder)
    named = _open_manifest(manifests[-1], ())[1].attachments
    own = (*manifests, *segment_paths(folder), *_named_challenges(folder))
    return {path.relative_to(attachments).as_posix(): path for path in own} | {
        check_name(name): attachments / name for name in named
    }


def _named_challenges(folder: Path) -> list[Path]:
    """Segments of challenges that the last manifest seals."""
    named = {seal.name for seal in _open_manifest(manifest_paths(folder)[-1], ())[1].segments}
    return [path for path in challenge_paths(folder) if path.name in named]


def unsealed(folder: Path, attachments: Path) -> list[str]:
    """What lies in a run's folder that its last manifest does not name, manifests and segments apart."""
    try:
        named = _open_manifest(manifest_paths(folder)[-1], ())[1].attachments
    except (IndexError, IntegrityError):
        return []
    sealed = (*manifest_paths(folder), *segment_paths(folder), *_named_challenges(folder))
    ours = {path.resolve() for path in sealed}
    there = (Path(where, name) for where, _, names in os.walk(attachments) for name in names)
    found = {path.relative_to(attachments).as_posix() for path in there if path.resolve() not in ours}
    return sorted(found - named.keys())


def _open_manifest(path: Path, signers: Sequence[str]) -> tuple[Signed, Manifest]:
    envelope = open_envelope(read_whole(path), path.name, signers=signers)
    if envelope.predicate_type != PREDICATE:
        raise IntegrityError(f"{path.name}: a signed file, but not a manifest")
    try:
        manifest = msgspec.convert(envelope.predicate, Manifest)
    except msgspec.ValidationError as error:
        raise IntegrityError(f"{path.name}: not a manifest of this version ({error})") from None
    if envelope.subjects != {seal.name: seal.head for seal in manifest.segments}:
        raise IntegrityError(f"{path.name}: names other segments than it seals")
    return envelope, manifest


def _check_segments(folder: Path, lock: str, manifest: Manifest, *, complete: bool) -> list[str]:
    faults = []
    sealed = {seal.name for seal in manifest.segments}
    present = {path.name for path in _all_segments(folder)}
    faults += [f"{name}: a segment of the ledger is missing" for name in sorted(sealed - present)]
    if complete:  # a challenge that was cut short before it was sealed is no part of the run
        others = {path.name for path in segment_paths(folder)} - sealed
        faults += [f"{name}: a segment that no manifest names" for name in sorted(others)]
    for seal in manifest.segments:
        if seal.name in present:
            try:
                faults += _check_seal(folder / seal.name, lock, seal)
            except IntegrityError as error:
                faults.append(str(error))
    return faults


def _check_seal(path: Path, lock: str, seal: SegmentSeal) -> list[str]:
    """The chain against the manifest: the first stretch in which they part is named."""
    marks = dict(seal.checkpoints) | {seal.events: seal.head}
    begun = 1
    count = 0
    for line in read_lines(path, genesis(lock, path.name)):
        count = line.number
        if count in marks:
            if marks[count] != line.hash.decode():
                return [f"{path.name} lines {begun} to {count}: not the events that were signed"]
            begun = count + 1
    if count > seal.events:
        return [f"{path.name} line {seal.events + 1}: was added; {seal.events} events were signed"]
    if count < seal.events:
        return [f"{path.name} line {count + 1}: is missing; {seal.events} events were signed"]
    return []


def _check_files(folder: Path, attachments: dict[str, str]) -> list[str]:
    faults = []
    for name, expected in sorted(attachments.items()):
        path = folder / name
        if not is_plain(name):
            faults.append(f"{name!r}: an attachment outside the run's folder")
        elif not path.is_file():
            faults.append(f"{name}: the file is missing")
        elif not path.resolve().is_relative_to(folder.resolve()):
            faults.append(f"{name}: a link to outside the run's folder")
        elif file_digest(path) != expected:
            faults.append(f"{name}: not the file that was signed")
    return faults
