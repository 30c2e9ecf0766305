"""No secret reaches the file, in any form that endpoints use, nor a piece of it; nothing else is touched."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import decode
from assay.evidence import Event, Ledger, Redactor, has_userinfo
from assay.evidence.redaction import MARK

from .ledgers import LOCK, sealed_events

SECRET = 'sk-"quo\\ted"/+ü €uro=='


def recorded(folder: Path, secret: str, event: Event) -> tuple[Event, bytes]:
    redactor = Redactor()
    redactor.learn(secret)
    ledger = Ledger(folder, LOCK, redactor)
    returned = ledger.append(event)
    ledger.close()
    return returned, ledger.path.read_bytes()


FORMS = {
    "plain": SECRET,
    "JSON": json.dumps(SECRET)[1:-1],
    "JSON, not only ASCII": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "JSON with escaped slashes": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "percent": quote(SECRET, safe=""),
    "percent, slashes kept": quote(SECRET),
    "form": quote_plus(SECRET),
    "percent, small letters": quote(SECRET, safe="").lower(),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 for URLs": base64.urlsafe_b64encode(SECRET.encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("where", ["text", "inner", "key", "list", "json in json"])
def test_a_secret_is_redacted_in_every_form_and_place(tmp_path: Path, form: str, where: str) -> None:
    echo = f"your key {form} is wrong"
    data: Any = {
        "text": {"text": echo},
        "inner": {"rest": {"error": {"message": echo}}},
        "key": {"rest": {echo: 1}},
        "list": [1, [echo]],
        "json in json": {"body": json.dumps({"error": form})},
    }[where]
    if where == "json in json" and form != FORMS["plain"]:
        data = {"body": f'{{"error":"{form}"}}'}
    returned, written = recorded(tmp_path, SECRET, Event("received", 1.0, "t", 0, 0, data))
    assert decode(sealed_events(tmp_path / "0001.jsonl")[0])["data"] == returned.data, (
        "what was recorded is returned"
    )
    text = json.dumps(returned.data, ensure_ascii=False)
    assert MARK in text
    for leak in (form, json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1]):
        assert leak.encode() not in written


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), min_size=6, max_size=40),
    st.binary(max_size=5),
    st.binary(max_size=5),
)
def test_a_secret_inside_longer_base64_does_not_pass(secret: str, before: bytes, after: bytes) -> None:
    redactor = Redactor()
    redactor.learn(secret)
    plain = secret.encode()
    for encoder, decoder in (
        (base64.b64encode, base64.b64decode),
        (base64.urlsafe_b64encode, base64.urlsafe_b64decode),
    ):
        echoed = encoder(before + plain + after).decode()
        cleaned = redactor.clean_text(echoed)
        assert MARK in cleaned
        for part in cleaned.split(MARK):  # what is left over decodes to nothing that holds the secret
            for skipped in range(4):
                rest = part.rstrip("=")[skipped:]
                assert plain not in decoder(rest[: len(rest) // 4 * 4])


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), min_size=6, max_size=12), st.text(max_size=10), st.text(max_size=10)
)
def test_the_ledger_stays_readable_whatever_the_secret_is(secret: str, before: str, after: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        event = Event("received", 1700000000.5, "a" * 64, 0, 3, {"text": f"{before}{secret}{after}", "n": 1})
        returned, _ = recorded(Path(folder), secret, event)
        [line] = sealed_events(Path(folder) / "0001.jsonl")
        assert decode(line)["kind"] == "received"
        assert returned.trial == "a" * 64
        assert (returned.at, returned.ordinal) == (1700000000.5, 3)
        assert all(secret not in str(text) or secret in MARK for text in returned.data.values())


@pytest.mark.parametrize("secret", ["000000", "123456", '":"","', "received", "aaaaaaaa"])
def test_a_secret_that_looks_like_the_ledgers_own_bytes_tears_nothing(tmp_path: Path, secret: str) -> None:
    event = Event("received", 1000000.123456, "a" * 64, 0, 0, {"n": 123456, "text": "fine"})
    returned, _ = recorded(tmp_path, secret, event)
    assert returned == event


def test_an_event_without_secrets_is_returned_as_it_is(tmp_path: Path) -> None:
    event = Event("received", data={"text": "nothing to hide"})
    returned, _ = recorded(tmp_path, SECRET, event)
    assert returned is event


def test_a_short_secret_is_not_learnt(tmp_path: Path) -> None:
    returned, _ = recorded(tmp_path, "EMPTY", Event("received", data={"text": "the list is EMPTY"}))
    assert returned.data == {"text": "the list is EMPTY"}


def test_several_secrets_are_all_kept_out_the_longer_first() -> None:
    redactor = Redactor()
    for secret in ("secret", "secret-and-more", "another"):
        redactor.learn(secret)
    assert redactor.clean_text("secret-and-more, another, secret.") == f"{MARK}, {MARK}, {MARK}."


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://user:key@host/v1", True),
        ("https://key@host", True),
        ("HTTP://u:p@host:8000/v1?x=1#y", True),
        (" https://u:p@host", True),
        ("//u:p@host", True),
        ("https://host/v1", False),
        ("https://host/path@version", False),
        ("https://host?mail=a@b", False),
        ("https://host#a@b", False),
        ("mailto:a@b", False),
        ("", False),
    ],
)
def test_userinfo_in_a_url_is_seen(url: str, expected: bool) -> None:
    assert has_userinfo(url) is expected


def test_a_secret_that_no_request_can_carry_is_no_fault_of_ours() -> None:
    assert Redactor(["\udcff-a-key-in-latin-1-\udce9"]).clean_text("fine") == "fine"


KEY = "sk-proj-9fQz7Rw2Lk_Xv4Tb8NmH3cJd6Ys1"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(KEY) - 8), st.integers(8, len(KEY)), st.sampled_from([str, str.upper, str.lower]))
def test_a_piece_of_a_key_does_not_pass(start: int, length: int, case: Callable[[str], str]) -> None:
    piece = KEY[start : start + length]
    redactor = Redactor([KEY])
    cleaned = redactor.clean_text(f"it begins with {case(piece)}… and so on")
    if piece == "sk-proj-":  # all keys of that service have it
        assert MARK not in cleaned
    else:
        assert cleaned == f"it begins with {MARK}… and so on"
    if length >= 12:
        assert MARK in redactor.clean_text(f"backwards {case(piece[::-1])}")


def test_pieces_are_kept_out_of_events_and_excerpts(tmp_path: Path) -> None:
    echo = f"a {KEY[:12]} b {KEY[-12:]} c"
    returned, written = recorded(tmp_path, KEY, Event("received", data={"text": echo, KEY[:15]: [echo]}))
    assert returned.data == {"text": f"a {MARK} b {MARK} c", MARK: [f"a {MARK} b {MARK} c"]}
    assert KEY[:12].encode() not in written
    assert Redactor([KEY]).excerpt(echo) == f"a {MARK} b {MARK} c"


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("correct-horse-battery-staple", "a correct-horse, the battery-staple"),
        ("sk-0123456789abcdef", "'0123456789abcdef'[n % 16], 0123456789"),
        ("hunter2-of-the-proxy", "of-the-proxy"),
        ("password123", "password12"),
        ("sk-ant-api03-9fQz7Rw2Lk", "keys begin with sk-ant-a"),
    ],
)
def test_pieces_that_ordinary_text_has_are_left_alone(secret: str, text: str) -> None:
    assert Redactor([secret]).clean_text(text) == text
