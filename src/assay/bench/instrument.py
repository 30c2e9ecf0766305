"""What an instrument is to the bench."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import msgspec
from msgspec import Struct

from assay.canonical import encode
from assay.errors import InputError, blaming
from assay.evidence.records import Evidence
from assay.registry import file_of, find, take_file
from assay.study.lock import Lock
from assay.study.model import Study
from assay.study.source import Source
from assay.vocabulary import Result, Trial

from .probe import Probe
from .retry import with_retries

__all__ = [
    "Instrument",
    "Item",
    "Plan",
    "Prepared",
    "load_instrument",
    "named_instrument",
    "runs_code",
    "score",
    "strata_of",
    "wave_of",
]


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
    quick: ClassVar[dict[str, Any]]  # options of a run that takes a minute
    option_type: ClassVar[Any]  # the type of its part of a study
    row_option_type: ClassVar[Any]  # the type of what ``score_rows`` takes
    row_help: str  # what a row looks like
    own_loops: bool  # whether it measures agents that run a loop of their own
    selecting: ClassVar[
        tuple[str, ...]
    ]  # options that choose which trials there are, not how one is conducted
    compared: ClassVar[
        tuple[str, ...]
    ]  # published measures that a comparison prints beside the observed ones

    @property
    def runs_code(self) -> bool | Callable[[Lock], bool]:
        """Whether it runs programs, so that a run needs the sandbox; a function where the study decides."""
        ...

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

    def with_requirements(self, lock: Lock, result: Result) -> Result:
        """The result with a verdict on everything that the study requires. Pure."""
        ...

    def observations(self, evidence: Evidence) -> Iterator[Any]:
        """The values that a comparison sets side by side: `Observation`s, each with the instance it is paired by."""
        ...

    def contents(self, lock: Lock) -> Any:
        """What is put to subjects, by family and by regime: a ``FrameContents``."""
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

    def documents(self, evidence: Evidence, result: Result) -> Sequence[Any]:
        """What is published of a run beside its page: ``Document``s."""
        ...

    def headline(self, result: Result) -> Any:
        """The table that is read first, from a result alone: a ``Headline``."""
        ...

    def summary(self, result: Result) -> list[str]:
        """What is said below the headline in a terminal."""
        ...

    def accompanying(self, result: Result) -> list[str]:
        """What must stand beside any number of this result, wherever it is shown."""
        ...

    def score_rows(self, rows: Any, options: Any) -> Any:
        """Score plain rows (``Rows``); ``options`` is of the ``row_option_type``. Gives ``ScoredRows``."""
        ...

    def warnings(self, lock: Lock) -> list[str]:
        """What is declared and can never come true."""
        ...

    def calibrate(self, runs: int, workers: int, quick: bool, progress: Callable[[int, int], None]) -> Any:
        """Truth beside reading on subjects of known truth: a ``Calibration``."""
        ...

    def plan(self, lock: Lock) -> Plan: ...

    def items(self) -> list[Item]: ...

    def show(self, item: str, seed: int) -> dict[str, Any]:
        """One instance in full."""
        ...


_PARTS = [part for part in [*Instrument.__annotations__, *vars(Instrument)] if not part.startswith("_")]


def runs_code(instrument: Instrument, lock: Lock) -> bool:
    """Whether a run of this lock needs the sandbox for the instrument."""
    asked = instrument.runs_code
    return asked(lock) if callable(asked) else asked


def named_instrument(
    text: str, base: Path = Path(), *, file: str | None = None, line: int | None = None
) -> Instrument:
    """An instrument as a user names it: by its name, or by the path of its file, which is imported then.

    Never give it what a lock or a run says: those may come from somebody else.
    """
    if text.endswith(".py"):
        text = take_file(base / text).name
    return load_instrument(text, file=file, line=line)


def load_instrument(name: str, *, file: str | None = None, line: int | None = None) -> Instrument:
    """An instrument by its name: an installed one, or one whose file the user has named in this process."""
    own = file_of(name)
    make = own.make if own else find("assay.instruments", name, what="instrument", file=file, line=line)
    with blaming(f"the instrument {name}", "its constructor"):
        instrument = make()
    if not isinstance(instrument, Instrument):
        missing = [part for part in _PARTS if not hasattr(instrument, part)]
        raise InputError(
            f"the instrument {name!r} does not keep the contract: it has no {', '.join(missing)}"
        )
    if instrument.name != name or not isinstance(instrument.version, str):
        raise InputError(
            f"the instrument {name!r} does not keep the contract: its name is {instrument.name!r} and its version "
            f"{instrument.version!r}; the name is that of the entry point, and the version a text"
        )
    return instrument


def strata_of(instrument: Instrument, lock: Lock) -> list[str]:
    """Its strata, each once and named by a text: waves are recorded and found again under that name."""
    with blaming(f"the instrument {instrument.name}", "strata"):
        strata = instrument.strata(lock)
        found = [] if isinstance(strata, str) else list(strata)
        if isinstance(strata, str) or not all(isinstance(one, str) for one in found):
            raise TypeError("strata are a list of texts")
        if len(set(found)) < len(found):
            raise ValueError("it names a stratum twice")
    return found


def wave_of(instrument: Instrument, lock: Lock, evidence: Evidence) -> Iterator[Trial]:
    """The trials of the next wave, each of them this instrument's own, in this version."""
    mine = (instrument.name, instrument.version)
    with blaming(f"the instrument {instrument.name}", "trials"):
        for trial in instrument.trials(lock, evidence):
            if not isinstance(trial, Trial):
                raise TypeError(f"it yields {type(trial).__name__}, not Trial")
            if (named := (trial.instance.instrument, trial.version)) != mine:
                raise ValueError(f"it yields a trial of {named[0]!r}, version {named[1]!r}")
            yield trial


def score(instrument: Instrument, evidence: Evidence) -> Result:
    """What the evidence amounts to, of the form that is published."""
    with blaming(f"the instrument {instrument.name}", "score"):
        found = instrument.score(evidence)
        if not isinstance(found, Result):
            raise TypeError(f"it gives {type(found).__name__}, not Result")
        found = with_retries(instrument.with_requirements(evidence.lock, found), evidence)
        if more := [flag for flag in evidence.flags if flag not in found.flags]:
            found = msgspec.structs.replace(found, flags=(*more, *found.flags))
        try:
            msgspec.json.decode(encode(found), type=Result)
        except InputError as error:
            raise ValueError(str(error)) from None
    return found
