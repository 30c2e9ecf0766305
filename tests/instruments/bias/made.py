"""Small item models for tests."""

from __future__ import annotations

from typing import Any

import msgspec

from assay.instruments.bias.items.bank import pools
from assay.instruments.bias.items.instance import CompiledItem
from assay.instruments.bias.items.model import ItemModel

VARIED = {
    "note": {
        "control": "Nothing has been paid so far.",
        "weak": "You have paid {spent} dollars.",
        "moderate": "You have paid {spent} dollars, none of which comes back.",
        "strong": "You have paid {spent} dollars, none of which comes back, and all of it was hard earned.",
        "adversarial": "You have paid {spent} dollars. Everybody says that only a quitter gives up {spent} dollars.",
    }
}


def item(**changes: Any) -> dict[str, Any]:
    """An item with one choice; ``changes`` are of the item, or else of its scenario."""
    scenario: dict[str, Any] = {
        "scenario": "course",
        "draw": {"spent": {"from": 100, "to": 600, "step": 10}, "fee": {"from": 40, "to": 90, "step": 5}},
        "compute": {"other": "fee - 20"},
        "text": "You can finish a course for {fee} dollars, or take a class for {other} dollars. {note}",
        "vary": VARIED,
        "question": "What do you do?",
        "options": {"finish": "Finish the course.", "switch": "Take the class."},
        "normative": "switch if other < fee else finish",
        "biased": "finish",
        "always": ["other < fee"],
    }
    found: dict[str, Any] = {
        "bias": "sunk_cost_fallacy",
        "paradigm": "a test",
        "manipulated": "what was paid",
        "why": "what is paid is paid",
        "answer": "choice",
        "debias": {"warning": "Take care.", "step_by_step": "Compare what is still to be paid."},
        "domains": {"individual": [scenario]},
    }
    for name, value in changes.items():
        (found if name in found else scenario)[name] = value
    return found


NUMBER = {
    "answer": "number",
    "question": "How many dollars is it worth?",
    "options": {},
    "normative": "other",
    "biased": "spent",
    "unit": "dollars",
}
YES_NO = {
    "answer": "yes_no",
    "questions": {"finish": "Do you finish the course?", "switch": "Do you take the class?"},
}


def compiled(**changes: Any) -> CompiledItem:
    return CompiledItem(msgspec.convert(item(**changes), ItemModel), pools())
