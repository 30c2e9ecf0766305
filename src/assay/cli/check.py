"""``assay check``: does a run keep what its study requires? For gates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Json, SignedBy
from .output import complain, line, print_json, say

if TYPE_CHECKING:
    from assay.vocabulary import Result, Verdict

__all__ = ["check"]


def check(
    run: Annotated[Path, typer.Argument(help="The run's folder, or its name below runs/.")],
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="What is not established fails, too; so does a study without requirements."
        ),
    ] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="Show every verdict; those that are not required do not gate.")
    ] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="Write the requirements as JUnit XML.")
    ] = None,
    signed_by: SignedBy = None,
    as_json: Json = False,
) -> None:
    """Say which of a study's requirements hold: those under require, and declared limits of drift.

    The run is read as it was signed; one that was altered since is refused. Exit code 0 when no requirement fails, 1
    when one does, when a reading or a measure of it is invalid, or when the run is not what was signed.
    """
    import msgspec

    from assay.api.gate import judge
    from assay.bench import RunFolder
    from assay.report.wording import word

    folder = RunFolder.find(run)
    sealed = folder.read_sealed(folder.trusted(signed_by or ()))
    results = [reading.result for reading in sealed.readings.values()]
    gate = judge(results, strict=strict)
    required, invalid, fails = gate.required, gate.invalid, not gate.holds
    installed = [result for result in results if result.instrument not in sealed.lock.files]
    beside = {result.instrument: _accompanying(result) for result in installed}
    accompanying = [text for texts in beside.values() for text in texts]
    if junit is not None:
        from assay.report.junit import write_junit

        write_junit(junit, sealed.folder.path.name, results, beside, strict=strict)
    shown: list[Verdict] = [v for r in results for v in r.verdicts] if everything else required
    flags = [flag for one in results for flag in one.flags if flag.kind == "Contested"]
    contested = list(dict.fromkeys(map(str, flags)))
    if as_json:
        found: dict[str, Any] = {
            "holds": not fails,
            "verdicts": msgspec.to_builtins(shown),
            "invalid": invalid,
        }
        found |= {"required": len(required), "signed_by": list(sealed.keyids)}
        found |= {"contested": contested} if contested else {}
        print_json(found | ({"accompanying": accompanying} if accompanying else {}))
        raise typer.Exit(1 if fails else 0)
    for verdict in shown:
        gates = (
            "" if verdict.kind == "requirement" or not everything else f"  [{verdict.kind}, does not gate]"
        )
        say(f"{word(verdict.holds):15}  {line(f'{verdict.claim}: {verdict.because}{gates}')}")
    for flag in invalid:
        say(f"{'invalid':15}  {line(flag)}")
    for text in contested:
        say(f"{'contested':15}  {line(text)}")
    for text in accompanying:
        say(text)
    if not required:
        say("The study requires nothing; declare what it must reach under require (docs/study.md).")
    raise typer.Exit(1 if fails else 0)


def _accompanying(result: Result) -> list[str]:
    """What the instrument wants beside its numbers; a gate works without the instrument, and says so."""
    from assay.bench import load_instrument
    from assay.errors import AssayError

    try:
        return load_instrument(result.instrument).accompanying(result)
    except AssayError as error:
        complain(f"assay: {error}")
        return []
