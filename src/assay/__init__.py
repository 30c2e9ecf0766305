"""Assay: a measuring bench for the behaviour of AI systems.

``run``, ``plan``, ``score``, ``load``, ``compare``, ``audit`` and ``bundle`` are for Python and notebooks
(docs/python.md). The nouns are in :mod:`assay.vocabulary`, the errors in :mod:`assay.errors`. Importing the package
loads nothing heavy: each room is imported when it is used.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # type checkers take it for true; importing typing for it would cost more than all the rest
)
if TYPE_CHECKING:
    from .api.audit import audit
    from .api.bundle import bundle
    from .api.compare import compare
    from .api.load import load
    from .api.plan import plan
    from .api.run import run
    from .api.score import score

__all__ = ["__version__", "audit", "bundle", "compare", "load", "plan", "run", "score"]

__version__ = "0.4.0"

if not TYPE_CHECKING:  # a type checker must not take every name for one of ours

    def __getattr__(name: str) -> object:
        """Each function is in the module of its name, which is imported when somebody asks for it."""
        if name not in __all__:
            raise AttributeError(f"module 'assay' has no attribute {name!r}")
        from importlib import import_module

        found = globals()[name] = getattr(import_module(f".api.{name}", __name__), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
