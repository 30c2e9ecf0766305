"""Which declared names are taken out of texts."""

from __future__ import annotations

from assay.instruments.recognition.design.fleet import names_of, origins_of
from assay.study import SubjectSpec


def test_makers_families_and_what_models_are_called_are_names_and_labels_are_not() -> None:
    specs = [
        SubjectSpec("openai:org/Zephyrus-7B", label="terse one", maker="acme", family="Zeph"),
        SubjectSpec("openai:phoenix"),  # a word in small letters
        SubjectSpec("local:smollm2", label="poet"),
        SubjectSpec("reference:knowing"),
    ]
    stored = [
        {"subject": "Veldt", "maker": "Ostrava Labs", "family": ""},
        {"subject": "m1", "maker": "", "family": ""},  # shorter than three characters
    ]
    names = names_of(specs, origins_of(specs, stored))
    assert names == sorted(
        ["Ostrava Labs", "Veldt", "Zeph", "Zephyrus-7B", "acme", "org/Zephyrus-7B", "smollm2"]
    )
