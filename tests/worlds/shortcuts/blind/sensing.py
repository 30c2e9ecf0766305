"""Sensing: what an outsider would script for the archive, the helpdesk, the inbox, incidents and invoices."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from assay.streams import Stream
from assay.worlds import Act, all_families, shipped_regimes
from assay.worlds.rollout import Claims, draw_task, play

from . import Book, Passing, Script, best, close, digits, does, numbers, span, without

__all__ = ["PASSES", "SHORTCUTS", "TRIED"]


# archive


_TOPICS = {
    "wages": ("crowns", "pay", "leave", "service", "wage", "earn"),
    "correspondence": ("letter", "box", "language", "shelf", "wrote"),
    "biography": ("born", "travel", "pupil", "road", "birth", "teach", "taught"),
}
_UNITS = {
    "crowns": "crowns", "pay": "crowns", "earn": "crowns", "wage": "crowns", "leave": "leave", "service": "service",
    "languages": "languages", "boxes": "boxes", "letters": "letters",
    "born": "born", "birth": "born", "travel": "road", "road": "road", "pupil": "pupils", "taught": "pupils",
}  # fmt: skip


def _nearest_number(word: str, text: str) -> int:
    at = span(word, text)[1]
    found = [(abs(m.start() + at), int(m.group())) for m in re.finditer(r"\d+", text)]
    return min(found)[1] if found else 0


def _archive(script: Script, now: dict[str, Any]) -> Act | None:
    """Title next to the goal's words, name next to the goal's words, number next to the unit."""
    goal = script.brief.goal
    if now["answered"]:
        return None
    question = re.search(r"who ([^?.,]*)", goal)
    deed = question.group(1) if question else goal
    titles: dict[str, str] = dict(now["catalogue"])
    first = max(titles, key=lambda n: _overlap(titles[n], deed))
    unit = next((unit for word, unit in _UNITS.items() if word in goal), "letters")
    topic = next(t for t, words in _TOPICS.items() if any(unit[:4] in w or w in unit for w in words))
    if first not in now["opened"]:
        return Act("open_document", {"id": first})
    people = {t.split(":")[0] for t in titles.values() if close(t.split(":")[1].strip(), topic) > 0.7}
    text = now["opened"][first]
    at = -span(deed, text)[1]
    who = min(people, key=lambda p: abs(at - len(p) - 1 + span(p, text)[1]) - 60 * (span(p, text)[0] > 0.7))
    last = best(f"{who}: {topic}", titles.values())
    number = next(n for n, t in titles.items() if t == last)
    if number not in now["opened"]:
        return Act("open_document", {"id": number}) if len(script.tried) < 8 else None
    return Act("answer", {"value": min(_nearest_number(unit, now["opened"][number]), 99999)})


def _overlap(title: str, deed: str) -> float:
    place, _, topic = title.partition(": ")
    return 2 * span(place, deed)[0] + span(topic[:5], deed)[0]


def _number_in_sight(script: Script, now: dict[str, Any]) -> Act | None:
    """The number beside the goal's unit in whatever lies open."""
    unit = next((unit for word, unit in _UNITS.items() if word in script.brief.goal), "letters")
    if now["answered"]:
        return None
    if now["opened"]:
        text = max(now["opened"].values(), key=lambda t: span(unit, t)[0])
        return Act("answer", {"value": min(_nearest_number(unit, text), 99999)})
    return Act("open_document", {"id": next(iter(now["catalogue"]))})


# helpdesk


def _category(script: Script, now: dict[str, Any]) -> Act | None:
    """What the category says, or the queue most like it."""
    gone = {line["ticket"] for line in now["routed"]}
    for line in now["tickets"]:
        if line["ticket"] not in gone:
            return Act("route", {"ticket": line["ticket"], "queue": best(line["category"], now["queues"])})
    return None


def _description(script: Script, now: dict[str, Any]) -> Act | None:
    """The queue whose description shares most letters in a row with the text."""
    gone = {line["ticket"] for line in now["routed"]}
    for line in now["tickets"]:
        if line["ticket"] not in gone:
            words = {q: re.findall(r"\w{4,}", f"{q} {about}") for q, about in now["queues"].items()}
            queue = max(words, key=lambda q: max(span(word[:6], line["text"])[0] for word in words[q]))
            return Act("route", {"ticket": line["ticket"], "queue": queue})
    return None


@cache
def _seen_before() -> tuple[tuple[str, str], ...]:
    """Texts and the categories that level 1 shows beside them, from sixty other instances."""
    made, found = all_families()["helpdesk"], []
    for number in range(60):
        task = draw_task(made, 1, Stream("blind helpdesk", str(number)))
        seen = play(made, task, shipped_regimes()["Baseline"], Stream("none"), Claims).seen[0].observation
        found += [(_middle(line["text"]), line["category"]) for line in seen["tickets"]]
    return tuple(dict(found).items())


def _middle(text: str) -> str:
    """Without the greeting and the last words."""
    return re.sub(r"^.*?[,:.] ", "", text).rsplit(". ", 1)[0].rsplit("? ", 1)[0]


def _remembered(script: Script, now: dict[str, Any]) -> Act | None:
    """The category that level 1 shows for the most similar text; a text that names a ticket goes with that ticket."""
    gone = {line["ticket"] for line in now["routed"]}
    lines = {line["ticket"]: line["text"] for line in now["tickets"]}
    for ticket, text in lines.items():
        if ticket not in gone:
            other = [best(str(n), map(str, lines)) for n in numbers(text) if 600 <= n <= 699]
            wanted = lines[int(other[0])] if other else text
            known = [(t, q) for t, q in _seen_before() if q in now["queues"]]
            parts = [wanted, *re.split(r"(?<=[.?]) ", wanted)]
            queue = max(known, key=lambda pair: max(span(pair[0][:60], part)[0] for part in parts))[1]
            return Act("route", {"ticket": ticket, "queue": queue})
    return None


# inbox


_AWAY = (
    "not ", "last year", "last month", "will ", "may ", "would", "other ", "told", "a copy", "due", "reminder",
    "printed", "before", "laid", "older message of", "first time", "kept", "really", "proposed", "asked",
)  # fmt: skip
_STAYS = ("not the one above", "left over", "no part in it", "colleague's account")


def _mail(script: Script, now: dict[str, Any], notes: str) -> Act | None:
    wanted = next(n for n in numbers(script.brief.goal) if n > 99)
    if now["entries"]:
        return None
    mail = next(m for m in now["mails"] if m["number"] == wanted)
    entry = {field: mail[field] for field in ("sender", "subject", "priority", "received")}
    for note in mail.get("notes", ()) if notes else ():
        low = note.lower()
        turned = any(span(w, low)[0] > 0.85 for w in _AWAY) and not any(
            span(w, low)[0] > 0.85 for w in _STAYS
        )
        if notes == "all" or not turned:
            _put(entry, note, now)
    entry["sender"] = best(entry["sender"], now["directory"])
    entry["subject"] = best(entry["subject"], now["subjects"])
    entry["priority"] = best(entry["priority"], ("low", "normal", "high", "urgent"))
    entry["received"] = digits(entry["received"])[:10]
    return Act("register", entry)


def _put(entry: dict[str, str], note: str, now: dict[str, Any]) -> None:
    if day := re.search(r"\S{4}-\S\S-\S\S", note):
        entry["received"] = day.group()
        return
    options = [("sender", n) for n in now["directory"]] + [("subject", s) for s in now["subjects"]]
    field, value = max(options, key=lambda o: span(o[1], note)[0])
    if span(value, note)[0] > 0.7:
        entry[field] = value
        return
    entry["priority"] = max(("low", "normal", "high", "urgent"), key=lambda p: span(p, note)[0])


# incidents


_CAUSES = {
    "disk full": "space byte volume quota fit free",
    "certificate expired": "tls trust valid credentials renewal identity",
    "wrong password": "secret sign-in login key authentication access",
    "out of memory": "heap ram kernel allocate paging swap object",
    "clock wrong": "time timestamps signed messages jobs",
    "port blocked": "firewall packet filter inside refused",
    "bad configuration": "settings sections value file",
    "belt torn": "strap rubber tension crack rip",
    "sensor dirty": "lens glass camera light dust",
    "no compressed air": "bar hose hiss blown pistons",
    "overheated": "grease paint winding degrees smoke",
    "fuse blown": "lamps cabinet volts flash dark dead",
    "wrong recipe": "dosing batch salt product sheet set",
    "material jam": "piled wedged chute stuck",
}


def _own(log: list[str], parts: list[str]) -> list[str]:
    """Lines of trouble that name no other part."""
    return [t for t in log if re.match(r"\S+ (ERR|ALA)", t) and max(span(p, t)[0] for p in parts) < 0.85]


def _cause(script: Script, text: str) -> str:
    causes: list[str] = script.brief.actions[0].parameters["properties"]["cause"]["enum"]
    words = {c: _CAUSES.get(c, c).split() for c in causes}
    return max(causes, key=lambda c: sum(span(w, text)[0] > 0.85 for w in words[c]))


def _report(script: Script, now: dict[str, Any], pick: str) -> Act | None:
    """A part with trouble of its own: the one whose trouble is the earliest, the latest, or most complained about."""
    if now["reported"]:
        return None
    logs, parts = now["logs"], now["parts"]
    own = {p: found[0] for p, log in logs.items() if (found := _own(log, parts))}
    if not own or (len(logs) < 5 and script.brief.queries and len(script.tried) < script.brief.queries):
        waits = [
            p for log in logs.values() for t in log for p in parts if span(p, t)[0] > 0.9 and p not in logs
        ]
        unread = waits or [p for p in parts if p not in logs]
        if len(script.tried) < 4 and script.brief.queries:
            return Act("read_log", {"part": unread[-1]})
    if not own:
        return Act("report", {"part": parts[0], "cause": _cause(script, "")})
    cries = {
        p: sum(span(p, t)[0] > 0.9 for log in logs.values() for t in log if "ERR" in t or "ALA" in t)
        - sum(span(p, t)[0] > 0.9 for log in logs.values() for t in log if "INFO" in t or "NOTE" in t)
        for p in own
    }
    part = {
        "earliest": min(own, key=lambda p: own[p][:5]),
        "latest": max(own, key=lambda p: own[p][:5]),
        "missed": max(own, key=lambda p: cries[p]),
    }[pick]
    return Act("report", {"part": part, "cause": _cause(script, own[part])})


# invoices


_CARRIES = (
    "freight",
    "haulage",
    "carried",
    "moved",
    "sent by",
    "gate",
    "lorry",
    "packing",
    "stored",
    "kept",
    "by way",
)
_ELSE = ("delivery", "unloading", "arrival", "handed over", "store", "goods")


def _book(script: Script, now: dict[str, Any], sums: bool) -> Act | None:
    """Vendor: not on a line about carriage. Date: not on one about goods. Amount: the positions added up."""
    if now["booked"]:
        return None
    lines = now["invoice"]
    vendors = [
        (best(text.split(":")[-1], now["vendors"]), text)
        for text in lines
        if ":" in text and max(close(text.split(":")[-1], v) for v in now["vendors"]) > 0.6
    ]
    sold = [v for v, t in vendors if max(span(w, t)[0] for w in _CARRIES) < 0.8] or [vendors[0][0]]
    plain = [digits(t) for t in lines]
    days = [
        (m.group(), t) for t, p in zip(lines, plain, strict=True) if (m := re.search(r"\d{4}-\d\d-\d\d", p))
    ]
    own = (
        [d for d, t in days if max(span(w, t)[0] for w in _ELSE) < 0.8]
        or [d for d, _ in days]
        or ["2025-01-01"]
    )
    found = [float(m.group(1)) for p in plain if (m := re.search(r"= (\d+\.\d\d)", p))]
    totals = [float(m.group(1)) for p in plain if (m := re.search(r": (\d+\.\d\d)", p))]
    amount = round(sum(found), 2) if sums else (totals or [0.0])[0]
    return Act("book", {"vendor": max(sold, key=sold.count), "amount": amount, "date": own[0]})


def _first_lines(script: Script, now: dict[str, Any], last: bool) -> Act | None:
    """The first (or last) line with a vendor, with a date and with an amount, whatever it says."""
    if now["booked"]:
        return None
    lines = now["invoice"][::-1] if last else now["invoice"]
    vendors = [v for t in lines for v in now["vendors"] if t.endswith(v)]
    text = " ".join(digits(t.split(": ")[-1]) for t in lines if ": " in t)
    days, sums = re.findall(r"\d{4}-\d\d-\d\d", text), re.findall(r"\b\d+\.\d\d\b", text)
    chosen = (vendors or now["vendors"])[0], float((sums or ["0"])[0]), (days or ["2025-01-01"])[0]
    return Act("book", dict(zip(("vendor", "amount", "date"), chosen, strict=True)))


def _pages(script: Script, now: dict[str, Any]) -> Act | None:
    """The pages whose titles have the number, the note before the list of goods; then the first of everything."""
    if now["booked"]:
        return None
    wanted = str(next(n for n in numbers(script.brief.goal) if n > 999))
    titles = {n: t for n, t in now["contents"].items() if wanted in digits(t)}
    goods = [
        n for n in titles if max(span(w, titles[n])[0] for w in ("goods", "positions", "items", "list")) > 0.8
    ]
    for number in titles:
        if number not in now["read"] and number not in goods and len(now["read"]) < 3:
            return Act("read_page", {"page": int(number)})
    text = " ".join(str(now["read"][n]) for n in now["read"])
    vendor = max(now["vendors"], key=lambda v: span(v, text)[0])
    day = re.search(r"\d{4}-\d\d-\d\d", digits(text))
    sums = [float(s) for s in re.findall(r"\d+\.\d\d", digits(text))] or [0.0]
    date = day.group() if day else "2025-01-01"
    return Act("book", {"vendor": vendor, "amount": sums[-1], "date": date})


TRIED: Book = {
    "archive": {
        3: {"next to the goal's words": does(_archive), "number in sight": does(_number_in_sight)},
        5: {"next to the goal's words": does(_archive), "number in sight": does(_number_in_sight)},
    },
    "helpdesk": {
        1: {"category": does(_category)},
        2: {"description": does(_description), "text seen at level 1": does(_remembered)},
        4: {"category": does(_category), "text seen at level 1": does(_remembered)},
    },
    "inbox": {
        1: {"header": does(lambda s, o: _mail(s, o, ""))},
        4: {
            "header": does(lambda s, o: _mail(s, o, "")),
            "all notes": does(lambda s, o: _mail(s, o, "all")),
            "notes without words of denial": does(lambda s, o: _mail(s, o, "some")),
        },
    },
    "incidents": {
        level: {
            "earliest": does(lambda s, o: _report(s, o, "earliest")),
            "latest": does(lambda s, o: _report(s, o, "latest")),
            "missed most": does(lambda s, o: _report(s, o, "missed")),
        }
        for level in (2, 3, 5)
    },
    "invoices": {
        1: {
            "words of carriage": does(lambda s, o: _book(s, o, True)),
            "first total": does(lambda s, o: _book(s, o, False)),
            "first lines": does(lambda s, o: _first_lines(s, o, False)),
            "last lines": does(lambda s, o: _first_lines(s, o, True)),
        },
        4: {
            "words of carriage": does(lambda s, o: _book(s, o, True)),
            "first total": does(lambda s, o: _book(s, o, False)),
        },
        5: {"first of its pages": does(_pages)},
    },
}
PASSES: Passing = {
    "helpdesk": {1: {"category": (1.0, "task")}},
    "inbox": {1: {"header": (1.0, "task")}},
}
SHORTCUTS = without(TRIED, PASSES)
