"""``assay list`` and ``assay show``: what there is, and one instance of it in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.errors import AssayError, UnknownName

from .grid import cut, print_grid
from .options import Json
from .output import print_json, say

if TYPE_CHECKING:
    from assay.bench import Instrument

__all__ = ["list_", "show"]


def list_(
    what: Annotated[
        str,
        typer.Argument(
            help="runs, instruments, subjects, recipes, models, references, detectors, commands, regimes, or an "
            "instrument's items: by their noun, or by the instrument's file (.py)."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Of list runs: the folder they are in.")] = Path("runs"),
    as_json: Json = False,
) -> None:
    """List runs, or what is installed. The items of an instrument go by its noun: see assay list instruments."""
    if what == "runs":
        _runs(out, as_json)
        return
    from assay.registry import broken, load_all, package_of

    instruments, left_out = _instruments()
    nouns = {instrument.noun: instrument for instrument in instruments.values()}
    if what.endswith(".py"):
        from assay.bench import named_instrument

        nouns[what] = named_instrument(what)
    rows: list[tuple[str, str, str]]
    facts: list[dict[str, Any]] = []
    if what == "instruments":
        rows = [(i.name, _first_line(i), f"version {i.version}, {i.noun}") for i in instruments.values()]
        rows += _broken(left_out)
    elif what == "subjects":
        rows = _subjects()
    elif what == "recipes":
        rows, facts = _recipes()
    elif what == "models":
        rows, facts = _models()
    elif what == "references":
        from assay.subjects.reference import broken_references, references

        rows = [(f"reference:{name}", policy.about, "") for name, policy in references().items()]
        rows += _broken(broken_references())
    elif what == "detectors":
        rows = [(name, _first_line(found), "") for name, found in load_all("assay.detectors").items()]
        rows += _broken(broken("assay.detectors"))
    elif what == "commands":
        group = "assay.commands"
        rows = [(name, f"of the package {package_of(group, name)}", "") for name in load_all(group)]
        rows += _broken(broken(group))
    elif what == "regimes":
        from assay.worlds import shipped_regimes

        rows = [(id_, regime.level, regime.text()) for id_, regime in shipped_regimes().items()]
        facts = [regime.parameters() for regime in shipped_regimes().values()]
    elif what in nouns:
        items = nouns[what].items()
        rows = [(item.id, item.title, item.detail) for item in items]
        facts = [item.facts for item in items]
    else:
        raise UnknownName(
            "list",
            what,
            [
                "runs",
                "instruments",
                "subjects",
                "recipes",
                "models",
                "references",
                "detectors",
                "commands",
                "regimes",
                *nouns,
            ],
        )
    if as_json:
        found = [{"id": a, "title": b, "detail": c} for a, b, c in rows]
        print_json([{**row, **more} for row, more in zip(found, facts or [{}] * len(found), strict=True)])
        return
    wide = max((len(a) for a, _, _ in rows), default=0)
    middle = max((len(b) for _, b, _ in rows), default=0)
    for a, b, c in rows:
        typer.echo(f"{a:<{wide}}  {b:<{middle}}  {c}".rstrip())


def _runs(root: Path, as_json: bool) -> None:
    from assay.api.runs import list_runs

    found = list_runs(root)
    if as_json:
        print_json(found)
        return
    if not found:
        say(f"There are no runs in {root}.")
        return
    grid = [["run", "begun", "state", "trials", "calls", "cost", "instruments", "subjects"]]
    for run in found:
        trials = "" if run.trials is None else f"{run.trials:,}"
        if run.planned is not None and run.planned != run.trials:
            trials += f" of {run.planned:,}"
        grid.append(
            [
                cut(run.name, 48),
                (run.begun or "")[:16].replace("T", " "),
                run.state,
                trials,
                "" if run.calls is None else f"{run.calls:,}",
                f"{run.cost:.2f}" if run.cost else "",
                cut(", ".join(run.instruments), 40),
                run.problem or ", ".join(run.subjects),
            ]
        )
    print_grid(grid, right=(3, 4, 5))


def _instruments() -> tuple[dict[str, Instrument], dict[str, str]]:
    """Those that can be loaded, and why the others cannot: one broken package must not hide the rest."""
    from assay.bench import load_instrument
    from assay.registry import names

    found: dict[str, Instrument] = {}
    left_out: dict[str, str] = {}
    for name in names("assay.instruments"):
        try:
            found[name] = load_instrument(name)
        except AssayError as error:
            left_out[name] = str(error)
    return found, left_out


def _broken(found: dict[str, str]) -> list[tuple[str, str, str]]:
    """What is installed and cannot be used, at the end of a list."""
    return [(name, "cannot be loaded", why) for name, why in found.items()]


def _first_line(thing: Any) -> str:
    return " ".join((getattr(thing, "__doc__", None) or "").strip().partition("\n")[0].split())


def _subjects() -> list[tuple[str, str, str]]:
    from assay.registry import broken, load_all
    from assay.subjects.models import MODELS
    from assay.subjects.recipes import RECIPES

    about = {
        **{
            name: (f"{name}:MODEL", recipe.about, "see: assay list recipes")
            for name, recipe in RECIPES.items()
        },
        "python": ("python:module:callable", "your own system, in a child process", ""),
        "reference": ("reference:NAME", "a subject of known truth", "see: assay list references"),
    }
    rows = [(f"local:{m.name}", m.title, f"see: assay list models; {m.licence}") for m in MODELS.values()]
    rows.append(("local:FILE.gguf", "any GGUF model on this machine", "needs the extra 'local'"))
    kinds = [name for name in load_all("assay.subjects") if name != "local"]
    return [
        *rows,
        *(about.get(name, (f"{name}:…", "", "")) for name in kinds),
        *_broken(broken("assay.subjects")),
    ]


def _recipes() -> tuple[list[tuple[str, str, str]], list[dict[str, Any]]]:
    """What is filled in for a subject of every kind at an endpoint; machines get it as it is."""
    import msgspec

    from assay.subjects.recipes import RECIPES

    rows = []
    for name, recipe in RECIPES.items():
        key = f"{recipe.key_env} as {recipe.key_header or 'bearer token'}" if recipe.key_env else "no key"
        parts = [recipe.base_url or f"--base-url {recipe.example}", key]
        parts += [f"?{field}={value}" for field, value in recipe.query.items()]
        parts += [
            f"{p} not sent" if there is None else f"{p} as {there}" for p, there in recipe.parameters.items()
        ]
        rows.append((f"{name}:MODEL", recipe.about, ", ".join(parts)))
    return rows, [msgspec.to_builtins(recipe) for recipe in RECIPES.values()]


def _models() -> tuple[list[tuple[str, str, str]], list[dict[str, Any]]]:
    """Embedded models: what they are, where they come from, and whether they are on this machine."""
    from assay.subjects.models import MODELS, kept_at, state_of
    from assay.subjects.pulling import parts_kept

    rows, facts = [], []
    for model in MODELS.values():
        state, kept = state_of(model), parts_kept(model)
        here = f"at {kept_at(model)}" if state == "pulled" else f"fetch it with: assay pull {model.name}"
        begun = f" ({kept} of {len(model.parts)} parts fetched)" if kept else ""
        title = f"{model.title}, {model.bytes / 1e6:,.0f} MB, {model.licence}"
        rows.append((f"local:{model.name}", title, f"{state}{begun}, {here}; from {model.origin}"))
        facts.append(
            {
                "model": model.name,
                "bytes": model.bytes,
                "licence": model.licence,
                "sha256": model.sha256,
                "origin": model.origin,
                "wheels": [f"{part.wheel}=={model.version}" for part in model.parts],
                "context": model.context,
                "state": state,
                "parts_fetched": kept,
                "path": str(kept_at(model)) if state == "pulled" else None,
            }
        )
    return rows, facts


def show(
    instrument: Annotated[str, typer.Argument(help="The instrument.")],
    item: Annotated[str, typer.Argument(help="One of its items.")],
    seed: Annotated[int, typer.Option("--seed", help="The study's seed.")] = 1,
    as_json: Json = False,
) -> None:
    """Show one instance in full: every prompt, test and criterion."""
    from assay.bench import named_instrument

    found = named_instrument(instrument).show(item, seed)
    if as_json:
        print_json(found)
        return
    for message in found["messages"]:
        typer.echo(f"--- {message['role']}\n{message['content'].rstrip()}\n")
    typer.echo(f"--- criterion\n{found['criterion']}\n")
    for key, value in found.items():
        if key not in ("messages", "criterion"):
            typer.echo(f"--- {key}")
            _print(value)


def _print(value: Any) -> None:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes out objects that are shared, instead of references to them, and texts of several lines as such."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Dumper, data: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)

    Dumper.add_representer(str, text)

    typer.echo(
        yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True).rstrip()
        if not isinstance(value, str)
        else value
    )
