"""Programs in other languages: run by a declared command, compared as texts and by what they do.

Assay reads no grammar but Python's. A program in another language is put on the rungs bytes, text and behaviour,
and is not repaired. Its contract names a **runner**: a command, the file the program is written to, and a harness
that is written after it. The harness reads one JSON object from its input,

    {"token": …, "entry_point": …, "kind": "function" | "class", "cases": [{"args": […]}, …]}

and prints, for every case in order, a line of the token, a space and a JSON object: ``{"state": "value", "value":
…}`` or ``{"state": "exception", "exception": NAME}``; of a class the value is a list with one ``{"value": …}`` or
``{"exception": NAME}`` a call. ``{"missing": NAME}`` says that there is no such entry point. Values are encoded as
the sandbox does. JavaScript has its runner already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any

import msgspec

from assay.canonical import clean_text, digest, encode
from assay.errors import InputError
from assay.sandbox import CommandJob, Limits, find_command
from assay.sandbox.inside.values import check

from .contracts import Contract, LanguageRunner

__all__ = ["check_commands", "command_job", "command_run", "runner_of"]

PRINTED = 4_000_000  # bytes that the results of one suite may take
_SHIPPED = {"javascript": (("node", "main.js"), "main.js")}


def runner_of(contract: Contract) -> LanguageRunner:
    """The declared runner, or the one that comes with Assay. Contracts that have neither are refused when read."""
    if contract.runner is not None:
        return contract.runner
    command, file = _SHIPPED[contract.language]
    folder = files("assay.instruments.repeatability") / "data" / "harness"
    return LanguageRunner(
        command=command, file=file, harness=(folder / f"{contract.language}.js").read_text("utf-8")
    )


def check_commands(contracts: Iterable[Contract]) -> None:
    """Before anything is asked: a command that is not there is refused at once."""
    for contract in contracts:
        if contract.language != "python":
            find_command(runner_of(contract).command)


def command_job(
    contract: Contract, code: str, cases: tuple[dict[str, Any], ...], limits: Limits
) -> CommandJob:
    """The program with the harness after it, and the inputs. No expectation."""
    runner = runner_of(contract)
    text = f"{code}\n{runner.harness}"
    asked = {
        "token": _token(contract, code),
        "entry_point": contract.entry_point,
        "kind": contract.kind,
        "cases": cases,
    }
    return CommandJob(
        command=runner.command,
        files={runner.file: text},
        stdin=json.dumps(asked),
        # A program of any length is what a subject wrote: there is room for it.
        limits=msgspec.structs.replace(
            limits, output_bytes=PRINTED, scratch_bytes=max(limits.scratch_bytes, 2 * len(text.encode()))
        ),
    )


def command_run(contract: Contract, code: str, run: dict[str, Any], cases: int) -> dict[str, Any]:
    """What a command printed, as a run of the sandbox: a state, a detail, and a result for every case."""
    if run["state"] != "ran":
        return {"state": run["state"], "detail": run["detail"], "cases": []}
    results: list[dict[str, Any]] = []
    token = _token(contract, code) + " "
    for line in run["output"].split("\n"):
        if line.startswith(token):
            try:
                found = _result(json.loads(line.removeprefix(token)), contract.kind)
                encode(found)  # what has no digest is this program's fault, and ends with it
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
                return {
                    "state": "protocol_error",
                    "detail": f"a result that cannot be read: {_carried(str(error))}",
                    "cases": [],
                }
            if "missing" in found:
                what = f"NameError: there is no {contract.entry_point}"
                return {"state": "exception", "detail": what, "cases": []}
            results.append(found)
    if len(results) == cases:
        return {"state": "ran", "detail": "", "cases": results}
    if not results and run["exit_code"]:
        return {"state": "exception", "detail": f"ended with code {run['exit_code']}", "cases": []}
    what = "printed more than can be brought out" if run["cut"] else f"{len(results)} results of {cases}"
    return {"state": "protocol_error", "detail": what, "cases": []}


def _token(contract: Contract, code: str) -> str:
    """Marks results, unlike what the program prints itself; the same on replay."""
    return f"assay-{digest([contract.snapshot, code])[:24]}"


def _result(found: dict[str, Any], kind: str) -> dict[str, Any]:
    """One result, held to the shape that the comparison takes: it comes from a program nobody trusts."""
    if not isinstance(found, dict):
        raise TypeError("a result is an object")
    if "missing" in found:
        return {"missing": True}
    if found["state"] == "exception":
        return {"state": "exception", "value": None, **_raised(found)}
    if found["state"] != "value":
        raise ValueError("a state that is neither value nor exception")
    value = found["value"]
    if kind == "class":
        value = [_raised(step) if "exception" in step else _valued(step) for step in value]
    else:
        value = _checked(value)
    return {"state": "value", "value": value, "exception": "", "message": "", "bases": []}


def _valued(step: dict[str, Any]) -> dict[str, Any]:
    return {"value": _checked(step["value"])}


def _checked(value: Any) -> Any:
    value = _as_encoded(value)
    check(value)
    return value


def _as_encoded(value: Any) -> Any:
    """Floats and texts as the sandbox writes them.

    Other languages say 1e-7 for 1e-07, and print large numbers in full; and half of a character is a text to some.
    """
    if isinstance(value, list):
        return [_as_encoded(item) for item in value]
    if isinstance(value, str):
        return value if _is_carried(value) else {"str": value.encode("utf-8", "surrogatepass").hex()}
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("float"), str):
        return {**value, "float": repr(float(value["float"]))}
    if isinstance(value.get("opaque"), str):
        return {**value, "opaque": _carried(value["opaque"])}
    return {
        tag: content if isinstance(content, str) else _as_encoded(content) for tag, content in value.items()
    }


def _is_carried(text: str) -> bool:
    """Whether it is a text that UTF-8 can carry: one without lone surrogates."""
    return text.isascii() or clean_text(text)[0] == text


def _carried(name: str) -> str:
    """A name or message, lone surrogates written out, as the sandbox does with those of Python."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _raised(found: dict[str, Any]) -> dict[str, Any]:
    return {
        "exception": _carried(str(found["exception"])[:200]),
        "message": _carried(str(found.get("message", ""))[:1000]),
        "bases": [_carried(str(base)[:200]) for base in found.get("bases", ())][:50],
    }
