"""The pages of the documentation, and what stands on them."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["BLOCK", "PAGES", "ROOT", "blocks", "text_of"]

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / f"{n}.md" for n in ("README", "CONTRIBUTING", "CHANGELOG")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def text_of(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text("utf-8")


def blocks(text: str, *languages: str) -> list[str]:
    return [body for language, body in BLOCK.findall(text) if language in languages]
