"""``assay signature`` and ``assay identify``: texts that you already have."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import InputError

if TYPE_CHECKING:
    from assay.measuring.rows import Rows

    from .signature import Version

__all__ = ["identify_command", "signature_command"]

AT_ONCE = 4096  # texts that are signed together
RowFile = Annotated[Path, typer.Argument(help="JSON Lines or CSV, plain or .gz, or Parquet.")]
TextField = Annotated[str, typer.Option("--field", help="The field that holds the text.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def signature_command(
    rows: RowFile,
    field: TextField = "response",
    version: Annotated[int, typer.Option("--version", help="1: the public definition; 2: Assay's own.")] = 1,
    as_json: Json = False,
) -> None:
    """The 5D signature of every text. With --json one line per row, in order."""
    import msgspec
    import numpy as np

    from assay.measuring.rows import open_rows

    from .signature import DIMENSIONS, VERSIONS, norms, sign

    chosen: Version | None = next((known for known in VERSIONS if known == version), None)
    if chosen is None:
        raise InputError(f"--version {version}: there are 1 and 2")
    read = _texts(open_rows(rows), {"text": field})
    total, sums, squares = 0, np.zeros(len(DIMENSIONS)), np.zeros(len(DIMENSIONS))
    while some := list(islice(read, AT_ONCE)):
        vectors = sign([one.text for _, one in some], chosen)
        if as_json:
            lines = [
                {"row": number, "version": chosen, "d5": vector}
                for (number, _), vector in zip(some, vectors.tolist(), strict=True)
            ]
            typer.echo(msgspec.json.Encoder().encode_lines(lines), nl=False)
        total, sums, squares = total + len(some), sums + vectors.sum(0), squares + (vectors**2).sum(0)
    if as_json:
        return
    mean, known = sums / total, norms(chosen)
    spread = np.sqrt(np.maximum(squares / total - mean**2, 0) * total / max(total - 1, 1))
    typer.echo(
        f"Signature, version {chosen}: {total:,} texts beside {known.texts:,} of the reference corpus\n"
    )
    typer.echo(f"{'':12}{'mean':>8}{'sd':>8}{'corpus':>10}{'sd':>8}")
    for name, *row in zip(DIMENSIONS, mean, spread, known.mean, known.sd, strict=True):
        typer.echo(f"{name:12}{row[0]:8.3f}{row[1]:8.3f}{row[2]:10.3f}{row[3]:8.3f}")


def identify_command(
    rows: RowFile,
    label: Annotated[str, typer.Option("--label", help="The field that says what is to be found.")],
    group: Annotated[str, typer.Option("--group", help="The field whose values are left out in turn.")],
    field: TextField = "response",
    as_json: Json = False,
) -> None:
    """How well machine baselines find a label in texts, with whole groups left out: balanced accuracy."""
    import msgspec

    from assay.measuring.identification import identify
    from assay.measuring.rows import open_rows
    from assay.report.text import safe_terminal

    from .measures.identification import BASELINES

    if len({label, group, field}) < 3:
        raise InputError("--field, --label and --group name three different fields")
    given = open_rows(rows)
    read = [one for _, one in _texts(given, {"text": field, "label": label, "group": group})]
    try:
        found = identify([r.text for r in read], [r.label for r in read], [r.group for r in read], BASELINES)
    except InputError as error:
        raise given.error(None, "", str(error)) from None
    if as_json:
        document = {"label": label, "group": group, **found._asdict()}
        typer.echo(msgspec.json.encode(document))
    else:
        for line in found.lines(label, group):
            typer.echo(safe_terminal(line))


def _texts(rows: Rows, fields: dict[str, str]) -> Iterator[tuple[int, Any]]:
    """Every row with its number as a struct of ``fields``; a text may be empty, nothing may be absent."""
    import msgspec

    name = Annotated[str, msgspec.Meta(min_length=1)]
    kinds: list[Any] = [(one, str if one == "text" else name) for one in fields]
    kind: Any = msgspec.defstruct("TextRow", kinds, rename=fields)
    for number, row in rows:
        yield number, rows.convert(number, row, kind)
