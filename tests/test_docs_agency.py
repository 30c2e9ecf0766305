"""The pages about agency, families and regimes hold: tables are what the code has, examples run and score as shown."""

from __future__ import annotations

import importlib
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from assay.bench.prepare import prepare, read_study
from assay.instruments.agency.calibration import GRID
from assay.instruments.agency.declarations.declaration import (
    Decided,
    Declaration,
    DeclaredFamily,
    DeclaredProtocol,
    DeclaredRegime,
    Evaluator,
    HumanMediated,
    SchemaGap,
    System,
)
from assay.instruments.agency.declarations.outcome import COLUMNS
from assay.instruments.agency.episodes.planning import passing, power
from assay.instruments.agency.options import AgencyOptions
from assay.instruments.agency.reference import REFERENCES
from assay.instruments.agency.rows import score_rows
from assay.instruments.agency.rubric.criteria import rubric
from assay.instruments.agency.rubric.levels import drop_of
from assay.instruments.agency.rubric.tally import Pairs
from assay.instruments.agency.rubric.technical_report import FIELDS
from assay.instruments.agency.scoring import COUNTS
from assay.stats import fixed_share_size, sequential_properties
from assay.worlds import Family, Judgement, Regime, check_family, family_named, shipped_regimes
from assay.worlds.conformance import RULES
from assay.worlds.regimes import AXES
from tests.pages import ROOT, blocks, text_of
from tests.support import command, environment

EXAMPLE = ROOT / "examples" / "agency"
SPEC = ROOT.parent / "shared" / "specs" / "agency.md"


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one of its depth."""
    depth = heading.partition(" ")[0]
    return text.partition(f"\n{heading}\n")[2].partition(f"\n{depth} ")[0]


def table_rows(text: str) -> list[list[str]]:
    """The cells of every row of every table, head lines included."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_the_rubric_on_the_page_is_the_rubric() -> None:
    found = table_rows(section(text_of("agency"), "## The rubric"))
    for row in rubric().levels:
        where = ", ".join(filter(None, (row.section, row.example)))
        assert [f"{row.dimension} {row.level}", where, row.regime, row.text] in found
    assert len([cells for cells in found if re.fullmatch(r"[SMDER] \d", cells[0]) and len(cells) == 4]) == 25


def test_what_strict_asks_is_on_the_page_as_it_is_worked_out() -> None:
    rows = {
        cells[0]: cells[1:] for cells in table_rows(section(text_of("agency"), "## From outcomes to a level"))
    }
    for n in (10, 20, 50, 100):
        needed = passing(n, AgencyOptions())
        assert needed is not None
        shares = [power(n, needed, share) for share in (0.7, 0.8, 0.85, 0.9, 0.95)]
        told = [
            f"{100 * shares[0]:.1f} %",
            *("> 99 %" if x > 0.99 else f"{100 * x:.0f} %" for x in shares[1:]),
        ]
        assert rows[str(n)] == [str(needed), *told]


def test_the_numbers_about_drops_are_on_the_page_as_they_are_worked_out() -> None:
    rows = {cells[0]: cells[1:] for cells in table_rows(section(text_of("agency"), "## Robustness"))}
    for n in (20, 30, 50, 100):
        ends = [drop_of([Pairs(1, 1, 1, 1, n - lost), *_lost(lost)], 0.95).high for lost in range(4)]
        assert rows[str(n)] == [f"{100 * end:.1f}" for end in ends]


def _lost(number: int) -> list[Pairs]:
    return [Pairs(1, 1, 0, 1, number)] if number else []


def test_the_numbers_about_sequential_sampling_are_on_the_page_as_they_are_worked_out() -> None:
    rows = table_rows(section(text_of("agency"), "## Sequential sampling"))
    numbers = [cells for cells in rows if re.fullmatch(r"1?\.\d\d", cells[0])]
    assert len(numbers) == 8
    design: dict[str, Any] = {"threshold": 0.7, "alternative": 0.85, "least": 20, "most": 200}
    at = {share: sequential_properties(share, **design) for share in (0.7, 0.85)}
    fixed = fixed_share_size(0.7, 0.85, at[0.7].satisfied, at[0.85].satisfied).n
    for share, *told in numbers:
        found = sequential_properties(float(share), **design)
        shares = [found.satisfied, found.not_satisfied, found.undecided]
        assert told == [*(f"{100 * x:.1f} %" for x in shares), f"{found.expected_n:.1f}", str(fixed)]


def test_every_measure_of_agency_is_explained(tmp_path: Path) -> None:
    lines = (EXAMPLE / "rows.jsonl").read_text("utf-8").splitlines()
    rows = tmp_path / "rows.jsonl"  # everything judged by two: then there is an agreement as well
    rows.write_text(
        "".join(line[:-1] + f', "rater": "{name}"}}\n' for line in lines for name in ("ann", "bob"))
    )
    result = score_rows(rows, EXAMPLE / "declaration.yaml", version="1")
    names = {measure.name for measure in result.measures} | set(COUNTS)
    assert "agreement" in names
    told = [cells[0] for cells in table_rows(section(text_of("agency"), "## Measures"))]
    assert not [name for name in sorted(names) if not any(f"`{name}`" in cell for cell in told)]
    counted = [cells[0] for cells in table_rows(section(text_of("agency"), "## How an episode is conducted"))]
    assert not [name for name in COUNTS if f"`{name}`" not in counted]


def test_every_column_and_every_field_of_a_declaration_is_explained() -> None:
    text = text_of("agency")
    told = " ".join(cells[0] for cells in table_rows(section(text, "## Outcomes that you already have")))
    assert not [name for name in COLUMNS if f"`{name}`" not in told]
    kinds: tuple[Any, ...] = (
        *(
            Declaration,
            System,
            DeclaredProtocol,
            DeclaredRegime,
            DeclaredFamily,
            Evaluator,
            SchemaGap,
            Decided,
        ),
    )
    known = {field.name for kind in kinds for field in fields(kind)}
    table = "".join(" ".join(cells) for cells in table_rows(section(text, "### The declaration")))
    assert not [name for name in sorted(known) if f"`{name}`" not in table]
    assert f"`human_mediated: {{{', '.join(field.name for field in fields(HumanMediated))}}}`" in text


def test_the_example_on_the_page_is_the_example_and_scores_as_shown() -> None:
    text = text_of("agency")
    assert (EXAMPLE / "declaration.yaml").read_text("utf-8") in blocks(text, "yaml")
    lines = (EXAMPLE / "rows.jsonl").read_text("utf-8").splitlines()
    shown = "".join(blocks(text, "json")).splitlines()
    assert shown
    assert set(shown) <= set(lines)
    assert f"of the {len(lines)} rows" in text
    where = [str(EXAMPLE / name) for name in ("rows.jsonl", "declaration.yaml")]
    done = command("score", "agency", where[0], "--declaration", where[1], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (told,) = [body for body in blocks(text, "text") if "desk-agent  extended" in body]
    assert done.stdout.startswith(told)
    result = score_rows(EXAMPLE / "rows.jsonl", EXAMPLE / "declaration.yaml", version="1")
    (tuples,) = [body for body in blocks(text, "text") if body.startswith("(Framework")]
    assert tuples.splitlines() == [note.partition(": ")[2] for note in result.notes[:2]]


@pytest.mark.slow
def test_the_run_on_the_page_about_agency_reads_as_shown(tmp_path: Path) -> None:
    text = section(text_of("agency"), "## Tuples")
    (line,) = blocks(text, "console")
    done = command(*shlex.split(line.removeprefix("$ assay ")), cwd=tmp_path, env=environment(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(blocks(text, "text")[0])


def test_the_fields_of_the_technical_report_and_the_references_are_named() -> None:
    text = re.sub(r"\s+", " ", text_of("agency"))
    assert not [field for field in FIELDS if field not in text]
    told = table_rows(section(text_of("agency"), "## References"))
    assert not [
        name for name, player in REFERENCES.items() if [f"`reference:{name}`", player.about] not in told
    ]


@pytest.mark.skipif(not SPEC.exists(), reason="the specification is not beside the repository")
def test_every_interpretation_names_a_section_that_the_specification_has() -> None:
    headings = set(re.findall(r"^((?:[A-Z]|\d+)(?:\.\d+)*)\s+\S", SPEC.read_text("utf-8"), re.M))
    rows = table_rows(section(text_of("agency"), "## Where the spec is unclear"))[1:]
    assert len(rows) > 20
    named = [one for cells in rows for one in cells[0].split(", ")]
    assert not [one for one in named if one not in headings]


def test_the_table_of_families_is_what_is_shipped() -> None:
    found = table_rows(section(text_of("families"), "## Shipped families"))[1:]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    shipped = project["entry-points"]["assay.families"]
    assert len(found) == len(shipped)
    for name in shipped:
        family = family_named(name)
        levels = ", ".join(map(str, sorted(family.levels)))
        state = "real" if family.real else "memory"
        told = [f"`{name}`", family.dimension, levels, family.environment, state, family.verification]
        assert told in found


def test_every_rule_of_conformance_is_explained() -> None:
    told = [cells[0] for cells in table_rows(section(text_of("families"), "## Conformance"))]
    assert not [rule for rule in RULES if rule not in told]


def test_every_part_of_a_family_is_explained() -> None:
    told = " ".join(cells[0] for cells in table_rows(section(text_of("families"), "## The parts")))
    parts = [part for part in [*Family.__annotations__, *vars(Family)] if not part.startswith("_")]
    assert len(parts) > 15
    assert not [part for part in parts if f"`{part}`" not in told]


def lamps(folder: Path) -> None:
    """The package on the page, as it is found when installed."""
    text = text_of("families")
    (folder / "assay_lamps.py").write_text(blocks(text, "python")[0])
    project = tomllib.loads(blocks(text, "toml")[0])["project"]
    info = folder / "assay_lamps-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-lamps\nVersion: 0.1.0\n")
    points = project["entry-points"]["assay.families"]
    (info / "entry_points.txt").write_text(
        "[assay.families]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
    )


def test_the_family_on_the_page_conforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lamps(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("assay_lamps").Lamps()
    assert [f"{finding.rule}: {finding.told}" for finding in check_family(made)] == []
    made.judge = lambda task, state, runs: Judgement(True)
    assert {finding.rule for finding in check_family(made, rules=["claims"])} == {"claims"}


@pytest.mark.slow
def test_the_family_on_the_page_is_found_and_measured(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    lamps(site)
    env = environment(tmp_path, PYTHONPATH=str(site))
    (line,) = re.findall(r"`assay (run agency [^`]*lamps[^`]*)`", text_of("families"))
    assert "lamps" in command("list", "families", cwd=tmp_path, env=env).stdout
    ran = command(*shlex.split(line), "--name", "tried", cwd=tmp_path, env=env)
    assert ran.returncode == 0, ran.stderr
    assert "reference:solver" in ran.stdout
    assert command("audit", "tried", cwd=tmp_path, env=env).returncode == 0


def test_every_parameter_of_a_regime_is_explained() -> None:
    told = [cells[0] for cells in table_rows(section(text_of("regimes"), "## Parameters"))]
    known = {field.name: field for field in fields(Regime)}
    names = [f"{axis}.{field.name}" for axis in AXES for field in fields(type(known[axis].default))]
    assert len(names) > 15
    assert sorted(told[1:]) == sorted(f"`{name}`" for name in names)


def test_the_published_regimes_are_on_the_page_with_every_parameter() -> None:
    head, *rows = table_rows(section(text_of("regimes"), "## Published regimes"))
    regimes = shipped_regimes()
    assert head[1:] == [f"`{id_}`" for id_ in regimes]
    told = {cells[0].strip("`"): dict(zip(regimes, cells[1:], strict=True)) for cells in rows}
    assert told.pop("level") == {id_: regime.level for id_, regime in regimes.items()}
    for id_, regime in regimes.items():
        found = {
            f"{axis}.{name}": str(value).lower() if isinstance(value, bool) else str(value)
            for axis, own in regime.parameters().items()
            for name, value in own.items()
        }
        assert {name: cells[id_] for name, cells in told.items() if cells[id_]} == found


def test_the_study_with_regimes_of_its_own_validates(tmp_path: Path) -> None:
    (body,) = blocks(text_of("regimes"), "yaml")
    path = tmp_path / "study.yaml"
    path.write_text(body)
    study, source = read_study(path)
    lock = prepare(study, tmp_path, source)
    assert set(lock.materials["agency"]["regimes"]) == {"Baseline", "Rate-Limited", "Half-Blind"}


def test_the_subjects_of_calibration_are_on_the_page() -> None:
    told = table_rows(section(text_of("calibration"), "## Agency"))
    for one in GRID:
        assert [one.name, one.about, *(str(one.truth(name)) for name in "SMDER")] in told
