"""The collector of cycles at rest while trees are made and gone through."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["uncollected"]


@contextmanager
def uncollected() -> Iterator[None]:
    """For a piece of work that is bounded, and makes many objects but hardly a cycle, such as trees and tokens.

    They make the collector run again and again, through all that is alive, and it finds nothing: a quarter of
    the time of repair. What the work leaves behind is looked through afterwards, as ever. With threads, it is
    the one that found the collector running that sets it going again.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
