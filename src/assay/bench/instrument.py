"""What an instrument is to the bench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from assay.errors import InputError
from assay.evidence.records import Evidence
from assay.registry import find
from assay.study.lock import Lock
from assay.study.model import Study
from assay.study.source import Source
from assay.vocabulary import Result, Trial

from .probe import Probe

__all__ = ["Instrument", "Item", "Plan", "Prepared", "load_instrument"]


class Prepared(Struct, frozen=True):
    """Options with every default filled in, and the materials the study draws in through them."""

    options: dict[str, Any]
    materials: Any


class Plan(Struct, frozen=True, kw_only=True):
    """What a run would ask. ``detectable`` says in words what the declared n can and cannot show."""

    trials: int
    calls: int
    input_tokens: int
    output_tokens: int  # at most
    detectable: tuple[str, ...] = ()


class Item(Struct, frozen=True):
    """A line of ``assay list``. ``facts`` is for machines: what an item has beyond its words."""

    id: str
    title: str
    detail: str = ""
    facts: dict[str, Any] = {}


@runtime_checkable
class Instrument(Protocol):
    """A way of measuring: which trials, how one is conducted, what they amount to."""

    name: str
    version: str
    title: str
    noun: str  # what its items are called: contracts, biases, families ...
    quick: dict[str, Any]  # options of a run that takes a minute
    runs_code: bool  # whether it runs programs, so that a run needs the sandbox

    def prepare(self, study: Study, options: dict[str, Any], base: Path, source: Source | None) -> Prepared:
        """Check the options (``source`` knows their lines) and gather what they refer to, relative to ``base``."""
        ...

    def strata(self, lock: Lock) -> Iterable[str]:
        """The strata whose waves are kept apart, in the order in which they are to be begun."""
        ...

    def trials(self, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
        """The next wave of ``evidence.stratum`` given its closed ones; nothing when it is done. Pure."""
        ...

    async def conduct(self, trial: Trial, probe: Probe) -> None:
        """One trial, top to bottom, ending in ``probe.conclude``."""
        ...

    def score(self, evidence: Evidence) -> Result:
        """What the evidence amounts to. Pure."""
        ...

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        """One flat row an output, for the records file."""
        ...

    def attachments(self, evidence: Evidence) -> dict[str, bytes]:
        """Further files that belong to the run, by name."""
        ...

    def present(self, evidence: Evidence, result: Result) -> Any:
        """The result for people: a ``Presentation``."""
        ...

    def plan(self, lock: Lock) -> Plan: ...

    def items(self) -> list[Item]: ...

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """One instance in full."""
        ...


_PARTS = [part for part in [*Instrument.__annotations__, *vars(Instrument)] if not part.startswith("_")]


def load_instrument(name: str, *, file: str | None = None, line: int | None = None) -> Instrument:
    instrument = find("assay.instruments", name, what="instrument", file=file, line=line)()
    if not isinstance(instrument, Instrument):
        missing = [part for part in _PARTS if not hasattr(instrument, part)]
        raise InputError(
            f"the instrument {name!r} does not keep the contract: it has no {', '.join(missing)}"
        )
    return instrument
