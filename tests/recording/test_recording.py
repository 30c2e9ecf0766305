"""The present program reads from the recorded inputs what was recorded, and the comparison sees what does not."""

from __future__ import annotations

import copy
import gzip
import json
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .compare import Difference, Reason, differences, main, read_reasons, report
from .record import FOLDER, Input, inputs, read_recording

ONE = Input(id="repeatability/one", instrument="repeatability", file="one.jsonl")
CELL = {"contract": "add", "model": "m", "temperature": 0.0}
READING: dict[str, Any] = {
    "measures": [
        {
            "name": "pass_rate",
            "labels": CELL,
            "value": 0.75,
            "low": 0.4,
            "high": 0.9,
            "n": 8,
            "units": "share",
        },
        {"name": "mu_post", "labels": {**CELL, "level": "ast"}, "value": 0.2, "n": 8, "units": "distance"},
        {"name": "mu_pre", "labels": {**CELL, "level": "ast"}, "n": 0, "low": 0.0, "why_null": ["no canon"]},
    ],
    "verdicts": [{"claim": "a differs", "holds": True}, {"claim": "b differs", "holds": None}],
    "excluded": [{"reason": "timeout", "count": 2, "labels": CELL}],
    "flags": ["Limited Comparability"],
}


def told(new: dict[str, Any], old: dict[str, Any] = READING, **more: Any) -> list[Difference]:
    return list(differences(ONE, old, new, **more))


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    new = copy.deepcopy(READING)
    change(new)
    return new


def test_the_fast_inputs_are_read_as_they_were_recorded() -> None:
    found = report(inputs(fast=True), read_recording(), read_reasons())
    assert not found.unexplained, "\n".join(found.lines)


@pytest.mark.slow
def test_every_input_is_read_as_it_was_recorded() -> None:
    found = report(inputs(), read_recording(), read_reasons())
    assert not found.unexplained, "\n".join(found.lines)


def test_every_input_is_recorded_and_every_file_is_an_inputs() -> None:
    every = inputs()
    assert {one.id for one in every} == set(read_recording()["readings"])
    assert len({one.id for one in every}) == len(every)
    named = {FOLDER / word for one in every for word in (one.file, *one.options) if "/" in word}
    there = {
        path for room in ("agency", "consistency", "repeatability") for path in (FOLDER / room).iterdir()
    }
    assert there <= named


def test_a_recording_that_was_doctored_is_not_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = read_recording()
    measure = recording["readings"]["agency/worked-1-point"]["measures"][1]
    assert (measure["name"], measure["value"]) == ("M", 3)
    measure["value"] = 4
    path = tmp_path / "doctored.json.gz"
    path.write_bytes(gzip.compress(json.dumps(recording).encode()))
    asked = ["--fast", "--only", "agency/worked-1-*"]
    assert main(asked) == 0
    assert "2 inputs compared, 0 differences not explained" in capsys.readouterr().out
    assert main([*asked, "--recording", str(path)]) == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "NOT EXPLAINED" in line]
    assert line.startswith("agency/worked-1-point: measure M [")
    assert "value: 4 → 3" in line


def test_the_same_is_no_difference() -> None:
    assert told(READING) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda r: r["measures"][0].update(value=0.5), ("measure", "pass_rate", "value", 0.75, 0.5)),
        (lambda r: r["measures"][0].update(high=0.91), ("measure", "pass_rate", "high", 0.9, 0.91)),
        (lambda r: r["measures"][0].pop("low"), ("measure", "pass_rate", "low", 0.4, None)),
        (lambda r: r["measures"][0].update(n=9), ("measure", "pass_rate", "n", 8, 9)),
        (lambda r: r["measures"][0].update(flags=["Contested"]), ("measure", "pass_rate", "flags", [], ["Contested"])),
        (lambda r: r["measures"][0].update(k=7), ("measure", "pass_rate", "k/n", 0.75, "7/8")),
        (lambda r: r["measures"].pop(0), ("measure", "pass_rate", "", "0.75 [0.4, 0.9], n 8", None)),
        (lambda r: r["measures"][2].update(why_null=[]), ("measure", "mu_pre", "why_null", ["no canon"], [])),
        (lambda r: r["verdicts"][0].update(holds=False), ("verdict", "a differs", "holds", "holds", "fails")),
        (lambda r: r["verdicts"].pop(1), ("verdict", "b differs", "", "not established", None)),
        (lambda r: r["excluded"][0].update(count=3), ("excluded", "timeout", "count", 2, 3)),
        (lambda r: r["flags"].clear(), ("flags", "of the result", "", ["Limited Comparability"], [])),
    ],
)  # fmt: skip
def test_what_changed_is_told(change: Callable[[dict[str, Any]], object], expected: tuple[Any, ...]) -> None:
    (one,) = told(changed(change))
    assert (one.kind, one.name, one.field, one.old, one.new) == expected


def test_announced_changes_are_no_differences() -> None:
    def announced(reading: dict[str, Any]) -> None:
        for entry in (*reading["measures"], *reading["excluded"]):
            entry["labels"] = {"subject" if k == "model" else k: v for k, v in entry["labels"].items()}
        reading["measures"][0]["k"] = 6
        del reading["measures"][2]["low"]

    assert told(changed(announced)) == []


def test_an_input_that_is_refused_is_a_difference() -> None:
    (one,) = told({"error": "assay: unknown column"})
    assert (one.kind, one.new) == ("error", "assay: unknown column")


def test_claims_in_other_words_are_renamed_only_where_the_same_holds() -> None:
    def reworded(*holds: bool | None) -> dict[str, Any]:
        verdicts = [{"claim": f"claim {i}", "holds": one} for i, one in enumerate(holds)]
        return {**READING, "verdicts": verdicts}

    assert [(d.kind, d.old, d.new) for d in told(reworded(True, None))] == [
        ("renamed", "a differs", "claim 0"),
        ("renamed", "b differs", "claim 1"),
    ]
    for other in ((None, True), (True,), (True, None, None)):
        assert {d.kind for d in told(reworded(*other))} == {"verdict"}


def test_the_words_of_a_nulls_reason_may_change() -> None:
    (one,) = told(changed(lambda r: r["measures"][2].update(why_null=["nothing passes"])))
    assert one.kind == "reworded"


def test_trees_that_another_python_prints_are_not_compared() -> None:
    new = changed(lambda r: [one.update(value=0.3) for one in r["measures"]])
    assert {one.name for one in told(new)} == {"pass_rate", "mu_post", "mu_pre"}
    assert {one.name for one in told(new, printed=False)} == {"pass_rate"}


def test_a_reason_explains_what_it_names_and_nothing_else() -> None:
    (one,) = told(changed(lambda r: r["measures"][1].update(value=0.1)))
    fitting: tuple[dict[str, Any], ...] = (
        {"group": "repair"},
        {"input": "repeatability/*", "name": ("mu_*",), "field": "value"},
        {"labels": {"level": "ast", "temperature": 0.0}},
    )
    assert all(Reason(reason="because", **given).fits(one) for given in fitting)
    others: tuple[dict[str, Any], ...] = (
        {"input": "agency/*"},
        {"name": "mu_pre"},
        {"labels": {"level": "text"}},
        {"kind": "verdict"},
    )
    assert not any(Reason(reason="because", **given).fits(one) for given in others)


def test_the_report_names_the_reason_and_sums_up_what_moved() -> None:
    new = changed(lambda r: r["measures"][1].update(value=0.1))
    recording = {"python": platform.python_version(), "readings": {ONE.id: READING}}
    because = [Reason(reason="other steps", group="repair"), Reason(reason="nothing", name="R_raw")]
    found = report([ONE], recording, because, scored=lambda _: new)
    assert found.unexplained == 0
    assert found.lines == [
        "repeatability/one: measure mu_post [contract=add, level=ast, subject=m, temperature=0.0] value: "
        "0.2 → 0.1  (other steps)",
        "moved: mu_post in 1 cells, 0 up and 1 down, mean 0.2000 → 0.1000",
        "1 explained: other steps",
        "explains nothing here: nothing",
        "1 inputs compared, 0 differences not explained",
    ]
    assert report([ONE], recording, [], scored=lambda _: new).unexplained == 1
