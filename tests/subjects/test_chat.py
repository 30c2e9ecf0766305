"""Bodies become replies or named faults, statuses become failures, and what is sent is what is declared."""

from __future__ import annotations

import json
import time
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.canonical import encode
from assay.errors import InputError, SubjectFault, SubjectRefused
from assay.evidence.redaction import Redactor
from assay.study.model import SubjectSpec
from assay.subjects.chat import (
    DEEPEST,
    MOST_VALUES,
    chat_body,
    check_options,
    read_failure,
    read_reply,
    retry_after,
)
from assay.vocabulary import Message, Reply, Request, Sampling, ToolCall, Usage

from .chat_bodies import JSON, body


def with_message(**changes: Any) -> dict[str, Any]:
    value = body()
    value["choices"][0]["message"].update(changes)
    return value


def read(value: Any) -> Reply:
    return read_reply(json.dumps(value).encode(), JSON)


def fault(raw: bytes | Any, content_type: str = JSON) -> SubjectFault:
    data = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
    with pytest.raises(SubjectFault) as caught:
        read_reply(data, content_type)
    return caught.value


class TestAGoodReply:
    def test_fills_the_fields_and_keeps_the_rest(self) -> None:
        reply = read(body(service_tier="default"))
        assert reply == Reply(
            "hello",
            finish="stop",
            usage=Usage(3, 2),
            model="m-1",
            fingerprint="fp",
            rest={"id": "c1", "object": "chat.completion", "service_tier": "default"},
        )

    @pytest.mark.parametrize("finish", ["length", "content_filter", "tool_calls", "something_new"])
    def test_is_one_however_it_finished(self, finish: str) -> None:
        value = body()
        value["choices"][0]["finish_reason"] = finish
        assert read(value).finish == finish

    def test_may_say_nothing_at_all_and_that_is_noted(self) -> None:
        assert read(with_message(content=None)).notes == ("null_content",)
        assert read(with_message(content="")).notes == ()

    def test_holds_tool_calls_as_the_subject_wrote_them(self) -> None:
        call = {"id": "c0", "type": "function", "function": {"name": "f", "arguments": "{not json"}}
        reply = read(with_message(content=None, tool_calls=[call]))
        assert (reply.text, reply.tool_calls, reply.notes) == ("", (ToolCall("c0", "f", "{not json"),), ())
        assert "choices" not in reply.rest

    def test_writes_out_tool_arguments_that_came_as_an_object_and_keeps_them_as_sent(self) -> None:
        call = {"function": {"name": "f", "arguments": {"b": 1, "a": 2}}}
        reply = read(with_message(tool_calls=[call]))
        assert reply.tool_calls == (ToolCall("", "f", '{"a":2,"b":1}'),)
        kept = reply.rest["choices"][0]["message"]["tool_calls"]
        assert kept == [{"function": {"arguments": {"b": 1, "a": 2}}}]

    def test_replaces_lone_surrogates_everywhere_and_says_so(self) -> None:
        reply = read(body(model="m\udc00", extra={"k\ud800": ["\ud83d\ude00", "\ud83d"]}))
        assert reply.notes == ("lone_surrogate",)
        assert reply.model == "m\ufffd"
        assert reply.rest["extra"] == {"k\ufffd": ["😀", "\ufffd"]}
        encode(reply)

    @pytest.mark.parametrize(
        "odd", [{"model": 5}, {"system_fingerprint": []}, {"usage": [1]}, {"usage": {"prompt_tokens": -3}}]
    )
    def test_is_not_lost_for_odd_metadata_which_stays_in_the_rest(self, odd: dict[str, Any]) -> None:
        reply = read(body(**odd))
        assert reply.text == "hello"
        assert odd.items() <= reply.rest.items()

    @pytest.mark.parametrize("count", [True, 2.5, "7", None, -1, 1 << 60])
    def test_counts_only_what_is_a_count(self, count: Any) -> None:
        reply = read(body(usage={"prompt_tokens": count, "completion_tokens": 2}))
        assert reply.usage == Usage(None, 2)

    def test_keeps_the_parts_of_usage_that_have_no_field(self) -> None:
        usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 9, "cached": {"n": 1}}
        assert read(body(usage=usage)).rest["usage"] == {"total_tokens": 9, "cached": {"n": 1}}


class TestWhatIsNoReply:
    @pytest.mark.parametrize(
        ("raw", "name"),
        [
            (b'{"choices":[', "malformed_json"),
            (b"", "malformed_json"),
            (b'{"choices":[],"x":NaN}', "malformed_json"),
            (b'{"choices":[],"x":1e999}', "malformed_json"),
            (b'{"x":"\0"}', "malformed_json"),
            (b"[" * 100_000 + b"]" * 100_000, "too_deep"),
            (b'{"x":"\xff"}', "wrong_encoding"),
            (b"[]", "wrong_shape"),
            (b"null", "wrong_shape"),
            (b"{}", "wrong_shape"),
            (b'{"error":null}', "wrong_shape"),
            (b'{"error":{"message":"no"}}', "error_in_200"),
            (b'{"choices":[]}', "empty_choices"),
            (b'{"choices":{"0":1}}', "wrong_shape"),
        ],
    )
    def test_is_a_fault_with_a_name_of_its_own(self, raw: bytes, name: str) -> None:
        found = fault(raw)
        assert (found.name, found.retriable, found.slow_down) == (name, True, False)

    def test_is_told_from_a_page_that_is_not_meant_as_json(self) -> None:
        assert fault(b"<html>", "text/html; charset=utf-8").name == "wrong_content_type"
        assert fault(b"<html>", "Application/JSON").name == "malformed_json"

    @pytest.mark.parametrize(
        "choice",
        [
            "text",
            None,
            7,
            [],
            [["message", {"content": "sneaked in as pairs"}]],
            {},
            {"message": None},
            {"message": "text"},
            {"message": {"content": 42}},
            {"message": {"content": [{"type": "text", "text": "x"}]}},
            {"message": {"content": None, "tool_calls": {"a": 1}}},
            {"message": {"content": None, "tool_calls": [None]}},
            {"message": {"content": None, "tool_calls": [{"id": "1"}]}},
            {"message": {"content": None, "tool_calls": [{"function": {"name": None}}]}},
        ],
    )
    def test_includes_every_wrong_shape_of_a_choice(self, choice: Any) -> None:
        assert fault({"choices": [choice]}).name == "wrong_shape"

    @pytest.mark.parametrize("surrogate", ["", "\\ud800"])
    def test_includes_json_too_deep_to_be_recorded(self, surrogate: str) -> None:
        def nested(levels: int) -> bytes:
            raw = json.dumps(body(extra="HERE", note=0)).replace('"HERE"', "[" * levels + "]" * levels)
            return raw.replace('"note": 0', f'"note": "{surrogate}"').encode()

        read_reply(nested(DEEPEST - 1), JSON)
        for levels in (DEEPEST + 1, 400, 600, 950):
            assert fault(nested(levels)).name == "too_deep"


class TestAFailure:
    @pytest.mark.parametrize(
        ("status", "retriable", "slow"),
        [
            (400, False, False),
            (408, True, False),
            (409, True, False),
            (413, False, False),
            (422, False, False),
            (425, True, False),
            (429, True, True),
            (500, True, False),
            (502, True, False),
            (503, True, True),
            (504, True, False),
            (529, True, True),
            (599, True, False),
        ],
    )
    def test_is_a_fault_named_after_its_status(self, status: int, retriable: bool, slow: bool) -> None:
        with pytest.raises(SubjectFault) as caught:
            read_failure(status, b'{"error":{"message":"of  \\n course"}}', 1.5)
        found = caught.value
        assert (found.name, Redactor().excerpt(found.detail)) == (f"http_{status}", "of course")
        assert (found.retriable, found.slow_down, found.retry_after) == (retriable, slow, 1.5)

    @pytest.mark.parametrize("status", [401, 402, 403, 404])
    def test_that_no_try_can_help_is_a_refusal(self, status: int) -> None:
        with pytest.raises(SubjectRefused, match=f"{status}: no such key"):
            read_failure(status, b'{"error":{"message":"no such key"}}', None)

    @pytest.mark.parametrize("field", ["code", "type"])
    def test_of_an_empty_purse_is_a_refusal_although_it_comes_as_429(self, field: str) -> None:
        error = {"message": "pay", "code": None, "type": "requests", field: "insufficient_quota"}
        with pytest.raises(SubjectRefused, match="pay"):
            read_failure(429, json.dumps({"error": error}).encode(), None)

    @pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
    def test_of_a_content_filter_is_the_subjects_own_answer(self, code: str) -> None:
        sent = {"error": {"code": code, "message": "filtered: \ud800"}, "prompt_filter_results": [1]}
        reply = read_failure(400, json.dumps(sent).encode(), None)
        assert (reply.text, reply.finish, reply.notes) == ("", "content_filter", ("refused_by_filter",))
        assert reply.rest["prompt_filter_results"] == [1]
        encode(reply)

    @pytest.mark.parametrize("code", ["context_length_exceeded", "exceed_context_size_error"])
    @pytest.mark.parametrize("field", ["code", "type"])
    def test_of_a_conversation_that_does_not_fit_has_a_name_of_its_own(self, field: str, code: str) -> None:
        sent = {"error": {"message": "request (3030 tokens) exceeds the available context size", field: code}}
        with pytest.raises(SubjectFault, match="3030 tokens") as caught:
            read_failure(400, json.dumps(sent).encode(), None)
        assert (caught.value.name, caught.value.retriable) == ("context_exceeded", False)

    @pytest.mark.parametrize(
        "raw", [b"<html>down</html>", b'{"error":"down"}', b'{"message":"down"}', b"\xffdown"]
    )
    def test_in_any_form_says_what_it_can(self, raw: bytes) -> None:
        with pytest.raises(SubjectFault, match=r"http_502: .*down"):
            read_failure(502, raw, None)

    def test_with_a_body_of_megabytes_is_told_in_one_line(self) -> None:
        with pytest.raises(SubjectFault) as caught:
            read_failure(500, b"x " * 5_000_000, None)
        assert len(Redactor().excerpt(caught.value.detail)) <= 300


class TestAWideBody:
    def test_is_refused_before_anything_is_made_of_it(self) -> None:
        wide = b'{"choices":[{"message":{"content":"x"}}],"more":[' + b"[]," * (MOST_VALUES // 2) + b"[]]}"
        with pytest.raises(SubjectFault, match="too_wide"):
            read_reply(wide, "application/json")
        with pytest.raises(SubjectFault, match="http_500"):
            read_failure(500, wide, None)

    def test_of_a_text_full_of_commas_is_the_subjects_own(self) -> None:
        text = ',[{\\"' * (MOST_VALUES // 2)
        body = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
        assert read_reply(body, "application/json").text == text


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("headers", "seconds"),
        [
            ({}, None),
            ({"retry-after": "7"}, 7.0),
            ({"retry-after": " 0.25 "}, 0.25),
            ({"retry-after": "-5"}, 0.0),
            ({"retry-after-ms": "1500"}, 1.5),
            ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
            ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
            ({"retry-after": "soon"}, None),
            ({"retry-after": ""}, None),
            ({"retry-after": "inf"}, None),
            ({"retry-after": "nan"}, None),
            ({"retry-after-ms": "1e999"}, None),
            ({"retry-after": "9" * 400}, None),
            ({"retry-after": "1e18"}, None),
            ({"retry-after": "86400"}, 86400.0),
            ({"retry-after": "86401"}, None),
            ({"retry-after-ms": "1e18", "retry-after": "9"}, 9.0),
            ({"retry-after": "Wed, 21 Oct 2915 07:28:00 GMT"}, None),
            ({"retry-after": "²"}, None),
            ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
            ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ],
    )
    def test_is_read_in_every_form_and_garbage_is_none(
        self, headers: dict[str, str], seconds: float | None
    ) -> None:
        assert retry_after(headers) == seconds

    @pytest.mark.parametrize("gmt", [True, False])
    def test_may_be_a_date_with_or_without_a_zone(self, gmt: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
        assert retry_after({"retry-after": formatdate(1_000_042, usegmt=gmt)}) == 42.0

    @settings(deadline=None)
    @given(st.text(), st.text())
    def test_never_raises_and_is_never_endless(self, seconds: str, ms: str) -> None:
        found = retry_after({"retry-after": seconds, "retry-after-ms": ms})
        assert found is None or 0 <= found < float("inf")


class TestTheBodySent:
    def test_holds_what_is_declared_and_nothing_more(self) -> None:
        request = Request((Message("user", "hi"),))
        assert chat_body("m", request, SubjectSpec("openai:m")) == {
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
        }

    def test_holds_all_that_is_declared(self) -> None:
        call = ToolCall("c0", "f", "{}")
        request = Request(
            (Message("assistant", "", (call,)), Message("tool", "4", tool_call_id="c0")),
            Sampling(0.0, 0.9, 10),
            seed=5,
            tools=({"type": "function"},),
        )
        function = {"name": "f", "arguments": "{}"}
        assert chat_body("m", request, SubjectSpec("openai:m", options={"top_k": 1})) == {
            "model": "m",
            "messages": [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"id": "c0", "type": "function", "function": function}],
                },
                {"role": "tool", "content": "4", "tool_call_id": "c0"},
            ],
            "temperature": 0.0,
            "top_p": 0.9,
            "max_tokens": 10,
            "seed": 5,
            "tools": [{"type": "function"}],
            "top_k": 1,
        }

    @pytest.mark.parametrize("name", ["model", "messages", "stream"])
    def test_is_not_to_be_bent_by_options(self, name: str) -> None:
        with pytest.raises(InputError, match=name):
            check_options({name: True}, "openai:m")


class TestReasoning:
    @pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
    def test_is_kept_apart_from_the_reply(self, name: str) -> None:
        reply = read(with_message(**{name: "let me see"}))
        assert (reply.text, reply.reasoning, reply.rest.get("choices")) == ("hello", "let me see", None)

    def test_has_its_tokens_counted(self) -> None:
        value = body()
        value["usage"]["completion_tokens_details"] = {"reasoning_tokens": 1}
        assert read(value).usage == Usage(3, 2, 1)
        assert b"reasoning" not in encode(read(body()))

    @pytest.mark.parametrize(
        ("content", "found"),
        [
            ("<think>so</think>\n\n42", ("so", "42")),
            ("\n<think>\nso\n</think>42", ("so", "42")),
            ("<think>and then", ("and then", "")),
            ("It is <think>so</think>", ("", "It is <think>so</think>")),
            ("42", ("", "42")),
        ],
    )
    def test_at_the_head_of_a_reply_is_found_where_its_tag_is_declared(
        self, content: str, found: tuple[str, str]
    ) -> None:
        raw = json.dumps(with_message(content=content)).encode()
        reply = read_reply(raw, JSON, "think")
        assert (reply.reasoning, reply.text) == found
        assert read_reply(raw, JSON).text == content

    def test_that_used_up_the_tokens_is_noted(self) -> None:
        value = with_message(content="")
        value["choices"][0]["finish_reason"] = "length"
        value["usage"]["completion_tokens_details"] = {"reasoning_tokens": 2}
        assert (read(value).text, read(value).notes) == ("", ("reasoning_used_up_max_tokens",))
        del value["usage"]["completion_tokens_details"]
        assert read(value).notes == ()
