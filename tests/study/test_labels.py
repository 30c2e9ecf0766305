"""Labels of subjects in studies: what cannot be seen or told apart is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from assay.bench.prepare import prepare, read_study
from assay.errors import InputError
from assay.study.labels import invisible_in

COMPOSED, SPLIT = "caf\u00e9", "cafe\u0301"
UNSEEN = {
    "\x1b": "U+001B (a control character)",
    "\n": "U+000A (a control character)",
    "\u202e": "U+202E (RIGHT-TO-LEFT OVERRIDE)",
    "\u200b": "U+200B (ZERO WIDTH SPACE)",
    "\u00a0": "U+00A0 (NO-BREAK SPACE)",
    "\u2028": "U+2028 (LINE SEPARATOR)",
    "\u3164": "U+3164 (HANGUL FILLER)",
    "\ufe0f": "U+FE0F (VARIATION SELECTOR-16)",
}


def locked(folder: Path, *labels: str) -> list[str]:
    subjects = [{"subject": "reference:mumbler", "label": label} for label in labels]
    path = folder / "study.yaml"
    path.write_text(yaml.safe_dump({"subjects": subjects, "instruments": ["ping"]}), "utf-8")
    study, source = read_study(path)
    return [spec.title for spec in prepare(study, folder, source).study.specs]


@pytest.mark.parametrize("character", UNSEEN)
def test_an_invisible_character_is_refused_and_named(character: str, tmp_path: Path) -> None:
    said = f"character 2 of the label, {UNSEEN[character]}, cannot be seen; leave it out"
    with pytest.raises(InputError) as caught:
        locked(tmp_path, f"a{character}b")
    assert f"subjects[0].label: {said}" in str(caught.value)


def test_labels_that_look_alike_are_one_label(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match="is declared twice in other characters that look the same; give one a"
    ):
        locked(tmp_path, COMPOSED, SPLIT)


@pytest.mark.parametrize("label", ["gpt-4 (May)", COMPOSED, SPLIT, "模型 一", "नमस्ते", "🦜", "<b>"])
def test_ordinary_labels_are_taken_as_they_are(label: str, tmp_path: Path) -> None:
    assert invisible_in(label) == ""
    assert locked(tmp_path, label) == [label]
