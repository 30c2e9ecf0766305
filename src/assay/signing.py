"""Signatures: Ed25519 over in-toto statements in DSSE envelopes.

The key is made on first use and kept in the user's configuration folder. A signature by a key nobody knows
proves only that lock, manifest and report were made by the same hand; compare the key's id with a published
one, or have the digest countersigned, to prove more.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import encode
from assay.errors import InputError, IntegrityError

__all__ = ["Signed", "default_key_path", "key_ids", "load_key", "open_envelope", "sign_statement"]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
_HEX = frozenset("0123456789abcdefABCDEF")
LARGEST_LIST = 1 << 20  # bytes of a file of trusted keys
_MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError, msgspec.MsgspecError)


class Signed(msgspec.Struct, frozen=True):
    """An opened envelope whose signature holds."""

    predicate: Any
    predicate_type: str
    subjects: dict[str, str]  # name → SHA-256
    keyid: str
    what: str = ""  # the file


def default_key_path() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "assay" / "key.pem"


def load_key(path: Path | None = None) -> Any:
    """The signer; a missing default key is made, a missing given one is an error."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.signer import CryptoSigner

    where = path or default_key_path()
    try:
        if not where.exists():
            if path is not None:
                raise InputError(f"there is no key at {path}; leave the option out to have one made")
            where.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _create(where, CryptoSigner.generate_ed25519().private_bytes)
        if not where.is_file() and not where.is_dir():  # a pipe or a device might never end
            raise InputError(f"{where} is not an ordinary file")
        key = load_pem_private_key(where.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InputError(f"{where} is not an unencrypted private key in PEM form") from None
    except OSError as error:
        raise InputError(f"the key {where} cannot be read or made: {error.strerror}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(f"{where} is not an Ed25519 key; make one with: openssl genpkey -algorithm ed25519")
    if where.stat().st_mode & 0o077:
        warnings.warn(f"others can read the private key {where}; chmod 600 {where}", stacklevel=2)
    return CryptoSigner(key)


def _create(path: Path, content: bytes) -> None:
    """Written beside and linked into place: two processes making the first key agree on one."""
    fd, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # for the owner's eyes only
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)


def sign_statement(signer: Any, subjects: dict[str, str], predicate_type: str, predicate: Any) -> bytes:
    """A DSSE envelope as canonical JSON, carrying the public key beside the signature."""
    from securesystemslib.dsse import Envelope

    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": value}} for name, value in subjects.items()],
        "predicateType": predicate_type,
        "predicate": predicate,
    }
    envelope = Envelope(encode(statement), PAYLOAD_TYPE, {})
    envelope.sign(signer)
    return _spelling(envelope, signer.public_key)


def open_envelope(data: bytes, what: str, *, signers: Sequence[str] = ()) -> Signed:
    """Check the signature and give out what was signed; an altered envelope is refused.

    ``signers`` are the ids, or beginnings of ids, of the keys that may have signed; any may where none is named.
    """
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    try:
        outer = msgspec.json.decode(data)
        key = SSlibKey.from_crypto(_public_key(outer.pop("publicKey")["keyval"]["public"]))
        envelope = Envelope.from_dict(outer)
        envelope.verify([key], 1)
        statement = msgspec.json.decode(envelope.payload)
        subjects = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
        signed = Signed(statement["predicate"], statement["predicateType"], subjects, key.keyid, what)
    except VerificationError:
        raise IntegrityError(f"{what}: the signature does not match the content") from None
    except _MALFORMED as error:
        raise IntegrityError(f"{what}: not a signed envelope ({type(error).__name__}: {error})") from None
    # The envelope around the payload is not signed: only the one spelling that we write is taken.
    if _spelling(envelope, key) != data:
        raise IntegrityError(f"{what}: the envelope was altered")
    if signers and not signed.keyid.startswith(tuple(map(_trusted, signers))):
        named = " or ".join(keyid[:16] for keyid in signers)
        raise IntegrityError(f"{what}: signed by key {signed.keyid[:16]}, not by {named}")
    return signed


def key_ids(named: str) -> list[str] | None:
    """The keys that a file lists; None where ``named`` is the id of a key, or its beginning.

    A line is the id of a key, behind which its holder may be named; or the file is a public key in PEM form.
    """
    if set(named) <= _HEX:
        return None
    path = Path(named)
    try:
        if not path.is_file():
            raise InputError(
                f"key id {named!r}: neither the id of a key (hexadecimal) nor a file of trusted keys"
            )
        data = path.read_bytes() if path.stat().st_size <= LARGEST_LIST else b""
        text = data.decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a file of trusted keys ({error})") from None
    if "-----BEGIN" in text:
        return [_pem_id(path, data)]
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            keyid = line.split()[0].lower()
            if len(keyid) != 64 or not set(keyid) <= _HEX:
                raise InputError(
                    "a line begins with the id of a key, 64 hexadecimal signs", file=named, line=number
                )
            found.append(keyid)
    if not found:
        raise InputError(f"{path}: lists no key")
    return found


def _pem_id(path: Path, data: bytes) -> str:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.signer import SSlibKey

    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise InputError(f"{path}: not a public key in PEM form") from None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(f"{path}: not an Ed25519 key")
    return str(SSlibKey.from_crypto(key).keyid)


def _public_key(hexadecimal: str) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(hexadecimal))


def _spelling(envelope: Any, key: Any) -> bytes:
    plain = envelope.to_dict()
    signatures = [{"keyid": one["keyid"], "sig": one["sig"]} for one in plain["signatures"]]
    return encode({**plain, "signatures": signatures, "publicKey": key.to_dict()}) + b"\n"


def _trusted(keyid: str) -> str:
    """A key may be named by the beginning of its id, if that is long enough to be nobody else's."""
    if len(keyid) < 16:
        raise InputError(f"key id {keyid!r}: give at least its first 16 characters")
    return keyid.lower()
