"""The commands, gathered; and the one place where an error becomes a message and an exit code.

Exit codes: 0 done, 1 a verdict fails (audit, check), 2 wrong input, 3 stopped and resumable, 130 interrupted.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from assay import __version__
from assay.errors import AssayError, IntegrityError, RunStopped

from . import audit, catalogue, lock, plan, pull, report, resume, run, score, status

__all__ = ["app", "main"]

app = typer.Typer(
    name="assay",
    help="A measuring bench for the behaviour of AI systems: declared first, recorded, replayable.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


for _name, _command in (
    ("run", run.run),
    ("plan", plan.plan),
    ("lock", lock.lock),
    ("resume", resume.resume),
    ("status", status.status),
    ("score", score.score),
    ("report", report.report),
    ("audit", audit.audit),
    ("list", catalogue.list_),
    ("show", catalogue.show),
    ("pull", pull.pull),
):
    app.command(_name)(_command)


def main() -> None:
    """The entry point of the ``assay`` command."""
    try:
        app()
    except AssayError as error:
        sys.exit(_tell(error))
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _tell(error: AssayError) -> int:
    from assay.report.tables import safe_terminal

    print(f"assay: {safe_terminal(str(error))}", file=sys.stderr)
    if isinstance(error, IntegrityError):
        return 1
    if isinstance(error, RunStopped):
        return 3
    return 2
