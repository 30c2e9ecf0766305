"""``check_family`` gives a report or names every broken rule, like the other checkers."""

from __future__ import annotations

import pytest

from assay.testing import ContractBroken, check_family
from tests.worlds.counter import Counter


def test_a_family_that_keeps_the_contract_is_told_what_was_checked() -> None:
    report = check_family(Counter(), instances=3)
    assert report.what == "the family counter"
    assert {"solvable", "replay"} <= set(report.rules)


def test_a_family_that_does_not_is_told_which_rule_it_breaks() -> None:
    class Bad(Counter):
        chance = {1: 0.5, 2: 0.1}  # noqa: RUF012

    with pytest.raises(ContractBroken) as caught:
        check_family(Bad(), instances=3)
    assert {rule for rule, _ in caught.value.broken} == {"form"}
