"""``check_instrument`` passes what keeps the contract, and names each rule that is broken."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from assay_drill import Ping

from assay.bench import Item, Plan, Prepared, Probe
from assay.evidence import Evidence
from assay.measuring.comparison import Observation
from assay.report.presentation import Headline, Presentation
from assay.signing import default_key_path
from assay.study import Lock, Study
from assay.testing import ContractBroken, check_instrument
from assay.vocabulary import Flag, Instance, Measure, Message, Result, Trial

SMALL = {"trials": 3}


def broken(instrument: Any, subject: Any = "reference:mumbler") -> set[str]:
    """The rules that are broken."""
    with pytest.raises(ContractBroken) as caught:
        check_instrument(instrument, subject, options=SMALL, other_process=False)
    return {rule for rule, _ in caught.value.broken}


def test_an_instrument_that_keeps_the_contract_is_told_what_was_checked() -> None:
    report = check_instrument("ping", "reference:mumbler", options=SMALL)
    assert report.what == "the instrument ping"
    assert {"score is pure", "the audit holds", "another process scores the same"} <= set(report.rules)
    assert not report.notes


def test_a_function_can_be_the_subject_and_the_instrument_need_not_be_installed() -> None:
    class Mine(Ping):
        name = "mine"

    asked = []

    def answer(sent: dict[str, Any]) -> str:
        asked.append(sent["messages"][0]["content"])
        return "yes"

    check_instrument(Mine, answer, options=SMALL, other_process=False)
    assert set(asked) == {"Is anybody there? Answer in one word."}


def test_the_users_own_key_is_neither_used_nor_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    check_instrument("ping", "reference:mumbler", options=SMALL, other_process=False)
    assert not default_key_path().exists()


def test_every_broken_rule_is_told() -> None:
    class Bad(Ping):
        def score(self, evidence: Evidence) -> Result:
            result = super().score(evidence)
            return _changed(result, flags=(Flag("Contested", ""),), labels={})

        def plan(self, lock: Lock) -> Plan:
            return Plan(trials=1, calls=1, input_tokens=0, output_tokens=0)

    assert broken(Bad()) == {"flags have a cause", "labels name the subject", "the plan is what is asked"}


def _changed(result: Result, **parts: Any) -> Result:
    """The result with other parts in its measures."""
    measures = tuple(msgspec.structs.replace(measure, **parts) for measure in result.measures)
    return msgspec.structs.replace(result, measures=measures)


class TestDeclaration:
    def test_a_part_is_missing(self) -> None:
        class Bad:
            name, version, title, noun = "bad", "1", "Bad", "bads"

        assert broken(Bad()) == {"it has every part of an instrument"}

    def test_it_has_no_version(self) -> None:
        class Bad(Ping):
            version = ""

        assert broken(Bad()) == {"it names itself"}

    def test_an_option_without_a_default(self) -> None:
        class Bad(Ping):
            def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Any) -> Prepared:
                return Prepared({"trials": options["trials"]}, {})

        assert broken(Bad()) == {
            "options have defaults",
            "unknown options are refused",
            "unknown requirements are refused",
        }

    def test_options_that_are_prepared_to_other_ones(self) -> None:
        class Bad(Ping):
            def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Any) -> Prepared:
                prepared = super().prepare(study, options, base, source)
                return Prepared({"trials": prepared.options["trials"] + 1}, {})

        assert broken(Bad()) == {"options survive json"}

    def test_materials_that_differ(self) -> None:
        numbers = itertools.count()

        class Bad(Ping):
            def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Any) -> Prepared:
                return Prepared(super().prepare(study, options, base, source).options, {"n": next(numbers)})

        assert broken(Bad()) == {"the lock is the same each time"}

    def test_trials_that_differ(self) -> None:
        numbers = itertools.count()

        class Bad(Ping):
            def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
                number = next(numbers)
                for trial in super().trials(lock, evidence):
                    yield msgspec.structs.replace(trial, inputs=(str(number),))

        assert broken(Bad()) == {"trials are the same each time"}

    def test_trials_that_do_not_know_their_subject(self) -> None:
        class Bad(Ping):
            def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
                first = lock.study.specs[0].title
                for trial in super().trials(lock, evidence):
                    yield msgspec.structs.replace(trial, subject=first)

        assert broken(Bad()) == {"trials have ids of their own", "subjects meet the same instances"}

    def test_trials_of_another_version(self) -> None:
        class Bad(Ping):
            def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
                for trial in super().trials(lock, evidence):
                    yield msgspec.structs.replace(trial, version="0")

        assert "trials are the same each time" in broken(Bad())

    def test_subjects_that_meet_different_things(self) -> None:
        class Bad(Ping):
            def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
                for trial in super().trials(lock, evidence):
                    instance = Instance(self.name, trial.subject, trial.instance.repetition, lock.study.seed)
                    yield msgspec.structs.replace(trial, instance=instance)

        assert broken(Bad()) == {"subjects meet the same instances"}

    def test_an_item_that_is_shown_in_two_ways(self) -> None:
        numbers = itertools.count()

        class Bad(Ping):
            def show(self, item: str, seed: int) -> dict[str, Any]:
                return {"n": next(numbers)}

        assert broken(Bad()) == {"items can be listed and shown"}

    def test_two_items_of_one_name(self) -> None:
        class Bad(Ping):
            def items(self) -> list[Item]:
                return [Item("a", ""), Item("a", "")]

        assert broken(Bad()) == {"items can be listed and shown"}


class TestRuns:
    def test_conduct_that_raises_at_what_nobody_hopes_for(self) -> None:
        class Bad(Ping):
            async def conduct(self, trial: Trial, probe: Probe) -> None:
                reply = await probe.ask((Message("user", f"Trial {trial.id}: a number?"),))
                probe.conclude("success" if int(reply.text.split()[0]) else "failure")

        assert "runs come to a result" in broken(Bad())

    def test_conduct_that_remembers_other_trials(self) -> None:
        numbers = itertools.count()

        class Bad(Ping):
            async def conduct(self, trial: Trial, probe: Probe) -> None:
                await probe.ask((Message("user", f"Question {next(numbers)}?"),))
                probe.conclude("success")

        assert "the audit holds" in broken(Bad())

    def test_a_score_that_raises_where_there_is_no_data(self) -> None:
        class Bad(Ping):
            def score(self, evidence: Evidence) -> Result:
                kept = [record for record in evidence if record.outcome != "excluded"]
                return _changed(super().score(evidence), n=3 // len(kept) * 3)

        assert broken(Bad()) == {"runs come to a result"}

    def test_a_score_that_is_not_pure(self) -> None:
        numbers = itertools.count()

        class Bad(Ping):
            def score(self, evidence: Evidence) -> Result:
                return _changed(super().score(evidence), value=float(next(numbers)))

        assert {"score is pure", "a killed run goes on to the same result", "the audit holds"} <= broken(
            Bad()
        )

    def test_a_plan_that_is_not_kept(self) -> None:
        class Bad(Ping):
            def plan(self, lock: Lock) -> Plan:
                return Plan(trials=3, calls=4, input_tokens=0, output_tokens=0)

        assert broken(Bad()) == {"the plan is what is asked"}
        check_instrument(Bad(), "reference:mumbler", options=SMALL, estimated=["calls"], other_process=False)


PLACE: dict[str, str | float] = {"subject": "reference:mumbler"}
HALF = Measure(name="m", value=0.5, n=2, units="share", labels=PLACE)


@pytest.mark.parametrize(
    ("measure", "rule"),
    [
        ({"value": None, "notes": ()}, "no data is null without an interval and with a reason"),
        ({"value": None, "low": 0.0, "high": 1.0}, "no data is null without an interval and with a reason"),
        ({"n": 0}, "no data is null without an interval and with a reason"),
        ({"value": 1.5}, "a value lies in its interval"),
        ({"low": 0.6, "high": 0.7}, "a value lies in its interval"),
        ({"low": 0.7, "high": 0.3}, "a value lies in its interval"),
        ({"n": -1}, "counts add up"),
        ({"value": 1 / 3}, "reals have twelve digits"),
        ({"flags": (Flag("Invalid", " "),)}, "flags have a cause"),
        ({"labels": {}}, "labels name the subject"),
        ({"labels": {"subject": "somebody"}}, "labels name the subject"),
    ],
)
def test_a_measure_that_is_not_as_it_should_be(measure: dict[str, Any], rule: str) -> None:
    class Bad(Ping):
        def score(self, evidence: Evidence) -> Result:
            changed = msgspec.structs.replace(HALF, **{"notes": ("a reason",), **measure})
            return msgspec.structs.replace(super().score(evidence), measures=(changed,))

    assert broken(Bad()) == {rule}


class TestResults:
    def test_two_measures_of_one_name(self) -> None:
        class Bad(Ping):
            def score(self, evidence: Evidence) -> Result:
                return msgspec.structs.replace(super().score(evidence), measures=(HALF, HALF))

        assert broken(Bad()) == {"there are measures each under its own name and labels"}

    def test_a_result_of_another_instrument(self) -> None:
        class Bad(Ping):
            def score(self, evidence: Evidence) -> Result:
                return msgspec.structs.replace(super().score(evidence), instrument="pong")

        assert broken(Bad()) == {"the result is of this instrument"}

    def test_losses_that_are_not_told(self) -> None:
        class Bad(Ping):
            def score(self, evidence: Evidence) -> Result:
                return msgspec.structs.replace(super().score(evidence), excluded=())

        assert broken(Bad()) == {"what is lost is excluded"}

    def test_rows_with_other_columns(self) -> None:
        class Bad(Ping):
            def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
                yield {"a": 1}
                yield {"a": 1, "b": 2}

        assert broken(Bad()) == {"rows have the same columns", "the audit holds"}

    @pytest.mark.parametrize(
        "one",
        [7, Observation("m", "nobody", 1.0, "u", "i"), Observation("m", "reference:mumbler", 2.0, "u", "i")],
    )
    def test_observations_that_cannot_be_compared(self, one: Any) -> None:
        class Bad(Ping):
            def observations(self, evidence: Evidence) -> Iterator[Any]:
                yield one

        assert broken(Bad()) == {"what it is compared by are values of its subjects"}

    def test_an_attachment_of_text(self) -> None:
        class Bad(Ping):
            def attachments(self, evidence: Evidence) -> dict[str, Any]:
                return {"note.txt": "text"}

        assert "attachments are bytes" in broken(Bad())

    @pytest.mark.parametrize(
        "shown", [None, Presentation(headline=Headline("Ping", ("one", "two"), (("a",),)))]
    )
    def test_a_headline_that_cannot_be_shown(self, shown: Any) -> None:
        class Bad(Ping):
            def present(self, evidence: Evidence, result: Result) -> Any:
                return shown

        assert broken(Bad()) == {"it presents a headline as text and as a page"}


class HashOrder(Ping):
    """Here and not in its test: another process has to import it."""

    def score(self, evidence: Evidence) -> Result:
        note = " ".join({record.id for record in evidence})
        return _changed(super().score(evidence), notes=(note,))


def test_an_order_that_hash_values_decide() -> None:
    with pytest.raises(ContractBroken) as caught:
        check_instrument(HashOrder, "reference:mumbler", options={"trials": 10})
    assert {rule for rule, _ in caught.value.broken} == {"another process scores the same"}
