"""Matches: one subject meets another one, meeting after meeting, on instances of tier 5.

A match is a chain of trials, each of one subject and built from the one before: the partner's move, then the subject's.
So every call belongs to the subject that is asked, and is recorded, resumed, audited and paid for as any other. A wave
is one move of all matches of a family. A trial that is lost ends its match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any, NamedTuple

from assay.evidence.records import Evidence, Record
from assay.instruments.agency.gates.trials import GateStratum, gate_task, match_strata
from assay.instruments.agency.options import AgencyOptions
from assay.measuring import option_error
from assay.streams import Stream
from assay.study import Source, Study, SubjectSpec
from assay.vocabulary import Instance, Trial
from assay.worlds import family_named
from assay.worlds.tiers import SeatedFamily

__all__ = ["MEETING", "MatchKey", "MatchMove", "check_partners", "next_moves", "partner_materials"]

MEETING = "meeting"  # the stage of such a trial
PARTNER, SUBJECT = "partner", "subject"  # its roles


class MatchKey(NamedTuple):
    """Who meets whom, on which instance."""

    subject: str
    partner: str
    item: str
    number: int

    @classmethod
    def of(cls, trial: Trial) -> MatchKey:
        subject, partner = trial.subject, str(trial.factors["with"])
        if trial.factors["role"] == PARTNER:
            subject, partner = partner, subject
        return cls(subject, partner, trial.instance.item, trial.instance.repetition)


class MatchMove(NamedTuple):
    """The next trial of a match, and whose it is."""

    spec: SubjectSpec
    item: str
    number: int
    regime: str
    factors: dict[str, str | float]
    inputs: tuple[str, ...]


def check_partners(study: Study, options: AgencyOptions, source: Source | None, at: tuple[str, ...]) -> None:
    if options.gates.partners == "scripted":
        return
    at = (*at, "gates", "partners")
    if len(study.specs) < 2:
        raise option_error(source, at, "subjects are partners of each other: name at least two")
    if not match_strata(options):
        raise option_error(
            source, at, "no family of `tiers: [5]` under a moderate regime has a partner's seat"
        )


def partner_materials(study: Study, options: AgencyOptions) -> dict[str, Any]:
    """What a lock fixes of matches: the pairings, the seats, and when a match is a success."""
    families: dict[str, Any] = {}
    for stratum in match_strata(options):
        (name, level), family = stratum.places[0], family_named(stratum.places[0][0])
        assert isinstance(family, SeatedFamily)
        instance = Instance("agency", f"{name}/{level}", 0, study.seed)
        _, task = gate_task(instance, Stream("content", "task", instance.digest))
        families[name] = {
            "seat": family.seat,
            "silent": family.silent,
            "meetings": len(task.setup["meetings"]),
            **task.criterion.expected,
        }
    pairs = [[one.title, other.title] for one, other in permutations(study.specs, 2)]
    return {"families": families, "pairs": pairs}


def next_moves(
    stratum: GateStratum, declared: dict[str, Any], evidence: Evidence, specs: Sequence[SubjectSpec]
) -> Iterator[MatchMove]:
    """The next wave of a family's matches."""
    name, level = stratum.places[0]
    meeting, second = divmod(evidence.waves, 2)
    if meeting >= declared["families"][name]["meetings"]:
        return
    before = _latest(evidence)
    for one, other in permutations(specs, 2):
        for number in range(stratum.instances):
            key = MatchKey(one.title, other.title, f"{name}/{level}", number)
            last = before.get(key)
            if evidence.waves and (last is None or last.outcome == "excluded"):
                continue
            asked, with_ = (one, other) if second else (other, one)
            factors: dict[str, str | float] = {
                "role": SUBJECT if second else PARTNER,
                "with": with_.title,
                "meeting": meeting + 1,
            }
            inputs = () if last is None else (last.said,)
            yield MatchMove(asked, key.item, number, stratum.regime, factors, inputs)


def _latest(evidence: Evidence) -> dict[MatchKey, Record]:
    """The last trial of every match. One that was lost has none after it."""
    found: dict[MatchKey, Record] = {}
    for record in evidence:
        key = MatchKey.of(record.trial)
        if key not in found or _place(record.trial) > _place(found[key].trial):
            found[key] = record
    return found


def _place(trial: Trial) -> tuple[float, bool]:
    return float(trial.factors["meeting"]), trial.factors["role"] == SUBJECT
