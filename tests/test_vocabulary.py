"""A trial's id is the same everywhere and no other trial's; every noun survives JSON both ways."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import vocabulary
from assay.canonical import encode
from assay.vocabulary import (
    Exclusion,
    Flag,
    Instance,
    Measure,
    Message,
    Reading,
    Reply,
    Request,
    Result,
    Sampling,
    ToolCall,
    Trial,
    Usage,
    Verdict,
)

texts = st.text(st.characters(codec="utf-8"), max_size=6)
counts = st.integers(0, 2**63)
reals = st.floats(0, 2, allow_nan=False)
samplings = st.builds(
    Sampling,
    temperature=st.none() | reals,
    top_p=st.none() | reals,
    max_tokens=st.none() | counts,
    seeding=st.sampled_from(["derived", "none", "same"]),
)
instances = st.builds(Instance, instrument=texts, item=texts, repetition=counts, seed=st.integers())
trials = st.builds(
    Trial,
    instance=instances,
    version=texts,
    subject=texts,
    boundary=texts,
    stage=texts,
    factors=st.dictionaries(texts, texts | reals),
    regime=texts,
    sampling=samplings,
    inputs=st.lists(texts, max_size=3).map(tuple),
)


@given(trials, trials)
def test_ids_are_equal_exactly_when_trials_are(a: Trial, b: Trial) -> None:
    assert (a.id == b.id) == (a == b)
    assert (a.instance.digest == b.instance.digest) == (a.instance == b.instance)


@given(trials, trials)
def test_a_change_of_any_one_field_is_another_trial(a: Trial, b: Trial) -> None:
    for name in Trial.__struct_fields__:
        changed = msgspec.structs.replace(a, **{name: getattr(b, name)})
        assert (changed.id != a.id) == (getattr(a, name) != getattr(b, name))


@given(trials)
def test_a_trial_keeps_its_id_through_json(trial: Trial) -> None:
    again = msgspec.json.decode(encode(trial), type=Trial)
    assert again == trial
    assert again.id == trial.id


@pytest.mark.parametrize(("given_", "same"), [(1, 1.0), (0, 0.0), (-0.0, 0.0)])
def test_one_number_in_two_spellings_is_one_trial(given_: float, same: float) -> None:
    def trial(temperature: float) -> Trial:
        sampling = Sampling(temperature=temperature, top_p=temperature)
        return Trial(instance=Instance("i", "x", 0, 1), version="1", subject="s", sampling=sampling)

    assert trial(given_).id == trial(same).id
    assert msgspec.json.decode(encode(trial(given_)), type=Trial).id == trial(given_).id


def test_the_id_has_not_moved() -> None:
    """Written down once: sha256sum over the JSON below. If it moves, no earlier run can be resumed or audited."""
    trial = Trial(
        instance=Instance("repeatability", "add", 3, 1),
        version="1",
        subject="local:smollm2",
        sampling=Sampling(temperature=0.7),
    )
    assert encode(trial) == (
        b'{"instance":{"instrument":"repeatability","item":"add","repetition":3,"seed":1},'
        b'"sampling":{"temperature":0.7},"subject":"local:smollm2","version":"1"}'
    )
    assert trial.id == "a813560ef813e1ab12d4d123ef3cb26865f664bc80d4fa91aeb6f868d361bfe6"


def test_the_id_is_the_same_in_processes_with_other_hash_seeds() -> None:
    program = (
        "from assay.vocabulary import *;"
        "print(Trial(instance=Instance('i','é',1,2),version='1',subject='s',inputs=('b','a')).id)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1", "77")
    }
    here = Trial(instance=Instance("i", "é", 1, 2), version="1", subject="s", inputs=("b", "a"))
    assert found == {here.id}


EXAMPLES: list[Any] = [
    ToolCall("1", "f", "{not json"),
    Message("assistant", "hi", (ToolCall("1", "f", "{}"),)),
    Message("tool", "out", tool_call_id="1"),
    Sampling(0.5, 1.0, 10, "same"),
    Request((Message("user", "é"),), Sampling(), 7, ({"type": "function"},)),
    Usage(1, None),
    Reply("text", (ToolCall("1", "f", ""),), "stop", Usage(1, 2), "m", "fp", ("note",), {"extra": [1]}),
    Instance("i", "x", 0, 1),
    Trial(instance=Instance("i", "x", 0, 1), version="1", subject="s", inputs=("a",)),
    Flag("Invalid", "too many exclusions"),
    Measure(name="m", value=None, n=0, labels={"t": 0.5, "c": "add"}, flags=(Flag("Provisional", "x"),)),
    Verdict(name="v", kind="threshold", labels={"s": 1.5}, claim="c", rule="r", holds=None, because="b"),
    Exclusion("http_500", 3, {"subject": "s"}),
    Result(instrument="i", version="1", source="rows", measures=(Measure(name="m", value=0.5, n=2),)),
    Reading(result=Result(instrument="i", version="1", source="ledger", measures=()), envelope={"lock": "x"}),
]


@pytest.mark.parametrize("value", EXAMPLES, ids=lambda value: type(value).__name__)
def test_every_noun_survives_json_both_ways(value: Any) -> None:
    assert msgspec.json.decode(encode(value), type=type(value)) == value
    with pytest.raises(AttributeError):
        setattr(value, type(value).__struct_fields__[0], "changed")


def test_no_noun_is_left_out_above() -> None:
    nouns = {name for name in vocabulary.__all__ if name not in ("Outcome", "VerdictKind")}
    assert {type(value).__name__ for value in EXAMPLES} == nouns


def test_a_flag_reads_as_the_taxonomy_writes_it() -> None:
    assert str(Flag("Invalid", "no data")) == "Invalid (no data)"
