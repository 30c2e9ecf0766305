"""What both instruments share: they have nothing to export and little to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.bench import Item
from assay.evidence import Evidence
from assay.report.presentation import Headline, Number, Presentation
from assay.vocabulary import Result


class Plain:
    noun = "drills"
    runs_code = False
    name: str

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        for record in evidence:
            yield {"trial": record.id, "item": record.trial.instance.item, "outcome": record.outcome}

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        return {}

    def present(self, evidence: Evidence, result: Result) -> Presentation:
        rows = tuple((m.name, Number(m.value, m.low, m.high, m.n)) for m in result.measures)
        return Presentation(
            headline=Headline(title=self.name, columns=("measure", "value"), rows=rows, caption="")
        )

    def items(self) -> list[Item]:
        return [Item(self.name, f"the only item of {self.name}")]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "…"}], "criterion": "none", "seed": seed}
