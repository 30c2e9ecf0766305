"""What runs inside the sandbox.

These modules import nothing but the standard library and each other: they are loaded by a bare
interpreter (no site-packages) that never sees the rest of Assay.
"""

from __future__ import annotations

__all__: list[str] = []
