"""For those who write instruments, subjects or families: a stub endpoint and five conformance checkers.

``check_instrument``, ``check_subject``, ``check_family``, ``check_learning_family`` and ``check_item`` raise
``ContractBroken`` with every rule that is not kept.
``stub`` is an OpenAI-compatible server with all the faults of one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.errors import ContractBroken

    from .conformance import Conformance
    from .family import check_family, check_learning_family
    from .instrument import check_instrument
    from .items import check_item
    from .stub import Fault, Faults, Stub, stub_process
    from .subject import check_subject

__all__ = [
    "Conformance",
    "ContractBroken",
    "Fault",
    "Faults",
    "Stub",
    "check_family",
    "check_instrument",
    "check_item",
    "check_learning_family",
    "check_subject",
    "stub_process",
]

_WHERE = {
    "Conformance": ".conformance",
    "ContractBroken": "assay.errors",
    "Fault": ".stub",
    "Faults": ".stub",
    "Stub": ".stub",
    "check_family": ".family",
    "check_instrument": ".instrument",
    "check_item": ".items",
    "check_learning_family": ".family",
    "check_subject": ".subject",
    "stub_process": ".stub",
}


def __getattr__(name: str) -> Any:
    """Imported when first used: the stub's process needs no instrument, and an instrument's test no server."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name], __name__), name)
