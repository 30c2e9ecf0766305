"""A reference that was made for another instrument is refused by name, before any call."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Assay


@pytest.mark.parametrize(
    ("instrument", "reference", "maker", "serves"),
    [
        ("repeatability", "solver", "agency", "steady"),
        ("consistency", "steady", "repeatability", "same"),
        ("agency", "same", "consistency", "solver"),
        ("ping", "same", "consistency", "mumbler"),
    ],
)
def test_it_is_refused_and_those_that_serve_are_named(
    assay: Assay, tmp_path: Path, instrument: str, reference: str, maker: str, serves: str
) -> None:
    ended = assay("run", instrument, "-s", f"reference:{reference}", "--name", "r")
    assert (ended.code, ended.out) == (2, "")
    told = f"reference:{reference} cannot serve {instrument}: it is made for {maker}"
    assert told in ended.err
    assert f"reference:{serves}" in ended.err
    assert not (tmp_path / "runs").exists(), "nothing was asked"


def test_its_line_in_the_study_is_named(assay: Assay, tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "study: 1\nsubjects:\n  - reference:steady\n  - reference:same\ninstruments: [repeatability]\n"
    )
    assert "s.yaml:4: subjects[1]: reference:same cannot serve" in assay("plan", "s.yaml").err


@pytest.mark.parametrize("instrument", ["ping", "repeatability", "consistency", "agency"])
def test_one_that_is_made_for_none_in_particular_serves_all(assay: Assay, instrument: str) -> None:
    assert assay("plan", instrument, "-s", "reference:mumbler", "--quick").code == 0
