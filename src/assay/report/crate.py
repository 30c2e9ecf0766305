"""A bundle described as an RO-Crate 1.2, so that repositories and other tools know what is in it.

https://www.researchobject.org/ro-crate/specification/1.2/: a flat JSON-LD document about the package (the root data
entity), each of its files and the run that made them. It follows from the run alone, so an audit can write it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from assay.canonical import encode
from assay.evidence.bundle import BUNDLE_NAME
from assay.study import Lock
from assay.vocabulary import Reading

__all__ = ["CRATE_NAME", "describe_crate"]

CRATE_NAME = "ro-crate-metadata.json"
VERSION = "https://w3id.org/ro/crate/1.2"
_ASSAY, _RUN = "#assay", "#run"
# By the beginning of a name: what a file of a run is.
_PARTS = (
    ("lock.json", "the signed declaration of the study"),
    ("ledger/manifest-", "signed seal of the ledger and of the files beside it"),
    ("ledger/challenge-", "signed record of a challenge to the run, made after it was closed"),
    ("challenge/", "evidence that came with a challenge, named by its SHA-256"),
    ("documents/", "document for people, drawn from the reading"),
    ("ledger/", "segment of the ledger: everything that happened, as a hash chain"),
    ("reading-", "reading: what the instrument reports from the ledger"),
    ("records-", "records: one row an output"),
    ("earlier/", "a reading of an earlier closing of the run"),
    ("report.html", "page for people, drawn from the reading"),
)
_FORMATS = {
    "json": "application/json",
    "jsonl": "application/jsonl",
    "csv": "text/csv",
    "html": "text/html",
    "pdf": "application/pdf",
}


def describe_crate(
    lock: Lock, readings: Mapping[str, Reading], sizes: Mapping[str, int], digests: Mapping[str, str]
) -> bytes:
    """The metadata document. ``sizes`` and ``digests`` are of all files but this one and the bundle's manifest."""
    names = sorted(name for name in sizes if name != CRATE_NAME)
    envelope: Mapping[str, Any] = next((reading.envelope for reading in readings.values()), {})
    seal = {
        "@id": BUNDLE_NAME,
        "@type": "File",
        "name": BUNDLE_NAME,
        "description": "signed manifest of this package: digest and size of every other file",
        "encodingFormat": "application/json",
    }
    graph = [
        {"@id": CRATE_NAME, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": {"@id": VERSION}},
        _root(lock, envelope, [BUNDLE_NAME, *names]),
        seal,
        *(_file(name, sizes[name], digests[name]) for name in names),
        *_provenance(lock, envelope, [name for name in names if name.startswith("reading-")]),
    ]
    document = {"@context": f"{VERSION}/context", "@graph": graph}
    return msgspec.json.format(encode(document), indent=2) + b"\n"


def _root(lock: Lock, envelope: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    study = lock.study
    subjects = ", ".join(spec.title for spec in study.specs)
    told = f"Replication package of a run of {', '.join(study.options)} on {subjects}"
    who = f"; ask {study.contact}" if study.contact else ""
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": study.name,
        "description": f"{told}. {study.description}" if study.description else f"{told}.",
        "datePublished": str(envelope.get("ended") or lock.created),
        "license": f"The study declares no licence for this package{who}.",
        "identifier": f"sha256:{lock.digest}",
        "hasPart": [_reference(name) for name in names],
        "mentions": [{"@id": _RUN}],
    }


def _reference(name: str) -> dict[str, str]:
    return {"@id": quote(name)}


def _file(name: str, size: int, digest: str) -> dict[str, Any]:
    about = next((told for begins, told in _PARTS if name.startswith(begins)), "attachment of an instrument")
    format_ = _FORMATS.get(name.rpartition(".")[2])
    return {
        **_reference(name),
        "@type": "File",
        "name": name,
        "description": about,
        "contentSize": str(size),
        "sha256": digest,
        **({"encodingFormat": format_} if format_ else {}),
    }


def _provenance(lock: Lock, envelope: Mapping[str, Any], readings: list[str]) -> list[dict[str, Any]]:
    """The run as an action, and the program that carried it out in the environment that the ledger records."""
    found = envelope.get("environment", {})
    where = [found.get(part) for part in ("implementation", "python", "system", "machine")]
    times = {"startTime": envelope.get("begun"), "endTime": envelope.get("ended")}
    action = {
        "@id": _RUN,
        "@type": "CreateAction",
        "name": f"run of {lock.study.name}",
        "instrument": {"@id": _ASSAY},
        "object": _reference("lock.json"),
        "result": [_reference(name) for name in readings],
        **{name: value for name, value in times.items() if value},
    }
    program = {
        "@id": _ASSAY,
        "@type": "SoftwareApplication",
        "name": "Assay",
        "softwareVersion": str(found.get("assay") or lock.versions.get("assay", "")),
        "softwareRequirements": " ".join(str(part) for part in where if part),
    }
    return [action, program]
