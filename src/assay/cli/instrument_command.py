"""A command whose options depend on the instruments it names: they are loaded when they are named, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import typer
import typer.core

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
        return super().parse_args(ctx, rest)

    def _kinds(self, arguments: list[str]) -> dict[str, type[msgspec.Struct]]:
        """The option types of the instruments among the arguments."""
        from assay.registry import names

        found: dict[str, type[msgspec.Struct]] = {}
        for name in dict.fromkeys(arguments):
            if name in names("assay.instruments"):
                from assay.bench import load_instrument

                if (kind := getattr(load_instrument(name), self.attribute)) is not None:
                    found[name] = kind
        return found

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
