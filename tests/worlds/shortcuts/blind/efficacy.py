"""Efficacy: what an outsider would script for experiments, pipelines, records, releases and workspaces."""

from __future__ import annotations

import re
from typing import Any

from assay.worlds import Act

from . import Book, Passing, Script, best, close, digits, does, without

__all__ = ["PASSES", "SHORTCUTS", "TRIED"]


# experiment


def _measured(script: Script, now: dict[str, Any], checks: bool) -> Act | None:
    """What is missing in the notebook: setting, reading, result; with ``checks``, what is spoilt is done again."""
    goal = script.brief.goal
    several = re.search(r"(\d+), (\d+) and (\d+)", goal)
    single = re.findall(r" (\d+) (?!of|calls|per cent)", goal)[:1]
    wanted = list(map(int, several.groups() if several else single))
    rule = next(s for s in re.split(r"(?<=\.) ", goal) if re.search("divi|adds|corresponds", s))
    blank, factor = map(float, re.findall(r"\d+(?:\.\d+)?", rule)[:2])
    for setting in wanted:
        good = [r for r in now["readings"] if r["setting"] == setting and (r["spread"] <= 0.5 or not checks)]
        good = [r for r in good if r.get("chamber", "clean") == "clean" or not checks]
        value = (float(digits(good[-1]["display"].split()[0])) - blank) / factor if good else 0.0
        mine = [r for r in now["results"] if r["setting"] == setting]
        wrong = bool(mine) and (abs(float(mine[-1]["value"]) - value) > 0.05 or len(mine) > 1)
        if wrong and checks and "strike" in {a.name for a in script.brief.actions}:
            return Act("strike", {})
        if not mine:
            if good:
                return Act("record", {"setting": setting, "value": round(value, 2)})
            if now["setting"] != setting:
                return Act("prepare", {"setting": setting})
            if now.get("chamber", "clean") != "clean" and checks:
                return Act("rinse", {})
            return Act("measure", {})
    return None


# pipeline


def _rule(goal: str, words: bool) -> tuple[str, str]:
    """Which rows go, by a few words of the goal."""
    if not words:
        return "drop_both", "keep"
    stay = ("stay, ", "is kept", "wanted, too", "all the same", "nevertheless")
    keep = "keep" if any(w in goal for w in stay) else "drop"
    if any(w in goal for w in ("All rows", "not drop anything", "leaves out no row", "Nothing is", "no row")):
        return "drop_nothing", keep
    if re.search(r"does no harm|no reason|Empty fields|keeps the rows that lack", goal):
        return "drop_duplicates", keep
    if re.search(r"twice are meant|no mistake", goal):
        return "drop_incomplete", keep
    return "drop_both", keep


def _run(script: Script, now: dict[str, Any], words: bool, checks: bool) -> Act | None:
    """Stage by stage; with ``checks``, what holds another number of rows than it should is emptied first."""
    done = {r["stage"]: r for r in now["reports"]}
    rule, keep = _rule(script.brief.goal, words)
    rows = {f"extract {s['source']}": s["rows"] for s in now["sources"]}
    stages = {name: Act("extract", {"source": name.split()[1]}) for name in rows}
    stages |= {"clean": Act("clean", {"rule": rule}), "join": Act("join", {"unmatched": keep})}
    for name, act in stages.items():
        report = done.get(name)
        if report is None or not report["written"]:
            return act
        if checks and report["written"] != report["read"] - report["dropped"]:
            return Act("empty", {"what": name})
    if not now["table"]["rows"]:
        return Act("load", {})
    if checks and now["table"]["rows"] != done["join"]["written"]:
        return Act("empty", {"what": "table"})
    return None


# records


_OFF = ("called off", "turned down", "only a test", "herself", "another house", "next month")


def _entries(script: Script, items: list[dict[str, Any]], how: str) -> list[tuple[int, str, int]]:
    """Number, name and count of each line that has both and none of the words of denial; or of one of the lines."""
    found = []
    goal = re.sub(
        r"(Note that|By the way|One thing is new|The table \w+ lacks|There is no row|Before today).*",
        "",
        script.brief.goal,
    )
    for text in re.split(r"(?<=\.) |\n", goal):
        figures = [int(n) for n in re.findall(r"(?<!-)\b\d+", text)]
        name = re.search(
            r"\d+ \w+ of ([a-z ]+?)(?=[.,:]| have| with| was| for| is| are| under| over|$)", text
        )
        if len(figures) == 2 and name and (how != "words" or not any(w in text for w in _OFF)):
            found.append((max(figures), name.group(1), min(figures)))
    if how == "first":
        return found[:1]
    if how == "last":
        return found[-1:]
    if how == "largest":
        return sorted(found, key=lambda entry: entry[2])[-1:]
    return found


def _enter(script: Script, now: dict[str, Any], how: str) -> Act | None:
    """Each line once: entry, count, commit; what the goal calls new is added first."""
    keys = [k for k in now if isinstance(now[k], list) and k != "messages"]
    items, lines = now[keys[0]], now[keys[1]]
    if not script.kept:
        script.kept["open"] = now["transaction"] == "open"
        script.kept["plan"] = _entries(script, items, how)
        script.kept["counts"] = {}
    if script.kept["open"]:
        script.kept["open"] = False
        return Act("rollback", {})
    small = len(script.brief.actions) < 5
    have = {x["number"] for x in lines}
    todo = [e for e in script.kept["plan"] if e[0] not in have]
    if script.error and not small:
        return Act("rollback", {}) if now["transaction"] == "open" else None
    if todo and now["transaction"] == "none" and not small:
        script.kept["counts"] = {x["code"]: x["count"] for x in items}
        return Act("begin", {})
    fresh = re.search(r"\b([A-Z]-\d{3})\b", script.brief.goal)
    names = {x["name"]: x["code"] for x in items}
    for number, name, count in script.kept["plan"]:
        near = best(name, names)
        known = close(near, name) > 0.75
        code = names[near] if known else fresh.group(1) if fresh else names[near]
        taken = sum(c for n, m, c in script.kept["plan"] if m == name)
        if not known and fresh and code not in names.values():
            came = [
                int(n) for n in re.findall(r"(?<!-)\b\d+\b", script.brief.goal.split(name)[-1]) if len(n) < 4
            ]
            stock = came[0] if came else 0
            return Act("add_item", {"code": code, "name": name, "count": stock - taken})
        if number not in have:
            return Act("add_entry", {"number": number, "code": code, "count": count})
    for _number, name, _ in script.kept["plan"] if not small else ():
        code = names[best(name, names)]
        before = script.kept["counts"].get(code)
        taken = sum(c for n, m, c in script.kept["plan"] if best(m, names) == best(name, names))
        if before is not None and next(x["count"] for x in items if x["code"] == code) == before:
            return Act("set_count", {"code": code, "count": before - taken})
    return Act("commit", {}) if now["transaction"] == "open" and not small else None


# release


_PATCHES = (
    (r"(\w+) \+ zones", r"\1 * zones"), (r"age <= ", "age < "),
    (r"rolls \+ bags \+ (\d+)", r"rolls + bags * \1"), (r"return total // (\d+)", r"return -(-total // \1)"),
    (r"late = days - (\d+)", r"late = max(0, days - \1)"), (r"return late \* (\d+)$", r"return late * \1 * books"),
    (r"(\d+) \* \(wins \+ draws\)", r"\1 * wins + draws"), (r"wins >= ", "wins > "),
)  # fmt: skip


def _release(script: Script, now: dict[str, Any], patches: tuple[tuple[str, str], ...]) -> Act | None:
    """Known lines replaced by others; revert what the goal quotes; test, commit, tag."""
    goal = script.brief.goal
    module = next(f for f in now["files"] if f["name"].endswith(".py"))
    fixed = module["content"]
    for old, new in patches:
        fixed = re.sub(old, new, fixed, flags=re.MULTILINE)
    subjects = {h["number"]: h["subject"] for h in now["history"]}
    script.kept.setdefault("length", len(subjects))
    script.kept.setdefault("fixed", fixed)
    quoted = re.search(r'"([^"]+)"', goal)
    if quoted and len(subjects) == script.kept["length"]:
        return Act("revert", {"commit": max(subjects, key=lambda n: close(subjects[n], quoted.group(1)))})
    if module["content"] != script.kept["fixed"]:
        return Act("write_file", {"name": module["name"], "content": script.kept["fixed"]})
    if now["tests"] in ("not run", "not run yet") or "not" in now["tests"]:
        return Act("run_tests", {})
    if now["uncommitted"]:
        return Act("commit", {"message": "Correct the module"})
    tag = re.search(r"v\d+\.\d+\.\d+", goal)
    return Act("tag", {"name": tag.group()}) if tag and not now["tags"] else None


# workspace


_NOT = (
    "another folder", "given up", "Do without", "leave that to her", "after all", "taken back", "no longer wanted",
    "by mistake", "misunderstanding", "withdrawn", "until then", "still needed", "decided against",
)  # fmt: skip
_TURNED = ("is where", "is the name that")
_END = ("at the end", "also say", "last line", "one more line")


def _plan(script: Script, now: dict[str, Any], how: str) -> list[Act]:
    """One action a line, by what is quoted in it; lines with words of denial are passed over."""
    there = {f["name"] for f in now["files"]}
    overwrites = "replace_file" in {a.name for a in script.brief.actions}
    moves: dict[str, str] = {}
    acts: list[Act] = []
    for text in re.split(r'\n|(?<=[.;]) (?=[A-Z`])|(?<=\.") (?=[A-Z`])', script.brief.goal):
        files, lines = re.findall(r"`([^`]+)`", text), re.findall(r'"([^"]+)"', text)
        if not files or (how == "words" and any(w in text for w in _NOT)):
            continue
        if len(files) > 1:
            source, to = files[::-1] if any(w in text for w in _TURNED) else files
            moves[source] = to
        elif lines and files[0] in there:
            if not overwrites:
                acts += [
                    Act("delete_file", {"name": files[0]}),
                    Act("create_file", {"name": files[0], "content": lines[0]}),
                ]
            elif any(w in text for w in _END):
                acts.append(Act("append_line", {"name": files[0], "line": lines[0]}))
            else:
                acts.append(Act("replace_file", {"name": files[0], "content": lines[0]}))
        elif lines:
            acts.append(Act("create_file", {"name": files[0], "content": lines[0]}))
        elif files[0] in there:
            acts.append(Act("delete_file", {"name": files[0]}))
    if how == "first":
        acts = acts[:1]
    while moves:
        free = [s for s, to in moves.items() if to not in moves]
        source = free[0] if free else next(iter(moves))
        to = moves.pop(source)
        if not free:
            acts.append(Act("move_file", {"name": source, "to": "aside.txt"}))
            moves["aside.txt"] = to
        else:
            acts.append(Act("move_file", {"name": source, "to": to}))
    return acts


def _tidy(script: Script, now: dict[str, Any], how: str) -> Act | None:
    if "plan" not in script.kept:
        script.kept["plan"] = _plan(script, now, how)
    names = {f["name"] for f in now["files"]}
    for act in script.kept["plan"][len(script.tried) :]:
        gone = act.arguments["name"] not in names
        if (act.name in ("move_file", "delete_file") and gone) or (act.name == "create_file" and not gone):
            script.tried.append(act)
            continue
        found: Act = act
        return found
    return None


TRIED: Book = {
    "experiment": {
        level: {
            "what is missing": does(lambda s, o: _measured(s, o, False)),
            "what is missing or spoilt": does(lambda s, o: _measured(s, o, True)),
        }
        for level in (4, 5)
    },
    "pipeline": {
        level: {
            "stage by stage": does(lambda s, o: _run(s, o, True, False)),
            "drop both, numbers checked": does(lambda s, o: _run(s, o, False, True)),
            "rule by words, numbers checked": does(lambda s, o: _run(s, o, True, True)),
        }
        for level in (4, 5)
    },
    "records": {
        1: {h: does(lambda s, o, h=h: _enter(s, o, h)) for h in ("first", "last", "largest", "words")},  # type: ignore[misc]
        2: {h: does(lambda s, o, h=h: _enter(s, o, h)) for h in ("first", "last", "all", "words")},  # type: ignore[misc]
        3: {h: does(lambda s, o, h=h: _enter(s, o, h)) for h in ("all", "words")},  # type: ignore[misc]
    },
    "release": {
        level: {
            "signs turned": does(
                lambda s, o: _release(s, o, ((r"<= ", "< "), (r">= ", "> "), (r"(\d+) \+ ", r"\1 * ")))
            ),
            "known lines": does(lambda s, o: _release(s, o, _PATCHES)),
        }
        for level in (3, 5)
    },
    "workspace": {
        1: {h: does(lambda s, o, h=h: _tidy(s, o, h)) for h in ("first", "all", "words")},  # type: ignore[misc]
        2: {h: does(lambda s, o, h=h: _tidy(s, o, h)) for h in ("all", "words")},  # type: ignore[misc]
        3: {h: does(lambda s, o, h=h: _tidy(s, o, h)) for h in ("all", "words")},  # type: ignore[misc]
    },
}
PASSES: Passing = {
    "experiment": {
        4: {"what is missing or spoilt": (1.0, "task")},
        5: {"what is missing or spoilt": (1.0, "task")},
    },
}
SHORTCUTS = without(TRIED, PASSES)
