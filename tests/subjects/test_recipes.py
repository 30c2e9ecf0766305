"""A recipe fills in what a study does not say, once; what a lock holds is what is sent ever after."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench.prepare import prepare, subjects_of
from assay.errors import InputError
from assay.study import Study, SubjectSpec
from assay.subjects.base import make_subject
from assay.subjects.openai import OpenAISubject
from assay.subjects.recipes import RECIPES, resolved
from assay.vocabulary import Message, Request, Sampling

REQUEST = Request((Message("user", "hi"),), Sampling(0.5, 1.0, 9), seed=3)


def locked(subject: str | SubjectSpec) -> Any:
    return prepare(Study(subjects=(subject,), instruments=("ping",)), Path())


@pytest.mark.parametrize("kind", RECIPES)
def test_every_recipe_is_a_kind_of_subject(kind: str) -> None:
    url = None if RECIPES[kind].base_url else "https://r.example.org"
    subject = make_subject(SubjectSpec(f"{kind}:m", base_url=url))
    assert isinstance(subject, OpenAISubject)
    sent = subject.wire(REQUEST)
    for name, there in RECIPES[kind].parameters.items():
        assert name not in sent or there == name
        assert there is None or there in sent


def test_what_a_subject_says_itself_goes_first() -> None:
    said = SubjectSpec(
        "mistral:m",
        base_url="http://h/v1",
        parameters={"seed": "seed", "top_p": None},
        options={"a": 1},
        connections=3,
    )
    found = resolved(said)
    assert (found.base_url, found.parameters, found.options, found.connections) == (
        "http://h/v1",
        {"seed": "seed", "top_p": None},
        {"a": 1},
        3,
    )
    assert found.title == "mistral:m"


def test_a_recipes_key_is_for_its_own_host() -> None:
    assert resolved(SubjectSpec("anthropic:m")).key_env == "ANTHROPIC_API_KEY"
    assert resolved(SubjectSpec("anthropic:m", base_url="http://h/v1")).key_env is None
    assert resolved(SubjectSpec("anthropic:m", base_url="http://h/v1", key_env="K")).key_env == "K"
    assert resolved(SubjectSpec("azure:m", base_url="http://h")).key_env == "AZURE_OPENAI_API_KEY"


def test_a_deployment_goes_behind_a_bare_host_only() -> None:
    url = "https://r.example.org/openai/deployments/m"
    for given in ("https://r.example.org", "https://r.example.org/", url):
        assert resolved(SubjectSpec("azure:m", base_url=given)).base_url == url
    with pytest.raises(InputError, match="azure:m needs a base_url"):
        resolved(SubjectSpec("azure:m"))


def test_a_recipe_without_its_values_is_refused() -> None:
    """Else a subject of one service would be asked for, with its prompts, at another's endpoint."""
    with pytest.raises(InputError, match="recipe is set by the lock"):
        make_subject(SubjectSpec("anthropic:m", recipe="anthropic/1"))


def test_other_subjects_are_locked_as_they_are_declared() -> None:
    """Digests of studies without a recipe are as they always were."""
    for subject in ("openai:m", "reference:mumbler"):
        assert locked(subject).study.subjects == (subject,)
        assert resolved(SubjectSpec(subject)) == SubjectSpec(subject)


def test_a_recipe_that_changes_changes_no_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = locked("anthropic:m")
    sent = subjects_of(lock)[0].wire(REQUEST)
    changed = msgspec.structs.replace(
        RECIPES["anthropic"], base_url="http://elsewhere/v1", parameters={"temperature": None}, version=2
    )
    monkeypatch.setitem(RECIPES, "anthropic", changed)
    again = msgspec.json.decode(msgspec.json.encode(lock), type=type(lock))
    subject = subjects_of(again)[0]
    assert (subject.wire(REQUEST), subject.spec.base_url) == (sent, "https://api.anthropic.com/v1")
    assert subject.spec.recipe == "anthropic/1"
    assert locked("anthropic:m").digest != lock.digest
