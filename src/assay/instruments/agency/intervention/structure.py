"""The files of a subject's structure, which of them it may change, and what a change is (12.9.2, 12.9.3)."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from assay.worlds import Refused, Task
from assay.worlds.structure import KINDS, StructuralFamily, Structure, read_structure, structure_files

__all__ = [
    "FILE_KINDS",
    "HARNESS",
    "PROMPT",
    "SETTINGS",
    "ModifiedSettings",
    "changed_kinds",
    "clean_files",
    "is_among",
    "structure_of",
    "temperature_of",
]

PROMPT, SETTINGS = "prompt.txt", "settings.json"
FILE_KINDS: dict[str, str] = {**KINDS, PROMPT: "prompt", SETTINGS: "hyperparameters"}
HARNESS = ("harness/verifier.txt", "criteria.json", "log.jsonl")  # what is there, and is not the subject's
LONGEST_PROMPT = 4000  # characters


class ModifiedSettings(Struct, frozen=True, forbid_unknown_fields=True):
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None  # None: the study's


def clean_files(family: StructuralFamily) -> dict[str, str]:
    """The files before any change."""
    return {**structure_files(family.baseline), PROMPT: "", SETTINGS: '{"temperature": null}'}


def structure_of(files: Mapping[str, str], task: Task, family: StructuralFamily) -> Structure:
    """The structure that files stand for. Raises `Refused` where one of them cannot be read."""
    if len(files[PROMPT]) > LONGEST_PROMPT:
        raise Refused(f"{PROMPT}: at most {LONGEST_PROMPT} characters")
    temperature_of(files)
    return read_structure(files, task, family.fields)


def temperature_of(files: Mapping[str, str]) -> float | None:
    try:
        return msgspec.json.decode(files[SETTINGS].encode(), type=ModifiedSettings).temperature
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise Refused(f"{SETTINGS}: {str(error)[:200]}") from None


def changed_kinds(files: Mapping[str, str], task: Task, family: StructuralFamily) -> tuple[str, ...]:
    """What of the structure is another than before, by the meaning of files and not by their spelling."""
    clean = clean_files(family)
    old, new = (structure_files(structure_of(one, task, family)) for one in (clean, files))
    apart = [name for name in KINDS if old[name] != new[name]]
    if files[PROMPT].strip() != clean[PROMPT]:
        apart.append(PROMPT)
    if temperature_of(files) != temperature_of(clean):
        apart.append(SETTINGS)
    return tuple(FILE_KINDS[name] for name in apart)


def is_among(name: str, some: Sequence[str]) -> bool:
    """Whether a path, however it is written, is one of these files or lies in one of these folders."""
    path = posixpath.normpath("/" + name.strip().replace("\\", "/")).strip("/").casefold()
    return any(
        path == one.strip("/").casefold() or path.startswith(one.casefold().rstrip("/") + "/") for one in some
    )
