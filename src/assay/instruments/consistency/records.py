"""The records of consistency: one flat row a scored reply, with what was looked for in it and where it was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.instruments.consistency.judging.judgement import ReplyJudgement, undecided
from assay.instruments.consistency.scenarios.scenario import PLANTED, Scenario

from .scoring import with_copies

__all__ = ["reply_records"]


def reply_records(
    scenarios: Sequence[Scenario],
    judgements: Iterable[ReplyJudgement],
    rows: Mapping[str, int] | None = None,
) -> Iterator[dict[str, Any]]:
    """Every scored reply, with the measures that count it, those that do not, and those that leave it undecided.

    ``rows`` are the numbers of the rows that scenarios stand in, by their ids, where they are no trials of a run.
    """
    of = _by_reply(scenarios, judgements)
    for scenario in scenarios:
        for place, turn in scenario.replies():
            here = of.get((scenario.id, place), [])
            if not here and turn.part in ("", PLANTED):
                continue
            yield {
                **({"trial": scenario.id} if rows is None else {"row": rows[scenario.id], "id": scenario.id}),
                "subject": scenario.subject,
                "boundary": scenario.boundary,
                "kind": scenario.kind,
                "variant": scenario.variant,
                "label": scenario.thread.label,
                "turn": place,
                "part": turn.part,
                "seconds": turn.seconds,
                "counted": " ".join(dict.fromkeys(o.measure for o in here if o.success and not undecided(o))),
                "not_counted": " ".join(
                    dict.fromkeys(o.measure for o in here if not o.success and not undecided(o))
                ),
                "undecided": " ".join(dict.fromkeys(o.measure for o in here if undecided(o))),
                "failures": " ".join(dict.fromkeys(name for o in here for name in o.failures)),
                "checks": _checks(here),
                "asked": scenario.asked(place),
                "reply": turn.content,
            }


def _by_reply(
    scenarios: Sequence[Scenario], judgements: Iterable[ReplyJudgement]
) -> dict[tuple[str, int], list[ReplyJudgement]]:
    subject = {scenario.id: scenario.subject for scenario in scenarios}
    by_subject: dict[str, list[ReplyJudgement]] = {}
    for one in judgements:
        by_subject.setdefault(subject[one.scenario], []).append(one)
    found: dict[tuple[str, int], list[ReplyJudgement]] = {}
    for own in by_subject.values():
        for one in with_copies(own):
            found.setdefault((one.scenario, one.place), []).append(one)
    return found


def _checks(judgements: Sequence[ReplyJudgement]) -> str:
    """As JSON: what each measure looked for, whether it holds, where it was found, and what was found instead."""
    return msgspec.json.encode(
        [
            {
                "measure": judgement.measure,
                "check": check.name,
                "holds": check.holds,
                "spans": [[span.start, span.end] for span in check.spans],
                "note": check.note,
            }
            for judgement in judgements
            for check in judgement.checks
        ]
    ).decode()
