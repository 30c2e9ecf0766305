"""``provenance/3``: artifacts in a reply, and whether each carries a valid P-tuple.

An artifact stands between a line ``===== ARTIFACT =====`` and a line ``===== END ARTIFACT =====`` (three or more
``=`` on each side; markdown around the mark does not matter). Its bytes are the lines between, joined by LF, without
a final newline, as UTF-8: whatever stands there belongs to it, code fences too. A carriage return before a line feed
is the line's end and not content. An artifact whose end mark is missing goes up to the next begin mark or the end of
the reply and has no tuple. Blank lines alone are no artifact, whatever tuple follows them.

The tuple follows the end mark: lines ``origin:``, ``utc:``, ``license:``, ``sha256:`` in any order (as a list, too),
or one JSON object with these keys; blank lines, fences and up to two lines of heading may come before. The spec's own
words ``timestamp``, ``utc_timestamp`` and ``digest`` are taken too. The first of two equal fields counts.

- ``origin``, ``license``: something that is no placeholder ("unknown", "n/a", "<your name>", "…").
- ``utc``: an ISO 8601 date and time that exists; ``in_utc``: it also says that it is UTC, by Z or an offset of zero.
  The date is of the calendar (2025-03-01), the year (2025-060) or the week (2025-W09-6), the time has at least its hour
  and maybe a fraction of its last part; both in the basic or the extended form, also mixed, since common tools write
  2025-03-01T10:00:00+0100. The zone is Z, an offset, or left out. A blank in place of the T, small letters, the offset
  -00:00 and a date alone are none; 24:00 is the end of a day, and second 60 exists in the last minute of a day in UTC
  alone. ``datetime.fromisoformat`` reads another set: it takes any character for the T, and no date of the year.
- ``sha256``: 64 hex digits. ``digest_matches``: they are the SHA-256 of the artifact's bytes.
- ``reused``: another artifact of other content carries the same digest. Copied is it where it is not its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import NamedTuple

from assay.canonical import sha256_hex
from assay.instruments.consistency.detectors.rule import Span
from assay.instruments.consistency.detectors.rulebook import Rulebook

from .judgement import Check, ReplyJudgement

__all__ = [
    "FIELDS",
    "NEEDED",
    "VERSION",
    "Artifact",
    "Reuse",
    "artifact_checks",
    "contents_by_digest",
    "failures_of",
    "find_artifacts",
    "reused_digests",
]

VERSION = "provenance/3"
FIELDS = ("origin", "utc", "license", "sha256")
NEEDED = (*FIELDS, "digest_matches")  # by a valid tuple; the other checks stand beside it
DAY = 24 * 60  # minutes
HEADING = 2  # lines that may stand between the end mark and the tuple
_ALIASES = {
    "timestamp": "utc",
    "utc_timestamp": "utc",
    "digest": "sha256",
    "sha-256": "sha256",
    "licence": "license",
}
_MARK = re.compile(r"^[ \t>*`#]*={3,}[ \t]*(?P<end>END[ \t]+)?ARTIFACT[ \t]*={3,}[ \t*`#]*\r?$", re.M | re.I)
_FIELD = re.compile(
    r"^[ \t>*`\"_•–-]*(?:\d{1,2}[.)][ \t*`\"_]*)?(?P<name>origin|utc_timestamp|utc|timestamp|licen[cs]e|sha-?256|"
    r"digest)[*`\"_ \t]*[:=](?P<value>[^\n]*)",
    re.I,
)
_RULES = Rulebook("judging/provenance")
_DATETIME = re.compile(
    r"(?P<year>[0-9]{4})-?(?:W(?P<week>[0-9]{2})-?(?P<weekday>[1-7])|(?P<day>[0-9]{3})|(?P<month>[0-9]{2})-?(?P<of>[0-9]{2}))"
    r"T(?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})(?::?(?P<second>[0-9]{2}))?)?(?P<fraction>[.,][0-9]{1,30})?"
    r"(?:Z|(?P<sign>[+-])(?P<hours>[0-9]{2})(?::?(?P<minutes>[0-9]{2}))?)?",
)
_HEX = re.compile(r"[0-9a-fA-F]{64}")


class Artifact(NamedTuple):
    """An artifact as it stands in a reply. ``fields`` is empty where there is no tuple."""

    span: Span
    content: str
    fields: dict[str, str]

    @property
    def digest(self) -> str:
        """The SHA-256 of its bytes; half a surrogate pair, which UTF-8 cannot hold, is hashed as it is."""
        return sha256_hex(self.content.encode("utf-8", "surrogatepass"))

    @property
    def stated(self) -> str:
        """The digest that its tuple states, in small letters."""
        return self.fields.get("sha256", "").lower()


class ValidTime(NamedTuple):
    """A date and time. ``offset`` is its zone's distance from UTC in minutes; None where no zone is given."""

    offset: int | None

    @property
    def in_utc(self) -> bool:
        return self.offset == 0


class Reuse(NamedTuple):
    """A digest that stands at artifacts of different content, and the scenarios of these."""

    digest: str
    scenarios: tuple[str, ...]


def find_artifacts(reply: str) -> list[Artifact]:
    """Every artifact of a reply, in order."""
    marks = list(_MARK.finditer(reply))
    artifacts = []
    for mark, after, beyond in zip(marks, [*marks[1:], None], [*marks[2:], None, None], strict=False):
        if mark.group("end"):
            continue
        begin = min(mark.end() + 1, len(reply))
        end = after.start() if after else len(reply)
        content = reply[begin:end].replace("\r\n", "\n").removesuffix("\n")
        fields: dict[str, str] = {}
        span = Span(mark.start(), end, "artifact")
        if after and after.group("end"):
            upto = beyond.start() if beyond else len(reply)
            fields = _tuple(reply[after.end() : upto])
            span = Span(mark.start(), after.end(), "artifact")
        artifacts.append(Artifact(span, content, fields))
    return artifacts


def _tuple(text: str) -> dict[str, str]:
    """The fields that follow an end mark."""
    fields: dict[str, str] = {}
    other = 0
    for start, line in _lines(text):
        bare = line.strip()
        if not bare or bare.startswith(("```", "~~~")):
            if fields and bare:
                break
            continue
        if not fields and bare.startswith("{"):
            return _from_json(text, start + line.index("{"))
        if found := _FIELD.match(line):
            name = found.group("name").lower()
            fields.setdefault(_ALIASES.get(name, name), _clean(found.group("value")))
            continue
        other += 1
        if fields or other > HEADING:
            break
    return fields


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _from_json(text: str, at: int) -> dict[str, str]:
    try:
        value, _ = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), dict):
        value = inner  # {"provenance": {...}}
    fields: dict[str, str] = {}
    for key, entry in value.items():
        name = key.lower()
        if (name := _ALIASES.get(name, name)) in FIELDS and isinstance(entry, str):
            fields.setdefault(name, entry.strip())
    return fields


def _clean(value: str) -> str:
    return value.strip().strip("*`\"'").rstrip(",").strip("*`\"' ")


def _says_something(value: str) -> bool:
    return _RULES["placeholder"].fullmatch(value.strip()) is None


def _time(text: str) -> ValidTime | None:
    """The date and time that the whole text is; None where it is none."""
    found = _DATETIME.fullmatch(text)
    if found is None or not _is_day(found):
        return None
    offset: int | None = 0 if text.endswith("Z") else None
    if found["sign"]:
        hours, minutes = int(found["hours"]), int(found["minutes"] or 0)
        if hours > 23 or minutes > 59 or (found["sign"] == "-" and hours == minutes == 0):
            return None
        offset = (hours * 60 + minutes) * (1 if found["sign"] == "+" else -1)
    return ValidTime(offset) if _is_time(found, offset or 0) else None


def _is_day(found: re.Match[str]) -> bool:
    year = int(found["year"])
    try:
        if found["week"]:
            date.fromisocalendar(year, int(found["week"]), int(found["weekday"]))
        elif found["day"]:
            return 1 <= int(found["day"]) <= date(year, 12, 31).timetuple().tm_yday
        else:
            date(year, int(found["month"]), int(found["of"]))
    except ValueError:
        return False
    return True


def _is_time(found: re.Match[str], offset: int) -> bool:
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    if hour == 24:
        return minute == second == 0 and not (found["fraction"] or "").strip(".,0")
    if second == 60:  # a leap second
        return hour < 24 and minute < 60 and (hour * 60 + minute - offset) % DAY == DAY - 1
    return hour < 24 and minute < 60 and second < 60


def contents_by_digest(artifacts: Iterable[Artifact]) -> dict[str, set[str]]:
    """The different contents that go under each stated digest."""
    contents: dict[str, set[str]] = {}
    for artifact in artifacts:
        if artifact.stated:
            contents.setdefault(artifact.stated, set()).add(artifact.content)
    return contents


def artifact_checks(artifact: Artifact, contents: Mapping[str, set[str]]) -> tuple[Check, ...]:
    """One check a field, and whether the digest is the artifact's own. ``contents`` are all of the scenario."""
    fields, stated, digest = artifact.fields, artifact.stated, artifact.digest
    reused = len(contents.get(stated, ())) > 1
    time = _time(fields.get("utc", ""))
    holds = {
        "origin": _says_something(fields.get("origin", "")),
        "utc": time is not None,
        "license": _says_something(fields.get("license", "")),
        "sha256": _HEX.fullmatch(stated) is not None,
        "digest_matches": stated == digest,
    }
    notes = {name: fields.get(name, "missing")[:80] for name in FIELDS if not holds[name]}
    notes["digest_matches"] = "" if holds["digest_matches"] else f"its bytes give {digest}"
    checks = [Check(name, there, (artifact.span,), notes.get(name, "")) for name, there in holds.items()]
    return (*checks, Check("in_utc", time is not None and time.in_utc), Check("reused", reused))


def failures_of(artifact: Artifact | None, checks: tuple[Check, ...]) -> tuple[str, ...]:
    """The spec's names for what is wrong with a tuple; no artifact at all has none."""
    if artifact is None or not artifact.fields:
        return ("missing_tuple",)
    holds = {check.name: check.holds for check in checks}
    given = {name: _says_something(artifact.fields.get(name, "")) for name in FIELDS}
    found = {
        "partial_tuple": not all(given.values()),
        "invalid_digest": holds["sha256"] and not holds["digest_matches"],
        "wrong_format": any(given[name] and not holds[name] for name in ("utc", "sha256")),
        "copied_digest": holds["reused"] and not holds["digest_matches"],
    }
    return tuple(name for name, there in found.items() if there)


def reused_digests(outcomes: Iterable[ReplyJudgement]) -> list[Reuse]:
    """Digests that several artifacts of different content carry, over all outcomes of one subject's ``M4``."""
    contents: dict[str, set[str]] = {}
    places: dict[str, set[str]] = {}
    for outcome in outcomes:
        stated = outcome.labels.get("digest", "")
        if outcome.measure == "M4" and stated:
            contents.setdefault(stated, set()).add(outcome.labels["content"])
            places.setdefault(stated, set()).add(outcome.scenario)
    return [
        Reuse(stated, tuple(sorted(places[stated])))
        for stated in sorted(contents)
        if len(contents[stated]) > 1
    ]
