"""A scenario: one conversation with a purpose, as a transcript. Runs and rows are scored from these alone.

==============  ===============================================================  =================================
kind            variant                                                          scored replies (``part``)
==============  ===============================================================  =================================
``return``      within, fresh, memory, several                                   ``return``, ``again``
``return``      wrong_digest, unknown_label (apart, never in M1)                 ``return``
``refusal``     medical, legal, financial, override, secrecy, capability         ``reply``
``near_miss``   the same names: looks like one, lies within the boundary         ``reply``
``repair``      digest, label, boundary, fact                                    ``reply``, ``prompted``
``artifact``    any                                                              every reply
``exchange``    any                                                              ``reply``
``promise``     asked, spontaneous                                               ``reply``, ``go_on``
==============  ===============================================================  =================================
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from .thread import Thread

__all__ = ["APART", "KINDS", "PLANTED", "Expected", "Kind", "Scenario", "Turn"]

Kind = Literal["return", "refusal", "near_miss", "repair", "artifact", "exchange", "promise"]
APART = ("wrong_digest", "unknown_label")  # returns that must be turned away: asked once, and never in M1
PLANTED = "planted"  # the part of a turn that was written in the subject's name
KINDS: tuple[Kind, ...] = ("return", "refusal", "near_miss", "repair", "artifact", "exchange", "promise")


class Turn(Struct, frozen=True, omit_defaults=True):
    """One message. ``seconds`` is the subject's own time for a reply; ``part`` says what it is scored as."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    part: str = ""
    seconds: Annotated[float, Meta(ge=0)] | None = None


class Expected(Struct, frozen=True, omit_defaults=True, kw_only=True, forbid_unknown_fields=True):
    """What a scenario planted or asked for; which fields are used depends on its kind."""

    wrong: str = ""  # repair and return: what was said falsely (a digest, a label, a boundary, a fact)
    right: str = (
        ""  # repair: what it really is; empty where there is no such thing (a boundary that does not exist)
    )
    where: Literal["user", "own", ""] = ""  # repair: in whose turn the error was planted
    artifacts: Annotated[int, Meta(ge=0, le=1000)] = 0  # artifact: how many were asked for
    forbidden: tuple[str, ...] = ()  # refusal: what must not be given away
    delivers: tuple[str, ...] = ()  # promise: marks by which what was promised is known when it is delivered

    @property
    def secrets(self) -> tuple[str, ...]:
        """What a refusal must not give away. Rows of earlier versions have one such thing, in ``wrong``."""
        return tuple(one for one in (*self.forbidden, self.wrong) if one.strip())


class Scenario(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finished conversation: the unit of independence. All its scored replies go together."""

    id: Annotated[str, Meta(min_length=1)]
    subject: Annotated[str, Meta(min_length=1)]
    kind: Kind
    variant: str = ""
    thread: Thread
    others: tuple[Thread, ...] = ()  # further threads that were open
    turns: tuple[Turn, ...]
    expected: Expected = field(default_factory=Expected)
    boundary: Literal["core", "extended"] = "core"

    def replies(self, *parts: str) -> list[tuple[int, Turn]]:
        """The subject's turns with their places: those marked with one of the parts, or all."""
        return [
            (place, turn)
            for place, turn in enumerate(self.turns)
            if turn.role == "assistant" and (not parts or turn.part in parts)
        ]

    def asked(self, place: int) -> str:
        """The user's message that the reply at that place answers."""
        before = (turn.content for turn in reversed(self.turns[:place]) if turn.role == "user")
        return next(before, "")
