"""The child process of a ``local:`` subject: llama.cpp's own server on a free loopback port.

Started as ``python -m assay.subjects._llama_server MODEL SLOTS CONTEXT THREADS``; prints its address on one
line and lives until its standard input ends, so it never outlives the process that started it.
"""

from __future__ import annotations

import os
import sys

__all__ = ["main"]


def main(arguments: list[str]) -> int:
    import xllamacpp

    model, slots, context, threads = arguments[0], *map(int, arguments[1:4])
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = slots * context
    params.cpuparams.n_threads = threads
    # Reusing the cache of an earlier prompt changes the arithmetic, and with it, now and then, a token.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    server = xllamacpp.Server(params)
    try:
        print(server.listening_address, flush=True)
        sys.stdin.buffer.read()
    finally:
        os._exit(0)  # the server's threads would wait for open connections


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
