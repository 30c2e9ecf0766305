"""A key stays where it is: no file, no message holds it in any form, however loudly the endpoint repeats it."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from assay.bench import RunFolder
from assay.evidence.redaction import MARK
from assay.testing.stub import Fault, Faults, stub_process
from tests.support import command, environment, ledger_events

pytestmark = pytest.mark.slow
KEY = 'sk-T3st/key+with"quotes\\and=percent%&more~0123456789'


def forms(key: str) -> dict[str, str]:
    """The key as somebody may write it. Base64 without its last group, which depends on what follows."""
    plain = key.encode()
    return {
        "plain": key,
        "json": json.dumps(key)[1:-1],
        "json twice": json.dumps(json.dumps(key)[1:-1])[1:-1],
        "percent": quote(key, safe=""),
        "percent, slash kept": quote(key),
        "plus": quote_plus(key),
        "percent in small letters": quote(key, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
        "base64": base64.b64encode(plain).decode().rstrip("=")[:-4],
        "base64 for URLs": base64.urlsafe_b64encode(plain).decode().rstrip("=")[:-4],
        "base64 of user:key": base64.b64encode(b"user:" + plain).decode().rstrip("=")[8:-4],
        "base64 of Bearer key": base64.b64encode(b"Bearer " + plain).decode().rstrip("=")[12:-4],
    }


ECHO = " and ".join(
    [
        KEY,
        json.dumps({"authorization": f"Bearer {KEY}"}),
        quote(KEY, safe=""),
        quote_plus(KEY),
        base64.b64encode(KEY.encode()).decode(),
        base64.b64encode(f"user:{KEY}".encode()).decode(),
        base64.urlsafe_b64encode(f"Bearer {KEY}".encode()).decode(),
    ]
)


class Session:
    """Commands with the key in the environment; everything they print is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.printed = folder, ""

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        ended = command(*arguments, cwd=self.folder, env=environment(self.folder, STUB_KEY=KEY))
        self.printed += ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr
        return ended

    def run(self, url: str, instrument: str, *more: str) -> subprocess.CompletedProcess[str]:
        subject = ("-s", "openai:stub", "--base-url", url, "--key-env", "STUB_KEY")
        return self("run", instrument, *subject, "--name", "r", *more)

    def holds_no_key(self) -> None:
        """Everything the other commands print and everything that lies there, searched."""
        for told in (("report", "r"), ("report", "r", "--json"), ("audit", "r", "--json")):
            self(*told)
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        assert {"lock.json", "0001.jsonl", "report.html"} <= {path.name for path in files}
        places = {str(path.relative_to(self.folder)): path.read_bytes() for path in files}
        places["what was printed"] = self.printed.encode()
        found = [
            (where, name)
            for where, data in places.items()
            for name, form in forms(KEY).items()
            if form.encode() in data
        ]
        assert found == []


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_the_forms_searched_for_are_found_where_they_are() -> None:
    assert [name for name, form in forms(KEY).items() if form not in json.dumps(ECHO) + ECHO] == [
        "percent, slash kept",
        "percent in small letters",
        "base64 for URLs",
    ]


def test_a_refusal_that_echoes_the_key_does_not_spread_it(session: Session) -> None:
    with stub_process(required_key=KEY, faults=Faults((Fault("echo_key", form="401", until=8),))) as stub:
        ended = session.run(stub.url, "ping", "--set", "trials=30")
        assert ended.returncode == 3
        assert f"Incorrect API key provided: {MARK}" in ended.stdout
        for _ in range(8):
            if session("resume", "r", "--json").returncode == 0:
                break
        assert stub.stats().refused == 0
    assert session("audit", "r").returncode == 0
    session.holds_no_key()


def test_errors_that_echo_the_key_are_counted_without_it(session: Session) -> None:
    with stub_process(required_key=KEY, faults=Faults((Fault("echo_key", 0.2, form="500"),))) as stub:
        assert session.run(stub.url, "ping", "--set", "trials=30").returncode == 0
        assert stub.stats().faults["echo_key"]
    assert session("audit", "r").returncode == 0
    session.holds_no_key()


@pytest.mark.parametrize("instrument", ["ping", "drill", "repeatability"])
def test_a_reply_that_holds_the_key_is_recorded_without_it_and_the_audit_holds(
    session: Session, instrument: str
) -> None:
    program = f"```python\ndef add(a, b):\n    '''{ECHO}'''\n    return a + b\n```\n"
    few = ("--set", "contracts=add", "--set", "repetitions=2") if instrument == "repeatability" else ()
    with stub_process(required_key=KEY, answer=f"fixed:{ECHO}{program}{'long ' * 100}") as stub:
        assert session.run(stub.url, instrument, "--quick", *few).returncode == 0
    audited = session("audit", "r")
    assert audited.returncode == 0, audited.stdout
    texts = [
        event["data"]["reply"]["text"]
        for event in ledger_events(RunFolder(session.folder / "runs/r"))
        if event["kind"] == "received"
    ]
    assert texts
    assert all(text.startswith(f"{MARK} and ") for text in texts)
    session.holds_no_key()


def test_a_reply_with_the_key_is_redacted_alike_when_a_run_is_resumed(session: Session) -> None:
    with stub_process(required_key=KEY, answer=f"fixed:{ECHO}{'long ' * 100}") as stub:
        assert session.run(stub.url, "drill", "--quick", "--budget", "calls=20").returncode == 3
        assert session("resume", "r", "--budget", "calls=1e6").returncode == 0
    assert session("audit", "r").returncode == 0
    session.holds_no_key()


def test_a_wrong_key_is_not_told_either(session: Session) -> None:
    with stub_process(required_key="another-key-entirely") as stub:
        assert session.run(stub.url, "ping", "--quick").returncode == 3
        assert stub.stats().refused > 0
    session.holds_no_key()


def test_a_key_with_a_line_break_is_refused_without_repeating_it(session: Session) -> None:
    env = environment(session.folder, STUB_KEY=f"{KEY}\nX-Other: 1")
    subject = ("-s", "openai:stub", "--base-url", "http://127.0.0.1:9/v1", "--key-env", "STUB_KEY")
    ended = command("run", "ping", *subject, "--name", "r", cwd=session.folder, env=env)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == (
        "assay: the key in STUB_KEY holds a line break or another sign no key has"
    )
    assert KEY not in ended.stdout + ended.stderr
