"""Agency: what can a system bring about, closed-loop, under declared constraints? (docs/agency.md)

The rooms are imported by path; importing the package costs nothing.
"""

from __future__ import annotations

__all__: list[str] = []
