"""Signatures: Ed25519 over in-toto statements in DSSE envelopes.

The key is made on first use and kept in the user's configuration folder. A signature by a key nobody knows
proves only that lock, manifest and report were made by the same hand; compare the key's id with a published
one, or have the digest countersigned, to prove more.
"""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import Any

import msgspec

from assay.canonical import encode
from assay.errors import InputError, IntegrityError

__all__ = ["Signed", "default_key_path", "load_key", "open_envelope", "sign_statement"]

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"


class Signed(msgspec.Struct, frozen=True):
    """An opened envelope whose signature holds."""

    predicate: Any
    predicate_type: str
    subjects: dict[str, str]  # name → SHA-256
    keyid: str


def default_key_path() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "assay" / "key.pem"


def load_key(path: Path | None = None) -> Any:
    """The signer; a missing default key is made, a missing given one is an error."""
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from securesystemslib.signer import CryptoSigner

    where = path or default_key_path()
    if not where.exists():
        if path is not None:
            raise InputError(f"there is no key at {path}; leave the option out to have one made")
        where.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        signer = CryptoSigner.generate_ed25519()
        _create(where, signer.private_bytes)
    try:
        return CryptoSigner(load_pem_private_key(where.read_bytes(), None))
    except (ValueError, TypeError) as error:
        raise InputError(f"{where} is not an unencrypted PEM private key: {error}") from None


def _create(path: Path, content: bytes) -> None:
    """Written beside and linked into place: two processes making the first key agree on one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(fd)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()


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
    return encode({**envelope.to_dict(), "publicKey": signer.public_key.to_dict()}) + b"\n"


def open_envelope(data: bytes, what: str, *, trusted_keyid: str | None = None) -> Signed:
    """Check the signature and give out what was signed; an altered envelope is refused."""
    from securesystemslib.dsse import Envelope
    from securesystemslib.exceptions import VerificationError
    from securesystemslib.signer import SSlibKey

    try:
        outer = msgspec.json.decode(data)
        usual = encode(outer) + b"\n" == data and _strict(outer)
        key_dict = dict(outer["publicKey"])
        envelope = Envelope.from_dict({k: v for k, v in outer.items() if k != "publicKey"})
        [keyid] = envelope.signatures
        key = SSlibKey.from_dict(keyid, key_dict)
        envelope.verify([key], 1)
        statement = msgspec.json.decode(envelope.payload)
        subjects = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
        signed = Signed(statement["predicate"], statement["predicateType"], subjects, _keyid(key))
    except VerificationError:
        raise IntegrityError(f"{what}: the signature does not match the content") from None
    except (ValueError, KeyError, TypeError, AttributeError, binascii.Error, msgspec.DecodeError) as error:
        raise IntegrityError(f"{what}: not a signed envelope ({error})") from None
    if keyid != signed.keyid or not usual:
        raise IntegrityError(f"{what}: the envelope was altered")
    if trusted_keyid is not None and not signed.keyid.startswith(trusted_keyid):
        raise IntegrityError(f"{what}: signed by key {signed.keyid[:16]}, not by {trusted_keyid[:16]}")
    return signed


def _keyid(key: Any) -> str:
    from securesystemslib.signer import SSlibKey

    derived: str = SSlibKey.from_crypto(_public(key)).keyid
    return derived


def _public(key: Any) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.keyval["public"]))


def _strict(outer: dict[str, Any]) -> bool:
    """Base64 has several spellings of the same bytes; only the usual one is ours."""
    texts = [outer["payload"], *(signature["sig"] for signature in outer["signatures"])]
    return all(base64.b64encode(base64.b64decode(text)).decode() == text for text in texts)
