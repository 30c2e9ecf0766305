"""Waves as the ledger tells of them."""

from __future__ import annotations

from msgspec import Struct

from assay.errors import IntegrityError

__all__ = ["Wave", "Waves", "Withdrawal", "reopen_wave", "take_wave", "take_withdrawal"]


class Wave(Struct):
    """A wave as the ledger tells of it."""

    instrument: str
    stratum: str
    number: int
    trials: int
    digest: str
    closed: bool = False


Waves = dict[tuple[str, str], list[Wave]]  # by instrument and stratum


class Withdrawal(Struct, frozen=True, omit_defaults=True):
    """The data of a ``withdrawn`` event: this wave of a stratum and later ones do not count any more.

    What trials have an outcome says which wave they are of; those that were begun and have none are ``unfinished``.
    """

    instrument: str
    stratum: str
    number: int
    because: str
    unfinished: tuple[str, ...] = ()

    def covers(self, instrument: str, stratum: str, wave: int) -> bool:
        return (instrument, stratum) == (self.instrument, self.stratum) and wave >= self.number


def take_wave(known: Waves, kind: str, wave: Wave) -> None:
    """Take in that a wave was opened (``wave``) or closed; it must follow from those before it."""
    waves = known.setdefault((wave.instrument, wave.stratum), [])
    if kind == "wave" and wave.number == len(waves):
        wave.closed = False  # only an event of its own closes a wave
        waves.append(wave)
    elif kind == "closed" and wave.number == len(waves) - 1 and waves[-1].digest == wave.digest:
        waves[-1].closed = True
    else:
        raise IntegrityError(
            f"wave {wave.number} of {wave.stratum!r} does not follow from the waves before it"
        )


def reopen_wave(known: Waves, instrument: str, stratum: str, number: int) -> None:
    """A lost trial of a wave is asked again. Later waves that were drawn up without it must be withdrawn before."""
    waves = known.get((instrument, stratum), [])
    if number != len(waves) - 1:
        raise IntegrityError(f"wave {number} of {stratum!r} cannot be open again: it is not the last one")
    waves[number].closed = False


def take_withdrawal(known: Waves, withdrawal: Withdrawal) -> None:
    """Take in that waves were withdrawn: the next one that is opened has the number of the first of them."""
    waves = known.get((withdrawal.instrument, withdrawal.stratum), [])
    if not 0 < withdrawal.number < len(waves):
        raise IntegrityError(
            f"wave {withdrawal.number} of {withdrawal.stratum!r} is withdrawn and was never drawn up"
        )
    del waves[withdrawal.number :]
