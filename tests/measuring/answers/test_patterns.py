"""The patterns are data: each finds the text it should, and not the other."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
import yaml

from assay.measuring.answers.labels import labels_of
from assay.measuring.answers.patterns import specimens

PATTERNS = labels_of(tuple("ABCD")).patterns
DATA = files("assay.measuring.answers") / "data"
WORDS = yaml.safe_load((DATA / "words.yaml").read_text("utf-8"))
WRITTEN = (DATA / "patterns.yaml").read_text("utf-8")


@pytest.mark.parametrize("name", specimens())
def test_a_pattern_accepts_and_refuses_its_specimens(name: str) -> None:
    specimen, pattern = specimens()[name], PATTERNS[name]
    tried = {"anywhere": pattern.search, "at": pattern.match, "line": pattern.fullmatch}[specimen.tried]
    assert tried(specimen.accepts)
    assert not tried(specimen.refuses)


def test_every_group_of_words_is_used() -> None:
    within = "".join(text for group in WORDS.values() for text in group.get("patterns", ()))
    assert [name for name in WORDS if f"{{{name}}}" not in WRITTEN + within] == []


@pytest.mark.parametrize("name", WORDS)
def test_a_group_says_what_it_is_for_and_repeats_no_word(name: str) -> None:
    assert WORDS[name]["about"]
    words = WORDS[name].get("words", [])
    assert len(set(words)) == len(words)
    assert all(re.fullmatch(r"[^\W\d_][\w' /-]*", word) for word in words)
