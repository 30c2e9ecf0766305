"""Requirements as JUnit XML, the form that build servers read: a test a requirement, a suite an instrument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from assay.errors import InputError
from assay.evidence.files import write_whole
from assay.vocabulary import Result

from .text import visible
from .wording import invalid_in

__all__ = ["write_junit"]


def write_junit(
    path: Path,
    run: str,
    results: Sequence[Result],
    accompanying: Mapping[str, Sequence[str]],
    *,
    strict: bool,
) -> None:
    """What is not established is skipped, or under ``strict`` a failure; an invalid reading is an error.

    ``accompanying`` is by instrument what must stand beside its numbers: properties of its suite.
    """
    suites = ElementTree.Element("testsuites", name=_text(run))
    for result in results:
        required = [verdict for verdict in result.verdicts if verdict.kind == "requirement"]
        suite = ElementTree.SubElement(suites, "testsuite", name=_text(result.instrument))
        beside = accompanying.get(result.instrument, ())
        if beside:
            properties = ElementTree.SubElement(suite, "properties")
            for text in beside:
                ElementTree.SubElement(properties, "property", name="accompanying", value=_text(text))
        counts = {"failure": 0, "skipped": 0, "error": 0}
        for verdict in required:
            case = ElementTree.SubElement(
                suite, "testcase", classname=_text(result.instrument), name=_text(verdict.claim)
            )
            if verdict.holds:
                continue
            kind = "failure" if verdict.holds is False or strict else "skipped"
            counts[kind] += 1
            said = ElementTree.SubElement(case, kind, message=_text(verdict.because))
            said.text = _text(verdict.rule)
        for cause in invalid_in(result):
            counts["error"] += 1
            case = ElementTree.SubElement(
                suite, "testcase", classname=_text(result.instrument), name=_text(f"valid: {cause}")
            )
            ElementTree.SubElement(case, "error", message=_text(cause))
        if strict and not required:
            counts["failure"] += 1
            case = ElementTree.SubElement(
                suite, "testcase", classname=_text(result.instrument), name="something is required"
            )
            ElementTree.SubElement(case, "failure", message="the study requires nothing")
        suite.set("tests", str(len(suite) - bool(beside)))
        suite.set("failures", str(counts["failure"]))
        suite.set("skipped", str(counts["skipped"]))
        suite.set("errors", str(counts["error"]))
    ElementTree.indent(suites)
    data = ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)
    try:
        write_whole(path, data + b"\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None


def _text(text: str) -> str:
    """What XML can hold, whatever a subject is called."""
    return visible(text)
