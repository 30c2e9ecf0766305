"""``local:MODEL``: an embedded model, served by llama.cpp on loopback in a child process.

``local:smollm2`` is fetched by ``assay pull smollm2``; ``local:/path/to/model.gguf`` takes any GGUF file.
"""

from __future__ import annotations

import asyncio
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.errors import InputError, IntegrityError, SubjectFault
from assay.evidence.manifest import file_digest
from assay.study.model import SubjectSpec
from assay.vocabulary import Reply, Request

from .base import Call
from .chat import chat_body, check_options
from .models import find_model, model_path
from .openai import ChatEndpoint

__all__ = ["LocalSubject"]

START_SECONDS = 120.0
CONTEXT = 2048


class LocalSubject:
    """A model on this machine."""

    caveats: tuple[str, ...] = ()

    def __init__(self, spec: SubjectSpec) -> None:
        self.spec = spec
        self.stateful = bool(spec.stateful)
        self.connections = spec.connections or 4
        self._model = None if spec.name.endswith(".gguf") else find_model(spec.name)
        check_options(spec.options, spec.title)
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
        threads = max(1, len(os.sched_getaffinity(0)))
        self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "assay.subjects._llama_server",
            str(path),
            str(self.connections),
            str(CONTEXT),
            str(threads),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us; replies that are on their way still come in
        )
        self._endpoint = ChatEndpoint(f"{await self._address()}/v1", None, self.spec)
        from importlib.metadata import version

        return {
            "model": self.spec.name,
            "weights_sha256": digest,
            "engine": f"xllamacpp {version('xllamacpp')}",
            "slots": self.connections,
            "context": CONTEXT,
            "threads": threads,
        }

    def _weights(self) -> tuple[Path, str]:
        path = Path(self.spec.name).expanduser() if self._model is None else model_path(self.spec.name)
        if not path.is_file():
            raise InputError(f"there is no model file {path}")
        digest = file_digest(path)
        if self._model is not None and digest != self._model.sha256:
            raise IntegrityError(f"{path} is not {self._model.title}; delete it and pull it again")
        return path, digest

    async def _address(self) -> str:
        assert self._child is not None
        assert self._child.stdout is not None
        try:
            line = await asyncio.wait_for(self._child.stdout.readline(), START_SECONDS)
        except TimeoutError:
            line = b""
        address = line.decode().strip()
        if not address.startswith("http://127.0.0.1:"):
            await self.close()
            raise InputError(
                f"the model server for {self.spec.subject} did not start; is the file a GGUF model?"
            )
        return address

    async def call(self, wire: dict[str, Any], call: Call, seconds: float) -> Reply:
        assert self._endpoint is not None, "open() comes first"
        if self._child is not None and self._child.returncode is not None:
            raise SubjectFault("server_died", f"exit code {self._child.returncode}", retriable=False)
        return await self._endpoint.call(wire, seconds)

    async def forget(self, session: str) -> None:
        return None

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
