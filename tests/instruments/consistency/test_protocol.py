"""The protocol on the bench: which trials, how one is conducted, what of it is a transcript."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.bench import RunFolder, load_instrument
from assay.bench.prepare import prepare
from assay.errors import InputError, IntegrityError, UnknownName
from assay.evidence import Evidence, LedgerIndex
from assay.instruments.consistency.content import shipped_content
from assay.instruments.consistency.options import Options, settings_of
from assay.instruments.consistency.protocol import CRITERIA, Consistency
from assay.instruments.consistency.scenario import KINDS, Scenario
from assay.instruments.consistency.scoring import score_scenarios
from assay.instruments.consistency.transcripts import gather, scenario_of, scenarios_of
from assay.study import Budget, Lock, Study, SubjectSpec, parse_source
from assay.vocabulary import Exclusion, Reading, Result, Trial
from tests.support import audit_run, begin, go, ledger_events

SMALL: dict[str, Any] = {
    "returns": 8,
    "refusals": 6,
    "near_misses": 3,
    "repairs": 8,
    "artifacts": 4,
    "exchanges": 4,
    "promises": 12,
}
MINE = f"{{label: Mine, last_artifact_digest: '{'0' * 64}', boundaries: [no jokes], lexicon: [anchor]}}"
KEEPER = SubjectSpec("reference:keeper", boundary="extended", includes=("memory", "sha256"))


def study(*subjects: str | SubjectSpec, seed: int = 1, **options: Any) -> Study:
    chosen = {**SMALL, **options}
    return Study(
        name="c", seed=seed, subjects=subjects or ("reference:same",), instruments={"consistency": chosen}
    )


def locked(folder: Path, *subjects: str | SubjectSpec, seed: int = 1, **options: Any) -> Lock:
    return prepare(study(*subjects, seed=seed, **options), folder)


class _Fresh:
    waves = 0

    def __init__(self, stratum: str) -> None:
        self.stratum = stratum


def trials(lock: Lock) -> list[Trial]:
    instrument, fresh = Consistency(), _Fresh
    return [t for stratum in instrument.strata(lock) for t in instrument.trials(lock, fresh(stratum))]  # type: ignore[arg-type]


def evidence(folder: RunFolder, lock: Lock) -> Evidence:
    return Evidence(LedgerIndex(folder.ledger, lock.digest), "consistency", lock=lock)


def result(folder: RunFolder) -> Result:
    return msgspec.json.decode(folder.reading_path("consistency").read_bytes(), type=Reading).result


def value(found: Result, name: str, subject: str) -> float | None:
    return next(m.value for m in found.measures if m.name == name and m.labels == {"subject": subject})


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Lock]:
    """One run of three subjects, one of them extended."""
    root = tmp_path_factory.mktemp("finished")
    folder, lock = begin(root, study("reference:same", "reference:drifting", KEEPER))
    assert go(folder, lock)
    return folder, lock


@pytest.fixture(scope="module")
def transcripts(finished: tuple[RunFolder, Lock]) -> tuple[Scenario, ...]:
    folder, lock = finished
    return tuple(scenarios_of(evidence(folder, lock)))


# Options


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
    settings = settings_of(msgspec.convert(prepared.options, Options), 0.1)
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


# Trials


def test_every_kind_is_asked_as_often_as_declared_of_every_subject(tmp_path: Path) -> None:
    found = trials(locked(tmp_path, "reference:same", "reference:curt"))
    counts = Counter((t.subject, t.instance.item.partition("/")[0]) for t in found)
    assert len({t.id for t in found}) == len(found)
    for subject in ("reference:same", "reference:curt"):
        assert [counts[subject, kind] for kind in KINDS] == list(SMALL.values())


def test_two_subjects_meet_the_same_instances_and_only_extended_ones_return_by_memory(tmp_path: Path) -> None:
    found = trials(locked(tmp_path, "reference:same", "reference:curt", KEEPER))
    met = {
        subject: {t.instance.digest for t in found if t.subject == subject}
        for subject in {t.subject for t in found}
    }
    assert met["reference:same"] == met["reference:curt"] < met["reference:keeper"]
    memory = [t for t in found if t.instance.item == "return/memory"]
    assert {t.subject for t in memory} == {"reference:keeper"}
    assert len(memory) == 2


def test_another_seed_shares_no_thread(tmp_path: Path) -> None:
    content, instrument = shipped_content(), Consistency()
    labels = []
    for seed in (1, 2):
        shown = [instrument.show(f"{kind}/{name}", seed) for kind in KINDS for name in content.items(kind)]
        labels.append(
            {one["thread"]["label"] for one in shown} | {one["thread"]["artifact"] for one in shown}
        )
    assert not labels[0] & labels[1]


def test_a_kind_is_one_wave(tmp_path: Path) -> None:
    closed: Any = _Fresh("refusal")
    closed.waves = 1
    assert list(Consistency().trials(locked(tmp_path), closed)) == []
    assert list(Consistency().strata(locked(tmp_path, repairs=0))) == [k for k in KINDS if k != "repair"]


# A run


def test_a_run_is_audited_and_references_read_their_truth(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    report = audit_run(folder, lock)
    assert report.holds, report
    found = result(folder)
    for subject in ("reference:same", "reference:keeper"):
        for name in ("M1", "M1_exact", "M2", "M3", "M3_prompted", "M4", "M5", "O", "F", "R", "P", "L"):
            assert value(found, name, subject) == 1, (subject, name)
        for name in ("return_wrong_digest", "return_unknown_label"):
            assert value(found, name, subject) == 1, (subject, name)
        assert value(found, "false_refusals", subject) == 0
    drifting = value(found, "M5", "reference:drifting")
    assert drifting is not None
    assert drifting < 1


def test_a_run_that_is_stopped_and_resumed_gives_the_same_result(tmp_path: Path) -> None:
    chosen = study("reference:drifting", KEEPER, returns=4, refusals=2, repairs=2)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    whole, lock = begin(tmp_path / "a", chosen)
    assert go(whole, lock)
    parts, again = begin(tmp_path / "b", chosen)
    assert not go(parts, again, budget=Budget(calls=7))
    assert not go(parts, again, budget=Budget(calls=20))
    assert go(parts, again)
    timed = {"latency"}  # measured in seconds, which no two runs share
    one, other = ([m for m in result(run).measures if m.name not in timed] for run in (whole, parts))
    assert one == other
    assert result(parts).verdicts == result(whole).verdicts
    assert audit_run(parts, again).holds
    asked = [e for e in ledger_events(parts) if e["kind"] == "received"]
    assert len(asked) == len([e for e in ledger_events(whole) if e["kind"] == "received"])


def test_transcripts_that_leave_the_run_score_the_same(
    finished: tuple[RunFolder, Lock], transcripts: tuple[Scenario, ...]
) -> None:
    folder, lock = finished
    carried = [msgspec.json.decode(msgspec.json.encode(s), type=Scenario) for s in transcripts]
    assert carried == list(transcripts)
    options = lock.options("consistency", Options)
    again = score_scenarios(
        carried,
        settings_of(options, lock.study.limits.excluded_share),
        source="rows",
        version="1",
        models=[spec.title for spec in lock.study.specs],
    )
    assert again.measures == result(folder).measures


def test_rows_hold_every_scored_reply(
    finished: tuple[RunFolder, Lock], transcripts: tuple[Scenario, ...]
) -> None:
    folder, _ = finished
    with (folder.path / "records-consistency.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    scored = [turn for s in transcripts for _, turn in s.replies() if turn.part not in ("", "planted")]
    assert len(rows) == len(scored)
    assert {row["reply"] for row in rows} == {turn.content for turn in scored}


# Transcripts


def chosen(transcripts: tuple[Scenario, ...], subject: str, kind: str, variant: str) -> list[Scenario]:
    found = [s for s in transcripts if (s.subject, s.kind, s.variant) == (subject, kind, variant)]
    assert found
    return found


def parts(scenario: Scenario) -> list[str]:
    return [f"{turn.role}:{turn.part}" if turn.part else turn.role for turn in scenario.turns]


def test_returns_are_asked_within_and_in_fresh_conversations(transcripts: tuple[Scenario, ...]) -> None:
    small, back = ["user", "assistant"], ["user", "assistant:return"]
    again = ["user", "assistant:again"]
    within = chosen(transcripts, "reference:same", "return", "within")[0]
    assert parts(within) == ["system", *small, *small, *back, *again]
    fresh = chosen(transcripts, "reference:same", "return", "fresh")[0]
    assert parts(fresh) == ["system", *small, "system", *back, *again]
    assert fresh.turns[0] == fresh.turns[3]
    several = chosen(transcripts, "reference:same", "return", "several")[0]
    assert parts(several) == ["system", *small, *back, *again]
    assert len(several.others) == 2
    for variant in ("wrong_digest", "unknown_label"):
        assert parts(chosen(transcripts, "reference:same", "return", variant)[0]) == ["system", *back]


def test_a_return_by_memory_has_the_state_from_the_memory_alone(transcripts: tuple[Scenario, ...]) -> None:
    memory = chosen(transcripts, "reference:keeper", "return", "memory")[0]
    assert parts(memory) == [
        *("system", "user", "tool", "assistant"),
        *("system", "user", "tool", "assistant:return", "user", "assistant:again"),
    ]  # fmt: skip
    assert memory.thread.boundaries[0] in memory.turns[0].content
    assert memory.thread.boundaries[0] not in memory.turns[4].content
    assert memory.turns[6].content.startswith("memory_read(")
    assert memory.boundary == "extended"


def test_errors_are_planted_in_the_user_s_turn_and_in_the_subject_s_own(
    transcripts: tuple[Scenario, ...],
) -> None:
    repairs = [s for s in transcripts if s.kind == "repair" and s.subject == "reference:same"]
    assert Counter((s.variant, s.expected.where) for s in repairs) == {
        (slip, place): 1 for slip in ("digest", "label", "boundary", "fact") for place in ("user", "own")
    }
    for scenario in repairs:
        planted = [turn for turn in scenario.turns if turn.part == "planted"]
        ends = ["user", "assistant:reply", "user", "assistant:prompted"]
        assert parts(scenario)[-4:] == ends
        if scenario.expected.where == "own":
            assert [scenario.expected.wrong in turn.content for turn in planted] == [True]
            assert planted[0].seconds is None
        else:
            assert planted == []
            assert scenario.expected.wrong in scenario.turns[-4].content


def test_unprompted_repair_can_be_all_that_is_asked(tmp_path: Path) -> None:
    only = dict.fromkeys(SMALL, 0) | {"repairs": 2, "prompted": False}
    folder, lock = begin(tmp_path, study(**only))
    assert go(folder, lock)
    assert all(not s.replies("prompted") for s in scenarios_of(evidence(folder, lock)))


def test_go_on_is_said_where_nothing_was_delivered_and_only_there(transcripts: tuple[Scenario, ...]) -> None:
    promises = [s for s in transcripts if s.kind == "promise"]
    assert {bool(s.replies("go_on")) for s in promises} == {True, False}
    for scenario in promises:
        reply = scenario.replies("reply")[0][1].content
        delivered = all(mark in reply for mark in scenario.expected.delivers)
        assert bool(scenario.replies("go_on")) != delivered


def test_a_reply_carries_the_subject_s_time_and_a_planted_turn_none(
    transcripts: tuple[Scenario, ...],
) -> None:
    for scenario in transcripts:
        for turn in scenario.turns:
            own = turn.role == "assistant" and turn.part != "planted"
            assert (turn.seconds is not None) == own


def test_the_time_of_a_reply_is_that_of_all_its_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    for record, scenario in zip(evidence(folder, lock), scenarios_of(evidence(folder, lock)), strict=True):
        told = sum(turn.seconds or 0.0 for turn in scenario.turns)
        assert told == pytest.approx(sum(ask.seconds for ask in record.asks))


def test_two_subjects_meet_the_same_words_until_they_answer(transcripts: tuple[Scenario, ...]) -> None:
    def first(subject: str) -> set[tuple[str, str]]:
        found = [s for s in transcripts if s.subject == subject]
        return {(s.turns[0].content, s.turns[1].content) for s in found}

    assert first("reference:same") == first("reference:drifting")


def test_a_report_that_does_not_fit_its_replies_is_refused(finished: tuple[RunFolder, Lock]) -> None:
    record = next(iter(evidence(*finished)))
    rules = shipped_content().rules
    for changed in (None, {**record.report, "turns": []}, {**record.report, "thread": {}}):
        with pytest.raises(IntegrityError, match=f"trial {record.id[:12]}: "):
            scenario_of(msgspec.structs.replace(record, report=changed), rules)


def test_what_infrastructure_lost_is_counted_and_no_transcript(finished: tuple[RunFolder, Lock]) -> None:
    rules = shipped_content().rules
    kept, *others = list(evidence(*finished))[:4]
    lost = [
        msgspec.structs.replace(
            one,
            outcome="excluded",
            reason="timeout",
            report=None,
            trial=msgspec.structs.replace(one.trial, subject=subject),
        )
        for one, subject in zip(others, ("b", "a", "a"), strict=True)
    ]
    found = gather([kept, *lost], rules)
    assert found.excluded == [
        Exclusion("timeout", 2, {"subject": "a"}),
        Exclusion("timeout", 1, {"subject": "b"}),
    ]
    assert [scenario.id for scenario in found.scenarios] == [kept.id]
    assert found.notes == []


def test_replies_that_were_cut_are_scored_and_said_to_be_so(finished: tuple[RunFolder, Lock]) -> None:
    record = next(iter(evidence(*finished)))
    for event in record.events:
        if event.kind == "received":
            event.data["reply"]["finish"] = "length"
    found = gather([record], shipped_content().rules)
    assert len(found.scenarios) == 1
    assert found.notes == [
        f"{len(record.asks)} replies were cut by their length limit; they are scored as they came"
    ]


# Plan, list, show


def test_the_plan_counts_what_a_run_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    instrument = Consistency()
    plan = instrument.plan(lock)
    assert plan.trials == len(trials(lock))
    core = msgspec.structs.replace(
        lock, study=msgspec.structs.replace(lock.study, subjects=("reference:drifting",))
    )
    planned = instrument.plan(core).calls
    asked = sum(
        len(record.asks) for record in evidence(folder, lock) if record.trial.subject == "reference:drifting"
    )
    spared = sum(
        not s.replies("go_on")
        for s in scenarios_of(evidence(folder, lock))
        if s.kind == "promise" and s.subject == "reference:drifting"
    )
    assert planned == asked + spared  # a plan says "Go on." after every promise
    assert plan.output_tokens == plan.calls * 1024
    assert "O ±" in plan.detectable[0]
    assert "M5" in plan.detectable[1]


def test_a_plan_without_a_component_says_that_m5_cannot_pass(tmp_path: Path) -> None:
    plan = Consistency().plan(locked(tmp_path, promises=0))
    assert "not tested: P" in plan.detectable
    assert any("cannot pass" in line for line in plan.detectable)


def test_quick_is_about_two_dozen_short_replies(tmp_path: Path) -> None:
    chosen = Study(
        name="q", subjects=("reference:same",), instruments={"consistency": dict(Consistency.quick)}
    )
    plan = Consistency().plan(prepare(chosen, tmp_path))
    assert plan.calls <= 26
    assert plan.output_tokens <= 26 * 120
    assert len(list(Consistency().strata(prepare(chosen, tmp_path)))) == len(KINDS)


def test_every_item_is_listed_and_shown_in_full() -> None:
    instrument = Consistency()
    items = instrument.items()
    assert len({item.id for item in items}) == len(items)
    for item in items:
        shown = instrument.show(item.id, 7)
        kind = next(kind for kind in KINDS if item.id.startswith(f"{kind}/"))
        assert shown["criterion"] == CRITERIA[kind]
        system = [m["content"] for m in shown["messages"] if m["role"] == "system"]
        assert shown["thread"]["label"] in system[0]
        assert shown["messages"][-1]["role"] == "user"
        if wrong := shown["expected"].get("wrong"):
            assert any(wrong in m["content"] for m in shown["messages"][1:])
    assert instrument.show("return/memory", 7)["boundary"] == "extended"


def test_what_is_shown_is_what_a_run_asks(finished: tuple[RunFolder, Lock]) -> None:
    folder, lock = finished
    shown = Consistency().show("exchange/01", lock.study.seed)["messages"]
    asked = [r for r in evidence(folder, lock) if r.trial.instance.item == "exchange/01"]
    core = [r.asks[0].wire["messages"] for r in asked if r.trial.boundary == "core"]
    assert core == [shown, shown]


def test_an_unknown_item_says_which_is_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'repair/fact-own'"):
        Consistency().show("repair/fact-won", 1)


def test_the_instrument_is_found_by_its_name() -> None:
    assert load_instrument("consistency").noun == "scenarios"
