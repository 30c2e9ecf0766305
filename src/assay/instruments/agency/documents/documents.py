"""The two documents of a result, one sheet for each reading: the Agency Card and the Technical Report."""

from __future__ import annotations

from collections.abc import Iterable

from assay.report.document import Document
from assay.vocabulary import Result

from .card_sheet import card_sheet
from .published import PublishedReading
from .report_sheet import report_sheet

__all__ = ["documents_of"]


def documents_of(published: Iterable[PublishedReading], result: Result) -> tuple[Document, ...]:
    every = list(published)
    if not every:
        return ()
    cards = tuple(card_sheet(one, result) for one in every)
    reports = tuple(report_sheet(one, result) for one in every)
    return (
        Document("agency-card", "Agency Card", cards, one_page=True),
        Document("technical-report", "Technical Report", reports),
    )
