"""``assay score``: plain data in, a reading out; or a recorded run, with other thresholds."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.api.option_values import Given
from assay.errors import InputError

from .instrument_command import own_options
from .options import InstrumentFiles, Json, Set, settings
from .output import check_place, complain, line, safe, say
from .own_options import options_of
from .tables import show, show_headline

if TYPE_CHECKING:
    from rich.table import Table

    from assay.bench import Instrument
    from assay.vocabulary import Result

__all__ = ["score"]


def score(
    context: typer.Context,
    instrument: Annotated[
        str,
        typer.Argument(
            metavar="INSTRUMENT|RUN",
            help="The instrument; its options are listed after its name. Or a run, and no file.",
        ),
    ],
    file: Annotated[
        Path | None, typer.Argument(help="The rows: JSON Lines or CSV, plain or .gz, or Parquet.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every measure, not only those that are read first.")
    ] = False,
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write what was read in every row, which checks held and why it failed: .csv or .jsonl."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write the page for people: HTML, one self-contained file.")
    ] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE",
            help="Write a document of the instrument, by its name: .html, or .pdf with the extra pdf. Repeatable.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the reading: JSON.")] = None,
    options_set: Set = None,
    files: InstrumentFiles = None,
    as_json: Json = False,
) -> None:
    """Score outputs that you already have, or a recorded run with other thresholds. The reading is flagged.

    What a row looks like, and which options there are: assay score INSTRUMENT --help. Of a run those can be given that
    only the analysis depends on, such as --set tau=0.2; the reading says which, and the run's own files stay.
    """
    check_place(out, "--out")
    given = [*settings(options_set or ()), *own_options(context)]
    if file is None:
        if records is not None or report is not None or document:
            raise InputError(
                "--records, --report and --document go with rows; a run has its own: assay export, assay report"
            )
        from .rescore import score_run

        show = partial(_print, everything=everything)
        score_run(_run(instrument), given, files or (), out=out, as_json=as_json, show=show)
        return
    from assay.bench import named_instrument
    from assay.errors import blaming
    from assay.measuring.rows import open_rows

    found = named_instrument(instrument)
    if files or any(one.instrument not in ("", found.name) for one in given):
        raise InputError("one instrument scores the rows of a file: its own options, and no other's")
    options = options_of(found.row_option_type, given)
    wanted = _documents(document or ())
    places = {"--records": records, "--report": report, "--out": out}
    _check_places(
        file, given, {**places, **{f"--document {name}": path for name, (path, _) in wanted.items()}}
    )
    with blaming(f"the instrument {found.name}", "score_rows"):
        scored = found.score_rows(open_rows(file), options)
    written = []
    if records is not None:
        from assay.report.records import write_records

        with blaming(f"the instrument {found.name}", "its records of rows"):
            write_records(records, scored.records())
        written.append(f"Records  {records}")
    if report is not None:
        from assay.report.publish import write_rows_report

        with blaming(f"the instrument {found.name}", "its presentation of rows"):
            shown = scored.present()
        unconfined = bool(getattr(options, "allow_unconfined_code", False))
        command = shlex.join(["assay", "score", instrument, str(file), *map(_as_written, given)])
        write_rows_report(report, file, scored.result, shown, command, allow_unconfined_code=unconfined)
        written.append(f"Report   {report}")
    if wanted:
        from assay.report.document import document_named
        from assay.report.publish import write_document

        with blaming(f"the instrument {found.name}", "its documents of rows"):
            documents = scored.documents()
        for name, (path, form) in wanted.items():
            write_document(path, document_named(documents, name), form)
            written.append(f"Document {path}")
    from assay.canonical import encode
    from assay.vocabulary import Reading

    reading = encode(Reading(result=scored.result))
    if out is not None:
        from assay.evidence.files import write_whole

        write_whole(out, reading + b"\n")
        written.append(f"Reading  {out}")
    if as_json:
        typer.echo(reading.decode())
    else:
        _print(found, scored.result, everything=everything)
    for text in written:
        (complain if as_json else say)(text)


def _run(name: str) -> Path:
    """A run; an instrument without rows is named as that."""
    from assay.registry import names

    if name in names("assay.instruments") and not Path(name).is_dir():
        raise InputError(f"{name} is an instrument: name the file of its rows as well")
    return Path(name)


def _documents(given: Sequence[str]) -> dict[str, tuple[Path, Literal["html", "pdf"]]]:
    """Name → file and format, which is the file's ending."""
    found: dict[str, tuple[Path, Literal["html", "pdf"]]] = {}
    for text in given:
        name, equals, file = text.partition("=")
        ending = Path(file).suffix
        if not name or not equals or ending not in (".html", ".pdf"):
            raise InputError(f"--document {text}: NAME=FILE, and the file ends in .html or .pdf")
        if name in found:
            raise InputError(f"--document {name}: is asked for twice")
        found[name] = (Path(file), "html" if ending == ".html" else "pdf")
    return found


def _check_places(file: Path, given: Sequence[Given], places: dict[str, Path | None]) -> None:
    """Before anything is scored: a long run must not end at a folder that is not there, nor replace what it read."""
    taken = {Path(one.value).resolve(): one.option for one in given if isinstance(one.value, str)}
    taken[file.resolve()] = "the rows"
    for option, place in places.items():
        check_place(place, option)
        if place is None:
            continue
        if (there := taken.setdefault(place.resolve(), option)) != option:
            raise InputError(f"{option}: {place} is the file of {there}; name another")
    if (records := places["--records"]) is not None:
        from assay.report.records import check_ending

        check_ending(records)


def _as_written(one: Given) -> str:
    return one.option if one.option.startswith("--no-") else f"{one.option}={one.value}"


def _print(instrument: Instrument, result: Result, *, everything: bool) -> None:
    from rich.text import Text

    if everything:
        show(_all_measures(result))
        said = instrument.accompanying(result)
    else:
        show_headline(instrument.headline(result))
        said = instrument.summary(result)
    for text in said:
        say(line(text))
    for flag in result.flags:
        show(Text(safe(str(flag)), style="yellow"))
    if not everything:
        say(f"All {len(result.measures)} measures: --all, or --json for machines.")


def _all_measures(result: Result) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    where = list(dict.fromkeys(label for m in result.measures for label in m.labels))
    bounded = any(m.bound_low is not None for m in result.measures)
    columns = (*where, "measure", "value", "interval", *(["if unknown"] if bounded else []), "n")
    table = Table(*columns, box=box.SIMPLE, pad_edge=False)
    for m in result.measures:
        labels = [line(safe(str(m.labels.get(name, "")))) for name in where]
        value = "–" if m.value is None else f"{m.value:.3f}"
        spans = [_span(m.low, m.high), *([_span(m.bound_low, m.bound_high)] if bounded else [])]
        table.add_row(*map(Text, labels), m.name, value, *map(Text, spans), str(m.n))
    return table


def _span(low: float | None, high: float | None) -> str:
    if low is None:
        return ""
    return f"[{', '.join('–' if end is None else f'{end:.3f}' for end in (low, high))}]"
