"""``assay score RUN``: a recorded run scored with other thresholds than it declared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.option_values import Given, value_of
from assay.errors import InputError

from .output import complain, print_json, say

if TYPE_CHECKING:
    from assay.bench import Instrument
    from assay.vocabulary import Result

__all__ = ["score_run"]

Show = Callable[["Instrument", "Result"], None]


def score_run(
    run: Path, given: Sequence[Given], files: Sequence[Path], *, out: Path | None, as_json: bool, show: Show
) -> None:
    """Print the readings, or write them to a file; the run's own files stay as they are."""
    from assay.api.export import sealed_lock
    from assay.api.rescore import rescore
    from assay.bench import RunFolder, load_instrument
    from assay.bench.prepare import take_files

    folder = RunFolder.find(run)
    if out is not None and out.resolve().is_relative_to(folder.path.resolve()):
        raise InputError(f"--out: {out} is in the run's own folder; name another place")
    lock, _ = sealed_lock(folder)
    take_files(lock, files)
    readings = rescore(folder, lock, given, value_of)
    document = readings if len(readings) > 1 else readings[0]
    if out is not None:
        from assay.canonical import encode
        from assay.evidence.files import write_whole

        write_whole(out, encode(document) + b"\n")
    if as_json:
        print_json(document)
    else:
        for reading in readings:
            show(load_instrument(reading.result.instrument), reading.result)
    if out is not None:
        (complain if as_json else say)(f"Reading  {out}")
