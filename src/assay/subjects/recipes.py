"""Recipes: what is known of common endpoints, as data. Every recipe is a kind of subject.

A recipe fills in what a study does not say, once, when the study is locked; the lock holds the values and the recipe's
version, so that a recipe that changes later changes no lock. The values follow the endpoints' documentation.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from assay.errors import InputError
from assay.study.model import SubjectSpec

__all__ = ["ENDPOINT_FIELDS", "RECIPES", "Recipe", "resolved"]


ENDPOINT_FIELDS = ("base_url", "parameters")  # of a spec


class Recipe(Struct, frozen=True, kw_only=True):
    """How an endpoint is reached and asked. ``parameters``: another name, or None for what is not sent."""

    about: str
    base_url: str | None  # None: the user's own
    key_env: str | None = None  # None: no key unless one is declared
    parameters: dict[str, str | None] = {}
    connections: int | None = None
    version: int = 1


_REASONING: dict[str, str | None] = {
    "temperature": None,
    "top_p": None,
    "max_tokens": "max_completion_tokens",
}

RECIPES = {
    "openai": Recipe(
        about="OpenAI, and any endpoint like it",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
    ),
    "openai-reasoning": Recipe(
        about="OpenAI's reasoning models",
        base_url="https://api.openai.com/v1",
        key_env="OPENAI_API_KEY",
        parameters=_REASONING,
    ),
}


def resolved(spec: SubjectSpec) -> SubjectSpec:
    """The spec with its recipe's values where it says nothing itself. One that was locked is left as it is."""
    recipe = RECIPES.get(spec.kind)
    if recipe is None or spec.recipe is not None or spec.kind == "openai":
        return spec  # of openai: the values are the adapter's own
    base_url = spec.base_url or recipe.base_url
    if base_url is None:
        raise InputError(f"{spec.subject}: base_url is missing; {recipe.about}")
    return msgspec.structs.replace(
        spec,
        base_url=base_url,
        # A key for one endpoint is not offered to another: with a base_url of its own, the variable is named.
        key_env=spec.key_env or (recipe.key_env if spec.base_url is None else None),
        parameters={**recipe.parameters, **spec.parameters},
        connections=spec.connections or recipe.connections,
        recipe=f"{spec.kind}/{recipe.version}",
    )
