"""Tables from measures and verdicts."""

from __future__ import annotations

from assay.report.presentation import Number
from assay.report.tables import Column, headline_table, verdict_table
from assay.vocabulary import Measure, Verdict


def measure(name: str, value: float | None, **labels: str | float) -> Measure:
    ends = (None, None) if value is None else (value - 0.1, value + 0.1)
    notes = () if value is not None else ("no outputs",)
    return Measure(
        name=name, value=value, low=ends[0], high=ends[1], confidence=0.95, n=7, labels=labels, notes=notes
    )


def verdict(holds: bool | None, subject: str, rule: str = "the whole interval") -> Verdict:
    return Verdict(
        name="R", kind="threshold", labels={"subject": subject}, claim=f"R of {subject}", rule=rule, holds=holds,
        because=f"because {subject}",
    )  # fmt: skip


MEASURES = [
    measure("R", 0.5, subject="b", rung="text"),
    measure("R", 0.9, subject="b"),
    measure("R", 0.2, subject="a", rung="text"),
    measure("P", None, subject="a"),
    measure("other", 0.1, subject="z"),
]


def test_a_row_a_subject_in_the_order_of_the_measures_and_the_whole_before_a_part() -> None:
    columns = [
        Column("share", "R"),
        Column("as text", "R", {"rung": "text"}, "R text"),
        Column("passed", "P"),
    ]
    table = headline_table(
        MEASURES, title="Sameness", rows=("subject",), columns=columns, outcomes={"verdict": [verdict(None, "a")]},
        caption="Shares.",
    )  # fmt: skip
    assert table.title == "Sameness by subject"
    assert table.columns == ("subject", "verdict", "share", "as text", "passed")
    assert table.names == ("", "", "R", "R text", "P")
    assert table.caption == "Shares. Ranges are 95% intervals."
    numbers = [[cell.value if isinstance(cell, Number) else cell for cell in row] for row in table.rows]
    assert numbers == [["b", "", 0.9, 0.5, None], ["a", "not established", 0.2, 0.2, None]]
    missing, empty = table.rows[0][-1], table.rows[1][-1]
    assert isinstance(missing, Number)
    assert missing.note == "not measured"
    assert isinstance(empty, Number)
    assert empty.note == "no outputs"


def test_without_columns_every_label_is_named_and_measures_beyond_eight_are_counted() -> None:
    many = [measure(f"m{i}", 0.5, subject="a", temperature=0.7) for i in range(10)]
    table = headline_table(many, title="T")
    assert table.title == "T by subject and temperature"
    assert table.columns == ("subject", "temperature", *(f"m{i}" for i in range(8)))
    assert table.rows[0][:2] == ("a", "0.7")
    assert "2 more measures are in the reading." in table.caption
    assert headline_table([], title="T").rows == ()


def test_a_verdict_stands_with_its_number_and_the_rules_below() -> None:
    verdicts = [verdict(None, "a"), verdict(True, "b"), verdict(False, "c")]
    table = verdict_table(verdicts, title="Claims", measures=MEASURES[1:2], value="share", first=True)
    assert table.columns == ("claim", "verdict", "share", "n", "because")
    assert [(row[0], row[1], row[3]) for row in table.rows] == [
        ("R of b", "holds", "7"), ("R of a", "not established", "0"), ("R of c", "fails", "0"),
    ]  # fmt: skip
    assert [getattr(row[2], "value", "") for row in table.rows] == [0.9, None, None]
    assert table.caption == "Rule: the whole interval."
    assert table.verdicts == (verdicts[1], verdicts[0], verdicts[2])


def test_many_rules_are_a_column() -> None:
    table = verdict_table([verdict(True, str(i), rule=f"rule {i}") for i in range(5)], title="t")
    assert table.columns == ("claim", "verdict", "because", "rule")
    assert [row[-1] for row in table.rows] == [f"rule {i}" for i in range(5)]
    assert table.caption == ""
    assert verdict_table([], title="t").rows == ()
