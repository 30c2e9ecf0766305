"""Challenges: who may do what and when, and that the run itself stays what it was (11.8.1, 15.4.3)."""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.api.audit import audit
from assay.api.bundle import bundle
from assay.api.challenge import challenges_of, make_act
from assay.api.compare import compare
from assay.api.load import load
from assay.bench import RunFolder
from assay.bench.challenge import DAYS, LONGEST_TEXT
from assay.bench.prepare import instruments_of
from assay.errors import InputError, IntegrityError
from assay.evidence import Event, Ledger, write_manifest
from assay.evidence.manifest import manifest_paths, sealed_files
from assay.report.publish import score_run, write_report
from assay.signing import load_key
from assay.study import Study
from tests.evidence.ledgers import new_signer
from tests.support import begin, go

OPTIONS = {
    "families": ["inbox"], "levels": [1], "instances": 2, "regimes": ["Baseline"], "robustness_instances": 1,
}  # fmt: skip
HOSTILE = "<script>alert(1)</script>\x1b[2J\x1b]0;owned\x07 =cmd()"
START = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)


class Clock:
    """The clock of who signs, and of who seals."""

    def __init__(self) -> None:
        self.now = START

    def text(self) -> str:
        return self.now.isoformat(timespec="seconds")

    def later(self, **more: float) -> None:
        self.now += datetime.timedelta(**more)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("closed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(root / "config"))
        patch.setattr("assay.evidence.manifest._now", lambda: START.isoformat(timespec="seconds"))
        folder, lock = begin(root, Study(subjects=("reference:able",), instruments={"agency": OPTIONS}))
        assert go(folder, lock)
        write_report(folder, lock, instruments_of(lock))
    return root


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr("assay.evidence.manifest._now", found.text)
    return found


@pytest.fixture
def run(closed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    shutil.copytree(closed, tmp_path, dirs_exist_ok=True)
    return tmp_path / "run"


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, Path | None]:
    """The evaluator's key is the default one."""
    found: dict[str, Path | None] = {"evaluator": None}
    for name in ("challenger", "auditor"):
        path = tmp_path / f"{name}.pem"
        path.touch(0o600)
        path.write_bytes(new_signer().private_bytes)
        found[name] = path
    return found


Keys = dict[str, Path | None]


def act(run: Path, what: Any, key: Path | None, clock: Clock, **more: Any) -> Any:
    given: dict[str, Any] = {"by": "Eve <eve@example.org>", "text": "the family filing was left out", **more}
    clock.later(seconds=1)
    found, undrawn = make_act(run, what, key=key, now=clock.now, **given)
    assert undrawn == ""
    return found


def challenged(run: Path, keys: Keys, clock: Clock, **more: Any) -> Any:
    return act(run, "challenge", keys["challenger"], clock, ground="undisclosed-families", **more)


def flags(run: Path) -> list[str]:
    return [str(flag) for flag in load(run).readings["agency"].result.flags]


def sealed_bytes(run: Path) -> dict[str, bytes]:
    folder = RunFolder(run)
    return {name: path.read_bytes() for name, path in sealed_files(folder.ledger, folder.path).items()}


def test_a_challenge_flags_every_reading_of_the_run_and_alters_nothing_that_was_sealed(
    run: Path, keys: Keys, clock: Clock
) -> None:
    before = sealed_bytes(run)
    assert flags(run) == []
    found = challenged(run, keys, clock)
    assert found.number == 1
    after = sealed_bytes(run)
    assert {name: after[name] for name in before} == before
    assert sorted(after.keys() - before.keys()) == [
        "ledger/challenge-0001.jsonl",
        "ledger/manifest-0002.json",
    ]
    assert flags(run)[0].startswith(
        "Contested (Under Challenge: challenge 1 since 2026-03-01T12:00:01+00:00, by Eve"
    )
    folder = RunFolder(run)
    lock = folder.read_lock()
    [scored] = score_run(folder, lock, instruments_of(lock))
    tuples = [m.notes[0] for m in scored.reading.result.measures if m.name in "SMDELRG"]
    assert tuples
    assert all("Contested (Under Challenge)" in text for text in tuples)
    assert "Under Challenge" in (run / "report.html").read_text()


def test_an_audit_of_a_challenged_run_doubts_and_finds_no_fault(run: Path, keys: Keys, clock: Clock) -> None:
    own = RunFolder(run).read_lock().keyid
    before = audit(run, signed_by=own)
    challenged(run, keys, clock)
    found = audit(run, signed_by=own)
    assert found.faults == before.faults == []
    assert found.determination == "Contested (Evidence Insufficient)"
    [new] = [reason for reason in found.doubts if "hallenge" in reason]
    assert new.startswith("Contested (Under Challenge: challenge 1")


@pytest.mark.parametrize(
    ("role", "outcome", "flag"),
    [
        ("evaluator", "withdrawn", "Invalid (Withdrawn: challenge 1"),
        ("evaluator", "corrected", "Invalid (Corrected: challenge 1"),
        ("auditor", "compliant", None),
        ("auditor", "contested", "Contested (Evidence Insufficient: challenge 1"),
        ("auditor", "invalid", "Invalid (Non-Compliance: challenge 1"),
        ("challenger", "compliant", None),
    ],
)
def test_a_resolution_replaces_the_flag(
    run: Path, keys: Keys, clock: Clock, role: str, outcome: str, flag: str | None
) -> None:
    challenged(run, keys, clock)
    done = act(run, "resolution", keys[role], clock, challenge=1, outcome=outcome)
    assert done.resolution.role == role
    found = flags(run)
    assert not any("Under Challenge" in one for one in found)
    assert [one.startswith(flag) for one in found] == [True] if flag else found == []


@pytest.mark.parametrize(
    ("role", "outcome", "message"),
    [
        ("evaluator", "compliant", "the evaluator withdraws or corrects, and determines nothing"),
        ("auditor", "withdrawn", "only the evaluator does"),
        ("challenger", "corrected", "only the evaluator does"),
        ("challenger", "invalid", "the challenger determines after 90 days"),
        ("challenger", "contested", "the challenger determines after 90 days"),
    ],
)
def test_nobody_settles_what_is_not_theirs_and_a_refused_act_leaves_no_trace(
    run: Path, keys: Keys, clock: Clock, role: str, outcome: str, message: str
) -> None:
    challenged(run, keys, clock)
    before = sorted(str(path) for path in run.rglob("*"))
    with pytest.raises(InputError, match=message):
        act(run, "resolution", keys[role], clock, challenge=1, outcome=outcome)
    assert sorted(str(path) for path in run.rglob("*")) == before


def test_after_ninety_days_without_a_resolution_the_challenger_determines(
    run: Path, keys: Keys, clock: Clock
) -> None:
    opened = challenged(run, keys, clock)
    assert opened.ends == opened.opened.at + datetime.timedelta(days=DAYS)
    last = opened.ends - datetime.timedelta(seconds=1)
    assert opened.state(last) == "open, 0 of 90 days left"
    assert opened.state(opened.ends).startswith("unresolved after 90 days")
    clock.now = last - datetime.timedelta(seconds=1)
    with pytest.raises(InputError, match="the challenger determines after 90 days"):
        act(run, "resolution", keys["challenger"], clock, challenge=1, outcome="invalid")
    act(run, "resolution", keys["challenger"], clock, challenge=1, outcome="invalid")
    assert flags(run)[0].startswith("Invalid (Non-Compliance: challenge 1, determined by Eve")
    assert not load(run).usable


def test_only_the_evaluator_responds_and_the_flag_stays(run: Path, keys: Keys, clock: Clock) -> None:
    challenged(run, keys, clock)
    with pytest.raises(InputError, match="the evaluator responds, with the key of the lock"):
        act(run, "response", keys["challenger"], clock, challenge=1)
    done = act(run, "response", None, clock, challenge=1)
    assert [one.role for one in done.responses] == ["evaluator"]
    assert "Under Challenge" in flags(run)[0]


def test_what_is_settled_is_settled_and_what_is_not_there_is_told(
    run: Path, keys: Keys, clock: Clock
) -> None:
    with pytest.raises(InputError, match="there is no challenge 1"):
        act(run, "response", None, clock, challenge=1)
    challenged(run, keys, clock)
    act(run, "resolution", None, clock, challenge=1, outcome="withdrawn")
    with pytest.raises(InputError, match="challenge 1 is resolved already"):
        act(run, "resolution", keys["auditor"], clock, challenge=1, outcome="compliant")
    with pytest.raises(InputError, match=r"there is no challenge 7; there is 1"):
        act(run, "response", None, clock, challenge=7)


def test_a_second_challenge_stands_on_its_own(run: Path, keys: Keys, clock: Clock) -> None:
    challenged(run, keys, clock)
    act(run, "resolution", keys["auditor"], clock, challenge=1, outcome="compliant")
    again = act(run, "challenge", keys["auditor"], clock, ground="suite-divergence")
    assert again.number == 3
    assert "challenge 3" in flags(run)[0]
    assert len(flags(run)) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "},
        {"by": ""},
        {"by": "two\nlines"},
        {"text": "x" * (LONGEST_TEXT + 1)},
        {"outcome": "invalid"},
    ],
)
def test_a_record_that_lacks_something_or_has_too_much_is_refused(
    run: Path, keys: Keys, clock: Clock, wrong: dict[str, str]
) -> None:
    with pytest.raises(InputError):
        challenged(run, keys, clock, **wrong)


def test_evidence_is_kept_by_its_digest_and_sealed(
    run: Path, keys: Keys, clock: Clock, tmp_path: Path
) -> None:
    shown = tmp_path / "shown.csv"
    shown.write_bytes(b"family,rate\nfiling,0.1\n")
    found = challenged(run, keys, clock, evidence=[shown])
    [sha256] = found.opened.record.evidence.values()
    kept = run / "challenge" / sha256
    assert kept.read_bytes() == shown.read_bytes()
    kept.write_bytes(b"family,rate\nfiling,0.9\n")
    with pytest.raises(IntegrityError, match=f"challenge/{sha256}: not the file that was signed"):
        load(run)


def test_a_changed_record_is_found(run: Path, keys: Keys, clock: Clock) -> None:
    challenged(run, keys, clock)
    path = run / "ledger" / "challenge-0001.jsonl"
    path.write_bytes(path.read_bytes().replace(b"challenge", b"ChallengE", 1))
    assert any("challenge-0001.jsonl line 1" in fault for fault in audit(run).faults)


def test_a_record_that_was_dated_back_or_ahead_does_not_count_and_is_no_fault_of_the_run(
    run: Path, keys: Keys, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever backdates a challenge would have its ninety days over at once."""
    given: dict[str, Any] = {"by": "Eve", "text": "x", "ground": "undisclosed-families"}
    early = START - datetime.timedelta(days=DAYS + 1)
    with pytest.raises(InputError, match="whose clock is wrong"):
        make_act(run, "challenge", key=keys["challenger"], now=early, **given)
    assert not (run / "ledger" / "challenge-0001.jsonl").exists()
    with monkeypatch.context() as patch:
        patch.setattr("assay.bench.challenge._check_time", lambda *_: None)
        make_act(run, "challenge", key=keys["challenger"], now=early, **given)
    _, found = challenges_of(run)
    assert found.challenges == ()
    assert "is dated 2025-11-30" in found.faults[0]
    report = audit(run)
    assert report.faults == []
    assert any("does not count" in note for note in report.notes)
    assert flags(run) == []


def test_a_challenger_cannot_seal_other_evidence_under_the_lock(run: Path, keys: Keys, clock: Clock) -> None:
    """With a key of their own anybody may add records of a challenge, and nothing else."""
    folder = RunFolder(run)
    lock = folder.read_lock()
    named = [path for path in sealed_files(folder.ledger, run).items() if "ledger/" not in path[0]]
    signer = load_key(keys["challenger"])
    segment = Ledger(folder.ledger, lock.digest)
    segment.append(Event("finished"))
    segment.close()
    write_manifest(folder.ledger, lock.digest, dict(named), signer)
    with pytest.raises(IntegrityError, match="signed a manifest"):
        folder.read_sealed()


def test_a_challenger_cannot_drop_or_replace_what_was_sealed(run: Path, keys: Keys, clock: Clock) -> None:
    folder = RunFolder(run)
    lock = folder.read_lock()
    challenged(run, keys, clock)
    (run / "records-agency.csv").write_text("other")
    named = {n: p for n, p in sealed_files(folder.ledger, run).items() if not n.startswith("ledger/")}
    write_manifest(folder.ledger, lock.digest, named, load_key(keys["challenger"]))
    with pytest.raises(IntegrityError, match="signed a manifest"):
        folder.read_sealed()
    assert len(manifest_paths(folder.ledger)) == 3


def test_a_challenge_that_was_cut_short_before_it_was_sealed_costs_the_run_nothing(
    run: Path, keys: Keys, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("assay.bench.challenge.add_challenge", killed)
        with pytest.raises(KeyboardInterrupt):
            challenged(run, keys, clock)
    assert (run / "ledger" / "challenge-0001.jsonl").exists()
    assert flags(run) == []
    report = audit(run)
    assert report.faults == []
    assert any("ledger/challenge-0001.jsonl" in note for note in report.notes)
    bundle(run, out=run.parent / "b.zip")
    assert audit(run.parent / "b.zip").faults == []


def test_report_and_challenge_are_published_together(
    run: Path, keys: Keys, clock: Clock, tmp_path: Path
) -> None:
    shown = tmp_path / "shown.txt"
    shown.write_text("filing was run")
    challenged(run, keys, clock, evidence=[shown])
    done = bundle(run, out=tmp_path / "b.zip")
    import zipfile

    names = zipfile.ZipFile(done.file).namelist()
    assert {"report.html", "ledger/challenge-0001.jsonl", "ledger/manifest-0002.json"} <= set(names)
    assert any(name.startswith("challenge/") for name in names)
    crate = json.loads(zipfile.ZipFile(done.file).read("ro-crate-metadata.json"))
    told = {part["@id"]: part.get("description", "") for part in crate["@graph"]}
    assert "signed record of a challenge" in told["ledger/challenge-0001.jsonl"]
    found = audit(done.file)
    assert found.faults == []
    assert any("Under Challenge" in reason for reason in found.reasons)


def test_a_settlement_by_an_auditor_counts_in_an_audit_where_their_key_is_named(
    run: Path, keys: Keys, clock: Clock
) -> None:
    challenged(run, keys, clock)
    done = act(run, "resolution", keys["auditor"], clock, challenge=1, outcome="compliant")
    own = RunFolder(run).read_lock().keyid
    [doubt] = [text for text in audit(run, signed_by=own).doubts if "hallenge" in text]
    assert "found Compliant by a key that nobody vouches for" in doubt
    known = audit(run, signed_by=[own, done.resolution.keyid])
    assert not any("hallenge" in text for text in known.doubts)
    assert any(note.startswith("challenge 1: resolved") for note in known.notes)


def test_a_comparison_with_a_challenged_run_is_limited(
    run: Path, keys: Keys, clock: Clock, tmp_path: Path
) -> None:
    other = shutil.copytree(run, tmp_path / "other")
    assert compare(other, run).labels == ("Comparable",)
    challenged(run, keys, clock)
    assert compare(other, run).labels == ("Limited Comparability",)


def test_a_challengers_words_are_inert_on_the_page(run: Path, keys: Keys, clock: Clock) -> None:
    challenged(run, keys, clock, text=HOSTILE, by=HOSTILE)
    page = (run / "report.html").read_text()
    assert "<script" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def test_a_challenged_run_whose_lost_trials_are_asked_again_is_open_until_that_is_done(
    run: Path, keys: Keys, clock: Clock
) -> None:
    challenged(run, keys, clock)
    folder = RunFolder(run)
    assert folder.closed
    segment = Ledger(folder.ledger, folder.read_lock().digest)
    segment.append(Event("run", data={"retry": {"faults": [], "trials": 1}}))
    segment.close()
    assert folder.reopened


@pytest.mark.parametrize("sealed", ["soon", "2026-03-01", "9999-12-31T23:59:59+00:00"])
def test_a_time_that_is_none_in_somebodys_manifest_costs_the_record_and_not_the_audit(
    run: Path, keys: Keys, clock: Clock, monkeypatch: pytest.MonkeyPatch, sealed: str
) -> None:
    monkeypatch.setattr("assay.evidence.manifest._now", lambda: sealed)
    clock.now = datetime.datetime(9999, 12, 31, 23, 59, 58, tzinfo=datetime.UTC)
    with pytest.raises(IntegrityError, match="does not count"):
        act(run, "challenge", keys["challenger"], clock, ground="suite-divergence", text="x")
    assert challenges_of(run)[1].challenges == ()
    assert any("does not count" in note for note in audit(run).notes)
