"""Labels joined in a table are those joined one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.measuring.raters import joint_label
from assay.measuring.raters.joint import JointRatings, RatedTable, join_raters

RATERS = ("ann", "bob", "cat", "dan")
LABELS = st.dictionaries(
    st.tuples(st.sampled_from(["x", "y"]), st.integers(0, 4).map(str), st.sampled_from(RATERS)),
    st.sampled_from([True, False, None]),
    min_size=1,
)


def table(labels: Mapping[tuple[str, str, str], bool | None]) -> RatedTable:
    rows = [(*where, label) for where, label in labels.items()]
    frame = pl.DataFrame(
        rows, schema={"cell": str, "item": str, "rater": str, "label": pl.Boolean}, orient="row"
    )
    return join_raters(
        frame,
        ("cell",),
        "item",
        labelled=pl.col("label").is_not_null(),
        success=pl.col("label").fill_null(False),
        merged=(),
        refused=lambda row: f"{row['rater']} twice of {row['item']}",
    )


@given(LABELS)
def test_the_joint_label_is_that_of_the_labels_one_by_one(
    labels: dict[tuple[str, str, str], bool | None],
) -> None:
    by_unit: dict[tuple[str, str], dict[str, bool]] = {}
    for (cell, item, rater), label in labels.items():
        by_unit.setdefault((cell, item), {})
        if label is not None:
            by_unit[cell, item][rater] = label
    found = table(labels)
    joint = {(row["cell"], row["item"]): row for row in found.joint.iter_rows(named=True)}
    assert joint.keys() == by_unit.keys()
    for unit, given_ in by_unit.items():
        assert joint[unit]["success"] == (joint_label(given_) is True)
        assert joint[unit]["lost"] == (not given_)
    for (cell,), counted in found.ratings(("cell",)).items():
        several = [given_ for (where, _), given_ in by_unit.items() if where == cell and len(given_) > 1]
        assert counted.rated == len(several)
        assert counted.disagreed == sum(len(set(given_.values())) > 1 for given_ in several)
        assert counted.unsettled == sum(joint_label(given_) is None for given_ in several)


@given(LABELS)
def test_a_view_has_the_rater_s_own_labels_where_there_are_any(
    labels: dict[tuple[str, str, str], bool | None],
) -> None:
    found = table(labels)
    joint = {(row["cell"], row["item"]): row["success"] for row in found.joint.iter_rows(named=True)}
    for rater in found.raters():
        for row in found.view(rater).iter_rows(named=True):
            unit = row["cell"], row["item"]
            own = labels.get((*unit, rater))
            assert row["success"] == (joint[unit] if own is None else own)


def test_one_label_a_unit_needs_no_joining() -> None:
    found = table({("x", "1", "ann"): True, ("x", "2", "bob"): None})
    assert (found.rated, found.raters(), found.ratings(("cell",))) == (None, [], {})
    assert found.joint.sort("item").get_column("lost").to_list() == [False, True]


def test_disagreement_is_none_without_two_labels() -> None:
    assert JointRatings(raters=("ann",), rated=0, disagreed=0).disagreement is None
    assert JointRatings(raters=("ann", "bob"), rated=4, disagreed=1).disagreement == 0.25


def test_the_same_rater_twice_is_refused() -> None:
    rows: list[Any] = [("x", "1", "ann", True), ("x", "1", "ann", False)]
    frame = pl.DataFrame(rows, schema=["cell", "item", "rater", "label"], orient="row")
    with pytest.raises(InputError, match="ann twice of 1"):
        join_raters(
            frame,
            ("cell",),
            "item",
            labelled=pl.lit(True),
            success=pl.col("label"),
            merged=(),
            refused=lambda row: f"{row['rater']} twice of {row['item']}",
        )
