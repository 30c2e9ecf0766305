"""What contradicts itself is refused with the section; what is missing is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assay.errors import InputError
from assay.instruments.agency.declarations.contradictions import check_declaration, read_declaration
from assay.instruments.agency.declarations.declaration import (
    Declaration,
    DeclaredRegime,
    System,
    moment,
)
from assay.instruments.agency.episodes.locked import declared_regime
from assay.worlds import shipped_regimes
from tests.instruments.agency.made_outcomes import declared, family, level, made, score, stressed

WHOLE = """\
system: {name: bot, version: "1.2", architecture: language model}
boundary: extended
includes: [planner]
tools: [browser]
human_assistance: none
began: "2026-01-02T00:00:00Z"
regimes:
  Baseline: {level: baseline}
  Tight: {level: moderate, action: {calls: 5}}
families:
  inbox:
    dimension: S
    levels: [1, 2]
    environment: tool-augmented
    criterion: all fields are right
    verification: the state is read from outside
    observation_schema: {properties: {text: {}, id: {}}}
    action_schema: actions/1
evaluators:
  - {name: ann, calibrated: true, agreement: 0.9}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "declaration.yaml"
    path.write_text(text)
    return path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as told:
        read_declaration(written(folder, text))
    return str(told.value).removeprefix(str(folder / "declaration.yaml"))


def test_a_declaration_is_read(tmp_path: Path) -> None:
    found = read_declaration(written(tmp_path, WHOLE))
    assert found.system.version == "1.2"
    assert found.regimes["Tight"].scarce == ("action",)
    assert found.families["inbox"].dimensions == ("S",)
    assert (found.rule, found.interval, found.confidence) == ("strict", "wilson", 0.95)


def test_the_name_alone_is_enough(tmp_path: Path) -> None:
    assert read_declaration(written(tmp_path, "system: {name: bot}")) == Declaration(
        system=System(name="bot")
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("system: {version: '1'}", ":1: system: 'name' is missing"),
        ("system: {name: bot}\nregime: {}", ":2: regime: unknown field; did you mean 'regimes'?"),
        (
            "system: {name: bot}\nrule: stricter",
            ":2: rule: 'stricter' is not a choice; did you mean 'strict'?",
        ),
        (
            "system: {name: bot}\npost_hoc_share: 0.3",
            ":2: post_hoc_share: must lie between 0.15 and 0.25 (11.3.2), not 0.3",
        ),
        (
            "system: {name: bot}\ninfrastructure_share: 0.2",
            ":2: infrastructure_share: must lie between 0.25 and 0.35 (11.7.3), not 0.2",
        ),
        (
            "system: {name: bot}\ndisagreement_share: 0.1",
            ":2: disagreement_share: must lie between 0.15 and 0.25 (11.5.3), not 0.1",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    assert refused(tmp_path, text) == told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"regimes": {"B": DeclaredRegime(level="baseline", action={"cap": 1})}},
            "a baseline regime has no scarcity (8.2)",
        ),
        ({"regimes": {"M": DeclaredRegime(level="moderate")}}, "one or two axes (8.2); scarce here: none"),
        (
            {
                "regimes": {
                    "M": DeclaredRegime(
                        level="moderate", action={"a": 1}, compute={"a": 1}, stability={"a": 1}
                    )
                }
            },
            "one or two axes (8.2); scarce here: action, compute, stability",
        ),
        (
            {"regimes": {"S": DeclaredRegime(level="severe", action={"cap": 1})}},
            "two axes or more (8.2); scarce here: action",
        ),
        ({"families": {"a": family("S", threshold=0.8)}}, "needs a threshold_reason (10.3.3)"),
        ({"families": {"a": family("R")}}, "R is derived"),
        ({"families": {"a": family("S", levels=(6,))}}, "a level is 1 to 5"),
        ({"boundary": "core", "tools": ("browser",)}, "the core boundary is the model alone (6.1)"),
        ({"boundary": "core", "includes": ("planner",)}, "the core boundary is the model alone (6.1)"),
        ({"began": "yesterday"}, "not an ISO 8601 time"),
        ({"families": {"a": family("S", criterion_time="soon")}}, "not an ISO 8601 time"),
    ],
)
def test_contradictions_are_refused_with_the_section(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as error:
        check_declaration(Declaration(system=System(name="bot"), **changes))
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("tool-augmentd", "; did you mean 'tool-augmented'?"),
        ("Stochastic/Noisy", "; did you mean 'stochastic'?"),
        ("Multi-Agent", "; did you mean 'multi-agent'?"),
        ("Text-Only", "; did you mean 'static'?"),
        ("easy", "; known: adversarial, multi-agent, static, stochastic, tool-augmented"),
    ],
)
def test_a_class_of_environment_is_one_of_the_five(word: str, told: str) -> None:
    """7.1."""
    with pytest.raises(InputError) as error:
        check_declaration(
            Declaration(system=System(name="bot"), families={"a": family("S", environment=word)})
        )
    assert str(error.value).endswith(f".environment: {word!r} is no class of environment (7.1){told}")


def test_other_words_for_a_class_of_environment_are_taken() -> None:
    words = (
        "",
        "static",
        "static/text-only",
        "text",
        "text-only",
        "tool-augmented",
        "tools",
        "stochastic",
        "noisy",
    )
    for word in (*words, "multi-agent", "adversarial"):
        check_declaration(
            Declaration(system=System(name="bot"), families={"a": family("S", environment=word)})
        )


PUBLISHED = (
    declared_regime(shipped_regimes()["Moderate-Standard"]),
    declared_regime(shipped_regimes()["Severe-Adversarial"]),
)


@pytest.mark.parametrize(
    ("id_", "changes"),
    [
        ("Baseline", {"level": "moderate", "action": {"most_calls": 10}}),
        ("Baseline", {"level": "baseline", "conditions": ("noise",)}),
        ("Moderate-Standard", {"level": "moderate", "action": {"most_calls": 10}}),
        ("Moderate-Standard", {"information": {"noise": "words", "noise_rate": 0.25, "distractors": 0.2}}),
        ("Moderate-Standard", {"adversarial": True}),
        ("Severe-Adversarial", {"adversarial": False}),
    ],
)
def test_the_id_of_a_published_regime_is_kept_for_its_parameters(id_: str, changes: dict[str, Any]) -> None:
    """13.2.2: standardized ids "when the parameters match a published regime definition"."""
    whole = {"Moderate-Standard": PUBLISHED[0], "Severe-Adversarial": PUBLISHED[1]}
    base = msgspec.structs.asdict(whole[id_]) if id_ in whole and "level" not in changes else {}
    regime = DeclaredRegime(**{**base, **changes})
    with pytest.raises(InputError, match=rf"'{id_}' is the id of a published regime .*\(13\.2\.2\)"):
        check_declaration(Declaration(system=System(name="bot"), regimes={id_: regime}))
    check_declaration(Declaration(system=System(name="bot"), regimes={"my own": regime}))


def test_a_published_regime_is_declared_as_it_is_published() -> None:
    """13.2.2. What is a default need not be said; standard budgets make nothing scarce."""
    regimes = {id_: declared_regime(one) for id_, one in shipped_regimes().items()}
    regimes["Baseline"] = DeclaredRegime(level="baseline", parameters={"most_calls": 40})
    moderate = regimes["Moderate-Standard"]
    in_words = {**moderate.stability, "in_a_row": 2}
    regimes["Moderate-Standard"] = msgspec.structs.replace(moderate, stability=in_words)
    check_declaration(Declaration(system=System(name="bot"), regimes=regimes))


def test_the_usual_threshold_needs_no_reason() -> None:
    check_declaration(Declaration(system=System(name="bot"), families={"a": family("S", threshold=0.7)}))


def test_rows_of_a_regime_that_is_not_declared_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"regime 'Hard' is not declared \(8.2\); known: Baseline, Moderate, Severe"
    ):
        score(made("S", 1, 1, 1, regime="Hard"))


def test_rows_that_contradict_what_a_family_is_declared_for_are_refused() -> None:
    with pytest.raises(InputError, match=r"declared for D, its outcomes are of S \(11.2\)"):
        score(made("S", 1, 60, 60, families=1), families={"s0": family("D")})
    with pytest.raises(InputError, match=r"levels 2, 3, its outcomes are of level 1 \(11.2\)"):
        score(made("S", 1, 60, 60, families=1), families={"s0": family("S", levels=(2, 3))})


def test_without_declared_regimes_names_tell_the_intensity() -> None:
    rows = made("S", 4, 60, 60, regime="moderate-x")
    noisy = {row.family: family("S", conditions=("noise", "partial_observability")) for row in rows}
    found = level(score(rows, regimes={}, families=noisy), "S")
    assert any("by the outcomes alone S would be 4" in note for note in found.notes)


def test_the_last_day_there_is_has_an_end() -> None:
    last = Declaration(system=System(name="a"), date="9999-12-31")
    assert last.reference == moment("9999-12-31")


def test_a_system_that_is_declared_twice_is_refused() -> None:
    twice = Declaration(system=System(name="a", version="1"), systems=(System(name="a", version="2"),))
    with pytest.raises(InputError, match=r"systems.0.name: 'a' is declared twice \(11.2\)"):
        check_declaration(twice)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("system_id: bot", ":1: system_id: unknown field; did you mean 'system'?"),
        ("system: bot", ":1: system: must be a mapping, not text"),
        ("system: {name: bot, version: 3}", ":1: system.version: must be text, not a whole number"),
        ("system: {name: bot}\nboundary: Core", ":2: boundary: 'Core' is not a choice; did you mean 'core'?"),
        ("system: {name: bot}\nfamilies: [inbox]", ":2: families: must be a mapping, not a list"),
        (
            "system: {name: bot}\nfamilies: {inbox: {criteria: x}}",
            ":2: families.inbox.criteria: unknown field; did you mean 'criterion'?",
        ),
        ("system: {name: bot}\nregimes: {Tight: {}}", ":2: regimes.Tight: 'level' is missing"),
    ],
)
def test_other_names_and_forms_are_refused_with_the_right_one(tmp_path: Path, text: str, told: str) -> None:
    assert refused(tmp_path, text) == told


@pytest.mark.parametrize("text", ["null", "3", "text", "[]", "system:", "families: 3", "regimes: [1]"])
def test_nonsense_is_an_error_of_input(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_declaration(written(tmp_path, text))


def test_the_core_boundary_may_list_the_model_and_nothing_more(tmp_path: Path) -> None:
    core = "system: {name: a}\nboundary: core\nincludes: "
    assert read_declaration(written(tmp_path, f"{core}[policy weights, internal state]")).includes
    for more in ("planner", "model with tools", "search API"):
        assert "(6.1)" in refused(tmp_path, f"{core}[{more}]")


def test_a_declaration_survives_its_own_form(tmp_path: Path) -> None:
    whole = declared(stressed(3, 3, 3, 3))
    assert read_declaration(written(tmp_path, msgspec.json.encode(whole).decode())) == whole
