"""Record what the program reads from the inputs of this folder: ``python -m tests.recording.record``.

Every input of ``inputs.json`` is scored by ``assay score … --json``; what is kept is one JSON, gzipped. The committed
recording was made before the instruments were given their common kit, and is not made again: ``compare.py`` holds
the present program against it.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
from msgspec import Struct

from assay import __version__
from assay.cli import main as assay

__all__ = ["FOLDER", "RECORDING", "Input", "inputs", "kept", "missing", "read_recording", "score"]

FOLDER = Path(__file__).parent
RECORDING = FOLDER / "recording.json.gz"
OUTSIDE = "outside/"  # begins the path of a file that lies beside the repository, not in it
FIELDS = ("value", "low", "high", "n", "spec_value", "confidence", "units", "k")
TUPLE = "(Framework"  # begins the note that is a level's comparison tuple


class Input(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of rows and the options it is scored with. ``fast`` ones are scored in the common test run."""

    id: str
    instrument: str
    file: str
    options: tuple[str, ...] = ()
    fast: bool = False
    needs: tuple[str, ...] = ()  # commands without which it cannot be scored


def inputs(*, fast: bool = False) -> list[Input]:
    every = msgspec.json.decode((FOLDER / "inputs.json").read_bytes(), type=list[Input])
    return [one for one in every if one.fast or not fast]


def missing(one: Input) -> str:
    """What an input cannot be scored without and is not here; empty where nothing is missing."""
    for name in (one.file, *one.options):
        if name.startswith(OUTSIDE) and not _path(name).exists():
            return f"the data {name.removeprefix(OUTSIDE)} are not beside the repository"
    return next((f"there is no {command}" for command in one.needs if not shutil.which(command)), "")


def _path(name: str) -> Path:
    """Of a file of this folder, or of one in the first ``shared/data`` above it."""
    if not name.startswith(OUTSIDE):
        return FOLDER / name
    found = [above / "shared" / "data" for above in FOLDER.parents if (above / "shared" / "data").is_dir()]
    return (found[0] if found else FOLDER / "absent") / name.removeprefix(OUTSIDE)


def score(one: Input) -> dict[str, Any]:
    """The ``result`` of a reading, through the public command."""
    with tempfile.TemporaryDirectory() as folder:
        options = [str(_path(word)) if "/" in word else word for word in one.options]
        rows = _unpacked(_path(one.file), Path(folder))
        out, err = io.StringIO(), io.StringIO()
        words = ["assay", "score", one.instrument, str(rows), *options, "--json"]
        code: Any = 0
        with (
            mock.patch.object(sys, "argv", words),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                assay()
            except SystemExit as done:
                code = done.code
    if code:
        return {"error": err.getvalue().strip()}
    result: dict[str, Any] = json.loads(out.getvalue())["result"]
    return result


def _unpacked(path: Path, folder: Path) -> Path:
    """CSV is read plain only."""
    if not path.name.endswith(".csv.gz"):
        return path
    plain = folder / path.name.removesuffix(".gz")
    plain.write_bytes(gzip.decompress(path.read_bytes()))
    return plain


def kept(result: dict[str, Any]) -> dict[str, Any]:
    """What of a result is recorded: numbers, labels, kinds of flags, claims; no prose but the reason of a null."""
    if "error" in result:
        return result
    return {
        "measures": [_measure(measure) for measure in result["measures"]],
        "verdicts": [
            {name: one[name] for name in ("claim", "holds", "name", "kind", "labels") if name in one}
            for one in result["verdicts"]
        ],
        "excluded": [
            {name: one[name] for name in ("reason", "count", "labels")} for one in result["excluded"]
        ],
        "flags": _flags(result["flags"]),
    }


def _measure(measure: dict[str, Any]) -> dict[str, Any]:
    found = {name: measure[name] for name in ("name", "labels")}
    found |= {name: measure[name] for name in FIELDS if measure.get(name) not in (None, "")}
    if measure["flags"]:
        found["flags"] = _flags(measure["flags"])
    if tuples := [note for note in measure["notes"] if note.startswith(TUPLE)]:
        found["tuple"] = tuples[0]
    if measure["value"] is None:
        causes = [str(flag["cause"]) for flag in measure["flags"]]
        found["why_null"] = [*causes, *(note for note in measure["notes"] if not note.startswith(TUPLE))][:1]
    return found


def _flags(flags: Iterable[dict[str, str]]) -> list[str]:
    """Kinds; of Invalid also the reason, which belongs to the taxonomy."""
    return [f"{f['kind']} ({f['cause']})" if f["kind"] == "Invalid" else f["kind"] for f in flags]


def read_recording(path: Path = RECORDING) -> dict[str, Any]:
    recording: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return recording


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RECORDING)
    out = parser.parse_args().out
    readings: dict[str, Any] = {}
    for one in inputs():
        if why := missing(one):
            sys.exit(f"{one.id}: {why}")
        readings[one.id] = kept(score(one))
        if told := readings[one.id].get("error"):
            sys.exit(f"{one.id}: {told}")
        print(f"{one.id}: {len(readings[one.id]['measures'])} measures", file=sys.stderr)
    recording = {"assay": __version__, "python": platform.python_version(), "readings": readings}
    text = json.dumps(recording, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    out.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
