"""A key that an endpoint echoes anywhere in its words, in any form, leaves no piece of itself behind."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.bench.caller import Caller
from assay.bench.meter import Meter
from assay.errors import SubjectFault, SubjectRefused
from assay.evidence.redaction import Redactor
from assay.study.model import Budget, Limits, SubjectSpec
from assay.subjects.base import Call
from assay.subjects.chat import read_failure, read_reply
from assay.testing.stub import stub_process
from assay.vocabulary import Reply, Request
from tests.support import command, environment

KEY = "sk-proj-9fQz7Rw2Lk_Xv4Tb8NmH3cJd6Ys1"
FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "lower": str.lower,
    "swapped case": str.swapcase,
    "reversed": lambda key: key[::-1],
    "reversed, upper": lambda key: key[::-1].upper(),
    "hex": lambda key: key.encode().hex(),
    "HEX": lambda key: key.encode().hex().upper(),
    "hex with spaces": lambda key: key.encode().hex(" "),
    "HEX with colons": lambda key: key.encode().hex(":").upper(),
    "hex with dashes": lambda key: key.encode().hex("-"),
    "hex in pairs": lambda key: key.encode().hex(" ", -2),
    "a list of bytes": lambda key: ", ".join(f"0x{byte:02x}" for byte in key.encode()),
    "Python": lambda key: "".join(f"\\x{byte:02x}" for byte in key.encode()),
    "every character in percent": lambda key: "".join(f"%{byte:02X}" for byte in key.encode()),
    "percent": lambda key: quote(key, safe=""),
    "JSON": lambda key: json.dumps(key)[1:-1],
    "HTML": html.escape,
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
}


def pieces(form: str) -> set[str]:
    return {form[at : at + 8] for at in range(len(form) - 7)}


def left_of(form: str, text: str) -> set[str]:
    """Pieces of the echoed form that a text still holds. Base64: of its last group the neighbours decide."""
    return {piece for piece in pieces(form.rstrip("=")) if piece in text}


class Answering:
    """A subject whose endpoint answers every call with these words."""

    stateful = False
    connections = 1
    caveats: tuple[str, ...] = ()
    spec = SubjectSpec("openai:echo")

    def __init__(self, answer: Callable[[], Reply]) -> None:
        self._answer = answer

    def secrets(self) -> tuple[str, ...]:
        return (KEY,)

    def wire(self, request: Request) -> dict[str, object]:
        return {}

    async def open(self) -> dict[str, object]:
        return {}

    async def call(self, wire: dict[str, object], call: Call, seconds: float) -> Reply:
        return self._answer()

    async def forget(self, session: str) -> None: ...

    async def close(self) -> None: ...


def told(answer: Callable[[], Reply]) -> str:
    """What the bench keeps of a failed call."""

    async def go() -> str:
        caller = Caller(Answering(answer), Limits(tries=1), Meter(Budget()), asyncio.Event())
        try:
            return (await caller.call({}, Call("t", 0, 0), 1_000_000, lambda: None)).detail
        except SubjectRefused as refused:
            return str(refused)

    return asyncio.run(go())


def failure(status: int, said: str, *, plain: bool = False) -> Callable[[], Reply]:
    body = said if plain else json.dumps({"error": {"message": said}})
    return lambda: read_failure(status, body.encode(), None)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(FORMS)),
    st.integers(0, 700) | st.integers(3800, 4600),
    st.sampled_from(["x", " ", "x ", KEY, f"{KEY}  "]),
    st.sampled_from([400, 401, 500]),
    st.booleans(),
)
@example("plain", 299 - 27, "x", 401, False)
@example("plain", 4090, " ", 500, False)
@example("hex", 4000, KEY, 500, True)
def test_no_piece_of_a_key_is_left_wherever_the_words_are_cut(
    name: str, offset: int, filling: str, status: int, plain: bool
) -> None:
    form = FORMS[name](KEY)
    before = filling * (offset // len(filling))
    kept = told(failure(status, f"{before}{form} is wrong{' and more' * 600}", plain=plain))
    written = json.dumps(form)[1:-1] if not plain else form
    assert left_of(form, kept) | left_of(written, kept) | left_of(KEY, kept) == set()
    assert len(kept) <= 300


def test_an_error_with_status_200_is_cut_after_redaction_too() -> None:
    body = json.dumps({"error": f"{'x' * 285}{KEY}"}).encode()
    assert left_of(KEY, told(lambda: read_reply(body, "application/json"))) == set()


def test_an_exception_of_an_adapter_is_cut_after_redaction_too() -> None:
    def raises() -> Reply:
        raise SubjectFault("wrong_shape", f"{'x' * 290}{KEY}", retriable=False)

    assert left_of(KEY, told(raises)) == set()


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("Placeholder", "a placeholder, PLACEHOLDER, redlohecalP"),
        ("my-secret", "MY-SECRET My-Secret terces-ym"),
        ("stressed", "desserts"),
        ("PASSWORD", "the password"),
    ],
)
def test_a_key_of_ordinary_words_takes_no_other_words_out(key: str, text: str) -> None:
    redactor = Redactor([key])
    assert redactor.clean_text(text) == text
    assert key not in redactor.clean_text(f"it is {key}.")


@pytest.mark.slow
def test_no_file_and_no_screen_holds_a_piece_of_an_echoed_key(tmp_path: Path) -> None:
    """Every form as a reply, and as the words of a refusal whose key lies across the cut."""
    everything = " and ".join(form(KEY) for form in FORMS.values())
    env = environment(tmp_path, STUB_KEY=KEY)
    printed = ""

    def assay(*arguments: str) -> subprocess.CompletedProcess[str]:
        nonlocal printed
        ended = command(*arguments, cwd=tmp_path, env=env)
        printed += ended.stdout + ended.stderr
        return ended

    with stub_process(required_key=KEY, answer=f"fixed:{everything}") as stub:
        subject = ("-s", "openai:stub", "--base-url", stub.url, "--key-env", "STUB_KEY")
        assert assay("run", "ping", *subject, "--quick", "--name", "r").returncode == 0
    assert assay("audit", "r").returncode == 0
    assay("report", "r", "--json")
    places = {str(path): path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file()}
    places["the screen"] = printed
    found = {
        (where, name)
        for where, text in places.items()
        for name, form in FORMS.items()
        if left_of(form(KEY), text)
    }
    assert found == set()
