"""What several tests of the sandbox need: to know when a program is under way."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from assay.sandbox import pool


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when a worker tells that a program was started."""
    told, read = asyncio.Event(), pool._Worker._json

    async def noting(worker: pool._Worker) -> dict[str, Any]:
        event = await read(worker)
        if event.get("event") == "started":
            told.set()
        return event

    monkeypatch.setattr(pool._Worker, "_json", noting)
    return told
