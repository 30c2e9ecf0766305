"""Tables on the command line: as wide as the terminal, or plain text where there is none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from assay.report.presentation import Headline

__all__ = ["show", "show_headline"]

PIPED = 20_000  # columns where there is no terminal to ask: a table cut short would lose names and numbers


def show(*shown: Any) -> None:
    """What rich renders; printing itself, it would end the process where nobody reads."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else PIPED)
    with console.capture() as rendered:
        console.print(*shown)
    typer.echo(rendered.get(), nl=False, color=True)


def show_headline(headline: Headline) -> None:
    from assay.report.presentation import Presentation
    from assay.report.terminal import headline_text, plain_text

    shown = Presentation(headline=headline)
    if sys.stdout.isatty():
        show(headline_text(shown), "")
    else:
        typer.echo(plain_text(shown))
