"""A command whose options depend on the instruments it names: they are loaded when they are named, and only then."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer
import typer.core

from assay.api.option_values import Given
from assay.errors import InputError, nearest

from .own_options import help_of, take_options

if TYPE_CHECKING:
    import msgspec

__all__ = ["DetectorCommand", "RowCommand", "StudyCommand", "own_options"]

_GIVEN, _KINDS = "assay.given", "assay.kinds"


def own_options(context: typer.Context) -> list[Given]:
    """What was given for options of the instruments that are named."""
    found: list[Given] = context.meta.get(_GIVEN, [])
    return found


ELSEWHERE = {  # options of other tools
    "--model": "; write --subject KIND:NAME",
    "--provider": "; write --subject KIND:NAME",
}


class StudyCommand(typer.core.TyperCommand):
    """Takes the options of the instruments' part of a study."""

    attribute: ClassVar[str] = "option_type"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_KINDS] = kinds = self._kinds(args)
        rest, ctx.meta[_GIVEN] = take_options(args, kinds, self._mine)
        if kinds:
            self._complain_of_others(rest, kinds, ctx.info_name)
        return super().parse_args(ctx, rest)

    @property
    def _mine(self) -> frozenset[str]:
        """The command's own options."""
        named = (name for one in self.params for name in (*one.opts, *one.secondary_opts))
        return frozenset(named) | {"--help", "-h"}

    def _complain_of_others(self, rest: list[str], kinds: dict[str, Any], command: str) -> None:
        theirs = [f"--{name.replace('_', '-')}" for kind in kinds.values() for name in kind.__struct_fields__]
        for argument in rest[: rest.index("--")] if "--" in rest else rest:
            option = argument.partition("=")[0]
            if option.startswith("--") and option not in self._mine:
                near = get_close_matches(option, [*self._mine, *theirs], 1, 0.7)
                listed = f"; assay {command} {next(iter(kinds))} --help lists them"
                hint = nearest(option, near) if near else ELSEWHERE.get(option, listed)
                raise InputError(f"{option} is no option of {' or '.join(kinds)}{hint}")

    def _kinds(self, arguments: list[str]) -> dict[str, type[msgspec.Struct]]:
        """The option types of the instruments among the arguments."""
        from assay.registry import names

        found: dict[str, type[msgspec.Struct]] = {}
        for text in self._named(arguments):
            file = text.endswith(".py") and Path(text).is_file()  # a missing one is named by the command
            if file or text in names("assay.instruments"):
                from assay.bench import named_instrument

                instrument = named_instrument(text)
                found[instrument.name] = getattr(instrument, self.attribute)
        return found

    def _named(self, arguments: list[str]) -> list[str]:
        """What stands alone: a value that belongs to an option is no instrument, and no file to import."""
        switches = {name for one in self.params if getattr(one, "is_flag", False) for name in one.opts}
        before = ["", *arguments]
        return [
            text
            for last, text in zip(before, arguments, strict=False)
            if not last.startswith("-") or last in switches
        ]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        for name, kind in ctx.meta.get(_KINDS, {}).items():
            if not (rows := help_of(kind, self._mine)):
                continue
            wide = max(len(option) for option, _ in rows)
            lines = [f"  {option:<{wide}}  {about}".rstrip() for option, about in rows]
            typer.echo("\n".join([f"Options of {name}:", *lines, ""]))


class RowCommand(StudyCommand):
    """Takes the options of an instrument's scoring of plain rows."""

    attribute: ClassVar[str] = "row_option_type"

    def _kinds(self, arguments: list[str]) -> dict[str, type[msgspec.Struct]]:
        """Of a run in the first place: the options that it declared."""
        first = next(iter(self._named(arguments)), "")
        if not any(
            (folder / "lock.json").is_file() for folder in (Path(first), Path("runs", first)) if first
        ):
            return super()._kinds(arguments)
        from assay.bench import RunFolder, load_instrument

        lock = RunFolder.find(Path(first)).read_lock()
        return {
            name: load_instrument(name).option_type for name in lock.study.options if name not in lock.files
        }

    def format_help(self, ctx: Any, formatter: Any) -> None:
        from assay.bench import load_instrument

        super().format_help(ctx, formatter)
        for name in ctx.meta.get(_KINDS, {}):
            if row := load_instrument(name).row_help:
                typer.echo(f"A row of {name}: {row}\n")


class DetectorCommand(StudyCommand):
    """Takes the options of a detector."""

    def _kinds(self, arguments: list[str]) -> dict[str, type[msgspec.Struct]]:
        from assay.registry import find, names

        named = [text for text in self._named(arguments)[:1] if text in names("assay.detectors")]
        kinds = {
            name: getattr(find("assay.detectors", name, what="detector"), "option_type", None)
            for name in named
        }
        return {name: kind for name, kind in kinds.items() if kind is not None}
