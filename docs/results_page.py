"""The page of results: what runs have read, in tables. Nothing in it is written by hand but the notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import yaml
from comparisons import differences, number_text
from msgspec import Struct, convert

import assay
from assay.api.load import LoadedRun
from assay.bench import load_instrument
from assay.errors import AssayError
from assay.report.presentation import Cellish, Number, number_of
from assay.vocabulary import Measure

__all__ = ["page", "picture_name", "run_name", "shown_in", "signers_in", "studies_of"]

KEPT = ("runs", "bundles")  # folders below results/ that hold no studies


class Shot(Struct, frozen=True, forbid_unknown_fields=True):
    """A figure of a run's report, by words of its caption or title."""

    run: str
    figure: str


class Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """How an instrument is shown: ``results/results.yaml`` says what the fields mean."""

    measures: tuple[str, ...] = ()
    over: str = ""
    tables: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    picture: Shot | None = None


def shown_in(results: Path) -> dict[str, Shown]:
    return convert(yaml.safe_load((results / "results.yaml").read_text("utf-8")), dict[str, Shown])


def signers_in(results: Path) -> dict[str, list[str]]:
    """The key ids by run, where a run was begun on one machine and finished on another."""
    path = results / "signers.yaml"
    return convert(yaml.safe_load(path.read_text("utf-8")), dict[str, list[str]]) if path.exists() else {}


def studies_of(results: Path) -> dict[str, list[Path]]:
    """The studies of each instrument by name, the instruments in the order of ``results.yaml``, others after them."""
    there = sorted(path.name for path in results.iterdir() if path.is_dir() and path.name not in KEPT)
    order = dict.fromkeys([name for name in shown_in(results) if name in there] + there)
    return {name: sorted((results / name).glob("*.yaml")) for name in order}


def run_name(study: Path) -> str:
    return f"{study.parent.name}-{study.stem}"


def picture_name(instrument: str) -> str:
    return f"results-{instrument}.png"


def page(results: Path, runs: Path, pictures: Path) -> str:
    """The whole page, from the runs and the pictures that are there."""
    declared, signers = shown_in(results), signers_in(results)
    parts = [_notes(results)]
    for name, studies in studies_of(results).items():
        parts += [f"## {name.capitalize()}", _notes(results / name)]
        shot = declared.get(name, Shown()).picture
        if shot and (pictures / picture_name(name)).exists():
            parts.append(f"![{shot.run}: {shot.figure}]({picture_name(name)})")
        parts += section([runs / run_name(study) for study in studies], declared.get(name, Shown()), signers)
    return "\n\n".join(filter(None, parts)) + "\n"


def _notes(folder: Path) -> str:
    notes = folder / "notes.md"
    return notes.read_text("utf-8").strip() if notes.exists() else ""


def section(folders: Sequence[Path], shown: Shown, signers: Mapping[str, list[str]]) -> Iterator[str]:
    """All runs of an instrument. What was not begun, or cannot be read by this version before it ends, is named."""
    begun = [folder for folder in folders if (folder / "lock.json").exists()]
    runs: dict[str, LoadedRun] = {}
    for folder in begun:
        try:
            runs[folder.name] = assay.load(folder, signed_by=signers.get(folder.name))
        except AssayError as error:
            yield f"`{folder.name}` is left out: {error}"
    if missing := [f"`{folder.name}`" for folder in folders if folder not in begun]:
        yield f"Declared and not begun: {', '.join(missing)}."
    if runs:
        yield from ("### Runs", runs_table(runs, signers), expense_table(runs), "### Readings")
        for measure in shown.tables:
            yield from unit_table(runs, measure, shown.over)
        for name, run in runs.items() if not shown.tables else ():
            yield from headline_tables(name, run)
        yield from comparison(runs, shown)


def runs_table(runs: dict[str, LoadedRun], signers: Mapping[str, list[str]]) -> str:
    """Which study with which version gave what, and the digests and keys to check it by."""
    rows, digests = [], []
    for name, run in runs.items():
        for reading in run.readings.values():
            open_ = "; ".join(flag.cause for flag in reading.result.flags) or "not finished"
            state = "finished" if run.finished else f"**{open_}**; numbers are of n so far"
            begun, ended = (
                str(reading.envelope.get(key) or "–")[:16].replace("T", " ") for key in ("begun", "ended")
            )
            version = (
                f"{reading.result.instrument} {reading.result.version}, assay {run.lock.versions['assay']}"
            )
            rows.append((f"`{name}`", state, version, begun, ended if run.finished else "–"))
            heads = reading.envelope["ledger"].values() if run.finished else ["not finished"]
            digests += [f"{name}  lock    {run.lock.digest}", *(f"{name}  ledger  {head}" for head in heads)]
        keys = signers.get(name, [])
        digests += [f"{name}  keys    {' '.join(f'--signed-by {key}' for key in keys)}"] if keys else []
    table = markdown(("run", "state", "version", "begun (UTC)", "ended"), rows)
    return f"{table}\n\n```text\n" + "\n".join(digests) + "\n```"


def expense_table(runs: dict[str, LoadedRun]) -> str:
    """Calls, tokens and the subjects' own time."""
    rows = []
    for name, run in runs.items():
        trials = run.trials()
        for subject in subjects_of(run):
            of = trials.filter(subject=subject)
            calls, seconds = int(of["calls"].sum()), float(of["seconds"].sum())
            tokens = (int(of[f"{way}_tokens"].sum()) for way in ("input", "output"))
            lost = of.filter(outcome="excluded").height
            each = f"{seconds / calls:.1f}" if calls else "–"
            sums = (f"{of.height:,}", f"{lost:,}", f"{calls:,}", *(f"{count:,}" for count in tokens))
            rows.append((f"`{name}`", f"`{subject}`", *sums, f"{seconds:,.0f}", each))
    sums_of = ("trials", "lost", "calls", "tokens in", "tokens out", "seconds", "seconds a call")
    return markdown(("run", "subject", *sums_of), rows)


def headline_tables(name: str, run: LoadedRun) -> Iterator[str]:
    for reading in run.readings.values():
        headline = load_instrument(reading.result.instrument).headline(reading.result)
        yield f"**`{name}`**: {headline.title}"
        yield markdown(headline.columns, [[cell_text(cell) for cell in row] for row in headline.rows])
        numbers = [cell for row in headline.rows for cell in row if isinstance(cell, Number)]
        yield "\n".join(dict.fromkeys(f"- \\* {flag}" for number in numbers for flag in number.flags))


def unit_table(runs: dict[str, LoadedRun], measure: str, over: str) -> Iterator[str]:
    """A row a unit, a column a subject and condition."""
    places: dict[str | float, dict[str, Measure]] = {}
    columns: dict[str, None] = {}
    for run in runs.values():
        for found in measures_of(run):
            if found.name == measure and over in found.labels:
                rest = {key: value for key, value in found.labels.items() if key not in (over, "subject")}
                column = f"`{found.labels['subject']}` " + ", ".join(
                    f"{key} {value}" for key, value in rest.items()
                )
                columns[column] = None
                places.setdefault(found.labels[over], {})[column] = found
    rows = [
        [str(unit), *(number_text(number_of(found.get(column))) for column in columns)]
        for unit, found in places.items()
    ]
    yield f"**{measure}** by {over}, {len(rows)} of them:"
    yield markdown((over, *columns), rows)


# The two models.


def comparison(runs: dict[str, LoadedRun], shown: Shown) -> Iterator[str]:
    """Every share and distance that both models have: what tells them apart, and what does not."""
    first, second = pair_of(next(iter(runs.values())))
    measures = {name: measures_of(run) for name, run in runs.items()}
    found = differences(measures, first, second, over=shown.over, names=shown.measures, without=shown.without)
    if not found:
        return
    yield f"### `{first}` and `{second}`"
    columns = (
        "measure",
        f"`{first}`",
        f"`{second}`",
        "difference",
        shown.over + ("es" if shown.over.endswith("s") else "s") if shown.over else "n",
        "told apart",
        *((f"each {shown.over} by itself",) if shown.over else ()),
    )
    for title, wanted in (("These measures tell them apart", True), ("These do not", False)):
        rows = [one for one in found if (one.told != "no") is wanted]
        yield f"{title}: {len(rows)} of {len(found)}."
        if rows:
            yield markdown(columns, [row[: len(columns)] for row in rows])


def pair_of(run: LoadedRun) -> tuple[str, str]:
    """The two that are compared: the first two that are no references, or the first two."""
    subjects = subjects_of(run)
    models = [subject for subject in subjects if not subject.startswith("reference:")]
    first, second = (models if len(models) > 1 else subjects)[:2]
    return first, second


def subjects_of(run: LoadedRun) -> list[str]:
    return [spec.title for spec in run.lock.study.specs]


def measures_of(run: LoadedRun) -> list[Measure]:
    return [measure for result in run.results for measure in result.measures]


# Text.


def cell_text(cell: Cellish) -> str:
    return cell if isinstance(cell, str) else number_text(cell)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
