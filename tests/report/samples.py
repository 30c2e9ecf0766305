"""Results, presentations and pages made up for the tests of this room; no sandbox, no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from html.parser import HTMLParser

from assay.report.figures import forest_plot
from assay.report.html import ReportPage, render_report
from assay.report.presentation import (
    Comparison,
    Headline,
    Mark,
    Number,
    Picture,
    Presentation,
    Spoken,
    Taken,
    Transcript,
)
from assay.report.tables import headline_table
from assay.vocabulary import Exclusion, Flag, Measure, Reading, Result, Verdict, VerdictKind

PLAIN_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M 0 0 L 9 9" id="a"/></svg>'


def share(value: float | None, why: str = "", flags: tuple[Flag, ...] = (), **labels: str | float) -> Measure:
    """A share of 20 with its interval."""
    low, high = (None, None) if value is None else (max(0.0, value - 0.1), min(1.0, value + 0.1))
    notes = (why,) if why else ()
    return Measure(
        name="share", value=value, low=low, high=high, confidence=0.95, n=20, method="exact", labels=labels,
        flags=flags, notes=notes,
    )  # fmt: skip


def claim(kind: VerdictKind, holds: bool | None, text: str, **labels: str | float) -> Verdict:
    return Verdict(
        name="share", kind=kind, labels=labels, claim=text, rule="a rule", holds=holds, because="so"
    )


@cache
def picture() -> Picture:
    found = forest_plot([share(0.5, subject="a")], title="A picture", caption="c", rows="subject")
    assert found is not None
    return found


def reading(*measures: Measure, verdicts: Sequence[Verdict] = ()) -> tuple[Reading, Presentation]:
    """A reading of these measures with a headline, a picture and a comparison."""
    result = Result(
        instrument="drill", version="1", source="ledger", measures=measures, verdicts=tuple(verdicts)
    )
    presentation = Presentation(
        headline=headline_table(measures, title="Shares"),
        pictures=(picture(),),
        comparisons=(Comparison("c", "left", "right", "x = 1", "x = 2"),),
        explain=(("subject", "who was asked"),),
    )
    return Reading(result=result), presentation


def page(*readings: tuple[Reading, Presentation]) -> str:
    return render_report(ReportPage(title="t", run="r", readings=readings))


def evil_everywhere(evil: str) -> ReportPage:
    """A page on which every text that can come from outside is ``evil``."""
    flag = Flag("Invalid", evil)
    number = Number(0.5, 0.25, 0.75, 4, (flag,), evil)
    measure = Measure(
        name=evil, value=0.5, n=4, units=evil, method=evil, labels={evil: evil}, flags=(flag,), notes=(evil,)
    )
    result = Result(
        instrument=evil, version=evil, source="ledger", measures=(measure,),
        verdicts=(
            Verdict(
                name=evil, kind="threshold", labels={evil: evil}, claim=evil, rule=evil, holds=None, because=evil
            ),
        ),
        excluded=(Exclusion(evil, 1, {evil: evil}),), flags=(Flag("Provisional", evil),), notes=(evil,),
        versions={evil: evil},
    )  # fmt: skip
    presentation = Presentation(
        headline=Headline(
            evil, (evil, evil), ((evil, number), (evil, Number(None, note=evil))), evil, (evil, evil)
        ),
        summary=(evil,),
        tables=(Headline(evil, (evil, evil), ((f"{evil}!", number),), evil, (evil,)),),
        pictures=(Picture(evil, PLAIN_SVG, evil, evil),),
        comparisons=(
            Comparison(
                evil,
                evil,
                evil,
                f"{evil}\nx = 1",
                f"x = 1\n{evil}",
                evil,
                (Taken(evil, evil, 2), Taken(evil, "")),
                evil,
                f"x = 1\n{evil}",
                evil,
            ),
        ),
        transcripts=(
            Transcript(
                title=evil,
                turns=(Spoken(evil, ((evil, ""), (evil, evil), (evil, f"{evil}!"))), Spoken(evil, ())),
                marks=(Mark(evil, evil), Mark(f"{evil}!", evil, wrong=True)),
                outcome=(evil,),
                note=evil,
            ),
        ),
        explain=((evil, evil),),
    )
    return ReportPage(
        title=evil,
        run=evil,
        readings=[
            (Reading(result=result, envelope={"efficiency": {evil: evil}, evil: [evil]}), presentation)
        ],
        lock={
            "digest": evil,
            "keyid": evil,
            "created": evil,
            "versions": {evil: evil},
            "study": {evil: evil},
        },
        environment={evil: {evil: evil}},
        created=evil,
    )


class Page(HTMLParser):
    """Every element with its attributes, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.style = ""
        self.odd: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.odd.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.odd.append(f"<!--{data}-->")

    def unknown_decl(self, data: str) -> None:
        self.odd.append(data)

    def handle_pi(self, data: str) -> None:
        self.odd.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)
