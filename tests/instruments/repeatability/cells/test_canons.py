"""Canons: content-addressed, write-once, keyed by everything that defines them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.canonical import decode
from assay.errors import InputError, IntegrityError
from assay.instruments.repeatability.cells.canons import canon_bytes, load_canons
from assay.instruments.repeatability.cells.cell import Canon
from assay.instruments.repeatability.programs.contracts import Contract
from assay.instruments.repeatability.scoring import Settings
from tests.instruments.repeatability.making import anchors_of, canon_of, cell_of, contract, measure, score

CODE = "def f(x):\n    return x + 1\n"


def canon(
    code: str = CODE,
    asked: Contract | None = None,
    snapshot: str = "",
    versions: dict[str, str] | None = None,
) -> Canon:
    asked = asked or contract()
    made = canon_of(code, snapshot or asked.snapshot, asked.id)
    return msgspec.structs.replace(made, versions={**made.versions, **(versions or {})})


def stored(folder: Path, *canons: Canon) -> Path:
    for one in canons:
        (folder / f"{one.digest}.json").write_bytes(canon_bytes(one))
    return folder


def test_the_digest_is_the_same_on_every_machine() -> None:
    """A golden value: when it changes, every canon on anybody's disk is another one."""
    fixed = canon_of(CODE, "0" * 64, "add")
    assert canon_bytes(fixed) == (
        b'{"code":"def f(x):\\n    return x + 1\\n","contract":"add",'
        b'"normalised":"def f(x):\\n    return x + 1",'
        # printf 'def f(x):\n    return x + 1' | sha256sum
        b'"signature":"45b055c60d6d05a8b1e6dfbd672efd14dac962623ffaea77a247a32f47e58c75",'
        b'"snapshot":"' + b"0" * 64 + b'","versions":{"agreement.ast":"astdump/1","distance":"levenshtein/1",'
        b'"extraction":"extract/1","inputs":"inputs/1","normalisation.ast":"ast/1","normalisation.text":"text/2",'
        b'"oracle":"oracle/1","pairs":"words/1","repair":"repair/3","rung.behaviour":"behaviour/2",'
        b'"rung.layout":"layout/1","rung.names":"names/1"}}\n'
    )
    # printf '%s' "$the line above" | sha256sum
    assert fixed.digest == "57237f06574efc395c8153e250ab070a0cef3025ff8ed256be0d35ab23984d9b"


def test_whatever_defines_a_canon_is_in_its_digest() -> None:
    one = canon()
    others = [
        canon(CODE + " "),
        canon(asked=contract(id="d")),
        canon(snapshot="f" * 64),
        canon(versions={"oracle": "oracle/2"}),
        canon(versions={"normalisation.text": "text/1"}),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 6


def test_the_snapshot_changes_with_the_tests_and_not_with_the_solutions_or_the_title() -> None:
    solutions = [{"name": "plain", "kind": "correct", "code": CODE}]
    asked = contract()
    assert contract(solutions=solutions, title="T", difficulty="easy").snapshot == asked.snapshot
    changed = [
        contract([{"args": [1], "expected": 3}]),
        contract(version=2),
        contract(prompt="Write f, please."),
        contract(entry_point="g"),
        contract(limits={"seconds": 1.0}),
        contract(id="d"),
    ]
    assert len({asked.snapshot, *(c.snapshot for c in changed)}) == 7


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_canon_survives_its_file_whatever_characters_it_holds(
    tmp_path_factory: pytest.TempPathFactory, code: str
) -> None:
    """Control characters and line separators are plain in JSON and something else in YAML."""
    asked, folder = contract(), tmp_path_factory.mktemp("canons")
    assert load_canons(stored(folder, canon(code)), {"c": asked}) == {"c": canon(code)}


def test_a_folder_or_a_single_file_can_be_declared(tmp_path: Path) -> None:
    one = canon()
    folder = stored(tmp_path, one)
    assert load_canons(folder, {"c": contract()}) == {"c": one}
    assert load_canons(folder / f"{one.digest}.json", {"c": contract()}) == {"c": one}


def test_canons_of_other_contracts_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    folder = stored(tmp_path, canon(), canon(asked=contract(id="d")))
    assert list(load_canons(folder, {"c": contract()})) == ["c"]


def refused(path: Path, contracts: dict[str, Contract]) -> str:
    with pytest.raises(InputError) as caught:
        load_canons(path, contracts)
    return str(caught.value)


def test_a_canon_for_another_version_of_the_contract_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, canon()) / f"{canon().digest}.json"
    assert refused(path, {"c": contract(version=2)}) == (
        f"{path}: was made for another version of the contract 'c'"
    )


@pytest.mark.parametrize("name", sorted(canon().versions))
def test_a_canon_of_another_version_of_any_rule_is_refused_and_both_are_named(
    tmp_path: Path, name: str
) -> None:
    folder = stored(tmp_path, canon(versions={name: "other/0"}))
    here = canon().versions[name]
    assert f".json: was made with {name} other/0, here it is {here}." in refused(folder, {"c": contract()})


def test_a_rule_that_is_not_known_here_is_another_version(tmp_path: Path) -> None:
    folder = stored(tmp_path, canon(versions={"new": "new/1"}))
    assert "was made with new new/1, here it is unknown" in refused(folder, {"c": contract()})


def test_a_canon_holds_its_normalised_code_and_signature() -> None:
    (anchor,) = anchors_of([cell_of(CODE.replace("\n", "  \r\n"))])
    assert anchor.canon is not None
    assert anchor.canon.code == CODE.replace("\n", "  \r\n")
    assert anchor.canon.normalised == CODE.rstrip()
    assert anchor.canon.signature == hashlib.sha256(CODE.rstrip().encode()).hexdigest()


@pytest.mark.parametrize("changed", [{"normalised": "x"}, {"signature": "0" * 64}])
def test_a_normal_form_that_is_not_that_of_the_code_is_found_out(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    folder = stored(tmp_path, msgspec.structs.replace(canon(), **changed))
    with pytest.raises(IntegrityError, match="its normalised code or its signature is not that of its code"):
        load_canons(folder, {"c": contract()})


def test_a_canon_of_an_earlier_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    old = {
        "code": CODE,
        "contract": "c",
        "normalisation": "text/1",
        "oracle": "oracle/1",
        "snapshot": contract().snapshot,
    }
    path.write_text(json.dumps(old))
    found = refused(path, {"c": contract()})
    assert "a canon of an earlier version of Assay (oracle/1, text/1)" in found
    assert found.endswith("run its study again with this version, and declare the canons of that run")


def test_a_second_canon_for_a_contract_is_refused(tmp_path: Path) -> None:
    folder = stored(tmp_path, canon(), canon(CODE + "\n"))
    assert refused(folder, {"c": contract()}).endswith(
        "a second canon for 'c'; a declared canon is the only one, so name its file "
        "(drift_from holds every cell against its own)"
    )


def test_an_empty_folder_and_one_without_a_fitting_canon_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, {"c": contract()}) == f"there are no canons in {tmp_path}"
    stored(tmp_path, canon())
    assert refused(tmp_path, {"d": contract(id="d")}) == (
        f"none of the canons in {tmp_path} belongs to a contract of the study"
    )


def test_a_canon_that_was_changed_under_its_name_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / f"{canon().digest}.json"
    path.write_bytes(canon_bytes(canon(CODE + "# changed\n")))
    with pytest.raises(IntegrityError, match="is not the canon that its name says"):
        load_canons(tmp_path, {"c": contract()})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "{}: not valid JSON: Input data was truncated"),
        (b"[]", "{}:1: must be a mapping, not a list"),
        (b'{"contract": "c", "snapshot": "0"}', "{}:1: 'code' is missing"),
    ],
)
def test_a_file_that_is_no_canon_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(data)
    assert refused(path, {"c": contract()}) == message.format(path)


def test_a_declared_canon_comes_before_all_others_and_stands_in_no_cell() -> None:
    declared = canon("something else\n")
    result = score(cell_of(CODE, CODE), declared={"c": declared})
    index, same = measure(result, "canon_index"), measure(result, "R_anchor_pre", "text")
    assert (index.value, index.notes) == (None, ("the canon was declared",))
    assert index.labels["canon"] == declared.digest
    assert same.value == 0.0
    assert same.method.endswith("interval from all outputs; the canon is not one of them")


def test_a_declared_canon_is_a_canon_even_where_nothing_passes() -> None:
    result = score(cell_of((CODE, "wrong")), declared={"c": canon()}, settings=Settings(scope="contract"))
    assert measure(result, "R_anchor_pre", "ast").value == 1.0


def test_the_file_holds_the_canon_and_nothing_else() -> None:
    assert decode(canon_bytes(canon())) == msgspec.to_builtins(canon())
