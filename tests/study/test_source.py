"""What a user sees when a study is wrong: one sentence with file, line, field and what would be right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from assay.errors import InputError
from assay.study import Study, convert, parse_source, read_source


def complaint(text: str, to: Any = Study) -> str:
    def read() -> Any:
        source = parse_source(text, "study.yaml")
        return convert(source.value, to, source)

    with pytest.raises(InputError) as caught:
        read()
    message = str(caught.value)
    assert caught.value.__cause__ is None
    assert "\n" not in message
    assert "`" not in message
    assert "$" not in message
    return message


UNKNOWN = [
    ("seeed: 2", "study.yaml:1: seeed: unknown field; did you mean 'seed'?"),
    ("name: x\nbudget:\n  call: 3", "study.yaml:3: budget.call: unknown field; did you mean 'calls'?"),
    (
        "subjects:\n- local:a\n- subject: openai:b\n  prise: {input: 1}",
        "study.yaml:4: subjects[1].prise: unknown field; did you mean 'price'?",
    ),
    (
        "subjects:\n- subject: openai:b\n  price:\n    input: 1\n    outputs: 2",
        "study.yaml:5: subjects[0].price.outputs: unknown field; did you mean 'output'?",
    ),
    ("sampling: {topp: 0.5}", "study.yaml:1: sampling.topp: unknown field; did you mean 'top_p'?"),
    (
        "limits:\n  zzz: 1",
        "study.yaml:2: limits.zzz: unknown field; known: call_seconds, excluded_share, give_up_after, "
        "reply_characters, trial_seconds, tries, wait_seconds",
    ),
    ('"a b": 1', None),
]

WRONG = [
    ("seed: one", "study.yaml:1: seed: must be a whole number, not text"),
    ("seed: 1.5", "study.yaml:1: seed: must be a whole number, not a decimal number"),
    ("seed: true", "study.yaml:1: seed: must be a whole number, not true or false"),
    ("name:", "study.yaml:1: name: must be text; nothing is given"),
    ("name: [a]", "study.yaml:1: name: must be text, not a list"),
    ("\n\nbudget: [calls, 3]", "study.yaml:3: budget: must be a mapping, not a list"),
    ("budget: {calls: 0}", "study.yaml:1: budget.calls: must be a whole number, at least 1"),
    ("budget:\n  cost: 0", "study.yaml:2: budget.cost: must be a number, more than 0"),
    ("budget:\n  cost: lots", "study.yaml:2: budget.cost: must be a number or nothing, not text"),
    ("limits: {excluded_share: 2}", "study.yaml:1: limits.excluded_share: must be a number, at most 1"),
    ("sampling: {top_p: 0.0}", "study.yaml:1: sampling.top_p: must be a number, more than 0"),
    (
        "sampling:\n  seed: derivd",
        "study.yaml:2: sampling.seed: 'derivd' is not a choice; did you mean 'derived'?",
    ),
    (
        "subjects:\n- subject: a:b\n  boundary: big",
        "study.yaml:3: subjects[0].boundary: 'big' is not a choice; known: core, extended",
    ),
    (
        "subjects:\n- subject: a:b\n  connections: 5000",
        "study.yaml:3: subjects[0].connections: must be a whole number, at most 4096",
    ),
    ("stopping: whenever", "study.yaml:1: stopping: must be 'fixed', not 'whenever'"),
    ("study: 2", "study.yaml:1: study: must be 1, not 2"),
    ("subjects: local:smollm2", "study.yaml:1: subjects: must be a list, not text"),
    ("subjects:\n- a:b\n- 3", "study.yaml:3: subjects[1]: must be text or a mapping, not a whole number"),
    ("subjects:\n- label: x", "study.yaml:2: subjects[0]: 'subject' is missing"),
    ("instruments: 3", "study.yaml:1: instruments: must be a mapping or a list, not a whole number"),
    ("instruments: [bias, bias]", "study.yaml:1: the instrument 'bias' is named twice"),
    ("- a\n- b", "study.yaml:1: must be a mapping, not a list"),
    ("just words", "study.yaml:1: must be a mapping, not text"),
    ("---\nnull", "study.yaml:2: must be a mapping; nothing is given"),
]

NOT_PLAIN = [
    ("", "study.yaml: the file is empty"),
    ("# only a comment\n", "study.yaml: the file is empty"),
    ("name: a\nseed: 1\nname: b", "study.yaml:3: 'name' is given twice"),
    ("budget:\n  calls: 1\n  calls: 2", "study.yaml:3: 'calls' is given twice"),
    ("name: a\n\tseed: 1", "study.yaml:2: not valid YAML: found a tab character that violates indentation"),
    ("name: [a", "study.yaml:2: not valid YAML: did not find expected ',' or ']'"),
    ("name: 'a", "study.yaml:1: not valid YAML: found unexpected end of stream"),
    ("a: b: c", "study.yaml:1: not valid YAML: mapping values are not allowed in this context"),
    (
        "name: a\n---\nname: b",
        "study.yaml:2: not valid YAML: expected a single document in the stream, but found another document",
    ),
    ("name: *who", "study.yaml:1: not valid YAML: found undefined alias"),
    ("a: &x\n  b: *x", "study.yaml:1: an alias that contains itself"),
    ("&x [*x]", "study.yaml:1: an alias that contains itself"),
    ("name: !!python/object/apply:os.system [ls]", None),
    ("name: !secret x", "study.yaml:1: the tag !secret is not known here; leave it out"),
    ("name: !!binary aGk=", "study.yaml:1: the tag !!binary is not known here; leave it out"),
    ("instruments: !!set {a, b}", "study.yaml:1: the tag !!set is not known here; leave it out"),
    ("name: 2024-02-30", "study.yaml:1: '2024-02-30' looks like a date but is none; put it in quotes"),
    ("name: 2024-02-20", "study.yaml:1: '2024-02-20' is read as a date; put it in quotes"),
    ("seed: 010", "study.yaml:1: 010 is read as 8; write that, or put it in quotes"),
    ("budget: {seconds: 1:30}", "study.yaml:1: 1:30 is read as 90; write that, or put it in quotes"),
    ("budget:\n  cost: .inf", "study.yaml:2: .inf is not a finite number"),
    ("budget:\n  cost: .NaN", "study.yaml:2: .NaN is not a finite number"),
    ("budget:\n  cost: 1.0e+999", "study.yaml:2: 1.0e+999 is not a finite number"),
    ("1: a", "study.yaml:1: the key 1 is not read as text; put it in quotes"),
    ("yes: a", "study.yaml:1: the key yes is not read as text; put it in quotes"),
    ("? [a, b]\n: c", "study.yaml:1: a key must be a word, not a list or a mapping"),
    ("name: a\nseed: \x07", "study.yaml:2: the character U+0007 has no place in a YAML file"),
    ("name: a\x00b", "study.yaml:1: the character U+0000 has no place in a YAML file"),
    ("name: a\ud800b", "study.yaml:1: the character U+D800 has no place in a YAML file"),
    ('name: "\\ud800"', "study.yaml:1: not valid YAML: found invalid Unicode character escape code"),
]


@pytest.mark.parametrize(("text", "expected"), [*UNKNOWN, *WRONG, *NOT_PLAIN])
def test_a_wrong_study_is_told_in_one_sentence(text: str, expected: str | None) -> None:
    found = complaint(text)
    if expected is not None:
        assert found == expected


def test_a_tag_that_would_run_code_runs_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"name: !!python/object/apply:os.mkdir ['{mark}']"
    assert complaint(text).startswith(
        "study.yaml:1: the tag !!python/object/apply:os.mkdir is not known here"
    )
    assert not mark.exists()


def test_control_characters_in_a_field_name_do_not_reach_the_terminal() -> None:
    found = complaint('"\\e[31mred": 1\n')
    assert "\x1b" not in found
    assert found.startswith("study.yaml:1: ['\\x1b[31mred']: unknown field")


def test_a_field_name_cannot_imitate_the_validators_own_words() -> None:
    with pytest.raises(InputError) as caught:
        convert({"x` - at `$.seed": 1}, Study)
    assert "unknown field" in str(caught.value)
    assert not str(caught.value).startswith("seed")


def laughs(levels: int, width: int) -> str:
    lines = ['a0: &a0 ["ha"]']
    for n in range(1, levels):
        lines.append(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]")
    return "\n".join(lines)


def merged(levels: int, width: int) -> str:
    lines = ["a0: &a0 {k: 1}"]
    for n in range(1, levels):
        lines.append(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * width)}]}}")
    return "\n".join(lines)


@pytest.mark.parametrize("bomb", [laughs(12, 10), laughs(40, 3), merged(12, 10)])
def test_a_few_lines_that_stand_for_billions_are_refused(bomb: str) -> None:
    assert "stands for more than 200,000 values when its aliases are followed" in complaint(bomb)


def test_ordinary_aliases_and_merges_are_followed() -> None:
    text = "base: &b {input: 1}\nsubjects:\n- subject: a:b\n  price: {<<: *b, output: 2}\n- *b"
    value = parse_source(text, "f").value
    assert value["subjects"] == [{"subject": "a:b", "price": {"input": 1, "output": 2}}, {"input": 1}]


@pytest.mark.parametrize(
    "text", ["[" * 5_000, "{a: " * 5_000, "- " * 5_000 + "x", "\n".join(" " * n + "a:" for n in range(400))]
)
def test_deep_nesting_is_refused_and_does_not_end_the_process(text: str) -> None:
    assert complaint(text).endswith("nested more than 64 levels deep")


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    size: int = 0
    name: str = ""


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    rooms: dict[str, Inner] = {}
    rows: list[dict[str, list[Inner]]] = []
    pair: tuple[int, Inner] = (0, Inner())
    word: Annotated[str, msgspec.Meta(min_length=1)] = "x"
    many: Annotated[list[int], msgspec.Meta(max_length=2)] = []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "rooms:\n  hall: {size: 1}\n  attic:\n    sise: 2",
            "study.yaml:4: rooms.attic.sise: unknown field; did you mean 'size'?",
        ),
        (
            "rooms:\n  a: {}\n  'b.c d':\n    size: x",
            "study.yaml:4: rooms['b.c d'].size: must be a whole number, not text",
        ),
        (
            "rows:\n- a: []\n- a: [{}]\n  b:\n  - {}\n  - nam: x",
            "study.yaml:6: rows[1].b[1].nam: unknown field; did you mean 'name'?",
        ),
        ("pair: [1, {nam: x}]", "study.yaml:1: pair[1].nam: unknown field; did you mean 'name'?"),
        ("rows: [{a: [{name: ''}]}]\nword: ''", "study.yaml:2: word: must have at least 1 characters"),
        ("many: [1, 2, 3]", "study.yaml:1: many: must have at most 2 entries"),
        ("pair: [1]", "study.yaml:1: pair: must have exactly 2 entries"),
    ],
)
def test_the_place_is_found_inside_mappings_of_any_names(text: str, expected: str) -> None:
    assert complaint(text, Outer) == expected


# Files.


def test_json_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text('{"name": "a", "seed": 3,\n "subjects": ["a:b"]}')
    source = read_source(path)
    assert convert(source.value, Study, source).seed == 3
    assert source.line(("subjects", 0)) == 2
    assert source.line(("subjects", 0, "nothing", "here")) == 2, "the nearest line above"


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_source(tmp_path / "none.yaml")
    assert str(caught.value) == f"there is no file {tmp_path}/none.yaml"
    with pytest.raises(InputError) as caught:
        read_source(tmp_path)
    assert str(caught.value) == f"{tmp_path} is a folder, a YAML file is needed"
    path = tmp_path / "latin.yaml"
    path.write_bytes("name: a\ndescription: é".encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_source(path)
    assert str(caught.value) == f"{path}:2: not UTF-8 text (byte 21 of the file)"


@pytest.mark.parametrize("head", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_byte_order_marks_and_line_ends_make_no_difference(tmp_path: Path, head: bytes, end: bytes) -> None:
    path = tmp_path / "study.yaml"
    path.write_bytes(head + end.join([b"name: x", b"sed: 2"]))
    source = read_source(path)
    assert source.value == {"name": "x", "sed": 2}
    with pytest.raises(InputError, match=r"study.yaml:2: sed: unknown field"):
        convert(source.value, Study, source)
