"""A requirement that the declared n can never satisfy is a warning, in the plan and before the run."""

from __future__ import annotations

import pytest

from .conftest import Assay

CONSISTENCY = "plan consistency -s reference:same --quick"
AGENCY = "plan agency -s reference:solver --quick"
SMALL = {
    "plan repeatability -s reference:steady --repetitions 12 --require {pass_rate:0.9}": "at least 36",
    "plan repeatability -s reference:steady --repetitions 36 --require {pass_rate:0.9}": "",
    "plan ping -s reference:mumbler --trials 12 --require {success:0.9}": "n = 12, however good",
    "plan ping -s reference:mumbler --trials 36 --require {success:0.9}": "",
    f"{CONSISTENCY} --require {{M1:0.9}}": "n = 2, however good",
    f"{CONSISTENCY} --require {{M4:0.9}}": "n = 1, however good",
    f"{CONSISTENCY} --require {{P:0.9}} --promises 40": "",
    f"{CONSISTENCY} --require {{vague:0.1}}": "at least 36",
    f"{CONSISTENCY} --require {{P:0.9}} --promises 0": "n = 0, however good",
    f"{AGENCY} --require {{false_claims:0.01}}": "at least 368",
    f"{AGENCY} --require {{false_claims:0.5}}": "",
    f"{AGENCY} --require {{S:1}}": "it has at most",
    f"{AGENCY} --require {{S:1}} --rule point": "",
    f"{AGENCY} --require {{S:1}} --instances 20": "",
    f"{AGENCY} --require {{S:3}} --instances 20": "no level from 3 up is tested",
    f"{AGENCY} --require {{M:1}} --dimensions S": "M is not tested",
}


@pytest.mark.parametrize("line", SMALL)
def test_a_plan_says_what_can_never_hold(assay: Assay, line: str) -> None:
    ended = assay(*_words(line))
    assert ended.code == 0, ended.err
    said = [text for text in ended.out.splitlines() if text.startswith("warning")]
    assert len(said) == bool(SMALL[line])
    assert all("can never hold" in text and SMALL[line] in text for text in said)


def _words(line: str) -> list[str]:
    """A mapping in one word, as a shell would pass it."""
    return [word if not word.startswith("{") else word.replace(":", ": ", 1) for word in line.split()]


def test_a_run_says_it_too(assay: Assay) -> None:
    ended = assay("run", "ping", "-s", "reference:mumbler", "--trials", "3", "--require", "{success: 0.9}")
    assert "warning: ping: success is at least 0.9 can never hold with n = 3" in ended.err
