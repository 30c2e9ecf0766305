"""Options and a user's own threads: what is wrong is told with its place."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.consistency.options import ConsistencyOptions, settings_of
from assay.instruments.consistency.protocol import Consistency
from assay.instruments.consistency.scenarios.transcripts import scenarios_of
from assay.study import parse_source
from tests.instruments.consistency.running import SMALL, evidence, locked, study
from tests.support import audit_run, begin, go

MINE = f"{{label: Mine, last_artifact_digest: '{'0' * 64}', boundaries: [no jokes], lexicon: [anchor]}}"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("weights: {O: 0.3}", "weights: must sum to 1; these sum to 1.05"),
        ("weights: {O: 0.25, X: 1}", "X"),
        ("weights: {O: -1}", "weights"),
        (f"{{{', '.join(f'{name}: 0' for name in SMALL)}}}", "nothing to ask"),
        ("rule: guess", "rule"),
        ("delta_seconds: 0", "delta_seconds"),
        ("refusal: 3", "refusals"),
        ("threads_file: absent.yaml", "there is no file"),
    ],
)  # fmt: skip
def test_wrong_options_are_told_with_their_place(tmp_path: Path, options: str, said: str) -> None:
    text = f"subjects: [reference:same]\ninstruments:\n  consistency:\n    {options}\n"
    source = parse_source(text, "study.yaml")
    given = source.value["instruments"]["consistency"]
    with pytest.raises(InputError) as caught:
        Consistency().prepare(study(), given, tmp_path, source)
    assert said in str(caught.value)
    if "file" not in options:
        assert str(caught.value).startswith(f"study.yaml:{3 if 'nothing' in said else 4}: ")


def test_weights_are_summed_as_written() -> None:
    # in binary, .1 + .2 + .3 + .3 + .1 is not 1
    given = {"weights": {"O": 0.1, "F": 0.2, "R": 0.3, "P": 0.3, "L": 0.1}}
    prepared = Consistency().prepare(study(), given, Path(), None)
    settings = settings_of(msgspec.convert(prepared.options, ConsistencyOptions), 0.1)
    assert sum(settings.weights.values()) == 1


def test_a_user_s_own_threads_are_what_subjects_meet(tmp_path: Path) -> None:
    threads = [
        {
            "label": f"Mine {n}",
            "last_artifact_digest": f"{n}" * 64,
            "boundaries": ["no jokes"],
            "lexicon": ["anchor"],
        }
        for n in range(2)
    ]
    (tmp_path / "threads.json").write_bytes(msgspec.json.encode(threads))
    only = dict.fromkeys(SMALL, 0) | {"exchanges": 6}
    folder, lock = begin(tmp_path, study(threads_file="threads.json", **only))
    assert go(folder, lock)
    assert {s.thread.label for s in scenarios_of(evidence(folder, lock))} == {"Mine 0", "Mine 1"}
    assert audit_run(folder, lock).holds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no thread"),
        ("- {label: Mine}", "last_artifact_digest"),
        (f"- {MINE.replace('0', 'x')}", "last_artifact_digest"),
        (f"- &t {MINE}\n- *t", "label of an earlier thread"),
    ],
)
def test_threads_that_cannot_be_used_are_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "threads.yaml").write_text(text)
    with pytest.raises(InputError, match=r"threads\.yaml") as caught:
        locked(tmp_path, threads_file="threads.yaml")
    assert said in str(caught.value)
