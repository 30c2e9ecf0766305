"""Nothing on the result channel is believed that the harness would not have written."""

from __future__ import annotations

import pytest

from assay.sandbox import Job
from assay.sandbox.frames import Report, read_run

NONCE = "0123456789abcdef"
JOB = Job(source="", entry_point="f", cases=({"args": []}, {"args": []}))
REPORT = Report(stopped="", signal=0, code=0, cpu=0.1, seconds=0.1, nonce=NONCE)
LOADED, DONE = '{"frame":"loaded"}', '{"frame":"done"}'
ONE = '{"frame":"case","index":0,"state":"value","value":1}'
TWO = '{"frame":"case","index":1,"state":"value","value":2}'


def lines(*frames: str) -> bytes:
    return "".join(f"{NONCE} {frame}\n" for frame in frames).encode()


def test_the_whole_sequence_is_a_run() -> None:
    run = read_run(JOB, REPORT, lines(LOADED, ONE, TWO, DONE), b"")
    assert (run.state, [case.value for case in run.cases]) == ("ran", [1, 2])


def test_a_sequence_cut_short_keeps_what_came_before() -> None:
    run = read_run(JOB, REPORT, lines(LOADED, ONE) + NONCE.encode() + b' {"fra', b"")
    assert (run.state, [case.state for case in run.cases]) == ("killed", ["value", "killed"])


@pytest.mark.parametrize(
    "result",
    [
        b"garbage",
        b"\xff\xfe\n",
        b"\n",
        lines(LOADED, TWO, ONE, DONE),
        lines(LOADED, ONE, ONE, TWO, DONE),
        lines(LOADED, ONE, TWO, DONE, DONE),
        lines(LOADED, ONE, DONE),
        lines(ONE, TWO, DONE),
        lines(LOADED, ONE, TWO, '{"frame":"failed"}'),
        lines("{}"),
        lines(LOADED, '{"frame":"case","index":0,"state":"timeout"}'),
        lines(LOADED, '{"frame":"case","index":0,"state":"value","value":1.5}'),
        lines(LOADED, '{"frame":"case","index":0,"state":"value","value":{"set":[[1]]}}'),
        lines(LOADED, '{"frame":"case","index":0,"extra":1}'),
        lines(LOADED, '{"frame":"case","index":0,"value":' + "[" * 100_000 + "]" * 100_000 + "}"),
        lines(LOADED, '{"frame":"case","index":0,"value":"' + "x" * 300_000 + '"}'),
        lines(LOADED) + ONE.encode() + b"\n",
        lines(LOADED, ONE, TWO, DONE) + b"tail",
    ],
)
def test_anything_else_is_a_protocol_error_without_values(result: bytes) -> None:
    run = read_run(JOB, REPORT, result, b"")
    assert run.state == "protocol_error"
    assert [case.state for case in run.cases] == ["not_run", "not_run"]
    assert not run.environment_dependent


def test_a_class_case_needs_one_value_for_each_call() -> None:
    job = Job(source="", entry_point="C", kind="class", cases=({"calls": [{"method": "m"}]},))
    frame = '{"frame":"case","index":0,"state":"value","value":%s}'
    one = '{"value":1}'
    assert read_run(job, REPORT, lines(LOADED, frame % f"[{one}]", DONE), b"").state == "ran"
    for forged in ("[1]", f"[{one},{one}]", "[]", '[{"value":{"odd":1}}]', '[{"values":1}]', "3"):
        assert read_run(job, REPORT, lines(LOADED, frame % forged, DONE), b"").state == "protocol_error"
