"""The stub in a process of its own: counted from outside, gone with its parent, and a whole storm of it."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from assay.errors import UnknownName
from assay.testing.stub import KINDS, Faults, StubProcess, main, stub_process
from assay.testing.stub.faults import STORM

from .stub_client import BODY, ask, eventually, gone


class TestProcess:
    def test_counts_are_read_from_outside_and_the_log_survives_a_kill(self, tmp_path: Path) -> None:
        log = tmp_path / "requests.log"
        digest = hashlib.sha256(BODY).hexdigest()
        with stub_process(answer="echo", faults=Faults.of(http_429=1, until=1), log=log) as stub:
            assert [ask(stub.port).status for _ in range(3)] == [429, 200, 200]
            assert stub.bodies() == {digest: 3}
            assert stub.bodies(answered=True) == {digest: 2}
            assert stub.stats().faults == {"http_429": 1}
            stub.kill()
        assert log.read_text() == f"{digest} http_429\n{digest} ok\n{digest} ok\n"
        with stub_process(log=log) as stub:
            ask(stub.port)
            stub.reset()
            assert stub.stats().requests == 0
        assert len(log.read_text().splitlines()) == 4

    def test_ends_with_the_block(self) -> None:
        with stub_process() as stub:
            assert ask(stub.port).status == 200
        assert stub.process.returncode == 0
        assert gone(stub.port)

    def test_stays_through_a_ctrl_c_meant_for_its_parent(self) -> None:
        with stub_process() as stub:
            os.kill(stub.pid, signal.SIGINT)
            assert ask(stub.port).status == 200

    def test_ends_when_its_parent_is_killed(self) -> None:
        script = (
            "import sys, time\nfrom assay.testing.stub import stub_process\n"
            "with stub_process() as stub:\n    print(stub.port, flush=True)\n    time.sleep(600)\n"
        )
        parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        assert parent.stdout is not None
        with parent.stdout:
            port = int(parent.stdout.readline())
            assert ask(port).status == 200
            parent.kill()
            parent.wait()
        assert eventually(lambda: gone(port))

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--answer", "ecko"], "did you mean 'echo'"),
            (["--faults", "strom"], "unknown fault 'strom'"),
            (["--latency", "-1"], "latency -1"),
            (["--port", "70000"], "port 70000"),
            (["--json-config", '{"prot":1}'], "prot"),
            (["--log", "/nonexistent/folder/log"], "/nonexistent/folder/log"),
        ],
    )
    def test_wrong_input_is_exit_code_2_and_says_what(
        self, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(arguments) == 2
        assert said in capsys.readouterr().err

    def test_a_wrong_option_is_found_before_a_process_is_started(self) -> None:
        with pytest.raises(UnknownName), stub_process(faults="http_42"):
            pytest.fail("it started")

    def test_the_help_names_every_fault(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            main(["--help"])
        said = capsys.readouterr().out.split()
        assert {word.strip(".,") for word in said} >= set(KINDS)

    def test_importing_it_is_light(self) -> None:
        script = (
            "import sys, assay.testing.stub; print([m for m in ('aiohttp', 'numpy') if m in sys.modules])"
        )
        ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_client_that_retries_gets_every_answer_through_a_storm() -> None:
    async def one(session: aiohttp.ClientSession, stub: StubProcess, number: int) -> str:
        body = {"model": "m", "messages": [{"role": "user", "content": f"question {number}"}]}
        while True:
            try:
                async with session.post(f"{stub.url}/chat/completions", json=body) as reply:
                    if reply.status == 200:
                        return str((await reply.json())["choices"][0]["message"]["content"])
            except (aiohttp.ClientError, TimeoutError, ValueError):
                continue

    async def everything(stub: StubProcess) -> list[str]:
        timeout = aiohttp.ClientTimeout(total=1)
        connector = aiohttp.TCPConnector(limit=16)
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
            return await asyncio.gather(*(one(session, stub, number) for number in range(400)))

    with stub_process(answer="echo", faults=Faults.storm(0.6, seed=1)) as stub:
        answers = asyncio.run(everything(stub))
        stats = stub.stats()
    assert answers == [f"question {number}" for number in range(400)]
    assert stats.distinct_bodies == 400
    assert stats.requests == stats.answered + sum(
        count for kind, count in stats.faults.items() if kind not in ("slow", "slow_body", "chunked", "gzip")
    )
    assert set(stats.faults) == set(STORM)
