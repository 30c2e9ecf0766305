"""The page: what stands on it, in which order, and that it needs nothing from anywhere."""

from __future__ import annotations

import re

import msgspec
import pytest

from assay.report.html import ReportPage, render_report
from assay.report.presentation import Headline, Number, Presentation
from assay.vocabulary import Exclusion, Flag, Measure, Reading, Result, Verdict

from .samples import Page, cell, page_of, presented

CODES = ["def add(a, b):\n    return a + b\n", "def add(a, b):\n    return b + a\n"]


def full_page() -> str:
    result, presentation = presented(
        [cell(CODES * 4, [0, 2], planned=9), cell(CODES * 4, contract="is_even")]
    )
    result = msgspec.structs.replace(
        result,
        flags=(Flag("Limited Comparability", "no seed"),),
        excluded=(Exclusion("http_429", 1, {"contract": "add"}),),
        verdicts=(
            Verdict(
                name="R_ast",
                kind="threshold",
                claim="it repeats itself",
                rule="R_ast at least 0.9",
                holds=None,
                because="too few outputs",
            ),
        ),
        notes=("two replies were cut",),
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
    return render_report(
        ReportPage(
            title="My study",
            run="run-1",
            readings=[(Reading(result=result, envelope=envelope), presentation)],
            lock=lock,
            environment={"python": "3.11", "packages": {"numpy": "2"}},
            created="2026-01-01",
        )
    )


def test_everything_stands_on_the_page_in_its_order() -> None:
    text = Page(full_page()).text
    order = [
        "My study", "outputs in 2 cells", "no seed", "1 of 9 outputs excluded", "it repeats itself",
        "equal to canon", "R_anchor_pre", "What the columns mean", "In which sense the answers are the same",
        "How often the same comes back", "How far the outputs lie", "Which programs came", "Side by side", "All ",
        "Excluded",
        "http_429", "two replies were cut", "Efficiency", "1,234", "faults.timeout", "Versions and origin",
        "normalisation.ast", "What was declared", "d" * 64, "k" * 64, "local:x", "packages.numpy",
        "assay audit run-1", "assay resume run-1", "assay score repeatability", "What this proves",
    ]  # fmt: skip
    places = [text.find(words) for words in order]
    assert -1 not in places, order[places.index(-1)]
    assert [order[i] for i in sorted(range(len(order)), key=places.__getitem__)] == order


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


def test_the_style_sheet_is_ours_and_whole() -> None:
    style = Page(full_page()).style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert "tabular-nums" in style


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
    cells = [cell(CODES, contract=f"c{i:03}", planned=3) for i in range(100)]
    text = Page(page_of(cells)).text
    assert "Invalid" in text
    assert "1 of 3 outputs excluded" in text
    assert "contract c000" in text
    assert "and 94 more" in text


def test_plain_data_are_said_to_be_not_declared() -> None:
    text = Page(page_of([cell(CODES)])).text
    assert "Criteria and sample sizes were not locked" in text
    assert "assay audit" not in text


def test_a_run_without_readings_still_has_a_page() -> None:
    assert "no reading yet" in render_report(ReportPage(title="t", run="r", readings=[]))


def test_a_command_can_be_pasted_whatever_the_run_is_called() -> None:
    result, presentation = presented([cell(CODES)])
    page = ReportPage(
        title="t",
        run="a b; rm -rf ~",
        readings=[(Reading(result=result), presentation)],
        lock={"digest": "d"},
    )
    assert "assay audit 'a b; rm -rf ~'" in Page(render_report(page)).text


def test_two_readings_share_a_page_and_no_id() -> None:
    pair = presented([cell(CODES, [0])])
    readings = [(Reading(result=pair[0]), pair[1])] * 2
    page = Page(render_report(ReportPage(title="t", run="r", readings=readings)))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    targets = {(a["href"] or "")[1:] for name, a in page.elements if name == "use"}
    assert targets
    assert targets <= set(ids)


@pytest.mark.parametrize("spec_value", [0.0, None])
def test_a_conventional_value_stands_beside_the_missing_one(spec_value: float | None) -> None:
    measure = Measure(name="R", value=None, n=0, spec_value=spec_value, notes=("no outputs",))
    result = Result(instrument="i", version="1", source="rows", measures=(measure,))
    page = ReportPage(title="t", run="r", readings=[(Reading(result=result), _presentation("x"))])
    assert ("by the spec's convention 0.0" in Page(render_report(page)).text) == (spec_value is not None)


def test_positions_are_whole_numbers_and_digests_are_cut_in_the_table() -> None:
    text = Page(page_of([cell(CODES, [1])])).text
    assert "canon " in text
    assert not re.search(r"canon [0-9a-f]{64}", text)
    assert re.search(r"canon_index.{0,80}canon [0-9a-f]{16}…12first", text)  # position 1, n = 2


def test_a_broken_picture_costs_a_picture_not_the_page() -> None:
    result, presentation = presented([cell(CODES, [0])])
    good, *_ = presentation.pictures
    broken = msgspec.structs.replace(good, svg="<svg><b>")
    presentation = msgspec.structs.replace(presentation, pictures=(broken, good))
    page = Page(
        render_report(ReportPage(title="t", run="r", readings=[(Reading(result=result), presentation)]))
    )
    assert "This picture cannot be shown: a picture is not well-formed SVG" in page.text
    assert [name for name, _ in page.elements].count("svg") == 1


def _presentation(*cells: str | Number) -> Presentation:
    return Presentation(headline=Headline("h", tuple("c" for _ in cells), (cells,)))


def _one_cell(number: Number) -> str:
    result = Result(instrument="i", version="1", source="rows", measures=())
    page = ReportPage(title="t", run="r", readings=[(Reading(result=result), _presentation("a", number))])
    return render_report(page)
