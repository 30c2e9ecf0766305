"""A trial in full, as text: what was asked and answered, what was computed, how it ended.

Whoever prints it makes it safe for a terminal: what models said stands here as they said it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from assay.canonical import encode
from assay.evidence.events import Event
from assay.evidence.trials import TrialLog, readable

from .trial_rows import trial_row

__all__ = ["trial_data", "trial_text"]

LONGEST_COMPUTED = 2000  # characters of a request or a result that a program made


def trial_data(log: TrialLog, records: Sequence[Mapping[str, str]] = ()) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        **trial_row(log),
        "counting": log.counting,
        "withdrawn": log.withdrawn,
        "record": [dict(row) for row in records],
        "events": [
            msgspec.to_builtins(event) for number in sorted(log.attempts) for event in log.attempts[number]
        ],
    }


def trial_text(log: TrialLog, records: Sequence[Mapping[str, str]] = ()) -> Iterator[str]:
    """Paragraphs. Headings stand at the left edge and all else is indented, so that no reply can look like one."""
    yield "\n".join(_summary(trial_row(log), log.withdrawn))
    with readable(log.id):
        yield from [*_events_text(log)]
    for number, record in enumerate(records, 1):
        title = f"record {number} of {len(records)}" if len(records) > 1 else "record"
        said = "\n".join(f"{name}: {value}" for name, value in record.items() if value)
        yield _indented((title, said))


def _events_text(log: TrialLog) -> Iterator[str]:
    for attempt in sorted(log.attempts):
        if len(log.attempts) > 1:
            counts = "the one that counts" if attempt == log.counting else "does not count"
            yield f"=== attempt {attempt} ({counts})"
        yield from map(_indented, _attempt(log.attempts[attempt]))


class _Part(NamedTuple):
    title: str
    text: str = ""


def _indented(part: tuple[str, str]) -> str:
    title, text = part
    lines = "".join(f"\n  {line}" for line in text.rstrip().splitlines())
    return f"--- {' '.join(title.split())}{lines}"


def _summary(row: Mapping[str, Any], withdrawn: bool) -> Iterator[str]:
    yield f"trial    {row['trial']}"
    if row["instrument"] is not None:
        of = [f"{row['instrument']} {row['version']}", row["subject"], row["item"]]
        of += [f"repetition {row['repetition']}", f"stage {row['stage']}" if row["stage"] else ""]
        of += [row["regime"] if row["regime"] != "baseline" else "", row["boundary"]]
        of += [f"{name} {_plain(value)}" for name, value in msgspec.json.decode(row["factors"]).items()]
        yield f"of       {' · '.join(filter(None, of))}"
    if withdrawn:
        yield "outcome  none that counts: withdrawn, because lost trials of an earlier wave were asked again"
    elif row["outcome"] is None:
        lost = row["instrument"] is not None  # what a trial is of is recorded with an outcome
        yield "outcome  not finished; " + (
            "lost and asked again" if lost else "what it is of is not told yet"
        )
    else:
        yield f"outcome  {row['outcome']}" + (f" ({row['reason']})" if row["reason"] else "")
    yield f"used     {_used(row)}"


def _used(row: Mapping[str, Any]) -> str:
    parts = [f"{row['calls']} call{'s' * (row['calls'] != 1)}"]
    if row["input_tokens"] is not None:
        parts.append(f"{row['input_tokens']} + {row['output_tokens']} tokens")
    if row["reasoning_tokens"] is not None:
        parts.append(f"{row['reasoning_tokens']} of them reasoning")
    parts += [f"{row['seconds']:.3f} s"] if row["seconds"] is not None else []
    parts += [f"cost {row['cost']:.6g}"] if row["cost"] else []
    parts += [f"faults {row['faults']}"] if row["faults"] else []
    parts += [f"{row['attempts']} attempts"] if row["attempts"] > 1 else []
    return " · ".join(parts)


def _attempt(events: Sequence[Event]) -> Iterator[_Part]:
    shown: list[Any] = []  # the conversation as far as it stands above
    for event in events:
        data = event.data if isinstance(event.data, Mapping) else {}
        if event.kind == "sent":
            wire = data.get("wire", {})
            messages = list(wire.get("messages", ()))
            again = messages[: len(shown)] == shown
            if not again:
                yield _Part("another conversation")
            yield from map(_message, messages[len(shown) if again else 0 :])
            yield _Part("asked with", _json({key: value for key, value in wire.items() if key != "messages"}))
            shown = messages
        elif event.kind == "received":
            yield from _received(data)
            reply = data.get("reply") or {}
            if not reply.get("tool_calls"):
                shown = [*shown, {"content": reply.get("text"), "role": "assistant"}]
        elif event.kind == "computed":
            came_to = f"{_short(data.get('request'))}\n→ {_short(data.get('result'))}"
            yield _Part(f"computed {data.get('name')}", came_to)
        elif event.kind == "end":
            said = f" ({data['reason']})" if data.get("reason") else ""
            report = _json(data["report"]) if data.get("report") is not None else ""
            yield _Part(f"end: {data.get('outcome')}{said}", report)
        else:
            yield _Part(event.kind, _json(event.data) if event.data is not None else "")


def _message(message: Any) -> _Part:
    if not isinstance(message, Mapping):
        return _Part("message", _json(message))
    content = message.get("content")
    text = content if isinstance(content, str) else _json(content) if content is not None else ""
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    return _Part(str(message.get("role")), f"{text}\n{_json(rest)}" if rest else text)


def _received(data: Mapping[str, Any]) -> Iterator[_Part]:
    for one in data.get("tries", ()):
        yield _Part(
            f"a try that failed: {one.get('fault')} after {one.get('seconds')} s", one.get("detail") or ""
        )
    reply = data.get("reply")
    if reply is None:
        yield _Part(f"no reply: {data.get('fault')}", data.get("detail") or "")
        yield from (_Part(name, data[name]) for name in ("trace", "printed") if data.get(name))
        return
    if reply.get("reasoning"):
        yield _Part("reasoning", reply["reasoning"])
    usage = reply.get("usage") or {}
    facts = [f"finish {reply['finish']}" if reply.get("finish") else "", reply.get("model") or ""]
    facts += [f"{usage['input']} + {usage.get('output')} tokens" if usage.get("input") is not None else ""]
    facts += [f"{data.get('seconds', 0.0):.3f} s", *reply.get("notes", ())]
    yield _Part(f"reply ({', '.join(filter(None, facts))})", reply["text"])
    for call in reply.get("tool_calls", ()):
        yield _Part(f"calls {call.get('name')} ({call.get('id')})", str(call.get("arguments")))


def _short(value: Any) -> str:
    text = _json(value)
    if len(text) <= LONGEST_COMPUTED:
        return text
    return f"{text[:LONGEST_COMPUTED]}… ({len(text):,} characters in all; --json prints them)"


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _json(value: Any) -> str:
    return encode(value).decode()
