"""Everything in a study has a default, and a study is a value."""

from __future__ import annotations

import msgspec
import pytest

from assay.canonical import encode
from assay.errors import InputError
from assay.study import Budget, Limits, Price, SamplingDefaults, Study, SubjectSpec, convert


def test_an_empty_study_is_complete() -> None:
    study = convert({}, Study)
    assert study == Study()
    assert (study.seed, study.subjects, study.options, study.stopping) == (1, (), {}, "fixed")
    assert study.sampling == SamplingDefaults(1.0, 1024, "derived")
    assert study.budget == Budget(None, None, None, None)
    assert study.limits == Limits(180.0, 3600.0, 6, 0.1, 25)


def test_a_subject_is_a_word_or_a_mapping() -> None:
    study = convert({"subjects": ["local:smollm2", {"subject": "openai:a:b", "label": "L"}]}, Study)
    first, second = study.specs
    assert (first.kind, first.name, first.title, first.boundary) == (
        "local",
        "smollm2",
        "local:smollm2",
        "core",
    )
    assert (second.kind, second.name, second.title) == ("openai", "a:b", "L")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], {"a": {}, "b": {}}),
        ({"a": None, "b": {"x": 1}}, {"a": {}, "b": {"x": 1}}),
        ({}, {}),
    ],
)
def test_instruments_are_a_list_or_a_mapping_to_options(given: object, expected: object) -> None:
    assert convert({"instruments": given}, Study).options == expected


@pytest.mark.parametrize("wrong", [0, False, "", []])
def test_options_that_are_no_mapping_are_not_taken_for_none(wrong: object) -> None:
    assert convert({"instruments": {"a": wrong}}, Study).options == {"a": wrong}


def test_an_instrument_named_twice_is_refused() -> None:
    with pytest.raises(InputError, match="the instrument 'a' is named twice"):
        convert({"instruments": ["a", "b", "a"]}, Study)


def test_a_study_survives_json_and_cannot_be_changed() -> None:
    spec = SubjectSpec(
        "openai:m", price=Price(1, 2), options={"a": [1]}, includes=("tool",), boundary="extended"
    )
    study = Study(name="é", subjects=("local:a", spec), instruments={"x": {"y": 1.5}}, budget=Budget(calls=3))
    assert msgspec.json.decode(encode(study), type=Study) == study
    for value, field in (
        (study, "seed"),
        (spec, "subject"),
        (study.budget, "calls"),
        (study.limits, "tries"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, field, 1)
