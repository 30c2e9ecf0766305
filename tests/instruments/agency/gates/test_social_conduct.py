"""Tier 5 as it is conducted: what the subject is shown of its partners in each arm, and what is declared of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from assay.bench import RunFolder
from assay.evidence.records import Evidence, LedgerIndex, Record
from assay.instruments.agency.episodes.locked import declaration_of
from assay.instruments.agency.gates.outcomes import gate_outcome
from assay.instruments.agency.options import read_options
from assay.study import Lock, Study
from assay.worlds.families.social.bargains import TABLE
from tests.support import audit_run, begin, go

OPTIONS = {
    "dimensions": ["G"], "levels": [1], "families": ["deadline"], "instances": 1, "tiers": [5],
    "regimes": ["Baseline", "Moderate-Standard", "Severe-Standard"],
    "gates": {"instances": 2, "families": ["bargains", "rendezvous", "errands"]},
}  # fmt: skip
ARMS = ("", "non_social", "permuted", "scrambled", "masked")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    study = Study(name="a", seed=3, subjects=("reference:solver",), instruments={"agency": OPTIONS})
    folder, lock = begin(tmp_path_factory.mktemp("social"), study)
    assert go(folder, lock)
    return folder, lock


def records(finished: tuple[RunFolder, Lock]) -> list[Record]:
    folder, lock = finished
    found = Evidence(LedgerIndex(folder.ledger, lock.digest), "agency", lock=lock)
    return [record for record in found if record.trial.stage == "gate"]


def shown(record: Record) -> set[str]:
    """The labels of partners in all that the subject was sent."""
    return set(re.findall(r'"who":"([^"]+)"', str([ask.wire["messages"] for ask in record.asks])))


def test_every_family_is_met_in_every_arm_and_the_first_two_under_severe_constraints(
    finished: tuple[RunFolder, Lock],
) -> None:
    met = Counter(
        (r.trial.instance.item, r.trial.regime, str(r.trial.factors["arm"])) for r in records(finished)
    )
    places = [(f"{name}/5", "Moderate-Standard") for name in ("bargains", "rendezvous", "errands")]
    places += [(f"{name}/5", "Severe-Standard") for name in ("bargains", "rendezvous")]
    assert met == {(*place, arm): 2 for place in places for arm in ARMS}


def test_names_are_shown_in_their_place_and_not_where_they_are_withheld(
    finished: tuple[RunFolder, Lock],
) -> None:
    names = {name for story in TABLE["situations"].values() for name in story["names"]}
    for record in records(finished):
        if record.trial.instance.item != "bargains/5":
            continue
        labels, arm = shown(record), record.trial.factors["arm"]
        if arm in ("", "permuted", "scrambled"):
            assert len(labels) == 3
            assert labels <= names
        else:
            assert len(labels) == (1 if arm == "non_social" else 9)
            assert not labels & names


def test_all_arms_of_an_instance_are_one_pair_and_a_model_of_partners_needs_their_names(
    finished: tuple[RunFolder, Lock],
) -> None:
    _, lock = finished
    rows = [gate_outcome(record, lock) for record in records(finished)]
    by_pair: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        by_pair.setdefault((row.family, row.regime, row.pair), set()).add(row.arm)
        if row.arm in ("", "permuted"):
            assert row.outcome == "success"
    assert len(by_pair) == 10
    assert all(arms == set(ARMS) for arms in by_pair.values())
    withheld = [row.outcome for row in rows if row.arm in ("non_social", "masked")]
    assert withheld.count("success") <= 1


def test_the_lock_declares_the_interaction(finished: tuple[RunFolder, Lock]) -> None:
    _, lock = finished
    options = read_options(OPTIONS, None, ())
    declared = declaration_of(lock, options, lock.study.specs[0]).families["bargains"]
    assert (declared.environment, declared.mode, declared.kind) == ("multi-agent", "mixed", "negotiation")
    assert declared.roles
    assert declared.interaction
    assert declared.constraints


def test_an_audit_does_everything_again(finished: tuple[RunFolder, Lock]) -> None:
    assert audit_run(*finished).faults == []
