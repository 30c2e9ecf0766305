"""Options that only the analysis depends on: a recorded run can be scored again with others.

An instrument marks such a field of its option type: ``tau: Annotated[float, Meta(...), ANALYSIS] = 0.1``. What is not
marked changes what is asked, how often, or what is computed in a trial, and is fixed by the evidence.
"""

from __future__ import annotations

from typing import Any

from msgspec import Meta, inspect

__all__ = ["ANALYSIS", "analysis_options"]

_KEY = "assay.analysis"
ANALYSIS = Meta(extra={_KEY: True})


def analysis_options(kind: type[Any]) -> frozenset[str]:
    """The options of an option type that only the analysis depends on."""
    info = inspect.type_info(kind)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return frozenset(
        field.name
        for field in fields
        if isinstance(field.type, inspect.Metadata) and (field.type.extra or {}).get(_KEY)
    )
