"""A challenge to a published run, and what became of it (agency spec 11.8.1, 15.4.3).

The run stays as it is. Every act (a challenge, the evaluator's response, a resolution) is a record that its author
signs, in a segment of its own, sealed by a new manifest that names the one before. The key tells whose act it is: the
one that signed the lock is the evaluator's, the one that signed the challenge the challenger's, any other an auditor's.
"""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from assay.errors import InputError, IntegrityError
from assay.evidence.chain import genesis, read_lines
from assay.evidence.events import Event, decode_event
from assay.evidence.files import read_whole, write_whole
from assay.evidence.ledger import Ledger, challenge_paths
from assay.evidence.manifest import (
    CHALLENGE_FILES,
    add_challenge,
    manifest_paths,
    sealed_challenges,
    sealing_time,
)
from assay.signing import open_envelope, sign_statement
from assay.study.lock import Lock
from assay.vocabulary import Flag

from .determination import COMPLIANT, CONTESTED, INVALID

__all__ = [
    "DAYS",
    "GROUNDS",
    "OUTCOMES",
    "Challenge",
    "ChallengeAct",
    "ChallengeOutcome",
    "ChallengeRecord",
    "Challenges",
    "Ground",
    "SignedRecord",
    "read_challenges",
    "record_act",
]

DAYS = 90  # 15.4.3
PREDICATE = "urn:assay:challenge:1"
UNDER_CHALLENGE = "Under Challenge"
LONGEST_TEXT = 20_000  # characters
LONGEST_NAME = 200
LARGEST_FILE = 64 << 20  # bytes of a file of evidence
MOST_FILES = 50

ChallengeAct = Literal["challenge", "response", "resolution"]
Role = Literal["challenger", "evaluator", "auditor"]
Ground = Literal["undisclosed-families", "unrepresentative-families", "suite-divergence"]
GROUNDS: dict[Ground, str] = {  # 11.8.1
    "undisclosed-families": "undisclosed task families exist with materially different performance",
    "unrepresentative-families": "the disclosed families are not representative",
    "suite-divergence": "the families diverge from a standard task suite",
}
ChallengeOutcome = Literal["withdrawn", "corrected", "compliant", "contested", "invalid"]
OUTCOMES: dict[ChallengeOutcome, str] = {
    "withdrawn": "the evaluator withdraws the claim",
    "corrected": "the evaluator corrects the claim",
    "compliant": COMPLIANT,
    "contested": CONTESTED,
    "invalid": INVALID,
}


class ChallengeRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One act, as it is signed. ``evidence`` are files: the name they came under → SHA-256."""

    act: ChallengeAct
    lock: str
    sealed: str  # SHA-256 of the run's last manifest before it
    at: str  # by the clock of who signs
    by: str
    text: str
    ground: Ground | None = None
    challenge: int | None = None  # of a response or a resolution: the number of the challenge
    outcome: ChallengeOutcome | None = None
    evidence: dict[str, str] = {}


class SignedRecord(NamedTuple):
    """A record with who signed it, and whose the key is."""

    number: int
    record: ChallengeRecord
    keyid: str
    role: Role

    @property
    def at(self) -> datetime.datetime:
        return _moment(self.record.at)

    @property
    def who(self) -> str:
        """The author in one line; what it says is the author's word."""
        name = " ".join(self.record.by.split())
        return f"{name if len(name) <= 60 else name[:59] + '…'} ({self.role}, key {self.keyid[:16]})"


class Challenge(NamedTuple):
    """A challenge with what followed; it is open until it has a ``resolution``."""

    opened: SignedRecord
    responses: tuple[SignedRecord, ...] = ()
    resolution: SignedRecord | None = None

    @property
    def number(self) -> int:
        return self.opened.number

    @property
    def ends(self) -> datetime.datetime:
        """When the ninety days are over."""
        return self.opened.at + datetime.timedelta(days=DAYS)

    def state(self, as_of: datetime.datetime) -> str:
        """In words. Only what is said of an open challenge depends on the moment that it is looked at."""
        if self.resolution is not None:
            record = self.resolution.record
            return (
                f"resolved {record.at}: {OUTCOMES[record.outcome or 'contested']}, by {self.resolution.who}"
            )
        if as_of >= self.ends:
            return f"unresolved after {DAYS} days: the challenger is to issue a determination (15.4.3)"
        left = (self.ends - as_of).days
        return f"open, {left} of {DAYS} days left"

    @property
    def flag(self) -> Flag | None:
        """What every reading of the run carries; None where the claim was found Compliant."""
        named = f"challenge {self.number}"
        if self.resolution is None:
            ground = GROUNDS[self.opened.record.ground or "undisclosed-families"]
            since = self.opened.record.at
            return Flag(
                "Contested", f"{UNDER_CHALLENGE}: {named} since {since}, by {self.opened.who}: {ground}"
            )
        outcome, who = self.resolution.record.outcome, self.resolution.who
        if outcome == "contested":
            return Flag("Contested", f"Evidence Insufficient: {named}, determined by {who}")
        if outcome == "invalid":
            return Flag("Invalid", f"Non-Compliance: {named}, determined by {who}")
        if outcome in ("withdrawn", "corrected"):
            return Flag("Invalid", f"{outcome.capitalize()}: {named}, by {who}")
        return None


class Challenges(NamedTuple):
    """All of a run. ``faults`` are records that do not count, and why."""

    challenges: tuple[Challenge, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def flags(self) -> tuple[Flag, ...]:
        return tuple(flag for one in self.challenges if (flag := one.flag) is not None)


def read_challenges(ledger: Path, lock: Lock) -> Challenges:
    """Every challenge, from its signed records. A record that breaks the rules is told and counts for nothing."""
    if not challenge_paths(ledger):
        return Challenges()
    found: dict[int, Challenge] = {}
    faults: list[str] = []
    try:
        sealed = sealed_challenges(ledger)
    except IntegrityError as error:
        return Challenges(faults=(str(error),))
    for path in challenge_paths(ledger):
        if path.name not in sealed:  # cut short; an audit notes it
            continue
        try:
            signed = _read(path, lock)
            sha256, before, own = sealed[path.name]
            if signed.record.sealed != sha256:
                raise IntegrityError("was made for another state of the run")
            _check_time(signed, before.created, own.created)
            _take(found, signed, lock)
        except (IntegrityError, InputError, ValueError, OverflowError) as error:  # a time that is none
            faults.append(f"{path.name}: {error}")
    return Challenges(tuple(found.values()), tuple(faults))


def _read(path: Path, lock: Lock) -> SignedRecord:
    lines = list(read_lines(path, genesis(lock.digest, path.name)))
    if len(lines) != 1:
        raise IntegrityError("a segment of a challenge holds one record")
    event = decode_event(lines[0].event)
    if event.kind != "challenge" or not isinstance(event.data, dict):
        raise IntegrityError("holds something else than a record of a challenge")
    envelope = open_envelope(str(event.data.get("envelope")).encode(), path.name)
    if envelope.predicate_type != PREDICATE:
        raise IntegrityError("a signed record, but not of a challenge")
    try:
        record = msgspec.convert(envelope.predicate, ChallengeRecord)
        _moment(record.at) + datetime.timedelta(days=DAYS)
    except (msgspec.ValidationError, ValueError, OverflowError) as error:
        raise IntegrityError(f"not a record of this version ({error})") from None
    if record.lock != lock.digest:
        raise IntegrityError("was made for another lock")
    number = int(path.stem.rpartition("-")[2])
    return SignedRecord(number, record, envelope.keyid, "challenger")


def _check_time(signed: SignedRecord, after: str, before: str) -> None:
    """A record is dated after the manifest before it and not after its own; early manifests say no time."""
    times = [_moment(text) if text else signed.at for text in (after, before)]
    if not times[0] <= signed.at <= times[1]:
        until = f" and before {before}" if before else ""
        raise InputError(
            f"is dated {signed.record.at}, and has to be after {after}{until}, when the run was sealed; whose clock is "
            "wrong?"
        )


def _take(found: dict[int, Challenge], signed: SignedRecord, lock: Lock) -> None:
    """Take in one record, if its author may make it."""
    record = signed.record
    check_record(record)
    if record.act == "challenge":
        found[signed.number] = Challenge(signed)
        return
    challenge = found.get(record.challenge or 0)
    if challenge is None:
        raise InputError(f"there is no challenge {record.challenge}{_numbers(found)}")
    if challenge.resolution is not None:
        raise InputError(f"challenge {challenge.number} is resolved already")
    signed = signed._replace(role=_role(signed.keyid, challenge, lock))
    if record.act == "response":
        if signed.role != "evaluator":
            raise InputError(f"the evaluator responds, with the key of the lock, {lock.keyid[:16]} (15.4.3)")
        found[challenge.number] = challenge._replace(responses=(*challenge.responses, signed))
        return
    _check_outcome(challenge, signed)
    found[challenge.number] = challenge._replace(resolution=signed)


def _numbers(found: Mapping[int, Challenge]) -> str:
    return f"; there {'is' if len(found) == 1 else 'are'} {', '.join(map(str, found))}" if found else ""


def _role(keyid: str, challenge: Challenge, lock: Lock) -> Role:
    if keyid == lock.keyid:
        return "evaluator"
    return "challenger" if keyid == challenge.opened.keyid else "auditor"


def _check_outcome(challenge: Challenge, signed: SignedRecord) -> None:
    """15.4.3: the evaluator withdraws or corrects, an auditor determines, the challenger only after ninety days. That a
    challenger finds the run Compliant gives the challenge up, at any time.
    """
    own = signed.record.outcome in ("withdrawn", "corrected")
    if own != (signed.role == "evaluator"):
        whose = (
            "only the evaluator does"
            if own
            else "the evaluator withdraws or corrects, and determines nothing"
        )
        raise InputError(f"{signed.record.outcome}: {whose}, and this key is the {signed.role}'s (15.4.3)")
    early = signed.at < challenge.ends and signed.record.outcome != "compliant"
    if signed.role == "challenger" and early:
        ends = challenge.ends.isoformat(timespec="seconds")
        raise InputError(
            f"the challenger determines after {DAYS} days without a resolution, from {ends} on (15.4.3); until then an "
            "independent auditor may, with a key of their own"
        )


def check_record(record: ChallengeRecord) -> None:
    """Refuse what no record of its act may lack or have."""
    if not record.text.strip() or not record.by.strip():
        raise InputError("a record says who makes it, and why")
    if len(record.text) > LONGEST_TEXT or len(record.by) > LONGEST_NAME or "\n" in record.by:
        raise InputError(
            f"a record has at most {LONGEST_TEXT:,} characters of text, and its author one line of {LONGEST_NAME}"
        )
    wanted = {"challenge": ("ground",), "response": ("challenge",), "resolution": ("challenge", "outcome")}
    for name in ("ground", "challenge", "outcome"):
        if (getattr(record, name) is not None) != (name in wanted[record.act]):
            word = "lacks its" if name in wanted[record.act] else "has no"
            raise InputError(f"a {record.act} {word} {name}")


def record_act(
    root: Path,
    ledger: Path,
    lock: Lock,
    signer: Any,
    *,
    act: ChallengeAct,
    by: str,
    text: str,
    now: datetime.datetime,
    files: Sequence[Path] = (),
    **more: Any,
) -> Challenge:
    """Sign one act, seal it, and give back the challenge as it stands then. What may not be done leaves no trace.

    The run has to be closed and what was signed; the caller has seen to that.
    """
    evidence = dict(_contents(files))
    record = ChallengeRecord(
        act=act,
        lock=lock.digest,
        sealed=hashlib.sha256(read_whole(manifest_paths(ledger)[-1])).hexdigest(),
        at=now.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        by=by.strip(),
        text=text.strip(),
        evidence={name: hashlib.sha256(content).hexdigest() for name, content in evidence.items()},
        **more,
    )
    earlier = read_challenges(ledger, lock)
    known = {one.number: one for one in earlier.challenges}
    numbers = [int(path.stem.rpartition("-")[2]) for path in challenge_paths(ledger)]
    keyid = signer.public_key.keyid
    signed = SignedRecord(max(numbers, default=0) + 1, record, keyid, "challenger")
    _check_time(signed, sealing_time(ledger), "")
    _take(known, signed, lock)
    attached: dict[str, Path] = {}
    for content in evidence.values():
        name = f"{CHALLENGE_FILES}{hashlib.sha256(content).hexdigest()}"
        attached[name] = root / name
        attached[name].parent.mkdir(exist_ok=True)
        write_whole(attached[name], content)
    subjects = {"lock.json": lock.digest, manifest_paths(ledger)[-1].name: record.sealed}
    envelope = sign_statement(signer, subjects, PREDICATE, msgspec.to_builtins(record))
    segment = Ledger(ledger, lock.digest, challenge=True)
    try:
        segment.append(Event("challenge", at=now.timestamp(), data={"envelope": envelope.decode()}))
    finally:
        segment.close()
    add_challenge(ledger, lock.digest, root, attached, signer)
    number = record.challenge or int(segment.path.stem.rpartition("-")[2])
    found = read_challenges(ledger, lock)
    for one in found.challenges:
        if one.number == number:
            return one
    raise IntegrityError(f"the record was written and does not count: {'; '.join(found.faults)}")


def _contents(files: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    if len(files) > MOST_FILES:
        raise InputError(f"{len(files)} files of evidence; a record has at most {MOST_FILES}")
    seen: set[str] = set()
    for path in files:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file of evidence")
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(
                f"{path}: {path.stat().st_size:,} bytes; a file of evidence has at most {LARGEST_FILE:,}"
            )
        if path.name in seen:
            raise InputError(f"{path}: a second file of evidence with this name")
        seen.add(path.name)
        yield path.name, path.read_bytes()


def _moment(text: str) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return found
