"""A refusal by name comes with the line that puts it right; a parameter that is named by chance is not refused."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from assay.errors import SubjectFault, SubjectRefused
from assay.study.model import SubjectSpec
from assay.subjects.chat import chat_body, read_failure
from assay.vocabulary import Message, Request, Sampling

from .openai_calls import GOOD, HERE, opened, raw_server, response

REQUEST = Request((Message("user", "hi"),), Sampling(0.2, 1.0, 64), seed=7)
OPTIONS = {"user": "eval-team", "stop": ["#"], "n": 1, "provider": {}}


def spec(**changes: Any) -> SubjectSpec:
    return SubjectSpec("openai:m", **changes)


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

    @pytest.mark.parametrize(
        "said",
        [
            "Invalid 'messages': content policy. (request parameters: temperature=0.2, top_p=1.0, max_tokens=64)",
            "Invalid content: the last user message cannot contain that phrase.",
            "Your prompt was flagged. Lower the temperature of your language and try again.",
            "Invalid seed phrase in your message",
            "You must be a user of this provider to stop here",
            "The prompt cannot be used: it contains an API key",
        ],
    )
    def test_is_not_read_out_of_words_that_mean_another_thing(self, said: str) -> None:
        assert isinstance(failure({"error": {"message": said}}, options=OPTIONS), SubjectFault)

    @pytest.mark.parametrize(
        "said",
        [
            "This deployment does not accept the sampling knob top_p when served in batch.",
            "top_p must be omitted",
            "Additional properties are not allowed ('top_p' was unexpected)",
            "Unknown parameter: `top_p`",
        ],
    )
    def test_is_read_where_refusing_words_stand_beside_the_name(self, said: str) -> None:
        assert "{top_p: null}" in mend({"error": {"message": said}})

    @pytest.mark.parametrize(
        "said", ["Unknown parameter: 'user'.", "Unrecognized request argument supplied: user"]
    )
    def test_of_an_ordinary_word_is_quoted_or_called_a_parameter(self, said: str) -> None:
        assert mend({"error": {"message": said}}, options=OPTIONS).endswith("take user out of its options")

    @pytest.mark.parametrize(
        ("answer", "line"),
        [
            (
                {"error": {"message": "temperature: Input should be less than or equal to 1"}},
                "Choose temperatures that it takes (on the command line: --set temperature=",
            ),
            (
                {"detail": [{"loc": ["body", "top_p"], "msg": "Input should be less than 1"}]},
                "sampling: {top_p: …}",
            ),
            (
                {
                    "error": {
                        "message": "max_tokens is too large: 64. This model supports at most 32 completion tokens.",
                        "param": "max_tokens",
                        "code": "invalid_value",
                    }
                },
                "sampling: {max_tokens: 32} (on the command line: --max-tokens 32)",
            ),
        ],
    )
    def test_of_a_value_asks_for_another_one(self, answer: Any, line: str) -> None:
        said = mend(answer)
        assert line in said
        assert "null" not in said

    @pytest.mark.parametrize("name", ["model", "messages", "top_p"])
    def test_names_no_parameter_that_could_not_be_sent(self, name: str) -> None:
        said = f"Unsupported parameter: 'max_tokens'. Use '{name}' instead."
        assert "{max_tokens: null}" in mend({"error": {"message": said}})

    @pytest.mark.parametrize(
        "said",
        [
            "registry.ollama.ai/library/gemma:2b does not support tools",
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        ],
    )
    def test_of_tools_names_the_interface_without_them(self, said: str) -> None:
        subject, body = spec(), json.dumps({"error": {"message": said}}).encode()
        with pytest.raises(SubjectRefused) as caught:
            read_failure(400, body, None, {**chat_body("m", REQUEST, subject), "tools": [{}]}, subject)
        assert "--set interface=text" in caught.value.mend
        assert "options" not in caught.value.mend

    @pytest.mark.parametrize("body", [b"A" * 10_000_000, json.dumps({"error": "B" * 10_000_000}).encode()])
    def test_is_looked_for_at_the_beginning_of_an_answer_only(self, body: bytes) -> None:
        subject = spec()
        with pytest.raises(SubjectFault) as caught:
            read_failure(400, body, None, chat_body("m", REQUEST, subject), subject)
        assert len(caught.value.detail) <= 1 << 16
        late = {"error": {"message": f"{'and so on ' * 1000} Unknown parameter: 'top_p'"}}
        assert isinstance(failure(late), SubjectFault)


def answers(*said: str | None, **changes: Any) -> list[str]:
    """What becomes of one call after another: the name of a fault, "refused", or "ok" where nothing was said."""
    waiting = list(said)

    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = waiting.pop(0)
        body = GOOD if words is None else json.dumps({"error": {"message": words}}).encode()
        writer.write(response(body, "Connection: close", status="200 OK" if words is None else "400 Bad"))
        await writer.drain()

    async def go() -> list[str]:
        found = []
        async with raw_server(handle) as url, opened(url, **changes) as subject:
            for number in range(len(said)):
                request = Request(REQUEST.messages, Sampling(0.5 + number, 1.0, 64), seed=number)
                try:
                    await subject.call(subject.wire(request), HERE, 60)
                    found.append("ok")
                except SubjectFault as fault:
                    found.append(fault.name)
                except SubjectRefused:
                    found.append("refused")
        return found

    return asyncio.run(go())


class TestAnEndpointThatHasAnswered:
    @pytest.mark.parametrize(
        "said",
        [
            "Unsupported parameter: 'seed'",
            "Unsupported parameter: 'user'",
            "API key not valid. Please pass a valid API key.",
        ],
    )
    def test_does_not_refuse_what_it_has_taken(self, said: str) -> None:
        assert answers(said, options=OPTIONS) == ["refused"]
        assert answers(None, said, options=OPTIONS) == ["ok", "http_400"]

    def test_can_refuse_a_value_that_it_was_not_sent_before(self) -> None:
        said = "temperature: Input should be less than or equal to 1"
        assert answers(None, said) == ["ok", "refused"]
        assert answers(None, said.replace("temperature", "max_tokens")) == ["ok", "http_400"]
