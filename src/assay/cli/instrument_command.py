"""A command whose options depend on the instruments it names: they are loaded when they are named, and only then."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import typer
import typer.core

from assay.errors import InputError, nearest

from .own_options import help_of, take_options

if TYPE_CHECKING:
    import msgspec

__all__ = ["RowCommand", "StudyCommand", "own_options"]

_GIVEN, _KINDS = "assay.given", "assay.kinds"


def own_options(context: typer.Context) -> list[tuple[str, str]]:
    """What was given for options of the instruments that are named: names and texts."""
    found: list[tuple[str, str]] = context.meta.get(_GIVEN, [])
    return found


class StudyCommand(typer.core.TyperCommand):
    """Takes the options of the instruments' part of a study."""

    attribute: ClassVar[str] = "option_type"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        kinds = self._kinds(args)
        mine = frozenset(name for one in self.params for name in (*one.opts, *one.secondary_opts))
        rest, ctx.meta[_GIVEN] = take_options(args, kinds.values(), mine)
        ctx.meta[_KINDS] = kinds
        for argument in rest if kinds else ():
            option = argument.partition("=")[0]
            if option == "--":
                break
            if option.startswith("--") and option not in mine | {"--help"}:
                theirs = [
                    f"--{name.replace('_', '-')}"
                    for kind in kinds.values()
                    for name in kind.__struct_fields__
                ]
                hint = (
                    nearest(option, [*mine, *theirs])
                    if get_close_matches(option, [*mine, *theirs], 1, 0.7)
                    else ""
                )
                listed = f"assay {ctx.info_name} {next(iter(kinds))} --help"
                raise InputError(
                    f"{option} is no option of {' or '.join(kinds)}{hint or f'; {listed} lists them'}"
                )
        return super().parse_args(ctx, rest)

    def _kinds(self, arguments: list[str]) -> dict[str, type[msgspec.Struct]]:
        """The option types of the instruments among the arguments."""
        from assay.registry import names

        found: dict[str, type[msgspec.Struct]] = {}
        for text in self._named(arguments):
            file = text.endswith(".py") and Path(text).is_file()  # a missing one is named by the command
            if file or text in names("assay.instruments"):
                from assay.bench import named_instrument

                instrument = named_instrument(text)
                if (kind := getattr(instrument, self.attribute)) is not None:
                    found[instrument.name] = kind
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
            rows = help_of(kind)
            wide = max(len(option) for option, _ in rows)
            lines = [f"  {option:<{wide}}  {about}".rstrip() for option, about in rows]
            typer.echo("\n".join([f"Options of {name}:", *lines, ""]))


class RowCommand(StudyCommand):
    """Takes the options of an instrument's scoring of plain rows."""

    attribute: ClassVar[str] = "row_option_type"
