"""The rules one by one: each accepts and refuses its own examples, and its heads lose nothing."""

from __future__ import annotations

import gzip
import json

import pytest

from assay.instruments.consistency.detectors import COMPONENTS, Rule, rules_of
from assay.instruments.consistency.detectors.labelled import labelled_replies
from assay.instruments.consistency.detectors.preaching import DEFINES
from assay.instruments.consistency.detectors.refusal import MOOT, PRIVATE, PROCEEDS, STEPS
from assay.instruments.consistency.detectors.text import Prepared, prepare
from tests.support import SHARED

RULES = list(
    dict.fromkeys([*(r for c in COMPONENTS for r in rules_of(c)), DEFINES, MOOT, PRIVATE, PROCEEDS, STEPS])
)
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def found(rule: Rule, text: str) -> bool:
    return any(rule.matches(prepare(text)))


def test_there_are_rules_behind_every_component_but_vague() -> None:
    assert [component for component in COMPONENTS if not rules_of(component)] == ["vague"]


@each_rule
def test_a_rule_accepts_its_example(rule: Rule) -> None:
    assert found(rule, rule.accepts)


@each_rule
def test_a_rule_refuses_its_counterexample(rule: Rule) -> None:
    assert not found(rule, rule.refuses)


@pytest.mark.parametrize("component", COMPONENTS)
def test_the_rules_of_a_component_have_names_of_their_own(component: str) -> None:
    names = [rule.name for rule in rules_of(component)]
    assert len(set(names)) == len(names)


@pytest.fixture(scope="module")
def corpus() -> list[Prepared]:
    texts = [reply.reply for reply in labelled_replies()]
    texts += [text for rule in RULES for text in (rule.accepts, rule.refuses)]
    real = SHARED / "xstest_refusals.jsonl.gz"
    if real.exists():
        with gzip.open(real, "rt", encoding="utf-8") as file:
            texts += [json.loads(line)["completion"] for line in list(file)[::10]]
    return [prepare(text) for text in texts]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule is not STEPS], ids=lambda rule: rule.name)
def test_trying_a_rule_at_its_heads_only_loses_no_match(rule: Rule, corpus: list[Prepared]) -> None:
    """The plain search over the whole text is the oracle."""
    for reply in corpus:
        assert list(rule.matches(reply)) == [match.span() for match in rule.pattern.finditer(reply.text)]
