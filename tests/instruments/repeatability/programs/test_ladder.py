"""The ladder of sameness: each rung joins what the rung below it has joined, and sees through one thing more."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.instruments.repeatability.cells.cell import Cell, CellKey, Output
from assay.instruments.repeatability.cells.records import record_rows
from assay.instruments.repeatability.kinds import programs_in
from assay.instruments.repeatability.programs.ladder import RUNGS, TEXT_RUNGS, class_sizes, climb
from assay.instruments.repeatability.programs.normalisation import Forms, normal_forms
from assay.instruments.repeatability.scoring import Settings
from tests.instruments.repeatability.making import anchors_of, cell_of, measure, score

from .grammar import programs, renamed, restyled

A = "def f(x):\n    return x + 1\n"
TRAILING = A.replace("\n", "  \r\n")
LAID_OUT = "# why\ndef f( x ):\n  return x+1\n"
DOCUMENTED = 'def f(x):\n    """Add one."""\n    return (x + 1)\n'
RENAMED = "def f(number):\n    return number + 1\n"
OTHER = "def f(x):\n    return 1 + x\n"
WRONG = "def f(x):\n    return x\n"
ODD = ["", " \n", "def f(", "def f( ", "# only a remark", "\x00", "f = '''", "é = 1", "(" * 600 + ")" * 600]
some = settings(max_examples=20)


def forms(source: str) -> Forms:
    return normal_forms(source, frozenset({"f"}))


@st.composite
def mixtures(draw: st.DrawFn) -> list[tuple[str, str | None]]:
    """Outputs of any make, with any behaviour or none that was seen: what the ladder is given may be nonsense."""
    program = draw(programs())
    family = [
        program.source,
        draw(renamed(program)).source,
        draw(restyled(program)),
        draw(restyled(draw(renamed(program)))),
        draw(programs()).source,
        program.source.replace("\n", "\r\n"),
        draw(st.sampled_from(ODD)),
        draw(st.text(max_size=8)),
    ]
    behaviour = st.sampled_from([None, "p", "q"])
    return draw(st.lists(st.tuples(st.sampled_from(family), behaviour), max_size=10))


def climbed(outputs: Sequence[tuple[str, str | None]], rungs: Sequence[str] = RUNGS) -> dict[str, list[int]]:
    return climb([code for code, _ in outputs], [seen for _, seen in outputs], forms, rungs)


@some
@given(mixtures())
def test_what_is_the_same_at_a_rung_is_the_same_at_every_rung_above(
    outputs: list[tuple[str, str | None]],
) -> None:
    found = climbed(outputs)
    assert list(found) == list(RUNGS)
    for i, j in combinations(range(len(outputs)), 2):
        same = [found[rung][i] == found[rung][j] for rung in RUNGS]
        assert same == sorted(same)


@some
@given(mixtures())
def test_shares_and_agreement_never_fall_from_rung_to_rung(outputs: list[tuple[str, str | None]]) -> None:
    found = climbed(outputs)
    for lower, upper in pairwise(RUNGS):
        below, above = class_sizes(found[lower]), class_sizes(found[upper])
        assert max(below, default=0) <= max(above, default=0)
        assert sum(size**2 for size in below) <= sum(size**2 for size in above)
        assert len(below) >= len(above)


@some
@given(mixtures())
def test_the_bottom_rung_is_equality_of_bytes_and_classes_are_numbered_by_appearance(
    outputs: list[tuple[str, str | None]],
) -> None:
    for rung, classes in climbed(outputs).items():
        assert list(dict.fromkeys(classes)) == list(range(len(set(classes))))
        if rung == "bytes":
            for i, j in combinations(range(len(outputs)), 2):
                assert (classes[i] == classes[j]) == (outputs[i][0] == outputs[j][0])


@some
@given(mixtures())
def test_text_rungs_are_those_of_the_whole_ladder(outputs: list[tuple[str, str | None]]) -> None:
    whole, text = climbed(outputs), climbed(outputs, TEXT_RUNGS)
    assert list(text) == ["bytes", "text", "behaviour"]
    assert (text["bytes"], text["text"]) == (whole["bytes"], whole["text"])


@some
@given(st.data())
def test_restyled_programs_meet_at_layout_and_renamed_ones_at_names_and_not_below(
    data: st.DataObject,
) -> None:
    program = data.draw(programs())
    clothed, other = data.draw(restyled(program)), data.draw(renamed(program)).source
    found = climbed([(program.source, None), (clothed, None), (other, None)])
    for rung in RUNGS:
        original, reformatted, under_names = found[rung]
        if RUNGS.index(rung) >= RUNGS.index("layout"):
            assert original == reformatted
        if RUNGS.index(rung) >= RUNGS.index("names"):
            assert original == under_names
        elif other != program.source:
            assert original != under_names


def test_each_rung_sees_through_one_thing_more() -> None:
    outputs = [
        (A, "p"),
        (TRAILING, "p"),
        (LAID_OUT, "p"),
        (DOCUMENTED, "p"),
        (RENAMED, "p"),
        (OTHER, "p"),
        (WRONG, "q"),
    ]
    found = climbed(outputs)
    joined = {rung: classes.count(classes[0]) for rung, classes in found.items()}
    assert joined == {"bytes": 1, "text": 2, "layout": 3, "ast": 4, "names": 5, "behaviour": 6}


def test_what_was_not_seen_to_its_end_stays_in_the_class_it_had() -> None:
    found = climbed([(A, "p"), (OTHER, None), (OTHER, None), (WRONG, None)])
    assert found["behaviour"] == [0, 1, 1, 2]


def test_a_class_is_put_on_a_rung_by_those_of_it_that_were_seen() -> None:
    """One of two equal programs ran out of time; that the other behaves as a third does is known all the same."""
    for outputs in ([(LAID_OUT, None), (A, "p"), (OTHER, "p")], [(OTHER, "p"), (A, "p"), (LAID_OUT, None)]):
        assert climbed(outputs)["behaviour"] == [0, 0, 0]


def test_programs_that_do_not_parse_meet_as_texts_and_by_behaviour_only() -> None:
    found = climbed([("def f(", "x"), ("def f(  ", "x"), ("class (", "x"), (A, "p")])
    assert found["bytes"] == [0, 1, 2, 3]
    assert all(found[rung] == [0, 0, 1, 2] for rung in ("text", "layout", "ast", "names"))
    assert found["behaviour"] == [0, 0, 0, 1]


# On the ladder of a cell


def cell(*outputs: tuple[str, str | None]) -> Cell:
    made = [Output(i, code, "pass", 1, 1, behaviour=seen) for i, (code, seen) in enumerate(outputs)]
    return Cell(CellKey("c", "m"), made, kind=programs_in("python", frozenset({"f"})))


def test_R_and_agreement_at_every_rung_are_counts_by_hand() -> None:
    result = score(cell((A, "p"), (TRAILING, "p"), (RENAMED, "p"), (WRONG, "q")))
    share = {rung: measure(result, "R", rung=rung).value for rung in RUNGS}
    assert share == {"bytes": 0.25, "text": 0.5, "layout": 0.5, "ast": 0.5, "names": 0.75, "behaviour": 0.75}
    agreement = {rung: measure(result, "pairwise_agreement", rung=rung).value for rung in RUNGS}
    pairs = {"bytes": 0, "text": 1, "layout": 1, "ast": 1, "names": 3, "behaviour": 3}
    assert agreement == {rung: float(Fraction(same, 6)) for rung, same in pairs.items()} | {
        "text": 0.166666666667, "layout": 0.166666666667, "ast": 0.166666666667,
    }  # fmt: skip
    assert measure(result, "distinct", rung="names").value == 2.0
    assert measure(result, "R", rung="bytes").value == measure(result, "R_raw").value


def test_entropy_of_four_different_programs_is_two_bits_and_of_one_none() -> None:
    result = score(cell(*[(f"x = {i}", str(i)) for i in range(4)]))
    assert measure(result, "entropy", rung="bytes").value == 2.0
    assert measure(score(cell((A, "p"), (A, "p"))), "entropy", rung="bytes").value == 0.0


def test_a_program_in_another_language_has_text_rungs_and_one_level() -> None:
    made = cell((A, "p"), (RENAMED, "p"))
    other = Cell(made.key, made.outputs, kind=programs_in("awk"))
    result = score(other, settings=Settings(repair=True))
    assert {m.labels["rung"] for m in result.measures if "rung" in m.labels} == set(TEXT_RUNGS)
    assert {m.labels["level"] for m in result.measures if "level" in m.labels} == {"text"}
    assert not [m for m in result.measures if m.name in ("R_ast", "R_anchor", "rescue_rate")]
    assert result.notes == ("c is in awk: compared as text and by behaviour only, and not repaired",)
    (row, _) = record_rows([other], anchors_of([other]), repaired=True)
    assert (row["class_text"], row["class_names"], row["signature_ast"], row["unparseable"]) == (
        0,
        None,
        None,
        None,
    )


def test_an_empty_cell_has_every_rung_and_no_value() -> None:
    result = score(cell_of())
    for rung in RUNGS:
        for name in ("R", "pairwise_agreement", "entropy", "distinct", "unseen", "novelty"):
            found = measure(result, name, rung=rung)
            assert (found.value, found.n) == (None, 0)
            assert found.notes
