"""Recipes: what is known of common endpoints, as data. Every recipe is a kind of subject.

A recipe fills in what a study does not say, once, when the study is locked. The lock holds the values and the recipe's
version, so that a recipe that changes later changes no lock. The values follow the endpoints' documentation (see
docs/endpoints.md); none of them was tried on the live services.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from assay.errors import InputError
from assay.study.model import SubjectSpec

__all__ = ["ENDPOINT_FIELDS", "RECIPES", "Recipe", "resolved"]

# Fields of a spec that only subjects at an endpoint have.
ENDPOINT_FIELDS = (
    "base_url",
    "parameters",
    "key_header",
    "headers",
    "query",
    "ca_file",
    "reasoning_tag",
    "recipe",
)


class Recipe(Struct, frozen=True, kw_only=True):
    """How an endpoint is reached and asked. ``parameters``: another name, or None for what is not sent."""

    about: str
    base_url: str | None = None  # None: the user's own
    example: str = ""  # of a base_url, where it is the user's own
    path: str = ""  # goes behind a base_url without a path; {name} is the subject's
    key_env: str | None = None  # None: no key unless one is declared
    key_header: str | None = None
    query: dict[str, str] = {}
    parameters: dict[str, str | None] = {}
    options: dict[str, Any] = {}
    reasoning_tag: str | None = None
    connections: int | None = None
    version: int = 1


_REASONING: dict[str, str | None] = {
    "temperature": None,
    "top_p": None,
    "max_tokens": "max_completion_tokens",
}
_AZURE: dict[str, Any] = {
    "example": "https://RESOURCE.openai.azure.com",
    "path": "/openai/deployments/{name}",
    "key_env": "AZURE_OPENAI_API_KEY",
    "key_header": "api-key",
}

RECIPES = {
    "openai": Recipe(
        about="OpenAI, and any endpoint that takes the same",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
    ),
    "openai-reasoning": Recipe(
        about="OpenAI's reasoning models (o1, o3, gpt-5 and their like)",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        parameters=_REASONING,
    ),
    "azure": Recipe(about="a deployment at Azure OpenAI", query={"api-version": "2024-10-21"}, **_AZURE),
    "azure-reasoning": Recipe(
        about="a deployment of a reasoning model at Azure OpenAI",
        query={"api-version": "2025-01-01-preview"},
        parameters=_REASONING,
        **_AZURE,
    ),
    # It refuses top_p beside a temperature, and ignores a seed.
    "anthropic": Recipe(
        about="Anthropic's OpenAI-compatible endpoint",
        base_url="https://api.anthropic.com/v1",
        key_env="ANTHROPIC_API_KEY",
        parameters={"top_p": None, "seed": None},
    ),
    "anthropic-reasoning": Recipe(
        about="the same for models that take no temperature (Opus 4.7 and later)",
        base_url="https://api.anthropic.com/v1",
        key_env="ANTHROPIC_API_KEY",
        parameters={"temperature": None, "top_p": None, "seed": None},
    ),
    "gemini": Recipe(
        about="Gemini's OpenAI-compatible endpoint",
        base_url="https://generativelanguage.googleapis.com/v1beta/openai",
        key_env="GEMINI_API_KEY",
        parameters={"seed": None},
    ),
    "mistral": Recipe(
        about="Mistral",
        base_url="https://api.mistral.ai/v1",
        key_env="MISTRAL_API_KEY",
        parameters={"seed": "random_seed"},
    ),
    # By default it drops in silence what a provider does not take; then nobody would know at which temperature it was.
    "openrouter": Recipe(
        about="OpenRouter, by providers that take every parameter sent",
        base_url="https://openrouter.ai/api/v1",
        key_env="OPENROUTER_API_KEY",
        parameters={"seed": None},
        options={"provider": {"require_parameters": True}},
    ),
    # One call at a time: those that wait in the server's queue would wait on the subject's account.
    "ollama": Recipe(about="Ollama on this machine", base_url="http://localhost:11434/v1", connections=1),
    "llamacpp": Recipe(
        about="llama.cpp's server on this machine",
        base_url="http://localhost:8080/v1",
        reasoning_tag="think",
        connections=1,
    ),
    "vllm": Recipe(
        about="vLLM on this machine",
        base_url="http://localhost:8000/v1",
        reasoning_tag="think",
        connections=16,
    ),
}


def resolved(spec: SubjectSpec) -> SubjectSpec:
    """The spec with its recipe's values where it says nothing itself. One that was filled in is left as it is."""
    recipe = RECIPES.get(spec.kind)
    if (
        recipe and spec.recipe is not None and spec.base_url is None
    ):  # it would be asked at another's endpoint
        raise InputError(f"{spec.subject}: recipe is set by the lock, together with its values; leave it out")
    if recipe is None or spec.recipe is not None or spec.kind == "openai":
        return spec  # the values of openai: are the adapter's own
    base_url = spec.base_url or recipe.base_url
    if base_url is None:
        raise InputError(f"{spec.subject} needs a base_url, such as {recipe.example}")
    if recipe.path and urlsplit(base_url).path in ("", "/"):
        base_url = base_url.rstrip("/") + recipe.path.format(name=spec.name)
    elsewhere = spec.base_url is not None and recipe.base_url is not None
    return msgspec.structs.replace(
        spec,
        base_url=base_url,
        # A key for one endpoint is not offered to another: with a base_url of its own, the variable is named.
        key_env=spec.key_env or (None if elsewhere else recipe.key_env),
        key_header=spec.key_header or recipe.key_header,
        query={**recipe.query, **spec.query},
        parameters={**recipe.parameters, **spec.parameters},
        options={**recipe.options, **spec.options},
        reasoning_tag=spec.reasoning_tag or recipe.reasoning_tag,
        connections=spec.connections or recipe.connections,
        recipe=f"{spec.kind}/{recipe.version}",
    )
