"""A detector: does a text hold a number?"""

from __future__ import annotations

import re
from typing import Any

from assay.measuring.detectors import Checked

LABELLED = (("7 after 2", True), ("none at all", False))


class Numbers:
    """Does a text hold a number?"""

    version = "numbers/1"
    counted = ("number",)

    def read(self, text: str) -> dict[str, Any]:
        return {"number": [found.span() for found in re.finditer(r"\d+", text)]}

    def count(self, text: str) -> dict[str, bool]:
        return {"number": bool(self.read(text)["number"])}

    def check(self) -> Checked:
        right = sum(self.count(text)["number"] is holds for text, holds in LABELLED)
        return Checked({"right": right, "of": len(LABELLED)}, [f"{right} of {len(LABELLED)} right"])
