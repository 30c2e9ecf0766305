"""Values of a published reading in words. What was not declared is said, never left blank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.canonical import encode
from assay.report.document import Facts
from assay.report.wording import word

__all__ = ["NOT_DECLARED", "NOT_RECORDED", "facts_of", "gate_word", "roles_facts", "said"]

NOT_DECLARED = "not declared"
NOT_RECORDED = "not recorded"
_GATES = {"holds": "pass", "fails": "fail"}


def said(value: Any) -> str:
    """A declared value; nested data as canonical JSON."""
    if value is None or value == "":
        return NOT_DECLARED
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple) and all(isinstance(one, str | int) for one in value):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict) and value and all(isinstance(one, str) for one in value.values()):
        return "; ".join(f"{name}: {text}" for name, text in value.items())
    return f"{value:g}" if isinstance(value, float) else encode(value).decode()


def facts_of(title: str, given: Iterable[tuple[str, Any]], nothing: str = NOT_DECLARED) -> Facts:
    """Named values; those that are not there are marked as missing."""
    rows = [(name, nothing if (text := said(value)) == NOT_DECLARED else text) for name, value in given]
    return Facts(title, tuple(rows), frozenset(name for name, text in rows if text == nothing))


def roles_facts(evaluation: Mapping[str, Any], governance: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Who evaluated and answers for it (13.3, 15.2, 15.4.1), and the labels that are fields, not flags."""
    role, third = evaluation["role"], evaluation["role"] == "third party"
    raised = {None: "not raised", True: "raised"}[governance["raised"]]
    vendor = {None: None, True: "Vendor-Evaluated (15.2.1)", False: "no"}
    return [
        ("evaluation contact", evaluation["contact"]),
        ("organisation", evaluation["organisation"]),
        ("role of the evaluator", role),
        ("vendor of the system", evaluation["vendor of the system"]),
        ("Vendor-Evaluated", vendor[evaluation["Vendor-Evaluated"]]),
        ("independence", evaluation["independence"] or (None if third or not role else "not claimed")),
        ("Governance Flag", f"{raised}; {governance['because']}"),
        ("self-certification (15.4.1)", evaluation["self-certification"] or "not given"),
    ]


def gate_word(passed: bool | None) -> str:
    """13.4.1 (8): pass or fail for each gate; what the evidence does not decide is neither."""
    return _GATES.get(word(passed), word(passed))
