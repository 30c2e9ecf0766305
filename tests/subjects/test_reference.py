"""Reference subjects: found by name, and the same answer everywhere."""

from __future__ import annotations

import asyncio

import pytest

from assay.errors import InputError, UnknownName
from assay.study.model import SubjectSpec
from assay.subjects.base import Call, make_subject
from assay.subjects.reference import ReferenceSubject
from assay.vocabulary import Message, Reply, Request, Sampling


class Dice:
    """Throws."""

    about = "three throws"

    def answer(self, messages: list[dict[str, object]], stream: object) -> str:
        return " ".join(str(stream.integer(1, 1_000_000)) for _ in range(3))  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def dice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.subjects.reference.load_all", lambda group: {"mine": {"dice": Dice()}})


def ask(trial: str = "t", ordinal: int = 0, seed: int | None = None, attempt: int = 0) -> Reply:
    subject = ReferenceSubject(SubjectSpec("reference:dice"))
    request = Request((Message("user", "two words"),), Sampling(temperature=1.0), seed=seed)
    return asyncio.run(subject.call(subject.wire(request), Call(trial, attempt, ordinal), 1.0))


def test_an_unknown_name_says_which_is_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'dice'"):
        ReferenceSubject(SubjectSpec("reference:dize"))


def test_an_unknown_kind_says_which_is_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'reference'"):
        make_subject(SubjectSpec("referense:dice"))


@pytest.mark.parametrize("name", ["reference", "reference:", ""])
def test_a_subject_without_a_name_says_how_to_write_it(name: str) -> None:
    with pytest.raises(InputError, match="KIND:NAME"):
        make_subject(SubjectSpec(name))


def test_the_answer_follows_the_trial_and_the_place_in_it() -> None:
    assert ask() == ask() == ask(attempt=1)
    assert len({ask().text, ask("u").text, ask(ordinal=1).text}) == 3


def test_the_answer_follows_a_declared_seed_whatever_the_trial() -> None:
    assert ask("t", seed=5) == ask("u", 3, seed=5)
    assert ask(seed=5).text != ask(seed=6).text


def test_the_reply_carries_what_a_reply_carries() -> None:
    reply = ask()
    assert (reply.finish, reply.model, reply.usage.input, reply.usage.output) == ("stop", "dice", 2, 3)


def test_the_subject_says_what_its_truth_is() -> None:
    subject = ReferenceSubject(SubjectSpec("reference:dice"))
    assert asyncio.run(subject.open()) == {"reference": "dice", "about": "three throws"}
