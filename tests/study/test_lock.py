"""A lock is the same digest everywhere, is written once, and shows any change."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assay import __version__
from assay.errors import InputError, IntegrityError
from assay.signing import load_key, open_envelope, sign_statement
from assay.study import Lock, Study, SubjectSpec, make_lock, read_lock, write_lock
from assay.study.lock import PREDICATE

STUDY = Study(
    name="étude",
    subjects=("local:a", SubjectSpec("openai:b", label="B", options={"z": 1, "a": 2})),
    instruments={"drill": {"temperatures": [0.0, 1.5], "items": "all"}},
)
MATERIALS: dict[str, Any] = {"drill": {"items": {"b": {"text": "Wörter"}, "a": [1, 2.5, None, True]}}}
VERSIONS = {"drill": "3"}


def new_key(path: Path) -> Path:
    key = Ed25519PrivateKey.generate()
    path.touch(0o600)
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return new_key(tmp_path / "key.pem")


@pytest.fixture
def path(tmp_path: Path, key: Path) -> Path:
    return write_lock(make_lock(STUDY, MATERIALS, VERSIONS), tmp_path / "lock.json", key)


def test_what_is_written_is_read(path: Path, key: Path) -> None:
    lock = make_lock(STUDY, MATERIALS, VERSIONS)
    found = read_lock(path)
    assert found.keyid == load_key(key).public_key.keyid
    assert msgspec.structs.replace(found, keyid="", created="") == msgspec.structs.replace(lock, created="")
    assert found.versions == {"assay": __version__, "drill": "3"}
    assert read_lock(path, signers=(found.keyid,)) == found


def test_tuples_in_the_materials_are_read_back_as_they_were_locked(tmp_path: Path, key: Path) -> None:
    lock = make_lock(STUDY, {"drill": {"pair": (1, 2)}}, VERSIONS)
    found = read_lock(write_lock(lock, tmp_path / "lock.json", key))
    assert found.materials == lock.materials == {"drill": {"pair": [1, 2]}}
    assert found.digest == lock.digest


def test_options_are_read_as_a_type_of_the_instrument(path: Path) -> None:
    class Options(msgspec.Struct):
        temperatures: tuple[float, ...]
        items: str

    class Wrong(msgspec.Struct):
        items: int

    lock = read_lock(path)
    assert lock.options("drill", Options) == Options((0.0, 1.5), "all")
    with pytest.raises(InputError, match=r"^instruments\.drill\.items: must be a whole number, not text$"):
        lock.options("drill", Wrong)


def backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


def test_the_digest_does_not_depend_on_time_key_or_the_order_of_keys(tmp_path: Path, path: Path) -> None:
    first = read_lock(path)
    study = msgspec.convert(backwards(msgspec.to_builtins(STUDY)), Study)
    other = msgspec.structs.replace(
        make_lock(study, backwards(MATERIALS), VERSIONS), created="1999-01-01T00:00:00+00:00"
    )
    second = read_lock(write_lock(other, tmp_path / "other.json", new_key(tmp_path / "other.pem")))
    assert second.digest == first.digest
    assert (second.created, second.keyid) != (first.created, first.keyid)


def test_the_digest_is_the_same_in_other_processes() -> None:
    program = (
        "from assay.study import *; import os;"
        "os.chdir('/');"
        "s = Study(subjects=('local:a',), instruments={'x': {'k': [1, 2.5]}});"
        "print(make_lock(s, {'x': {w: w for w in {'b', 'a', 'c'}}}, {'x': '1'}).digest)"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("0", "UTC"), ("7", "Asia/Tokyo"))
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: make_lock(msgspec.structs.replace(STUDY, seed=2), MATERIALS, VERSIONS),
        lambda: make_lock(STUDY, {"drill": {}}, VERSIONS),
        lambda: make_lock(STUDY, MATERIALS, {"drill": "4"}),
    ],
)
def test_a_changed_study_material_or_version_is_another_digest(change: Any) -> None:
    assert change().digest != make_lock(STUDY, MATERIALS, VERSIONS).digest


def test_an_existing_lock_is_never_overwritten(path: Path, key: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"lock\.json exists already; a lock is never overwritten"):
        write_lock(make_lock(Study(), {}, {}), path, key)
    assert path.read_bytes() == before


def test_a_lock_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = make_lock(STUDY, MATERIALS, VERSIONS)
    with pytest.raises(InputError, match="cannot be written: No such file or directory"):
        write_lock(lock, tmp_path / "no" / "lock.json", key)

    def fail(fd: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(InputError, match="cannot be written: No space left on device"):
            write_lock(lock, tmp_path / "lock.json", key)
    assert not (tmp_path / "lock.json").exists()
    write_lock(lock, tmp_path / "lock.json", key)


def test_any_changed_byte_is_refused(path: Path) -> None:
    sound = path.read_bytes()
    for place in range(0, len(sound), 3):
        for changed in {sound[place] ^ 1, sound[place] ^ 0x20, 10} - {sound[place]}:
            path.write_bytes(sound[:place] + bytes([changed]) + sound[place + 1 :])
            with pytest.raises(IntegrityError, match=r"^lock\.json: "):
                read_lock(path)


def resign(path: Path, key: Path, change: Any, predicate_type: str = PREDICATE) -> None:
    signed = open_envelope(path.read_bytes(), path.name)
    predicate = msgspec.json.decode(msgspec.json.encode(signed.predicate))
    change(predicate)
    path.write_bytes(sign_statement(load_key(key), signed.subjects, predicate_type, predicate))


def test_content_that_has_not_the_signed_digest_is_refused(path: Path, key: Path) -> None:
    resign(path, key, lambda predicate: predicate["study"].update(seed=2))
    with pytest.raises(IntegrityError, match="the content does not have the digest that was signed"):
        read_lock(path)


def test_a_lock_of_another_version_says_which(path: Path, key: Path) -> None:
    def change(predicate: Any) -> None:
        predicate["versions"]["assay"] = "9.9"
        predicate["study"]["seeds"] = [1]

    resign(path, key, change)
    with pytest.raises(InputError) as caught:
        read_lock(path)
    assert str(caught.value) == (
        f"{path}: made by Assay 9.9, and Assay {__version__} cannot read it (study.seeds: unknown field; "
        "did you mean 'seed'?); install that version, or lock the study anew"
    )


@pytest.mark.parametrize("predicate", [None, [], "x", {}, {"study": 3}, {"versions": 1}])
def test_a_signed_file_of_another_shape_is_refused_in_words(path: Path, key: Path, predicate: Any) -> None:
    path.write_bytes(sign_statement(load_key(key), {"study": "0" * 64}, PREDICATE, predicate))
    with pytest.raises(InputError, match="made by Assay of an unknown version"):
        read_lock(path)


def test_a_signed_file_that_is_no_lock_is_refused(path: Path, key: Path) -> None:
    resign(path, key, lambda predicate: None, "urn:assay:manifest:1")
    with pytest.raises(InputError, match="is a signed file, but not a lock"):
        read_lock(path)


def test_files_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_lock(tmp_path / "none.json")


def test_a_lock_signed_by_another_is_refused_when_the_key_is_named(path: Path, tmp_path: Path) -> None:
    other = load_key(new_key(tmp_path / "other.pem")).public_key.keyid
    with pytest.raises(IntegrityError, match=f"not by {other[:16]}"):
        read_lock(path, signers=(other,))


def test_a_lock_is_frozen(path: Path) -> None:
    lock: Lock = read_lock(path)
    with pytest.raises(AttributeError):
        lock.digest = "x"  # type: ignore[misc]
