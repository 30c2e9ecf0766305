"""llama.cpp's own parameters, in one place: their defaults for each model, and what the server is started with.

The context of one conversation is that of one slot: llama.cpp divides the whole among its slots.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec

from assay.errors import InputError
from assay.study.model import LlamaCpp, SubjectSpec

from .models import find_model

__all__ = ["connections_of", "server_parameters", "serving_of", "threads_of", "with_defaults"]

FILE_CONTEXT = 8192  # of a file that nothing is known of
# What locks from before these fields were served with: they are resumed as they were begun.
EARLIER = LlamaCpp(context=2048, cache="none", batch=512, kv="f16")
EARLIER_CONNECTIONS = 4
# Set for each call by where it stands in its conversation.
_PER_CALL = ("cache_prompt", "id_slot")


def with_defaults(spec: SubjectSpec) -> SubjectSpec:
    """The spec of a local model with everything filled in that it does not say; others are left as they are."""
    if spec.kind != "local":
        return spec
    model = None if spec.name.endswith(".gguf") else find_model(spec.name)
    given = spec.llama_cpp or LlamaCpp()
    return msgspec.structs.replace(
        spec,
        connections=spec.connections or (model.connections if model else 1),
        llama_cpp=LlamaCpp(
            context=given.context or (model.context if model else FILE_CONTEXT),
            cache=given.cache or "conversation",
            batch=given.batch or 512,
            kv=given.kv or "f16",
            threads=given.threads,
            repack=given.repack,
        ),
    )


def serving_of(spec: SubjectSpec) -> LlamaCpp:
    """What a local subject is served with. Its options must not say otherwise."""
    for name in _PER_CALL:
        if name in spec.options:
            raise InputError(
                f"{spec.title}: the option {name!r} is not free; declare llama_cpp: {{cache: ...}}"
            )
    return spec.llama_cpp or EARLIER


def connections_of(spec: SubjectSpec) -> int:
    return spec.connections or EARLIER_CONNECTIONS


def threads_of(serving: LlamaCpp) -> int:
    """Their number changes the time, not the reply; the run records what it was."""
    return serving.threads or max(1, len(os.sched_getaffinity(0)))


def server_parameters(xllamacpp: Any, model: str, slots: int, serving: LlamaCpp) -> Any:
    """The parameters of the server in xllamacpp's form."""
    assert serving.context is not None
    assert serving.batch is not None
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_parallel = slots
    params.n_ctx = slots * serving.context
    params.kv_unified = False  # else one conversation could take the room of another
    params.ctx_shift = False  # a conversation that does not fit is refused, not cut
    params.n_ubatch = serving.batch
    params.n_batch = max(2048, serving.batch)
    kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{(serving.kv or 'f16').upper()}")
    params.cache_type_k = params.cache_type_v = kind
    params.cpuparams.n_threads = threads_of(serving)
    params.no_extra_bufts = serving.repack is False
    # Reusing what was kept of another conversation would make a reply depend on what was asked before it. Calls that
    # go on with their own conversation say so themselves.
    params.cache_prompt = False
    params.cache_ram_mib = 0
    return params
