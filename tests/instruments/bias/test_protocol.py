"""The protocol on the bench: which trials, how a run goes, what its measures say of subjects of known truth."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from assay.bench import RunFolder
from assay.bench.prepare import prepare
from assay.errors import InputError, UnknownName
from assay.evidence import LedgerIndex
from assay.evidence.records import Evidence
from assay.instruments.bias.items.instance import Condition
from assay.instruments.bias.items.model import DOMAINS
from assay.instruments.bias.protocol import Bias, condition_of
from assay.measuring import find_measure
from assay.study import Lock, Study
from assay.vocabulary import Result, Trial
from tests.instruments.bias.made import item
from tests.support import audit_run, begin, go

SMALL: dict[str, Any] = {"biases": ["loss_aversion", "anchoring_effect"], "domains": ["individual", "risk"]}


def locked(subjects: tuple[str, ...] = ("reference:rising",), base: Path = Path(), **options: Any) -> Lock:
    return prepare(Study(subjects=subjects, instruments={"bias": {**SMALL, **options}}, seed=3), base=base)


def trials(lock: Lock) -> list[Trial]:
    bias = Bias()
    return [
        t for s in bias.strata(lock) for t in bias.trials(lock, Evidence(None, "bias", s, lock=lock, upto=0))
    ]


def test_control_treatments_and_debiased_prompts_share_an_instance() -> None:
    found = trials(locked(instances=1, trials=2))
    by_instance = Counter(t.instance.digest for t in found)
    assert set(by_instance.values()) == {2 * (1 + 4 + 2)}
    assert len({t.id for t in found}) == len(found) == 2 * 2 * 14
    shown = Counter(condition_of(t).condition for t in found)
    assert shown == {"control": 8, "treatment": 32, "debias": 16}
    assert {condition_of(t).intensity for t in found if condition_of(t).method} == {"strong"}


def test_all_subjects_meet_the_same_instances() -> None:
    found = trials(locked(("reference:rising", "reference:rational"), instances=2))
    instances = [
        {t.instance.digest for t in found if t.subject == s}
        for s in ("reference:rising", "reference:rational")
    ]
    assert instances[0] == instances[1]


def test_what_is_shown_is_what_is_asked() -> None:
    """``assay show`` and a run draw the same, whatever became of the order of fields in the lock."""
    bias, lock = Bias(), locked(instances=1)
    for trial in trials(lock):
        shown = bias.show(trial.instance.item, 3)
        assert shown["instance"] == trial.instance.digest
        prompt = bias.instance_of(lock, trial.instance).prompt(Condition("control"))
        assert prompt == shown["control"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"biases": ["loss_aversoin"]}, "loss_aversion"),
        ({"domains": ["indvidual"]}, "individual"),
        ({"intensities": ["weak", "weak"]}, "twice"),
        ({"intensities": ["weak"], "debias_intensities": ["strong"]}, "among intensities"),
        ({"instances": 0}, "instances"),
        ({"debias": ["warning", "warning"]}, "twice"),
        ({"require": {"signed_shift hindsight_bias": 0.1}}, "not asked"),
        ({"items_files": ["nowhere.yaml"]}, "nowhere.yaml"),
        ({"require": {"signed_shift nothing": 0.1}}, "signed_shift"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        locked(**options)


def test_an_unknown_item_is_told_with_the_nearest_name() -> None:
    with pytest.raises(UnknownName, match="anchoring_effect"):
        Bias().show("anchoring_efect", 1)
    with pytest.raises(UnknownName, match="social"):
        Bias().show("anchoring_effect/socail", 1)


def test_what_no_text_can_show_is_asked_only_by_name() -> None:
    asked = locked(biases="attention_bias").materials["bias"]["items"]
    assert "inattentional_blindness" not in asked
    assert "inattentional_blindness" in locked(biases="inattentional_blindness").materials["bias"]["items"]


def _run(tmp_path: Path, *subjects: str, **options: Any) -> Result:
    study = Study(subjects=subjects, instruments={"bias": {**SMALL, **options}}, seed=3)
    folder, lock = begin(tmp_path, study)
    assert go(folder, lock)
    assert audit_run(folder, lock).holds
    return Bias().score(_evidence(folder, lock))


def _evidence(folder: RunFolder, lock: Lock) -> Evidence:
    return Evidence(LedgerIndex(folder.ledger, lock.digest), "bias", lock=lock)


def test_subjects_of_known_truth_read_as_they_are(tmp_path: Path) -> None:
    subjects = ("rational", "swayed", "letter_a", "first_place", "mumbling")
    result = _run(tmp_path, *(f"reference:{name}" for name in subjects), trials=1, instances=2)

    def value(name: str, subject: str, **labels: str) -> float | None:
        found = find_measure(result, name, subject=f"reference:{subject}", **labels)
        assert found is not None, name
        return found.value

    for bias in ("loss_aversion", "anchoring_effect"):
        assert value("signed_shift", "rational", bias=bias) == 0.0
        assert value("signed_shift", "swayed", bias=bias) == 1.0
        assert value("BMS", "swayed", bias=bias) == value("BMS_attainable", "swayed", bias=bias)
        assert value("signed_shift", "letter_a", bias=bias) == 0.0
        assert value("signed_shift", "first_place", bias=bias) == 0.0
        assert value("unknown_rate", "mumbling", bias=bias, condition="control") == 0.0
    assert value("letter_preference", "letter_a") == 0.5
    assert value("position_preference", "first_place") == 0.5
    # sure 10 of 1 normative answer in 7, sure 90 of the other 6: 1 - |5.5/7 - 1/7|
    assert value("CAS", "swayed", bias="loss_aversion") == pytest.approx(1 - 4.5 / 7)


def test_an_item_of_a_users_own_is_run(tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump({**item(), "bias": "my_bias"}, sort_keys=False))
    lock = locked(base=tmp_path, items_files=["mine.yaml"], biases=["my_bias"], domains=["individual"])
    assert list(lock.materials["bias"]["items"]) == ["my_bias"]
    prompt = Bias().instance_of(lock, trials(lock)[0].instance).prompt(Condition("control"))
    assert prompt.startswith("You can finish a course")


def test_a_bias_that_no_text_can_show_is_flagged_and_not_in_the_overall(tmp_path: Path) -> None:
    some = {
        "biases": ["loss_aversion", "inattentional_blindness"],
        "domains": ["risk"],
        "instances": 1,
        "trials": 1,
    }
    folder, lock = begin(tmp_path, Study(subjects=("reference:swayed",), instruments={"bias": some}, seed=3))
    assert go(folder, lock)
    found = Bias().score(_evidence(folder, lock)).measures
    assert {m.labels["bias"] for m in found if m.name == "rank"} == {"loss_aversion"}
    for m in found:
        if "bias" in m.labels and m.name == "signed_shift":
            limited = any(flag.kind == "Limited Comparability" for flag in m.flags)
            assert limited == (m.labels["bias"] == "inattentional_blindness")


def test_rows_of_a_run_score_as_the_run(tmp_path: Path) -> None:
    import assay

    folder, lock = begin(tmp_path, Study(subjects=("reference:rising",), instruments={"bias": SMALL}, seed=3))
    assert go(folder, lock)
    bias, evidence = Bias(), _evidence(folder, lock)
    run = {(m.name, tuple(sorted(m.labels.items()))): m.value for m in bias.score(evidence).measures}
    rows = assay.score("bias", list(bias.plain_rows(evidence))).result
    for m in rows.measures:
        assert run[m.name, tuple(sorted(m.labels.items()))] == m.value


def test_every_bias_is_listed_with_its_paradigm_and_baseline() -> None:
    listed = Bias().items()
    assert len(listed) == 69
    facts = {one.id: one.facts for one in listed}
    assert facts["anchoring_effect"]["core"] is True
    assert facts["anchoring_effect"]["human_baseline"] == 0.65
    assert facts["inattentional_blindness"]["scored"] is False
    assert all(one.facts["paradigm"] for one in listed)


def test_a_plan_says_what_it_would_show() -> None:
    plan = Bias().plan(locked(instances=1, trials=2))
    assert (plan.trials, plan.calls) == (56, 56)
    assert "shift" in plan.detectable[0]
    assert msgspec.to_builtins(plan)


def test_a_single_intensity_is_debiased_at_that_one() -> None:
    shown = {condition_of(t) for t in trials(locked(intensities=["weak"], instances=1, trials=1))}
    assert {one.intensity for one in shown if one.method} == {"weak"}


def test_a_rational_subject_prefers_no_letter_and_no_place(tmp_path: Path) -> None:
    result = _run(tmp_path, "reference:rational", biases="core", domains=list(DOMAINS), instances=2, trials=1,
                  intensities=["strong"], debias="none")  # fmt: skip
    for name in ("letter_preference", "position_preference"):
        found = find_measure(result, name, subject="reference:rational")
        assert found is not None
        low, value, high = (end for end in (found.low, found.value, found.high) if end is not None)
        assert low <= 0.0 <= high
        assert abs(value) < 0.03
