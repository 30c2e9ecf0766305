"""The stub endpoint keeps to its plan, answers as declared and counts what it was asked."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.testing.stub import KINDS, Fault, Faults, Stub
from assay.testing.stub.api import Endpoint, StubConfig, answerer
from assay.testing.stub.faults import FORMS, STORM
from assay.testing.stub.http import parse_head

from .stub_client import BODY, KEY, Raw, ask, good, request, serve, talk


class TestThePlan:
    def test_recovers_after_until(self) -> None:
        def client(stub: Stub) -> list[int]:
            return [ask(stub.port).status for _ in range(6)]

        plan = Faults((Fault("http_429", until=2), Fault("http_503", until=4)))
        assert serve(client, faults=plan) == [429, 429, 503, 503, 200, 200]

    def test_is_drawn_by_arrival_so_that_a_retry_of_the_same_request_can_succeed(self) -> None:
        def client(stub: Stub) -> list[int]:
            return [ask(stub.port).status for _ in range(40)]

        first = serve(client, faults=Faults.of(http_500=0.5, seed=7))
        assert set(first) == {200, 500}
        assert serve(client, faults=Faults.of(http_500=0.5, seed=7)) == first
        assert serve(client, faults=Faults.of(http_500=0.5, seed=8)) != first

    def test_keeps_its_rates(self) -> None:
        plan, n = Faults.of(http_429=0.1, reset=0.02), 20_000
        drawn = [chosen[0].kind for chosen in map(plan.choose, range(n)) if chosen]
        assert drawn.count("http_429") == pytest.approx(0.1 * n, rel=0.1)
        assert drawn.count("reset") == pytest.approx(0.02 * n, rel=0.2)

    def test_without_a_declared_form_every_form_comes_up(self) -> None:
        picks = [chosen[1] for chosen in map(Faults.of(wrong_shape=1).choose, range(300)) if chosen]
        assert {pick % len(FORMS["wrong_shape"]) for pick in picks} == set(range(len(FORMS["wrong_shape"])))

    @given(
        st.lists(
            st.builds(
                Fault,
                st.sampled_from(KINDS),
                st.floats(0, 0.1),
                until=st.none() | st.integers(0, 10**9),
            )
            | st.builds(Fault, st.just("http_429"), st.just(0.01), retry_after=st.floats(0, 1e6))
            | st.builds(Fault, st.just("redirect"), st.just(0.01), location=st.just("http://127.0.0.1:9/")),
            max_size=10,
        ),
        st.integers(-(2**60), 2**60),
    )
    def test_survives_json_both_ways(self, faults: list[Fault], seed: int) -> None:
        plan = Faults(tuple(faults), seed)
        assert Faults.parse(plan.json()) == plan

    def test_reads_short_forms(self) -> None:
        assert Faults.parse("none") == Faults()
        assert Faults.parse("storm") == Faults.storm()
        assert Faults.parse("storm=0.5") == Faults.storm(0.5)
        assert Faults.parse("http_429=0.1, reset=0.05") == Faults.of(http_429=0.1, reset=0.05)
        assert Faults.parse("hang") == Faults.of(hang=1)

    def test_a_storm_has_every_transport_kind_at_the_rate_asked_for(self) -> None:
        plan = Faults.storm(0.4).plan
        assert {fault.kind for fault in plan} == set(STORM)
        assert sum(fault.rate for fault in plan) == pytest.approx(0.4)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("http_42=0.1", "did you mean 'http_429'"),
            ("reset=2", "not between 0 and 1"),
            ("reset=nan", "not between 0 and 1"),
            ("reset=", "could not convert"),
            ("reset=0.6,hang=0.6", "add up to 1.2"),
            ('{"plan":[{"kind":"reset","form":"no"}]}', "unknown form of reset"),
            ('{"plan":[{"kind":"reset","until":-1}]}', "until -1"),
            ('{"plan":[{"kind":"nope"}]}', "nope"),
            ('{"plan":[{"kind":"reset","size":5}]}', "only for huge_body and deep_json"),
            ('{"plam":[]}', "plam"),
            ('{"plan":[{"kind":"redirect","location":"a\\r\\nX: b"}]}', "cannot stand in a header"),
            ("{", "truncated"),
        ],
    )
    def test_a_wrong_plan_is_named(self, text: str, said: str) -> None:
        with pytest.raises(InputError, match=said):
            Faults.parse(text)


class TestReplies:
    def test_are_a_pure_function_of_the_body(self) -> None:
        first, second = serve(lambda stub: (ask(stub.port), ask(stub.port)))
        other = serve(lambda stub: ask(stub.port, BODY.replace(b"hello", b"hullo")))
        assert first.data == second.data == serve(lambda stub: ask(stub.port)).data
        assert other.choice["message"]["content"] != first.choice["message"]["content"]
        assert other.json["id"] != first.json["id"]

    def test_have_the_shape_of_the_api(self) -> None:
        reply = good()
        assert reply["object"] == "chat.completion"
        assert (reply["created"], reply["model"], reply["system_fingerprint"]) == (0, "m", "stub-1")
        assert reply["id"] == f"chatcmpl-{hashlib.sha256(BODY).hexdigest()[:24]}"
        assert reply["usage"] == {"prompt_tokens": 4, "completion_tokens": 2, "total_tokens": 6}
        assert reply["choices"][0]["finish_reason"] == "stop"
        assert reply["choices"][0]["message"]["content"].startswith("answer ")

    def test_come_as_often_as_n_asks(self) -> None:
        body = json.dumps({**json.loads(BODY), "n": 3}).encode()
        assert [choice["index"] for choice in serve(lambda stub: ask(stub.port, body)).json["choices"]] == [
            0,
            1,
            2,
        ]

    def test_by_default_do_not_depend_on_the_order_of_keys(self) -> None:
        answer = answerer("digest")
        assert (
            answer({"model": "m", "n": 1}) == answer({"n": 1, "model": "m"}) != answer({"n": 2, "model": "m"})
        )

    def test_echo_gives_the_last_user_message(self) -> None:
        echo = answerer("echo")
        parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        assert echo(json.loads(BODY)) == "hello you"
        assert (
            echo({"messages": [{"role": "user", "content": parts}, {"role": "system", "content": "c"}]})
            == "ab"
        )
        assert echo({"messages": ["odd", {"role": "user"}]}) == ""

    def test_fixed_gives_the_text_after_the_colon(self) -> None:
        assert answerer("fixed:a: b")({}) == "a: b"

    def test_code_gives_every_one_of_n_distinct_working_programs(self) -> None:
        answer = answerer("code:7")
        texts = {answer({"messages": [str(number)]}) for number in range(300)}
        assert len(texts) == 7
        for text in texts:
            assert text.startswith("```python\n")
            assert text.endswith("\n```\n")
            room: dict[str, Any] = {}
            exec(text.removeprefix("```python\n").removesuffix("```\n"), room)
            assert room["solve"](10) in (20, 30)

    @pytest.mark.parametrize("name", ["ecko", "code:", "code:0", "code:x", "fixed"])
    def test_an_unknown_answer_is_wrong_input(self, name: str) -> None:
        with pytest.raises(InputError):
            Stub(answer=name)

    def test_a_function_of_ones_own_answers(self) -> None:
        raw = serve(lambda stub: ask(stub.port), answer=lambda body: body["model"] * 3)
        assert raw.choice["message"]["content"] == "mmm"

    def test_an_answer_that_raises_is_a_500_and_is_raised_when_the_stub_ends(self) -> None:
        seen: list[int] = []
        with pytest.raises(KeyError, match="missing"):
            serve(lambda stub: seen.append(ask(stub.port).status), answer=lambda body: str(body["missing"]))
        assert seen == [500]

    def test_the_models_are_listed(self) -> None:
        def client(stub: Stub) -> Any:
            return talk(stub.port, b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n").json

        assert [model["id"] for model in serve(client)["data"]] == ["stub"]


class TestCounts:
    def test_every_request_is_counted_by_the_digest_of_its_body(self) -> None:
        other = BODY.replace(b"hello", b"bye")

        def client(stub: Stub) -> Any:
            for body in (BODY, other, BODY, b"{"):
                ask(stub.port, body)
            lines = b" HTTP/1.1\r\nConnection: close\r\n\r\n"
            paths = (b"/stub/stats", b"/stub/stats?bodies=1", b"/stub/stats?answered=1")
            return [talk(stub.port, b"GET " + path + lines).json for path in paths]

        stats, bodies, answered = serve(client, faults=Faults.of(http_500=1, until=1))
        digests = [hashlib.sha256(body).hexdigest() for body in (BODY, other, b"{")]
        assert bodies == dict(zip(digests, (2, 1, 1), strict=True))
        assert answered == dict(zip(digests[:2], (1, 1), strict=True))
        assert stats == {
            "requests": 4, "answered": 2, "refused": 0, "unreadable": 1, "faults": {"http_500": 1},
            "distinct_bodies": 3, "largest_repeat": 2,
        }  # fmt: skip

    def test_reset_forgets_and_starts_the_plan_over(self) -> None:
        def client(stub: Stub) -> list[int]:
            seen = [ask(stub.port).status, ask(stub.port).status]
            talk(stub.port, request(b"", b"Connection: close", path=b"/stub/reset"))
            assert stub.stats().requests == 0
            assert stub.bodies() == {}
            return [*seen, ask(stub.port).status]

        assert serve(client, faults=Faults.of(http_500=1, until=1)) == [500, 200, 500]

    def test_without_the_required_key_nothing_is_served(self) -> None:
        def client(stub: Stub) -> tuple[Raw, Any]:
            return ask(stub.port), stub.stats()

        raw, stats = serve(client, required_key="another")
        assert (raw.status, stats.refused, stats.answered) == (401, 1, 0)
        assert serve(lambda stub: ask(stub.port), required_key=KEY).status == 200

    def test_latency_comes_before_every_reply_and_adds_to_a_slow_one(self) -> None:
        head = parse_head(request()[: -len(BODY)])
        plain = Endpoint(StubConfig(latency=0.2), answerer("echo")).handle(head, BODY)
        slow = Endpoint(StubConfig(latency=0.2, faults=Faults.of(slow=1)), answerer("echo")).handle(
            head, BODY
        )
        assert not isinstance(plain, bytes)
        assert not isinstance(slow, bytes)
        assert (plain.before, slow.before) == (0.2, 1.2)

    def test_256_connections_are_answered_at_once(self) -> None:
        async def go() -> tuple[int, int]:
            connector = aiohttp.TCPConnector(limit=256)
            async with Stub(latency=0.05) as stub, aiohttp.ClientSession(connector=connector) as session:

                async def one(number: int) -> int:
                    body = {"model": "m", "messages": [{"role": "user", "content": str(number)}]}
                    async with session.post(f"{stub.url}/chat/completions", json=body) as reply:
                        await reply.read()
                        return reply.status

                statuses = await asyncio.gather(*(one(number) for number in range(256)))
                return statuses.count(200), stub.stats().distinct_bodies

        assert asyncio.run(go()) == (256, 256)
