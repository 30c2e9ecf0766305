"""The commands, gathered; and the one place where an error becomes a message and an exit code.

Exit codes: 0 done, 1 a verdict fails (audit, check), 2 wrong input, 3 stopped and resumable, 4 finished with nothing
usable, 130 interrupted;
70 a fault of Assay's own or of an extension, 141 nobody reads the output any more (128 + SIGPIPE, as the shell has it).
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from functools import cache
from typing import Annotated, Any

import typer
import typer.core

from assay import __version__
from assay.errors import AssayError, ExtensionFailed, IntegrityError, RunStopped

from . import (
    audit,
    bundle,
    calibrate,
    catalogue,
    challenge,
    check,
    compare,
    detect,
    export,
    lock,
    new,
    plan,
    pull,
    report,
    resume,
    run,
    score,
    status,
    view,
)
from .instrument_command import DetectorCommand, RowCommand, StudyCommand
from .output import complain

__all__ = ["app", "main"]


class Commands(typer.core.TyperGroup):
    """Assay's own commands, and those that installed packages offer under ``assay.commands``.

    What an entry point names is a function as typer takes them. Packages are looked for only when a command is called
    that is not our own, so that the list of commands costs nothing; ``assay list commands`` names theirs.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        from assay.registry import find, names

        if args[0] in self.commands or args[0] not in names("assay.commands"):
            return super().resolve_command(ctx, args)
        extra = typer.Typer(add_completion=False)
        extra.command(args[0])(find("assay.commands", args[0], what="command"))
        return args[0], typer.main.get_command(extra), args[1:]


app = typer.Typer(
    name="assay",
    cls=Commands,
    epilog="Installed packages may bring further commands: assay list commands.",
    help="A measuring bench for the behaviour of AI systems: declared first, recorded, replayable.",
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


for _name, _command, _class in (
    ("run", run.run, StudyCommand),
    ("plan", plan.plan, StudyCommand),
    ("lock", lock.lock, None),
    ("resume", resume.resume, None),
    ("status", status.status, None),
    ("view", view.view, None),
    ("export", export.export, None),
    ("score", score.score, RowCommand),
    ("detect", detect.detect, DetectorCommand),
    ("report", report.report, None),
    ("compare", compare.compare, None),
    ("check", check.check, None),
    ("audit", audit.audit, None),
    ("bundle", bundle.bundle, None),
    ("challenge", challenge.challenge, None),
    ("calibrate", calibrate.calibrate, None),
    ("list", catalogue.list_, None),
    ("show", catalogue.show, None),
    ("new", new.new, None),
    ("pull", pull.pull, None),
):
    app.command(_name, cls=_class)(_command)


def main() -> None:
    """The entry point of the ``assay`` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without our letters is no reason to end
    warnings.showwarning = lambda message, *_, **__: complain(f"assay: {message}")
    code = _run(sys.argv[1:] or ["--help"])
    try:
        if sys.stdout is not None:  # it was closed before we began
            sys.stdout.flush()
    except BrokenPipeError:
        code = _nobody_reads()
    sys.exit(code)


@cache
def _group() -> Any:
    return typer.main.get_command(app)


def _run(arguments: list[str]) -> int:
    try:
        with _group().make_context("assay", arguments) as context:
            context.command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        complain("assay: interrupted")
        return 130
    except ExtensionFailed as error:
        if os.environ.get("ASSAY_TRACEBACK"):
            raise
        complain(f"assay: {error}; set ASSAY_TRACEBACK=1 and run it again to see where")
        return 70
    except AssayError as error:
        complain(f"assay: {error}")
        return 1 if isinstance(error, IntegrityError) else 3 if isinstance(error, RunStopped) else 2
    except BrokenPipeError:
        return _nobody_reads()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain(f"assay: {where}{error.strerror or error}")
        return 2
    except Exception as error:
        return _unexpected(error)
    return 0


def _unexpected(error: Exception) -> int:
    """Usage errors of the command line, as one line; anything else is ours and is said to be."""
    if (usage := getattr(error, "format_message", None)) is not None:  # click's, wherever typer keeps it
        said = " ".join(usage().split()).replace(": Value error, ", ": ", 1)  # a word of the parser's
        complain(f"assay: {said}")
        return 2
    if os.environ.get("ASSAY_TRACEBACK"):
        raise error
    complain(
        f"assay: a fault of Assay itself ({type(error).__name__}: {error}); "
        "set ASSAY_TRACEBACK=1 and run it again to see where, and please report it"
    )
    return 70


def _nobody_reads() -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the last flush complains again
    return 141
