"""Endpoints that take only what their documentation says, and refuse the rest in their own words.

Made from documentation and from errors that users of the services reported; no live service was asked.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from assay.testing.stub.http import HttpConnection, RequestHead

__all__ = ["ENDPOINTS", "KEY", "Answered", "Strict", "strict_endpoint"]

KEY = "sk-strict-0123456789abcdef"
MODEL = "m-1"
Refusal = tuple[int, Any] | None
_ANY = frozenset({"model", "messages", "temperature", "top_p", "max_tokens", "seed", "tools"})


class Strict(NamedTuple):
    """One service: the path of its API, and what it does not take."""

    path: str
    refuse: Callable[[RequestHead, dict[str, Any]], Refusal]
    message: dict[str, Any] = {}  # of a reply, beside its content  # noqa: RUF012
    usage: dict[str, Any] = {}  # noqa: RUF012
    nothing: tuple[int, Any] = (404, {"detail": "Not Found"})  # at any other path
    base: str = "/v1"  # what a user gives behind the host


class Answered:
    """A running endpoint: where it is, and what it was sent."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.bodies: list[dict[str, Any]] = []
        self.heads: list[RequestHead] = []


def _error(message: str, **more: Any) -> dict[str, Any]:
    return {
        "error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}
    }


def _bearer(head: RequestHead) -> bool:
    return head.header("authorization") == f"Bearer {KEY}"


def _openai(head: RequestHead, body: dict[str, Any]) -> Refusal:
    if not _bearer(head):
        return 401, _error(
            f"Incorrect API key provided: {head.header('authorization')}.", code="invalid_api_key"
        )
    if body["model"] != MODEL:
        return 404, _error(f"The model `{body['model']}` does not exist or you do not have access to it.")
    if unknown := sorted(set(body) - _ANY - {"max_completion_tokens", "reasoning_effort"}):
        return 400, _error(f"Unrecognized request argument supplied: {unknown[0]}")
    return None


def _reasoning(body: dict[str, Any]) -> Refusal:
    if "max_tokens" in body:
        said = "Unsupported parameter: 'max_tokens' is not supported with this model. "
        said += "Use 'max_completion_tokens' instead."
        return 400, _error(said, param="max_tokens", code="unsupported_parameter")
    if body.get("temperature", 1) != 1:
        said = f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. "
        said += "Only the default (1) value is supported."
        return 400, _error(said, param="temperature", code="unsupported_value")
    if "top_p" in body:
        said = "Unsupported parameter: 'top_p' is not supported with this model."
        return 400, _error(said, param="top_p", code="unsupported_parameter")
    return None


def _azure(head: RequestHead, body: dict[str, Any]) -> Refusal:
    if head.header("api-key") != KEY:
        said = "Access denied due to invalid subscription key or wrong API endpoint."
        return 401, {"error": {"code": "401", "message": said}}
    if not head.query.startswith("api-version=20"):
        return 404, {"error": {"code": "404", "message": "Resource not found"}}
    return None


def _anthropic(head: RequestHead, body: dict[str, Any]) -> Refusal:
    def error(kind: str, said: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": kind, "message": said}}

    if not _bearer(head):
        return 401, error("authentication_error", "invalid x-api-key")
    if body["model"] not in (MODEL, "m-fixed"):
        return 404, error("not_found_error", f"model: {body['model']}")
    if "temperature" in body and "top_p" in body:
        said = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        return 400, error("invalid_request_error", said)
    return None


def _fixed(head: RequestHead, body: dict[str, Any]) -> Refusal:
    if "temperature" in body:
        said = "`temperature` is deprecated for this model."
        return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": said}}
    return _anthropic(head, body)


def _gemini(head: RequestHead, body: dict[str, Any]) -> Refusal:
    def error(said: str) -> list[Any]:
        return [{"error": {"code": 400, "message": said, "status": "INVALID_ARGUMENT", "details": []}}]

    if not _bearer(head):
        return 400, error("API key not valid. Please pass a valid API key.")
    if unknown := sorted(set(body) - (_ANY - {"seed"}) - {"max_completion_tokens", "reasoning_effort"}):
        parts = (
            f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in unknown
        )
        return 400, error("\n".join(parts))
    return None


def _mistral(head: RequestHead, body: dict[str, Any]) -> Refusal:
    if not _bearer(head):
        return 401, {"detail": "Unauthorized"}
    extra = [
        {
            "type": "extra_forbidden",
            "loc": ["body", name],
            "msg": "Extra inputs are not permitted",
            "input": body[name],
        }
        for name in sorted(set(body) - (_ANY - {"seed"}) - {"random_seed"})
    ]
    return (422, {"object": "error", "message": {"detail": extra}, "code": None}) if extra else None


def _openrouter(head: RequestHead, body: dict[str, Any]) -> Refusal:
    if not _bearer(head):
        return 401, {"error": {"message": "No auth credentials found", "code": 401}}
    if body.get("provider") == {"require_parameters": True} and "seed" in body:
        said = "No endpoints found that can handle the requested parameters."
        return 404, {"error": {"message": said, "code": 404}}
    return None


def _model_there(said: str) -> Callable[[RequestHead, dict[str, Any]], Refusal]:
    def refuse(head: RequestHead, body: dict[str, Any]) -> Refusal:
        return None if body["model"] == MODEL else (404, _error(said.format(model=body["model"])))

    return refuse


_THOUGHT = {"completion_tokens_details": {"reasoning_tokens": 5}}
_DEPLOYED = f"/openai/deployments/{MODEL}"
_AZURE_404 = (404, {"error": {"code": "404", "message": "Resource not found"}})
_OPENAI_404 = (404, _error("Invalid URL (POST /chat/completions)"))

ENDPOINTS = {
    "openai": Strict("/v1", _openai, nothing=_OPENAI_404),
    "openai-reasoning": Strict(
        "/v1", lambda h, b: _openai(h, b) or _reasoning(b), usage=_THOUGHT, nothing=_OPENAI_404
    ),
    "azure": Strict(_DEPLOYED, _azure, nothing=_AZURE_404, base=""),
    "azure-reasoning": Strict(
        _DEPLOYED, lambda h, b: _azure(h, b) or _reasoning(b), usage=_THOUGHT, nothing=_AZURE_404, base=""
    ),
    "anthropic": Strict("/v1", _anthropic),
    "anthropic-reasoning": Strict("/v1", _fixed),
    "gemini": Strict("/v1beta/openai", _gemini, base="/v1beta/openai"),
    "mistral": Strict("/v1", _mistral),
    "openrouter": Strict("/api/v1", _openrouter, {"reasoning": "hm"}, base="/api/v1"),
    "ollama": Strict(
        "/v1",
        _model_there('model "{model}" not found, try pulling it first'),
        {"reasoning": "hm"},
        nothing=(404, "404 page not found"),
    ),
    "llamacpp": Strict("/v1", lambda h, b: None, {"reasoning_content": "hm"}),
    "vllm": Strict(
        "/v1", _model_there("The model `{model}` does not exist."), {"content": "<think>hm</think>\n\nok"}
    ),
}


def _handler(strict: Strict, seen: Answered) -> Callable[[RequestHead, bytes], bytes]:
    def handle(head: RequestHead, raw: bytes) -> bytes:
        body = json.loads(raw)
        seen.bodies.append(body)
        seen.heads.append(head)
        there = head.path == f"{strict.path}/chat/completions"
        refusal = strict.refuse(head, body) if there else strict.nothing
        if refusal is not None:
            return _response(*refusal)
        message = {"role": "assistant", "content": "ok", **strict.message}
        usage = {"prompt_tokens": 3, "completion_tokens": 7, "total_tokens": 10, **strict.usage}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return _response(200, {"id": "c", "model": body["model"], "choices": [choice], "usage": usage})

    return handle


def _response(status: int, value: Any) -> bytes:
    text = value if isinstance(value, str) else json.dumps(value)
    kind = "text/plain" if isinstance(value, str) else "application/json"
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(text.encode())}\r\n\r\n"
    return head.encode() + text.encode()


@contextlib.contextmanager
def strict_endpoint(name: str) -> Iterator[Answered]:
    """The endpoint in a thread of its own: the command under test has the main one."""
    loop, strict = asyncio.new_event_loop(), ENDPOINTS[name]
    seen = Answered("")
    connections: set[HttpConnection] = set()
    handle = _handler(strict, seen)

    async def serve() -> asyncio.Server:
        return await loop.create_server(lambda: HttpConnection(handle, connections), "127.0.0.1", 0)

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(serve(), loop).result()
    seen.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}{strict.base}"

    async def end() -> None:
        server.close()
        while connections:
            for connection in list(connections):
                connection.abort()
            await asyncio.sleep(0)
        await server.wait_closed()

    try:
        yield seen
    finally:
        asyncio.run_coroutine_threadsafe(end(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
