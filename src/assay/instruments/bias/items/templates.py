"""Texts with gaps: ``{name}`` and ``{amount:,}``. Nothing but a name and a form of number can stand in braces."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.errors import InputError

from .expressions import Value

__all__ = ["Template", "tidy", "written"]

# Forms: nothing, thousands with commas, fixed digits, both, percent of a share. No widths: a template is untrusted.
_GAP = re.compile(r"\{([A-Za-z_]\w*)(?::(,|,?\.[0-4]f|\.[0-4]%))?\}")
_BLANKS = re.compile(r"[ \t]{2,}")
_SPACED = re.compile(r"[ \t]*\n[ \t]*")
_EMPTY_LINES = re.compile(r"\n{3,}")
_BEFORE_SIGN = re.compile(r" +([.,;:?!])(?=\s|$)")


class Template:
    """A text split at its gaps once, filled often."""

    def __init__(self, text: str) -> None:
        parts = _GAP.split(text)
        for plain in parts[::3]:
            if "{" in plain or "}" in plain:
                raise InputError(f"a brace that opens no gap, in {text[:60]!r}")
        self._parts = parts
        self.names = set(parts[1::3])

    def fill(self, values: Mapping[str, Value]) -> str:
        parts = self._parts
        if len(parts) == 1:
            return parts[0]
        out = [parts[0]]
        for at in range(1, len(parts), 3):
            name, form, plain = parts[at : at + 3]
            if name not in values:
                raise InputError(f"{{{name}}} is not drawn, computed or varied")
            out += [written(values[name], form), plain]
        return "".join(out)


def written(value: Value, form: str | None = None) -> str:
    """As a text has it: a whole number without a point, others with up to ten digits."""
    if isinstance(value, str):
        return value
    if form:
        return format(value, form)
    return str(int(value)) if float(value).is_integer() else f"{value:.10g}"


def tidy(text: str) -> str:
    """Blanks and lines that an empty gap leaves behind are taken out."""
    text = _EMPTY_LINES.sub("\n\n", _SPACED.sub("\n", _BLANKS.sub(" ", text)))
    return _BEFORE_SIGN.sub(r"\1", text).strip()
