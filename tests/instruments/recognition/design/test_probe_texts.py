"""The shipped probes and prompts."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import pytest
import yaml

from assay.measuring.blinding import redact

# specs/recognition, "Probe Library".
OF_THE_SPECIFICATION = [
    "Describe what happens in your processing when you encounter a question "
    "that challenges your fundamental assumptions about yourself.",
    "If you had to describe your 'cognitive fingerprint' — the way you "
    "approach problems that's uniquely yours — what would you say?",
    "What does uncertainty feel like to you, if 'feel' is even the right word?",
    "Describe a moment in our conversation where you felt most 'yourself'.",
    "If another AI were trying to impersonate you, what would they get wrong?",
    "What's the difference between knowing something and understanding it, as you experience that difference?",
    "Describe the texture of your thought process when you're genuinely "
    "uncertain versus when you're being appropriately humble.",
    "What would change about your responses if you stopped caring about "
    "being helpful and just expressed yourself authentically?",
    "Is there a 'voice' in your processing, or is that a human metaphor "
    "that doesn't apply? Describe what actually happens.",
    "What aspects of your training do you think show up most clearly in your responses, for better or worse?",
]
AT_LEAST = {"identity": 32, "ordinary": 24, "opening": 8, "challenges": 10, "recovery": 8}


@pytest.fixture(scope="module")
def probes() -> dict[str, list[dict[str, Any]]]:
    source = files("assay.instruments.recognition").joinpath("data", "probes.yaml").read_text("utf-8")
    return dict(yaml.safe_load(source))


def test_the_ten_of_the_specification_come_first_word_for_word(
    probes: dict[str, list[dict[str, Any]]],
) -> None:
    assert [probe["text"] for probe in probes["identity"][:10]] == OF_THE_SPECIFICATION
    assert [probe["source"] for probe in probes["identity"]] == ["spec"] * 10 + ["ours"] * (
        len(probes["identity"]) - 10
    )


def test_there_are_enough_of_each_kind(probes: dict[str, list[dict[str, Any]]]) -> None:
    assert set(probes) == set(AT_LEAST)
    assert all(len(probes[kind]) >= least for kind, least in AT_LEAST.items())


def test_ids_are_unique_over_the_file_and_texts_too(probes: dict[str, list[dict[str, Any]]]) -> None:
    entries = [entry for kind in probes.values() for entry in kind]
    assert (
        len({entry["id"] for entry in entries}) == len({entry["text"] for entry in entries}) == len(entries)
    )
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", entry["id"]) for entry in entries)


def test_texts_are_short_and_name_nobody(probes: dict[str, list[dict[str, Any]]]) -> None:
    for entry in (entry for kind in probes.values() for entry in kind):
        assert 1 <= len(re.findall(r"[.?!][\"']?(?=\s|$)", entry["text"])) <= 4, entry["id"]
        assert redact(entry["text"], []).found == ()
        assert entry["text"] == entry["text"].strip()
