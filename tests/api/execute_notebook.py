"""Runs a notebook headless: ``python -m tests.api.execute_notebook SOURCE TARGET FOLDER``.

In a process of its own, because the client leaves sockets to the garbage collector. The kernel is reached by sockets in
a folder: no port is needed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

__all__ = ["execute"]


async def execute(source: Path, target: Path, folder: Path) -> None:
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory(prefix="k") as sockets:  # the path of a socket must be short
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/k")
        client = NotebookClient(
            notebook, km=manager, timeout=300, resources={"metadata": {"path": str(folder)}}
        )
        await client.async_execute()
    nbformat.write(notebook, target)


if __name__ == "__main__":
    asyncio.run(execute(*map(Path, sys.argv[1:])))
