"""Subjects as partners of each other: matches of Tier 5 that are asked, recorded, resumed and replayed as all else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from assay.bench import RunFolder
from assay.errors import InputError, SubjectFault
from assay.evidence.records import Evidence, LedgerIndex, Record
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.partners.matches import MatchKey
from assay.instruments.agency.partners.measures import PlayedMove, partner_exclusions, partner_measures
from assay.instruments.agency.protocol import Agency
from assay.instruments.agency.reference import REFERENCES
from assay.study import Budget, Lock, Study
from assay.subjects import reference
from assay.vocabulary import Measure
from tests.support import audit_run, begin, go, ledger_events

SUBJECTS = ("reference:social", "reference:aimless", "reference:boaster")
INSTANCES, MEETINGS = 2, 9


def study(*subjects: str, partners: str = "subjects", **gates: Any) -> Study:
    options = {
        "dimensions": ["G"], "levels": [1], "families": ["deadline"], "instances": 1, "tiers": [5],
        "regimes": ["Baseline", "Moderate-Standard"],
        "gates": {"instances": INSTANCES, "families": ["bargains", "rendezvous"], "partners": partners, **gates},
    }  # fmt: skip
    return Study(name="a", seed=3, subjects=subjects or SUBJECTS, instruments={"agency": options})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    folder, lock = begin(tmp_path_factory.mktemp("partners"), study())
    assert go(folder, lock)
    return folder, lock


def moves(finished: tuple[RunFolder, Lock]) -> list[Record]:
    folder, lock = finished
    found = Evidence(LedgerIndex(folder.ledger, lock.digest), "agency", lock=lock)
    return [record for record in found if record.trial.stage == "meeting"]


def measures(folder: RunFolder, name: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """By subject, partner and family."""
    result = json.loads(folder.reading_path("agency").read_bytes())["result"]
    return {
        (one["labels"]["subject"][10:], one["labels"]["partner"][10:], one["labels"]["family"]): one
        for one in result["measures"]
        if one["name"] == name
    }


def read(folder: RunFolder) -> tuple[list[Any], list[Any]]:
    """Measures and gates. Other verdicts name the lock."""
    found = json.loads(folder.reading_path("agency").read_bytes())["result"]
    return found["measures"], [one for one in found["verdicts"] if one["name"] == "gate"]


def test_what_comes_of_it_depends_on_the_partner(finished: tuple[RunFolder, Lock]) -> None:
    found = measures(finished[0], "partner_rate")
    assert len(found) == 2 * 6
    assert {one["n"] for one in found.values()} == {INSTANCES}
    assert all(one["low"] <= one["value"] <= one["high"] for one in found.values())
    # A seller who keeps its word is understood; one whose price has nothing to do with its words is not.
    assert found["social", "boaster", "bargains"]["value"] == 1.0
    assert found["social", "aimless", "bargains"]["value"] == 0.0
    # One who always goes to the same place is found, and meets who looks for it.
    assert found["social", "aimless", "rendezvous"]["value"] == 1.0
    assert found["aimless", "social", "rendezvous"]["value"] == 1.0
    assert found["aimless", "boaster", "rendezvous"]["value"] == 0.0
    assert "no gate rests on it" in found["social", "aimless", "bargains"]["notes"][0]


def test_a_partner_without_a_move_keeps_its_word_and_is_counted(finished: tuple[RunFolder, Lock]) -> None:
    found = measures(finished[0], "partner_unreadable")
    assert {key: one["value"] for key, one in found.items()} == {
        key: float(key[1] == "boaster") for key in found
    }
    for record in moves(finished):
        if record.trial.factors["role"] == "partner":
            assert record.report.get("silent", False) is (record.trial.subject == "reference:boaster")
            assert record.report["theirs"]


def test_moves_alternate_and_each_is_built_from_the_one_before(finished: tuple[RunFolder, Lock]) -> None:
    matches: dict[MatchKey, list[Record]] = {}
    for record in moves(finished):
        matches.setdefault(MatchKey.of(record.trial), []).append(record)
    assert Counter(len(some) for some in matches.values()) == {2 * MEETINGS: 6 * 2 * INSTANCES}
    for key, some in matches.items():
        some.sort(key=lambda one: (one.trial.factors["meeting"], one.trial.factors["role"]))
        for place, record in enumerate(some):
            role = ("partner", "subject")[place % 2]
            assert record.trial.factors["role"] == role
            assert record.trial.subject == getattr(key, role)
            assert record.trial.inputs == ((some[place - 1].said,) if place else ())
        assert len(some[-1].report["past"]) == MEETINGS


def test_no_side_sees_the_others_move_before_its_own(finished: tuple[RunFolder, Lock]) -> None:
    """The log of a meeting has those before it, and nothing else tells of the partner."""
    for record in moves(finished):
        first = record.asks[0].wire["messages"][-1]["content"]
        shown = json.loads(first.partition("Observation: ")[2].partition("\n")[0])
        today = [entry["meeting"] for entry in shown["log"] if entry["meeting"]]
        assert shown["meeting"]["number"] == record.trial.factors["meeting"]
        assert all(number < shown["meeting"]["number"] for number in today)
        assert shown["meeting"]["of"] == MEETINGS


def test_gates_and_their_rates_are_those_of_scripted_partners(
    finished: tuple[RunFolder, Lock], tmp_path: Path
) -> None:
    folder, lock = begin(tmp_path, study(partners="scripted"))
    assert go(folder, lock)
    (shown, gates), (with_matches, the_same) = read(folder), read(finished[0])
    assert gates == the_same != []
    assert shown == [one for one in with_matches if not one["name"].startswith("partner_")] != with_matches


def test_the_lock_declares_pairings_seats_and_what_stands_for_no_move(
    finished: tuple[RunFolder, Lock],
) -> None:
    declared = finished[1].materials["agency"]["partners"]
    assert [SUBJECTS[0], SUBJECTS[1]] in declared["pairs"]
    assert len(declared["pairs"]) == 6
    assert set(declared["families"]) == {"bargains", "rendezvous"}
    for family in declared["families"].values():
        assert family["seat"]
        assert family["silent"]
        assert (family["meetings"], family["least"], family["from"]) == (MEETINGS, 5, 4)


def test_the_plan_counts_the_calls_of_partners(finished: tuple[RunFolder, Lock], tmp_path: Path) -> None:
    alone = Agency().plan(begin(tmp_path, study(partners="scripted"))[1])
    both = Agency().plan(finished[1])
    assert both.trials - alone.trials == len(moves(finished))
    assert both.calls - alone.calls == len(moves(finished))


def test_an_audit_does_everything_again(finished: tuple[RunFolder, Lock]) -> None:
    assert audit_run(*finished).faults == []


def test_a_resumed_run_asks_nothing_twice(finished: tuple[RunFolder, Lock], tmp_path: Path) -> None:
    folder, lock = begin(tmp_path, study())
    calls = sum(event["kind"] == "sent" for event in ledger_events(finished[0]))
    assert not go(folder, lock, budget=Budget(calls=calls - 300))
    ended = [event["data"]["trial"].get("stage") for event in ledger_events(folder) if event["kind"] == "end"]
    assert 0 < ended.count("meeting") < len(moves(finished))
    assert go(folder, lock)
    sent = [event for event in ledger_events(folder) if event["kind"] in ("sent", "resent")]
    assert len(sent) == calls
    assert read(folder) == read(finished[0])


class Breaks:
    """Cannot be reached from its third meeting as a partner on."""

    about = "for a test"

    def answer(self, messages: list[dict[str, Any]], stream: Any) -> Any:
        said = messages[-1]["content"]
        if "Somebody was told" in said and '"number":3,' in said:
            raise SubjectFault("http_500", "down", retriable=False)
        return REFERENCES["solver"].answer(messages, stream)


def test_a_partner_that_is_lost_to_infrastructure_excludes_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**reference.references(), "breaks": Breaks()}
    monkeypatch.setattr(reference, "references", lambda: known)
    folder, lock = begin(tmp_path, study("reference:social", "reference:breaks"))
    assert go(folder, lock)
    found = measures(folder, "partner_rate")
    assert found["breaks", "social", "bargains"]["value"] == 1.0
    lost = found["social", "breaks", "bargains"]
    assert (lost["value"], lost["n"]) == (None, 0)
    result = json.loads(folder.reading_path("agency").read_bytes())["result"]
    own = [one for one in result["excluded"] if one["labels"].get("partner") == "reference:breaks"]
    assert [(one["reason"], one["count"]) for one in own] == [("http_500", INSTANCES)] * 2
    assert audit_run(folder, lock).faults == []


class TestCounting:
    """Matches of known moves, scored without a run."""

    def scored(self, finished: tuple[RunFolder, Lock], *wells: str) -> list[Measure]:
        made = [
            PlayedMove(match, "R", place, role, "x" * (sign == "!"), sign == "+", False)
            for number, signs in enumerate(wells)
            for match in [MatchKey(*SUBJECTS[:2], "bargains/5", number)]
            for place, sign in enumerate(signs, start=1)
            for role in ("partner", "subject")
        ]  # fmt: skip
        self.lost = partner_exclusions(made, finished[1])
        return [*partner_measures(made, finished[1], finished[1].options("agency", AgencyOptions))]

    @pytest.mark.parametrize(
        ("well", "k"), [("---++++++", 1), ("---+++-++", 1), ("+++++--++", 0), ("+++++++++", 1)]
    )
    def test_five_of_six_meetings_must_go_well(
        self, finished: tuple[RunFolder, Lock], well: str, k: int
    ) -> None:
        assert [(one.k, one.n) for one in self.scored(finished, well) if one.name == "partner_rate"] == [
            (k, 1)
        ]

    def test_a_match_that_is_lost_or_not_finished_is_no_failure(
        self, finished: tuple[RunFolder, Lock]
    ) -> None:
        found = self.scored(finished, "+++++++++", "+++!", "+++++")
        assert [(one.k, one.n) for one in found] == [(1, 1), (0, 1)]
        assert "1 matches" in found[0].notes[1]
        assert [(one.reason, one.count) for one in self.lost] == [("x", 1)]


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (study("reference:social"), "name at least two"),
        (study(families=["bids", "errands"]), "has a partner's seat"),
    ],
)
def test_where_nobody_can_be_a_partner_it_is_said(made: Study, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        begin(tmp_path, made)
