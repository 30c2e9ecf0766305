"""Before a large run the command line says what it would ask, and asks. Other runs, resuming and Python never do."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

import assay as package
from assay.testing.stub import stub_process

from .conftest import Assay

FAR = ("-s", "openai:m", "--base-url", "http://far.example/v1")
PING = ("run", "ping", *FAR, "--name", "r")
LARGE = ("--trials", "2001")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def answering(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(said))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (LARGE, "2,001 calls (more than 2,000)"),
        (("--trials", "1999", "--price", "1000/1000"), "a cost of "),
    ],
)
def test_without_a_terminal_a_large_run_needs_a_yes(
    assay: Assay, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    ended = assay(*PING, *more)
    assert (ended.code, ended.out) == (2, "")
    for part in ("ping: ", "calls", "tokens     about", "time       about", said, "--yes"):
        assert part in ended.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("answer", ["n\n", "\n", "y\n"])
def test_on_a_terminal_it_is_asked(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    begun: list[object] = []

    def begin(*given: object, **_: object) -> int:
        begun.append(given)
        return 0

    monkeypatch.setattr("assay.cli.session.run_session", begin)
    answering(monkeypatch, answer)
    ended = assay(*PING, *LARGE)
    assert "Go on? [y/N]" in ended.err + ended.out
    assert (ended.code, len(begun)) == ((0, 1) if answer == "y\n" else (2, 0))
    assert (tmp_path / "runs").exists() is (answer == "y\n")


@pytest.mark.parametrize(
    "more",
    [
        (*LARGE, "--yes"),
        (*LARGE, "--budget", "calls=100"),
        ("--trials", "1000"),
    ],
)
def test_a_yes_a_budget_or_a_small_run_is_not_asked_about(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.setattr("assay.cli.session.run_session", lambda *_, **__: 0)
    assert assay(*PING, *more).code == 0


def test_what_is_large_can_be_set(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.session.run_session", lambda *_, **__: 0)
    monkeypatch.setenv("ASSAY_ASK_ABOVE", "calls=5000,tokens=1e8")
    assert assay(*PING, *LARGE).code == 0
    monkeypatch.setenv("ASSAY_ASK_ABOVE", "calls=9")
    assert "10 calls (more than 9)" in assay(*PING, "--trials", "10").err
    monkeypatch.setenv("ASSAY_ASK_ABOVE", "tokens=99")
    assert "tokens (more than 99)" in assay(*PING, "--trials", "10").err
    monkeypatch.setenv("ASSAY_ASK_ABOVE", "many")
    ended = assay(*PING, "--trials", "10")
    assert (ended.code, "ASSAY_ASK_ABOVE many" in ended.err) == (2, True)


@pytest.mark.parametrize(
    "subject", [("-s", "reference:mumbler"), ("-s", "openai:m", "--base-url", "http://127.0.0.1:1/v1")]
)
def test_what_costs_only_time_is_not_asked_about(
    assay: Assay, monkeypatch: pytest.MonkeyPatch, subject: tuple[str, ...]
) -> None:
    monkeypatch.setattr("assay.cli.session.run_session", lambda *_, **__: 0)
    assert assay("run", "ping", *subject, *LARGE).code == 0


def test_a_plan_says_that_a_run_would_ask(assay: Assay) -> None:
    assert "2,001 calls (more than 2,000)" in assay("plan", "ping", *FAR, *LARGE).out
    assert "more than" not in assay("plan", "ping", *FAR, "--trials", "5").out


def test_neither_resume_nor_python_asks(
    assay: Assay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_ASK_ABOVE", "calls=1")
    with stub_process(answer="echo") as stub:
        paid: Any = {"base_url": stub.url, "price": "1/1"}
        small = ("--trials", "4", "--price", "1/1", "--name", "r")
        run = ("run", "ping", "-s", "openai:stub", "--base-url", stub.url, *small)
        assert assay(*run).code == 2
        assert assay(*run, "--yes", "--budget", "calls=2").code == 3
        assert assay("resume", "r", "--budget", "calls=100").code == 0
        package.run("ping", subject="openai:stub", name="p", trials=4, report=False, **paid)
    assert (tmp_path / "runs/p/reading-ping.json").is_file()
    assert package.plan("ping", subject="openai:m", trials=4, **paid).calls == 4


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("1", "--price 1: write IN/OUT"),
        ("a/b", "--price a/b: write IN/OUT"),
        ("-1/2", "--price -1/2: write IN/OUT"),
        ("nan/2", "--price nan/2: write IN/OUT"),
    ],
)
def test_a_price_is_two_amounts(assay: Assay, price: str, said: str) -> None:
    ended = assay("plan", "ping", *FAR, "--price", price)
    assert (ended.code, said in ended.err) == (2, True)


def test_a_price_gives_a_budget_in_money_without_a_file(assay: Assay) -> None:
    ended = assay("plan", "ping", *FAR, "--trials", "10", "--price", "1/2", "--budget", "cost=3")
    assert (ended.code, "cost       at most" in ended.out) == (0, True)
    bare = assay("plan", "ping", *FAR, "--budget", "cost=3")
    assert (bare.code, "--price" in bare.err) == (2, True)
    free = assay("plan", "ping", "-s", "reference:mumbler", "--price", "1/2")
    assert (free.code, "paid for" in free.err) == (2, True)
