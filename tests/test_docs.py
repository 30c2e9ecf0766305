"""The documentation holds: links lead somewhere, commands exist, examples run, nothing that exists is left out."""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields
from typer.main import get_command

from assay.bench import load_instrument
from assay.bench.prepare import prepare, read_study
from assay.canonical import encode
from assay.cli.app import app
from assay.evidence import events, genesis, read_lines
from assay.instruments.agency.options import AgencyOptions, Sequential, Threshold
from assay.instruments.consistency.options import ConsistencyOptions
from assay.instruments.consistency.rows import score_rows
from assay.instruments.consistency.scoring import SHARE_RULES, ConsistencySettings
from assay.instruments.repeatability import RepeatabilityOptions
from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.cells.records import record_rows
from assay.instruments.repeatability.kinds import kind_of
from assay.instruments.repeatability.programs.contracts import load_contracts, shipped_contracts
from assay.instruments.repeatability.programs.repair import STEPS
from assay.instruments.repeatability.scoring import Settings, find_anchors, score_cells
from assay.registry import names
from assay.study import Study
from assay.study.model import Budget, Limits, SamplingDefaults, SubjectSpec
from assay.testing import stub_process
from assay.vocabulary import Exclusion, Flag, Measure, Reading, Result, Verdict
from tests.pages import BLOCK, PAGES, ROOT, blocks, text_of
from tests.support import ASSAY, begin, command, environment, go

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


# Links.


def anchors(page: Path) -> set[str]:
    """Headings as they are linked to: lower case, no punctuation, dashes for spaces."""
    plain = BLOCK.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.*)$", plain, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_every_relative_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", BLOCK.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(file), f"{page.name} links to {target}"


def test_the_index_names_every_page() -> None:
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", text_of("README")))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


# Commands.


def command_named(name: str) -> Any:
    """A command of the command line's own, or one by entry point; None where there is neither."""
    group: Any = get_command(app)
    known = name in group.commands or name in names("assay.commands")
    return group.resolve_command(None, [name])[1] if known else None


def parse(line: str) -> None:
    """Parse an ``assay`` command line as the command line would, without running it."""
    words = shlex.split(line, comments=True)[1:]
    found = command_named(words[0])
    assert found is not None, f"there is no command: {line}"
    found.make_context(words[0], words[1:])


def command_lines(text: str) -> Iterator[str]:
    for language, body in BLOCK.findall(text):
        lines = body.replace("\\\n", " ").splitlines()
        if language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        elif language not in ("sh", "bash"):
            continue
        yield from (line for line in lines if line.startswith("assay "))


@each_page
def test_every_command_line_parses(page: Path) -> None:
    for line in command_lines(page.read_text("utf-8")):
        parse(line)


@pytest.mark.parametrize("line", ["assay rnu study.yaml", "assay run --frobnicate", "assay audit"])
def test_a_command_line_that_does_not_exist_is_noticed(line: str) -> None:
    with pytest.raises(Exception, match=r"no command|such option|[Mm]issing"):
        parse(line)


def test_the_pages_hold_command_lines_to_check() -> None:
    assert len([line for page in PAGES for line in command_lines(page.read_text("utf-8"))]) > 15


def own_options(command: str, words: list[str]) -> set[str]:
    """The options of the instruments that a command line names; of any instrument where it names none."""
    attribute = {"run": "option_type", "plan": "option_type", "score": "row_option_type"}.get(command, "")
    named = [word for word in words if word in names("assay.instruments")] or names("assay.instruments")
    kinds = [getattr(load_instrument(name), attribute, None) for name in named]
    return {f"--{f.replace('_', '-')}" for kind in kinds if kind for f in kind.__struct_fields__}


@each_page
def test_commands_and_options_named_in_passing_exist(page: Path) -> None:
    for code in re.findall(r"`assay ([a-z][^`]*)`", BLOCK.sub("", page.read_text("utf-8"))):
        name, *rest = code.split()
        found = command_named(name)
        assert found is not None, f"{page.name}: assay {code}"
        known = {option for parameter in found.params for option in parameter.opts}
        known |= {"--help"} | own_options(name, rest)
        assert {word.partition("=")[0] for word in rest if word.startswith("--")} <= known, f"assay {code}"


def test_contributing_names_every_benchmark_and_fault_test_and_only_what_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"(?:benchmarks|tests)/[\w/]+\.py", text))
    assert not [name for name in named if not (ROOT / name).exists()]
    there = [*(ROOT / "benchmarks").glob("[a-z]*.py"), *(ROOT / "tests" / "faults").glob("test_*.py")]
    assert {str(path.relative_to(ROOT)) for path in there} <= named
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    assert set(re.findall(r"`make (\w+)`", text)) == targets


# The study.


def test_every_study_on_the_page_validates(tmp_path: Path) -> None:
    studies = [body for body in blocks(text_of("study"), "yaml") if body.startswith("study:")]
    assert studies
    for body in studies:
        path = tmp_path / "study.yaml"
        path.write_text(body)
        study, source = read_study(path)
        assert len(prepare(study, tmp_path, source).digest) == 64


@pytest.mark.parametrize(
    "kind",
    [
        Study,
        SubjectSpec,
        SamplingDefaults,
        Budget,
        Limits,
        RepeatabilityOptions,
        ConsistencyOptions,
        AgencyOptions,
        Sequential,
        Threshold,
    ],
)
def test_every_field_of_a_study_is_explained(kind: Any) -> None:
    prefixes = {
        Budget: "budget.",
        Limits: "limits.",
        Sequential: "sequential.",
        Threshold: "thresholds.",
    }
    prefix = prefixes.get(kind, "")
    text = text_of("study")
    rows = "\n".join(line.split(" | ")[0] for line in text.splitlines() if line.startswith("| "))
    assert not [field.name for field in fields(kind) if f"`{prefix}{field.name}`" not in rows]


# The ledger.


def test_the_worked_example_of_the_ledger_is_right(tmp_path: Path) -> None:
    text = text_of("ledger").partition("### Worked example")[2]
    found = re.search(r"Lock `([0-9a-f]{64})`, segment `([\w.]+)`", text)
    assert found is not None
    lock, segment = found.groups()
    (start, *_), (lines, *_) = blocks(text, "text"), blocks(text, "jsonl")
    head = hashlib.sha256(f"assay/ledger/1 {lock} {segment}".encode()).hexdigest()
    assert start.strip() == head == genesis(lock, segment).decode()
    for line in lines.splitlines():
        event, written = line.removeprefix('{"event":').split(',"hash":')
        head = hashlib.sha256((head + event).encode()).hexdigest()
        assert written == f'"{head}"}}'
    path = tmp_path / segment
    path.write_text(lines)
    assert [line.number for line in read_lines(path, genesis(lock, segment))] == [1, 2, 3]


def test_every_kind_of_event_is_explained() -> None:
    kinds = re.findall(r"^``(\w+)``", events.__doc__ or "", re.M)
    assert len(kinds) > 10
    assert not [kind for kind in kinds if f"\n| `{kind}` |" not in text_of("ledger")]


def test_verification_by_hand_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder, lock = begin(
        tmp_path, Study(subjects=("reference:mumbler",), instruments={"ping": {"trials": 3}})
    )
    assert go(folder, lock)
    verify, signature = blocks(text_of("ledger"), "python")

    def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
        )

    segment = folder.ledger / "0001.jsonl"
    assert "as sealed" in run(verify, str(folder.path)).stdout
    assert lock.keyid in run(signature, str(folder.lock_path)).stdout
    lines = segment.read_text().splitlines(keepends=True)
    segment.write_text("".join(lines[:2] + lines[3:]))
    assert "0001.jsonl:3" in run(verify, str(folder.path)).stderr
    forged = folder.lock_path.read_text().replace('"payload":"ey', '"payload":"ez')
    folder.lock_path.write_text(forged)
    assert "InvalidSignature" in run(signature, str(folder.lock_path)).stderr


# The Reading and the instrument.


@pytest.mark.parametrize("kind", [Result, Measure, Verdict, Exclusion, Flag])
def test_every_field_of_a_reading_is_explained(kind: Any) -> None:
    text = text_of("reading")
    assert not [f.name for f in fields(kind) if not re.search(rf'`{f.name}`|"{f.name}"', text)]


def test_the_program_that_reads_a_reading_reads_every_measure(tmp_path: Path) -> None:
    cells = [*one_cell(), Cell(CellKey("add", "nobody", 0.5), [])]
    chosen = Settings(repair=False)
    result = score_cells(
        cells, find_anchors(cells, shipped_contracts(), chosen), chosen, source="ledger", version="1"
    )
    assert any(m.low is None for m in result.measures)
    assert any(m.high is None and m.low is not None for m in result.measures)
    assert any(m.value is None for m in result.measures)
    (program,) = blocks(text_of("reading"), "python")
    (tmp_path / "read.py").write_text(program)
    (tmp_path / "reading.json").write_bytes(encode(Reading(result=result)))
    ran = subprocess.run(
        [sys.executable, "read.py", "reading.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert len([line for line in ran.stdout.splitlines() if ": " in line]) >= len(result.measures)


def one_cell() -> list[Cell]:
    outputs = [
        Output(i, f"def add(a, b): return a + b  # {i % 2}", "pass", 10, 10, "…", f"{i}") for i in range(4)
    ]
    return [Cell(CellKey("add", "a model", 0.5), outputs)]


def test_every_measure_of_repeatability_and_every_column_of_its_records_is_explained() -> None:
    shipped = shipped_contracts()
    others = [
        Cell(
            CellKey(name, "a model", 0.5),
            [Output(0, shipped[name].solutions[0].code, "pass", 1, 1, "…", "5")],
            kind=kind_of(shipped[name]),
        )
        for name in ("invoice", "review_sentiment")
    ]
    cells = [*one_cell(), *others]
    chosen = Settings(repair=True)
    anchors_ = find_anchors(cells, shipped_contracts(), chosen)
    result = score_cells(cells, anchors_, chosen, source="ledger", version="1")
    text = text_of("repeatability")
    assert not [m.name for m in result.measures if f"\n| `{m.name}` |" not in text]
    assert not [
        rule for rule in result.versions if f"`{rule}`" not in text and rule not in ("oracle", "distance")
    ]
    records = text.partition("## Records")[2].partition("##")[0]
    assert not [column for column in next(record_rows(cells, anchors_)) if f"`{column}`" not in records]


def test_every_measure_of_consistency_is_explained_and_its_example_row_scores(tmp_path: Path) -> None:
    text = text_of("consistency")
    fields = {"origin", "utc", "license", "sha256"}  # "shares of each field"
    names = {counted.name for counted in SHARE_RULES} - fields | {"M5", "latency", "vague_promises"}
    assert not [name for name in sorted(names) if f"`{name}`" not in text]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(blocks(text, "json")))
    found = {
        m.name: m.value
        for m in score_rows(path, ConsistencySettings()).measures
        if not m.labels.get("variant")
    }
    assert found["M2"] == 1.0


def test_every_step_of_repair_is_on_the_page_in_the_order_in_which_it_is_tried() -> None:
    listed = re.findall(r"^\| `([a-z]+)` \| ", text_of("repeatability").partition("## Repair")[2], re.M)
    assert listed[: len(STEPS)] == [step.name for step in STEPS]


def test_the_contracts_on_the_page_load_and_the_shipped_ones_are_counted(tmp_path: Path) -> None:
    text = text_of("repeatability")
    path = tmp_path / "contracts.yaml"
    path.write_text("".join(body for body in blocks(text, "yaml") if "prompt:" in body))
    assert set(load_contracts(path)) == {"double", "counter", "greet", "order", "mood", "sum", "closing"}
    assert f"\n{len(shipped_contracts())} come with Assay" in text


def test_the_readme_counts_what_ships() -> None:
    counts = re.search(
        r"(\d+) instruments: (\d+) contracts, (\d+) scenarios, (\d+) families of tasks, (\d+) biases, (\d+) probes",
        (ROOT / "README.md").read_text("utf-8"),
    )
    assert counts is not None
    names = ("repeatability", "consistency", "agency", "bias", "recognition")
    shipped = [len(list(load_instrument(name).items())) for name in names]
    assert [int(count) for count in counts.groups()] == [len(names), *shipped]


# Extending and dependencies.


@each_page
def test_every_python_block_parses(page: Path) -> None:
    for body in blocks(page.read_text("utf-8"), "python"):
        ast.parse(body)


@pytest.mark.slow
def test_the_instrument_on_the_page_about_extending_is_killed_resumed_audited_and_gated(
    tmp_path: Path,
) -> None:
    """Its file and its commands as they stand on the page; the endpoint is the stub."""
    text = text_of("extending")
    (tmp_path / "coin.py").write_text(source := blocks(text, "python")[0])
    assert len(source.splitlines()) <= 40
    run, *later = [shlex.split(line)[1:] for line in blocks(text, "sh")[0].splitlines()]
    env = environment(tmp_path)
    for answer, gate in (("heads", 0), ("tails", 1)):
        with stub_process(answer=f"fixed:{answer}", latency=0.2) as stub:
            words = [
                stub.url if word.startswith("http://") else answer if word == "coins" else word
                for word in run
            ]
            begun = subprocess.Popen([*ASSAY, *words], cwd=tmp_path, env=env, stderr=subprocess.DEVNULL)
            while stub.stats().answered < 10:
                assert begun.poll() is None
            begun.kill()
            begun.wait()
            codes = [
                command(
                    *(answer if word == "coins" else word for word in words), cwd=tmp_path, env=env
                ).returncode
                for words in later
            ]
            asked = stub.stats().answered
        assert codes == [0, 0, gate]
        assert (
            60 <= asked <= 60 + 8
        )  # what was under way when it was killed, and nothing else, was asked again


@pytest.mark.slow
def test_the_package_on_the_page_about_extending_runs_and_keeps_its_contracts(tmp_path: Path) -> None:
    """Its files as they stand on the page, found by entry point as an installed package is."""
    text = text_of("extending")
    package, site = tmp_path / "site" / "assay_coin", tmp_path / "site"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    names_ = ("coin", "reach", "canned", "reference", "test_coin")
    for name, body in zip(names_, blocks(text, "python"), strict=False):
        (package / f"{name}.py").write_text(body)
    project = tomllib.loads(blocks(text, "toml")[0])["project"]
    info = site / "assay_coin-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-coin\nVersion: 0.1.0\n")
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in groups]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "coin.yaml").write_text(blocks(text, "yaml")[0])
    env = environment(tmp_path, PYTHONPATH=str(site))
    ran = command("run", "coin.yaml", "--name", "coins", cwd=tmp_path, env=env)
    assert ran.returncode == 0, ran.stderr
    assert blocks(text, "text")[0].strip() in ran.stdout
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(package / "test_coin.py")]
    tested = subprocess.run(tests, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert "2 passed" in tested.stdout, tested.stdout


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    names = [re.split(r"[\[<>=~]", requirement)[0] for requirement in declared]
    text = text_of("dependencies")
    assert not [name for name in names if not re.search(rf"\b{re.escape(name)}\b", text)]
    assert not [extra for extra in project["optional-dependencies"] if f"`{extra}`" not in text]
