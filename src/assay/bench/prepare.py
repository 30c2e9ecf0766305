"""From a declaration to a lock: check everything, gather what is drawn in, start nothing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import InputError, blaming
from assay.registry import file_of, take_file
from assay.study.labels import invisible_in, label_key
from assay.study.lock import Lock, LockedFile, make_lock
from assay.study.model import Study
from assay.study.source import Source, convert, read_source
from assay.subjects.base import Subject, make_subject
from assay.subjects.llama_cpp import with_defaults
from assay.subjects.parameters import sampling_option
from assay.subjects.recipes import ENDPOINT_FIELDS, RECIPES, resolved

from .instrument import Instrument, Prepared, load_instrument, named_instrument
from .serving import check_serves

__all__ = ["check_versions", "instruments_of", "prepare", "read_study", "subjects_of", "take_files"]


def read_study(path: Path) -> tuple[Study, Source]:
    source = read_source(path)
    if not isinstance(source.value, dict):
        raise source.error((), "a study is a mapping of fields; see docs/study.md")
    return convert(source.value, Study, source), source


def prepare(study: Study, base: Path, source: Source | None = None) -> Lock:
    """The lock of a study, unsigned. ``base`` is the folder its relative paths start from."""
    study = _with_recipes(study, source)
    _check_subjects(study, source)
    if not study.options:
        raise _error(source, ("instruments",), "name at least one instrument")
    options: dict[str, Any] = {}
    materials, versions, files = {}, {}, {}
    for number, (key, given) in enumerate(study.options.items()):
        at: tuple[str | int, ...] = ("instruments", key if isinstance(study.instruments, dict) else number)
        line = source.line(at) if source else None
        instrument = named_instrument(key, base, file=source.file if source else None, line=line)
        name = instrument.name
        if name in options:
            raise _error(source, at, f"the instrument {name!r} is named twice")
        if not isinstance(given, dict):
            raise _error(source, at, "the options of an instrument are a mapping")
        _check_serving(study, name, source)
        told = source.renamed(at, ("instruments", name)) if source and key != name else source
        with blaming(f"the instrument {name}", "prepare"):
            prepared = instrument.prepare(study, given, base, told)
            if not isinstance(prepared, Prepared):
                raise TypeError(f"it gives {type(prepared).__name__}, not Prepared")
        options[name], materials[name] = prepared.options, prepared.materials
        versions[name] = instrument.version
        if (own := file_of(name)) is not None:
            files[name] = LockedFile(own.path.name, own.sha256)
    return make_lock(msgspec.structs.replace(study, instruments=options), materials, versions, files)


def _with_recipes(study: Study, source: Source | None) -> Study:
    """The study with every recipe and local model's defaults filled in: what is sent and how it is served follows from
    the lock, whatever becomes of them."""
    subjects = list(study.subjects)
    for number, spec in enumerate(study.specs):
        try:
            filled = with_defaults(resolved(spec))
        except InputError as error:
            raise _error(source, ("subjects", number), str(error)) from None
        if filled != spec:
            subjects[number] = filled
    return msgspec.structs.replace(study, subjects=tuple(subjects))


def _check_subjects(study: Study, source: Source | None) -> None:
    if not study.subjects:
        raise _error(source, ("subjects",), "name at least one subject, for example local:smollm2")
    titles: dict[str, str] = {}
    for number, spec in enumerate(study.specs):
        at = ("subjects", number)
        try:
            make_subject(spec)
        except InputError as error:
            raise _error(source, at, str(error)) from None
        if unseen := invisible_in(spec.title):
            raise _error(source, (*at, "label") if spec.label else at, unseen)
        if (key := label_key(spec.title)) in titles:
            alike = "" if titles[key] == spec.title else " in other characters that look the same"
            raise _error(source, at, f"{spec.title!r} is declared twice{alike}; give one a label")
        titles[key] = spec.title
        if spec.boundary == "core" and spec.includes:
            raise _error(source, (*at, "includes"), "a core boundary includes nothing; declare it extended")
        if spec.kind not in RECIPES:
            for field in ENDPOINT_FIELDS:
                if getattr(spec, field):
                    what = f"goes with subjects at an endpoint, not with {spec.kind}:"
                    raise _error(source, (*at, field), what)
        if spec.llama_cpp is not None and spec.kind != "local":
            what = f"goes with local: subjects, not with {spec.kind}:"
            raise _error(source, (*at, "llama_cpp"), what)
        for name in spec.options:
            if (refused := sampling_option(spec, name)) is not None:
                raise _error(source, (*at, "options", name), refused)
        if study.budget.cost is not None and spec.price is None and spec.kind in RECIPES:
            how = "--price IN/OUT, or price in a study"
            raise _error(source, at, f"a budget in money needs the price of {spec.title}: {how}")


def _check_serving(study: Study, instrument: str, source: Source | None) -> None:
    for number, spec in enumerate(study.specs):
        try:
            check_serves(spec, instrument)
        except InputError as error:
            raise _error(source, ("subjects", number), str(error)) from None


def _error(source: Source | None, at: tuple[str | int, ...], message: str) -> InputError:
    if source is None:
        return InputError(message)
    return source.error(at, message)


def instruments_of(lock: Lock) -> list[Instrument]:
    """The instruments a lock names, in the versions it names. A file is not imported for it: see `take_files`."""
    for name, locked in lock.files.items():
        own = file_of(name)
        if own is None or own.sha256 != locked.sha256:
            raise InputError(
                f"the instrument {name!r} is a file, {locked.file}, with the SHA-256 {locked.sha256}; "
                "if you trust it, name it with: --instrument FILE"
            )
    instruments = [load_instrument(name) for name in lock.study.options]
    check_versions(lock, instruments)
    return instruments


def take_files(lock: Lock, files: Iterable[Path]) -> None:
    """Import the instruments' files that the user names: each must be one that was locked."""
    for path in files:
        if not lock.files:
            raise InputError(f"{path} is not wanted: all instruments of this study are installed ones")
        take_file(path, {locked.sha256 for locked in lock.files.values()})


def check_versions(lock: Lock, instruments: list[Instrument]) -> None:
    for instrument in instruments:
        declared = lock.versions.get(instrument.name)
        if declared != instrument.version:
            raise InputError(
                f"the lock was made by Assay {lock.versions.get('assay')} for version {declared} of {instrument.name}, "
                f"here is {instrument.version}; install that version, or lock the study anew"
            )


def subjects_of(lock: Lock) -> list[Subject]:
    return [make_subject(spec) for spec in lock.study.specs]
