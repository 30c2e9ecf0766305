"""Compliant, Contested or Invalid (agency spec 15.4.2): a contradiction outweighs a doubt, and a doubt silence."""

from __future__ import annotations

from typing import Any

import pytest

from assay.bench.determination import COMPLIANT, CONTESTED, INVALID, AuditReport


def report(**found: Any) -> AuditReport:
    return AuditReport(**{"keyid": "a" * 64, "faults": [], "notes": [], "vouched": True, **found})


def test_an_audit_without_fault_and_doubt_is_compliant_whatever_it_notes() -> None:
    found = report(notes=["report.html is not sealed"], abandoned=3)
    assert (found.determination, found.reasons, found.holds) == (COMPLIANT, [], True)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"vouched": False}, f"nobody vouches for the key {'a' * 16}"),
        ({"environment_dependent": 2}, "2 results depend on the machine"),
        ({"not_deterministic": 1}, "1 programs differ from themselves"),
        ({"doubts": ["times do not add up"]}, "times do not add up"),
    ],
)
def test_what_the_evidence_cannot_show_is_contested(found: dict[str, Any], reason: str) -> None:
    contested = report(**found)
    assert (contested.determination, contested.holds) == (CONTESTED, True)
    assert [one for one in contested.reasons if one.startswith(reason)] == contested.reasons != []


def test_a_fault_is_invalid_and_the_only_kind_of_reason_then() -> None:
    invalid = report(faults=["a", "b"], doubts=["c"], vouched=False, environment_dependent=1)
    assert (invalid.determination, invalid.reasons, invalid.holds) == (INVALID, ["a", "b"], False)
