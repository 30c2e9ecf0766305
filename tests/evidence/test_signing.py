"""A signature holds for what was signed, and for nothing else."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519

from assay.errors import InputError, IntegrityError
from assay.signing import default_key_path, load_key, open_envelope, sign_statement

from .ledgers import new_signer


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def pem(key: Any, password: bytes | None = None) -> bytes:
    shut: Any = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    data: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, shut)
    return data


def test_the_first_use_makes_a_key_that_only_its_owner_can_read(home: Path) -> None:
    path = default_key_path()
    assert path == home / "config" / "assay" / "key.pem"
    keyid = load_key().public_key.keyid
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_key().public_key.keyid == keyid, "and the second use finds it"
    assert list(path.parent.iterdir()) == [path], "nothing is left beside it"


def test_processes_that_race_for_the_first_key_agree_on_one(home: Path) -> None:
    program = "import sys; sys.stdin.read(1); from assay.signing import load_key; print(load_key().public_key.keyid)"
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("x")
        racer.stdin.flush()
    keys = {racer.communicate()[0].strip() for racer in racers}
    assert [racer.returncode for racer in racers] == [0] * 4
    assert keys == {load_key().public_key.keyid}


def test_a_key_that_was_given_but_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no key at .*; leave the option out"):
        load_key(tmp_path / "no.pem")
    assert not (tmp_path / "no.pem").exists()


def test_a_file_that_is_no_usable_key_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    for content, what in (
        (b"", "is not an unencrypted private key in PEM form"),
        (b"rubbish", "is not an unencrypted private key in PEM form"),
        (pem(ed25519.Ed25519PrivateKey.generate(), b"pass"), "is not an unencrypted private key in PEM form"),
        (pem(ec.generate_private_key(ec.SECP256R1())), "is not an Ed25519 key"),
        (pem(x25519.X25519PrivateKey.generate()), "is not an Ed25519 key"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=what):
            load_key(path)
    with pytest.raises(InputError, match="cannot be read or made: Is a directory"):
        load_key(tmp_path)


def test_a_given_key_signs(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(pem(ed25519.Ed25519PrivateKey.generate()))
    path.chmod(0o600)
    data = sign_statement(load_key(path), {"a": "0" * 64}, "urn:x", {"é": [1, None]})
    signed = open_envelope(data, "it")
    assert (signed.predicate, signed.predicate_type) == ({"é": [1, None]}, "urn:x")
    assert signed.subjects == {"a": "0" * 64}
    assert signed.keyid == load_key(path).public_key.keyid


@pytest.fixture(scope="module")
def envelope() -> bytes:
    return sign_statement(new_signer(), {"a": "0" * 64}, "urn:x", {"n": 12})


def respell(data: bytes, change: Any) -> bytes:
    value = json.loads(data)
    change(value)
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def test_the_spelling_helper_changes_nothing_by_itself(envelope: bytes) -> None:
    assert respell(envelope, lambda value: None) == envelope
    open_envelope(envelope, "it")


def _signature(change: Any) -> Any:
    return lambda value: value["signatures"][0].update(sig=change(value["signatures"][0]["sig"]))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda v: v.update(payload=v["payload"] + "="), id="padding added"),
        pytest.param(lambda v: v.update(payload=v["payload"] + "\n"), id="white space in the payload"),
        pytest.param(_signature(lambda sig: " " + sig), id="white space in the signature"),
        pytest.param(_signature(lambda sig: sig.replace("=", "")), id="padding taken away"),
        pytest.param(_signature(lambda sig: sig[:-3] + chr(ord(sig[-3]) + 1) + "=="), id="idle bits set"),
        pytest.param(lambda v: v["publicKey"].update(note="x"), id="a field beside the key"),
        pytest.param(lambda v: v["publicKey"]["keyval"].update(note="x"), id="a field inside the key"),
        pytest.param(
            lambda v: v["publicKey"]["keyval"].update(public=v["publicKey"]["keyval"]["public"].upper()),
            id="the key in capital letters",
        ),
        pytest.param(lambda v: v["publicKey"].update(scheme="other"), id="another scheme"),
        pytest.param(lambda v: v.update(note="x"), id="a field in the envelope"),
        pytest.param(lambda v: v["signatures"][0].update(note="x"), id="a field in the signature"),
        pytest.param(lambda v: v["signatures"].append(dict(v["signatures"][0])), id="signed twice"),
        pytest.param(lambda v: v["signatures"].clear(), id="not signed"),
        pytest.param(lambda v: v.pop("publicKey"), id="no key"),
        pytest.param(lambda v: v.update(signatures=7), id="a number for a list"),
        pytest.param(lambda v: v.update(payloadType="text/plain"), id="another payload type"),
    ],
)
def test_another_spelling_of_the_same_envelope_is_refused(envelope: bytes, change: Any) -> None:
    with pytest.raises(IntegrityError, match=r"^it: "):
        open_envelope(respell(envelope, change), "it")


def test_white_space_around_the_envelope_is_refused(envelope: bytes) -> None:
    for data in (envelope + b"\n", envelope[:-1], b" " + envelope, envelope.replace(b",", b", ", 1)):
        with pytest.raises(IntegrityError, match="the envelope was altered"):
            open_envelope(data, "it")


def test_rubbish_is_refused_without_a_traceback() -> None:
    for data in (b"", b"null", b"[]", b'"x"', b"{}", b"\xff", b"[" * 100_000, b'{"publicKey":{"keyval":3}}'):
        with pytest.raises(IntegrityError, match="not a signed envelope"):
            open_envelope(data, "it")


def test_a_signature_by_another_key_does_not_hold(envelope: bytes) -> None:
    other = json.loads(sign_statement(new_signer(), {"a": "0" * 64}, "urn:x", {"n": 12}))
    with pytest.raises(IntegrityError, match="the signature does not match the content"):
        open_envelope(respell(envelope, lambda v: v.update(publicKey=other["publicKey"])), "it")


def test_a_key_that_others_can_read_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_bytes(new_signer().private_bytes)
    path.chmod(0o644)
    with pytest.warns(UserWarning, match="chmod 600"):
        load_key(path)
    path.chmod(0o600)
    load_key(path)
