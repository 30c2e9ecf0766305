"""Challenges to a published run: to make one, to respond to it, to resolve it, and how they stand."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.bench import RunFolder
from assay.bench.challenge import Challenge, ChallengeAct, Challenges, record_act
from assay.bench.prepare import instruments_of
from assay.errors import AssayError
from assay.report.publish import redraw
from assay.signing import load_key

__all__ = ["challenges_of", "make_act"]


def challenges_of(run: str | os.PathLike[str]) -> tuple[RunFolder, Challenges]:
    """The challenges of a run that is what was signed."""
    folder = RunFolder.find(Path(run))
    return folder, folder.challenges(folder.read_sealed().lock)


def make_act(
    run: str | os.PathLike[str],
    act: ChallengeAct,
    *,
    by: str,
    text: str,
    evidence: Sequence[Path] = (),
    key: Path | None = None,
    now: datetime.datetime | None = None,
    **more: Any,
) -> tuple[Challenge, str]:
    """Sign an act and add it to the run; what people are shown of the run is drawn again, with its flag.

    Given are the challenge as it stands, and why the pages could not be drawn, where they could not. ``now`` is the
    machine's clock unless it is given.
    """
    folder = RunFolder.find(Path(run))
    with folder:
        lock = folder.read_sealed().lock
        moment = now or datetime.datetime.now(datetime.UTC)
        found = record_act(
            folder.path,
            folder.ledger,
            lock,
            load_key(key),
            act=act,
            by=by,
            text=text,
            now=moment,
            files=evidence,
            **more,
        )
    try:
        redraw(folder, lock, instruments_of(lock))
    except AssayError as error:
        return found, str(error)
    return found, ""
