"""The embedded model: a real one, served on loopback by a child that never outlives us."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from assay.errors import InputError, IntegrityError, SubjectFault, UnknownName
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, make_subject
from assay.subjects.local import LocalSubject
from assay.subjects.models import MODELS, cache_folder
from assay.vocabulary import Message, Reply, Request, Sampling

WEIGHTS = cache_folder() / f"{MODELS['smollm2'].sha256[:16]}.gguf"
needs_engine = pytest.mark.skipif(
    find_spec("xllamacpp") is None, reason="xllamacpp is not installed (the extra 'local')"
)
needs_model = pytest.mark.skipif(
    not WEIGHTS.is_file(), reason="the model is not on this machine (assay pull smollm2)"
)
HERE = Call("t", 0, 0)


def request(text: str = "Name three colours.", seed: int | None = 1, **sampling: Any) -> Request:
    values = {"temperature": 0.0, "max_tokens": 24, **sampling}
    return Request((Message("user", text),), Sampling(**values), seed=seed)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def pid_of(subject: LocalSubject) -> int:
    assert subject._child is not None
    return subject._child.pid


class TestTheDeclaration:
    def test_of_an_unknown_model_names_the_nearest(self) -> None:
        with pytest.raises(UnknownName, match="did you mean 'smollm2'"):
            make_subject(SubjectSpec("local:smollm"))

    def test_is_light_and_needs_neither_engine_nor_model(self) -> None:
        subject = make_subject(SubjectSpec("local:/nowhere/model.gguf", options={"top_k": 1}))
        assert subject.wire(request("hi", seed=3, max_tokens=5)) == {
            "model": "model.gguf",
            "messages": [{"role": "user", "content": "hi"}],
            "temperature": 0.0,
            "max_tokens": 5,
            "seed": 3,
            "top_k": 1,
        }

    @needs_engine
    def test_of_a_file_that_is_not_there_says_so(self) -> None:
        with pytest.raises(InputError, match=r"no model file /nowhere/model\.gguf"):
            asyncio.run(LocalSubject(SubjectSpec("local:/nowhere/model.gguf")).open())

    def test_without_the_engine_names_the_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.subjects.local.find_spec", lambda name: None)
        with pytest.raises(InputError, match=r"assay-bench\[local\]"):
            asyncio.run(LocalSubject(SubjectSpec("local:smollm2")).open())

    @needs_engine
    def test_of_weights_that_were_damaged_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        cache_folder().mkdir(parents=True)
        (cache_folder() / WEIGHTS.name).write_bytes(b"GGUF but damaged")
        with pytest.raises(IntegrityError, match="pull it again"):
            asyncio.run(LocalSubject(SubjectSpec("local:smollm2")).open())

    @needs_engine
    @pytest.mark.parametrize("content", [b"", b"not a model at all" * 100, b"GGUF\x03\0\0\0" + bytes(64)])
    def test_of_a_file_that_is_no_model_says_so_and_leaves_nothing_behind(
        self, content: bytes, tmp_path: Path
    ) -> None:
        (tmp_path / "fake.gguf").write_bytes(content)
        subject = LocalSubject(SubjectSpec(f"local:{tmp_path / 'fake.gguf'}"))
        with pytest.raises(InputError, match="is the file a GGUF model"):
            asyncio.run(subject.open())
        assert not alive(pid_of(subject))


@pytest.mark.slow
@needs_engine
@needs_model
class TestTheModel:
    def test_answers_with_all_that_belongs_to_a_reply_and_repeats_itself_at_temperature_zero(self) -> None:
        async def go() -> tuple[dict[str, Any], list[Reply], int]:
            subject = LocalSubject(SubjectSpec("local:smollm2", connections=1))
            about = await subject.open()
            try:
                pid = pid_of(subject)
                assert alive(pid)
                wire = subject.wire(request())
                return about, [await subject.call(wire, HERE, 120) for _ in range(2)], pid
            finally:
                await subject.close()

        about, (first, second), pid = asyncio.run(go())
        assert first.text == second.text
        assert len(first.text) > 10
        assert first.finish == "length"
        assert (first.usage.output, first.usage.input is not None) == (24, True)
        assert first.model
        assert about["weights_sha256"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()
        assert about["engine"].startswith("xllamacpp ")
        assert not alive(pid)

    def test_draws_by_the_seed_and_serves_several_at_once(self) -> None:
        async def go() -> list[Reply]:
            subject = LocalSubject(SubjectSpec("local:smollm2", connections=2))
            await subject.open()
            try:
                wires = [subject.wire(request(seed=n, temperature=1.5, max_tokens=12)) for n in (1, 2, 3, 4)]
                return await asyncio.gather(*(subject.call(wire, HERE, 120) for wire in wires))
            finally:
                await subject.close()

        replies = asyncio.run(go())
        assert len({reply.text for reply in replies}) > 1

    def test_that_ends_of_its_own_accord_says_stop(self) -> None:
        async def go() -> Reply:
            subject = LocalSubject(SubjectSpec("local:smollm2", connections=1))
            await subject.open()
            try:
                wire = subject.wire(request("Reply with the single word: yes", max_tokens=200))
                return await subject.call(wire, HERE, 120)
            finally:
                await subject.close()

        assert asyncio.run(go()).finish == "stop"

    def test_whose_server_died_is_a_fault_with_a_name(self) -> None:
        async def go() -> None:
            subject = LocalSubject(SubjectSpec("local:smollm2", connections=1))
            await subject.open()
            try:
                os.kill(pid_of(subject), signal.SIGKILL)
                assert subject._child is not None
                await subject._child.wait()
                with pytest.raises(SubjectFault, match="server_died") as caught:
                    await subject.call(subject.wire(request()), HERE, 20)
                assert not caught.value.retriable
            finally:
                await subject.close()

        asyncio.run(go())

    def test_is_gone_when_its_parent_is_killed(self) -> None:
        program = """
import asyncio
from assay.study.model import SubjectSpec
from assay.subjects.local import LocalSubject

async def main():
    subject = LocalSubject(SubjectSpec("local:smollm2", connections=1))
    await subject.open()
    print(subject._child.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            assert alive(pid)
            assert os.getpgid(pid) != os.getpgid(parent.pid)  # Ctrl-C does not reach it
            parent.kill()
        deadline = time.monotonic() + 120
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not alive(pid)
