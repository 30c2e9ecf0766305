"""``local:MODEL``: an embedded model, served by llama.cpp on loopback in a child process.

``local:smollm2`` is fetched by ``assay pull smollm2``; ``local:/path/to/model.gguf`` takes any GGUF file. Every
conversation has a slot of the server to itself: what was read of its earlier turns is kept there, and nothing of
another conversation is used.
"""

from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import InputError, IntegrityError, SubjectFault
from assay.evidence.manifest import file_digest
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call
from .chat import TOO_LONG, chat_body, check_options
from .llama_cpp import connections_of, serving_of, threads_of
from .models import find_model, model_path
from .openai import ChatEndpoint

__all__ = ["LocalSubject"]

START_SECONDS = 120.0


class LocalSubject:
    """A model on this machine."""

    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.stateful = bool(spec.stateful)
        self.connections = connections_of(spec)
        self._model = None if spec.name.endswith(".gguf") else find_model(spec.name)
        check_options(spec.options, spec.title)
        self._serving = serving_of(spec)
        self._slots = _Slots(self.connections)
        self._child: asyncio.subprocess.Process | None = None
        self._endpoint: ChatEndpoint | None = None

    def secrets(self) -> tuple[str, ...]:
        return ()

    def wire(self, request: Request) -> dict[str, Any]:
        return chat_body(Path(self.spec.name).name, request, self.spec)

    async def open(self) -> dict[str, Any]:
        if find_spec("xllamacpp") is None:
            raise InputError("local subjects need the extra 'local': pip install 'assay-bench[local]'")
        path, digest = self._weights()
        self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "assay.subjects._llama_server",
            str(path),
            str(self.connections),
            msgspec.json.encode(self._serving).decode(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us; replies that are on their way still come in
        )
        served = await self._served()
        self._endpoint = ChatEndpoint(f"{served['address']}/v1", None, self.spec)
        from importlib.metadata import version

        return {
            "model": self.spec.name,
            "weights_sha256": digest,
            "template_sha256": served["template_sha256"],
            "engine": f"xllamacpp {version('xllamacpp')}",
            "slots": self.connections,
            "context": served["context"],
            "cache": self._serving.cache,
            "batch": self._serving.batch,
            "kv": self._serving.kv,
            "threads": threads_of(self._serving),
        }

    def _weights(self) -> tuple[Path, str]:
        path = Path(self.spec.name).expanduser() if self._model is None else model_path(self.spec.name)
        if not path.is_file():
            raise InputError(f"there is no model file {path}")
        digest = file_digest(path)
        if self._model is not None and digest != self._model.sha256:
            raise IntegrityError(f"{path} is not {self._model.title}; delete it and pull it again")
        return path, digest

    async def _served(self) -> dict[str, Any]:
        """What the server says of itself once it has loaded the model."""
        assert self._child is not None
        assert self._child.stdout is not None
        try:
            line = await asyncio.wait_for(self._child.stdout.readline(), START_SECONDS)
            served: dict[str, Any] = msgspec.json.decode(line)
        except (TimeoutError, msgspec.DecodeError):
            await self.close()
            raise InputError(
                f"the model server for {self.spec.subject} did not start; is the file a GGUF model?"
            ) from None
        if served["context"] < (self._serving.context or 0):
            await self.close()
            raise InputError(
                f"{self.spec.subject} can be served with a context of {served['context']:,} tokens, not with "
                f"{self._serving.context:,}; put into the subject: llama_cpp: {{context: {served['context']}}}"
            )
        return served

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        assert self._endpoint is not None, "open() comes first"
        if self._child is not None and self._child.returncode is not None:
            raise SubjectFault("server_died", f"exit code {self._child.returncode}", retriable=False)
        if self._serving.cache == "conversation":
            slot, known = self._slots.of(call.session)
            wire = {**wire, "id_slot": slot, "cache_prompt": known}
        reply = await self._endpoint.call(wire, seconds)
        self._check_whole(wire, reply)
        return reply

    def _check_whole(self, wire: dict[str, Any], reply: Reply) -> None:
        """A reply that ended because the context did is none: the model was not done, and its limit not reached."""
        limit, used = wire.get("max_tokens"), reply.usage
        if reply.finish != "length" or used.input is None or used.output is None:
            return
        if limit is None or used.output < limit:
            raise SubjectFault(
                TOO_LONG,
                f"the context of {self._serving.context:,} tokens ended inside the reply, {used.output} tokens after a "
                f"prompt of {used.input}; declare more with llama_cpp: {{context: ...}}",
                retriable=False,
            )

    async def forget(self, session: str) -> None:
        self._slots.release(session)

    async def close(self) -> None:
        if self._endpoint is not None:
            self._endpoint.close()
        if self._child is not None and self._child.returncode is None:
            assert self._child.stdin is not None
            self._child.stdin.close()
            try:
                await asyncio.wait_for(self._child.wait(), 5)
            except TimeoutError:
                self._child.kill()
                await self._child.wait()


class _Slots:
    """Which conversation has which slot of the server. One that comes when none is free takes the oldest one's."""

    def __init__(self, count: int) -> None:
        self._free = list(range(count))
        self._taken: dict[str, int] = {}  # the latest used last

    def of(self, session: str) -> tuple[int, bool]:
        """Its slot, and whether the slot holds what was read of it before."""
        known = session in self._taken
        if known:
            slot = self._taken.pop(session)
        elif self._free:
            slot = self._free.pop(0)
        else:
            slot = self._taken.pop(next(iter(self._taken)))
        self._taken[session] = slot
        return slot, known

    def release(self, session: str) -> None:
        if (slot := self._taken.pop(session, None)) is not None:
            self._free.append(slot)
