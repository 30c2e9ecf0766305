"""Wrong input: exit code 2, one sentence on stderr that says what is wrong and what would be right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.bench import RunFolder
from assay.registry import names
from assay.study import Study
from tests.support import begin

from .conftest import Assay

MIXED = "repeatability -s reference:mixed "
KNOWN = "agency, bias, consistency, drill, ping, recognition, repeatability"
BUDGET = "write calls=N, tokens=N, cost=X or seconds=DURATION, comma-separated"

WRONG = {
    # What to run.
    "run -s reference:mixed": f"name a study (FILE.yaml) or an instrument: {KNOWN}",
    "run repeatibility -s reference:mixed": "unknown instrument 'repeatibility'; did you mean 'repeatability'?",
    "run weight -s reference:mixed": f"unknown instrument 'weight'; known: {KNOWN}",
    "run ping ping -s reference:mumbler": "the instrument 'ping' is named twice",
    "run missing.yaml": "there is no file missing.yaml",
    "run missing.json": "missing.json cannot be read: No such file or directory",
    "run folder.yaml": "folder.yaml is a folder, a YAML file is needed",
    "run folder": "folder is a folder; give a study (FILE.yaml), a lock (FILE.json) or an instrument",
    "run good.txt": "good.txt: the name of a study ends in .yaml, that of a lock in .json",
    "run good.yaml ping": "good.yaml is a file; give one study or one lock alone, or instruments by name",
    "run good.lock.json --quick": "good.lock.json is a lock and is run as it was declared; "
    "options belong into the study it is made from",
    "run good.lock.json --budget calls=3": "good.lock.json is a lock and is run as it was declared; "
    "options belong into the study it is made from",
    "run good.lock.json --key-env KEY": "good.lock.json is a lock and is run as it was declared; "
    "options belong into the study it is made from",
    "run good.lock.json --connections 0": "good.lock.json is a lock and is run as it was declared; "
    "options belong into the study it is made from",
    "run good.lock.json --seed 0": "good.lock.json is a lock and is run as it was declared; "
    "options belong into the study it is made from",
    # The study.
    "run field.yaml": "field.yaml:3: instrumens: unknown field; did you mean 'instruments'?",
    "run nested.yaml": "nested.yaml:6: instruments.ping.trails: unknown field; did you mean 'trials'?",
    "run price.yaml": "price.yaml:3: subjects[0]: a budget in money needs the price of openai:x: "
    "--price IN/OUT, or price in a study",
    "run twice.yaml": "twice.yaml:2: 'name' is given twice",
    "run list.yaml": "list.yaml:1: a study is a mapping of fields; see docs/study.md",
    "run empty.yaml": "empty.yaml: the file is empty",
    "run tab.yaml": "tab.yaml:2: not valid YAML: found a tab character that violates indentation",
    "run number.yaml": "number.yaml:2: instruments.ping: the options of an instrument are a mapping",
    "plan number.yaml --quick": "number.yaml:2: instruments.ping: the options of an instrument are a mapping",
    "run pipe.yaml": "pipe.yaml cannot be read: not an ordinary file",
    "lock pipe.yaml": "pipe.yaml cannot be read: not an ordinary file",
    "run pipe.py -s reference:mumbler": "pipe.py is not an ordinary file",
    "run endless.yaml": "endless.yaml cannot be read: longer than 64 MB",
    "lock field.yaml": "field.yaml:3: instrumens: unknown field; did you mean 'instruments'?",
    "lock missing.yaml": "there is no file missing.yaml",
    "lock good.yaml": "good.lock.json exists already; a lock is never overwritten",
    "lock good.yaml --out nowhere/x.json": "the lock nowhere/x.json cannot be written: No such file or directory",
    # Subjects.
    "run repeatability": "name at least one subject, for example local:smollm2",
    "run repeatability -s": "Option '-s' requires an argument.",
    "run repeatability -s remote:x": f"unknown kind of subject 'remote'; known: {', '.join(names('assay.subjects'))}; "
    "write openai:x with a base_url for any other OpenAI-compatible endpoint",
    "run repeatability -s antropic:x": "unknown kind of subject 'antropic'; did you mean 'anthropic'?",
    "run repeatability -s azure:x": "azure:x needs a base_url, such as https://RESOURCE.openai.azure.com",
    "run ping -s openai:x --parameter top_k=null": "unknown parameter 'top_k'; did you mean 'top_p'?",
    "run ping -s openai:x --parameter seed": "--parameter seed: write NAME=null to leave it out, "
    "NAME=OTHER to rename it",
    "run ping -s openai:x --parameter seed=a --parameter seed=b": "--parameter seed=b: seed is given twice",
    f"run {MIXED} --parameter seed=null": "--parameters goes with subjects at an endpoint, and there is none",
    "run api_key.yaml": "api_key.yaml:2: subjects[0].api_key: unknown field; did you mean 'key_env'? "
    "It names the environment variable that holds the key",
    "run override.yaml": "override.yaml:2: subjects[0].options.top_p: top_p is declared by the study and recorded "
    "with every trial, so no option sets it: write sampling: {top_p: …} in the study",
    "run warmer.yaml": "warmer.yaml:2: subjects[0].options.temperature: temperature is declared by the study and "
    "recorded with every trial, so no option sets it: set it in the instrument's options (on the command line: "
    "--set temperature=… or --set temperatures=…)",
    "run elsewhere.yaml": "elsewhere.yaml:2: subjects[0].headers: goes with subjects at an endpoint, not with python:",
    "run repeatability -s refrence:mixed": "unknown kind of subject 'refrence'; did you mean 'reference'?",
    "run repeatability -s mixed": "subject 'mixed': write KIND:NAME, for example local:smollm2",
    "run repeatability -s reference:": "subject 'reference:': write KIND:NAME, for example local:smollm2",
    "run repeatability -s reference:stedy": "unknown reference subject 'stedy'; did you mean 'steady'?",
    "run repeatability -s local:smollm3": "unknown embedded model 'smollm3'; did you mean 'smollm2'?",
    f"run {MIXED} -s reference:mixed": "'reference:mixed' is declared twice; give one a label",
    "run ping -s local:smollm2 --base-url http://127.0.0.1:9/v1": "--base-url goes with subjects at an endpoint, "
    "and there is none",
    f"run {MIXED} --key-env KEY": "--key-env goes with subjects at an endpoint, and there is none",
    "run ping -s openai:x": "the environment variable OPENAI_API_KEY is not set; the key of openai:x goes there",
    "run ping -s openai:x --key-env NO_SUCH_KEY --base-url http://127.0.0.1:9/v1": "the environment variable "
    "NO_SUCH_KEY is not set; the key of openai:x goes there",
    "run ping -s openai:x --base-url http://me:secret@127.0.0.1:9/v1": "base_url holds a user name or password; "
    "put the key into an environment variable",
    "run ping -s openai:x --base-url 127.0.0.1:9": "base_url '127.0.0.1:9': write it as http(s)://HOST[:PORT]/v1",
    "run ping -s openai:x --base-url http://127.0.0.1:9/v1 --budget cost=5": "a budget in money needs the price "
    "of openai:x: --price IN/OUT, or price in a study",
    # Instruments' options.
    f"run {MIXED} --set repetitions": "--set repetitions: write NAME=VALUE",
    f"run {MIXED} --set =5": "--set =5: write NAME=VALUE",
    f"run {MIXED} --set repetitions=[": "--set repetitions=[: not valid YAML: did not find expected node content",
    f"run {MIXED} --set repetitions=010": "--set repetitions=010: 010 is read as 8; write that, or put it in quotes",
    f"run {MIXED} --set repetitons=5": "instruments.repeatability.repetitons: unknown field; "
    "did you mean 'repetitions'?",
    f"run {MIXED} --set repetitions=many": "instruments.repeatability.repetitions: must be a whole number, not text",
    f"run {MIXED} --set repetitions=-5": "instruments.repeatability.repetitions: must be a whole number, at least 1",
    f"run {MIXED} --set temperatures=0,hot": "instruments.repeatability.temperatures[1]: must be a number, not text",
    f"run {MIXED} --set temperatures=0,0": "instruments.repeatability.temperatures: a temperature is given twice",
    f"run {MIXED} --set contracts=squere": "instruments.repeatability.contracts: unknown contract 'squere'; "
    "did you mean 'square'?",
    f"run {MIXED} --set ping.trials=5": "--set ping.trials=5: write INSTRUMENT.NAME=VALUE, with one of: repeatability",
    "run ping drill -s reference:mumbler --set trials=5": "--set trials=5: write INSTRUMENT.NAME=VALUE, "
    "with one of: ping, drill",
    f"run {MIXED} --contracts-file /dev/zero": "/dev/zero cannot be read: not an ordinary file",
    f"run {MIXED} --contracts-file pipe.json": "pipe.json cannot be read: not an ordinary file",
    f"run {MIXED} --canons-file /dev/zero": "/dev/zero cannot be read: not an ordinary file",
    "run consistency -s reference:mumbler --threads-file /dev/zero": "/dev/zero cannot be read: "
    "not an ordinary file",
    # Numbers.
    f"run {MIXED} --budget much": f"--budget much: {BUDGET}",
    f"run {MIXED} --budget ''": f"--budget : {BUDGET}",
    f"run {MIXED} --budget calls": f"--budget calls: {BUDGET}",
    f"run {MIXED} --budget calls=many": "--budget calls=many: calls must be a whole number, at least 1",
    f"run {MIXED} --budget calls=-1": "--budget calls=-1: calls must be a whole number, at least 1",
    f"run {MIXED} --budget calls=1.7": "--budget calls=1.7: calls must be a whole number, at least 1",
    f"run {MIXED} --budget calls=inf": "--budget calls=inf: calls must be a whole number, at least 1",
    f"run {MIXED} --budget cost=nan": "--budget cost=nan: cost must be a number, more than 0",
    f"run {MIXED} --budget calls=5,calls=6": "--budget calls=5,calls=6: calls is given twice",
    f"run {MIXED} --budget seconds=1y": "--budget seconds=1y: write a duration such as 90s, 10m or 2h",
    f"run {MIXED} --budget seconds=5,wall=6": "--budget seconds=5,wall=6: wall is given twice",
    f"run {MIXED} --budget wall=1y": "--budget wall=1y: write a duration such as 90s, 10m or 2h",
    f"run {MIXED} --budget wall=0": "budget.seconds: must be a number, more than 0",
    f"run {MIXED} --connections 0": "--connections 0: a whole number from 1 to 4096",
    f"run {MIXED} --connections 5000": "--connections 5000: a whole number from 1 to 4096",
    f"run {MIXED} --max-tokens -1": "--max-tokens -1: a whole number from 1 up",
    f"plan {MIXED} --call-seconds -1": "--call-seconds -1: a number of seconds, more than 0",
    # Runs and keys.
    f"run {MIXED} --name ../x": "run name '../x': letters, digits, dot, dash and underscore only",
    f"run {MIXED} --name ''": "run name '': letters, digits, dot, dash and underscore only",
    f"run {MIXED} --key pipe.json": "pipe.json is not an ordinary file",
    f"run {MIXED} --name taken": "runs/taken exists already; resume it with: assay resume runs/taken",
    f"run {MIXED} --out good.yaml --name x": "good.yaml/x cannot be made: Not a directory",
    f"run {MIXED} --key no.pem": "there is no key at no.pem; leave the option out to have one made",
    "run repeatability -s reference:mixed --key-value secret": "--key-value is no option of repeatability; "
    "did you mean '--key-env'?",
    "resume folder": "there is no run at folder (no lock.json there, nor in runs/folder)",
    "status /no/where": "there is no run at /no/where (no lock.json there)",
    "status nothing": "there is no run at nothing (no lock.json there, nor in runs/nothing)",
    "report nothing": "there is no run at nothing (no lock.json there, nor in runs/nothing)",
    "audit nothing": "there is no run at nothing (no lock.json there, nor in runs/nothing)",
    "audit taken --signed-by abc": "key id 'abc': give at least its first 16 characters",
    "resume taken --budget calls=0": "--budget calls=0: calls must be a whole number, at least 1",
    # What there is.
    "list": "Missing argument 'what'.",
    "list contract": "unknown list 'contract'; did you mean 'contracts'?",
    "show repeatability squere": "unknown contract 'squere'; did you mean 'square'?",
    "show weight x": f"unknown instrument 'weight'; known: {KNOWN}",
    "pull smollm3": "unknown embedded model 'smollm3'; did you mean 'smollm2'?",
    # Plain data.
    "score ping missing.jsonl": "there is no file missing.jsonl",
    "score ping rows.jsonl --records none/r.csv": "--records: there is no folder none",
    "score ping rows.jsonl --report none/r.html": "--report: there is no folder none",
    "score ping rows.jsonl --report .": "--report: . is a folder; name a file",
    "score ping rows.jsonl --records rows.jsonl": "--records: rows.jsonl is the file of the rows; name another",
    "score ping rows.jsonl --records r.csv --report r.csv": "--report: r.csv is the file of --records; name another",
    "score agency rows.jsonl --declaration good.yaml --report ./good.yaml": "--report: good.yaml is the file of "
    "--declaration; name another",
    "score ping rows.jsonl --records r.parquet": "r.parquet: records are written as .csv or .jsonl",
    "score ping pipe.json": "pipe.json is a pipe, which can be read only once; write the rows into a file",
    "score ping /dev/zero": "/dev/zero is not an ordinary file; write the rows into one",
    "score repeatability missing.jsonl": "there is no file missing.jsonl",
    "score repeatability rows.jsonl --confidence 2": "--confidence: must be a number, less than 1",
    "score repeatability rows.jsonl --canon-scope all": "--canon-scope: 'all' is not a choice; "
    "known: cell, contract, subject",
    "score repeatability rows.jsonl --contracts missing.yaml": "there is no file missing.yaml",
}

FILES = {
    "good.txt": "name: x\n",
    "good.yaml": "name: good\nsubjects: [reference:mumbler]\ninstruments: {ping: {trials: 2}}\n",
    "field.yaml": "name: x\nsubjects: [reference:mixed]\ninstrumens: [repeatability]\n",
    "nested.yaml": "name: x\nsubjects:\n- reference:mumbler\ninstruments:\n  ping:\n    trails: 5\n",
    "api_key.yaml": "subjects:\n- {subject: 'openai:x', api_key: sk}\ninstruments: [ping]\n",
    "override.yaml": "subjects:\n- {subject: 'openai:x', options: {top_p: 0.5}}\ninstruments: [ping]\n",
    "warmer.yaml": "subjects:\n- {subject: 'openai:x', parameters: {temperature: null}, "
    "options: {temperature: 1}}\ninstruments: [ping]\n",
    "elsewhere.yaml": "subjects:\n- {subject: 'python:a:b', headers: {X-A: b}}\ninstruments: [ping]\n",
    "price.yaml": "budget: {cost: 5}\nsubjects:\n- openai:x\ninstruments: [ping]\n",
    "twice.yaml": "name: x\nname: y\n",
    "list.yaml": "- name: x\n",
    "empty.yaml": "",
    "number.yaml": "subjects: [reference:mumbler]\ninstruments: {ping: 7}\n",
    "tab.yaml": "name: x\n\tseed: 1\n",
    "rows.jsonl": '{"contract": "add", "model": "m", "outputs": ["def add(a, b):\\n    return a + b"]}\n',
}


@pytest.fixture
def filled(tmp_path: Path, assay: Assay) -> Path:
    """A folder with studies good and bad, a lock, and a run that was not begun."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    for pipe in ("pipe.yaml", "pipe.json", "pipe.py"):
        os.mkfifo(tmp_path / pipe)
    (tmp_path / "endless.yaml").touch()
    os.truncate(tmp_path / "endless.yaml", 3 << 30)  # takes no room
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.yaml").mkdir()
    begin(
        tmp_path / "runs",
        Study(subjects=("reference:mumbler",), instruments={"ping": {"trials": 2}}),
        "taken",
    )
    assert assay("lock", "good.yaml").code == 0
    return tmp_path


@pytest.mark.parametrize(("line", "message"), WRONG.items(), ids=list(WRONG))
def test_wrong_input_is_told_in_one_sentence(
    filled: Path, assay: Assay, monkeypatch: pytest.MonkeyPatch, line: str, message: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ended = assay(*("" if word == "''" else word for word in line.split()))
    told = [one for one in ended.err.splitlines() if one.startswith("assay: ")]
    assert told == [f"assay: {message}"]
    assert (ended.code, ended.out) == (2, "")
    assert [path.name for path in (filled / "runs").iterdir() if not (path / "lock.json").exists()] == []


# Their wording is typer's, so only their form is held here.
@pytest.mark.parametrize(
    ("line", "named"),
    {
        "run ping -s reference:mumbler --seed x": "--seed",
        "run ping -s reference:mumbler --connections x": "--connections",
        "run ping -s reference:mumbler --max-tokens 1.5": "--max-tokens",
        "score repeatability rows.jsonl --tau 3": "--tau",
        "score repeatability rows.jsonl --workers 0": "--workers",
        "run ping --quikc": "--quikc",
        "rnu": "rnu",
    }.items(),
)
def test_a_mistyped_option_or_command_is_named_in_one_line(
    filled: Path, assay: Assay, line: str, named: str
) -> None:
    ended = assay(*line.split())
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("assay: ")
    assert ended.err.count("\n") == 1
    assert named in ended.err


def test_a_second_writer_is_refused(filled: Path, assay: Assay) -> None:
    with RunFolder(filled / "runs" / "taken"):
        ended = assay("resume", "taken")
    assert ended == (2, "", "assay: another process is running in runs/taken; wait for it or stop it first\n")
    assert assay("resume", "taken").code == 0


def test_a_run_whose_lock_cannot_be_written_leaves_no_folder_behind(filled: Path, assay: Assay) -> None:
    assert assay("run", "good.yaml", "--name", "x", "--key", "no.pem").code == 2
    assert not (filled / "runs" / "x").exists()
    assert assay("run", "good.yaml", "--name", "x").code == 0


def test_escapes_in_what_was_typed_do_not_come_back(assay: Assay) -> None:
    ended = assay("run", "ping", "-s", "openai:\x1b[31mred\x1b]0;title\x07", "--base-url", "x\x1b[2J")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    ended = assay("status", "runs/\x1b[31m\u202ered")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    assert "\u202e" not in ended.err


def test_habits_of_other_tools_are_put_right(assay: Assay) -> None:
    assert "for example openai:gpt-4o" in assay("plan", "repeatability", "-s", "openai/gpt-4o").err
    assert "write --subject KIND:NAME" in assay("plan", "repeatability", "--model", "gpt-4o").err
    said = assay("plan", "repeatability", "-s", "reference:steady", "--require", "pass_rate=0.9,R bytes=0.5")
    assert said.code == 0, said.err
    listed = assay("list", "runs")
    assert (listed.code, listed.out) == (0, "There are no runs in runs.\n")
