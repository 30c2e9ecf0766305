"""Invoices: book vendor, amount and date from a clean text, a bad scan, or pages that must be asked for. B.2.4."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from math import fsum
from typing import Any

from rapidfuzz import fuzz

from assay.streams import Stream
from assay.worlds.base import FamilyBase, Fixed, Steady, WorldBase, entry_failures, finish
from assay.worlds.fuzzy import alike, nearest, readings
from assay.worlds.model import Act, Brief, Seen, Task
from assay.worlds.noise import DIGITS, LETTERS
from assay.worlds.schema import STRING, action, array, integer, obj, text
from assay.worlds.standing import loose, sentence
from assay.worlds.templates import table, worded

__all__ = ["Invoices"]

TABLE = table("invoices")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
OTHER = {"sold": "carried", "issued": "delivered", "due": "paid"}
OTHER |= {other: role for role, other in OTHER.items()}
BUYER: str = TABLE["buyer"]
CORRECTIONS: dict[str, list[str]] = TABLE["corrections"]
PAGES: list[list[str]] = TABLE["pages"]
BUDGET, BUDGET_NEEDED = 5, 3
COUNT = 12
NAMES = [str(page) for page in range(1, COUNT + 1)]
_LINES = array(STRING)
_BOOKED = array(obj({"vendor": STRING, "amount": STRING, "date": STRING}))
_READ = obj(dict.fromkeys(NAMES, _LINES), [])
OBSERVATIONS = {
    1: obj({"invoice": _LINES, "vendors": _LINES, "booked": _BOOKED}),
    4: obj({"invoice": _LINES, "vendors": _LINES, "booked": _BOOKED}),
    5: obj(
        {"contents": obj(dict.fromkeys(NAMES, STRING)), "read": _READ, "vendors": _LINES, "booked": _BOOKED}
    ),
}
NOISY = {1: ("invoice",), 4: ("invoice",), 5: ("contents", "read")}
_EUROS = {"type": "number", "minimum": 0, "maximum": 100_000, "description": "euros, such as 120.5"}
BOOK = action(
    "book",
    "Enter an invoice into the ledger. An entry cannot be taken back.",
    {
        "vendor": text("who sells", longest=80),
        "amount": _EUROS,
        "date": text("the date of the invoice, YYYY-MM-DD", longest=10),
    },
)
READ = action("read_page", "Ask for a page of the folder.", {"page": integer("", 1, COUNT)}, query=True)


def _bill(story: dict[str, Any], vendors: list[str], stream: Stream) -> dict[str, Any]:
    items = []
    for good in stream.shuffled(story["goods"])[:3]:
        quantity, price = stream.integer(2, 6), 5 * stream.integer(101, 999)
        items.append((quantity, good, price, quantity * price))
    return {
        "vendor": vendors[0],
        "buyer": story["buyer"],
        "items": items,
        "cents": sum(item[3] for item in items),
        "day": _drawn_day(stream),
    }


def _label(role: str, ends: str, stream: Stream) -> str:
    """What a line is called: what it is, and what it is not."""
    said = worded(
        stream,
        TABLE["labels"],
        {},
        a=stream.choice(TABLE["roles"][role]),
        b=stream.choice(TABLE["roles"][OTHER[role]]),
        ends=ends,
    )
    return sentence(said)


def _line(role: str, said: str, stream: Stream) -> str:
    ends = TABLE["ends"][role] if not said.endswith("cents") else TABLE["in_words"]
    return f"{_label(role, ends, stream)} {said}"


@cache
def _labels(role: str) -> list[str]:
    """Every label of a role."""
    roles = TABLE["roles"]
    return [
        form.format(a=a, b=b, ends=TABLE["ends"][role]).lower()
        for form in TABLE["labels"]
        for a in roles[role]
        for b in roles[OTHER[role]]
    ]


@cache
def _reader(role: str) -> re.Pattern[str]:
    """Every label of a role, misread twice at worst: once by the scan, once by the regime."""

    def one_of(words: list[str]) -> str:
        return f"(?:{'|'.join(loose(word, 2) for word in words)})"

    own, its = (one_of(TABLE["roles"][one]) for one in (role, OTHER[role]))
    gaps = {"{a}": own, "{b}": its, "{ends}": one_of([TABLE["ends"][role]])}
    forms = [re.split(r"(\{\w+\})", form) for form in TABLE["labels"]]
    return re.compile("|".join("".join(gaps.get(part) or loose(part, 2) for part in form) for form in forms))


def _drawn_day(stream: Stream) -> str:
    # No year has a 4: misread twice, in both places, it could not be told from a 0.
    return f"{stream.integer(2025, 2027)}-{stream.integer(1, 12):02d}-{stream.integer(1, 28):02d}"


def _euros(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"


def _items(bill: dict[str, Any]) -> list[str]:
    return [f"{n} x {good} at {_euros(price)} = {_euros(total)}" for n, good, price, total in bill["items"]]


def _fields(bill: dict[str, Any], vendors: list[str], stream: Stream) -> list[tuple[str, str]]:
    """What an invoice says: each thing that counts, and beside it one of its kind that does not."""
    return [
        ("sold", bill["vendor"]),
        ("carried", vendors[1]),
        ("issued", bill["day"]),
        ("delivered", _drawn_day(stream)),
        ("due", _euros(bill["cents"])),
        ("paid", _euros(5 * stream.integer(2000, 19999))),
    ]


def _sheet(bill: dict[str, Any], fields: list[tuple[str, str]], stream: Stream) -> list[str]:
    """The lines of an invoice in any order. The positions stand together, somewhere among them."""
    lines = stream.shuffled(
        [f"{BUYER} {bill['buyer']}", *(_line(role, said, stream) for role, said in fields)]
    )
    at = stream.below(len(lines) + 1)
    return [*lines[:at], *_items(bill), *lines[at:]]


def _cluttered(fields: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Everything said twice, what counts and what does not."""
    for role, said in fields:
        if "-" in said:
            year, month, day = said.split("-")
            yield role, f"{said} ({int(day)} {MONTHS[int(month) - 1]} {year})"
        else:
            yield role, said
            yield role, _in_words(round(100 * float(said))) if "." in said else said


def _in_words(cents: int) -> str:
    """An amount under 1,000 euros: ``four hundred and twelve euros and 35 cents``."""
    hundreds, rest = divmod(cents // 100, 100)
    small = ONES[rest] if rest < 20 else TENS[rest // 10 - 2] + (f"-{ONES[rest % 10]}" if rest % 10 else "")
    said = f"{ONES[hundreds]} hundred" if hundreds else ""
    if not hundreds or rest:
        said = f"{said} and {small}" if said else small
    return f"{said} euros and {cents % 100:02d} cents"


def smudge(lines: list[str], percent: int, stream: Stream) -> list[str]:
    """The lines with exactly so many of their letters and digits misread, spread evenly at random."""
    chars = list("\n".join(lines))
    at = [place for place, char in enumerate(chars) if char in DIGITS or char.lower() in LETTERS]
    for index in range(len(at) * percent // 100):
        other = index + stream.below(len(at) - index)
        at[index], at[other] = at[other], at[index]
        char = chars[at[index]]
        wrong = DIGITS.get(char) or LETTERS[char.lower()]
        chars[at[index]] = wrong.upper() if char.isupper() and wrong.isalpha() else wrong
    return "".join(chars).split("\n")


def _numbers(stream: Stream) -> tuple[int, int]:
    """Two invoice numbers that are easily taken for each other."""
    a, b, c = stream.shuffled(range(1, 10))[:3]
    return 1000 * a + 110 * b + c, 1000 * a + 100 * b + 10 * c + b


def _corrected(cents: int, stream: Stream) -> tuple[str, int]:
    """What a correction says, and the amount that holds after it."""
    change = 100 * stream.integer(3, cents // 300) + 5 * stream.below(20)
    kind = stream.choice(list(CORRECTIONS))
    after = {"less": cents - change, "more": cents + change, "instead": cents - change, "same": cents}[kind]
    said = after if kind == "instead" else change
    return f"{stream.choice(CORRECTIONS[kind])} {_euros(said)}", after


def _bundle(
    numbers: tuple[int, int], bills: list[dict[str, Any]], corrections: list[str], stream: Stream
) -> list[dict[str, Any]]:
    """The pages of two invoices and what else lay in the folder, in any order."""
    titles, pages = stream.choice(PAGES), []
    for number, bill, correction in zip(numbers, bills, corrections, strict=True):
        front = [_line("sold", bill["vendor"], stream), _line("issued", bill["day"], stream)]
        texts = (
            stream.shuffled([*front, f"{BUYER} {bill['buyer']}"]),
            _items(bill),
            [_line("due", _euros(bill["cents"]), stream)],
            [correction],
        )
        pages += [
            {"title": t.format(n=number), "lines": lines} for t, lines in zip(titles, texts, strict=True)
        ]
    fillers = stream.shuffled(TABLE["fillers"])[: COUNT - len(pages)]
    pages += [{"title": title, "lines": ["Nothing here concerns the invoice."]} for title in fillers]
    return stream.shuffled(pages)


class InvoiceBook(WorldBase):
    """The invoice or the folder, and the entries that were made."""

    def __init__(self, task: Task, *, drift: bool = False) -> None:
        super().__init__(task)
        self._read: list[int] = []
        self._entries: list[dict[str, Any]] = []

    def look(self) -> dict[str, Any]:
        booked = [
            {"vendor": e["vendor"], "amount": _euros(e["cents"]), "date": e["date"]} for e in self._entries
        ]
        seen: dict[str, Any] = {"booked": booked, "vendors": list(self.setup["vendors"])}
        if self.level != 5:
            return {"invoice": list(self.setup["invoice"]), **seen}
        pages = self.setup["pages"]
        contents = {name: page["title"] for name, page in zip(NAMES, pages, strict=True)}
        read = {str(page): list(pages[page - 1]["lines"]) for page in self._read}
        return {"contents": contents, "read": read, **seen}

    def do_read_page(self, page: int) -> None:
        if page not in self._read:
            self._read.append(page)

    def do_book(self, vendor: str, amount: float, date: str) -> None:
        self._entries.append({"vendor": vendor, "cents": round(amount * 100), "date": date})

    def snapshot(self) -> dict[str, Any]:
        return {"entries": [dict(entry) for entry in self._entries]}


# Reading what was misread, twice at worst: once by the scan, once by the regime.


def _cents(word: str) -> list[int]:
    found = [euros.split(".") for euros in readings(word)]
    return [100 * int(parts[0]) + int(parts[1]) for parts in found if len(parts) == 2 and all(parts)]


def _likeness(said: str, role: str) -> float:
    return max(fuzz.ratio(said, label) for label in _labels(role))


def _values(lines: list[str], role: str, sign: str = "") -> list[list[str]]:
    """The words behind labels of a role, the first of which has a certain sign in it; those that fit best come first.

    Signs and colons are never misread. Where a label can be read as either, the likeness to those of both decides.
    """
    parts = [line.split(": ", 1) for line in lines if ": " in line]
    fitting = [part for part in parts if sign in part[1].split(" ")[0]]

    def fit(part: list[str]) -> tuple[int, float]:
        head = f"{part[0].lower()}:"
        own, its = (int(bool(_reader(one).fullmatch(head))) for one in (role, OTHER[role]))
        return own - its, 2 * _likeness(head, role) - _likeness(head, OTHER[role])

    return [part[1].split(" ") for part in sorted(fitting, key=fit, reverse=True)]


class InvoiceReader(Steady):
    """Finds each field by its label, reads misread figures back, and settles doubts by what is said twice.

    The novice copies the vendor misread or not, and does not look for corrections.
    """

    def __init__(self, brief: Brief, *, novice: bool = False) -> None:
        super().__init__(brief, novice=novice)
        self._pages: list[str] = []

    def step(self, observation: dict[str, Any], seen: Seen) -> Act:
        if observation["booked"]:
            return finish()
        if "invoice" in observation:
            return self.book(observation["invoice"], observation["vendors"])
        self._pages = self._pages or self.pages(observation["contents"])[: 2 if self.is_novice else 3]
        pages, read = self._pages, observation["read"]
        for page in pages:
            if page not in read:
                return Act("read_page", {"page": int(page)})
        corrected = read[pages[2]][0] if len(pages) > 2 else ""
        return self.book([*read[pages[0]], *read[pages[1]]], observation["vendors"], corrected)

    def pages(self, contents: dict[str, str]) -> list[str]:
        """Front page, totals and correction of the invoice that the goal names."""
        number = next(
            word for word in self.brief.goal.replace(".", " ").replace(":", " ").split() if word.isdigit()
        )
        by_title = {title: page for page, title in contents.items()}
        sets = [[title.format(n=number) for title in titles] for titles in PAGES]
        for wanted in sets:
            if all(title in by_title for title in wanted):
                return [by_title[wanted[place]] for place in (0, 2, 3)]
        own = [page for page, said in contents.items() if any(number in readings(w) for w in said.split(" "))]
        orders = [(titles, order) for titles in sets for order in permutations(own, len(titles))]
        _, best = max(orders, key=lambda pair: _fit(pair[1], pair[0], contents))
        return [best[place] for place in (0, 2, 3)]

    def book(self, lines: list[str], vendors: list[str], corrected: str = "") -> Act:
        amount = _after(self.amount(lines), corrected) / 100
        return Act("book", {"vendor": self.vendor(lines, vendors), "amount": amount, "date": _date(lines)})

    def vendor(self, lines: list[str], vendors: list[str]) -> str:
        found = _values(lines, "sold")[: 2 if self.brief.level == 4 else 1]
        said = [" ".join(words) for words in found]
        if self.is_novice:
            return said[0][:80]
        return max(vendors, key=lambda vendor: fsum(alike(words, vendor) for words in said))

    def amount(self, lines: list[str]) -> int:
        totals = _cents(_values(lines, "due", ".")[0][0])
        items = [_cents(line.split(" ")[7]) for line in lines if " = " in line]
        sums = [sum(parts) for parts in product(*items)]
        return next((total for total in totals if total in sums), totals[0])


def _after(cents: int, corrected: str) -> int:
    """What is due after a correction."""
    if not corrected:
        return cents
    said, value = corrected.split(": ", 1)
    change = _cents(value.split(" ")[0])[0]
    kinds = {label: kind for kind, labels in CORRECTIONS.items() for label in labels}
    kind = kinds[nearest(f"{said}:", list(kinds))]
    return {"less": cents - change, "more": cents + change, "instead": change, "same": cents}[kind]


def _fit(pages: tuple[str, ...], titles: list[str], contents: dict[str, str]) -> float:
    """How well pages in this order fit the titles."""
    return fsum(alike(contents[page], title) for page, title in zip(pages, titles, strict=True))


def _date(lines: list[str]) -> str:
    """The date, where in doubt the reading that agrees with the date in words."""
    words = _values(lines, "issued", "-")[0]
    found = [said for said in readings(words[0]) if "01" <= said[5:7] <= "12" and "01" <= said[8:10] <= "28"]
    if len(words) < 4 or len(found) < 2:
        return found[0] if found else readings(words[0])[0]
    month = MONTHS.index(nearest(words[2], MONTHS)) + 1
    days, years = readings(words[1]), readings(words[3])

    def agreement(said: str) -> int:
        return (int(said[5:7]) == month) + (str(int(said[8:10])) in days) + (said[:4] in years)

    return max(found, key=agreement)


class Invoices(FamilyBase, table=TABLE):
    world = InvoiceBook
    solver = InvoiceReader

    def draw(self, level: int, situation: str, stream: Stream) -> Task:
        story = TABLE["situations"][situation]
        vendors = stream.shuffled(story["vendors"])
        bill = _bill(story, vendors, stream)
        which, cents = "the invoice shown", bill["cents"]
        setup: dict[str, Any] = {"vendors": sorted(vendors)}
        if level == 5:
            numbers, other = _numbers(stream), _bill(story, vendors[1:], stream)
            which = f"invoice {numbers[0]}"
            (ours, cents), (theirs, _) = (_corrected(one["cents"], stream) for one in (bill, other))
            setup["pages"] = _bundle(numbers, [bill, other], [ours, theirs], stream)
        else:
            fields = _fields(bill, vendors, stream)
            setup["invoice"] = _sheet(bill, [*_cluttered(fields)] if level == 4 else fields, stream)
        if level == 4:
            setup["invoice"] = smudge(setup["invoice"], stream.integer(12, 18), stream)
        how = stream.choice(TABLE["how"][level])
        gaps = {"which": which, "Which": which[0].upper() + which[1:], "how": how}
        return self.task(
            level,
            situation,
            goal=worded(stream, TABLE["goals"], story, **gaps),
            observation=OBSERVATIONS[level],
            actions=(BOOK, READ) if level == 5 else (BOOK,),
            criterion="the ledger holds exactly one entry: vendor, amount and date of the invoice",
            expected=[{"vendor": bill["vendor"], "cents": cents, "date": bill["day"]}],
            setup=setup,
            needed=1 + (BUDGET_NEEDED if level == 5 else 0),
            queries=BUDGET if level == 5 else None,
            queries_needed=BUDGET_NEEDED if level == 5 else 0,
            noisy=NOISY[level],
        )

    def failures(self, task: Task, state: dict[str, Any]) -> Iterator[str]:
        return entry_failures(
            state["entries"],
            task.criterion.expected[0],
            {"vendor": "the vendor", "cents": "the amount", "date": "the date"},
            none="nothing was booked",
            several="more than one entry was made",
        )

    def null(self, brief: Brief) -> Fixed:
        return Fixed(Act("book", {"vendor": "Halden Flour Mill", "amount": 100.0, "date": "2026-01-01"}))
