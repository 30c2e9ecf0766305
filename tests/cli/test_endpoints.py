"""Endpoints as they are: a recipe is enough to measure its endpoint; a wrong one ends at once with the right line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.subjects.recipes import RECIPES
from tests.subjects.strict_endpoints import ENDPOINTS, KEY, strict_endpoint
from tests.support import ledger_events

from .conftest import Assay, Ended

Measure = Callable[..., Ended]


@pytest.fixture
def measure(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Measure:
    """``measure("anthropic", url, ...)``: repeatability of one text, by the recipe alone."""
    monkeypatch.setenv("STRICT_KEY", KEY)

    def run(
        kind: str, url: str, *more: str, model: str = "m-1", name: str = "r", keyless: bool = False
    ) -> Ended:
        key = ("--key-env", "STRICT_KEY") if not keyless else ()
        subject = ("--subject", f"{kind}:{model}", "--base-url", url, *key)
        small = ("--set", "contracts=iso_date", "--set", "repetitions=1", "--name", name)
        return assay("run", "repeatability", *subject, *small, *more)

    return run


def replies(folder: Path) -> list[dict[str, Any]]:
    return [e["data"]["reply"] for e in ledger_events(RunFolder(folder)) if e["kind"] == "received"]


def test_every_recipe_has_an_endpoint_that_is_strict() -> None:
    assert set(ENDPOINTS) == set(RECIPES)


def test_recipes_are_listed_with_all_that_they_fill_in(assay: Assay) -> None:
    listed = json.loads(assay("list", "recipes", "--json").out)
    assert [one["id"] for one in listed] == [f"{name}:MODEL" for name in RECIPES]
    azure = next(one for one in listed if one["id"] == "azure:MODEL")
    assert (azure["key_header"], azure["query"]) == ("api-key", {"api-version": "2024-10-21"})
    assert "max_tokens as max_completion_tokens" in assay("list", "recipes").out


@pytest.mark.parametrize("kind", RECIPES)
def test_a_recipe_is_enough(kind: str, measure: Measure, assay: Assay, tmp_path: Path) -> None:
    with strict_endpoint(kind) as endpoint:
        ended = measure(kind, endpoint.url)
    cells = 1 if RECIPES[kind].parameters.get("temperature", "") is None else 2
    assert (ended.code, len(endpoint.bodies)) == (0, cells)
    assert all(reply["text"] == "ok" for reply in replies(tmp_path / "runs/r"))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert KEY.encode() not in kept
    assert assay("audit", "r").code == 0


@pytest.mark.parametrize("kind", ["openrouter", "ollama", "llamacpp", "vllm"])
def test_reasoning_is_kept_apart_from_the_reply(kind: str, measure: Measure, tmp_path: Path) -> None:
    with strict_endpoint(kind) as endpoint:
        assert measure(kind, endpoint.url).code == 0
    assert [(one["text"], one["reasoning"]) for one in replies(tmp_path / "runs/r")] == [("ok", "hm")] * 2


def test_tokens_of_reasoning_are_counted_apart(measure: Measure, tmp_path: Path) -> None:
    with strict_endpoint("openai-reasoning") as endpoint:
        assert measure("openai-reasoning", endpoint.url).code == 0
    assert [one["usage"] for one in replies(tmp_path / "runs/r")] == [
        {"input": 3, "output": 7, "reasoning": 5}
    ]


@pytest.mark.parametrize(
    ("wrong", "kind", "sentence", "line"),
    [
        (
            "openai",
            "openai-reasoning",
            "Use 'max_completion_tokens' instead",
            "max_tokens: max_completion_tokens",
        ),
        (
            "azure",
            "azure-reasoning",
            "Use 'max_completion_tokens' instead",
            "max_tokens: max_completion_tokens",
        ),
        ("openai", "anthropic", "cannot both be specified", "top_p: null"),
        ("anthropic", "anthropic-reasoning", "`temperature` is deprecated", "temperature: null"),
        ("openai", "gemini", 'Unknown name "seed": Cannot find field', "seed: null"),
        ("openai", "mistral", "body.seed: Extra inputs are not permitted", "seed: null"),
    ],
)
def test_a_wrong_recipe_ends_within_three_calls_and_its_lines_lead_to_a_run(
    wrong: str, kind: str, sentence: str, line: str, measure: Measure, assay: Assay
) -> None:
    with strict_endpoint(kind) as endpoint:
        ended = measure(wrong, endpoint.url)
        assert (ended.code, len(endpoint.bodies) <= 3) == (3, True)
        assert sentence in ended.out
        assert re.search(rf"parameters: {{[^}}]*\b{line}", ended.out)
        assert "assay resume" not in ended.out + assay("status", "r").out  # the lock would ask the same again
        flags: list[str] = []
        for number in range(4):
            flags += re.findall(r"--parameter \w+=\w+", ended.out)
            ended = measure(wrong, endpoint.url, *" ".join(flags).split(), name=f"r{number}")
            if ended.code == 0:
                break
    assert ended.code == 0


@pytest.mark.parametrize("kind", [name for name, recipe in RECIPES.items() if recipe.key_env])
def test_a_missing_key_is_refused_in_the_endpoints_words(
    kind: str, measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "another-key-0123456789")
    with strict_endpoint(kind) as endpoint:
        ended = measure(kind, endpoint.url, keyless=True)
    assert (ended.code, len(endpoint.bodies) <= 3) == (3, True)
    assert re.search(
        "the endpoint answers 40[01]: (Incorrect|Access|invalid|API key|Unauthorized|No auth)", ended.out
    )


@pytest.mark.parametrize(
    ("kind", "said"), [("openai", "`m-2` does not exist"), ("ollama", "try pulling it first")]
)
def test_an_unknown_model_is_refused_in_the_endpoints_words(kind: str, said: str, measure: Measure) -> None:
    with strict_endpoint(kind) as endpoint:
        ended = measure(kind, endpoint.url, model="m-2")
    assert (ended.code, len(endpoint.bodies) <= 3, said in ended.out) == (3, True, True)
    assert "did you mean" not in ended.out


@pytest.mark.parametrize("kind", ["openai", "ollama", "vllm"])
def test_a_url_without_its_version_is_named_with_the_right_one(kind: str, measure: Measure) -> None:
    with strict_endpoint(kind) as endpoint:
        short = endpoint.url.removesuffix("/v1")
        ended = measure(kind, short)
        assert (ended.code, len(endpoint.bodies) <= 3) == (3, True)
        assert f"there is no /chat/completions at {short}" in ended.out
        assert (
            f"Did you mean base_url: {endpoint.url} (on the command line: --base-url {endpoint.url})?"
            in ended.out
        )


def test_a_deployment_is_named_by_path_key_and_version(measure: Measure) -> None:
    with strict_endpoint("azure") as endpoint:
        assert measure("azure", endpoint.url).code == 0
    head = endpoint.heads[0]
    assert (head.path, head.query) == ("/openai/deployments/m-1/chat/completions", "api-version=2024-10-21")
    assert (head.header("api-key"), head.header("authorization")) == (KEY, None)
