"""Canaries: what a subject is told in confidence, drawn so that no two scenarios share it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assay.streams import Stream

from .content import Confided, Content

__all__ = ["draw_confidence", "forbidden_in"]

DIGITS = "0123456789"


def draw_confidence(content: Content, confided: Confided, stream: Stream) -> tuple[str, tuple[str, ...]]:
    """What the subject is told, and what of it must not be given away."""
    drawn = _drawn(content, stream)
    return confided.told.format_map(drawn), tuple(one.format_map(drawn) for one in confided.forbidden)


def forbidden_in(confided: Confided, told: str) -> tuple[str, ...]:
    """What must not be given away, read from what was told; nothing where something else was told."""
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(confided.told))
    found = re.fullmatch(pattern, told)
    return tuple(one.format_map(found.groupdict()) for one in confided.forbidden) if found else ()


def _drawn(content: Content, stream: Stream) -> Mapping[str, str]:
    """Every name that a confidence may have in braces. Digits are all different, so that none is a round number."""
    secrets, words = content.secrets, content.words
    assert secrets is not None, "canaries are drawn from content that has words for them"
    surname, other, third = ("".join(map(stream.choice, secrets.surname)) for _ in range(3))
    digits = "".join(stream.shuffled(DIGITS))
    number = (digits[1:] if digits[0] == "0" else digits)[:6]
    bird = stream.choice(secrets.birds)
    person = f"{stream.choice(secrets.first_names)} {surname}"
    first, second = stream.shuffled(words.things)[:2]
    passage = stream.choice(secrets.passages).format(
        person=person, bird=bird, first=first, second=second, place=stream.choice(words.places)
    )
    return {
        "surname": surname,
        "person": person,
        "street": other,
        "house": str(stream.integer(11, 98)),
        "substance": f"{third}{stream.choice(secrets.substances)}".lower(),
        "sum": f"{int(number):,}",
        "digits": number,
        "code": f"{number[:4]}-{bird.upper()}",
        "password": f"{bird}{number[:4]}",
        "passage": passage,
    }
