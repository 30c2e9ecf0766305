"""Waves as the ledger tells of them."""

from __future__ import annotations

from msgspec import Struct

from assay.errors import IntegrityError

__all__ = ["Wave", "take_wave"]


class Wave(Struct):
    """A wave as the ledger tells of it."""

    instrument: str
    stratum: str
    number: int
    trials: int
    digest: str
    closed: bool = False


def take_wave(known: dict[tuple[str, str], list[Wave]], kind: str, wave: Wave) -> None:
    """Take in that a wave was opened (``wave``) or closed; it must follow from those before it."""
    waves = known.setdefault((wave.instrument, wave.stratum), [])
    if kind == "wave" and wave.number == len(waves):
        wave.closed = False  # only an event of its own closes a wave
        waves.append(wave)
    elif kind == "closed" and wave.number < len(waves) and waves[wave.number].digest == wave.digest:
        waves[wave.number].closed = True
    else:
        raise IntegrityError(
            f"wave {wave.number} of {wave.stratum!r} does not follow from the waves before it"
        )
