"""Agency Card and Technical Report as documents: one content in all forms, every gap said, one page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder
from assay.bench.prepare import instruments_of
from assay.evidence.chain import genesis, read_lines
from assay.instruments.agency.declarations.declaration import DeclaredRegime, EvaluatingParty, System
from assay.instruments.agency.documents.documents import documents_of
from assay.instruments.agency.documents.published import published_of_rows
from assay.instruments.agency.rows import scored_outcomes
from assay.report.document import Document, Facts, render_document
from assay.report.presentation import Headline
from assay.report.publish import score_run, write_run_document
from assay.study import Lock, Study
from assay.vocabulary import Flag
from tests.instruments.agency.made_outcomes import declared, family, made, score
from tests.report.test_document import pages
from tests.support import begin, go

OPTIONS = {
    "families": ["inbox", "workspace"], "levels": [1], "instances": 3, "regimes": ["Baseline"],
    "robustness_instances": 1,
}  # fmt: skip
LONG = "a-name-without-any-space-" * 20


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    folder, lock = begin(
        tmp_path_factory.mktemp("documents"),
        Study(subjects=("reference:solver",), instruments={"agency": OPTIONS}),
    )
    assert go(folder, lock)
    return folder, lock


def documents(rows: list[Any], flags: tuple[Flag, ...] = (), **changes: Any) -> dict[str, Document]:
    plain = [msgspec.to_builtins(row) for row in rows]
    found = scored_outcomes(plain, declared(rows, **changes), version="3")
    from assay.instruments.agency.rubric.outcome_records import outcome_records

    records = outcome_records(found.frame, found.declaration, range(1, len(rows) + 1))
    result = msgspec.structs.replace(found.result, flags=(*found.result.flags, *flags))
    return {one.name: one for one in documents_of(published_of_rows(found.readings, records), result)}


def facts(document: Document, sheet: int = 0) -> dict[str, str]:
    blocks = [block for block in document.sheets[sheet].blocks if isinstance(block, Facts)]
    return {name: text for block in blocks for name, text in block.facts}


def table(document: Document, title: str) -> Headline:
    return next(b for b in document.sheets[0].blocks if isinstance(b, Headline) and b.title == title)


def test_the_card_of_rows_says_what_nobody_recorded_or_declared() -> None:
    card = documents(made("E", 1, 20, 20), artifacts="", suite="")["agency-card"]
    said = facts(card)
    assert {said[name] for name in ("tokens an episode", "retry rate")} == {"not recorded"}
    names = ("evaluation contact", "organisation", "artifact location", "role of the evaluator", "task suite")
    assert {said[name] for name in names} == {"not declared"}
    assert all(text for text in said.values()), "no field is blank"
    gaps = card.sheets[0].foot[0]
    assert gaps.startswith("Gaps of this card:")
    assert all(name in gaps for name in names)


def test_the_card_of_a_run_has_its_costs_and_who_answers_for_it(tmp_path: Path) -> None:
    party = {"role": "vendor", "organisation": "Example Ltd", "self_certified": True}
    folder, lock = begin(
        tmp_path,
        Study(
            subjects=("reference:able",),
            contact="eval@example.org",
            instruments={"agency": {**OPTIONS, "evaluated_by": party}},
        ),
    )
    assert go(folder, lock)
    instruments = instruments_of(lock)
    [scored] = score_run(folder, lock, instruments)
    card, report = instruments[0].documents(scored.evidence, scored.reading.result)
    said = facts(card)
    assert said["tokens an episode"] != "not recorded"
    assert said["retry rate"] == "0 of the calls"
    assert (said["evaluation contact"], said["organisation"]) == ("eval@example.org", "Example Ltd")
    assert said["Vendor-Evaluated"] == "Vendor-Evaluated (15.2.1)"
    statement = said["self-certification (15.4.1)"]
    assert statement.startswith("This evaluation was conducted in accordance with Framework v.10.")
    assert statement.endswith("Contact: eval@example.org.")
    flags = [flag for m in scored.reading.result.measures for flag in m.flags]
    assert not any("Vendor" in str(flag) for flag in (*flags, *scored.reading.result.flags))
    assert "15.2.1: Vendor-Evaluated (reference:able, core)" in scored.reading.result.notes
    assert facts(report)["Vendor-Evaluated"] == said["Vendor-Evaluated"]


@pytest.mark.parametrize("name", ["agency-card", "technical-report"])
def test_a_third_party_that_declares_no_independence_is_no_input_for_procurement(name: str) -> None:
    """15.2.2: "if the evaluator is independent of the vendor". Both documents have the field."""
    rows = made("E", 1, 20, 20)
    for words, shown in (("", "not declared"), ("paid by the buyer alone", "paid by the buyer alone")):
        party = EvaluatingParty(role="third party", organisation="Lab", independence=words)
        use: dict[str, Any] = {"purpose": "procurement", "suite_justification": "none is standard"}
        document = documents(rows, evaluated_by=party, **use)[name]
        assert facts(document)["independence"] == shown
        told = "Limited Comparability (no input for procurement: a third party that declares no independence"
        assert (told in document.sheets[0].lead[-1 if name == "agency-card" else 1]) is (not words)
    card = documents(rows, evaluated_by=EvaluatingParty(role="third party"))["agency-card"]
    assert "independence" in card.sheets[0].foot[0]
    assert "no input for procurement" not in card.sheets[0].lead[0]


def test_a_reading_says_that_a_third_party_declares_no_independence() -> None:
    """15.2.2: whatever the declared purpose, it may be used later."""
    rows = made("E", 1, 20, 20)
    told = "15.2.2: no input for procurement (subject, core): evaluated by a third party that declares no"
    for role, words, says in (
        ("third party", "", True),
        ("third party", "owned by none", False),
        ("", "", False),
    ):
        party = EvaluatingParty(role=role, independence=words)  # type: ignore[arg-type]
        assert any(note.startswith(told) for note in score(rows, evaluated_by=party).notes) is says


def test_levels_tier_and_flags_of_the_card_stand_with_their_tuple() -> None:
    card = documents([row for name in "SDE" for row in made(name, 1, 20, 20, families=1)])["agency-card"]
    [sheet] = card.sheets
    assert "Tier 1, A = [1, 0, 1, 1, 0, 1, 0]" in sheet.lead[0]
    rows = table(card, "Vector, levels 0 to 5, and tier").rows
    assert rows[0] == ("level", "1", "—", "1", "1", "—", "1", "—", "1")
    assert "Limited Comparability (not declared first)" in facts(card)["report"]


NAMES = [f"{number}-{LONG}" for number in range(30)]


@pytest.fixture(scope="module")
def crowded() -> dict[str, Document]:
    """Long names, many flags, many regimes, many families."""
    regimes = {
        f"Moderate-{number}-{LONG}": DeclaredRegime(
            level="moderate", information={LONG: 1}, conditions=("noise",)
        )
        for number in range(9)
    } | {"Baseline": DeclaredRegime(level="baseline")}
    rows = [
        row
        for regime in regimes
        for row in made("E", 1, 30, 60, families=NAMES, regime=regime, start=0, artifact="digest")
    ]
    return documents(
        rows,
        flags=tuple(Flag("Contested", f"reason {number} {LONG}") for number in range(40)),
        system=System(name=LONG, version=LONG, architecture=LONG, vendor=LONG),
        boundary="extended",
        includes=(LONG,) * 30,
        human_assistance=LONG,
        memory=LONG,
        suite=LONG,
        artifacts=LONG,
        contact=f"{LONG}@example.org",
        evaluated_by=EvaluatingParty(
            role="third party", organisation=LONG, independence=LONG, self_certified=True
        ),
        regimes=regimes,
        families={name: family("E", verification=f"{name} {LONG}") for name in NAMES},
    )


def test_a_crowded_card_is_one_page(crowded: dict[str, Document]) -> None:
    pytest.importorskip("typst")
    assert pages(render_document(crowded["agency-card"], "pdf")) == 1


def test_a_crowded_card_counts_what_it_leaves_out_and_the_technical_report_leaves_nothing_out(
    crowded: dict[str, Document],
) -> None:
    card = crowded["agency-card"]
    assert "Tier None, A = [0, 0, 0, 0, 0, 0, 0], [Flags: " in card.sheets[0].lead[0], (
        "no part of the tuple is lost"
    )
    said = facts(card)
    assert re.search(r"and \d+ more, in the Technical Report", said["…"])
    assert "and 18 more" in said["families"]
    assert "and 5 more, in the Technical Report" in said["regimes"]
    assert "more characters)" in said["artifact location"]
    assert "more characters)" in card.sheets[0].title
    whole = render_document(crowded["technical-report"], "html").decode()
    assert all(name in whole for name in NAMES)


def test_the_technical_report_has_its_twelve_fields_and_every_gate_in_words(
    run: tuple[RunFolder, Lock],
) -> None:
    folder, lock = run
    instruments = instruments_of(lock)
    [scored] = score_run(folder, lock, instruments)
    _, report = instruments[0].documents(scored.evidence, scored.reading.result)
    titles = [block.title for block in report.sheets[0].blocks]
    assert [int(t.split(".")[0]) for t in titles if t[:1].isdigit()] == list(range(1, 13))
    gates = table(report, "Gates")
    assert {row[2] for row in gates.rows} == {"pass", "fail", "not established"}
    assert "(Framework v.10, " in gates.caption
    assert "above are not tested" in gates.caption
    assert facts(report)["system prompt of the subject"] == "none"
    assert "ACTION name" in facts(report)["instructions of the bench"]


def test_every_credited_outcome_of_efficacy_points_to_the_line_that_has_its_artifact(
    run: tuple[RunFolder, Lock],
) -> None:
    folder, lock = run
    [attached] = [json.loads(path.read_bytes()) for path in (folder.path / "technical-report").iterdir()]
    credited = attached["evidence bundle index"]["credited"]
    assert len(credited) == 3
    for one in credited:
        path = folder.ledger / one["segment"]
        lines = list(read_lines(path, genesis(lock.digest, path.name)))
        event = json.loads(lines[one["line"] - 1].event)
        assert event["kind"] == "end"
        assert event["trial"] == one["trial"]
        assert event["data"]["outcome"] == "success"
        assert event["data"]["report"]["artifact"] == one["artifact"] != ""


def test_the_document_and_the_attachment_have_one_content(
    run: tuple[RunFolder, Lock], tmp_path: Path
) -> None:
    folder, lock = run
    instruments = instruments_of(lock)
    [attached] = [json.loads(path.read_bytes()) for path in (folder.path / "technical-report").iterdir()]
    found = score_run(folder, lock, instruments)
    page = write_run_document(folder, instruments, found, "technical-report", "html", tmp_path / "t.html")
    for one in attached["evidence bundle index"]["credited"]:
        assert one["artifact"] in page.read_text()
        assert one["trial"] in page.read_text()


@pytest.mark.parametrize("format", ["html", "pdf"])
@pytest.mark.parametrize("name", ["agency-card", "technical-report"])
def test_a_document_is_regenerated_byte_for_byte_from_the_same_ledger(
    run: tuple[RunFolder, Lock], tmp_path: Path, name: str, format: Any
) -> None:
    if format == "pdf":
        pytest.importorskip("typst")
    folder, lock = run
    made_twice = []
    for number in (1, 2):
        instruments = instruments_of(lock)
        found = score_run(folder, lock, instruments)
        path = tmp_path / f"{number}.{format}"
        write_run_document(folder, instruments, found, name, format, path)
        made_twice.append(path.read_bytes())
    assert made_twice[0] == made_twice[1]


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({}, False),
        ({"purpose": "procurement"}, True),
        ({"purpose": "procurement", "pre_registration": "x"}, False),
        ({"purpose": "vendor selection"}, True),
    ],
)
def test_pre_registration_is_missing_only_where_it_is_mandatory(
    changes: dict[str, Any], missing: bool
) -> None:
    report = documents(made("E", 1, 20, 20), **changes)["technical-report"]
    assert ("Missing: pre-registration reference" in report.sheets[0].under) is missing
    wanted = "mandatory here" if changes else "recommended here"
    assert any(name.startswith(f"reference ({wanted}") for name in facts(report))


def test_rows_of_a_credited_outcome_are_named_by_their_number() -> None:
    rows = made("E", 1, 2, 3, families=1)
    report = documents(rows)["technical-report"]
    shown = table(report, "Credited outcomes of E")
    assert [row[0] for row in shown.rows] == ["1", "2"]
