"""Hold what the program reads now against the recording: ``python -m tests.recording.compare [--fast]``.

Every input is scored again, and every difference is listed, measure by measure and cell by cell. Changes that were
announced are taken out by ``CHANGES``; what else is expected stands in ``reasons.yaml`` with its reason. What nothing
explains ends with exit code 1.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import yaml
from msgspec import Struct

from .record import FOLDER, RECORDING, Input, inputs, kept, missing, read_recording, score

__all__ = ["AFTER_REPAIR", "CHANGES", "Difference", "Reason", "differences", "main", "read_reasons", "report"]

Entry = dict[str, Any]
Kind = Literal["measure", "verdict", "excluded", "flags", "error", "renamed", "reworded"]
REASONS = FOLDER / "reasons.yaml"
CLOSE = {
    "rel_tol": 1e-9,
    "abs_tol": 1e-12,
}  # reals have 12 digits; another platform may differ in the last ones
SHARE = 1e-12  # a share is its count over n


class Change(NamedTuple):
    """A change that was announced: what is done to a measure, recorded or present, before the two are compared."""

    what: str
    why: str
    applied: Callable[[str, Entry], Entry]


def _subject(instrument: str, measure: Entry) -> Entry:
    if instrument != "repeatability":
        return measure
    labels = {"subject" if name == "model" else name: value for name, value in measure["labels"].items()}
    if labels.get("axis") == "model":
        labels["axis"] = "subject"
    return {**measure, "labels": labels}


def _bare_null(instrument: str, measure: Entry) -> Entry:
    if measure.get("value") is not None:
        return measure
    return {name: value for name, value in measure.items() if name not in ("low", "high", "confidence")}


def _uncounted(instrument: str, measure: Entry) -> Entry:
    return {name: value for name, value in measure.items() if name != "k"}


def _undigested(instrument: str, measure: Entry) -> Entry:
    labels = {name: value for name, value in measure["labels"].items() if name != "canon"}
    return {**measure, "labels": labels} if instrument == "repeatability" else measure


CHANGES = (
    Change("model is subject", "the label of the system is `subject` in every instrument", _subject),
    Change("null is bare", "no data never has an interval", _bare_null),
    Change("canons are named anew", "a canon's digest covers what it holds and its versions", _undigested),
    Change("k is new", "a share carries its count, which is checked by itself: value = k/n", _uncounted),
)
# Repair's own figures: they move where its steps change. Reasons may name them all as `group: repair`.
AFTER_REPAIR = (
    *("R_anchor", "rescue_rate", "mu_post", "P_tau_post"),
    *("delta_R_anchor", "delta_R_anchor_observed", "delta_mu", "delta_P_tau"),
)
# Distances between printed trees depend on the Python that prints them: compared where it is that of the recording.
PRINTED = ("mu_pre", "mu_post", "P_tau_pre", "P_tau_post", "delta_mu", "delta_P_tau", "pairwise_distance")
TOLD = ("renamed", "reworded")  # kinds that need no reason: prose may change, outcomes may not


class Difference(Struct, frozen=True):
    """One thing that is not as it was recorded; ``None`` stands for what is not there."""

    input: str
    kind: Kind
    name: str
    field: str = ""
    old: Any = None
    new: Any = None
    labels: dict[str, Any] = msgspec.field(default_factory=dict)

    def __str__(self) -> str:
        where = ", ".join(f"{name}={value}" for name, value in sorted(self.labels.items()))
        what = " ".join(word for word in (self.kind, self.name, where and f"[{where}]", self.field) if word)
        return f"{self.input}: {what}: {_text(self.old)} → {_text(self.new)}"

    @property
    def of_repair(self) -> bool:
        of = self.labels.get("of", self.name) if self.name == "difference" else self.name
        return of.split(" ")[0] in AFTER_REPAIR


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of expected differences and why they are. Texts are shell patterns; what is left out fits all."""

    reason: str
    input: str = "*"
    kind: str = "*"
    name: str | tuple[str, ...] = "*"
    field: str = "*"
    labels: dict[str, str | float] = msgspec.field(default_factory=dict)
    group: Literal["", "repair"] = ""

    def fits(self, one: Difference) -> bool:
        names = (self.name,) if isinstance(self.name, str) else self.name
        return (
            fnmatchcase(one.input, self.input)
            and fnmatchcase(one.kind, self.kind)
            and any(fnmatchcase(one.name, name) for name in names)
            and fnmatchcase(one.field, self.field)
            and all(fnmatchcase(str(one.labels.get(n, "")), str(value)) for n, value in self.labels.items())
            and (self.group != "repair" or one.of_repair)
        )


def read_reasons(path: Path = REASONS) -> list[Reason]:
    return msgspec.convert(yaml.safe_load(path.read_text("utf-8")) or [], list[Reason])


# One reading against another.


def differences(one: Input, old: Entry, new: Entry, *, printed: bool = True) -> Iterator[Difference]:
    """``printed`` is false where another version of Python prints trees."""
    if "error" in new:
        yield Difference(one.id, "error", "not scored", old=old.get("error"), new=new["error"])
        return
    yield from _measures(one, old["measures"], new["measures"], printed)
    yield from _verdicts(one.id, old["verdicts"], new["verdicts"])
    yield from _excluded(one, old["excluded"], new["excluded"])
    if sorted(old["flags"]) != sorted(new["flags"]):
        yield Difference(one.id, "flags", "of the result", "", sorted(old["flags"]), sorted(new["flags"]))


def _measures(one: Input, old: Sequence[Entry], new: Sequence[Entry], printed: bool) -> Iterator[Difference]:
    before, after = _keyed(one.instrument, old), _keyed(one.instrument, new)
    for key, was in before.items():
        if not printed and was["name"] in PRINTED and was["labels"].get("level") == "ast":
            continue
        if key in after:
            yield from _fields(one.id, was, after[key])
        else:
            yield Difference(one.id, "measure", was["name"], "", _whole(was), None, was["labels"])
    for key, now in after.items():
        if key not in before:
            yield Difference(one.id, "measure", now["name"], "", None, _whole(now), now["labels"])
    for measure in new:
        k, value, n = measure.get("k"), measure.get("value"), measure["n"]
        if (k and not n) or (k is not None and value is not None and abs(value - k / n) > SHARE):
            yield Difference(one.id, "measure", measure["name"], "k/n", value, f"{k}/{n}", measure["labels"])


def _keyed(instrument: str, measures: Iterable[Entry]) -> dict[tuple[Any, ...], Entry]:
    """By name and labels; a second one with the same has a number."""
    found: dict[tuple[Any, ...], Entry] = {}
    seen: Counter[tuple[Any, ...]] = Counter()
    for measure in measures:
        for change in CHANGES:
            measure = change.applied(instrument, measure)
        key = (measure["name"], *sorted(measure["labels"].items()))
        seen[key] += 1
        found[(*key, seen[key])] = measure
    return found


def _fields(where: str, was: Entry, now: Entry) -> Iterator[Difference]:
    for name in ("value", "low", "high", "confidence", "n", "spec_value", "units", "tuple"):
        if not _same(was.get(name), now.get(name)):
            yield Difference(where, "measure", was["name"], name, was.get(name), now.get(name), was["labels"])
    flags = sorted(was.get("flags", [])), sorted(now.get("flags", []))
    if flags[0] != flags[1]:
        yield Difference(where, "measure", was["name"], "flags", *flags, was["labels"])
    why = was.get("why_null"), now.get("why_null")
    if why[0] != why[1] and was.get("value") is None and now.get("value") is None:
        kind: Kind = "reworded" if why[1] else "measure"  # a null without a reason is no matter of words
        yield Difference(where, kind, was["name"], "why_null", *why, was["labels"])


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, **CLOSE)
    return bool(old == new)


def _verdicts(where: str, old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Difference]:
    """By claim. Claims that are met on one side alone are paired in their order, if there are as many: where every
    pair agrees in what holds, they were renamed.
    """
    before, after = _numbered(old), _numbered(new)
    for key in before:
        if key in after and before[key] is not after[key]:
            yield Difference(where, "verdict", key[0], "holds", _word(before[key]), _word(after[key]))
    gone = [(key[0], holds) for key, holds in before.items() if key not in after]
    come = [(key[0], holds) for key, holds in after.items() if key not in before]
    if [holds for _, holds in gone] == [holds for _, holds in come]:
        for (was, _), (now, _) in zip(gone, come, strict=True):
            yield Difference(where, "renamed", "claim", "", was, now)
        return
    for claim, holds in gone:
        yield Difference(where, "verdict", claim, "", _word(holds), None)
    for claim, holds in come:
        yield Difference(where, "verdict", claim, "", None, _word(holds))


def _numbered(verdicts: Iterable[Entry]) -> dict[tuple[str, int], bool | None]:
    seen: Counter[str] = Counter()
    found: dict[tuple[str, int], bool | None] = {}
    for verdict in verdicts:
        seen[verdict["claim"]] += 1
        found[verdict["claim"], seen[verdict["claim"]]] = verdict["holds"]
    return found


def _word(holds: bool | None) -> str:
    return "not established" if holds is None else "holds" if holds else "fails"


def _excluded(one: Input, old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Difference]:
    before, after = (
        {(e["reason"], *sorted(_subject(one.instrument, e)["labels"].items())): e for e in entries}
        for entries in (old, new)
    )
    for key in {**before, **after}:
        was, now = (side[key]["count"] if key in side else None for side in (before, after))
        if was != now:
            yield Difference(one.id, "excluded", key[0], "count", was, now, dict(key[1:]))


def _whole(measure: Entry) -> str:
    ends = f" [{_text(measure.get('low'))}, {_text(measure.get('high'))}]" if "low" in measure else ""
    return f"{_text(measure.get('value'))}{ends}, n {measure['n']}"


def _text(value: Any) -> str:
    return "–" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


# All of them, for people.


class Report(NamedTuple):
    lines: list[str]
    unexplained: int


def report(
    chosen: Sequence[Input],
    recording: Mapping[str, Any],
    reasons: Sequence[Reason],
    *,
    everything: bool = False,
    scored: Callable[[Input], Entry] = lambda one: kept(score(one)),
) -> Report:
    """``everything``: what is only renamed or reworded is listed, too, not counted alone."""
    printed = platform.python_version_tuple()[:2] == tuple(recording["python"].split(".")[:2])
    lines, found, compared = [], [], 0
    for one in chosen:
        if why := missing(one):
            lines.append(f"skipped {one.id}: {why}")
            continue
        old = recording["readings"].get(one.id)
        if old is None:
            found.append(Difference(one.id, "error", "not recorded"))
            continue
        found += differences(one, old, scored(one), printed=printed)
        compared += 1
    if not printed:
        lines.append(f"trees are printed otherwise than by Python {recording['python']}: not compared")
    explained = {id(d): next((r for r in reasons if r.fits(d)), None) for d in found}
    unexplained = [d for d in found if explained[id(d)] is None and d.kind not in TOLD]
    for d in found:
        reason = explained[id(d)]
        if d.kind not in TOLD or everything:
            because = reason.reason if reason else d.kind if d.kind in TOLD else "NOT EXPLAINED"
            lines.append(f"{d}  ({because})")
    lines += _moved(found)
    counts = Counter(reason.reason for d in found if (reason := explained[id(d)]))
    lines += [f"{count} explained: {reason}" for reason, count in counts.most_common()]
    lines += [f"explains nothing here: {reason.reason}" for reason in reasons if reason.reason not in counts]
    told = Counter(d.kind for d in found if d.kind in TOLD and not explained[id(d)])
    lines += [f"{count} {kind}" for kind, count in told.items()]
    lines.append(f"{compared} inputs compared, {len(unexplained)} differences not explained")
    return Report(lines, len(unexplained))


def _moved(found: Iterable[Difference]) -> Iterator[str]:
    """Values that moved, by measure: how many cells, which way, and the means."""
    moves: dict[str, list[tuple[float, float]]] = {}
    for d in found:
        if d.field == "value" and isinstance(d.old, int | float) and isinstance(d.new, int | float):
            moves.setdefault(d.name, []).append((d.old, d.new))
    for name, pairs in sorted(moves.items()):
        up = sum(new > old for old, new in pairs)
        means = [math.fsum(side) / len(pairs) for side in zip(*pairs, strict=True)]
        yield (
            f"moved: {name} in {len(pairs)} cells, {up} up and {len(pairs) - up} down, "
            f"mean {means[0]:.4f} → {means[1]:.4f}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recording.compare", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="only the inputs of the common test run")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="inputs by their ids, as 'agency/*'")
    parser.add_argument("--all", action="store_true", help="list what is only renamed or reworded, too")
    parser.add_argument("--recording", type=Path, default=RECORDING)
    parser.add_argument("--reasons", type=Path, default=REASONS)
    asked = parser.parse_args(arguments)
    chosen = [one for one in inputs(fast=asked.fast) if fnmatchcase(one.id, asked.only)]
    recording, reasons = read_recording(asked.recording), read_reasons(asked.reasons)
    found = report(chosen, recording, reasons, everything=asked.all)
    print("\n".join(found.lines))
    return 1 if found.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
