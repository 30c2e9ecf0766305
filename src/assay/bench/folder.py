"""A run's folder: what lies where, and who may write.

::

    runs/NAME/
      lock.json               the signed declaration
      ledger/0001.jsonl …     the evidence, a segment for every time the run was begun or resumed
      ledger/manifest-0001.json
      reading-INSTRUMENT.json what it amounts to
      earlier/0001/           readings of an earlier closing, where lost trials were asked again
      records-INSTRUMENT.csv  one row an output
      report.html
      ledger/challenge-0001.jsonl, challenge/   what was said against it since it was closed, and its files
      documents/              those that were asked for, such as a card: HTML or PDF
"""

from __future__ import annotations

import difflib
import errno
import fcntl
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from assay import __version__
from assay.errors import InputError, IntegrityError
from assay.evidence.files import read_whole, sync_folder
from assay.evidence.ledger import segment_paths
from assay.evidence.manifest import check_ends, is_reopened, manifest_paths, sealing_time, verify_closed
from assay.signing import Signed, key_ids
from assay.study.lock import Lock, read_lock
from assay.vocabulary import Flag, Reading

from .challenge import Challenges, read_challenges

__all__ = ["RunFolder", "SealedRun", "second_signer"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def _take_name(made: Path, path: Path, *, numbered: bool) -> Path:
    """Rename a folder to the first name that is free."""
    for number in itertools.count(1):
        taken = path if number == 1 else path.with_name(f"{path.name}-{number}")
        if not os.path.lexists(taken):
            try:
                made.rename(taken)
                sync_folder(taken.parent)
                return taken
            except OSError as error:
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR):
                    raise
        if not numbered:
            if (taken / "lock.json").exists():
                raise InputError(f"{taken} exists already; resume it with: assay resume {taken}")
            raise InputError(f"{taken} exists already and is no run; take it away, or choose another name")
    raise AssertionError("numbers do not end")


def second_signer(keyid: str, what: str, lock: Lock) -> str:
    """The fault of a hand that did not sign the lock."""
    both = f"--signed-by {lock.keyid[:16]} --signed-by {keyid[:16]}"
    return f"{keyid[:16]} signed {what}, {lock.keyid[:16]} the lock; where both are known to you, name both: {both}"


def flagged(reading: Reading, flags: Sequence[Flag]) -> Reading:
    """A reading with what became of its run since; the file stays as it was sealed."""
    if not flags:
        return reading
    result = msgspec.structs.replace(reading.result, flags=(*flags, *reading.result.flags))
    return msgspec.structs.replace(reading, result=result)


class SealedRun(NamedTuple):
    """A closed run that is what was signed: by whom, and what it reads."""

    folder: RunFolder
    lock: Lock
    readings: dict[str, Reading]
    keyids: tuple[str, ...]  # of the manifests


class RunFolder:
    """The folder of one run. As a context manager it is held against any second writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._held: int | None = None

    @property
    def ledger(self) -> Path:
        return self.path / "ledger"

    @property
    def lock_path(self) -> Path:
        return self.path / "lock.json"

    def reading_path(self, instrument: str) -> Path:
        return self.path / f"reading-{instrument}.json"

    def records_path(self, instrument: str) -> Path:
        return self.path / f"records-{instrument}.csv"

    @property
    def report_path(self) -> Path:
        return self.path / "report.html"

    def document_path(self, name: str) -> Path:
        return self.path / "documents" / name

    @classmethod
    def create(
        cls,
        root: Path,
        name: str,
        *,
        numbered: bool = False,
        fill: Callable[[RunFolder], object] = lambda folder: None,
    ) -> RunFolder:
        """A new folder, there when ``fill`` has written into it what a run begins with, or not at all.

        A name that is taken is never reused: it is refused, or ``numbered`` until one is free.
        """
        if not _NAME.fullmatch(name):
            raise InputError(f"run name {name!r}: letters, digits, dot, dash and underscore only")
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".new-", dir=root, ignore_cleanup_errors=True) as beside:
                made = Path(beside, name)
                made.mkdir()  # with the mode that the user's mask gives, which a temporary folder has not
                try:
                    fill(cls(made))
                except InputError as error:  # said of the place where it was to be
                    raise InputError(str(error).replace(str(made), str(root / name))) from None
                return cls(_take_name(made, root / name, numbered=numbered))
        except OSError as error:
            why = (
                "Not a directory" if isinstance(error, FileExistsError) else error.strerror
            )  # a root that is a file
            raise InputError(f"{root / name} cannot be made: {why}") from None

    @classmethod
    def find(cls, path: Path, root: Path = Path("runs")) -> RunFolder:
        """A run by path, or by name below ``runs``."""
        for candidate in (path, root / path):
            if (candidate / "lock.json").is_file():
                return cls(candidate)
        beside = {lock.parent.name for at in (root, path.parent) for lock in at.glob("*/lock.json")}
        near = difflib.get_close_matches(path.name, beside, n=1)
        tail = f"; did you mean {near[0]!r}?" if near else ""
        below = "" if root / path == path else f", nor in {root / path}"
        raise InputError(f"there is no run at {path} (no lock.json there{below}){tail}")

    @property
    def closed(self) -> bool:
        """Whether all of it is sealed. One that was begun again to ask lost trials is not, until it is closed again."""
        return bool(manifest_paths(self.ledger)) and not self.reopened

    @property
    def reopened(self) -> bool:
        return bool(manifest_paths(self.ledger)) and is_reopened(self.ledger, self.read_lock().digest)

    @property
    def sealed_at(self) -> str:
        """When the last manifest was made, as it says; empty where it does not."""
        return sealing_time(self.ledger)

    def damage(self) -> str:
        """What is seen at once to be missing of a run that was closed; all of it is what an audit looks at."""
        if segment_paths(self.ledger) or manifest_paths(self.ledger):
            return "; ".join(check_ends(self.ledger)[:1])
        readings = sorted(path.name for path in self.path.glob("reading-*.json"))
        return f"there is {readings[0]}, but the evidence it was made from is gone" if readings else ""

    def check_damage(self) -> None:
        if problem := self.damage():
            raise IntegrityError(f"{self.path} is damaged: {problem}")

    def check_sealed_part(self, lock: Lock) -> None:
        """Of a run that was begun again: what was sealed before is as it was signed."""
        faults, _ = verify_closed(self.ledger, lock.digest, self.path, reopened=True)
        if faults:
            raise IntegrityError(f"{self.path} is not what was signed: {faults[0]}")

    def read_lock(self, signers: Sequence[str] = ()) -> Lock:
        return read_lock(self.lock_path, signers=signers)

    def read_reading(self, instrument: str) -> Reading:
        """The published reading of one instrument."""
        path = self.reading_path(instrument)
        try:
            return msgspec.json.decode(read_whole(path), type=Reading)
        except FileNotFoundError:
            raise InputError(
                f"{self.path} has no reading yet; go on with: assay resume {self.path}"
            ) from None
        except (OSError, ValueError) as error:  # msgspec's are ValueErrors
            made_by = self.read_lock().versions.get("assay")
            if made_by != __version__:
                raise InputError(
                    f"{path}: was made by Assay {made_by}, and Assay {__version__} cannot read it; install that version"
                ) from None
            raise IntegrityError(f"{path.name}: cannot be read ({error})") from None

    def challenges(self, lock: Lock) -> Challenges:
        """What was said against the run since it was closed, and what became of it."""
        return read_challenges(self.ledger, lock)

    def trusted(self, given: Sequence[str]) -> list[str]:
        """The ids of keys that may have signed this run, from ids and files of trusted keys.

        That a file lists two people does not say that both had a hand in this run: of its keys the one that signed
        the lock is taken, and whoever else signed has to be named by id.
        """
        found = []
        for named in given:
            listed = key_ids(named)
            if listed is None:
                found.append(named)
            else:
                signer = self.read_lock().keyid
                if signer not in listed:
                    raise IntegrityError(
                        f"lock.json: signed by key {signer[:16]}, which {named} does not list"
                    )
                found.append(signer)
        return found

    def verify(self, lock: Lock, signers: Sequence[str] = ()) -> tuple[list[str], list[Signed]]:
        """Everything that is wrong with a closed run as a sealed folder, and its manifests with who signed them.

        The hand that signed the lock has to have signed the rest: with a key of their own anyone could seal other
        evidence under somebody's lock. Two hands are in order where both are named.
        """
        reopened = is_reopened(self.ledger, lock.digest)
        faults, signed = verify_closed(
            self.ledger, lock.digest, self.path, signers=signers, reopened=reopened
        )
        if reopened:
            faults.append(
                f"lost trials are being asked again; it is not closed until that is done: assay resume {self.path}"
            )
        if not signers:
            keyids = dict.fromkeys(one.keyid for one in signed)
            faults += [second_signer(keyid, "a manifest", lock) for keyid in keyids if keyid != lock.keyid]
        return faults, signed

    def read_sealed(self, signers: Sequence[str] = ()) -> SealedRun:
        """A closed run whose chain, manifest, files and readings are those that were signed; refused otherwise.

        Every command that believes what a run says reads it here. That the numbers follow from the evidence is what
        an audit shows. Readings of a run that was challenged carry the flag of that, beside those that were sealed.
        """
        lock = self.read_lock(signers)
        if not self.closed:
            raise InputError(f"{self.path} is not closed yet; go on with: assay resume {self.path}")
        faults, signed = self.verify(lock, signers)
        if faults:
            more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
            raise IntegrityError(
                f"{self.path} is not what was signed: {faults[0]}{more}; see: assay audit {self.path}"
            )
        flags = self.challenges(lock).flags
        readings = {name: flagged(self.read_reading(name), flags) for name in lock.study.options}
        for name, reading in readings.items():
            result = reading.result
            if (result.instrument, result.source) != (name, "ledger") or reading.envelope.get(
                "lock"
            ) != lock.digest:
                raise IntegrityError(f"{self.reading_path(name).name}: a reading of another run")
        return SealedRun(folder=self, lock=lock, readings=readings, keyids=tuple(one.keyid for one in signed))

    def __enter__(self) -> RunFolder:
        try:
            fd = os.open(self.path / ".writer", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            raise InputError(f"{self.path} cannot be written to: {error.strerror}") from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(fd)
            raise InputError(
                f"another process is running in {self.path}; wait for it or stop it first"
            ) from None
        self._held = fd
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            os.close(self._held)
            self._held = None
