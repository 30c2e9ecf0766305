"""What an endpoint does not take is left out or renamed, never set past the study."""

from __future__ import annotations

from typing import Any

import pytest

from assay.errors import InputError
from assay.study.model import SubjectSpec
from assay.subjects.chat import chat_body
from assay.subjects.parameters import check_parameters, sampling_option, unsaid
from assay.vocabulary import Message, Request, Sampling

REQUEST = Request((Message("user", "hi"),), Sampling(0.2, 1.0, 64), seed=7)


def spec(**changes: Any) -> SubjectSpec:
    return SubjectSpec("openai:m", **changes)


def sent(**parameters: str | None) -> dict[str, Any]:
    body = chat_body("m", REQUEST, spec(parameters=parameters))
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


class TestWhatIsSent:
    def test_is_what_the_study_says_where_nothing_is_declared(self) -> None:
        assert sent() == {"temperature": 0.2, "top_p": 1.0, "max_tokens": 64, "seed": 7}

    def test_leaves_out_what_is_null(self) -> None:
        assert sent(top_p=None, seed=None) == {"temperature": 0.2, "max_tokens": 64}

    def test_goes_by_the_name_that_is_declared(self) -> None:
        found = sent(max_tokens="max_completion_tokens", seed="random_seed")
        assert found == {"temperature": 0.2, "top_p": 1.0, "max_completion_tokens": 64, "random_seed": 7}

    def test_is_what_a_trial_says_of_itself(self) -> None:
        subject = spec(parameters={"temperature": None, "seed": None, "max_tokens": "n"})
        assert subject.sampled(REQUEST.sampling) == Sampling(None, 1.0, 64, "none")
        assert spec().sampled(REQUEST.sampling) is REQUEST.sampling

    def test_is_flagged_where_a_declared_temperature_or_limit_does_not_reach_it(self) -> None:
        assert unsaid(spec(parameters={"top_p": None, "seed": None})) == ()
        found = unsaid(spec(parameters={"temperature": None, "max_tokens": None}))
        assert ["temperature" in found[0], "max_tokens" in found[1]] == [True, True]

    @pytest.mark.parametrize(
        ("parameters", "what"),
        [
            ({"top_k": None}, "unknown parameter 'top_k'; did you mean 'top_p'?"),
            ({"max_token": "n"}, "did you mean 'max_tokens'?"),
            ({"seed": ""}, "seed cannot be sent as ''"),
            ({"seed": "messages"}, "seed cannot be sent as 'messages'"),
            ({"seed": "top_p"}, "two are sent as 'top_p'"),
            ({"seed": "n", "max_tokens": "n"}, "two are sent as 'n'"),
        ],
    )
    def test_has_names_that_can_be_sent(self, parameters: dict[str, str | None], what: str) -> None:
        with pytest.raises(InputError) as caught:
            check_parameters(spec(parameters=parameters))
        assert what in str(caught.value)


class TestAnOption:
    @pytest.mark.parametrize(
        "parameters", [{}, dict.fromkeys(("temperature", "top_p", "max_tokens", "seed"))]
    )
    @pytest.mark.parametrize(
        ("name", "line"),
        [
            ("temperature", "--set temperature="),
            ("Temperature", "--set temperature="),
            ("top_p", "sampling: {top_p: …}"),
            ("max_tokens", "sampling: {max_tokens: …}"),
            ("seed", "sampling: {seed: …}"),
            ("max_completion_tokens", "parameters: {max_tokens: max_completion_tokens}"),
            ("random_seed", "parameters: {seed: random_seed}"),
        ],
    )
    def test_sets_no_parameter_of_the_sampling(
        self, name: str, line: str, parameters: dict[str, str | None]
    ) -> None:
        assert line in (sampling_option(spec(parameters=parameters), name) or "")

    def test_does_not_under_the_name_that_the_subject_gives_it(self) -> None:
        assert sampling_option(spec(parameters={"seed": "dice"}), "dice") is not None

    @pytest.mark.parametrize("name", ["top_k", "reasoning_effort", "stop", "dice"])
    def test_is_free_otherwise(self, name: str) -> None:
        assert sampling_option(spec(), name) is None
