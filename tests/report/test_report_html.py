"""The page: what stands on it, in which order, and that it needs nothing from anywhere."""

from __future__ import annotations

import re
from functools import cache

import msgspec
import pytest

from assay.report.html import ReportPage, render_report
from assay.report.presentation import Comparison, Headline, Number, Presentation
from assay.report.tables import verdict_table
from assay.vocabulary import Exclusion, Flag, Measure, Reading, Result

from .samples import Page, claim, page, picture, reading, share


@cache
def full_page() -> str:
    own, presentation = reading(
        share(0.5, subject="a", flags=(Flag("Provisional", "1 of 9 outputs excluded"),)),
        share(None, "no outputs", subject="b"),
        verdicts=[claim("requirement", None, "it repeats itself")],
    )
    result = msgspec.structs.replace(
        own.result,
        flags=(Flag("Limited Comparability", "no seed"),),
        excluded=(Exclusion("http_429", 1, {"subject": "a"}),),
        notes=("two replies were cut",),
        versions={"normalisation": "3"},
    )
    envelope = {"efficiency": {"calls": 1234, "faults": {"timeout": 2}}, "begun": "yesterday"}
    study = {"name": "demo", "subjects": ["local:x"], "seed": 7}
    lock = {
        "digest": "d" * 64,
        "keyid": "k" * 64,
        "created": "2026",
        "versions": {"assay": "1"},
        "study": study,
    }
    summary = msgspec.structs.replace(presentation, summary=("Asked twice, it says the same.",))
    return render_report(
        ReportPage(
            title="My study",
            run="run-1",
            readings=[(Reading(result=result, envelope=envelope), summary)],
            lock=lock,
            environment={"python": "3.11", "packages": {"numpy": "2"}},
            created="2026-01-01",
        )
    )


def test_everything_stands_on_the_page_in_its_order() -> None:
    text = Page(full_page()).text
    order = [
        "My study", "Asked twice", "no seed", "1 of 9 outputs excluded", "Requirements", "it repeats itself",
        "Shares by subject", "0.500", "What the columns mean", "who was asked", "A picture", "Side by side",
        "All 2 measures", "exact", "no outputs", "Excluded", "http_429", "two replies were cut", "Efficiency",
        "1,234", "faults.timeout", "Versions and origin", "normalisation", "What was declared", "d" * 64, "k" * 64,
        "local:x", "packages.numpy", "assay audit run-1", "assay resume run-1", "assay score drill",
        "What this proves",
    ]  # fmt: skip
    places = [text.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert [order[i] for i in sorted(range(len(order)), key=places.__getitem__)] == order


def test_verdicts_stand_by_kind_requirements_first_and_comparisons_folded() -> None:
    verdicts = [
        *(claim("comparison", i % 3 == 0 or None, f"comparison {i}", pair=i) for i in range(42)),
        claim("threshold", True, "a threshold", subject="a"),
        claim("requirement", True, "a kept requirement", subject="a"),
        claim("requirement", False, "a broken requirement", subject="b"),
    ]
    html = page(reading(share(0.5, subject="a"), verdicts=verdicts))
    text = Page(html).text
    order = [
        "Requirements: 1 holds and 1 fails", "a broken requirement", "a kept requirement", "Thresholds: 1 holds",
        "a threshold", "Comparisons: 14 hold and 28 are not established", "comparison 3", "comparison 1",
        "Shares by subject",
    ]  # fmt: skip
    places = [text.find(words) for words in order]
    assert -1 not in places
    assert places == sorted(places)
    folded = html[html.index("<details") : html.index("</details>")]
    assert "comparison 41" in folded
    assert "requirement" not in folded


def test_a_verdict_that_a_table_shows_is_not_listed_again_whatever_its_claim_says() -> None:
    """Which verdict it is goes by kind, name and labels: two may claim the same in words."""
    shown, other = (claim("threshold", True, "S is at least 2", subject=who) for who in "ab")
    required = claim("requirement", True, "S is at least 2", subject="a")
    own, presentation = reading(share(0.5, subject="a"), verdicts=[shown, other, required])
    presentation = msgspec.structs.replace(presentation, tables=(verdict_table([shown], title="Levels"),))
    text = Page(page((own, presentation))).text
    assert text.count("S is at least 2") == 3
    assert text.index("Requirements: 1 holds") < text.index("Thresholds: 1 holds") < text.index("Levels")


def test_many_thresholds_are_folded_and_requirements_never() -> None:
    many = [claim(kind, True, "x", i=i) for kind in ("threshold", "requirement") for i in range(13)]
    html = page(reading(share(0.5, subject="a"), verdicts=many))
    assert "<summary>Thresholds: 13 hold</summary>" in html
    assert "<h3>Requirements: 13 hold</h3>" in html


def test_the_page_asks_nothing_of_anyone() -> None:
    page = Page(full_page())
    policies = [a["content"] for name, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    for name, attributes in page.elements:
        assert name not in ("script", "link", "img", "iframe", "object", "embed", "form", "base")
        assert not any(key.startswith("on") or key == "src" for key in attributes)
    assert "http" not in page.style
    assert "prefers-color-scheme: dark" in page.style
    assert "@media print" in page.style
    assert "tabular-nums" in page.style


def test_values_are_shown_with_three_decimals_and_kept_in_full() -> None:
    number = Number(0.123456789012, 0.1, 0.2, 17)
    html = _one_cell(number)
    titles = [a["title"] for name, a in Page(html).elements if name == "span" and "title" in a]
    assert "0.123456789012 [0.1, 0.2], n = 17" in titles
    assert "0.123" in Page(html).text
    assert "0.100–0.200" in Page(html).text


def test_no_value_is_a_dash_with_its_reason_never_zero() -> None:
    page = Page(_one_cell(Number(None, None, None, 3, note="there is no canon")))
    assert "—" in page.texts
    assert "0.000" not in page.text
    assert "there is no canon" in [a.get("title") for _, a in page.elements]


def test_a_flag_names_its_cause_and_its_places_but_not_all_hundred() -> None:
    lost = (Flag("Invalid", "1 of 3 outputs excluded"),)
    text = Page(page(reading(*(share(0.5, contract=f"c{i:03}", flags=lost) for i in range(100))))).text
    assert "Invalid" in text
    assert "1 of 3 outputs excluded" in text
    assert "contract c000" in text
    assert "and 94 more" in text


def test_plain_data_are_said_to_be_not_declared() -> None:
    text = Page(page(reading(share(0.5, subject="a")))).text
    assert "Criteria and sample sizes were not locked" in text
    assert "assay audit" not in text


def test_a_run_without_readings_still_has_a_page() -> None:
    assert "no reading yet" in page()


def test_a_command_can_be_pasted_whatever_the_run_is_called() -> None:
    run = ReportPage(
        title="t", run="a b; rm -rf ~", readings=[reading(share(0.5, subject="a"))], lock={"digest": "d"}
    )
    assert "assay audit 'a b; rm -rf ~'" in Page(render_report(run)).text


def test_two_readings_share_a_page_and_no_id() -> None:
    found = Page(page(*[reading(share(0.5, subject="a"))] * 2))
    ids = [a["id"] for _, a in found.elements if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {(a["href"] or "")[1:] for name, a in found.elements if name == "use"}
    assert targets
    assert targets <= set(ids)


@pytest.mark.parametrize("spec_value", [0.0, None])
def test_a_conventional_value_stands_beside_the_missing_one(spec_value: float | None) -> None:
    measure = Measure(name="R", value=None, n=0, spec_value=spec_value, notes=("no outputs",))
    text = Page(page(reading(measure))).text
    assert ("by the spec's convention 0.0" in text) == (spec_value is not None)


def test_positions_are_whole_numbers_and_digests_are_cut_in_the_table() -> None:
    measure = Measure(
        name="canon_index", value=1.0, n=2, units="position", method="first", labels={"canon": "ab" * 32}
    )
    text = Page(page(reading(measure))).text
    assert "ab" * 32 not in text
    assert re.search(r"canon_index.{0,80}canon (ab){8}…12first", text)  # position 1, n = 2


def test_a_broken_picture_costs_a_picture_not_the_page() -> None:
    own, presentation = reading(share(0.5, subject="a"))
    broken = msgspec.structs.replace(picture(), drawing="<svg><b>")
    presentation = msgspec.structs.replace(presentation, pictures=(broken, picture()))
    found = Page(page((own, presentation)))
    assert "This picture cannot be shown: a picture is not well-formed SVG" in found.text
    assert [name for name, _ in found.elements].count("svg") == 1


def test_a_megabyte_on_one_line_does_not_reach_the_page() -> None:
    own, presentation = reading(share(0.5, subject="a"))
    long = [
        Comparison("c", "l", "r", "def f(): return 1", text) for text in ("x" * 1_000_000, "y y\n" * 500_000)
    ]
    html = page((own, msgspec.structs.replace(presentation, comparisons=tuple(long))))
    assert len(html) < 300_000
    assert "1 line is cut at 400 characters" in html
    assert "the first 200 of 500000 lines are shown" in html


def _one_cell(number: Number) -> str:
    result = Result(instrument="i", version="1", source="rows", measures=())
    headline = Headline("h", ("c", "c"), (("a", number),))
    return page((Reading(result=result), Presentation(headline=headline)))
