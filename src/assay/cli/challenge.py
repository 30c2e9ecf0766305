"""``assay challenge``: say what speaks against a published run, answer it, settle it; or see how that stands."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay.errors import InputError

from .options import Json, Key
from .output import complain, line, print_json, say

if TYPE_CHECKING:
    from assay.bench.challenge import Challenge

__all__ = ["challenge"]


def challenge(
    run: Annotated[
        Path, typer.Argument(help="The run's folder, or its name below runs/. It has to be closed.")
    ],
    ground: Annotated[
        Literal["undisclosed-families", "unrepresentative-families", "suite-divergence"] | None,
        typer.Option("--ground", help="Challenge the run, on this ground (11.8.1)."),
    ] = None,
    respond: Annotated[
        int | None,
        typer.Option("--respond", help="Respond to the challenge of this number, as the evaluator."),
    ] = None,
    resolve: Annotated[
        int | None, typer.Option("--resolve", help="Resolve the challenge of this number.")
    ] = None,
    outcome: Annotated[
        Literal["withdrawn", "corrected", "compliant", "contested", "invalid"] | None,
        typer.Option(
            "--outcome", help="The evaluator's first two, or an auditor's or challenger's determination."
        ),
    ] = None,
    text: Annotated[
        Path | None, typer.Option("--text", help="The file with what you say: plain text.")
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Who says it: name, organisation, e-mail.")] = None,
    evidence: Annotated[
        list[Path] | None,
        typer.Option("--evidence", help="A file that shows it; kept by its digest. Repeatable."),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", help="The day to count to, ISO 8601. Default: now. For the list only."),
    ] = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """List the challenges to a run, or add one, a response or a resolution: signed records beside the run.

    The run is never altered. Its readings carry Contested (Under Challenge) until the challenge is resolved: withdrawn
    or corrected by the evaluator, determined by an independent auditor, or after 90 days by the challenger (15.4.3).
    The key says who you are: that of the lock is the evaluator's.
    """
    from assay.api.challenge import challenges_of, make_act

    acts = {
        "challenge": ground is not None,
        "response": respond is not None,
        "resolution": resolve is not None,
    }
    wanted = [act for act, given in acts.items() if given]
    if len(wanted) > 1:
        raise InputError("one act at a time: --ground, --respond or --resolve")
    if not wanted:
        if any(given is not None for given in (outcome, text, by)) or evidence:
            raise InputError("say what to do: --ground to challenge, --respond N or --resolve N")
        folder, found = challenges_of(run)
        _list(str(folder.path), found.challenges, found.faults, _moment(as_of), as_json)
        return
    if as_of is not None:
        raise InputError("--as-of is for the list: an act has the time of the machine's clock")
    if text is None or by is None:
        raise InputError("a record needs --text FILE, what you say, and --by, who says it")
    more: dict[str, Any] = {"ground": ground, "challenge": respond or resolve, "outcome": outcome}
    act: Any = wanted[0]
    done, undrawn = make_act(run, act, by=by, text=_read(text), evidence=evidence or (), key=key, **more)
    _list(str(run), (done,), (), _moment(None), as_json)
    if undrawn:
        complain(f"note: the run's pages were not drawn again ({undrawn}); assay report draws them")


def _moment(text: str | None) -> datetime.datetime:
    if text is None:
        return datetime.datetime.now(datetime.UTC)
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"--as-of {text!r}: not an ISO 8601 time such as 2026-05-01T09:00:00Z") from None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--text {path}: cannot be read as UTF-8 text ({error})") from None


def _list(
    run: str, found: tuple[Challenge, ...], faults: tuple[str, ...], as_of: datetime.datetime, as_json: bool
) -> None:
    import msgspec

    from assay.report.challenge import acts_of, evidence_text

    if as_json:
        listed = [
            {
                "challenge": one.number,
                "state": one.state(as_of),
                "ends": one.ends.isoformat(timespec="seconds"),
                "flag": None if one.flag is None else str(one.flag),
                "acts": [
                    {"role": s.role, "keyid": s.keyid, **msgspec.to_builtins(s.record)}
                    for s, _ in acts_of(one)
                ],
            }
            for one in found
        ]
        print_json(
            {"run": run, "as_of": as_of.isoformat(timespec="seconds"), "challenges": listed, "faults": faults}
        )
        return
    for one in found:
        say(f"challenge {one.number}: {line(one.state(as_of))}")
        if one.flag is not None:
            say(f"  flag    {line(str(one.flag))}")
        for signed, what in acts_of(one):
            say(f"  {signed.record.at}  {line(signed.who)} {what}")
            for said in signed.record.text.splitlines():
                say(f"    | {said}")
            if signed.record.evidence:
                say(f"    evidence: {line(evidence_text(signed))}")
    for fault in faults:
        say(f"does not count: {line(fault)}")
    if not found and not faults:
        say("Nobody has challenged this run.")
