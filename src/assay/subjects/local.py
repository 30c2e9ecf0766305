"""``local:MODEL``: an embedded model, served by llama.cpp on loopback in a child process.

``local:smollm2`` is fetched by ``assay pull smollm2``; ``local:/path/to/model.gguf`` takes any GGUF file. Every
conversation has a slot of the server to itself: what was read of its earlier turns is kept there, and nothing of
another conversation is used.
"""

from __future__ import annotations

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
from .model_server import ModelServer
from .models import find_model, model_path
from .openai import ChatEndpoint

__all__ = ["LocalSubject"]


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
        self._server: ModelServer | None = None
        self._endpoint: ChatEndpoint | None = None

    @property
    def served_by(self) -> tuple[str, int, bytes]:
        """Subjects with the same are served by one process, and share its connections."""
        return self.spec.name, self.connections, msgspec.json.encode(self._serving)

    def secrets(self) -> tuple[str, ...]:
        return ()

    def wire(self, request: Request) -> dict[str, Any]:
        return chat_body(Path(self.spec.name).name, request, self.spec)

    async def open(self) -> dict[str, Any]:
        if find_spec("xllamacpp") is None:
            raise InputError("local subjects need the extra 'local': pip install 'assay-bench[local]'")
        path, digest = self._weights()
        self._server, served = await ModelServer.enter(path, self.connections, self._serving)
        if served["context"] < (self._serving.context or 0):
            await self.close()
            raise InputError(
                f"{self.spec.subject} can be served with a context of {served['context']:,} tokens, not with "
                f"{self._serving.context:,}; put into the subject: llama_cpp: {{context: {served['context']}}}"
            )
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
            "repack": self._serving.repack is not False,
            "built_for": served["built_for"],
        }

    def _weights(self) -> tuple[Path, str]:
        path = Path(self.spec.name).expanduser() if self._model is None else model_path(self.spec.name)
        if not path.is_file():
            raise InputError(f"there is no model file {path}")
        digest = file_digest(path)
        if self._model is not None and digest != self._model.sha256:
            raise IntegrityError(f"{path} is not {self._model.title}; delete it and pull it again")
        return path, digest

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        assert self._endpoint is not None, "open() comes first"
        assert self._server is not None
        if self._server.child is not None and self._server.child.returncode is not None:
            raise SubjectFault("server_died", f"exit code {self._server.child.returncode}", retriable=False)
        if self._serving.cache == "conversation":
            slot, known = self._server.slots.of(call.session)
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
        if self._server is not None:
            self._server.slots.release(session)

    async def close(self) -> None:
        if self._endpoint is not None:
            self._endpoint.close()
        if self._server is not None:
            server, self._server = self._server, None
            await server.leave()
