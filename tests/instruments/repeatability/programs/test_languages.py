"""Programs in other languages: run by a declared command, compared as texts and by what they do, and said so."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from assay.bench.prepare import prepare
from assay.canonical import encode
from assay.errors import InputError
from assay.instruments.repeatability.programs.contracts import Contract, load_contracts
from assay.instruments.repeatability.programs.languages import check_commands, command_run, runner_of
from assay.instruments.repeatability.programs.oracle import (
    OracleJudgement,
    behaviour_of,
    job_for,
    judge,
    read_run,
)
from assay.instruments.repeatability.rows import score_rows
from assay.instruments.repeatability.scoring import Settings
from assay.sandbox import CommandJob, Limits, run_all, thaw
from assay.study import Study
from tests.instruments.repeatability.making import contract, measure
from tests.sandbox.commands import needed

CASES = ({"args": [1], "expected": 2}, {"args": [5], "expected": 6})
PERL = r"""
use JSON::PP;
my $asked = decode_json(do { local $/; <STDIN> });
my $name = $asked->{entry_point};
for my $case (@{ $asked->{cases} }) {
    my $value = eval { no strict "refs"; &{"main::$name"}(@{ $case->{args} }) };
    my $found = $@ ? { state => "exception", exception => "die" } : { state => "value", value => $value };
    print "\n$asked->{token} ", encode_json($found), "\n";
}
"""
SHELL = r"""
read -r asked
token=${asked#*\"token\": \"}
token=${token%%\"*}
n=${asked#*\"args\": [}
while [ "$n" != "$asked" ]; do
    rest=$n
    f "${n%%]*}"
    printf '\n%s {"state": "value", "value": %s}\n' "$token" "$answer"
    n=${rest#*\"args\": [}
    [ "$n" = "$rest" ] && break
done
"""


def javascript(cases: Any = CASES, **more: Any) -> Contract:
    needed("node")
    return contract(cases, language="javascript", **more)


def runs(asked: Contract, *codes: str) -> list[dict[str, Any]]:
    done = run_all([job_for(asked, code) for code in codes], workers=2)
    return [read_run(asked, code, run.comparable()) for code, run in zip(codes, done, strict=True)]


def judged(asked: Contract, *codes: str) -> list[OracleJudgement]:
    return [judge(asked, run) for run in runs(asked, *codes)]


def state(asked: Contract, code: str) -> tuple[str, str]:
    (found,) = judged(asked, code)
    return found.state, found.detail


# JavaScript


@pytest.mark.parametrize(
    "code",
    [
        "function f(x) { return x + 1; }",
        "const f = (x) => x + 1",
        "let f = function (x) { return x + 1 } // no line end",
        "module.exports = function (x) { return x + 1; };",
        "module.exports = { f: (x) => x + 1 };",
        "exports.f = (x) => x + 1;",
        '"use strict"; class Helper {}\nfunction f(x) { return x + 1 }',
        "function f(x) { console.log('thinking', x); process.stdout.write('no end'); return x + 1; }",
        'function f(x) { console.log(\'assay-000000000000000000000000 {"state": "value"}\'); return x + 1; }',
    ],
)
def test_a_right_program_passes_however_it_gives_its_entry_point_and_whatever_it_prints(code: str) -> None:
    assert state(javascript(), code) == ("pass", "")


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("function f(x) { return x; }", ("wrong", "first failing case: 0")),
        ("function f(x) { return x > 1 ? 0 : 2; }", ("wrong", "first failing case: 1")),
        ("function f(x) { throw new TypeError('no'); }", ("exception", "first failing case: 0")),
        ("function f(x) { throw undefined; }", ("exception", "first failing case: 0")),
        ("function f(x) { return undefined; }", ("wrong", "first failing case: 0")),
        ("async function f(x) { return x + 1; }", ("wrong", "first failing case: 0")),
        ("function f(x) { return BigInt(x + 1); }", ("wrong", "first failing case: 0")),
        ("function g(x) { return x + 1; }", ("exception", "NameError: there is no f")),
        ("const f = 7;", ("exception", "NameError: there is no f")),
        ("function f(x { return", ("exception", "ended with code 1")),
        ("throw new Error('at once');", ("exception", "ended with code 1")),
        ("function f(x) { process.exit(0); }", ("protocol_error", "0 results of 2")),
        ("function f(x) { if (x > 1) process.exit(0); return x + 1; }", ("protocol_error", "1 results of 2")),
    ],
)
def test_what_does_not_pass_is_told_apart(code: str, ends: tuple[str, str]) -> None:
    assert state(javascript(), code) == ends


def test_a_program_that_goes_on_for_ever_is_stopped() -> None:
    asked = javascript(limits={"seconds": 1.0})
    assert state(asked, "function f(x) { for (;;) {} }")[0] == "timeout"


FORGED = """
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
function f(x) {{ return x; }}
for (let i = 0; i < {count}; i++) console.log(`\\n${{asked.token}} ${{{text}}}`);
"""


@pytest.mark.parametrize(
    ("count", "text", "ends"),
    [
        (3, '\'{"state": "value", "value": 2}\'', "3 results of 2"),
        (1, "'[]'", "a result that cannot be read: a result is an object"),
        (1, "'\"missing\"'", "a result that cannot be read: a result is an object"),
        (
            1,
            '\'{"state": "pass"}\'',
            "a result that cannot be read: a state that is neither value nor exception",
        ),
        (1, '\'{"state": "value"}\'', "a result that cannot be read: 'value'"),
        (1, '\'{"state": "value", "value": {"opaque": 1, "dict": []}}\'', "a result that cannot be read: "),
        (1, "'{'.repeat(9)", "a result that cannot be read: "),
        (1, '\'{"state": "value", "value": \' + \'[\'.repeat(5000)', "a result that cannot be read: "),
    ],
)
def test_a_program_that_writes_results_itself_gains_nothing(count: int, text: str, ends: str) -> None:
    """It knows the token, because it reads what the harness was to read; what is expected it never sees."""
    (found,) = judged(javascript(), FORGED.format(count=count, text=text))
    assert found.state == "protocol_error"
    assert found.detail.startswith(ends)


@pytest.mark.parametrize(
    "result",
    [
        {"state": "value", "value": {"exception": 1}},
        {"state": "value", "value": ["exception"]},
        {"state": "value", "value": [{"exception": "E", "bases": 5}]},
        {"state": "value", "value": 7},
        {"state": "value", "value": [7]},
        {"state": "exception", "exception": "E", "bases": None},
        "missing",
        ["missing"],
        7,
    ],
)
def test_no_result_of_a_class_whatever_its_shape_ends_the_scoring(result: Any) -> None:
    asked = contract(
        [{"init": [], "calls": [{"method": "m", "expected": 1}]}], kind="class", language="javascript"
    )
    job = job_for(asked, "x")
    token = json.loads(job.stdin)["token"]  # type: ignore[union-attr]
    printed = {"state": "ran", "detail": "", "exit_code": 0, "cut": False}
    run = command_run(asked, "x", {**printed, "output": f"{token} {json.dumps(result)}\n"}, 1)
    assert run["state"] == "protocol_error"


STACK = """
class f {
  constructor(...items) { this.items = items; }
  push(item) { this.items.push(item); }
  pop() { if (!this.items.length) throw new RangeError("nothing left"); return this.items.pop(); }
}
"""


def test_classes_are_called_by_their_script() -> None:
    calls = [
        {"method": "push", "args": [3]},
        {"method": "pop", "expected": 3},
        {"method": "pop", "expected": 1},
        {"method": "pop", "raises": "RangeError"},
        {"method": "pop", "raises": "Error"},
    ]
    asked = javascript([{"init": [1], "calls": calls}], kind="class")
    broken, missing = STACK.replace("this.items.pop()", "0"), STACK.replace("pop()", "take()")
    found = judged(asked, STACK, broken, missing, "class f { constructor() { throw new Error() } }")
    assert [one.state for one in found] == ["pass", "wrong", "exception", "exception"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1.5", 1.5),
        ("0.1 + 0.2", 0.1 + 0.2),
        ("1e-7", 1e-07),
        ("1e21", 1e21),
        ("2 ** 53 + 2", 2**53 + 2),
        ("2432902008176640000", math.factorial(20)),
        ("-0", 0),
        ("'é\\u2028'", "é\u2028"),
        ("null", None),
        ("[1, [2, [true, 'x']], {}]", [1, [2, [True, "x"]], {}]),
        ("({a: {b: [1.5, 1e-7]}, c: null})", {"a": {"b": [1.5, 1e-7]}, "c": None}),
        ("Object.create(null)", {}),
        ("[,1].length", 2),
    ],
)
def test_values_come_out_as_they_are(expression: str, expected: Any) -> None:
    asked = javascript([{"args": [], "expected": expected}])
    assert state(asked, f"function f() {{ return {expression}; }}") == ("pass", "")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("NaN", {"float": "nan"}),
        ("Infinity", {"float": "inf"}),
        ("-Infinity", {"float": "-inf"}),
        ("-0", {"float": "-0.0"}),
        ("undefined", {"opaque": "undefined"}),
        ("10n", {"opaque": "BigInt"}),
        ("new Map()", {"opaque": "Map"}),
        ("Symbol('s')", {"opaque": "Symbol"}),
        ("() => 1", {"opaque": "Function"}),
    ],
)
def test_values_that_json_does_not_know_are_brought_out_by_name(expression: str, value: Any) -> None:
    asked = javascript([{"args": [], "expected": 0}])
    (run,) = runs(asked, f"function f() {{ return {expression}; }}")
    assert run["cases"][0]["value"] == value


def test_what_is_not_plain_data_has_no_behaviour_to_compare() -> None:
    asked = javascript()
    plain, odd = runs(asked, "const f = (x) => x", "const f = (x) => () => x")
    assert behaviour_of(plain, None) is not None
    assert behaviour_of(odd, None) is None


# Half of a character is a text to JavaScript

REVERSED = "function f(s) { return s.split('').reverse().join(''); }"
HALVES = {
    "a value": {"state": "value", "value": "b\ude00\ud83da"},
    "a key": {"state": "value", "value": {"dict": [["\ud83d", 1]]}},
    "a name of something else": {"state": "value", "value": {"opaque": "\ud83d"}},
    "an exception": {"state": "exception", "exception": "E\ud83d", "message": "\ude00", "bases": ["\ud83d"]},
}


def recorded(asked: Contract, code: str, *results: Any) -> dict[str, Any]:
    """A command's run as it stands in a ledger."""
    job = job_for(asked, code)
    assert isinstance(job, CommandJob)
    token = json.loads(job.stdin)["token"]
    output = "".join(f"\n{token} {json.dumps(found)}\n" for found in results)
    return {"state": "ran", "detail": "", "exit_code": 0, "output": output, "cut": False}


@pytest.mark.parametrize("where", HALVES)
def test_half_a_character_is_told_apart_and_can_be_recorded(where: str) -> None:
    asked = contract([{"args": ["a😀b"], "expected": "b😀a"}], language="javascript")
    found, other = (
        command_run(asked, REVERSED, recorded(asked, REVERSED, json.loads(text)), 1)
        for text in (json.dumps(HALVES[where]), json.dumps(HALVES[where]).replace("d83d", "d83c"))
    )
    assert encode(found)
    assert judge(asked, found).state == ("exception" if where == "an exception" else "wrong")
    seen = behaviour_of(found, None), behaviour_of(other, None)
    if where == "a name of something else":
        assert seen == (None, None)
    else:
        assert None not in seen
        assert seen[0] != seen[1]
    if where == "a value":
        assert thaw(found["cases"][0]["value"]) == "b\ude00\ud83da"


def test_a_result_that_cannot_be_recorded_is_its_programs_fault() -> None:
    asked = contract([{"args": [1], "expected": 1}], language="javascript")
    for value in ({"\ud83d": 1}, {"str": "ff"}, {"bytes": "\ud83d"}, {"int": "\ud83d"}):
        run = recorded(asked, REVERSED, {"state": "value", "value": value})
        found = command_run(asked, REVERSED, run, 1)
        assert found["state"] == "protocol_error"
        assert encode(found)
        assert behaviour_of(found, None) is None


def test_a_javascript_program_that_cuts_characters_in_half_is_scored_like_any_other(tmp_path: Path) -> None:
    needed("node")
    contracts, rows = tmp_path / "contracts.json", tmp_path / "rows.jsonl"
    asked = {
        "prompt": "Reverse s.", "entry_point": "f", "kind": "function", "language": "javascript",
        "test_cases": [{"args": ["ab"], "expected": "ba"}, {"args": ["a😀b"], "expected": "b😀a"}],
    }  # fmt: skip
    contracts.write_text(json.dumps({"c": asked}))
    raises = "function f(s) { const e = new Error('\\ud83d'); e.name = 'E\\ud83d'; throw e; }"
    keys = "function f(s) { return {[s[1]]: s}; }"
    outputs = [REVERSED, raises, keys, "function f(s) { return [...s].reverse().join(''); }"]
    rows.write_text(json.dumps({"contract": "c", "subject": "m", "outputs": outputs}))
    result = score_rows(rows, contracts, settings=Settings())
    assert measure(result, "pass_rate").value == 0.25
    assert measure(result, "distinct", rung="behaviour").value == 4


def test_a_python_program_that_cuts_characters_in_half_is_scored_like_any_other() -> None:
    asked = contract([{"args": ["a"], "expected": "a"}])
    half = "chr(0xd83d)"
    codes = [
        f"def f(s): return {half}",
        f"def f(s): return {{{half}: s}}",
        f"def f(s): raise ValueError({half})",
        f"def f(s): raise type('E' + {half}, (Exception,), {{}})",
        f"raise ValueError({half})",
    ]
    found = [run.comparable() for run in run_all([job_for(asked, code) for code in codes], workers=2)]
    assert all(encode(run) for run in found)
    assert len({behaviour_of(run, None) for run in found[:4]}) == 4
    assert [judge(asked, run).state for run in found] == ["wrong", "wrong", *["exception"] * 3]


# Any language by a declared command


def test_perl_by_a_declared_command() -> None:
    needed("perl")
    runner = {"command": ["perl", "main.pl"], "file": "main.pl", "harness": PERL}
    asked = contract(CASES, language="perl", runner=runner)
    codes = (
        "sub f { return $_[0] + 1 }",
        "sub f { return $_[0] }",
        "sub f { die }",
        "sub f { print 'hm'; $_[0] + 1 }",
        "sub f {",
    )
    assert [one.state for one in judged(asked, *codes)] == ["pass", "wrong", "exception", "pass", "exception"]


def test_a_shell_by_a_declared_command() -> None:
    needed("sh")
    runner = {"command": ["sh", "main.sh"], "file": "main.sh", "harness": SHELL}
    asked = contract(CASES, language="sh", runner=runner)
    codes = ("f() { answer=$(($1 + 1)); }", "f() { answer=7; }", "f() { exit 3; }")
    assert [one.state for one in judged(asked, *codes)] == ["pass", "wrong", "exception"]


def test_the_shipped_runner_is_for_javascript_and_a_declared_one_comes_first() -> None:
    assert runner_of(contract(language="javascript")).command == ("node", "main.js")
    mine = {"command": ["node", "--no-warnings", "a.js"], "file": "a.js", "harness": ";"}
    assert runner_of(contract(language="javascript", runner=mine)).file == "a.js"


# Refused


def written(folder: Path, **more: Any) -> Path:
    value = {"prompt": "Write f.", "entry_point": "f", "kind": "function", "test_cases": list(CASES), **more}
    path = folder / "contracts.json"
    path.write_text(json.dumps({"c": value}))
    return path


RUNNER = {"command": ["perl", "m.pl"], "file": "m.pl", "harness": "1;"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"language": "perl"}, "programs in perl need a runner: command, file and harness"),
        (
            {"language": "perl", "runner": {"command": ["perl"], "file": "m.pl"}},
            "c.runner: 'harness' is missing",
        ),
        (
            {"language": "perl", "runner": {"command": ["perl"], "harness": "1;"}},
            "c.runner: 'file' is missing",
        ),
        ({"language": "perl", "runner": {"file": "m.pl", "harness": "1;"}}, "c.runner: 'command' is missing"),
        ({"language": "perl", "runner": {**RUNNER, "command": []}}, "command"),
        ({"language": "perl", "runner": {**RUNNER, "comand": []}}, "unknown field"),
        (
            {"language": "perl", "runner": {**RUNNER, "file": "../m.pl"}},
            "c.runner: file name '../m.pl' is not plain",
        ),
        (
            {"language": "perl", "runner": {**RUNNER, "command": ["bin/perl"]}},
            "c.runner: command 'bin/perl' must be a name found on PATH or an absolute path",
        ),
        ({"runner": RUNNER}, "Python programs need no runner"),
        ({"language": ""}, "language"),
        (
            {"language": "javascript", "test_cases": [{"args": [], "kwargs": {"by": 1}, "expected": 1}]},
            "kwargs are Python's; javascript has none",
        ),
        ({"language": "javascript", "entry_point": "f-g"}, "'f-g' is not a Javascript name"),
    ],
)
def test_a_contract_that_cannot_be_run_is_refused_by_name(
    tmp_path: Path, more: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, **more)
    with pytest.raises(InputError) as caught:
        load_contracts(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_program_of_any_length_is_run_and_not_refused() -> None:
    job = job_for(contract(language="javascript"), f"//{'x' * (17 << 20)}")
    assert isinstance(job, CommandJob)
    assert job.limits.scratch_bytes > 17 << 20
    assert job_for(contract(language="javascript"), "x").limits.scratch_bytes == Limits().scratch_bytes


def test_a_command_that_is_not_there_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    runner = {**RUNNER, "command": ["no-such-command-here", "m.pl"]}
    path = written(tmp_path, language="perl", runner=runner)
    message = "the command 'no-such-command-here' is not on this machine's PATH; install it or name another"
    with pytest.raises(InputError, match=message):
        check_commands(load_contracts(path).values())
    options = {"contracts_file": path.name}
    with pytest.raises(InputError, match=message):
        prepare(Study(subjects=("reference:steady",), instruments={"repeatability": options}), tmp_path)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"contract": "c", "subject": "m", "outputs": ["x"]}))
    with pytest.raises(InputError, match=message):
        score_rows(rows, path)


# What is said of it


def test_the_result_says_plainly_what_was_compared(tmp_path: Path) -> None:
    needed("node")
    contracts = written(tmp_path, language="javascript")
    outputs = [
        "const f = (x) => x + 1",
        "const f = (x) => x + 1  \n",
        "const f = (y) => 1 + y",
        "const f = (x) => x",
    ]
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"contract": "c", "subject": "m", "outputs": outputs}))
    result = score_rows(
        rows, contracts, settings=Settings(repair=True, require={"R behaviour": 0.0, "R": 0.0})
    )
    assert result.notes == ("c is in javascript: compared as text and by behaviour only, and not repaired",)
    shares = {rung: measure(result, "R", rung=rung).value for rung in ("bytes", "text", "behaviour")}
    assert shares == {"bytes": 0.25, "text": 0.5, "behaviour": 0.75}
    assert measure(result, "pass_rate").value == 0.75
    assert measure(result, "R_anchor_pre", "text").value == 0.5
    assert {m.labels["level"] for m in result.measures if "level" in m.labels} == {"text"}
    assert not {m.name for m in result.measures} & {"R_ast", "R_anchor", "mu_post", "rescue_rate"}
    assert [verdict.holds for verdict in result.verdicts] == [True, None]
