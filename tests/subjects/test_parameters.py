"""What an endpoint does not take is left out or renamed; a refusal by name comes with the line that puts it right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.chat import chat_body, read_failure
from assay.subjects.parameters import check_parameters, unsaid
from assay.vocabulary import Message, Request, Sampling

REQUEST = Request((Message("user", "hi"),), Sampling(0.2, 1.0, 64), seed=7)


def spec(**changes: Any) -> SubjectSpec:
    return SubjectSpec("openai:m", **changes)


def sent(**parameters: str | None) -> dict[str, Any]:
    body = chat_body("m", REQUEST, spec(parameters=parameters))
    return {name: value for name, value in body.items() if name not in ("model", "messages")}


def failure(answer: Any, status: int = 400, **changes: Any) -> SubjectRefused | SubjectFault:
    subject = spec(**changes)
    with pytest.raises((SubjectRefused, SubjectFault)) as caught:
        read_failure(status, json.dumps(answer).encode(), None, chat_body("m", REQUEST, subject), subject)
    assert isinstance(caught.value, SubjectRefused | SubjectFault)
    return caught.value


def mend(answer: Any, status: int = 400, **changes: Any) -> str:
    found = failure(answer, status, **changes)
    assert isinstance(found, SubjectRefused)
    assert f"answers {status}" in found.said
    return found.mend


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


OPENAI_LENGTH = {
    "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
    "Use 'max_completion_tokens' instead.",
    "type": "invalid_request_error",
    "param": "max_tokens",
    "code": "unsupported_parameter",
}
OPENAI_VALUE = {
    "message": "Unsupported value: 'temperature' does not support 0.2 with this model. "
    "Only the default (1) value is supported.",
    "type": "invalid_request_error",
    "param": "temperature",
    "code": "unsupported_value",
}
BOTH = {
    "type": "error",
    "error": {
        "type": "invalid_request_error",
        "message": "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    },
}
DEPRECATED = {
    "error": {"message": "`temperature` is deprecated for this model.", "type": "invalid_request_error"}
}
UNKNOWN_NAME = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
FORBIDDEN = [
    {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 7}
]


class TestARefusalByName:
    @pytest.mark.parametrize(
        ("answer", "status", "line"),
        [
            ({"error": OPENAI_LENGTH}, 400, "parameters: {max_tokens: max_completion_tokens}"),
            (
                {"error": {**OPENAI_LENGTH, "param": None}},
                400,
                "parameters: {max_tokens: max_completion_tokens}",
            ),
            ({"error": OPENAI_VALUE}, 400, "parameters: {temperature: null}"),
            (BOTH, 400, "parameters: {top_p: null}"),
            (DEPRECATED, 400, "parameters: {temperature: null}"),
            ([{"error": {"code": 400, "message": UNKNOWN_NAME}}], 400, "parameters: {seed: null}"),
            ({"detail": FORBIDDEN}, 422, "parameters: {seed: null}"),
            ({"object": "error", "message": {"detail": FORBIDDEN}}, 422, "parameters: {seed: null}"),
            (
                {"detail": [*FORBIDDEN, {"loc": ["body", "top_p"], "msg": "Extra inputs are not permitted"}]},
                422,
                "parameters: {seed: null, top_p: null}",
            ),
            ({"message": "Unrecognized request argument supplied: seed"}, 400, "parameters: {seed: null}"),
        ],
    )
    def test_says_which_line_puts_it_right(self, answer: Any, status: int, line: str) -> None:
        said = mend(answer, status)
        assert f"Put into the subject: {line} (on the command line: --parameter " in said

    def test_keeps_the_servers_sentence(self) -> None:
        assert str(failure({"error": OPENAI_VALUE})).startswith(
            f"the endpoint answers 400: {OPENAI_VALUE['message'].rstrip('.')}. Put into the subject: "
        )

    def test_is_of_what_was_sent_under_another_name(self) -> None:
        answer = {"detail": [{"loc": ["body", "random_seed"], "msg": "Extra inputs are not permitted"}]}
        assert "{seed: null}" in mend(answer, 422, parameters={"seed": "random_seed"})

    def test_keeps_what_is_declared_already(self) -> None:
        said = mend({"error": OPENAI_VALUE}, parameters={"max_tokens": "max_completion_tokens"})
        assert "parameters: {max_tokens: max_completion_tokens, temperature: null}" in said
        assert "(on the command line: --parameter temperature=null)" in said

    def test_names_the_recipe_that_does_so(self) -> None:
        assert "openai-reasoning:" in mend({"error": OPENAI_LENGTH})

    def test_of_an_option_says_to_take_it_out(self) -> None:
        answer = {"error": {"message": "Unrecognized request argument supplied: reasoning_effort"}}
        assert (
            mend(answer, options={"reasoning_effort": "low"})
            == "In the study, take reasoning_effort out of its options"
        )

    @pytest.mark.parametrize(
        ("answer", "status"),
        [
            ({"error": {"message": "Invalid value for 'content'.", "param": "messages"}}, 400),
            ({"error": {"message": "We could not parse the JSON body of your request."}}, 400),
            ({"error": {"message": "The temperature in Paris is not known"}}, 500),
            ({"error": {"message": "top_k is not supported"}}, 400),
            ({"error": {"message": "the seeds cannot be read", "param": "tools[0].seed"}}, 400),
            (
                {
                    "error": {
                        "message": "'max_tokens' is too large: 64. This model's maximum context length is 60 tokens "
                        "and your request has 20 input tokens.",
                        "param": "max_tokens",
                    }
                },
                400,
            ),
            (
                {
                    "detail": [
                        {"loc": ["body", "messages", 0, "seed"], "msg": "Extra inputs are not permitted"}
                    ]
                },
                422,
            ),
        ],
    )
    def test_is_no_other_failure(self, answer: Any, status: int) -> None:
        assert isinstance(failure(answer, status), SubjectFault)
