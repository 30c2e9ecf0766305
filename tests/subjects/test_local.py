"""The embedded model: a real one, served on loopback by a child that never outlives us."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench.prepare import prepare
from assay.errors import InputError, IntegrityError, SubjectFault, UnknownName
from assay.study.model import LlamaCpp, Study, SubjectSpec
from assay.subjects.base import Call, make_subject
from assay.subjects.llama_cpp import serving_of, with_defaults
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
    assert subject._server is not None
    assert subject._server.child is not None
    return subject._server.child.pid


def served(path: Path) -> list[str]:
    """Processes that have a model file among their arguments."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [one.parent.name] if str(path).encode() in one.read_bytes().split(b"\0") else []
    return found


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
        assert not served(tmp_path / "fake.gguf")


class TestWhatServesIt:
    """llama.cpp's own parameters: filled in when the study is locked, so that the lock says how a reply was made."""

    def test_is_filled_in_for_every_model(self) -> None:
        small, large = (
            with_defaults(SubjectSpec(f"local:{name}")) for name in ("smollm2", "qwen2.5-coder-1.5b")
        )
        assert small.llama_cpp == LlamaCpp(context=8192, cache="conversation", batch=512, kv="f16")
        assert large.llama_cpp == LlamaCpp(context=16384, cache="conversation", batch=512, kv="f16")
        assert large.connections == 1
        other = with_defaults(SubjectSpec("local:/some/model.gguf", connections=3))
        assert (other.connections, other.llama_cpp) == (3, small.llama_cpp)

    def test_keeps_what_the_study_says_itself(self) -> None:
        given = SubjectSpec("local:smollm2", llama_cpp=LlamaCpp(context=512, threads=1, repack=False))
        filled = with_defaults(given).llama_cpp
        assert filled == LlamaCpp(
            context=512, cache="conversation", batch=512, kv="f16", threads=1, repack=False
        )
        assert with_defaults(with_defaults(given)) == with_defaults(given)

    def test_is_nothing_to_other_kinds(self) -> None:
        assert with_defaults(SubjectSpec("reference:mixed")) == SubjectSpec("reference:mixed")

    def test_stands_in_the_lock(self) -> None:
        study = Study(subjects=("local:smollm2",), instruments={"repeatability": {"contracts": ["add"]}})
        (spec,) = prepare(study, Path()).study.specs
        assert spec == with_defaults(SubjectSpec("local:smollm2"))

    def test_goes_with_local_subjects_only(self) -> None:
        spec = SubjectSpec("reference:mixed", llama_cpp=LlamaCpp(context=512))
        with pytest.raises(InputError, match="goes with local: subjects"):
            prepare(Study(subjects=(spec,), instruments={"repeatability": {}}), Path())

    def test_of_a_lock_from_before_is_what_it_was_then(self) -> None:
        """Such a lock names none of it; its run is resumed as it was begun, and its digest is the same."""
        old = SubjectSpec("local:smollm2")
        assert msgspec.json.encode(old) == b'{"subject":"local:smollm2"}'
        assert serving_of(old) == LlamaCpp(context=2048, cache="none", batch=512, kv="f16")
        assert make_subject(old).connections == 4

    @pytest.mark.parametrize("option", ["cache_prompt", "id_slot"])
    def test_is_not_to_be_bent_by_options(self, option: str) -> None:
        with pytest.raises(InputError, match="llama_cpp"):
            make_subject(SubjectSpec("local:smollm2", options={option: 1}))


@pytest.mark.slow
@needs_engine
@needs_model
class TestTheModel:
    def test_reads_a_conversations_earlier_turns_once_and_those_of_others_never(self) -> None:
        first = (Message("user", "Name three colours, please, and say of each what it is the colour of."),)
        later = (*first, Message("assistant", "Red, of blood."), Message("user", "Another one."))

        async def go() -> list[int]:
            subject = LocalSubject(with_defaults(SubjectSpec("local:smollm2", connections=2)))
            await subject.open()
            try:
                cached = []
                for session, messages in (
                    ("a", first),
                    ("a", later),
                    ("b", first),
                    ("b", later),
                    ("a", later),
                ):
                    asked = Request(messages, Sampling(temperature=0.0, max_tokens=4), seed=1)
                    reply = await subject.call(subject.wire(asked), Call(session, 0, 0), 120)
                    cached.append(reply.rest["timings"]["cache_n"])
                await subject.forget("a/0")
                reply = await subject.call(subject.wire(asked), Call("c", 0, 0), 120)
                return [*cached, reply.rest["timings"]["cache_n"]]
            finally:
                await subject.close()

        one, two, three, four, five, six = asyncio.run(go())
        assert (one, three, six) == (0, 0, 0)
        assert two == four > 10
        assert five >= two

    @pytest.mark.parametrize(
        ("text", "tokens"), [("word " * 400, 8), ("Count from one to a thousand, in words. " * 20, 400)]
    )
    def test_that_is_asked_more_than_its_context_holds_is_a_fault_with_a_name(
        self, text: str, tokens: int
    ) -> None:
        """The prompt does not fit, or the reply does not fit behind it: neither is cut in silence."""

        async def go() -> SubjectFault:
            spec = SubjectSpec("local:smollm2", connections=1, llama_cpp=LlamaCpp(context=256))
            subject = LocalSubject(with_defaults(spec))
            await subject.open()
            try:
                with pytest.raises(SubjectFault) as caught:
                    await subject.call(subject.wire(request(text, max_tokens=tokens)), HERE, 120)
                return caught.value
            finally:
                await subject.close()

        fault = asyncio.run(go())
        assert (fault.name, fault.retriable) == ("context_exceeded", False)
        assert "256" in fault.detail

    def test_is_not_served_with_more_context_than_it_has(self) -> None:
        spec = SubjectSpec("local:smollm2", connections=1, llama_cpp=LlamaCpp(context=16384))
        with pytest.raises(InputError, match=r"llama_cpp: \{context: 8192\}"):
            asyncio.run(LocalSubject(with_defaults(spec)).open())

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
                assert subject._server is not None
                assert subject._server.child is not None
                await subject._server.child.wait()
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
    print(subject._server.child.pid, flush=True)
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


@needs_engine
@needs_model
class TestSubjectsOfOneModel:
    def test_that_are_served_alike_share_a_process_until_the_last_is_closed(self) -> None:
        async def go() -> None:
            specs = [SubjectSpec("local:smollm2", label=name, connections=1, system=name) for name in "ab"]
            one, two = map(LocalSubject, specs)
            other = LocalSubject(SubjectSpec("local:smollm2", label="c", connections=2))
            await asyncio.gather(one.open(), two.open(), other.open())
            pids = [pid_of(one), pid_of(two), pid_of(other)]
            assert pids[0] == pids[1] != pids[2]
            assert one.served_by == two.served_by != other.served_by
            await one.close()
            assert alive(pids[0])
            assert (await two.call(two.wire(request()), HERE, 120)).text
            await two.close()
            assert not alive(pids[0])
            await other.close()

        asyncio.run(go())
