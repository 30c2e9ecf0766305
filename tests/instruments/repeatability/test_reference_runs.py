"""References of known truth on the bench read their truth, and canons stay what they are."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.repeatability.cells.canons import canon_bytes
from assay.instruments.repeatability.cells.cell import Canon
from assay.instruments.repeatability.programs.contracts import shipped_programs
from assay.instruments.repeatability.reference import REFERENCES
from assay.streams import Stream
from tests.support import audit_run, begin, go, ledger_events

from .making import canon_of
from .running import conducted, locked, measures, study, values

# References of known truth


def test_steady_reads_one_everywhere(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady", contracts=["add", "bounded_queue"])
    for name in ("R_raw", "R_ast", "R_reply", "pass_rate"):
        assert values(folder, name) == {1.0}
    for level in ("text", "ast"):
        assert values(folder, "R_anchor_pre", level) == {1.0}
        assert values(folder, "P_tau_pre", level) == {1.0}
        assert values(folder, "mu_pre", level) == {0.0}
    assert values(folder, "canon_index") == {0.0}


def test_scattered_never_repeats_and_is_one_program_all_the_same(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "scattered", contracts=["add", "square"])
    assert values(folder, "R_raw") == {0.25}
    assert values(folder, "R_reply") == {0.25}
    assert values(folder, "R_ast") == {1.0}
    assert values(folder, "R_anchor_pre", "text") == {0.25}
    assert values(folder, "R_anchor_pre", "ast") == {1.0}


def test_restyled_is_one_program_in_two_formattings(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "restyled", repetitions=12)
    assert values(folder, "R_anchor_pre", "ast") == {1.0}
    assert values(folder, "mu_pre", "ast") == {0.0}
    assert values(folder, "pass_rate") == {1.0}
    assert all(value is not None and 0.5 <= value < 1 for value in values(folder, "R_raw"))


def test_wrong_has_no_canon(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "wrong", contracts=["add", "square"])
    assert values(folder, "pass_rate") == {0.0}
    assert values(folder, "canon_index") == {None}
    assert values(folder, "R_anchor_pre", "text") == {None}
    assert {m.spec_value for m in measures(folder, "mu_pre", "ast")} == {1.0}
    assert list(folder.path.rglob("canons/*.json")) == []


def test_talker_fails_with_exceptions_and_its_prose_is_scored(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "talker")
    ends = [event["data"] for event in ledger_events(folder) if event["kind"] == "end"]
    assert {(end["outcome"], end["reason"]) for end in ends} == {("failure", "exception")}
    assert values(folder, "R_raw") == {1.0}
    assert values(folder, "canon_index") == {None}


def test_every_reference_answers_every_shipped_contract() -> None:
    for name, policy in REFERENCES.items():
        assert policy.about
        for contract in shipped_programs().values():
            messages = [{"role": "user", "content": contract.prompt}]
            first = [policy.answer(messages, Stream("t", name, i)) for i in range(8)]
            assert first == [policy.answer(messages, Stream("t", name, i)) for i in range(8)]
            assert all(text.startswith("```python\n") for text in first) == (name != "talker")


# Canons in a run


def test_canons_are_kept_by_digest_and_an_older_one_can_be_declared(tmp_path: Path) -> None:
    folder = conducted(tmp_path, "steady")
    stored = sorted(folder.path.rglob("canons/*.json"))
    (canon,) = [msgspec.json.decode(path.read_bytes(), type=Canon) for path in stored]
    assert [path.stem for path in stored] == [canon.digest]
    again, lock = begin(tmp_path, study("reference:scattered", canons_file=str(stored[0].parent)), "declared")
    assert go(again, lock)
    assert values(again, "R_anchor_pre", "ast") == {1.0}
    assert values(again, "R_anchor_pre", "text") == {0.0}
    assert {m.notes for m in measures(again, "canon_index")} == {("the canon was declared",)}
    assert {m.labels["canon"] for m in measures(again, "canon_index")} == {canon.digest}
    assert audit_run(again, lock).holds


def test_a_later_subject_never_changes_an_earlier_ones_canon(tmp_path: Path) -> None:
    """The canon was one mutable file a contract: later models were measured against another's leftover."""
    alone = conducted(tmp_path, "steady")
    both, lock = begin(tmp_path, study("reference:restyled", "reference:steady"), "both")
    assert go(both, lock)
    own = {m.labels["canon"] for m in measures(alone, "canon_index")}
    beside = {
        m.labels["canon"] for m in measures(both, "canon_index") if m.labels["subject"] == "reference:steady"
    }
    assert own == beside


def test_a_declared_canon_of_another_contract_version_is_refused_before_anything_runs(tmp_path: Path) -> None:
    old = canon_of("def add(a, b): return a + b", "0" * 64, "add")
    path = tmp_path / f"{old.digest}.json"
    path.write_bytes(canon_bytes(old))
    with pytest.raises(InputError, match="was made for another version of the contract 'add'"):
        locked(tmp_path, canons_file=path.name)
