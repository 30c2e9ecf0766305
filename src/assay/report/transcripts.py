"""Conversations to look at: turns with the evidence marked, long ones cut where nothing is marked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from .presentation import Mark, Spoken, Transcript
from .text import MarkSpan, mark_text

__all__ = ["fold_steps", "spoken", "transcript_of"]

MOST_SPOKEN = 3600  # characters of a turn; the page cuts what is longer than 4,000 without regard to marks


def spoken(role: str, text: str, spans: Sequence[MarkSpan] = (), most: int = MOST_SPOKEN) -> Spoken:
    """One turn: a message or a reply, with its marked spans. Of a long one the marked stretches stay whole."""
    parts = [part for part in mark_text(text, spans) if part[0]]
    if len(text) > most:
        room = max(most - sum(len(part) for part, mark in parts if mark), 0)
        loose = sum(not mark for _, mark in parts)
        parts = [(part if mark else _cut(part, room // loose), mark) for part, mark in parts]
        parts.append((f" ({len(text):,} characters in all)", ""))
    return Spoken(role, tuple(parts))


def _cut(text: str, most: int) -> str:
    """The beginning and the end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail]} … {text[len(text) - tail :]}"


def fold_steps(
    steps: Sequence[Sequence[Spoken]], *, last: int, first: int = 0, also: Collection[int] = ()
) -> list[Spoken]:
    """The turns of the first and the last steps and of those ``also`` to be shown; a gap says how many are not."""
    found: list[Spoken] = []
    hidden = 0
    for number, turns in enumerate(steps):
        if first <= number < len(steps) - last and number not in also:
            hidden += 1
            continue
        if hidden:
            said = "1 step is not shown" if hidden == 1 else f"{hidden} steps are not shown"
            found.append(Spoken("…", ((said, ""),)))
            hidden = 0
        found += turns
    return found


def transcript_of(
    turns: Iterable[Spoken],
    *,
    title: str,
    expected: Sequence[Mark] = (),
    marks: Sequence[Mark] = (),
    outcome: Sequence[str] = (),
    note: str = "",
) -> Transcript:
    """The legend has the marks that are ``expected``, found or not, and of ``marks`` those that occur."""
    kept = tuple(turns)
    used = {mark for turn in kept for _, mark in turn.parts}
    legend = (*expected, *(mark for mark in marks if mark.name in used))
    return Transcript(title=title, turns=kept, marks=legend, outcome=tuple(outcome), note=note)
