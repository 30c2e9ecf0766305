from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.measuring.raters import Question, RatedNames, Rating, read_ratings
from tests.measuring.rows.making import written as rows_written

HEADER = "scenario,place,detector,label,rater\n"
NAMES = RatedNames("scenario", "place", "detector")
TONE = Question.among("tone", "What is the tone?", "warm", "neutral", "cold")
SEEN = Question("seen", "Is it there?")


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "r.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_ratings_are_read_by_the_names_of_their_columns(tmp_path: Path) -> None:
    text = b'\xef\xbb\xbfrater,scenario,place,detector,label,why\neva,"a,1",3,limit,Yes,clear\n'
    assert read_ratings(written(tmp_path, text), names=NAMES) == [Rating("a,1", 3, "limit", True, "eva")]


def test_labels_are_those_of_the_question(tmp_path: Path) -> None:
    path = written(tmp_path, "item,question,label,rater\na,tone,Cold,eva\na,seen,0,eva\n")
    found = read_ratings(path, names=RatedNames(place=""), questions={"tone": TONE, "seen": SEEN})
    assert found == [Rating("a", 0, "tone", "cold", "eva"), Rating("a", 0, "seen", False, "eva")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scenario,place\n", "there are no rows"),
        ("", "there are no rows"),
        (HEADER, "there are no rows"),
        ("scenario,place,label,rater\ns,1,warm,eva\n", ":2: detector is empty"),
        (
            HEADER.replace("label", "lable") + "s,1,tone,warm,eva\n",
            ":2: unknown column 'lable'; did you mean 'label'",
        ),
        (HEADER + "s,x,tone,warm,eva\n", ":2: place 'x'"),
        (HEADER + "s,-1,tone,warm,eva\n", ":2: place '-1'"),
        (HEADER + "s,²,tone,warm,eva\n", ":2: place '²'"),
        (HEADER + f"s,{'9' * 5000},tone,warm,eva\n", ":2: place '9"),
        (HEADER + "s,1,tone,yes,eva\n", ":2: label 'yes': write warm, neutral or cold"),
        (HEADER + "s,1,tone,1,eva\n", ":2: label '1'"),
        (HEADER + "s,1,seen,maybe,eva\n", ":2: label 'maybe': write yes or no"),
        (HEADER + "s,1,tune,warm,eva\n", ":2: unknown detector 'tune'; did you mean 'tone'"),
        (HEADER + "s,1,tone,warm,\n", ":2: rater is empty"),
        (HEADER + "s,1,tone\n", ":2: label: the row has 3 cells, the header has 5"),
        (HEADER + "s,1,tone,warm,rules\n", ":2: rater 'rules'"),
        (
            HEADER + "s,1,tone,warm,eva\n\ns,1,tone,cold,eva\n",
            ":4: rater 'eva': this rater has rated that already, in line 2",
        ),
        (HEADER + 's,1,"tone"x,warm,eva\n', "cannot be read as CSV"),
        (HEADER.strip() + ",label\n", ":1: label: the column is there twice"),
        (b"scenario,place\xff", ":1: is not UTF-8 text"),
    ],
)
def test_a_mistake_is_named_with_its_row_and_column(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError) as found:
        read_ratings(
            written(tmp_path, text), names=NAMES, questions={"tone": TONE, "seen": SEEN}, reserved=("rules",)
        )
    assert message in str(found.value)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "jsonl.gz", "parquet"])
def test_ratings_are_the_same_from_every_kind_of_file(tmp_path: Path, ending: str) -> None:
    rows = [
        {"scenario": "s", "place": 1, "detector": "tone", "label": "warm", "rater": "eva"},
        {"scenario": "7", "place": 0, "detector": "tone", "label": "cold", "rater": "eva"},
    ]
    found = read_ratings(rows_written(tmp_path, rows, ending), names=NAMES, questions={"tone": TONE})
    assert found == [Rating("s", 1, "tone", "warm", "eva"), Rating("7", 0, "tone", "cold", "eva")]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_place_may_be_written_with_a_decimal_point(tmp_path: Path, ending: str) -> None:
    rows = [{"scenario": "s", "place": 3.0, "detector": "tone", "label": "warm", "rater": "eva"}]
    (found,) = read_ratings(rows_written(tmp_path, rows, ending), names=NAMES, questions={"tone": TONE})
    assert found.place == 3


def test_a_field_is_text_or_a_number() -> None:
    rows = [{"scenario": {"id": 7}, "place": 3, "detector": "tone", "label": "warm", "rater": "eva"}]
    with pytest.raises(InputError, match="row 1: scenario: must be text or a number, not dict"):
        read_ratings(rows, names=NAMES, questions={"tone": TONE})


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no file"):
        read_ratings(tmp_path / "none.csv")
