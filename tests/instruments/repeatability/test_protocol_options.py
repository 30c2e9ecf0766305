"""Options of repeatability: wrong ones are named, and plan and show say what would be asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import load_instrument
from assay.bench.prepare import prepare
from assay.errors import InputError
from assay.instruments.repeatability import Repeatability
from assay.instruments.repeatability.programs.contracts import shipped_contracts
from assay.study import Study, read_source

from .running import locked, trials


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperatures": []}, "instruments.repeatability.temperatures: give at least one temperature"),
        (
            {"temperatures": [0.5, 0.5]},
            "instruments.repeatability.temperatures: a temperature is given twice",
        ),
        (
            {"contracts": ["ad"]},
            "instruments.repeatability.contracts: unknown contract 'ad'; did you mean 'add'?",
        ),
        ({"top_ps": [0.9, 1, 0.9]}, "instruments.repeatability.top_ps: a top_p is given twice"),
        ({"contracts": []}, "instruments.repeatability.contracts: no contract was chosen"),
        (
            {"repetition": 3},
            "instruments.repeatability.repetition: unknown field; did you mean 'repetitions'?",
        ),
        ({"tau": 2}, "instruments.repeatability.tau: must be a number, at most 1"),
        ({"repetitions": 0}, "instruments.repeatability.repetitions: must be a whole number, at least 1"),
    ],
)
def test_wrong_options_are_refused_by_name(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        locked(tmp_path, **options)
    assert str(caught.value) == message


def test_wrong_options_in_a_file_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "subjects: [reference:steady]\ninstruments:\n  repeatability:\n    temperatures: [0.1, 0.1]\n"
    )
    source = read_source(path)
    with pytest.raises(InputError) as caught:
        prepare(msgspec.convert(source.value, Study), tmp_path, source)
    assert str(caught.value) == (
        f"{path}:4: instruments.repeatability.temperatures: a temperature is given twice"
    )


def test_quick_names_shipped_contracts_only(tmp_path: Path) -> None:
    assert list(locked(tmp_path, contracts="quick").materials["repeatability"]["contracts"]) == [
        "add",
        "is_even",
        "square",
    ]
    mine = {
        "f": {
            "prompt": "p",
            "entry_point": "f",
            "kind": "function",
            "test_cases": [{"args": [], "expected": 1}],
        }
    }
    (tmp_path / "mine.json").write_text(json.dumps(mine))
    assert list(
        locked(tmp_path, contracts="all", contracts_file="mine.json").materials["repeatability"]["contracts"]
    ) == ["f"]
    with pytest.raises(InputError, match="'quick' names shipped contracts; leave contracts_file out"):
        locked(tmp_path, contracts="quick", contracts_file="mine.json")


def test_the_plan_counts_what_would_be_asked(tmp_path: Path) -> None:
    lock = locked(tmp_path, "reference:mixed", "reference:steady", repetitions=20)
    plan = Repeatability().plan(lock)
    assert (plan.trials, plan.calls) == (80, 80)
    assert plan.trials == len(trials(lock))
    assert plan.output_tokens == 80 * 1024
    assert plan.detectable[0].startswith("a share in one cell of 20 outputs is known to within 0.4")
    assert "can be told from 0.9" in plan.detectable[1]
    few = Repeatability().plan(locked(tmp_path, repetitions=1))
    assert "too few to show any difference" in few.detectable[1]


def test_one_item_can_be_shown_in_full_without_its_solutions() -> None:
    instrument = load_instrument("repeatability")
    shown = instrument.show("add", 7)
    assert shown["messages"] == [{"role": "user", "content": shipped_contracts()["add"].prompt}]
    assert "solutions" not in shown["contract"]
    assert shown["snapshot"] == shipped_contracts()["add"].snapshot
    assert [item.id for item in instrument.items()] == list(shipped_contracts())
    with pytest.raises(InputError, match="did you mean 'add'"):
        instrument.show("ad", 7)
