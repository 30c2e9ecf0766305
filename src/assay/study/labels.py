"""Labels of subjects: what people tell apart in tables, so all of it has to be seen."""

from __future__ import annotations

import unicodedata

__all__ = ["LOOKS_ALIKE", "LabelBook", "invisible_in", "label_key"]

LOOKS_ALIKE = "looks like an earlier one made of other characters; write both alike (Unicode NFC)"
# Control and format characters, lone surrogates, line and paragraph ends; of blanks only the ordinary one is let pass.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp", "Zs"))
# Seen as nothing though their category is that of letters, marks or symbols: joiners, fillers, variation selectors.
_EMPTY = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0").union(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)


def label_key(label: str) -> str:
    """Labels with the same key look alike: é is one character or two."""
    return unicodedata.normalize("NFC", label)


def invisible_in(label: str) -> str:
    """What is wrong with a label that has a character nobody sees; empty where it has none."""
    if label.isascii() and label.isprintable():
        return ""
    for place, character in enumerate(label, 1):
        if character != " " and (unicodedata.category(character) in _UNSEEN or character in _EMPTY):
            name = unicodedata.name(character, "a control character")
            return (
                f"character {place} of the label, U+{ord(character):04X} ({name}), cannot be seen; "
                "leave it out, or write an ordinary blank"
            )
    return ""


class LabelBook:
    """The labels of some rows, and where each was seen first."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[str, int]] = {}

    def fault(self, label: str, number: int, place: str) -> str:
        """What is wrong with a label, in the light of those before it; empty if nothing is."""
        if unseen := invisible_in(label):
            return unseen
        first, at = self._first.setdefault(label_key(label), (label, number))
        if first == label:
            return ""
        return f"{label!r} {LOOKS_ALIKE}, after {place} {at}"
