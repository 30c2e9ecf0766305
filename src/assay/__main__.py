"""``python -m assay`` is the ``assay`` command."""

from __future__ import annotations

from assay.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
