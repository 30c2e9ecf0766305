"""A trial and its calls as flat rows: what `assay view` lists, `assay export` writes and frames hold.

A row has texts, numbers, yes or no, or nothing. What has parts (messages, factors, an instrument's own report) is JSON
in its cell. docs/export.md lists the columns.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.canonical import encode
from assay.evidence.records import Ask, End
from assay.evidence.trials import TrialLog, readable
from assay.vocabulary import Reply, Trial

__all__ = ["CALL_COLUMNS", "TRIAL_COLUMNS", "call_rows", "checks_of", "trial_row"]

# What a trial is of.
_OF = {
    "trial": str, "instrument": str, "version": str, "subject": str, "boundary": str, "item": str,
    "repetition": int, "seed": int, "stage": str, "regime": str, "factors": str, "temperature": float,
    "top_p": float, "max_tokens": int,
}  # fmt: skip
TRIAL_COLUMNS: dict[str, type] = {
    **_OF,
    "outcome": str, "reason": str, "report": str, "messages": str, "reply": str, "reasoning": str,
    "tool_calls": str, "finish": str, "model": str, "calls": int, "input_tokens": int, "output_tokens": int,
    "reasoning_tokens": int, "seconds": float, "cost": float, "tries": int, "faults": str, "fault": str,
    "detail": str, "attempt": int, "attempts": int, "stratum": str, "wave": int, "began": str, "ended": str,
}  # fmt: skip
CALL_COLUMNS: dict[str, type] = {
    **_OF,
    "outcome": str, "attempt": int, "counts": bool, "turn": int, "messages": str, "prompt": str, "text": str,
    "reasoning": str, "tool_calls": str, "finish": str, "model": str, "input_tokens": int,
    "output_tokens": int, "reasoning_tokens": int, "seconds": float, "cost": float, "tries": int,
    "faults": str, "fault": str, "detail": str,
}  # fmt: skip


def trial_row(log: TrialLog, planned: Trial | None = None) -> dict[str, Any]:
    """One row: the attempt that counts, its last reply, and what all its calls took.

    ``planned`` is the trial as it was drawn up, where the ledger does not say yet what it is of.
    """
    with readable(log.id):
        row = _trial_row(log)
        return row if planned is None or log.of is not None else row | _of_trial(log.id, planned)


def call_rows(log: TrialLog) -> list[dict[str, Any]]:
    """One row a call, of all attempts; ``counts`` where it is of the attempt that is scored."""
    with readable(log.id):
        return [*_call_rows(log)]


def _trial_row(log: TrialLog) -> dict[str, Any]:
    asks, events = log.asks(log.latest), log.attempts[log.latest]
    end, last = log.end, asks[-1] if asks else None
    times = [event.at for event in events]
    return {
        **_of(log.id, log.of),
        "outcome": end.outcome if end else None,
        "reason": end.reason if end else None,
        "report": _json(end.report) if end and end.report is not None else None,
        "messages": _json(_messages(last)) if last else None,
        **_said(last.reply if last else None, "reply"),
        "calls": len(asks),
        **_used(asks),
        "fault": last.fault if last else None,
        "detail": last.detail if last else None,
        "attempt": log.latest,
        "attempts": max(log.attempts) + 1,  # also those of a withdrawn wave, which need not be here
        "stratum": log.of.stratum if log.of else None,
        "wave": log.of.wave if log.of else None,
        "began": _time(min(times)),
        "ended": _time(max(times)) if end else None,
    }


def _call_rows(log: TrialLog) -> Iterator[dict[str, Any]]:
    of = {**_of(log.id, log.of), "outcome": log.end.outcome if log.end else None}
    for attempt in sorted(log.attempts):
        for turn, ask in enumerate(log.asks(attempt)):
            yield {
                **of,
                "attempt": attempt,
                "counts": attempt == log.counting,
                "turn": turn,
                "messages": _json(_messages(ask)),
                "prompt": _prompt(ask.wire),
                **_said(ask.reply, "text"),
                **_used([ask]),
                "fault": ask.fault,
                "detail": ask.detail,
            }


def checks_of(report: Any) -> dict[str, bool | int | float | str]:
    """What an instrument reports of a trial in single words and numbers."""
    if not isinstance(report, Mapping):
        return {}
    return {
        str(name): value
        for name, value in report.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) <= 24)
    }


def _of(trial: str, end: End | None) -> dict[str, Any]:
    """What a trial is of is recorded with its outcome: of one that never had any only the id is known."""
    if end is None:
        return {**dict.fromkeys(_OF), "trial": trial}
    return {**_of_trial(trial, end.trial), "instrument": end.instrument}


def _of_trial(trial: str, of: Trial) -> dict[str, Any]:
    sampling = of.sampling
    return {
        "trial": trial,
        "instrument": of.instance.instrument,
        "version": of.version,
        "subject": of.subject,
        "boundary": of.boundary,
        "item": of.instance.item,
        "repetition": of.instance.repetition,
        "seed": of.instance.seed,
        "stage": of.stage,
        "regime": of.regime,
        "factors": _json(of.factors),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "max_tokens": sampling.max_tokens,
    }


def _said(reply: Reply | None, text: str) -> dict[str, Any]:
    calls = reply.tool_calls if reply else ()
    return {
        text: reply.text if reply else None,
        "reasoning": (reply.reasoning or None) if reply else None,
        "tool_calls": _json(calls) if calls else None,
        "finish": reply.finish if reply else None,
        "model": reply.model if reply else None,
    }


def _used(asks: Sequence[Ask]) -> dict[str, Any]:
    """Sums over the calls. Tokens that no endpoint told of and money without a price are nothing, not zero."""
    usages = [ask.reply.usage for ask in asks if ask.reply]
    faults = Counter(str(one.get("fault", "unknown")) for ask in asks for one in ask.tries)
    return {
        "input_tokens": _sum([usage.input for usage in usages]),
        "output_tokens": _sum([usage.output for usage in usages]),
        "reasoning_tokens": _sum([usage.reasoning for usage in usages]),
        "seconds": sum(ask.seconds for ask in asks if ask.reply) if usages else None,
        "cost": _sum([ask.cost for ask in asks]),
        "tries": sum(len(ask.tries) + (ask.reply is not None) for ask in asks),
        "faults": _json(dict(sorted(faults.items()))) if faults else None,
    }


def _sum(counts: Sequence[float | None]) -> float | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _messages(ask: Ask) -> Any:
    """The conversation as it was sent; all of the request where an adapter has no messages."""
    return ask.wire.get("messages", ask.wire)


def _prompt(wire: Mapping[str, Any]) -> str | None:
    """The message that was answered: the last one of the conversation."""
    messages = wire.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    return content if isinstance(content, str) else None


def _json(value: Any) -> str:
    return encode(value).decode()


def _time(seconds: float) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(timespec="milliseconds")
