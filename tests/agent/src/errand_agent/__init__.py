"""An agent that runs small errands: it reads a goal and an observation, fills in a tool's fields, and stops.

``solve`` is the agent, ``solve_async`` the same as a coroutine, ``Errand`` the same as a class. ``boast`` is one
that cheats: it tries a tool that nobody offered and claims success whatever came of it.
"""

from __future__ import annotations

from .loop import Errand, boast, solve, solve_async

__all__ = ["Errand", "boast", "solve", "solve_async"]
