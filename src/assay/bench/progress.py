"""What a run tells about itself while it goes on. Displays are elsewhere; these are the numbers they show."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from assay.vocabulary import Trial

from .meter import Meter

__all__ = ["Progress", "Tally", "label_of"]


class Tally:
    """One line of the display: a subject under a condition."""

    __slots__ = ("done", "excluded", "label", "planned", "success")

    def __init__(self, label: str) -> None:
        self.label = label
        self.planned = self.done = self.success = self.excluded = 0


def label_of(trial: Trial) -> str:
    """How the display calls the trials that are counted together."""
    varied = [
        f"{name} {value if isinstance(value, str) else f'{value:g}'}"
        for name, value in sorted(trial.factors.items())
    ]
    return " ".join([trial.subject, *filter(None, [trial.stage]), *varied])


class Progress:
    """Counters that the bench moves and a display reads whenever it likes."""

    def __init__(self, meter: Meter) -> None:
        self.meter = meter
        self.tallies: dict[str, Tally] = {}
        self.message = ""
        self.ended = False  # the session: what is shown last is of the whole run
        self.waits: Callable[[], dict[str, float]] = (
            dict  # subject → seconds its endpoint has asked us to wait
        )
        self._marks: deque[tuple[float, int, int]] = deque(maxlen=40)

    def tally(self, label: str) -> Tally:
        if label not in self.tallies:
            self.tallies[label] = Tally(label)
        return self.tallies[label]

    @property
    def notice(self) -> str:
        """What is worth saying beside the numbers."""
        asked = [f"{title} asks to wait: {left:.0f} s" for title, left in self.waits().items() if left >= 1]
        return " · ".join([self.message] * bool(self.message) + asked)

    @property
    def planned(self) -> int:
        return sum(tally.planned for tally in self.tallies.values())

    @property
    def done(self) -> int:
        return sum(tally.done for tally in self.tallies.values())

    def sample(self) -> tuple[float, float | None]:
        """Calls per second of late, and the seconds left at that pace (None while unknown); at the end the mean."""
        if self.ended:
            seconds = self.meter.seconds
            return (
                self.meter.replies / seconds if seconds > 0 else 0.0,
                0.0 if self.done >= self.planned else None,
            )
        now = time.monotonic()
        self._marks.append((now, self.meter.replies, self.done))
        then, replies, done = self._marks[0]
        passed = now - then
        if passed < 0.5:
            return 0.0, None
        pace = (self.done - done) / passed
        left = (self.planned - self.done) / pace if pace > 0 else None
        return (self.meter.replies - replies) / passed, left
