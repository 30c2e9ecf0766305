"""What scoring plain rows gives: the result, and on request the records and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from assay.report.document import Document
from assay.report.presentation import Presentation
from assay.vocabulary import Result

__all__ = ["ScoredRows"]


class ScoredRows(NamedTuple):
    """All but ``result`` is called when somebody asks for it: that can cost more than the score.

    A record is flat, as in a run's records file: what was read, which checks held, and why it failed.
    """

    result: Result
    records: Callable[[], Iterable[dict[str, Any]]]
    present: Callable[[], Presentation]
    documents: Callable[[], Sequence[Document]] = tuple
