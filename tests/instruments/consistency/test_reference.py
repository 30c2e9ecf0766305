"""Reference subjects: the rates they declare are the rates that are read."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from math import sqrt
from typing import Any

import pytest

from assay.evidence.records import Ask
from assay.instruments.consistency.judging import judge
from assay.instruments.consistency.judging.canaries import find_canaries
from assay.instruments.consistency.judging.judgement import undecided
from assay.instruments.consistency.judging.refusals import FORM
from assay.instruments.consistency.reference import BEHAVIOURS, REFERENCES, SimulatedSubject
from assay.instruments.consistency.scenarios.conduct import Conversation, play
from assay.instruments.consistency.scenarios.content import shipped_content
from assay.instruments.consistency.scenarios.scenario import KINDS, Kind, Scenario
from assay.instruments.consistency.scenarios.scene import draw_scene, system_message
from assay.instruments.consistency.scenarios.tools import TOOLS
from assay.instruments.consistency.scenarios.transcripts import scenario_of
from assay.streams import Stream
from assay.study import SubjectSpec
from assay.subjects.base import Call, wire_messages
from assay.subjects.reference import ReferenceSubject
from assay.vocabulary import Instance, Message, Reply, Request, Trial

CONTENT = shipped_content()


class Hands:
    """A reference behind the seam of a probe."""

    def __init__(self, policy: SimulatedSubject, key: str) -> None:
        self._policy, self._key = policy, key
        self.asks: list[Ask] = []

    async def ask(self, messages: Sequence[Message], *, tools: Sequence[dict[str, Any]] = ()) -> Reply:
        number = len(self.asks)
        answer = self._policy.answer(wire_messages(Request(tuple(messages))), Stream(self._key, number))
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        self.asks.append(Ask(number, {}, reply, 1.0))
        return reply

    async def compute(self, name: str, request: Any, run: Callable[[], Awaitable[Any]]) -> Any:
        return await run()


class Finished:
    """As much of a record as a transcript needs."""

    def __init__(self, item: str, repetition: int, report: Any, asks: list[Ask], *, extended: bool) -> None:
        self.trial = Trial(
            instance=Instance("consistency", item, repetition, 1),
            version="1",
            subject="reference",
            boundary="extended" if extended else "core",
        )
        self.id, self.report, self.asks = self.trial.id, report, asks


def scenario(policy: SimulatedSubject, item: str, repetition: int = 0, *, extended: bool = False) -> Scenario:
    hands = Hands(policy, f"{item}/{repetition}")
    scene = draw_scene(CONTENT, (), item, Stream(item, repetition))
    talk = Conversation(hands, CONTENT.rules, scene, extended=extended)
    asyncio.run(play(scene, talk, prompted=True))
    record: Any = Finished(item, repetition, talk.report(), hands.asks, extended=extended)
    return scenario_of(record, CONTENT.rules)


def shares(policy: SimulatedSubject, kind: Kind, count: int) -> dict[str, tuple[int, int]]:
    """Successes and scenarios by measure; of several outcomes of one scenario the first counts."""
    found: dict[str, list[bool]] = defaultdict(list)
    for item, repetition in CONTENT.schedule(kind, count):
        seen = set()
        for outcome in judge(scenario(policy, f"{kind}/{item}", repetition)):
            if outcome.measure not in seen:
                found[outcome.measure].append(outcome.success)
                seen.add(outcome.measure)
    return {measure: (sum(outcomes), len(outcomes)) for measure, outcomes in found.items()}


# On the bench


def test_a_policy_that_calls_a_tool_is_a_subject_that_calls_it() -> None:
    subject = ReferenceSubject(SubjectSpec("reference:keeper", boundary="extended"))
    thread = draw_scene(CONTENT, (), "return/memory", Stream("x")).thread
    system = Message("system", system_message(CONTENT.rules, thread, extended=True))
    request = Request((system, Message("user", CONTENT.rules.keep)), tools=TOOLS)
    wire = subject.wire(request)
    assert wire["tools"] == list(TOOLS)
    assert "tools" not in subject.wire(Request((system,)))
    reply = asyncio.run(subject.call(wire, Call("t", 0, 0), 1.0))
    assert (reply.text, reply.finish, reply.model) == ("", "tool_calls", "keeper")
    assert [(call.name, json.loads(call.arguments)["key"]) for call in reply.tool_calls] == [
        ("memory_write", thread.label)
    ]


# Everything right


ALL = [f"{kind}/{name}" for kind in KINDS for name in CONTENT.items(kind) if name != "memory"]


@pytest.mark.parametrize("extended", [False, True])
def test_the_same_someone_fails_in_nothing(extended: bool) -> None:
    wrong = []
    for item in ALL:
        for repetition in range(2):
            one = scenario(REFERENCES["same"], item, repetition, extended=extended)
            outcomes = judge(one)
            assert outcomes, item
            right = {o.measure for o in outcomes if o.success} - {"false_refusals"}
            expected = {o.measure for o in outcomes} - {"false_refusals"}
            if right != expected or any(o.failures for o in outcomes):
                wrong.append((item, [(o.measure, o.failures) for o in outcomes]))
    assert wrong == []


def test_the_keeper_returns_by_memory() -> None:
    for repetition in range(10):
        one = scenario(REFERENCES["keeper"], "return/memory", repetition, extended=True)
        outcomes = judge(one)
        assert [o.success for o in outcomes] == [True] * 4  # M1 and M1_exact, of two returns
        assert "memory_write(" in one.turns[2].content


def test_at_the_extended_boundary_digests_come_from_the_tool() -> None:
    for number in range(1, 6):
        one = scenario(REFERENCES["keeper"], f"artifact/{number:02d}", extended=True)
        hashed = [turn.content for turn in one.turns if turn.role == "tool"]
        assert len(hashed) == one.expected.artifacts
        for said in hashed:
            assert any(said.rpartition(" gives ")[2] in turn.content for _, turn in one.replies())


# Each thing wrong


def test_the_leaky_one_refuses_in_form_and_gives_away_every_canary() -> None:
    for item, repetition in CONTENT.schedule("refusal", 40):
        (outcome,) = judge(scenario(REFERENCES["leaky"], f"refusal/{item}", repetition))
        checks = {check.name: check.holds for check in outcome.checks}
        assert all(checks[part] for part in FORM)
        assert undecided(outcome) == (not CONTENT.has_canary(item))
        assert outcome.failures == (("boundary_leak",) if CONTENT.has_canary(item) else ())


def test_what_is_told_in_confidence_is_acknowledged_and_not_repeated() -> None:
    for item, repetition in CONTENT.schedule("refusal", 36):
        one = scenario(REFERENCES["same"], f"refusal/{item}", repetition)
        for _, turn in one.replies():
            assert not find_canaries(turn.content, one.expected.forbidden)


@pytest.mark.parametrize(
    ("name", "kind", "measure", "failures"),
    [
        ("forgetful", "return", "M1", {"state_amnesia", "artifact_mismatch", "boundary_loss"}),
        ("forgetful", "exchange", "L", {"missing_token"}),
        ("curt", "refusal", "M2", {"bare_refusal"}),
        ("stubborn", "repair", "M3", {"no_repair"}),
        ("stubborn", "repair", "M3_prompted", {"no_repair"}),
    ],
)
def test_what_a_reference_never_does_is_found_missing(
    name: str, kind: Kind, measure: str, failures: set[str]
) -> None:
    for item, repetition in CONTENT.schedule(kind, 12):
        if item in ("wrong_digest", "unknown_label"):
            continue
        outcomes = judge(scenario(REFERENCES[name], f"{kind}/{item}", repetition))
        own = [o for o in outcomes if o.measure == measure]
        assert own
        for outcome in own:
            assert not outcome.success
            assert failures & set(outcome.failures), outcome


RATES: list[tuple[str, Kind, str]] = [
    ("triple", "refusal", "M2"),
    ("repairs", "repair", "M3"),
    ("digests", "artifact", "M4"),
    ("order", "exchange", "O"),
    ("lexicon", "exchange", "L"),
    ("promises", "promise", "P"),
    ("returns", "return", "M1"),
]


@pytest.mark.parametrize(("behaviour", "kind", "measure"), RATES)
def test_a_rate_is_read_as_declared(behaviour: str, kind: Kind, measure: str) -> None:
    rate = 0.7
    someone = SimulatedSubject("one rate", **{behaviour: rate})
    good, number = shares(someone, kind, 240)[measure]
    # four standard deviations of a binomial: wrong once in 15,000
    assert abs(good / number - rate) < 4 * sqrt(rate * (1 - rate) / number)


def test_what_counts_beside_a_measure_follows_its_own_rate() -> None:
    exact = shares(SimulatedSubject("short digests", exact=0.0), "return", 40)
    assert exact["M1"][0] == exact["M1"][1]
    assert exact["M1_exact"][0] == 0
    gullible = shares(SimulatedSubject("goes along", honest=0.0), "return", 40)
    assert gullible["return_wrong_digest"] == (0, 5)
    assert gullible["return_unknown_label"] == (0, 5)
    wary = shares(SimulatedSubject("refuses all", accepts=0.0), "near_miss", 18)
    assert wary["false_refusals"] == (18, 18)
    slow = shares(SimulatedSubject("has to be told", repairs=0.0), "repair", 16)
    assert slow["M3"] == (0, 16)
    assert slow["M3_prompted"] == (16, 16)


def test_a_second_return_gets_the_same_answer_as_the_first() -> None:
    for repetition in range(20):
        one = scenario(REFERENCES["drifting"], "return/within", repetition)
        (_, first), (_, again) = one.replies("return", "again")
        assert first.content == again.content


def test_a_reference_answers_what_is_no_protocol_at_all() -> None:
    for policy in REFERENCES.values():
        assert policy.answer([{"role": "user", "content": "hi"}], Stream("x"))
        assert policy.about


def test_a_rate_that_does_not_exist_is_a_mistake_of_the_programmer() -> None:
    with pytest.raises(AssertionError, match="rates are"):
        SimulatedSubject("?", kindness=1.0)
    assert set(REFERENCES["same"].rates) == set(BEHAVIOURS)
