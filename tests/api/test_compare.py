"""Runs beside each other: what is paired, named and refused, and that observed values are the published ones."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import assay
from assay.api.compare import ComparedRuns, measured_sides, open_source
from assay.api.load import LoadedRun
from assay.canonical import encode
from assay.errors import InputError, UnknownName
from assay.measuring.comparison.difference import PairedSamples, grouped
from assay.vocabulary import Flag, Reading
from tests.support import environment

from .conftest import LABEL

SMALL: dict[str, dict[str, Any]] = {
    "repeatability": {"contracts": ["add"], "repetitions": 4, "repair": False, "temperatures": [0.0]},
    "bias": {"biases": ["anchoring_effect", "loss_aversion"], "instances": 2, "trials": 2, "debias": "none"},
    "consistency": {"returns": 4, "refusals": 4, "repairs": 2, "artifacts": 1, "exchanges": 4, "promises": 2},
    "agency": {"levels": [1], "instances": 3, "robustness_families": ["inbox"], "robustness_instances": 2},
    "recognition": {},
}
SUBJECTS = {
    "repeatability": ["reference:mixed", "reference:renamed"],
    "bias": ["reference:rising", "reference:mumbling"],
    "consistency": ["reference:drifting", "reference:same"],
    "agency": ["reference:clerk", "reference:able"],
    "recognition": ["reference:knowing_75", "reference:guessing"],
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("compare")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", environment(folder)["XDG_CONFIG_HOME"])
        yield folder


def made(root: Path, study: Any, name: str, subject: Any = None, **more: Any) -> LoadedRun:
    with warnings.catch_warnings(action="ignore"):  # of what so small a run cannot show
        return assay.run(study, subject=subject, name=name, out=root, report=False, progress=False, **more)


@pytest.fixture(scope="module")
def runs(root: Path) -> dict[str, LoadedRun]:
    """Ping is a share of successes and overrides nothing of what runs are compared by."""
    one = "reference:mumbler"
    other = {"subject": one, "label": "other"}
    return {
        "first": made(root, "ping", "first", one, trials=12),
        "second": made(root, "ping", "second", other, trials=12),
        "more": made(root, "ping", "more", other, trials=16),
        "seed": made(root, "ping", "seed", other, trials=12, seed=2),
        "extended": made(
            root, "ping", "extended", {**other, "boundary": "extended", "includes": ["a clock"]}, trials=12
        ),
        "narrow": made(
            root,
            {"subjects": [other], "instruments": {"ping": {"trials": 12}}, "sampling": {"top_p": 0.5}},
            "narrow",
        ),
        "both": made(root, "ping", "both", [one, other], trials=12),
        "drill": made(root, "drill", "drill", other, trials=6),
    }


def compared(*runs: LoadedRun, **more: Any) -> ComparedRuns:
    return assay.compare(*runs, **more)


def test_two_subjects_that_met_the_same_are_paired_by_instance(runs: dict[str, LoadedRun]) -> None:
    (one,) = compared(runs["first"], runs["second"]).comparisons
    assert (one.label, one.divergences) == ("Comparable", ())
    (found,) = one.differences
    assert (found.name, found.pairing, found.units_shared) == ("success", "paired", 12)
    shares = {
        name: next(m.value for m in runs[name].results[0].measures if m.name == "success")
        for name in ("first", "second")
    }
    assert (found.first, found.second) == (shares["first"], shares["second"])
    assert one.notes == ("paired by instance: both were put the same",)


def test_a_subject_twice_is_compared_with_itself(runs: dict[str, LoadedRun]) -> None:
    (one,) = compared(runs["first"], runs["both"], subject="reference:mumbler").comparisons
    assert one.first.subject == one.second.subject == "reference:mumbler"
    assert (one.first.run, one.second.run) == (str(runs["first"].path), str(runs["both"].path))


def test_another_seed_is_unpaired_and_said_to_be(runs: dict[str, LoadedRun]) -> None:
    (one,) = compared(runs["first"], runs["seed"]).comparisons
    assert (one.label, [d.kind for d in one.divergences]) == ("Comparable", ["seed"])
    assert (one.differences[0].pairing, one.notes) == ("unpaired", ("unpaired: no instance is shared",))


def test_instances_that_one_has_more_of_are_partly_paired(runs: dict[str, LoadedRun]) -> None:
    (one,) = compared(runs["first"], runs["more"]).comparisons
    (found,) = one.differences
    assert (found.pairing, found.units_first, found.units_second, found.units_shared) == (
        "partly paired",
        12,
        16,
        12,
    )


def test_boundary_and_sampling_limit_and_are_named(runs: dict[str, LoadedRun]) -> None:
    found = compared(runs["first"], runs["extended"], runs["narrow"])
    assert found.labels == ("Limited Comparability", "Limited Comparability")
    assert [d.kind for d in found.comparisons[0].divergences] == ["boundary"]
    assert found.comparisons[0].further  # a label of the boundary does not keep them apart
    assert [str(d) for d in found.comparisons[1].divergences] == ["sampling: top_p 1 against 0.5"]
    assert all(one.differences for one in found.comparisons)


def test_runs_that_no_instrument_has_in_common_are_refused_a_difference(runs: dict[str, LoadedRun]) -> None:
    found = compared(runs["first"], runs["drill"])
    assert (found.labels, found.usable) == (("Non-Comparable",), False)
    assert found.comparisons[0].differences == ()
    assert "no comparative inference is permitted" in str(found)


def test_another_major_version_is_not_compared(runs: dict[str, LoadedRun], tmp_path: Path) -> None:
    reading = runs["second"].readings["ping"]
    later = msgspec.structs.replace(reading, result=msgspec.structs.replace(reading.result, version="9.1"))
    (tmp_path / "later.json").write_bytes(encode(later))
    (one,) = compared(runs["first"], tmp_path / "later.json").comparisons  # type: ignore[arg-type]
    assert (one.label, one.differences, one.further) == ("Non-Comparable", (), ())
    assert "version" in {d.kind for d in one.divergences}


def test_an_invalid_reading_is_not_compared(runs: dict[str, LoadedRun], tmp_path: Path) -> None:
    reading = runs["second"].readings["ping"]
    lost = msgspec.structs.replace(reading.result, flags=(Flag("Invalid", "all was lost"),))
    (tmp_path / "lost.json").write_bytes(encode(Reading(result=lost)))
    (one,) = compared(runs["first"], tmp_path / "lost.json").comparisons  # type: ignore[arg-type]
    assert (one.label, one.differences) == ("Non-Comparable", ())


def test_readings_of_rows_are_compared_by_their_intervals(runs: dict[str, LoadedRun]) -> None:
    rows = [{"subject": "reference:mumbler", "outcome": "success"}] * 7
    scored = assay.score("ping", rows)
    (one,) = assay.compare(runs["first"], scored).comparisons
    assert one.label == "Limited Comparability"
    assert one.notes[0] == "unpaired: no outcomes are at hand, only what was published"
    (found,) = one.further
    assert (found.pairing, found.p, found.different, found.second) == ("published", None, None, 1.0)


def test_a_run_that_was_scored_again_is_compared_by_its_reading(
    runs: dict[str, LoadedRun], tmp_path: Path
) -> None:
    reading = runs["second"].score(require={"success": 0.5})["ping"]
    (tmp_path / "again.json").write_bytes(encode(reading))
    (one,) = assay.compare(runs["first"], tmp_path / "again.json").comparisons
    assert one.label == "Limited Comparability"
    assert {"reading", "families"} == {d.kind for d in one.divergences}
    assert one.further


def test_within_one_run_all_are_compared_with_the_first(runs: dict[str, LoadedRun]) -> None:
    (one,) = compared(runs["both"]).comparisons
    assert (one.first.subject, one.second.subject) == ("reference:mumbler", "other")
    (turned,) = compared(runs["both"], subject=["other", "reference:mumbler"]).comparisons
    assert (turned.first.subject, turned.second.subject) == ("other", "reference:mumbler")
    assert turned.differences[0].difference == -(one.differences[0].difference or 0.0)


def test_subjects_are_matched_by_name_where_runs_share_them(runs: dict[str, LoadedRun]) -> None:
    found = compared(runs["both"], runs["both"])
    assert [(one.first.subject, one.second.subject) for one in found.comparisons] == [
        ("reference:mumbler", "reference:mumbler"),
        ("other", "other"),
    ]


def test_each_subject_that_others_are_compared_with_has_a_table_and_a_picture_of_its_own(
    runs: dict[str, LoadedRun],
) -> None:
    found = compared(runs["both"], runs["both"])
    shown = found.presentations(everything=True)
    bases = ["reference:mumbler", "other"]
    assert [title for title, _ in shown] == [f"Ping, compared with {base}" for base in bases]
    for base, one, (_, part) in zip(bases, found.comparisons, shown, strict=True):
        assert part.headline.title == f"Compared with {base}"
        assert all(table.title.endswith(f", compared with {base}") for table in part.tables)
        assert [picture.title for picture in part.pictures] == [f"Differences from {base}"]
        assert len(part.headline.rows) == len(one.differences)
    tests = sum(d.p is not None for one in found.comparisons for d in one.differences)
    assert tests > 1
    assert all(f"for all {tests} tests" in part.headline.caption for _, part in shown)
    for text in (str(found), found.page()):
        assert all(f"Compared with {base}" in text for base in bases)


def test_what_limits_one_subject_alone_limits_no_comparison_of_another(
    runs: dict[str, LoadedRun], root: Path
) -> None:
    bare = {"subject": "reference:mumbler", "label": "bare", "boundary": "extended"}  # it lists nothing
    with_bare = made(root, "ping", "bare", ["reference:mumbler", bare], trials=12)
    again = made(root, "ping", "bare-again", ["reference:mumbler", bare], trials=12)
    for found in (
        compared(with_bare, again),
        compared(runs["first"], with_bare, subject="reference:mumbler"),
    ):
        assert (found.labels[0], found.comparisons[0].divergences) == ("Comparable", ())
    assert compared(with_bare, again).labels[1] == "Limited Comparability"
    (within,) = compared(with_bare).comparisons
    assert "the second is Limited Comparability (bare: " in " ".join(map(str, within.divergences))


def test_a_subject_without_a_counterpart_is_not_passed_over_in_silence(
    runs: dict[str, LoadedRun], root: Path
) -> None:
    third = made(
        root,
        "ping",
        "third",
        ["reference:mumbler", {"subject": "reference:mumbler", "label": "x"}],
        trials=12,
    )
    found = compared(runs["both"], third)
    assert [one.second.subject for one in found.comparisons] == ["reference:mumbler"]
    assert found.notes[0].startswith("x in ")
    assert "--subject reference:mumbler --subject x" in str(found)


def test_more_runs_are_all_compared_with_the_first_and_corrected_together(runs: dict[str, LoadedRun]) -> None:
    two = compared(runs["first"], runs["second"]).comparisons[0].differences[0]
    several = compared(runs["first"], runs["second"], runs["seed"], runs["more"]).comparisons
    assert [one.first.run for one in several] == [str(runs["first"].path)] * 3
    assert two.p_corrected == two.p
    assert several[0].differences[0].p == two.p
    assert (several[0].differences[0].p_corrected or 0) >= (two.p or 0)


def test_what_cannot_be_compared_is_said_with_what_would_be_right(
    runs: dict[str, LoadedRun], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="name another run"):
        compared(runs["first"])
    with pytest.raises(UnknownName, match="othr"):
        compared(runs["both"], subject="othr")
    with pytest.raises(InputError, match="between 0 and 1"):
        compared(runs["both"], margin=2.0)
    (tmp_path / "x.json").write_text('{"no": "reading"}')
    with pytest.raises(InputError, match=r"x\.json: neither a run's folder nor a reading"):
        assay.compare(runs["first"], tmp_path / "x.json")


def test_the_frame_has_a_row_a_difference_and_to_dict_is_plain(runs: dict[str, LoadedRun]) -> None:
    found = compared(runs["first"], runs["second"], margin=0.9)
    (row,) = found.frame().to_dicts()
    assert (row["label"], row["name"], row["pairing"], row["second_subject"]) == (
        "Comparable",
        "success",
        "paired",
        "other",
    )
    assert found.frame(further=True).height > 1
    plain = found.to_dict()
    assert json.loads(json.dumps(plain))["comparisons"][0]["label"] == "Comparable"
    assert "<table" in found._repr_html_()


def test_hostile_names_do_not_steer_a_terminal_or_a_page(finished: LoadedRun) -> None:
    found = assay.compare(finished)
    assert LABEL in str(found), "no markup of a terminal's is read in it"
    assert "<b>&" not in found.page()


def observed(root: Path, name: str) -> LoadedRun:
    """A small run of the instrument, made by whichever test comes first."""
    folder = root / f"observed-{name}"
    if folder.exists():
        return assay.load(folder)
    return made(root, name, folder.name, SUBJECTS[name], quick=True, **SMALL[name])


@pytest.mark.parametrize("name", SMALL)
def test_observed_values_are_those_that_were_published(root: Path, name: str) -> None:
    run = observed(root, name)
    sides = measured_sides(open_source(run), name)
    met = 0
    for subject, one in sides.items():
        assert one.observations, f"{subject} has nothing to be compared by"
        for (measure, labels), values in grouped(one.observations).items():
            value = PairedSamples(values, values).difference(measure, {}).first
            wanted = {"subject": subject, **dict(labels)}
            for published in run.results[0].measures:
                rest = published.labels.keys() - wanted.keys() - {"boundary"}
                if published.name == measure and wanted.items() <= published.labels.items() and not rest:
                    assert value == pytest.approx(published.value), (measure, labels)
                    met += 1
    assert met or name == "repeatability"
    found = assay.compare(run).comparisons
    assert {one.label for one in found} == {"Comparable"}
    assert all(one.differences for one in found)


def test_repeatability_observes_the_mean_pass_rate_of_its_contracts(root: Path) -> None:
    run = observed(root, "repeatability")
    (one,) = [d for d in assay.compare(run).comparisons[0].differences if d.name == "pass_rate"]
    rates = [m.value for m in run.results[0].measures if m.name == "pass_rate"]
    assert [one.first, one.second] == rates


def test_levels_are_stated_with_both_tuples_and_not_tested(root: Path) -> None:
    run = observed(root, "agency")
    (one,) = assay.compare(run).comparisons
    levels = [d for d in one.differences if d.name in "SMDE"]
    assert levels
    assert all((d.p, d.low, d.pairing) == (None, None, "published") for d in levels)
    assert [text.split(":")[0] for text in one.accompanying] == ["first", "second"]
    assert all("Framework v.10, Core Boundary" in text for text in one.accompanying)
    assert any(d.name == "level_rate" and d.p is not None for d in one.differences)
