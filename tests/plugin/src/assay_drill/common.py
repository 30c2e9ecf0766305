"""What both instruments share: they have little to show."""

from __future__ import annotations

from typing import Any

from assay.bench import Item
from assay.measuring import InstrumentBase


class Plain(InstrumentBase):
    noun = "drills"

    def items(self) -> list[Item]:
        return [Item(self.name, f"the only item of {self.name}")]

    def show(self, item: str, seed: int) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "…"}], "criterion": "none", "seed": seed}
