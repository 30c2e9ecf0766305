"""A bundle unpacked, to be altered, signed again and audited."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import assay
from assay.api.load import LoadedRun
from assay.bench import RunFolder
from assay.bench.determination import AuditReport
from assay.bench.prepare import instruments_of
from assay.canonical import encode
from assay.evidence import segment_paths, write_manifest
from assay.evidence.archive import write_archive
from assay.evidence.bundle import PREDICATE
from assay.evidence.chain import genesis, seal
from assay.report.crate import CRATE_NAME, describe_crate
from assay.report.publish import score_run
from assay.signing import sign_statement

__all__ = ["Event", "Made", "Package", "digests"]

Event = dict[str, Any]


class Made(NamedTuple):
    """One run and its bundle, the home of the key that signed both, and a run of another study."""

    run: LoadedRun
    bundle: Path
    config: str
    other: LoadedRun


class Package:
    """An unpacked bundle that may be altered, with the key that signed it."""

    def __init__(self, folder: RunFolder, signer: Any) -> None:
        self.folder, self.signer = folder, signer
        self.keyid = str(signer.public_key.keyid)

    def change(self, name: str, old: bytes, new: bytes) -> None:
        path = self.folder.path / name
        whole = path.read_bytes()
        assert old in whole
        path.write_bytes(whole.replace(old, new, 1))

    def sign(self, signer: Any = None) -> None:
        """Description and manifest of the bundle as if its files had always been these."""
        root, lock = self.folder.path, self.folder.read_lock()
        (root / "bundle.json").unlink(missing_ok=True)
        contents = {
            path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
        }
        contents.pop(CRATE_NAME, None)
        readings = {name: self.folder.read_reading(name) for name in lock.study.options}
        sizes = {name: len(content) for name, content in contents.items()}
        crate = describe_crate(lock, readings, sizes, digests(contents))
        (root / CRATE_NAME).write_bytes(crate)
        self.sign_files(signer)

    def sign_files(self, signer: Any = None, **other: Any) -> None:
        root = self.folder.path
        (root / "bundle.json").unlink(missing_ok=True)
        contents = {
            path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
        }
        last = max(self.folder.ledger.glob("manifest-*"), default=None)
        predicate = {
            "lock": self.folder.read_lock().digest,
            "sealed": digests({"": last.read_bytes()})[""] if last else "",
            "assay": assay.__version__,
            "sizes": {name: len(content) for name, content in contents.items()},
            **other,
        }
        data = sign_statement(signer or self.signer, digests(contents), PREDICATE, predicate)
        (root / "bundle.json").write_bytes(data)

    def seal(self, signer: Any = None) -> None:
        """The run's own manifest over what is there now."""
        for manifest in self.folder.ledger.glob("manifest-*"):
            manifest.unlink()
        paths = [self.folder.lock_path, self.folder.reading_path("drill"), self.folder.records_path("drill")]
        lock = self.folder.read_lock().digest
        write_manifest(
            self.folder.ledger, lock, {p.name: p for p in paths if p.exists()}, signer or self.signer
        )

    def forge(self, change: Callable[[Event], Event | list[Event] | None], signer: Any = None) -> None:
        """Change events, hash the chain anew, publish what it amounts to, seal it, and sign the bundle."""
        lock = self.folder.read_lock()
        for path in segment_paths(self.folder.ledger):
            head, lines = genesis(lock.digest, path.name), []
            for line in path.read_bytes().splitlines():
                changed = change(json.loads(line)["event"])
                for event in changed if isinstance(changed, list) else [changed] if changed else []:
                    sealed, head = seal(head, encode(event))
                    lines.append(sealed)
            path.write_bytes(b"".join(lines))
        [(reading, _)] = score_run(self.folder, lock, instruments_of(lock))
        self.folder.reading_path("drill").write_bytes(encode(reading) + b"\n")
        self.seal(signer)
        self.sign(signer)

    def audit(self, signed_by: Any = None) -> AuditReport:
        root, path = self.folder.path, self.folder.path.parent / "altered.zip"
        files: dict[str, Path | bytes] = {
            p.relative_to(root).as_posix(): p for p in root.rglob("*") if p.is_file()
        }
        write_archive(path, files)
        return assay.audit(path, signed_by=signed_by)


def digests(contents: dict[str, bytes]) -> dict[str, str]:
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(contents.items())}
