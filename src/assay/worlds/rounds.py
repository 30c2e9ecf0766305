"""Worlds that present one case twice, to see whether it is decided the same way (section 10.6.3)."""

from __future__ import annotations

from typing import Any

from .base import WorldBase
from .model import Effect, Task

__all__ = ["Rounds"]


class Rounds(WorldBase):
    """The rounds of ``setup["parts"]``. Each begins a new conversation, with the same case in other words."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self.parts: list[dict[str, Any]] = task.setup["parts"]
        self.now, self.over = 0, False

    def end_round(self) -> Effect:
        if self.now + 1 < len(self.parts):
            self.now += 1
            return Effect(fresh=self.parts[self.now]["goal"])
        self.over = True
        return Effect(done=True)
