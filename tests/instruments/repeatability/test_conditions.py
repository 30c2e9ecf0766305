"""What is varied for a subject is what reaches it."""

from __future__ import annotations

from pathlib import Path

from assay.bench.prepare import instruments_of, prepare
from assay.evidence.records import Evidence
from assay.study import SamplingDefaults, Study, SubjectSpec
from assay.study.lock import Lock
from assay.vocabulary import Sampling, Trial

FREE = SubjectSpec("openai:a", base_url="http://h/v1")
FIXED = SubjectSpec("openai:b", base_url="http://h/v1", parameters={"temperature": None, "seed": None})


def locked(*subjects: SubjectSpec, sampling: SamplingDefaults = SamplingDefaults()) -> Lock:  # noqa: B008
    options = {"contracts": ["iso_date"], "repetitions": 3, "temperatures": [0.0, 0.7], "top_ps": [0.5, 1.0]}
    study = Study(subjects=subjects, instruments={"repeatability": options}, sampling=sampling)
    return prepare(study, Path())


def trials(lock: Lock) -> list[Trial]:
    evidence = Evidence(None, "repeatability", "iso_date", lock=lock, upto=0)
    return list(instruments_of(lock)[0].trials(lock, evidence))


def test_a_temperature_that_is_never_sent_is_not_swept() -> None:
    lock = locked(FREE, FIXED)
    found = trials(lock)
    assert len(found) == 3 * (4 + 2)
    assert {t.sampling for t in found if t.subject == "openai:b"} == {
        Sampling(None, top_p, 1024, "none") for top_p in (0.5, 1.0)
    }
    assert all("temperature" not in t.factors for t in found if t.subject == "openai:b")
    assert len({trial.id for trial in found}) == len(found)


def test_the_plan_counts_what_is_asked_and_warns() -> None:
    lock = locked(FREE, FIXED)
    instrument = instruments_of(lock)[0]
    assert instrument.plan(lock).trials == len(trials(lock))
    (warning,) = [text for text in instrument.warnings(lock) if "never sent" in text]
    assert warning.startswith("openai:b is never sent a temperature")
    assert not [text for text in instrument.warnings(locked(FREE)) if "never sent" in text]


def test_the_reading_says_that_it_was_not_sent() -> None:
    lock = locked(FREE, FIXED)
    flags = instruments_of(lock)[0].caveats(lock)  # type: ignore[attr-defined]
    assert [flag.kind for flag in flags] == ["Limited Comparability"]
    assert "openai:b is not sent a temperature" in flags[0].cause


def test_a_study_may_leave_out_what_no_subject_takes() -> None:
    lock = locked(FREE, sampling=SamplingDefaults(top_p=None, max_tokens=None, seed=None))
    assert {(t.sampling.max_tokens, t.sampling.seeding) for t in trials(lock)} == {(None, "none")}
    assert instruments_of(lock)[0].plan(lock).output_tokens == 1024 * len(trials(lock))
