"""Ladder, repair and distances: 1,000 outputs of one request on one core; memory of 10,000.

The outputs are drawn from two programs that solve the same task, about 50 lines each: other layout, names, order of
definitions, docstrings, equivalent forms, small mistakes. Repair goes towards the first; every proposal passes.
First all outputs are different; then some come again and again, as with a model: ladder and repair are done once
for each program, distances are between all outputs.
Each part runs in a process of its own. For the memory, as many are repaired as in the first: repair keeps little.
``python benchmarks/ladder.py [--outputs N] [--many N] [--part NAME]``
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable

from assay.instruments.repeatability.measures.pairs import mean_distance
from assay.instruments.repeatability.programs.normalisation import Forms, normal_forms
from assay.instruments.repeatability.programs.repair import Repair, repair_program

PARTS = ("different", "repeated", "memory")
KEEP = frozenset(("parse_line", "summarise", "report", "busiest"))
CHOICE = re.compile("⟨([^⟨⟩]*)⟩")  # one of several texts; the first is the canon's

HEAD = """from collections import ⟨defaultdict|Counter, defaultdict⟩⟨|
import re⟩

⟨MAX_ROWS = 10|MAX_ROWS = 12⟩
"""

PARSE = '''def parse_line(line⟨: str|⟩)⟨ -> tuple[str, int, float] ⏐ None|⟩:
⟨    """Return station, minute and reading, or None for a line that is not a reading."""
|    """Parse a line.

    Args:
        line: The line.
    """
|⟩    fields = ⟨line.strip().split(",")|[field.strip() for field in line.split(",")]⟩
    if len(fields) ⟨!= 3|< 3⟩:
        return None
    station, minute, reading = fields
⟨    # Readings may be missing.
|⟩    found = station, int(minute), float(reading or 0)
    return ⟨found if reading else None|reading and found⟩
'''

SUMMARISE = '''def summarise(lines⟨: list[str]|⟩):
⟨    """The number and the mean of the readings of each station."""
|⟩    grouped = ⟨defaultdict(list)|{}⟩
    rejected = 0
    for line in lines:
        parsed = parse_line(line)
⟨        if parsed is None:
            rejected += 1
            continue
        station, _, value = parsed
        grouped[station].append(value)
|        if parsed is not None:
            station, _, value = parsed
            grouped.setdefault(station, []).append(value)
        else:
            rejected = rejected + 1
⟩    summary = ⟨{}|dict()⟩
    for station, values in ⟨grouped.items()|sorted(grouped.items())⟩:
        mean = ⟨sum(values) / len(values)|(sum(values) / len(values))|round(sum(values) / len(values), 2)⟩
        summary[station] = {"count": len(values), "mean": mean}
    return summary, rejected
'''

SUMMARISE_OTHERWISE = '''def summarise(lines⟨|: list[str]⟩):
⟨    """Summarise the readings by station."""
|⟩    totals, counts = ⟨{}, {}|dict(), dict()⟩
    rejected = 0
    for line in lines:
        parsed = parse_line(line)
        if ⟨not parsed|parsed is None⟩:
            rejected += 1
            continue
        station, _, value = parsed
        totals[station] = totals.get(station, 0) + value
        counts[station] = counts.get(station, ⟨0|1⟩) + 1
    summary = {
        station: {
            "count": counts[station],
            "mean": totals[station] / counts[station],
        }
        for station in totals
    }
    return summary, rejected
'''

REPORT = '''def report(lines, limit=MAX_ROWS):
⟨    """One line for each station, ordered by name."""
|    """Report."""
|⟩    summary, rejected = summarise(lines)
    rows = []
    for station in sorted(summary)[:limit]:
        entry = summary[station]
⟨        rows.append(f"{station}: {entry['count']} readings, mean {entry['mean']:.2f}")
|        mean = entry["mean"]
        rows.append(f"{station}: {entry['count']} readings, mean {mean:.2f}")
⟩    rows += ⟨[f"{rejected} lines skipped"] if rejected else []|[f"{rejected} lines skipped"] * bool(rejected)⟩
⟨    return "\\n".join(rows)
|    result = "\\n".join(rows)
    return result
⟩'''

BUSIEST = '''def busiest(lines, least=⟨1|2⟩):
⟨    """The station with the most readings; the first of several by name."""
|⟩    summary, _ = summarise(lines)
    best, top_count = None, ⟨least - 1|0⟩
    for station in sorted(summary):
        count = summary[station]["count"]
⟨        if count > top_count:
            best = station
            top_count = count
|        if count > top_count:
            best, top_count = station, count
|        if count >= top_count:
            best, top_count = station, count
⟩⟨    return best
|    if best is None:
        return None
    else:
        return best
⟩'''

NAMES = {
    "fields": ("fields", "parts", "columns"),
    "grouped": ("grouped", "by_station", "groups"),
    "parsed": ("parsed", "record", "found"),
    "value": ("value", "reading_value", "temperature"),
    "values": ("values", "numbers", "data"),
    "summary": ("summary", "stats", "table"),
    "entry": ("entry", "info", "row"),
    "rows": ("rows", "output_lines", "text"),
    "best": ("best", "winner", "leader"),
    "top_count": ("top_count", "highest", "maximum"),
    "rejected": ("rejected", "bad", "errors"),
}


def drawn(draw: random.Random, unlike: float) -> str:
    """One output: the canon, but that each choice falls otherwise with a probability."""

    def other() -> bool:
        return draw.random() < unlike

    def chosen(found: re.Match[str]) -> str:
        first, *rest = found[1].split("|")
        return draw.choice(rest) if other() else first

    parts = [PARSE, SUMMARISE_OTHERWISE if other() else SUMMARISE, REPORT, BUSIEST]
    if other():
        draw.shuffle(parts)
    text = ("\n" if other() else "\n\n").join(CHOICE.sub(chosen, part) for part in (HEAD, *parts))
    if other():
        for name, names in NAMES.items():
            text = re.sub(rf"\b{name}\b", draw.choice(names), text)
    if other():
        text = re.sub("^ +", lambda blanks: blanks[0][::2], text, flags=re.MULTILINE)
    if other():
        text = text.replace(" / ", "/").replace(", ", ",")
    if other():
        text += f'\n\nif __name__ == "__main__":\n    print(report(["north,{draw.randrange(60)},1.5"]))\n'
    return text.replace("⏐", "|")


def outputs(count: int) -> list[str]:
    """Different ones, the canon first."""
    draw = random.Random(7)
    made = {drawn(draw, 0): None}
    while len(made) < count:
        made[drawn(draw, draw.choice((0.03, 0.06, 0.12)))] = None
    return list(made)


def as_given(texts: list[str]) -> list[str]:
    """As many, drawn from them with repetition: the first most often, the n-th nearly an n-th as often."""
    weights = [rank**-0.93 for rank in range(1, len(texts) + 1)]
    return random.Random(7).choices(texts, weights, k=len(texts))


def repaired(source: str, canon: str) -> Repair:
    """The repair of a program whose every proposal passes."""
    steps = repair_program(source, canon, KEEP)
    try:
        next(steps)
        while True:
            steps.send(True)
    except StopIteration as end:
        found: Repair = end.value
        return found


def printed(source: str) -> str:
    return ast.unparse(ast.parse(source))


def seconds(work: Callable[[], object]) -> float:
    """Of the processor. On a busy machine even these grow: compare the ratios."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measured(texts: list[str], canon: str, repairs: int) -> dict[str, float]:
    programs = list(dict.fromkeys(texts))
    forms: dict[str, Forms] = {}
    return {
        "parsed and printed": seconds(lambda: [printed(text) for text in programs]),
        "ladder": seconds(lambda: forms.update((text, normal_forms(text, KEEP)) for text in programs)),
        "repair": seconds(lambda: [repaired(text, canon) for text in programs[:repairs]]),
        "distances": seconds(lambda: mean_distance([forms[text].ast for text in texts])),
    }


def shown(texts: list[str], canon: str) -> None:
    """A table of what they cost."""
    found = measured(texts, canon, len(texts))
    unit = found["parsed and printed"]
    lines = sum(text.count("\n") for text in texts) / len(texts)
    print(f"{len(texts):,} outputs of {lines:.0f} lines, {len(set(texts)):,} different, processor time")
    print(f"{'':24}{'s':>10}{'ms each':>12}{'of parsing and printing':>26}")
    whole = sum(found.values()) - unit
    for name, spent in {**found, "ladder to distances": whole}.items():
        print(f"{name:24}{spent:10.2f}{spent / len(texts) * 1e3:12.2f}{spent / unit:26.1f}")
    print()


def memory(many: int, repairs: int) -> None:
    texts = outputs(many)
    measured(texts, texts[0], repairs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{f'peak RSS of {many:,}':24}{peak:10.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outputs", type=int, default=1_000)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--part", choices=PARTS, help="only this one, in this process")
    given = parser.parse_args()
    if given.part is None:
        for part in PARTS:
            subprocess.run([sys.executable, *sys.argv, "--part", part], check=True)
    elif given.part == "memory":
        memory(given.many, given.outputs)
    else:
        texts = outputs(given.outputs)
        shown(texts if given.part == "different" else as_given(texts), texts[0])


if __name__ == "__main__":
    main()
